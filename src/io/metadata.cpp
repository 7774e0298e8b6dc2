// What a picture file carries besides samples, as libvips holds it.
#if defined(CUESTA_HAS_PICTURES)
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "io/metadata.hpp"
#include "io/picture_open.hpp"
#include "io/tiff_tags.hpp"
#include "io/vips.hpp"

namespace cuesta::io {
namespace {

// A picture of one pixel for the metadata of another, with its resolution; null without memory.
VipsImage* holder_for(const VipsImage* image, bool is_sideways) {
  VipsImage *black = nullptr, *fields = nullptr;
  if (vips_black(&black, 1, 1, nullptr) != 0) {
    vips_error_clear();
    return nullptr;
  }
  // An image that an operation made may be shared; a copy may be written to.
  const double across = image->Xres, down = image->Yres;
  const int failed = vips_copy(black, &fields, "xres", is_sideways ? down : across, "yres",
                               is_sideways ? across : down, nullptr);
  g_object_unref(black);
  if (!failed) return fields;
  vips_error_clear();
  return nullptr;
}

std::shared_ptr<void> shared(VipsImage* fields) {
  return std::shared_ptr<void>(fields, [](void* object) { g_object_unref(object); });
}

}  // namespace

Metadata metadata_of(VipsImage* image, TiffExtras extras) {
  const int orientation = vips_image_get_orientation(image);
  VipsImage* fields = holder_for(image, orientation >= 5);
  if (!fields) return {};
  if (orientation > 1)  // these are of the rows as they are stored
    extras = {.hole = extras.hole, .has_no_data = extras.has_no_data};
  vips_image_map(
      image,
      [](VipsImage*, const char* field, GValue* value, void* to) -> void* {
        const std::string_view key = field;
        // The pixels are made upright, and may become another size than the file's thumbnail shows.
        if (key.starts_with("exif-ifd0-Orientation") || key.starts_with("exif-ifd1"))
          return nullptr;
        if (key == VIPS_META_ICC_NAME || key == VIPS_META_XMP_NAME || key == VIPS_META_IPTC_NAME ||
            key == VIPS_META_EXIF_NAME || key == VIPS_META_RESOLUTION_UNIT ||
            key.starts_with("exif-ifd"))
          vips_image_set(static_cast<VipsImage*>(to), field, value);
        return nullptr;
      },
      fields);
  // Writers set the tag inside a whole EXIF block, too, from this.
  if (vips_image_get_typeof(fields, VIPS_META_EXIF_NAME) != 0)
    vips_image_set_int(fields, VIPS_META_ORIENTATION, 1);
  return MetadataParts::metadata({shared(fields), std::move(extras)});
}

Metadata Metadata::of_result(int32_t x, int32_t y, bool keeps_all) const {
  if (!parts_) return {};
  MetadataParts made = *parts_;
  if (auto& tags = made.extras.georeference; tags && (x != 0 || y != 0))
    tags = std::make_shared<const std::vector<TiffTag>>(moved(*tags, x, y));
  auto* all = static_cast<VipsImage*>(parts_->fields.get());
  if (!keeps_all) {
    made.extras.has_no_data = false;  // holes are in no mask
    VipsImage* fields = holder_for(all, false);
    if (!fields) return {};
    const char* unit = nullptr;
    if (vips_image_get_typeof(all, VIPS_META_RESOLUTION_UNIT) != 0 &&
        vips_image_get_string(all, VIPS_META_RESOLUTION_UNIT, &unit) == 0)
      vips_image_set_string(fields, VIPS_META_RESOLUTION_UNIT, unit);
    made.fields = shared(fields);
  }
  return MetadataParts::metadata(std::move(made));
}

}  // namespace cuesta::io
#endif
