#include "ops/operations.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> made;
    for_each_operation([&]<class Args>(std::type_identity<Args>) {
      made.push_back({Args::operation, verify_operation<Args>, coverage_of<Args>});
    });
    return made;
  }();
  return all;
}

}  // namespace cuesta::verify
