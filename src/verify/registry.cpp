#include "ops/tables.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {

template <>
std::vector<Case<PixelArgs>> cases(Level level);
template <>
std::vector<Case<SobelArgs>> cases(Level level);
template <>
std::vector<Case<MorphologyArgs>> cases(Level level);
template <>
std::vector<Case<LabelArgs>> cases(Level level);

std::span<const Operation> operations() {
  static constexpr Operation all[] = {
      {PixelArgs::operation, verify_operation<PixelArgs>},
      {SobelArgs::operation, verify_operation<SobelArgs>},
      {MorphologyArgs::operation, verify_operation<MorphologyArgs>},
      {LabelArgs::operation, verify_operation<LabelArgs>},
  };
  return all;
}

}  // namespace cuesta::verify
