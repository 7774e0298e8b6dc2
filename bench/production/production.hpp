// Experiment `production`: what a user of the GPU gets, beside a copy of the same picture.
#pragma once

#include <string>
#include <vector>

#include "bench/production/pictures.hpp"

namespace cuesta::bench {

inline constexpr const char* production = "production";

/// The unit of a goal.
enum class Measure : uint8_t {
  copies,     ///< time over a copy's
  picture,    ///< microseconds a picture
  bandwidth,  ///< bytes that have to move, a second, over a copy's: at least this much
  aligned,    ///< time a pixel over that of the same request with aligned rows
  natural,    ///< time over that of the same request of the natural picture
};

/// What a row is to reach, and what it is to come near to; 0: nothing is set.
struct Goal {
  double reach = 0, stretch = 0;
  Measure measure = Measure::copies;
};

/// One row of the table.
struct ProductionRow {
  Work work;
  Goal goal{};
  bool oddly = false;    ///< also with odd widths, bases and strides
  std::string beside{};  ///< parameters of the request that aligned and natural are compared with
  int pictures = 1;      ///< in one call
};

/// Those of the tables that Session::wants_table, at the pictures' size, which stay the caller's.
/// Canny's has goals a picture at 512, 1024 and 2048; all others have theirs, in copies, from 4096
/// on. With `variants`: odd rows and the worst pictures too.
std::vector<ProductionRow> production_requests(Session& session, ProductionPictures& pictures,
                                               bool variants);

struct Video {
  std::vector<Image<uint8_t>> frames{};  ///< the first initialises the background
  Image<uint8_t> below_each_other{};     ///< those of a batch
};
/// The detector at 1080p; `video` is made for them.
std::vector<ProductionRow> detector_requests(Session& session, Video& video);

/// Measures them all; a goal is a Figure with source "goal", subject "reach" or "stretch", what it
/// is reported in, and the request beside as its detail.
void bench_production(Session& session);

}  // namespace cuesta::bench
