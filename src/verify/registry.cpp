#include "ops/tables.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {

template <>
std::vector<Case<ConvolveArgs>> cases(Level level);
template <>
std::vector<Case<SobelArgs>> cases(Level level);

std::span<const Operation> operations() {
  static constexpr Operation all[] = {
      {ConvolveArgs::operation, verify_operation<ConvolveArgs>},
      {SobelArgs::operation, verify_operation<SobelArgs>},
  };
  return all;
}

}  // namespace cuesta::verify
