// Rows of Canny's edges from the marks of a stage.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cuesta/bands.hpp"
#include "cuesta/image.hpp"
#include "io/band_stage.hpp"
#include "io/frame_pool.hpp"

namespace cuesta::io {

/// The edges of marks that are in a stage, made when they are requested, a few strips at once.
class ResolvedRows {
 public:
  ResolvedRows(const CannyBands& bands, const BandStage& stage, int32_t width, int threads,
               int64_t memory);

  void fill(int32_t x, int32_t y, int32_t count, void* to) {
    std::memcpy(to, group_of(y)->row(y) + x, size_t(count));
  }
  int64_t edge_pixels() const { return edge_pixels_; }

 private:
  struct Group {
    int32_t first = 0;
    Image<uint8_t> edges{};
    const uint8_t* row(int32_t y) const { return edges.row(y - first); }
    void clear() {}
  };

  // Of a strip in flight.
  struct Scratch {
    std::vector<uint64_t> marks{}, edges{};
  };

  std::shared_ptr<const Group> group_of(int32_t y);
  void make(int32_t index, Group& group);

  const CannyBands& bands_;
  const BandStage& stage_;
  int32_t width_;
  int threads_;
  int32_t max_ = 1;  // rows of a strip
  int32_t per_group_ = 1;
  std::mutex mutex_{};
  std::vector<Scratch> scratch_{};
  Pool<Group> pool_{};
  std::array<std::pair<int32_t, std::shared_ptr<Group>>, 2> groups_{{{-1, nullptr}, {-1, nullptr}}};
  int next_ = 0;
  std::vector<bool> counted_{};  // groups whose edges are in
  int64_t edge_pixels_ = 0;
};

}  // namespace cuesta::io
