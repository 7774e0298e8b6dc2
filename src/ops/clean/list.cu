// Strategy `list` (device): the components by label() on the GPU, a decision for each on the host,
// and a thread a pixel, or a word of bits, that looks it up.
#include "cuda/launch.cuh"
#include "ops/clean/cuda.hpp"
#include "ops/clean/reference.hpp"

namespace cuesta {
namespace {

struct ComplementBytes {
  ConstAnyView mask;
  ImageView<uint8_t, Space::device> to;

  __device__ void operator()(int32_t x, int32_t y) const { to.at(x, y) = !mask_at(mask, x, y); }
};

// Row y of a bit picture.
__device__ uint64_t* words_of(AnyView bits, int32_t y) {
  char* const row = static_cast<char*>(bits.data) + ptrdiff_t(y) * bits.stride_bytes;
  return reinterpret_cast<uint64_t*>(row);
}

struct ComplementBits {
  ConstAnyView mask;
  AnyView to;

  __device__ void operator()(int32_t word, int32_t y) const {
    const auto* from = reinterpret_cast<const uint64_t*>(static_cast<const char*>(mask.data) +
                                                         ptrdiff_t(y) * mask.stride_bytes);
    words_of(to, y)[word] = ~from[word];
  }
};

// The mask whose components are looked at: the mask itself, or its complement in scratch memory.
ConstAnyView looked_at(const CleanArgs& args, Call& call) {
  const int32_t width = args.mask.width, height = args.mask.height;
  if (!args.fills) return args.mask;
  if (args.mask.type == PixelType::bit) {
    const AnyView other = call.scratch().bits<Space::device>(width, height);
    cuda::for_each_pixel("clean", cuda::blocks(width, 64), height, ComplementBits{args.mask, other},
                         call);
    return other;
  }
  const auto other = call.scratch().image<uint8_t, Space::device>(width, height);
  cuda::for_each_pixel("clean", width, height, ComplementBytes{args.mask, other}, call);
  return other;
}

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
    words_of(dst, y)[word] = bits;
  }
};

void write_result(const CleanArgs& args, const Result& result, Call& call) {
  const AnyView dst = args.dst;
  if (dst.type == PixelType::u8) {
    cuda::for_each_pixel("clean", dst.width, dst.height,
                         WriteBytes{result, dst.as<uint8_t, Space::device>()}, call);
  } else {
    cuda::for_each_pixel("clean", cuda::blocks(dst.width, 64), dst.height, WriteBits{result, dst},
                         call);
  }
}

}  // namespace

void clean_cuda::list(const CleanArgs& args, Call& call) {
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
