// Strategy `rows`: the reference's stages, rows over threads. The threaded hysteresis of paper 001
// races; here every strip of rows unites its own candidates, the seams are united on one thread,
// and then every candidate asks its set. Candidates of a set share their fate, so the order of the
// unions does not matter.
#include <algorithm>

#include "cpu/union_find.hpp"
#include "ops/canny/reference.hpp"

namespace cuesta {
namespace {

// Sets of candidates, named by their smallest pixel number; `marks` of that pixel says whether one
// of the set is strong.
class Sets {
 public:
  Sets(ImageView<uint8_t> marks, int64_t* parents)
      : marks_(marks), width_(marks.width - 2), parents_(parents) {}

  int64_t number(int32_t x, int32_t y) const { return int64_t(y) * width_ + x; }
  bool has(int32_t x, int32_t y) const { return marks_.at(x + 1, y + 1) != CannyStages::none; }
  bool is_strong(int64_t i) const { return mark(i) == CannyStages::strong; }
  void make(int64_t i) { parents_[i] = i; }

  /// Reads only: any number of threads may look at once.
  int64_t find(int64_t i) const { return cpu::find(parents_, i); }
  void unite(int64_t a, int64_t b) {
    const int64_t lost = cpu::unite(parents_, a, b);
    if (lost < 0) return;
    uint8_t& of_root = mark(parents_[lost]);
    of_root = std::max(of_root, mark(lost));
  }
  /// Every pixel of rows [first, end) points at its root, once no more unions come.
  void flatten(int32_t first, int32_t end) {
    for (int32_t y = first; y < end; ++y) {
      for (int32_t x = 0; x < width_; ++x) {
        // Parents have smaller numbers: they are flat already.
        if (has(x, y)) parents_[number(x, y)] = parents_[parents_[number(x, y)]];
      }
    }
  }

 private:
  uint8_t& mark(int64_t i) const {
    return marks_.at(int32_t(i % width_) + 1, int32_t(i / width_) + 1);
  }
  ImageView<uint8_t> marks_;
  int32_t width_;
  int64_t* parents_;
};

// Unites pixel (x, y) with its candidates in the row above.
void unite_above(Sets& sets, int32_t x, int32_t y) {
  for (int32_t dx = -1; dx <= 1; ++dx) {
    // The ring of the marks holds no candidates.
    if (sets.has(x + dx, y - 1)) sets.unite(sets.number(x, y), sets.number(x + dx, y - 1));
  }
}

void unite_rows(Sets& sets, int32_t width, int32_t first, int32_t end) {
  for (int32_t y = first; y < end; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      if (!sets.has(x, y)) continue;
      sets.make(sets.number(x, y));
      if (sets.has(x - 1, y)) sets.unite(sets.number(x, y), sets.number(x - 1, y));
      if (y > first) unite_above(sets, x, y);
    }
  }
  sets.flatten(first, end);
}

template <class G>
CannyResult automatic(const CannyArgs& args, const CannyStagesOf<G>& stages, Call& call) {
  const Strips strips(args.src.height, call.threads(), 16, 1);
  const size_t count = size_t(strips.count) * canny_bins;
  const std::span<uint64_t> bins(call.scratch().take<uint64_t>(count), count);
  parallel_tasks(strips.count, call.threads(), [&](int s) {
    const auto mine = bins.subspan(size_t(s) * canny_bins, canny_bins);
    std::fill(mine.begin(), mine.end(), 0);
    canny_histogram_rows(args, stages, strips.begin(s), strips.end(s), mine);
  });
  for (size_t i = canny_bins; i < count; ++i) bins[i % canny_bins] += bins[i];
  return canny_automatic(args.options, args.src.type, bins.first(canny_bins));
}

// Smoothing and gradient by the strategy `name`.
template <class G>
void run(const CannyArgs& args, Call& call, std::string_view name) {
  const int32_t width = args.src.width, height = args.src.height;
  const int threads = call.threads();
  CannyStagesOf<G> stages = canny_stages<G>(args, call.scratch());
  canny_gradients(args, stages, call, name, threads);
  call.stage("magnitude");
  parallel_rows(height, threads, [&](int32_t first, int32_t end) {
    canny_magnitude_rows(args, stages, first, end);
  });
  call.stage("suppression");
  parallel_rows(height, threads,
                [&](int32_t first, int32_t end) { canny_suppress_rows(stages, first, end); });
  if (args.band) return canny_fill_band(args, stages);
  if (args.makes_strengths()) {
    return parallel_rows(height, threads, [&](int32_t first, int32_t end) {
      canny_strength_rows(args, stages, first, end);
    });
  }
  call.stage("threshold");
  *args.result = args.options.thresholds.is_automatic() ? automatic(args, stages, call)
                                                        : canny_given(args.options);
  const auto limits = canny_limits_in<typename CannyStagesOf<G>::Magnitude>(args, *args.result);
  parallel_rows(height, threads, [&](int32_t first, int32_t end) {
    canny_threshold_rows(stages, limits, first, end);
  });

  call.stage("hysteresis");
  Sets sets(stages.marks, call.scratch().take<int64_t>(size_t(width) * size_t(height)));
  const Strips strips(height, threads);
  parallel_tasks(strips.count, threads,
                 [&](int s) { unite_rows(sets, width, strips.begin(s), strips.end(s)); });
  for (int32_t s = 1; s < strips.count; ++s) {
    for (int32_t x = 0; x < width; ++x) {
      if (sets.has(x, strips.begin(s))) unite_above(sets, x, strips.begin(s));
    }
  }

  const auto dst = args.dst.as<uint8_t>();
  parallel_tasks(strips.count, threads, [&](int s) {
    for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
      for (int32_t x = 0; x < width; ++x) {
        const bool edge = sets.has(x, y) && sets.is_strong(sets.find(sets.number(x, y)));
        dst.at(x, y) = edge ? 255 : 0;
      }
    }
  });
}

}  // namespace

void canny_rows(const CannyArgs& args, Call& call) {
  canny_has_floats(args) ? run<float>(args, call, "rows") : run<int32_t>(args, call, "rows");
}
void canny_simd_strengths(const CannyArgs& args, Call& call) {
  canny_has_floats(args) ? run<float>(args, call, "simd") : run<int32_t>(args, call, "simd");
}

}  // namespace cuesta
