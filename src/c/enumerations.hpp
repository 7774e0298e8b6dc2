// The numbers that cuesta.h gives the library's enumerations.
#pragma once

#include <cuesta.h>

#include <cstdint>

#include "cuesta/border.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/lines.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/recipes.hpp"

namespace cuesta::c {

template <class Enum>
struct Number {
  Enum value;
  int32_t number;
};

/// Every enumerator with its number, in the order of the numbers. There is no general list, so that
/// an enumeration without one does not compile.
template <class Enum>
struct Numbers;

template <>
struct Numbers<Space> {
  static constexpr Number<Space> all[] = {{Space::host, CUESTA_HOST},
                                          {Space::device, CUESTA_ON_DEVICE}};
};
template <>
struct Numbers<BorderMode> {
  static constexpr Number<BorderMode> all[] = {{BorderMode::replicate, CUESTA_REPLICATE},
                                               {BorderMode::reflect, CUESTA_REFLECT},
                                               {BorderMode::reflect101, CUESTA_REFLECT101},
                                               {BorderMode::constant, CUESTA_CONSTANT},
                                               {BorderMode::wrap, CUESTA_WRAP},
                                               {BorderMode::ignore, CUESTA_IGNORE}};
};
template <>
struct Numbers<Norm> {
  static constexpr Number<Norm> all[] = {{Norm::l1, CUESTA_L1}, {Norm::l2, CUESTA_L2}};
};
/// CUESTA_GIVEN is among the numbers, too: thresholds that follow no rule.
template <>
struct Numbers<AutoThreshold> {
  static constexpr Number<AutoThreshold> all[] = {{AutoThreshold::otsu, CUESTA_OTSU},
                                                  {AutoThreshold::median, CUESTA_MEDIAN},
                                                  {AutoThreshold::percentile, CUESTA_PERCENTILE},
                                                  {AutoThreshold::noise, CUESTA_NOISE}};
};
template <>
struct Numbers<ColorGradient> {
  static constexpr Number<ColorGradient> all[] = {{ColorGradient::strongest, CUESTA_STRONGEST},
                                                  {ColorGradient::structure, CUESTA_STRUCTURE}};
};
template <>
struct Numbers<EdgeColor> {
  static constexpr Number<EdgeColor> all[] = {{EdgeColor::strongest, CUESTA_STRONGEST},
                                              {EdgeColor::structure, CUESTA_STRUCTURE},
                                              {EdgeColor::gray, CUESTA_GRAY}};
};
template <>
struct Numbers<BoundaryQuality> {
  static constexpr Number<BoundaryQuality> all[] = {{BoundaryQuality::fast, CUESTA_FAST},
                                                    {BoundaryQuality::high, CUESTA_HIGH}};
};
template <>
struct Numbers<LogMode> {
  static constexpr Number<LogMode> all[] = {{LogMode::threshold, CUESTA_LOG_THRESHOLD},
                                            {LogMode::zero_crossings, CUESTA_LOG_ZERO_CROSSINGS}};
};
template <>
struct Numbers<Refinement> {
  static constexpr Number<Refinement> all[] = {{Refinement::pixel, CUESTA_PIXEL},
                                               {Refinement::parabola, CUESTA_PARABOLA},
                                               {Refinement::devernay, CUESTA_DEVERNAY},
                                               {Refinement::unbiased, CUESTA_UNBIASED}};
};
template <>
struct Numbers<ColorOrder> {
  static constexpr Number<ColorOrder> all[] = {{ColorOrder::rgb, CUESTA_RGB},
                                               {ColorOrder::bgr, CUESTA_BGR}};
};
template <>
struct Numbers<Morph> {
  static constexpr Number<Morph> all[] = {{Morph::erode, CUESTA_ERODE},
                                          {Morph::dilate, CUESTA_DILATE},
                                          {Morph::open, CUESTA_OPEN},
                                          {Morph::close, CUESTA_CLOSE}};
};
template <>
struct Numbers<BackgroundModel> {
  static constexpr Number<BackgroundModel> all[] = {
      {BackgroundModel::first, CUESTA_BACKGROUND_FIRST},
      {BackgroundModel::mean, CUESTA_BACKGROUND_MEAN},
      {BackgroundModel::median, CUESTA_BACKGROUND_MEDIAN},
      {BackgroundModel::mixture, CUESTA_BACKGROUND_MIXTURE},
      {BackgroundModel::samples, CUESTA_BACKGROUND_SAMPLES}};
};

template <>
struct Numbers<Sensitivity> {
  static constexpr Number<Sensitivity> all[] = {{Sensitivity::low, CUESTA_SENSITIVITY_LOW},
                                                {Sensitivity::normal, CUESTA_SENSITIVITY_NORMAL},
                                                {Sensitivity::high, CUESTA_SENSITIVITY_HIGH}};
};

template <class Enum>
constexpr int32_t number_of(Enum value) {
  for (const auto& one : Numbers<Enum>::all)
    if (one.value == value) return one.number;
  return -1;
}

}  // namespace cuesta::c
