// The one argument of every Sobel strategy. The public entry has checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/edges.hpp"

namespace cuesta {

struct SobelArgs {
  static constexpr std::string_view operation = "sobel";

  ConstAnyView src{};  // u8 or u16, one channel
  SobelOutputs out{};  // of src's size; at least one is wanted
  SobelOptions options{};

  Space space() const { return src.space; }
};

template <>
std::span<const Strategy<SobelArgs>> strategies<SobelArgs>(Space space);

}  // namespace cuesta
