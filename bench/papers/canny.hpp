// Canny as paper 001 times it: its pictures, its options, its search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/works/edges.hpp"

namespace cuesta::bench {

/// Different pictures of one size, of one kind.
struct CannyPictures {
  std::string kind{};  ///< "made pictures" or "photographs"
  std::vector<Image<uint8_t>> all{};
  std::vector<std::string> names{};  ///< of photographs
};
/// A hundred made ones, eight in a quick run: shapes over the whole picture with shading and noise,
/// the same on every machine.
CannyPictures made_pictures(Session& session, int32_t side);
/// Up to a hundred of Session::photographs, up to four in a quick run.
CannyPictures photographs(Session& session, int32_t side);
/// A made one.
Image<uint8_t> canny_picture(int32_t side, uint64_t seed = 1);

/// Gaussian 5 x 5 of sigma 1.4, L1, thresholds 20 and 60 at every size. They are given, as in the
/// paper: finding them would make the device's strategies wait.
CannyOptions canny_options();

/// A time is the mean over the pictures, a picture a call. With two kinds of hysteresis of the
/// strategies that have the choice, on all threads and on one.
Work paper_canny_work(std::string experiment, const CannyPictures& pictures,
                      const CannyOptions& options);

/// Puts the paper's total time beside the rows that are its own: `rows`, and `row-cyclic` with
/// searches. Width and height are one of its sizes, else nothing.
void set_paper_001_figure(Row& row);

/// The breadth-first search that hysteresis is, all strong pixels first.
struct EdgeSearch {
  int depth = 0;            ///< steps that gained a pixel
  int rounds = 0;           ///< the same where a step continues within tiles of 32 x 32
  int64_t trees_start = 0;  ///< strong pixels
  int64_t trees_end = 0;    ///< edges
};
/// Made on the host from public answers, so that it is known without a GPU and independent of the
/// strategies that tell it.
EdgeSearch search_edges(Session& session, ConstAnyView src, const CannyOptions& options);

}  // namespace cuesta::bench
