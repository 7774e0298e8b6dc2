// What the numbers of float pictures mean.
#pragma once

#include <string>

#include "cuesta/image.hpp"

namespace cuesta::io {

/// Which number of a float file stands for white; 0 stands for black.
struct White {
  enum class Rule : uint8_t {
    automatic,  ///< the first of 1, 255 and 65535 that all color samples stay below, but for half
                ///< as much again, since filters overshoot; else the largest sample. Radiance and
                ///< OpenEXR files hold light.
    number,     ///< `value`
    light,      ///< linear light, as of HDR pictures: white is what 1 in 100 color samples exceed,
                ///< and sRGB's curve is between
  };
  Rule rule = Rule::automatic;
  double value = 1;
};

/// What became of the numbers.
struct Whitened {
  Image<uint16_t> pixels;
  std::string remark;  ///< "float samples, 0 is black, 255 is white"
  double clipped = 0;  ///< part of the color samples below black or above white
  double scale = 1;    ///< levels of `pixels` that one of the file's own is; 1 of light
};

/// Floats as u16: black is 0, white 65535, rounded; what is outside is clipped, NaN is black.
/// Alpha has its own white by the automatic rule. `holds_light`: the file's format says so.
Whitened whiten(ImageView<const float> picture, bool has_alpha, const White& white,
                bool holds_light);

}  // namespace cuesta::io
