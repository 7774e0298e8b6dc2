// Strategy `plain` (device): the components by label() on the GPU, a decision for each on the host,
// and a thread a pixel, or a word of bits, that looks it up.
#include "ops/clean/cuda.hpp"

#include "cuda/launch.cuh"
#include "ops/clean/reference.hpp"

namespace cuesta {
namespace {

struct Complement {
  ConstAnyView mask;
  ImageView<uint8_t, Space::device> to;

  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = !mask_at(mask, x, y); }
};

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

struct WriteBytes {
  Result result;
  ImageView<uint8_t, Space::device> dst;

  __device__ void operator()(int32_t x, int32_t y) const {
    dst.at(x, y) = result.at(x, y) ? 255 : 0;
  }
};

struct WriteBits {
  Result result;
  AnyView dst;

  __device__ void operator()(int32_t word, int32_t y) const {
    const int32_t begin = 64 * word, end = int32_t(min(int64_t(dst.width), int64_t(begin) + 64));
    uint64_t bits = 0;
    for (int32_t x = begin; x < end; ++x) bits |= uint64_t(result.at(x, y)) << (x - begin);
    char* row = static_cast<char*>(dst.data) + ptrdiff_t(y) * dst.stride_bytes;
    reinterpret_cast<uint64_t*>(row)[word] = bits;
  }
};

}  // namespace

void clean_cuda::plain(const CleanArgs& args, Call& call) {
  const int32_t width = args.mask.width, height = args.mask.height;
  ConstAnyView source = args.mask;
  if (args.fills) {
    const auto other = call.scratch().image<uint8_t, Space::device>(width, height);
    cuda::for_each_pixel("clean", width, height, Complement{args.mask, other}, call);
    source = other;
  }
  const auto labels = call.scratch().image<int32_t, Space::device>(width, height);
  std::vector<Component> components;
  label(source, labels, &components, {.connectivity = args.connectivity}, call.nested());
  const auto change = changes(args, components);
  const Result result{labels, cuda::upload(std::span<const uint8_t>(change), call, "clean"),
                      args.fills};
  if (args.dst.type == PixelType::u8) {
    cuda::for_each_pixel("clean", width, height,
                         WriteBytes{result, args.dst.as<uint8_t, Space::device>()}, call);
  } else {
    cuda::for_each_pixel("clean", cuda::blocks(width, 64), height, WriteBits{result, args.dst},
                         call);
  }
}

}  // namespace cuesta
