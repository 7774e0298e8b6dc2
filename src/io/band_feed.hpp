// Bands of a picture file: the rows in and around each, in host memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>

#include "io/bands.hpp"
#include "io/spare_rows.hpp"

namespace cuesta::io {

/// Rows in host memory, page-locked where a GPU reads and writes them.
class HostRows {
 public:
  /// Room for as many of this shape; what was in it is lost where there was less.
  void reserve(const PictureShape& shape, bool pinned) {
    if (view_ && view_.height >= shape.size.height && view_.width == shape.size.width) return;
    if (pinned) {
      locked_ = {};  // before the next is taken
      locked_ = PinnedPicture(shape);
      view_ = locked_.view();
    } else {
      view_ = pageable_.create(shape.size, shape.channels, shape.type);
    }
  }
  AnyView view() const { return view_; }
  AnyView view(int32_t rows) const { return view_.region({0, 0, view_.width, rows}); }

 private:
  AnyImage pageable_{};
  PinnedPicture locked_{};
  AnyView view_{};
};

/// A band in flight: the rows around and in it, and what was made of them.
struct Band {
  int32_t begin = 0, end = 0;  // rows of the picture that are wanted
  int32_t low = 0, high = 0;   // rows that are there
  HostRows rows{}, out{}, marks{};
  ConstAnyView seen{};           // what the operations see of the rows
  std::function<void()> then{};  // what follows in the order of the bands
  std::future<void> working{};

  ConstAnyView view() const { return rows.view(high - low); }
  AnyView result() const { return out.view(high - low); }
  uint64_t* mark_bits() const { return static_cast<uint64_t*>(marks.view().data); }
};

/// The first byte of row y.
char* row_at(AnyView view, int32_t y);

/// A picture's rows in bands, each with `reach` rows around, as far as there are any; of a picture
/// that wraps there always are.
class BandFeed {
 public:
  BandFeed(const std::filesystem::path& source, const BandSettings& settings, const BandWork& work,
           int32_t band_rows);

  const PictureFacts& facts() const { return facts_; }
  void start_at(int32_t row) { next_ = row; }
  /// The next band is rows [first, end).
  void go_to(int32_t first, int32_t end) { next_ = first, band_rows_ = end - first; }
  /// From here on rows are what an earlier pass kept of them, with these channels of this type.
  void take_from(const SpareRows& kept, int32_t channels, PixelType type) {
    kept_ = &kept;
    facts_.channels = channels;
    facts_.type = type;
  }

  /// The next band; false after the last one. `before` is the band taken before, if there was one.
  bool take(Band& band, const Band* before);

 private:
  PictureRows source_;
  int32_t reach_, band_rows_;
  bool wraps_, pinned_;
  PictureFacts facts_;
  const SpareRows* kept_ = nullptr;
  AnyImage head_{}, tail_{};  // rows that a picture that wraps has beyond its ends
  int32_t next_ = 0;
};

}  // namespace cuesta::io
