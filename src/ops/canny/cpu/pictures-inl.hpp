// Pictures and batches through rows of magnitudes (a Front: magnitude_rows-inl.hpp or
// wide_rows-inl.hpp), suppression, and hysteresis on words (cpu/bit_hysteresis.hpp), in strips over
// threads; compiled once for every instruction set.
#if defined(CUESTA_CANNY_PICTURES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CANNY_PICTURES_INL_HPP
#undef CUESTA_CANNY_PICTURES_INL_HPP
#else
#define CUESTA_CANNY_PICTURES_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <new>

#include "cpu/bit_hysteresis.hpp"
#include "cpu/bits-inl.hpp"
#include "cuesta/filter.hpp"
#include "ops/canny/cpu/magnitude_rows-inl.hpp"
#include "ops/canny/reference.hpp"

// Whether the instruction set multiplies and adds in one rounding, as wide rows and tensors want.
#undef CUESTA_CANNY_FUSES
#define CUESTA_CANNY_FUSES (HWY_NATIVE_FMA && HWY_TARGET != HWY_SCALAR)

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// Limits as magnitudes M: what M cannot hold exceeds every magnitude.
template <class M>
BasicCannyLimits<M> limits_of(const CannyArgs& args, const CannyResult& thresholds) {
  if (canny_has_floats(args)) {
    const auto limits = canny_limits_in<double>(args, thresholds);
    return {M(limits.low), M(limits.high)};
  }
  const auto limit = [](int64_t t) {
    if constexpr (std::is_same_v<M, double>) return double(t);
    const int64_t most =
        std::is_same_v<M, float> ? 1 << 24 : int64_t(std::numeric_limits<M>::max());
    return M(std::min(t, most));
  };
  const CannyLimits limits = canny_limits(args, thresholds);
  return {limit(limits.low), limit(limits.high)};
}

// Candidates and strong pixels of rows [first, end): take(y, candidates, strong) has them.
template <class Front, class Take>
void find_marks(const Job& job, const BasicCannyLimits<typename Front::Magnitude>& limits,
                int32_t first, int32_t end, Pieces pieces, Take&& take) {
  Front magnitudes(job, pieces);
  const int32_t words = canny_words(job.width());
  auto* candidates = pieces.take<uint64_t>(words + row_room);
  auto* strong = pieces.take<uint64_t>(words + row_room);
  const uint64_t last_word = ~uint64_t{0} >> ((64 - job.width() % 64) % 64);
  magnitudes.make(first - 1);
  magnitudes.make(first);
  for (int32_t y = first; y < end; ++y) {
    magnitudes.make(y + 1);
    candidates[words - 1] = strong[words - 1] = 0;  // vectors may leave the last bytes alone
    magnitudes.suppress(y, limits, reinterpret_cast<uint8_t*>(candidates),
                        reinterpret_cast<uint8_t*>(strong));
    candidates[words - 1] &= last_word;
    strong[words - 1] &= last_word;
    take(y, candidates, strong);
  }
}

// Adds the magnitudes of rows [first, end) inside the mask to `bins`.
template <class Front>
void count_rows(const Job& job, int32_t first, int32_t end, Pieces pieces, uint64_t* bins,
                ptrdiff_t copy) {
  Front magnitudes(job, pieces);
  auto* sizes = pieces.take<uint16_t>(round_up(job.width()) + row_room);
  for (int32_t y = first; y < end; ++y) {
    magnitudes.make(y);
    magnitudes.count(y, sizes, bins, copy);
    if (magnitudes.mask())  // what is outside was counted as 0
      bins[0] -= uint64_t(std::count(magnitudes.mask(), magnitudes.mask() + job.width(), 0));
  }
}

// The memory that a picture needs: one after the other may use it.
template <class Front>
class Room {
 public:
  static constexpr ptrdiff_t bins = Front::bins;
  static constexpr ptrdiff_t bins_copy = round_up(bins + 1);
  // Many bins take longer to clear and to add than a picture's rows to count: one copy a thread.
  static constexpr bool many_bins = bins > 4096;
  static constexpr ptrdiff_t copies = many_bins ? 1 : 2;

  // Of `rows` rows; hysteresis takes memory where it `floods`.
  Room(const Job& job, int32_t height, int threads, bool counts, bool floods, Pieces& pieces)
      : strips(height, threads), counted_strips(height, threads, 16, many_bins ? 1 : 4) {
    const int32_t width = job.width();
    Pieces counted(nullptr);
    Front(job, counted);
    counted.take<uint64_t>(2 * (width / 64 + 1 + 2 * row_room));  // find_marks' two rows of bits
    counted.take<uint16_t>(round_up(width) + row_room);           // or count_rows' sizes
    strip_bytes_ = counted.used() + 2 * row_room;
    rows_ = pieces.take<uint8_t>(strip_bytes_ * strips.count);
    if (counts) counts_ = pieces.take<uint64_t>(copies * bins_copy * counted_strips.count);
    if (!floods) return;
    bits = pieces.take<BitStrip>(strips.count);
    for (int32_t s = 0; s < strips.count; ++s) {
      const int32_t rows = strips.end(s) - strips.begin(s);
      auto* words = pieces.take<uint64_t>(ptrdiff_t(BitStrip::memory_words(width, rows)));
      if (words) new (&bits[s]) BitStrip(width, rows, words);
    }
  }
  Pieces rows(int32_t strip) const { return Pieces(rows_ + strip_bytes_ * strip); }
  // The copies of the bins of one of the counted strips.
  uint64_t* counts(int32_t strip) const { return counts_ + copies * bins_copy * strip; }

  const Strips strips, counted_strips;  // the latter are no more
  BitStrip* bits = nullptr;             // of each strip

 private:
  ptrdiff_t strip_bytes_;
  uint8_t* rows_;
  uint64_t* counts_ = nullptr;
};

// The histogram of the magnitudes in the room's rows, from `first` on.
template <class Front>
std::span<uint64_t> count(const Job& job, const Room<Front>& room, int32_t first, int threads) {
  constexpr ptrdiff_t copy = Room<Front>::bins_copy, copies = Room<Front>::copies;
  const Strips& strips = room.counted_strips;
  parallel_tasks(strips.count, threads, [&](int s) {
    std::fill_n(room.counts(s), copies * copy, uint64_t(0));
    count_rows<Front>(job, first + strips.begin(s), first + strips.end(s), room.rows(s),
                      room.counts(s), copies > 1 ? copy : 0);
  });
  uint64_t* counts = room.counts(0);
  for (ptrdiff_t s = 1; s < copies * strips.count; ++s) {
    for (ptrdiff_t i = 0; i < room.bins; ++i) counts[i] += counts[copy * s + i];
  }
  return {counts, size_t(room.bins)};
}

// One picture; `joins` is called when all that is left are the seams between strips.
template <class Front, class Joins>
void find_picture(const CannyArgs& args, const Job& job, const Room<Front>& room, int threads,
                  Joins&& joins) {
  const Strips& strips = room.strips;
  BitStrip* const bits = room.bits;
  *args.result = args.options.thresholds.is_automatic()
                     ? canny_automatic(args.options, args.src.type, count(job, room, 0, threads))
                     : canny_given(args.options);
  const auto limits = limits_of<typename Front::Magnitude>(args, *args.result);
  parallel_tasks(strips.count, threads, [&](int s) {
    const int32_t first = strips.begin(s);
    bits[s].clear();
    find_marks<Front>(job, limits, first, strips.end(s), room.rows(s),
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
template <class Front>
void fill_band(const CannyArgs& args, const Job& job, const Room<Front>& room, int threads) {
  const CannyBand& band = *args.band;
  if (const CannyBandBins* sums = band.bins()) {
    const auto bins = count(job, room, band.first, threads);
    for (size_t i = 0; i < bins.size(); ++i) sums->counts[i] += bins[i];
    return;
  }
  *args.result = canny_given(args.options);
  const auto limits = limits_of<typename Front::Magnitude>(args, *args.result);
  const int32_t words = canny_words(job.width());
  const Strips& strips = room.strips;
  parallel_tasks(strips.count, threads, [&](int s) {
    find_marks<Front>(job, limits, band.first + strips.begin(s), band.first + strips.end(s),
                      room.rows(s),
                      [&](int32_t y, const uint64_t* candidates, const uint64_t* strong) {
                        uint64_t* to = band.marks()->words + ptrdiff_t(y - band.first) * 2 * words;
                        std::copy_n(candidates, words, to);
                        std::copy_n(strong, words, to + words);
                      });
  });
}

// The channels of `picture`: itself, or of u8 three pictures in `memory` of plane_bytes() each.
// Other types are taken apart row by row.
inline ptrdiff_t plane_bytes(ConstAnyView picture) {
  return picture.channels == 1 || picture.type != PixelType::u8
             ? 0
             : (round_up(picture.width) + row_room) * picture.height;
}
inline void separate(ConstAnyView picture, uint8_t* memory, int threads, Job& job) {
  job.channels[0] = picture;
  if (plane_bytes(picture) == 0) return;
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

inline Job canny_job(const CannyArgs& args) {
  const CannyOptions& options = args.options;
  return {
      {args.src}, options.mask, args.src.channels, nullptr,          1,
      args.gy,    options.norm, options.color,     options.aperture, canny_thins_by_length(args)};
}

// Whether each thread takes whole pictures; else all share one picture after the other, in strips.
inline bool pictures_apart(const CannyArgs& args, int threads) {
  const int64_t pixels = int64_t(args.src.width) * args.src.height;
  return args.count >= threads && threads > 1 && pixels <= (1 << 20);
}

// The batch: `first` is the first picture's Job; `smoothed`, where it has data, takes what windows
// too wide to be fused leave of each picture.
template <class Front>
void run_batch(const CannyArgs& args, const Job& first, AnyView smoothed, Call& call) {
  const int threads = call.threads();
  const bool apart = !smoothed && pictures_apart(args, threads);
  const int inner = apart ? 1 : threads, slots = apart ? std::min(threads, args.count) : 1;
  bool counts = args.band && args.band->bins();
  for (int32_t i = 0; i < args.count; ++i) counts |= args.thresholds_of(i).is_automatic();
  const int32_t rows = args.band ? args.band->end - args.band->first : first.height();

  Pieces counted(nullptr);
  Room<Front>(first, rows, inner, counts, !args.band, counted);
  counted.take<uint8_t>(plane_bytes(args.src) * 3);
  auto* memory = call.scratch().take<uint8_t>(size_t(counted.used() * slots));
  std::atomic<int32_t> next{0};
  const auto announce = [&](std::string_view stage) {
    if (!apart) call.stage(stage);  // threads that each have a picture are in all stages at once
  };
  if (apart) call.stage("gradient and suppression");
  parallel_tasks(slots, slots, [&](int slot) {
    Pieces pieces(memory + counted.used() * slot);
    const Room<Front> room(first, rows, inner, counts, !args.band, pieces);
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

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
