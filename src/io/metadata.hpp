// What a picture file carries besides samples, as this library holds it.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cuesta/io/picture.hpp"

namespace cuesta::io {

struct TiffTag;
struct Microscopy;

/// What a TIFF says of a picture besides what libvips reads. Cheap to copy.
struct TiffExtras {
  using Tags = std::shared_ptr<const std::vector<TiffTag>>;
  Tags georeference{};                             ///< null without one
  Tags resolution{};                               ///< without a unit; null where it has one
  std::shared_ptr<const Microscopy> microscopy{};  ///< null without one
  std::optional<float> hole{};  ///< the sample that stands for no data, which is read as NaN
  bool has_no_data = false;     ///< a sample stands for no data, whether or not it is read as NaN
};

/// The inside of Metadata.
struct MetadataParts {
  std::shared_ptr<void> fields{};  ///< a VipsImage that has them
  TiffExtras extras{};

  /// Null for none.
  static const MetadataParts* of(const Metadata& metadata) { return metadata.parts_.get(); }
  static Metadata metadata(MetadataParts parts) {
    Metadata made;
    made.parts_ = std::make_shared<const MetadataParts>(std::move(parts));
    return made;
  }
};

/// Those of metadata; none of them where there are none.
inline TiffExtras extras_of(const Metadata& metadata) {
  return metadata ? MetadataParts::of(metadata)->extras : TiffExtras{};
}

}  // namespace cuesta::io
