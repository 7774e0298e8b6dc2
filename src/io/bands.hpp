// Pictures larger than memory: files in, files out, a band of rows at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "cuesta/bands.hpp"
#include "cuesta/io.hpp"
#include "io/picture_rows.hpp"

namespace cuesta::io {

/// What becomes of rows. All of it runs on host pictures, in one band at a time.
struct BandWork {
  std::string key{};   ///< what is done, in words, so that the same words are the same result
  int32_t reach = 0;   ///< rows above and below a row that decide what becomes of it
  bool wraps = false;  ///< above the first row lies the last one
  PixelType type = PixelType::u8;  ///< of the result
  int32_t channels = 1;            ///< of the result
  /// Makes `out` of `rows`, both of one size; what it makes of the outermost `reach` rows is looked
  /// at only where they are the picture's own.
  std::function<void(ConstAnyView rows, AnyView out)> run{};
  /// Or Canny's edges of what `gray` makes of rows.
  std::optional<CannyOptions> canny{};
  std::function<ConstAnyView(ConstAnyView rows)> gray{};
  Exec exec{};               ///< of canny
  double scratch_bytes = 0;  ///< a pixel, beside rows and out
  bool is_mask = false;      ///< u8 of 0 and 255, whose edges are counted
  WriteOptions writing{};
};

struct BandSettings {
  BandOptions bands{};
  ReadLimits limits{};
  std::optional<Rect> region{};
};

/// Makes the file `target` of the file `source` by the work that `make` has for such a picture.
/// Throws Error{input}, Error{output}; Error{invalid_argument} where the memory is too little.
FileResult run_bands(const std::filesystem::path& source, const std::filesystem::path& target,
                     const BandSettings& settings,
                     const std::function<BandWork(const PictureFacts&)>& make);

/// Gives the rows of a file to `take`, downwards, while the next ones are read; `scratch_bytes` a
/// pixel are what it takes beside them. Returns the picture's facts and the number of bands. Throws
/// as run_bands does.
FileResult read_bands(const std::filesystem::path& source, const BandSettings& settings,
                      double scratch_bytes, const std::function<void(ConstAnyView rows)>& take);
/// Components of a picture, and of a file's in bands. Throw as label() and read_bands().
int64_t label_bytes(const PictureFacts& facts);  ///< that a whole one takes, about
std::vector<Component> label_picture(ConstAnyView picture, const LabelFile& what, const Exec& exec);
LabelFileResult label_bands(const std::filesystem::path& source, const BandSettings& settings,
                            const LabelFile& what, const Exec& exec);

/// Throws Error{invalid_argument} for options that bands cannot have.
void check_bands(const LogOptions& options);

/// Bytes that a whole picture of these facts takes beside its result, about.
int64_t whole_bytes(const PictureFacts& facts, const BandWork& work);

}  // namespace cuesta::io
