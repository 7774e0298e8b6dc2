// Device rows that the host answers: the picture comes over, and the result goes back.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/device.hpp"

namespace cuesta {

/// Calls run(source, result, exec) with copies of `src` and `dst` in host memory, and copies the
/// result to `dst`. The call waits. Throws Error{device}.
template <class Run>
void on_host(ConstAnyView src, AnyView dst, const Call& call, Run&& run) {
  AnyImage source(src.size(), src.channels, src.type);
  AnyImage result(dst.size(), dst.channels, dst.type);
  download(src, source, call.stream());
  run(ConstAnyView(source), AnyView(result), call.nested());
  upload(result, dst, call.stream());
}

}  // namespace cuesta
