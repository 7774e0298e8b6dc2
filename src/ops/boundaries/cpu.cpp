// Strategy `simd`: the levels of the pyramid as planes of 16 bits, each made of whole rows in
// vector lanes; strength, limits and suppression of full size fused in rolling rows. What
// suppression leaves is two bits a pixel; hysteresis works on words of them
// (cpu/bit_hysteresis.hpp).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/boundaries/cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <new>

#include "cpu/bit_hysteresis.hpp"
#include "ops/boundaries/cpu/rows-inl.hpp"
#include "ops/boundaries/cpu/scores.hpp"
#include "ops/boundaries/strengths.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

class Finder {
 public:
  Finder(const BoundariesArgs& args, Call& call)
      : args_(args),
        call_(call),
        scratch_(call.scratch()),
        threads_(call.threads()),
        channels_(args.src.channels),
        width_(args.src.width),
        height_(args.src.height),
        scores_(args.options.quality == BoundaryQuality::high) {}

  void run() {
    call_.stage("pyramid");
    Plane first[3], second[3], third[3], sums[3];
    take_source(first);
    for (int32_t c = 0; c < channels_; ++c) {
      second[c] = level_above(first[c]);
      third[c] = level_above(second[c]);
      sums[c] = sum_of(first[c], sum_of(second[c], doubled(third[c])));
    }
    call_.stage("surround");
    const Plane active(first[0].width, first[0].height, scratch_);
    for_rows(active, 0, [&](int32_t y, uint8_t*) { activity_row(first, channels_, y, active); });
    const Plane active2 = level_above(level_above(active));
    const Plane around = smoothed(smoothed(level_above(active2)));
    const Plane limits = limits_of(around);
    call_.stage("strength");
    const int32_t wide = first[0].width, high = first[0].height;
    const Plane strengths(wide, high, scratch_), octants(2 * wide, high, scratch_);
    for_rows(strengths, 0,
             [&](int32_t y, uint8_t*) { strength_row(sums, channels_, y, strengths, octants); });
    if (scores_) {
      call_.stage("score");
      maps_.strengths = view(strengths);
      maps_.activity = view(active2);
      maps_.surround = view(around);
      maps_.texture = view(smoothed(active2));
      fill_pyramid(first, second, third);
      fill_detail(first[0], second[0]);
      fill_tensors(sums);
      boundary::fill_totals(view(active), maps_);
    }
    call_.stage("suppression and hysteresis");
    find_edges(strengths, octants, limits);
  }

 private:
  // body(y, memory of `bytes` that no other row uses meanwhile), rows over threads.
  template <class Body>
  void for_rows(const Plane& of, ptrdiff_t bytes, const Body& body) {
    const Strips strips(of.height, threads_);
    auto* memory = scratch_.take<uint8_t>(size_t(round_up(bytes) * strips.count));
    parallel_tasks(strips.count, threads_, [&](int s) {
      for (int32_t y = strips.begin(s); y < strips.end(s); ++y)
        body(y, memory + round_up(bytes) * s);
    });
  }
  static int16_t* sums_in(uint8_t* memory) { return reinterpret_cast<int16_t*>(memory) + room; }

  void take_source(Plane* planes) {
    const int32_t wide = boundary::half(width_), high = boundary::half(height_);
    for (int32_t c = 0; c < channels_; ++c) planes[c] = Plane(wide, high, scratch_);
    const Strips strips(high, threads_);
    const ptrdiff_t of_sums = round_up(2 * padded(width_ + 2));
    const ptrdiff_t bytes = of_sums + round_up(Responses::samples(width_));
    auto* memory = scratch_.take<uint8_t>(size_t(bytes * strips.count));
    parallel_tasks(strips.count, threads_, [&](int s) {
      int16_t* sums = sums_in(memory + bytes * s);
      Responses responses(args_.src, memory + bytes * s + of_sums);
      for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
        responses.make(y);
        for (int32_t c = 0; c < channels_; ++c)
          reduce_responses(responses, c, y, wide, sums, planes[c].row(y));
        if (channels_ == 3) {
          make_opponents(planes[0].row(y), planes[1].row(y), planes[2].row(y), wide);
        } else {
          int16_t* gray = planes[0].row(y);
          for (int32_t x = 0; x < wide; ++x) gray[x] = int16_t(3 * gray[x]);
        }
        for (int32_t c = 0; c < channels_; ++c) planes[c].close_row(y);
      }
    });
  }

  Plane level_above(const Plane& from) {
    const Plane to(boundary::half(from.width), boundary::half(from.height), scratch_);
    for_rows(to, 2 * padded(from.width + 2),
             [&](int32_t y, uint8_t* memory) { reduce_row(from, y, sums_in(memory), to); });
    return to;
  }
  Plane doubled(const Plane& from) {
    const Plane to(from.width, from.height, scratch_);
    for_rows(to, 0, [&](int32_t y, uint8_t*) {
      const int16_t* row = from.row(y);
      int16_t* out = to.row(y);
      for (int32_t x = -1; x < from.width + 4; ++x) out[x] = int16_t(2 * row[x]);
    });
    return to;
  }
  Plane sum_of(const Plane& fine, const Plane& coarse) {
    const Plane to(fine.width, fine.height, scratch_);
    for_rows(to, 2 * padded(coarse.width), [&](int32_t y, uint8_t* memory) {
      int16_t* columns = sums_in(memory);
      expand_columns(coarse, y, coarse.width, columns);
      expand_across<true>(columns, coarse.width, fine.row(y), to.row(y));
      to.close_row(y);
    });
    return to;
  }

  Plane limits_of(const Plane& around) {
    const int64_t threshold = boundary::fixed_threshold(
        scores_ || args_.makes_strengths() ? boundary::scored : args_.options);
    const Plane limits(around.width, around.height, scratch_);
    for (int32_t y = 0; y < around.height; ++y) {
      const int16_t* row = around.row(y);
      int16_t* out = limits.row(y);
      for (int32_t x = 0; x < around.width; ++x)
        out[x] = int16_t(boundary::limit(threshold, row[x]));
      limits.close_row(y);
    }
    return limits;
  }
  Plane smoothed(const Plane& from) {
    const Plane to(from.width, from.height, scratch_);
    for_rows(to, 0, [&](int32_t y, uint8_t*) {
      const int16_t *a = from.row(y - 1), *b = from.row(y), *c = from.row(y + 1);
      const auto column = [&](int32_t x) { return a[x] + 2 * b[x] + c[x]; };
      int16_t* row = to.row(y);
      for (int32_t x = 0; x < to.width; ++x)
        row[x] = int16_t((column(x - 1) + 2 * column(x) + column(x + 1) + 8) >> 4);
      to.close_row(y);
    });
    return to;
  }

  // ---- what scores are read from

  static boundary::Shorts view(const Plane& plane) {
    return {plane.row(0), plane.width, plane.height, 1, plane.stride * 2};
  }
  void fill_pyramid(const Plane* first, const Plane* second, const Plane* third) {
    maps_.brightness[0] = view(second[0]);
    maps_.brightness[1] = view(third[0]);
    maps_.has_colors = channels_ == 3;
    if (!maps_.has_colors) return;
    maps_.red_green = view(first[1]);
    maps_.red_green_far = view(level_above(third[1]));
    maps_.yellow_blue_far = view(third[2]);
  }
  void fill_detail(const Plane& first, const Plane& second) {
    const Plane detail(first.width, first.height, scratch_);
    for_rows(detail, 2 * padded(second.width), [&](int32_t y, uint8_t* memory) {
      int16_t* columns = sums_in(memory);
      expand_columns(second, y, second.width, columns);
      detail_row(columns, first.width, first.row(y), detail.row(y));
      detail.close_row(y);
    });
    maps_.detail = view(smoothed(level_above(detail)));
    const Plane grain(first.width, first.height, scratch_);
    for_rows(grain, 0, [&](int32_t y, uint8_t*) { grain_row(first, y, grain); });
    maps_.grain = view(smoothed(level_above(grain)));
  }
  void fill_tensors(const Plane* sums) {
    ImageView<int32_t> j[3];
    for (int32_t i = 0; i < 3; ++i) {
      j[i] = scratch_.image<int32_t>(int32_t(padded(sums[0].width)), sums[0].height);
      j[i].width = sums[0].width;
      maps_.tensor[i] = j[i];
    }
    for_rows(sums[0], 0, [&](int32_t y, uint8_t*) {
      tensor_row(sums, channels_, y, j[0].row(y), j[1].row(y), j[2].row(y));
    });
    for (int32_t i = 0; i < 3; ++i) {
      boundary::Words from = maps_.tensor[i];
      for (int32_t level = 0; level < 3; ++level)
        from = maps_.spread[level][i] =
            boundary::level_above(from, level == 0 ? 6 : 0, scratch_, threads_);
    }
  }

  void find_edges(const Plane& half, const Plane& octants, const Plane& limits) {
    const Strips strips(height_, threads_);
    const ptrdiff_t stride = padded(width_ + 1);
    const ptrdiff_t words = width_ / 64 + 1 + room;
    // Three rows of strengths, one of columns, one of limits, their columns, two of bits, one of
    // scores.
    const ptrdiff_t of_scores = scores_ ? 4 * padded(half.width) : 0;
    const ptrdiff_t bytes =
        round_up(2 * 5 * stride + 4 * padded(limits.width) + 16 * words + of_scores);
    auto* memory = scratch_.take<uint8_t>(size_t(bytes * strips.count));
    if (args_.makes_strengths()) {
      const auto dst = args_.dst.as<uint16_t>();
      parallel_tasks(strips.count, threads_, [&](int s) {
        find_strip(half, octants, limits, strips.begin(s), strips.end(s), memory + bytes * s,
                   [&](int32_t y, const Found& found) { write_strengths(found, y, dst.row(y)); });
      });
      return;
    }
    auto* bits = scratch_.take<BitStrip>(size_t(strips.count));
    for (int32_t s = 0; s < strips.count; ++s) {
      const int32_t rows = strips.end(s) - strips.begin(s);
      auto* room_of = scratch_.take<uint64_t>(BitStrip::memory_words(width_, rows));
      new (&bits[s]) BitStrip(width_, rows, room_of);
    }
    parallel_tasks(strips.count, threads_, [&](int s) {
      bits[s].clear();
      find_strip(half, octants, limits, strips.begin(s), strips.end(s), memory + bytes * s,
                 [&](int32_t y, const Found& found) {
                   if (scores_) found.scores.settle(y, found.candidates, found.strong, found.words);
                   bits[s].add_row(y - strips.begin(s), found.candidates, found.strong);
                 });
      bits[s].close();
    });
    BitStrip::join(bits, strips.count);
    const auto dst = args_.dst.as<uint8_t>();
    parallel_tasks(strips.count, threads_, [&](int s) {
      for (int32_t y = strips.begin(s); y < strips.end(s); ++y)
        unpack_row(bits[s].edges(y - strips.begin(s)), width_, dst.row(y));
    });
  }

  // Maxima of a row as bits: above half their limit, and above it.
  struct Found {
    const int16_t *strengths, *limits;
    uint64_t *candidates, *strong;
    int32_t words;
    boundary::StripScores& scores;
  };

  void write_strengths(const Found& found, int32_t y, uint16_t* row) const {
    std::fill_n(row, width_, uint16_t{0});
    for (int32_t w = 0; w < found.words; ++w) {
      for (uint64_t rest = found.strong[w]; rest != 0; rest &= rest - 1) {
        const int32_t x = 64 * w + std::countr_zero(rest);
        row[x] = scores_ ? boundary::strength_of(found.scores.score_at(x, y))
                         : boundary::strength_of_ratio(found.strengths[x], found.limits[x]);
      }
    }
  }

  // Calls take(y, Found) for each row.
  template <class Take>
  void find_strip(const Plane& half, const Plane& octants, const Plane& limits, int32_t begin,
                  int32_t end, uint8_t* memory, const Take& take) const {
    const ptrdiff_t stride = padded(width_ + 1);
    int16_t* strengths = reinterpret_cast<int16_t*>(memory) + room;
    int16_t *columns = strengths + 3 * stride, *limit = columns + stride;
    auto* of_limits = reinterpret_cast<int32_t*>(memory + 2 * 5 * stride);
    auto* candidates = reinterpret_cast<uint64_t*>(of_limits + padded(limits.width));
    auto* strong = candidates + width_ / 64 + 1 + room;
    const auto row = [&](int32_t y) { return strengths + stride * ((y + 3) % 3); };
    const auto make = [&](int32_t y) {
      int16_t* to = row(y);
      if (y < 0 || y >= height_) {
        std::fill_n(to - 1, width_ + 2, int16_t(0));
        return;
      }
      expand_columns(half, y, half.width, columns);
      expand_across<false>(columns, half.width, nullptr, to);
      to[-1] = to[width_] = 0;
    };
    boundary::StripScores scores(maps_, boundary::score_limits(args_.options),
                                 reinterpret_cast<int32_t*>(strong + width_ / 64 + 1 + room));
    const int32_t words = (width_ + 63) / 64;
    const uint64_t last_word = ~uint64_t{0} >> ((64 - width_ % 64) % 64);
    make(begin - 1);
    make(begin);
    for (int32_t y = begin; y < end; ++y) {
      make(y + 1);
      limit_row(limits, y, width_, of_limits + room, limit);
      candidates[words - 1] = strong[words - 1] = 0;  // vectors may leave the last bytes alone
      suppress(row(y - 1), row(y), row(y + 1), octants.row(y / 2), limit, width_,
               reinterpret_cast<uint8_t*>(candidates), reinterpret_cast<uint8_t*>(strong));
      candidates[words - 1] &= last_word;
      strong[words - 1] &= last_word;
      take(y, {row(y), limit, candidates, strong, words, scores});
    }
  }

  const BoundariesArgs& args_;
  Call& call_;
  Scratch& scratch_;
  int threads_;
  int32_t channels_, width_, height_;
  bool scores_;
  boundary::HostMaps maps_;
};

}  // namespace

void boundaries_simd_target(const BoundariesArgs& args, Call& call) { Finder(args, call).run(); }

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cuesta {

HWY_EXPORT(boundaries_simd_target);
void boundaries_simd(const BoundariesArgs& args, Call& call) {
  HWY_DYNAMIC_DISPATCH(boundaries_simd_target)(args, call);
}

}  // namespace cuesta
#endif
