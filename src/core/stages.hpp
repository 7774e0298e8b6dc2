// Items that go through stages in order, all stages at once.
#pragma once

#include <functional>

namespace cuesta {

/// Functions of the place, of [0, places), that an item keeps from the first to the last. None may
/// throw.
struct Stages {
  std::function<bool(int)> take;  ///< the next item into a free place; false: there is none
  std::function<void(int)> work;
  std::function<void(int)> give;  ///< the place is free when it returns
};

/// Runs all items through the stages, each in the order of the items and for one of them at a time,
/// and returns when the last is through. Items take the places in turn, 0 first: with two or more,
/// what an item left in its place is there while the next is taken. `work` runs on the caller's
/// thread. `take` and `give` have a thread each, outside oneTBB's, so they may wait for input or a
/// codec while computing keeps all of its threads. Where the system gives no thread, one stage
/// follows the other.
void run_stages(int places, const Stages& stages);

}  // namespace cuesta
