// Strategy `plain` (device): the components by label() on the GPU, a decision for each on the host,
// and a thread a pixel, or a word of bits, that looks it up.
#include "ops/clean/cuda.hpp"
#include "ops/clean/device.cuh"
#include "ops/clean/reference.hpp"

namespace cuesta {
namespace {

struct Result {
  ImageView<const int32_t, Space::device> labels;
  const uint8_t* change;
  bool fills;

  __device__ bool at(int32_t x, int32_t y) const {
    const int32_t label = labels.at(x, y);
    const bool stays = label != 0 && !change[label - 1];
    return stays != fills;
  }
};

}  // namespace

void clean_cuda::plain(const CleanArgs& args, Call& call) {
  const ConstAnyView source = looked_at(args, call);
  const auto labels = call.scratch().image<int32_t, Space::device>(source.width, source.height);
  std::vector<Component> components;
  label(source, labels, &components, {.connectivity = args.connectivity}, call.nested());
  const auto change = changes(args, components);
  write_result(
      args,
      Result{labels, cuda::upload(std::span<const uint8_t>(change), call, "clean"), args.fills},
      call);
}

}  // namespace cuesta
