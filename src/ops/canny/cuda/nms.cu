// The production gradient and suppression of canny on CUDA: which kernel takes a request, and its
// launch. Windows that the kernel does not smooth with go through gaussian() before.
#include "cuda/architectures.hpp"
#include "cuda/overlap.cuh"
#include "cuesta/filter.hpp"
#include "ops/canny/cuda/chunks.hpp"
#include "ops/canny/cuda/found_thresholds.cuh"
#include "ops/canny/cuda/gradient_nms.cuh"
#include "ops/canny/cuda/half_nms.cuh"
#include "ops/canny/cuda/wide_lane.cuh"

namespace cuesta::canny_cuda {
namespace {

Masks masks_of(const CannyArgs& args, Call& call) {
  const int32_t words = canny_nms::mask_bytes(args.src.width) / 4;
  const size_t all = size_t(words) * size_t(args.src.height) * size_t(args.count);
  return {call.scratch().take<uint32_t>(all), call.scratch().take<uint32_t>(all), args.src.width,
          args.src.height, words};
}

// ---- smoothing

/// Every picture smoothed by itself, as its border is its own: in the call's scratch memory, one
/// below the other.
template <class T>
Source smoothed_pictures(const CannyArgs& args, Call& call) {
  const int32_t height = args.src.height, channels = args.src.channels;
  DeviceImage<T> all =
      call.scratch().image<T, Space::device>(args.src.width, height * args.count, channels);
  all.height = height;
  const ptrdiff_t step = all.stride_bytes * height;
  // Kernels read whole words: the rest of a row's last one is written, too.
  const size_t row = size_t(args.src.width) * size_t(channels) * sizeof(T), rest = -row % 4;
  if (rest > 0)
    cuda::check(
        cudaMemset2DAsync(reinterpret_cast<char*>(all.data) + row, size_t(all.stride_bytes), 0,
                          rest, size_t(height) * size_t(args.count), cuda::stream_of(call)),
        "canny: clearing what is behind rows");
  const ConstBatch from(args.src, args.count, args.src_step);
  const Batch to(all, args.count, step);
  for (int32_t i = 0; i < args.count; ++i)
    gaussian(from[i], to[i], {.sigma = *args.options.sigma, .ksize = args.options.ksize},
             call.nested());
  return {all.data, all.stride_bytes, step};
}
/// The same with every channel by itself, because the production filters of floats take few samples
/// to either side.
Source smoothed_channels(const CannyArgs& args, Call& call) {
  const int32_t width = args.src.width, height = args.src.height, channels = args.src.channels;
  DeviceImage<float> planes = device_image<float>(call, width, height * args.count * channels);
  planes.height = height;
  const ptrdiff_t plane = planes.stride_bytes * height;
  const ConstBatch from(args.src, args.count, args.src_step);
  const Batch to(planes, args.count * channels, plane);
  const DeviceImage<float> one = device_image<float>(call, width, height);
  for (int32_t i = 0; i < args.count; ++i) {
    for (int32_t c = 0; c < channels; ++c) {
      cuda::for_each_pixel("canny", width, height,
                           TakeChannel<float>{from[i].as<float, Space::device>(), one, c}, call);
      gaussian(one, to[i * channels + c],
               {.sigma = *args.options.sigma, .ksize = args.options.ksize}, call.nested());
    }
  }
  return {planes.data, planes.stride_bytes, plane * channels, plane};
}
Source smoothed(const CannyArgs& args, Call& call) {
  switch (args.src.type) {
    case PixelType::u8: return smoothed_pictures<uint8_t>(args, call);
    case PixelType::u16: return smoothed_pictures<uint16_t>(args, call);
    default:
      return args.src.channels == 1 ? smoothed_pictures<float>(args, call)
                                    : smoothed_channels(args, call);
  }
}

// ---- which kernel

/// Pixels from which on a launch for the smoothing of each picture of a batch costs little beside
/// what fp16 saves. One picture always gains: H200, 2026-11-30, 512² by a window of 5, thresholds
/// given 47 µs with the window in the march and 29 apart, found 90 and 58.
constexpr int64_t many_pixels = int64_t{1} << 22;

std::string_view no_bytes_of_one_channel(const CannyArgs& args) {
  if (args.makes_strengths()) return "strengths as output";
  if (args.gy) return "gradients as input";
  if (args.src.channels == 3) return "sources of three channels";
  if (args.src.type == PixelType::u16) return "u16 source";
  return args.src.type == PixelType::f32 ? "f32 source" : std::string_view();
}

std::string_view no_aperture_3_unmasked(const CannyArgs& args) {
  if (args.options.aperture != 3) return "apertures 5 and 7";
  return args.options.mask ? "a mask" : std::string_view();
}

std::string_view march_fp16_refuses(const CannyArgs& args) {
  const bool color = args.src.type == PixelType::u8 && args.src.channels == 3;
  if (args.makes_strengths()) return "strengths as output";
  if (args.gy) return "gradients as input";
  if (color && args.options.color == ColorGradient::structure) return "the structure tensor";
  if (!color)
    if (const auto why = no_bytes_of_one_channel(args); !why.empty()) return why;
  if (const auto why = no_aperture_3_unmasked(args); !why.empty()) return why;
  // The rows around a band's are counted as a mask leaves them out.
  if (const auto& band = args.band;
      band && band->bins() && (band->first > 0 || band->end < args.src.height))
    return "magnitudes of a band of rows";
  const int32_t window = taps_of(args.options).size;
  if (!color && args.count > 1 && window > 1 && window <= canny_nms::fused_window &&
      int64_t(args.src.width) * args.src.height < many_pixels)
    return "smoothing windows 3 and 5 of batches below 2²² pixels";
  const int capability = cuda::compute_capability();
  return capability != 0 && capability < 10 * canny_half::Bytes::min_major
             ? "GPUs below compute capability 8.0"
             : std::string_view();
}

std::string_view march_fp32_refuses(const CannyArgs& args) {
  if (args.makes_strengths()) return "strengths as output";
  if (args.gy) return "gradients as input";
  if (args.src.channels == 3) return "sources of three channels";
  if (args.src.type == PixelType::u8) return "u8 source";
  if (args.src.type == PixelType::f32) return "f32 source";
  return no_aperture_3_unmasked(args);
}

/// Whether gaussian() smooths the picture before the kernel. For a batch it is a launch for each
/// picture.
bool smooths_apart(const CannyArgs& args, Front front, const Taps& taps) {
  // Floats have taps of their own.
  if (args.src.type == PixelType::f32) return args.options.sigma > 0 && args.options.ksize > 1;
  const bool fuses = front == Front::march_int16 && args.count > 1;
  return taps.size > (fuses ? canny_nms::fused_window : 1);
}

// ---- launches

/// Rows of a march where they are more than a wave. H200, 2026-11-22, 8192²: 20, 26, 32, 47 and 95
/// rows took 0.0899, 0.0886, 0.0901, 0.0910 and 0.1000 ms (l1), 0.1340, 0.1292, 0.1327, 0.1300 and
/// 0.1407 (l2); u16 l1 0.1850, 0.1799, 0.1813, 0.1795 and 0.1941; counting 0.0627, 0.0626, 0.0642,
/// 0.0664 and 0.0761.
constexpr int32_t lane_rows = 26;
/// And no fewer, however small the picture. 512² and 1024², l1: 2 rows 4.8 and 8.1 µs, 4 rows 5.8
/// and 8.6, 8 rows 7.0 and 8.3.
constexpr int32_t min_lane_rows = 2;
/// The other kernel's: it marches in one wave, and begins more rows before the first comes out.
constexpr int32_t min_word_rows = 8;

/// The limits of pictures [begin, begin + count), `found` by the device or from args.result. The
/// kernel compares with the least magnitude that counts; l1's lanes hold 15 bits.
canny_nms::LimitTable limit_table(const CannyArgs& args, const FoundLimits* found, int32_t begin,
                                  int32_t count, bool shared) {
  using Table = canny_nms::LimitTable;
  Table table{.found = found,
              .max_limit = args.options.norm == Norm::l1 ? 32766 : INT32_MAX - 1,
              .shared = shared};
  for (int32_t i = 0; i < (found ? 0 : shared ? 1 : count); ++i) {
    const Limits limits = limits_of(args, begin + i);
    table.low[i] = Table::above(limits.low, table.max_limit);
    table.high[i] = Table::above(limits.high, table.max_limit);
  }
  return table;
}

/// Limits and number of pictures of a launch of the march for lanes L.
template <class Table>
constexpr int32_t max_limits = 1;
template <>
constexpr int32_t max_limits<canny_nms::LimitTable> = canny_nms::LimitTable::max_pictures;

template <class Table>
Table table_of(const CannyArgs& args, const FoundLimits* found, int32_t begin, int32_t count,
               bool shared) {
  if constexpr (std::is_same_v<Table, canny_nms::LimitTable>) {
    return limit_table(args, found, begin, count, shared);
  } else {
    const CannyLimits limits = canny_limits(args, args.result[begin]);
    return {limits.low, limits.high, found};
  }
}

/// What a march writes, and where the limits come from.
struct MarchTo {
  NmsOutput out;
  const FoundLimits* found = nullptr;  // null: from args.result
};

/// Launches `kernel`, whose warps march down `strips` strips of each picture, `block_warps` a
/// block, and at least and at most this many rows. `resident` warps fit a multiprocessor at once.
template <bool Count, class Table>
void launch_marches(void (*kernel)(canny_nms::Job, Table, NmsOutput, int32_t), int block_warps,
                    int resident, int32_t strips, int32_t min_rows, int32_t max_rows,
                    const CannyArgs& args, const canny_nms::Job& job, const MarchTo& to,
                    Call& call) {
  using namespace canny_nms;
  resident *= cuda::multiprocessors();
  const ptrdiff_t mask = ptrdiff_t(mask_bytes(job.width)) * job.height;
  const NmsOutput& out = to.out;
  const bool shared = Count || to.found || share_thresholds(args);
  const int32_t most = shared ? args.count : max_limits<Table>;
  for (int32_t begin = 0; begin < args.count; begin += most) {
    const int32_t count = std::min(most, args.count - begin);
    const int32_t rows =
        std::min(rows_per_warp(strips, job.height, count, resident, min_rows), max_rows);
    const int64_t warps = int64_t(strips) * ((job.height + rows - 1) / rows);
    const auto enqueue = [&](auto&& launch) {
      launch("canny", kernel,
             dim3(unsigned((warps + block_warps - 1) / block_warps), 1, unsigned(count)),
             dim3(lanes, unsigned(block_warps)), 0, cuda::stream_of(call),
             job.picture(unsigned(begin)),
             Count ? Table() : table_of<Table>(args, to.found, begin, count, shared),
             NmsOutput{out.candidates + mask * begin, out.strong + mask * begin, out.bins,
                       out.bins_per_picture},
             rows);
    };
    // Behind the kernel that finds the limits.
    if (to.found)
      enqueue([](auto&&... all) { cuda::launch_overlapped(all...); });
    else
      enqueue([](auto&&... all) { cuda::launch(all...); });
  }
}

template <class L, bool Count>
void launch_lanes(const CannyArgs& args, const canny_nms::Job& job, const MarchTo& to, Call& call) {
  constexpr int warps = Count ? nms_warps : canny_half::march_warps;
  launch_marches<Count, typename L::Table>(canny_half::gradient_nms_march<L, Count, warps>, warps,
                                           L::warps, canny_half::strips<L>(job.width),
                                           min_lane_rows, lane_rows, args, job, to, call);
}

template <int K, int Half, bool Count>
void launch_words(const CannyArgs& args, const canny_nms::Job& job, const MarchTo& to, Call& call) {
  const auto kernel = args.options.norm == Norm::l1 ? gradient_nms<K, Half, Norm::l1, Count>
                                                    : gradient_nms<K, Half, Norm::l2, Count>;
  int blocks = 0;  // a multiprocessor
  cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel,
                                                            nms_warps * canny_nms::lanes, 0),
              "canny");
  launch_marches<Count, canny_nms::LimitTable>(kernel, nms_warps, std::max(1, blocks) * nms_warps,
                                               canny_nms::strips(job.width), min_word_rows,
                                               INT32_MAX, args, job, to, call);
}

template <int K, bool Count>
void launch_words(const CannyArgs& args, const canny_nms::Job& job, bool smooths, const MarchTo& to,
                  Call& call) {
  if constexpr (Count && K > 3)  // others are counted in columns
    launch_words<K, canny_nms::fused_half, true>(args, job, to, call);
  else
    smooths ? launch_words<K, canny_nms::fused_half, Count>(args, job, to, call)
            : launch_words<K, 0, Count>(args, job, to, call);
}

/// Launches a march; tiles have launches of their own.
template <bool Count>
void launch(const CannyArgs& args, Front front, const canny_nms::Job& job, bool smooths,
            const MarchTo& to, Call& call) {
  const bool l1 = args.options.norm == Norm::l1;
  if constexpr (!Count) {
    if (front == Front::march_fp32) {
      return l1 ? launch_lanes<canny_wide::Lane<Norm::l1>, false>(args, job, to, call)
                : launch_lanes<canny_wide::Lane<Norm::l2>, false>(args, job, to, call);
    }
  }
  if (front == Front::march_fp16 && args.src.channels == 3) {
    return l1 ? launch_lanes<canny_half::ColorLane<Norm::l1>, Count>(args, job, to, call)
              : launch_lanes<canny_half::ColorLane<Norm::l2>, Count>(args, job, to, call);
  }
  if (front == Front::march_fp16) {
    return l1 ? launch_lanes<canny_half::Lane<Norm::l1>, Count>(args, job, to, call)
              : launch_lanes<canny_half::Lane<Norm::l2>, Count>(args, job, to, call);
  }
  switch (args.options.aperture) {
    case 3: return launch_words<3, Count>(args, job, smooths, to, call);
    case 5: return launch_words<5, Count>(args, job, smooths, to, call);
    default: return launch_words<7, Count>(args, job, smooths, to, call);
  }
}

/// What the kernels take, with windows that they do not smooth with applied.
struct Ready {
  Source src;            // of tiles
  canny_nms::Job job;    // of marches
  bool smooths = false;  // the march does
};

Ready ready(const CannyArgs& args, Front front, Call& call) {
  const Taps taps = taps_of(args.options);
  const bool apart = smooths_apart(args, front, taps);
  const Source src =
      apart ? smoothed(args, call) : Source{args.src.data, args.src.stride_bytes, args.src_step};
  Ready made{src, {}, !apart && taps.size > 1};
  canny_nms::Job& job = made.job;
  job.src = static_cast<const uint8_t*>(src.data);
  job.src_stride = src.stride;
  job.src_step = src.step;
  job.mask = static_cast<const uint8_t*>(args.options.mask.data);
  job.mask_stride = args.options.mask.stride_bytes;
  job.mask_step = args.mask_step;
  job.width = args.src.width;
  job.height = args.src.height;
  if (made.smooths) {
    const int half = taps.size / 2;
    for (int i = 0; i <= half; ++i) job.taps[canny_nms::fused_half - half + i] = taps.values[i];
  }
  return made;
}

void count(const CannyArgs& args, Front front, const Ready& ready, uint32_t* bins, Call& call) {
  const bool in_words =
      front == Front::march_int16 && (args.options.aperture == 3 || ready.smooths);
  if (front != Front::march_fp16 && !in_words) return count_in_columns(args, ready.src, bins, call);
  launch<true>(args, front, ready.job, ready.smooths, {{nullptr, nullptr, bins, bins_of(args)}},
               call);
}

/// Candidates and strong pixels, by limits that the device found or those of args.result.
void fill(const Masks& masks, const CannyArgs& args, Front front, const Ready& ready,
          const FoundLimits* found, Call& call) {
  if (front == Front::tiles) return find_masks_in_tiles(args, ready.src, masks, found, call);
  launch<false>(args, front, ready.job, ready.smooths,
                {{reinterpret_cast<uint8_t*>(masks.candidates),
                  reinterpret_cast<uint8_t*>(masks.strong), nullptr, 0},
                 found},
                call);
}

}  // namespace

std::string_view refusal_of(Front front, const CannyArgs& args) {
  switch (front) {
    case Front::march_fp16: return march_fp16_refuses(args);
    case Front::march_fp32: return march_fp32_refuses(args);
    case Front::march_int16: return no_bytes_of_one_channel(args);
    default:
      return no_bytes_of_one_channel(args).empty() ? "u8 source of one channel"
                                                   : std::string_view();
  }
}

void with_masks(const CannyArgs& args, Front front, Call& call,
                const std::function<void(const Masks&)>& use) {
  call.stage("gradient and suppression");
  const Masks masks = masks_of(args, call);
  const Ready made = ready(args, front, call);
  take_given_thresholds(args);
  if (!has_automatic_thresholds(args)) {
    fill(masks, args, front, made, nullptr, call);
    return use(masks);
  }
  const int32_t n = bins_of(args);
  const uint32_t* const bins =
      device_bins<uint32_t>(size_t(n) * size_t(args.count), call,
                            [&](uint32_t* cleared) { count(args, front, made, cleared, call); });
  FoundThresholds found(args, n, bins, call);
  fill(masks, args, front, made, found.limits(), call);
  use(masks);
  found.settle();
}

void find_strengths(const CannyArgs& args, Call& call) {
  call.stage("gradient and suppression");
  find_strengths_in_tiles(args, ready(args, Front::tiles, call).src, call);
}

Masks find_masks(const CannyArgs& args, Call& call) {
  const Front* const front = std::find_if(std::begin(fronts), std::end(fronts),
                                          [&](Front one) { return refusal_of(one, args).empty(); });
  Masks found{};
  with_masks(args, *front, call, [&](const Masks& masks) { found = masks; });
  return found;
}

void count_magnitudes(const CannyArgs& args, Front front, uint32_t* bins, Call& call) {
  count(args, front, ready(args, front, call), bins, call);
}

int32_t pictures_per_chunk(const CannyArgs& args, Front front) {
  const bool finds = has_automatic_thresholds(args);
  const int32_t in_memory = canny_chunks::pictures_per_chunk(
      canny_chunks::scratch_bytes(args.src.width, args.src.height,
                                  smooths_apart(args, front, taps_of(args.options))
                                      ? bytes_per_sample(args.src.type) * args.src.channels
                                      : 0,
                                  finds ? bins_of(args) : 0));
  return finds ? std::min(in_memory, FoundThresholds::max_pictures) : in_memory;
}

}  // namespace cuesta::canny_cuda
