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
std::vector<Case<MorphologyArgs>> cases(Level level);
template <>
std::vector<Case<LabelArgs>> cases(Level level);
template <>
std::vector<Case<LogArgs>> cases(Level level);

std::span<const Operation> operations() {
  static constexpr Operation all[] = {
      {PixelArgs::operation, verify_operation<PixelArgs>},
      {ConvolveArgs::operation, verify_operation<ConvolveArgs>},
      {SobelArgs::operation, verify_operation<SobelArgs>},
      {MorphologyArgs::operation, verify_operation<MorphologyArgs>},
      {LabelArgs::operation, verify_operation<LabelArgs>},
      {LogArgs::operation, verify_operation<LogArgs>},
  };
  return all;
}

}  // namespace cuesta::verify
