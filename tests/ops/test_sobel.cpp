#include <gtest/gtest.h>

#include "ops/sobel/reference.hpp"
#include "support/planted.hpp"

namespace cuesta {
namespace verify {
template <>
std::vector<Case<SobelArgs>> cases(Level level);
}
namespace {

TEST(SobelFaults, AreCaught) {
  verify::expect_caught<SobelArgs>(
      [](const SobelArgs& args, Call& call) {
        SobelArgs wrong = args;
        wrong.options.border.mode = BorderMode::replicate;
        sobel_serial(wrong, call);
      },
      "a border that always replicates");
  verify::expect_caught<SobelArgs>(
      [](const SobelArgs& args, Call& call) {
        SobelArgs wrong = args;
        wrong.options.norm = Norm::l1;
        sobel_serial(wrong, call);
      },
      "a norm that is always l1");
  verify::expect_caught<SobelArgs>(
      [](const SobelArgs& args, Call&) { sobel_reference_rows(args, 0, args.src.height - 1); },
      "a last row left out");
}

}  // namespace
}  // namespace cuesta
