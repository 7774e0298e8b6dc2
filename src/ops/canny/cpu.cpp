// Strategy `simd`: smoothing, gradient, magnitude and suppression of a strip fused in rows that
// stay in L1 and L2, in 16-bit lanes (32 for l2 magnitudes). What suppression leaves is two bits a
// pixel; hysteresis works on words of them (bit_hysteresis.hpp). u8 source; of three channels each
// is made so, and the strongest kept.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/canny/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <new>

#include "cpu/bit_hysteresis.hpp"
#include "cpu/bits-inl.hpp"
#include "cpu/extended_row.hpp"
#include "cuesta/filter.hpp"
#include "ops/canny/cpu/gradient_nms-inl.hpp"
#include "ops/canny/cpu/magnitude_rows-inl.hpp"
#include "ops/canny/reference.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// K is 0 where gradients are given.
template <int K, class M>
using MagnitudesOf = std::conditional_t<K == 0, GivenMagnitudes, Magnitudes<K == 0 ? 3 : K, M>>;

template <class M>
M limit(int64_t t) {
  return M(std::min<int64_t>(t, std::numeric_limits<M>::max()));
}

// Candidates and strong pixels of rows [first, end): take(y, candidates, strong) has them.
template <int K, class M, class Take>
void find_marks(const Job& job, const CannyLimits& limits, int32_t first, int32_t end,
                Pieces pieces, Take&& take) {
  MagnitudesOf<K, M> magnitudes(job, pieces);
  const int32_t words = canny_words(job.width());
  auto* candidates = pieces.take<uint64_t>(words + row_room);
  auto* strong = pieces.take<uint64_t>(words + row_room);
  const uint64_t last_word = ~uint64_t{0} >> ((64 - job.width() % 64) % 64);
  magnitudes.make(first - 1);
  magnitudes.make(first);
  for (int32_t y = first; y < end; ++y) {
    magnitudes.make(y + 1);
    candidates[words - 1] = strong[words - 1] = 0;  // vectors may leave the last bytes alone
    suppress<M>(magnitudes.row(y - 1), magnitudes.row(y), magnitudes.row(y + 1), magnitudes.gx(y),
                magnitudes.gy(y), job.width(), limit<M>(limits.low), limit<M>(limits.high),
                reinterpret_cast<uint8_t*>(candidates), reinterpret_cast<uint8_t*>(strong));
    candidates[words - 1] &= last_word;
    strong[words - 1] &= last_word;
    take(y, candidates, strong);
  }
}

// Adds the magnitudes of rows [first, end) inside the mask to `bins`.
template <int K, class M>
void count_rows(const Job& job, int32_t first, int32_t end, Pieces pieces, uint64_t* bins,
                ptrdiff_t copy) {
  MagnitudesOf<K, M> magnitudes(job, pieces);
  auto* sizes = pieces.take<uint16_t>(round_up(job.width()) + row_room);
  for (int32_t y = first; y < end; ++y) {
    magnitudes.make(y);
    count_magnitudes<K == 0>(magnitudes.row(y), job.norm, job.width(), sizes, bins, copy);
    if (magnitudes.mask())  // what is outside was counted as 0
      bins[0] -= uint64_t(std::count(magnitudes.mask(), magnitudes.mask() + job.width(), 0));
  }
}

// The memory that a picture needs: one after the other may use it.
template <int K, class M>
class Room {
 public:
  // The largest magnitude: aperture 3, 5, and 7 after its division; given ones reach them all.
  static constexpr ptrdiff_t bins = K == 0 ? canny_bins
                                           : 2 * (K == 3   ? 1020
                                                  : K == 5 ? 12240
                                                           : 10200) +
                                                 1;
  static constexpr ptrdiff_t bins_copy = round_up(bins);

  // Of `rows` rows; hysteresis takes memory where it `floods`.
  Room(const Job& job, int32_t height, int threads, bool counts, bool floods, Pieces& pieces)
      : strips(height, threads) {
    const int32_t width = job.width();
    Pieces counted(nullptr);
    MagnitudesOf<K, M>(job, counted);
    counted.take<uint64_t>(2 * (width / 64 + 1 + 2 * row_room));  // find_marks' two rows of bits
    counted.take<uint16_t>(round_up(width) + row_room);           // or count_rows' sizes
    strip_bytes_ = counted.used() + 2 * row_room;
    rows_ = pieces.take<uint8_t>(strip_bytes_ * strips.count);
    if (counts) counts_ = pieces.take<uint64_t>(2 * bins_copy * strips.count);
    if (!floods) return;
    bits = pieces.take<BitStrip>(strips.count);
    for (int32_t s = 0; s < strips.count; ++s) {
      const int32_t rows = strips.end(s) - strips.begin(s);
      auto* words = pieces.take<uint64_t>(ptrdiff_t(BitStrip::memory_words(width, rows)));
      if (words) new (&bits[s]) BitStrip(width, rows, words);
    }
  }
  Pieces rows(int32_t strip) const { return Pieces(rows_ + strip_bytes_ * strip); }
  // Two copies of the bins.
  uint64_t* counts(int32_t strip) const { return counts_ + 2 * bins_copy * strip; }

  const Strips strips;
  BitStrip* bits = nullptr;  // of each strip

 private:
  ptrdiff_t strip_bytes_;
  uint8_t* rows_;
  uint64_t* counts_ = nullptr;
};

// The histogram of the magnitudes in the room's rows, from `first` on.
template <int K, class M>
std::span<uint64_t> count(const Job& job, const Room<K, M>& room, int32_t first, int threads) {
  constexpr ptrdiff_t copy = Room<K, M>::bins_copy;
  const Strips& strips = room.strips;
  parallel_tasks(strips.count, threads, [&](int s) {
    std::fill_n(room.counts(s), 2 * copy, uint64_t(0));
    count_rows<K, M>(job, first + strips.begin(s), first + strips.end(s), room.rows(s),
                     room.counts(s), copy);
  });
  uint64_t* counts = room.counts(0);
  for (ptrdiff_t s = 1; s < 2 * strips.count; ++s) {
    for (ptrdiff_t i = 0; i < room.bins; ++i) counts[i] += counts[copy * s + i];
  }
  return {counts, size_t(room.bins)};
}

// One picture; `joins` is called when all that is left are the seams between strips.
template <int K, class M, class Joins>
void find_picture(const CannyArgs& args, const Job& job, const Room<K, M>& room, int threads,
                  Joins&& joins) {
  const Strips& strips = room.strips;
  BitStrip* const bits = room.bits;
  *args.result = args.options.thresholds.is_automatic()
                     ? canny_automatic(args.options, args.src.type, count(job, room, 0, threads))
                     : canny_given(args.options);
  const CannyLimits limits = canny_limits(args, *args.result);
  parallel_tasks(strips.count, threads, [&](int s) {
    const int32_t first = strips.begin(s);
    bits[s].clear();
    find_marks<K, M>(job, limits, first, strips.end(s), room.rows(s),
                     [&](int32_t y, const uint64_t* candidates, const uint64_t* strong) {
                       bits[s].add_row(y - first, candidates, strong);
                     });
    bits[s].close();
  });
  joins();
  BitStrip::join(bits, strips.count);
  const auto dst = args.dst.as<uint8_t>();
  parallel_tasks(strips.count, threads, [&](int s) {
    for (int32_t y = strips.begin(s); y < strips.end(s); ++y)
      unpack_row(bits[s].edges(y - strips.begin(s)), args.src.width, dst.row(y));
  });
}

// What a band wants; hysteresis comes when all bands are there.
template <int K, class M>
void fill_band(const CannyArgs& args, const Job& job, const Room<K, M>& room, int threads) {
  const CannyBand& band = *args.band;
  if (const CannyBandBins* sums = band.bins()) {
    const auto bins = count(job, room, band.first, threads);
    for (size_t i = 0; i < bins.size(); ++i) sums->counts[i] += bins[i];
    return;
  }
  *args.result = canny_given(args.options);
  const CannyLimits limits = canny_limits(args, *args.result);
  const int32_t words = canny_words(job.width());
  const Strips& strips = room.strips;
  parallel_tasks(strips.count, threads, [&](int s) {
    find_marks<K, M>(job, limits, band.first + strips.begin(s), band.first + strips.end(s),
                     room.rows(s),
                     [&](int32_t y, const uint64_t* candidates, const uint64_t* strong) {
                       uint64_t* to = band.marks()->words + ptrdiff_t(y - band.first) * 2 * words;
                       std::copy_n(candidates, words, to);
                       std::copy_n(strong, words, to + words);
                     });
  });
}

// The channels of `picture`: itself, or three pictures in `memory` of plane_bytes() each. Given
// gradients are taken apart row by row.
ptrdiff_t plane_bytes(ConstAnyView picture) {
  return picture.channels == 1 || picture.type != PixelType::u8
             ? 0
             : (round_up(picture.width) + row_room) * picture.height;
}
void separate(ConstAnyView picture, uint8_t* memory, int threads, Job& job) {
  job.channels[0] = picture;
  if (job.count == 1 || job.gy) return;
  const ptrdiff_t stride = round_up(picture.width) + row_room;
  for (int32_t c = 0; c < job.count; ++c)
    job.channels[c] = ConstAnyView(memory + plane_bytes(picture) * c, picture.width, picture.height,
                                   1, stride, PixelType::u8);
  parallel_rows(picture.height, threads, [&](int32_t first, int32_t end) {
    for (int32_t y = first; y < end; ++y) {
      uint8_t* rows[3];
      for (int32_t c = 0; c < 3; ++c) rows[c] = memory + plane_bytes(picture) * c + stride * y;
      take_channels(picture.as<uint8_t>().row(y), picture.width, rows);
    }
  });
}

// Whether each thread takes whole pictures; else all share one picture after the other, in strips.
bool pictures_apart(const CannyArgs& args, int threads) {
  const int64_t pixels = int64_t(args.src.width) * args.src.height;
  return args.count >= threads && threads > 1 && pixels <= (1 << 20);
}

// The batch: `first` is the first picture's Job; `smoothed`, where it has data, takes what windows
// too wide to be fused leave of each picture.
template <int K, class M>
void run_batch(const CannyArgs& args, const Job& first, AnyView smoothed, Call& call) {
  const int threads = call.threads();
  const bool apart = !smoothed && pictures_apart(args, threads);
  const int inner = apart ? 1 : threads, slots = apart ? std::min(threads, args.count) : 1;
  bool counts = args.band && args.band->bins();
  for (int32_t i = 0; i < args.count; ++i) counts |= args.thresholds_of(i).is_automatic();
  const int32_t rows = args.band ? args.band->end - args.band->first : first.height();

  Pieces counted(nullptr);
  Room<K, M>(first, rows, inner, counts, !args.band, counted);
  counted.take<uint8_t>(plane_bytes(args.src) * 3);
  auto* memory = call.scratch().take<uint8_t>(size_t(counted.used() * slots));
  std::atomic<int32_t> next{0};
  const auto announce = [&](std::string_view stage) {
    if (!apart) call.stage(stage);  // threads that each have a picture are in all stages at once
  };
  if (apart) call.stage("gradient and suppression");
  parallel_tasks(slots, slots, [&](int slot) {
    Pieces pieces(memory + counted.used() * slot);
    const Room<K, M> room(first, rows, inner, counts, !args.band, pieces);
    auto* planes = pieces.take<uint8_t>(plane_bytes(args.src) * 3);
    for (int32_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < args.count;) {
      const CannyArgs picture = args.part(i, 1);
      Job job = first;
      job.mask = picture.options.mask;
      job.gy = picture.gy;
      announce("gradient and suppression");
      if (smoothed) {
        gaussian(picture.src, smoothed, {.sigma = *args.options.sigma, .ksize = args.options.ksize},
                 call.nested());
      }
      separate(smoothed ? ConstAnyView(smoothed) : picture.src, planes, inner, job);
      if (args.band)
        fill_band(picture, job, room, inner);
      else
        find_picture(picture, job, room, inner, [&] { announce("hysteresis"); });
    }
  });
}

template <int K>
void run_norm(const CannyArgs& args, const Job& job, AnyView smoothed, Call& call) {
  args.options.norm == Norm::l1 ? run_batch<K, int16_t>(args, job, smoothed, call)
                                : run_batch<K, int32_t>(args, job, smoothed, call);
}

}  // namespace

void canny_simd_target(const CannyArgs& args, Call& call) {
  const CannyOptions& options = args.options;
  Job job{{args.src}, options.mask, args.src.channels, nullptr, 1, args.gy, options.norm};
  AnyView smoothed;
  if (args.gy) return run_batch<0, int32_t>(args, job, smoothed, call);
  if (options.sigma > 0 && options.ksize <= largest_fused_window) {
    int32_t taps[largest_fused_window];
    gaussian_taps_q8(std::span(taps, size_t(options.ksize)), *options.sigma);
    auto* kept = call.scratch().take<uint16_t>(size_t(options.ksize));
    std::copy_n(taps, options.ksize, kept);
    job.taps = kept;
    job.window = options.ksize;
  } else if (options.sigma > 0) {
    smoothed = call.scratch().image<uint8_t>(args.src.width, args.src.height, args.src.channels);
  }
  switch (options.aperture) {
    case 3: return run_norm<3>(args, job, smoothed, call);
    case 5: return run_norm<5>(args, job, smoothed, call);
    default: return run_norm<7>(args, job, smoothed, call);
  }
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(canny_simd_target);
void canny_simd(const CannyArgs& args, Call& call) {
  HWY_DYNAMIC_DISPATCH(canny_simd_target)(args, call);
}

std::string_view canny_simd_supports(const CannyArgs& args, const Parameters&) {
  if (args.src.type == PixelType::u16) return "u16 source";
  if (args.src.type == PixelType::f32) return "f32 source";
  if (args.src.channels == 3 && args.options.color == ColorGradient::structure)
    return "the structure tensor of three channels";
  return {};
}

}  // namespace cuesta
#endif
