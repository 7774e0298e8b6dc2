#include "ops/tables.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {

template <>
std::vector<Case<PixelArgs>> cases(Level level);
template <>
std::vector<Case<SobelArgs>> cases(Level level);
template <>
std::vector<Case<BackgroundArgs>> cases(Level level);

std::span<const Operation> operations() {
  static constexpr Operation all[] = {
      {PixelArgs::operation, verify_operation<PixelArgs>},
      {SobelArgs::operation, verify_operation<SobelArgs>},
      {BackgroundArgs::operation, verify_operation<BackgroundArgs>},
  };
  return all;
}

}  // namespace cuesta::verify
