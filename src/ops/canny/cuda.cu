// The production strategies: the gradient and suppression in one kernel (cuda/nms.cu), hysteresis
// in three (cuda/hysteresis.cu), a batch in pieces.
#include "ops/canny/cuda.hpp"
#include "ops/canny/cuda/masks.cuh"

namespace cuesta::canny_cuda {
namespace {

// The kernels count and mark all rows that there are. Those around a band's are counted as what a
// mask leaves out, and their marks stay where they are.

AnyView mask_of_rows(const CannyArgs& args, Call& call) {
  const CannyBand& band = *args.band;
  const cudaStream_t stream = cuda::stream_of(call);
  const DeviceImage<uint8_t> mask = device_image<uint8_t>(call, args.src.width, args.src.height);
  const auto set = [&](int32_t first, int32_t end, int value) {
    cuda::check(cudaMemsetAsync(mask.data + ptrdiff_t(first) * mask.stride_bytes, value,
                                size_t(end - first) * size_t(mask.stride_bytes), stream),
                "canny");
  };
  set(0, mask.height, 0);
  if (!args.options.mask) {
    set(band.first, band.end, 255);
  } else {
    const Rect rows{0, band.first, mask.width, band.end - band.first};
    copy(args.options.mask.region(rows), AnyView(mask).region(rows), call.stream());
  }
  return mask;
}

void fill_band(const CannyArgs& args, Front front, Call& call) {
  const CannyBand& band = *args.band;
  if (const CannyBandBins* sums = band.bins()) {
    CannyArgs counted = args;
    if (band.first > 0 || band.end < args.src.height)
      counted.options.mask = mask_of_rows(args, call);
    Scratch host(call.nested(), Space::host);
    return add_bins(counted_bins<uint32_t>(
                        size_t(bins_of(counted)), host, call,
                        [&](uint32_t* bins) { count_magnitudes(counted, front, bins, call); }),
                    *sums);
  }
  const cudaStream_t stream = cuda::stream_of(call);
  with_masks(args, front, call, [&](const Masks& masks) {
    const size_t bytes = size_t(canny_words(masks.width)) * sizeof(uint64_t);
    uint64_t* const words = band.marks()->words;
    for (const auto& [bits, to] : {std::pair(masks.candidates, words),
                                   std::pair(masks.strong, words + canny_words(masks.width))}) {
      cuda::check(
          cudaMemcpy2DAsync(to, 2 * bytes, bits + ptrdiff_t(masks.words_per_row) * band.first,
                            size_t(masks.words_per_row) * sizeof(uint32_t), bytes,
                            size_t(band.end - band.first), cudaMemcpyDeviceToHost, stream),
          "canny");
    }
  });
  cuda::check(cudaStreamSynchronize(stream), "canny");
}

}  // namespace

template <Front front>
void production(const CannyArgs& args, Call& call) {
  if (args.band) return fill_band(args, front, call);
  const int32_t most = pictures_per_chunk(args, front);
  for (int64_t begin = 0; begin < args.count; begin += most) {
    const Scratch scope(call.nested(), Space::device);  // the next piece takes the same memory
    const auto count = int32_t(std::min<int64_t>(most, args.count - begin));
    const CannyArgs piece = args.part(int32_t(begin), count);
    if (piece.makes_strengths()) {
      find_strengths(piece, call);
      continue;
    }
    with_masks(piece, front, call, [&](const Masks& masks) {
      call.stage("hysteresis");
      hysteresis::connect("canny", masks, Batch(piece.dst, count, piece.dst_step), call);
    });
  }
}
template void production<Front::march_fp16>(const CannyArgs&, Call&);
template void production<Front::march_fp32>(const CannyArgs&, Call&);
template void production<Front::march_int16>(const CannyArgs&, Call&);
template void production<Front::tiles>(const CannyArgs&, Call&);

}  // namespace cuesta::canny_cuda
