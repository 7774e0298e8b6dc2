// Checks that entries for batches make besides those of check.hpp, with one wording.
#pragma once

#include <string_view>

#include "cuesta/batch.hpp"

namespace cuesta {

/// A count of at least 1 and a step of whole samples. The first picture has been checked.
void check_batch(const ConstBatch& batch, std::string_view what);
/// A batch that is written: no two of its pictures overlap.
void check_disjoint(const ConstBatch& batch, std::string_view what);
/// One number of pictures.
void check_same_count(const ConstBatch& a, const ConstBatch& b, std::string_view what_a,
                      std::string_view what_b);
/// Throws where a picture of `a` overlaps one of `b`.
void check_no_overlap(const ConstBatch& a, const ConstBatch& b, std::string_view what_a,
                      std::string_view what_b);

}  // namespace cuesta
