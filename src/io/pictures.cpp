// The public reader and writer of pictures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/check.hpp"
#include "cuesta/io.hpp"
#include "cuesta/io/picture.hpp"
#include "cuesta/recipes/recipe.hpp"
#include "cuesta/recipes/samples.hpp"
#include "io/metadata.hpp"

namespace cuesta {
namespace {

AnyImage picture_of(const std::filesystem::path& path, const ReadOptions& options,
                    recipes::Floats floats) {
  io::ReadLimits limits{options.max_pixels, options.allow_partial};
  limits.select(options.page, options.band);
  limits.floats = floats;
  return std::move(io::read_picture(path, limits).pixels);
}

// Levels for integers; the numbers for floats.
template <class T>
constexpr recipes::Floats floats_for =
    std::is_same_v<T, float> ? recipes::Floats::raw : recipes::Floats::levels;

template <class T>
Image<T> converted(ConstAnyView picture) {
  Image<T> out(picture.size(), picture.channels);
  recipes::convert(picture, out);
  return out;
}

}  // namespace

void io::ReadLimits::select(int page_from_1, int band_from_1) {
  if (page_from_1 < 0)
    throw_invalid(std::to_string(page_from_1),
                  "page is {}; it must be at least 1, or 0 for the only page", page_from_1);
  if (band_from_1 < 0)
    throw_invalid(std::to_string(band_from_1),
                  "band is {}; it must be at least 1, or 0 for all channels", band_from_1);
  page = page_from_1 > 0 ? std::optional(page_from_1 - 1) : std::nullopt;
  band = band_from_1;
}

void io::ReadLimits::take(recipes::Floats as) {
  floats = white.is_given() ? recipes::levels_instead_of(as) : as;
}

std::string io::Picture::warning() const { return recipes::clipped_remark(clipped, remark); }

recipes::Floats io::floats_for(const recipes::Recipe& recipe, std::string_view extension) {
  const bool holds =
      recipe.output({.type = PixelType::f32}).type != PixelType::f32 || holds_floats(extension);
  return holds ? recipe.floats() : recipes::levels_instead_of(recipe.floats());
}

io::WriteOptions io::writing_of(const Metadata& source, const recipes::Output& output,
                                bool has_alpha, const std::optional<Rect>& region) {
  const Rect place = region.value_or(Rect{});
  WriteOptions writing{.metadata = source.of_result(place.x, place.y, output.keeps_metadata),
                       .lossless = !output.keeps_metadata};
  writing.has_alpha = has_alpha && output.keeps_metadata;
  return writing;
}

std::string io::dropped(const Metadata& metadata, std::string_view extension) {
  if (holds_floats(extension)) return {};  // TIFF, which holds all of it
  const TiffExtras extras = extras_of(metadata);
  std::vector<std::string_view> lost;
  if (extras.microscopy)
    lost.push_back("pixel size or channel names");
  else if (extras.georeference)
    lost.push_back("georeference");
  if (extras.has_no_data) lost.push_back("value for no data");
  if (lost.empty()) return {};
  return fmt::format("{} files have no {}; the source has {}, which .tif keeps", extension,
                     fmt::join(lost, " and no "),
                     lost.size() > 1 || extras.microscopy ? "them" : "one");
}

int count_pages(const std::filesystem::path& path) {
  if (!io::is_picture(path)) io::read_picture(path);  // which throws why not
  return io::pages_of(path).count;
}

AnyImage read(const std::filesystem::path& path, const ReadOptions& options) {
  return picture_of(path, options, recipes::Floats::numbers);
}

template <class T>
Image<T> read(const std::filesystem::path& path, const ReadOptions& options) {
  return converted<T>(picture_of(path, options, floats_for<T>));
}

template <class T>
Image<T> read_gray(const std::filesystem::path& path, const ReadOptions& options) {
  const AnyImage picture = picture_of(path, options, floats_for<T>);
  if (picture.channels() == 1) return converted<T>(picture);
  AnyImage gray(picture.size(), 1, picture.type());
  recipes::make_gray(picture, gray);
  return converted<T>(gray);
}

template Image<uint8_t> read(const std::filesystem::path&, const ReadOptions&);
template Image<uint16_t> read(const std::filesystem::path&, const ReadOptions&);
template Image<float> read(const std::filesystem::path&, const ReadOptions&);
template Image<uint8_t> read_gray(const std::filesystem::path&, const ReadOptions&);
template Image<uint16_t> read_gray(const std::filesystem::path&, const ReadOptions&);
template Image<float> read_gray(const std::filesystem::path&, const ReadOptions&);

void write(const std::filesystem::path& path, ConstAnyView pixels) {
  io::write_picture(path, pixels);
}

}  // namespace cuesta
