// Components that are only displaced background: leaves, water, the edges of a camera that shakes.
// A pixel of the foreground is also held against the samples of its neighbours; a component goes
// where too few of its pixels stay unmatched (component displacement: Elgammal, Harwood & Davis
// 2000).
#pragma once

#include <algorithm>
#include <vector>

#include "ops/motion/args.hpp"

namespace cuesta {

/// The foreground before it is closed and opened, bits in the frame's space. Without data where
/// displacement is not asked about.
struct Foreground {
  AnyView all{};
  AnyView unmatched{};  ///< BackgroundArgs::unmatched
  explicit operator bool() const { return bool(all); }
};

namespace motion {

inline bool asks_displacement(const MotionOptions& options) {
  return options.background.model == BackgroundModel::samples && options.displacement > 0;
}
/// Scratch memory for the foreground of args.frame, or of `rows` rows; none where it is not asked.
Foreground take_foreground(const MotionArgs& args, int32_t rows, Call& call);

/// The background learns frames of smoothed gray, with the foreground's `unmatched` where it is
/// asked; `out.mask` is its `all` then, and the mask of each is as far from the next in both.
void learn(const MotionArgs& args, const ConstBatch& frames, const BackgroundBatchOutputs& out,
           const Foreground& foreground, const Exec& exec);

/// Whether a component with these numbers of foreground and unmatched pixels is an object.
constexpr bool is_object(int64_t foreground, int64_t unmatched) {
  return 100 * unmatched >= 35 * foreground;
}

/// run(bits) for each run of set bits of a word, from the lowest.
template <class Run>
CUESTA_HOST_DEVICE inline void for_each_run(uint64_t word, Run&& run) {
  while (word) {
    const uint64_t rest = word & (word + (word & (~word + 1)));  // without its lowest run
    run(word ^ rest);
    word = rest;
  }
}

/// Foreground and unmatched pixels of a component.
struct Counts {
  uint32_t foreground, unmatched;
};
/// A frame's components that the list has room for: memory for as many is taken in every frame, so
/// that it does not depend on what is found.
inline size_t room_of(const std::vector<Component>& components) {
  return std::max(components.capacity(), size_t(1));
}
/// Keeps the components that are objects, and numbers them. dropped[i]: whether the one of label
/// i + 1 has gone. Returns the number of those.
int32_t keep_objects(std::vector<Component>& components, const Counts* counts, uint8_t* dropped);

}  // namespace motion

/// label() of a mask of bits into the first frame's list, without what is only displaced, which
/// leaves the mask, too. On the host.
void label_objects(const MotionArgs& args, BitView mask, const Foreground& foreground, Call& call);
namespace motion_cuda {
/// The same on the GPU.
void label_objects(const MotionArgs& args, AnyView mask, const Foreground& foreground, Call& call);
}  // namespace motion_cuda

}  // namespace cuesta
