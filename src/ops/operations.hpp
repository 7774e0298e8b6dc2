// The one list of operations. Everything that speaks of all of them folds over it:
// list_strategies(), verify, bench, the tests, the documentation. An operation is its Args
// (args.hpp): name, summary, strategies, cases.
#pragma once

#include <tuple>
#include <type_traits>

#include "ops/background/args.hpp"
#include "ops/boundaries/args.hpp"
#include "ops/canny/args.hpp"
#include "ops/clean/args.hpp"
#include "ops/convolve/args.hpp"
#include "ops/label/args.hpp"
#include "ops/log/args.hpp"
#include "ops/measure/args.hpp"
#include "ops/median/args.hpp"
#include "ops/morphology/args.hpp"
#include "ops/motion/args.hpp"
#include "ops/pixel/args.hpp"
#include "ops/regions/args.hpp"
#include "ops/sobel/args.hpp"

namespace cuesta {

/// In the order users meet them.
using Operations = std::tuple<PixelArgs, ConvolveArgs, MedianArgs, SobelArgs, LogArgs, CannyArgs,
                              BoundariesArgs, RegionsArgs, MorphologyArgs, CleanArgs, LabelArgs,
                              MeasureArgs, BackgroundArgs, MotionArgs>;

/// visit(std::type_identity<Args>()) for every operation, in order.
template <class Visit>
constexpr void for_each_operation(Visit&& visit) {
  [&]<class... Args>(std::type_identity<std::tuple<Args...>>) {
    (visit(std::type_identity<Args>()), ...);
  }(std::type_identity<Operations>());
}

}  // namespace cuesta
