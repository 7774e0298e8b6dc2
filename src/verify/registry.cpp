#include "ops/tables.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {

template <>
std::vector<Case<PixelArgs>> cases(Level level);
template <>
std::vector<Case<ConvolveArgs>> cases(Level level);
template <>
std::vector<Case<SobelArgs>> cases(Level level);
template <>
std::vector<Case<LogArgs>> cases(Level level);
template <>
std::vector<Case<CannyArgs>> cases(Level level);
template <>
std::vector<Case<MorphologyArgs>> cases(Level level);
template <>
std::vector<Case<LabelArgs>> cases(Level level);
template <>
std::vector<Case<BackgroundArgs>> cases(Level level);
template <>
std::vector<Case<MotionArgs>> cases(Level level);

std::span<const Operation> operations() {
  static constexpr Operation all[] = {
      {PixelArgs::operation, verify_operation<PixelArgs>},
      {ConvolveArgs::operation, verify_operation<ConvolveArgs>},
      {SobelArgs::operation, verify_operation<SobelArgs>},
      {LogArgs::operation, verify_operation<LogArgs>},
      {CannyArgs::operation, verify_operation<CannyArgs>},
      {MorphologyArgs::operation, verify_operation<MorphologyArgs>},
      {LabelArgs::operation, verify_operation<LabelArgs>},
      {BackgroundArgs::operation, verify_operation<BackgroundArgs>},
      {MotionArgs::operation, verify_operation<MotionArgs>},
  };
  return all;
}

}  // namespace cuesta::verify
