// Strategy `host`: a picture on a GPU, divided on the host.
#include "ops/shared/on_host.hpp"

#include "ops/regions/reference.hpp"

namespace cuesta {

void regions_on_host(const RegionsArgs& args, Call& call) {
  on_host(args.src, args.dst, call, [&](ConstAnyView src, AnyView dst, const Exec& exec) {
    regions(src, dst, args.options, exec);
  });
}

}  // namespace cuesta
