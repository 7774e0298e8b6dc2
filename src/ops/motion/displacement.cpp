#include "ops/motion/displacement.hpp"

#include <algorithm>
#include <bit>

#include "core/bits.hpp"
#include "cuesta/objects.hpp"
#include "ops/motion/limits.hpp"
#include "ops/shared/background_access.hpp"

namespace cuesta {

Foreground motion::take_foreground(const MotionArgs& args, int32_t rows, Call& call) {
  if (!asks_displacement(*args.options)) return {};
  const auto take = [&] {
    AnyView taken = call.scratch().bits(args.frame.width, rows);
    taken.space = args.space();  // as the call's scratch memory
    return taken;
  };
  return {take(), take()};
}

void motion::learn(const MotionArgs& args, const ConstBatch& frames,
                   const BackgroundBatchOutputs& out, const Foreground& foreground,
                   const Exec& exec) {
  UnmatchedOutput unmatched;
  if (foreground) {
    AnyView first = foreground.unmatched;
    first.height = frames.first.height;
    unmatched = {Batch(first, frames.count, out.mask.step_bytes), args.options->displacement};
  }
  BackgroundAccess::push(*args.background, frames, out, unmatched, base_level(args), exec);
}

int32_t motion::keep_objects(std::vector<Component>& components, const Counts* counts,
                             uint8_t* dropped) {
  size_t kept = 0;
  for (size_t i = 0; i < components.size(); ++i) {
    dropped[i] = !is_object(counts[i].foreground, counts[i].unmatched);
    if (dropped[i]) continue;
    components[kept] = components[i];
    components[kept].label = int32_t(kept) + 1;
    ++kept;
  }
  const auto gone = int32_t(components.size() - kept);
  components.resize(kept);
  return gone;
}

namespace {

using motion::Counts;

/// The part of a mask that has components, from a whole word on: they are numbered as in the whole.
struct Part {
  int32_t word, top;
  BitView bits;

  Part(BitView mask, const std::vector<Component>& components) {
    int32_t left = mask.width, right = 0, bottom = 0;
    top = mask.height;
    for (const Component& c : components) {
      left = std::min(left, c.box.x), right = std::max(right, c.box.x + c.box.width);
      top = std::min(top, c.box.y), bottom = std::max(bottom, c.box.y + c.box.height);
    }
    word = left / 64;
    bits = {mask.row(top) + word, right - word * 64, bottom - top, mask.stride_words};
  }
  /// each(run, word, w, y): the runs of each word w of row y.
  template <class Each>
  void for_each_run(Each&& each) const {
    const int32_t words = bits.words();
    for (int32_t y = 0; y < bits.height; ++y) {
      for (int32_t w = 0; w < words; ++w) {
        const uint64_t inside = w + 1 < words ? ~uint64_t(0) : last_word_mask(bits.width);
        motion::for_each_run(bits.row(y)[w] & inside, [&](uint64_t run) { each(run, w, y); });
      }
    }
  }
};

}  // namespace

void label_objects(const MotionArgs& args, BitView mask, const Foreground& foreground, Call& call) {
  std::vector<Component>& components = *args.components;
  const LabelOptions options{args.options->connectivity};
  Scratch scratch(call.nested(), Space::host);
  const auto all_labels = scratch.image<int32_t>(mask.width, mask.height);
  size_t room = motion::room_of(components);
  auto* counts = scratch.take<Counts>(room);
  auto* dropped = scratch.take<uint8_t>(room);
  label(mask, {}, &components, options, call.nested());
  if (components.empty()) return;
  if (components.size() > room) {
    room = components.size();
    counts = scratch.take<Counts>(room), dropped = scratch.take<uint8_t>(room);
  }
  std::fill_n(counts, components.size(), Counts{});

  const Part part(mask, components);
  const auto labels = all_labels.region({0, 0, part.bits.width, part.bits.height});
  label(part.bits, labels, nullptr, options, call.nested());
  const auto index_of = [&](uint64_t run, int32_t w, int32_t y) {
    return size_t(labels.at(w * 64 + std::countr_zero(run), y)) - 1;
  };
  const BitView all = bits_of(foreground.all), unmatched = bits_of(foreground.unmatched);
  part.for_each_run([&](uint64_t run, int32_t w, int32_t y) {
    run &= all.row(part.top + y)[part.word + w];
    if (!run) return;
    Counts& of = counts[index_of(run, w, y)];
    of.foreground += uint32_t(std::popcount(run));
    of.unmatched += uint32_t(std::popcount(run & unmatched.row(part.top + y)[part.word + w]));
  });
  if (motion::keep_objects(components, counts, dropped) == 0) return;
  part.for_each_run([&](uint64_t run, int32_t w, int32_t y) {
    if (dropped[index_of(run, w, y)]) part.bits.row(y)[w] &= ~run;
  });
}

}  // namespace cuesta
