// The one argument of every morphology strategy. The public entry has checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/objects.hpp"

namespace cuesta {

/// An element as one step reads it: as it is, or turned by 180 degrees (StructuringElement::
/// reflected(), without the copy).
class ElementView {
 public:
  explicit ElementView(const StructuringElement& element, bool turned = false)
      : element_(&element), turned_(turned) {}
  int width() const { return element_->width(); }
  int height() const { return element_->height(); }
  int anchor_x() const {
    return turned_ ? width() - 1 - element_->anchor_x() : element_->anchor_x();
  }
  int anchor_y() const {
    return turned_ ? height() - 1 - element_->anchor_y() : element_->anchor_y();
  }
  bool contains(int x, int y) const {
    return turned_ ? element_->contains(width() - 1 - x, height() - 1 - y)
                   : element_->contains(x, y);
  }

 private:
  const StructuringElement* element_;
  bool turned_;
};

struct MorphologyArgs {
  static constexpr std::string_view operation = "morphology";
  static constexpr std::string_view summary =
      "erosion, dilation, opening and closing by any element";
  static std::span<const Strategy<MorphologyArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<MorphologyArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView src{};  // u8, u16 or bits, one channel
  AnyView dst{};       // of src's size and type; may be src itself
  Morph what = Morph::erode;
  const StructuringElement* element = nullptr;  // lives as long as the call
  MorphologyOptions options{};

  Space space() const { return src.space; }
  PixelType type() const { return src.type; }
  bool two_steps() const { return what == Morph::open || what == Morph::close; }
  /// Whether the first step is a dilation; the second is the other.
  bool dilates_first() const { return what == Morph::dilate || what == Morph::close; }
  ElementView first() const { return ElementView(*element); }
  ElementView second() const { return ElementView(*element, true); }
};

}  // namespace cuesta
