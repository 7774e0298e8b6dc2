// The production gradient and suppression of canny on CUDA: which kernel takes a request, and its
// launch. Windows that the kernel does not smooth with go through gaussian() before.
#include "cuesta/filter.hpp"
#include "ops/canny/cuda/chunks.hpp"
#include "ops/canny/cuda/gradient_nms.cuh"
#include "ops/canny/cuda/half_nms.cuh"

namespace cuesta::canny_cuda {
namespace {

Masks masks_of(const CannyArgs& args, Call& call) {
  const int32_t words = canny_nms::mask_bytes(args.src.width) / 4;
  const size_t all = size_t(words) * size_t(args.src.height) * size_t(args.count);
  return {call.scratch().take<uint32_t>(all), call.scratch().take<uint32_t>(all), args.src.width,
          args.src.height, words};
}

// ---- smoothing

/// A batch in the call's scratch memory, one below the other.
template <class T>
DeviceBatch<T> device_batch(const CannyArgs& args, Call& call) {
  DeviceImage<T> all = device_image<T>(call, args.src.width, args.src.height * args.count);
  all.height = args.src.height;
  return {all, all.stride_bytes * all.height};
}

/// Every picture smoothed by itself, as its border is its own.
DeviceBatch<const uint8_t> smoothed(const CannyArgs& args, Call& call) {
  const auto all = device_batch<uint8_t>(args, call);
  const ConstBatch from(args.src, args.count, args.src_step);
  const Batch to(all.first, args.count, all.step);
  for (int32_t i = 0; i < args.count; ++i) {
    gaussian(from[i], to[i], {.sigma = args.options.sigma, .ksize = args.options.ksize},
             call.nested());
  }
  return all;
}

// ---- which kernel

/// In pairs of fp16: aperture 3, no mask. The other takes everything.
bool in_halves(const CannyArgs& args) {
  if (args.options.aperture != 3 || args.options.mask) return false;
  int device = 0, major = 0;
  cuda::check(cudaGetDevice(&device), "canny");
  cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "canny");
  return major >= canny_half::least_major;
}
/// Pixels from which on a launch for the smoothing is little beside what halves save.
constexpr int64_t many_pixels = int64_t{1} << 22;
/// Whether the kernel finds the picture smoothed.
bool smooths_apart(const CannyArgs& args, const Taps& taps) {
  if (taps.size == 1) return false;
  const bool many = int64_t(args.src.width) * args.src.height >= many_pixels;
  return taps.size > canny_nms::fused_window || (many && in_halves(args));
}

// ---- launches

/// Rows of a walk in halves where they are more than a wave. H200, 2026-11-22, 8192², l1: 14, 26,
/// 38 and 94 rows took 2.89, 2.77, 2.83 and 3.24 times a copy; l2: 4.14, 3.89, 3.94 and 4.44.
constexpr int32_t walk_rows = 26;

/// Whether all pictures have one pair of thresholds, once they are found.
bool share_thresholds(const CannyArgs& args) {
  return std::all_of(args.result, args.result + args.count, [&](const CannyResult& one) {
    return one.low == args.result->low && one.high == args.result->high;
  });
}

/// The limits of pictures [begin, begin + count). The kernel compares with the least magnitude that
/// counts; l1's lanes hold 15 bits.
canny_nms::LimitTable limit_table(const CannyArgs& args, int32_t begin, int32_t count,
                                  bool shared) {
  const int32_t most = args.options.norm == Norm::l1 ? 32766 : INT32_MAX - 1;
  canny_nms::LimitTable table;
  table.shared = shared;
  for (int32_t i = 0; i < (shared ? 1 : count); ++i) {
    const Limits limits = limits_of(args, begin + i);
    table.low[i] = uint32_t(std::min(limits.low, most)) + 1;
    table.high[i] = uint32_t(std::min(limits.high, most)) + 1;
  }
  return table;
}

/// Launches `kernel`, warps of which walk down `strips` strips of each picture, nms_warps a block,
/// and at most `most_rows` rows.
template <bool Count, class Kernel>
void launch_walks(Kernel kernel, int32_t strips, int32_t most_rows, const CannyArgs& args,
                  const canny_nms::Job& job, const NmsOutput& out, Call& call) {
  using namespace canny_nms;
  int blocks = 0;  // a multiprocessor
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, nms_warps * lanes, 0),
              "canny");
  const int resident = std::max(1, blocks) * nms_warps * cuda::multiprocessors();
  const ptrdiff_t mask = ptrdiff_t(mask_bytes(job.width)) * job.height;
  const bool shared = Count || share_thresholds(args);
  const int32_t most = shared ? args.count : LimitTable::most;
  for (int32_t begin = 0; begin < args.count; begin += most) {
    const int32_t count = std::min(most, args.count - begin);
    const int32_t rows = std::min(rows_per_warp(strips, job.height, count, resident), most_rows);
    const int64_t warps = int64_t(strips) * ((job.height + rows - 1) / rows);
    cuda::launch("canny", kernel,
                 dim3(unsigned((warps + nms_warps - 1) / nms_warps), 1, unsigned(count)),
                 dim3(lanes, nms_warps), 0, cuda::stream_of(call), job.picture(unsigned(begin)),
                 Count ? LimitTable() : limit_table(args, begin, count, shared),
                 NmsOutput{out.candidates + mask * begin, out.strong + mask * begin, out.bins,
                           out.bins_per_picture},
                 rows);
  }
}

template <int K, int Half, bool Count>
void launch_words(const CannyArgs& args, const canny_nms::Job& job, const NmsOutput& out,
                  Call& call) {
  const auto kernel = args.options.norm == Norm::l1 ? gradient_nms<K, Half, Norm::l1, Count>
                                                    : gradient_nms<K, Half, Norm::l2, Count>;
  launch_walks<Count>(kernel, canny_nms::strips(job.width), INT32_MAX, args, job, out, call);
}

template <bool Count>
void launch(const CannyArgs& args, const canny_nms::Job& job, bool smooths, const NmsOutput& out,
            Call& call) {
  constexpr int half = canny_nms::fused_half;
  if (!smooths && in_halves(args)) {
    using namespace canny_half;
    if (args.options.norm == Norm::l1)
      launch_walks<Count>(gradient_nms_half<Norm::l1, Count>, strips<Norm::l1>(job.width),
                          walk_rows, args, job, out, call);
    else
      launch_walks<Count>(gradient_nms_half<Norm::l2, Count>, strips<Norm::l2>(job.width),
                          walk_rows, args, job, out, call);
    return;
  }
  switch (args.options.aperture) {
    case 3:
      return smooths ? launch_words<3, half, Count>(args, job, out, call)
                     : launch_words<3, 0, Count>(args, job, out, call);
    case 5:
      return smooths ? launch_words<5, half, Count>(args, job, out, call)
                     : launch_words<5, 0, Count>(args, job, out, call);
    default:
      return smooths ? launch_words<7, half, Count>(args, job, out, call)
                     : launch_words<7, 0, Count>(args, job, out, call);
  }
}

}  // namespace

Masks find_masks(const CannyArgs& args, Call& call) {
  call.stage("gradient and suppression");
  const Masks masks = masks_of(args, call);
  const Taps taps = taps_of(args.options);
  const bool apart = smooths_apart(args, taps);
  const DeviceBatch<const uint8_t> src =
      apart ? smoothed(args, call)
            : DeviceBatch<const uint8_t>{args.src.as<uint8_t, Space::device>(), args.src_step};

  canny_nms::Job job;
  job.src = src.first.data;
  job.src_stride = src.first.stride_bytes;
  job.src_step = src.step;
  job.mask = static_cast<const uint8_t*>(args.options.mask.data);
  job.mask_stride = args.options.mask.stride_bytes;
  job.mask_step = args.mask_step;
  job.width = args.src.width;
  job.height = args.src.height;
  const bool smooths = !apart && taps.size > 1;
  if (smooths) {
    const int half = taps.size / 2;
    for (int i = 0; i <= half; ++i) job.taps[canny_nms::fused_half - half + i] = taps.values[i];
  }
  find_thresholds(args, call, [&](uint32_t* bins) {
    launch<true>(args, job, smooths, {nullptr, nullptr, bins, bins_of(args.options)}, call);
  });
  launch<false>(args, job, smooths,
                {reinterpret_cast<uint8_t*>(masks.candidates),
                 reinterpret_cast<uint8_t*>(masks.strong), nullptr, 0},
                call);
  return masks;
}

int32_t pictures_per_chunk(const CannyArgs& args) {
  bool counts = false;
  for (int32_t i = 0; i < args.count; ++i) counts |= args.thresholds_of(i).is_automatic();
  return canny_chunks::pictures_per_chunk(canny_chunks::scratch_bytes(
      args.src.width, args.src.height, smooths_apart(args, taps_of(args.options)),
      counts ? bins_of(args.options) : 0));
}

}  // namespace cuesta::canny_cuda
