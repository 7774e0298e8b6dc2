// Strategy `host`: a picture on a GPU, divided on the host.
#include "cuesta/device.hpp"
#include "ops/regions/reference.hpp"

namespace cuesta {

void regions_on_host(const RegionsArgs& args, Call& call) {
  AnyImage src(args.src.size(), 1, args.src.type);
  AnyImage dst(args.dst.size(), 1, args.dst.type);
  download(args.src, src, call.stream());
  regions(ConstAnyView(src), dst, args.options, call.nested());
  upload(dst, args.dst, call.stream());
}

}  // namespace cuesta
