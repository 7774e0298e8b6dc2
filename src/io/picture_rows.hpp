// A picture file row by row, downwards: pictures larger than memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cuesta/image.hpp"
#include "cuesta/io/picture.hpp"

namespace cuesta::io {

/// What is known of a picture before any of its samples is decoded.
struct PictureFacts {
  Size size{};
  int32_t channels = 0;
  PixelType type = PixelType::none;
  bool has_alpha = false;
  Metadata metadata{};
  std::string refusal{};  ///< why it cannot be read in rows, a sentence; empty where it can

  int64_t row_bytes() const { return int64_t(size.width) * channels * bytes_per_sample(type); }
};

/// The samples that read_picture() gives, of a file that is decoded as far as it is requested.
class PictureRows {
 public:
  /// Throws as read_picture does, and Error{input} for BMP and pipes. What else takes a whole
  /// picture is refused when it is read: EXIF orientations other than upright, floats that are to
  /// become levels.
  /// With a region, of that part alone; it must not be empty or leave the picture
  /// (Error{invalid_argument}).
  explicit PictureRows(const std::filesystem::path& path, const ReadLimits& limits = {},
                       const std::optional<Rect>& region = {});
  PictureRows(const PictureRows&) = delete;
  PictureRows& operator=(const PictureRows&) = delete;
  ~PictureRows();

  const PictureFacts& facts() const;
  /// Rows [first, first + rows.height), of the facts' width, channels and type. The rows of
  /// consecutive calls follow each other downwards; between them some may be left out. Throws
  /// Error{input} for damage and where there is a refusal.
  void read(int32_t first, AnyView rows);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Rows that are made as they are written.
struct RowSource {
  Size size{};
  int32_t channels = 1;
  PixelType type = PixelType::u8;
  /// Fills a part of row y: pixels [x, x + count). Called by several threads at once, rows from
  /// above to below but for the few that are encoded together. What it throws ends the writing.
  std::function<void(int32_t x, int32_t y, int32_t count, void* to)> fill{};
};

/// write_picture() of rows: byte for byte the file that a whole picture of them becomes.
void write_rows(const std::filesystem::path& path, const RowSource& rows,
                const WriteOptions& options = {});

}  // namespace cuesta::io
