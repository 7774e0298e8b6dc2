// Checks of batches, with one wording; and batches for operations that take one picture.
#pragma once

#include <initializer_list>
#include <string_view>

#include "cuesta/batch.hpp"

namespace cuesta {

/// A batch that can be walked: at least one picture of data, positive size and some type, a step
/// that keeps samples aligned. `what` is "canny: src".
void check_batch(const ConstBatch& batch, std::string_view what);
/// Throws where two pictures of a batch share memory.
void check_disjoint(const ConstBatch& batch, std::string_view what);
/// As many pictures.
void check_same_count(const ConstBatch& a, const ConstBatch& b, std::string_view what_a,
                      std::string_view what_b);
/// Throws where a picture of `a` shares memory with a picture of `b`.
void check_no_overlap(const ConstBatch& a, const ConstBatch& b, std::string_view what_a,
                      std::string_view what_b);

struct NamedBatch {
  ConstBatch batch;
  std::string_view what;
};
/// All of the above for the sources and the results of one call: as many pictures everywhere,
/// results apart from each other and from the sources; a result may be a source itself where
/// `in_place`. Returns how many pictures there are.
int32_t check_batches(std::initializer_list<NamedBatch> sources,
                      std::initializer_list<NamedBatch> results, bool in_place = false);

/// Picture after picture of a batch: `run` gets each one's source and result, and checks them as it
/// does single ones.
template <class Run>
void each_picture(const ConstBatch& src, const Batch& dst, std::string_view what_src,
                  std::string_view what_dst, Run&& run) {
  const int32_t count = check_batches({{src, what_src}}, {{dst, what_dst}});
  for (int32_t i = 0; i < count; ++i) run(src[i], dst[i]);
}

}  // namespace cuesta
