// Strategy `host`: the strengths of a picture on a GPU, from the host.
#include "ops/shared/on_host.hpp"

#include "ops/boundaries/reference.hpp"

namespace cuesta {

void boundaries_on_host(const BoundariesArgs& args, Call& call) {
  on_host(args.src, args.dst, call, [&](ConstAnyView src, AnyView dst, const Exec& exec) {
    boundaries(src, dst, args.options, exec);
  });
}

}  // namespace cuesta
