// Strategy `host`: the strengths of a picture on a GPU, from the host.
#include "cuesta/device.hpp"
#include "ops/boundaries/reference.hpp"

namespace cuesta {

void boundaries_on_host(const BoundariesArgs& args, Call& call) {
  AnyImage src(args.src.size(), args.src.channels, args.src.type);
  Image<uint16_t> dst(args.dst.width, args.dst.height);
  download(args.src, src, call.stream());
  boundaries(ConstAnyView(src), dst, args.options, call.nested());
  upload(dst, args.dst, call.stream());
}

}  // namespace cuesta
