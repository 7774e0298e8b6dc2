#include "emulated/block.hpp"

#include <algorithm>
#include <barrier>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

thread_local constinit uint3 threadIdx{}, blockIdx{};
thread_local constinit dim3 blockDim{}, gridDim{};

namespace emulated {
namespace {

namespace context = boost::context;

constexpr size_t stack_bytes = 256 * 1024;
constexpr int warp_lanes = 32, numbered_barriers = 16;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "emulated device: %s\n", what.c_str());
  std::abort();
}

enum class Order { forward, backward, shuffled };
struct Schedule {
  Order order = Order::forward;
  unsigned seed = 0;
  Schedule() {
    const char* said = std::getenv("CUESTA_EMULATED_ORDER");
    const std::string_view order_of = said ? said : "forward";
    if (order_of == "backward") {
      order = Order::backward;
    } else if (order_of != "forward") {
      char* end = nullptr;
      seed = unsigned(std::strtoul(said, &end, 10));
      if (end == said || *end)
        fail("CUESTA_EMULATED_ORDER is 'forward', 'backward' or a seed, not '" +
             std::string(order_of) + "'");
      order = Order::shuffled;
    }
  }
  std::vector<int> of(int n, unsigned salt) const {
    std::vector<int> order_of(static_cast<size_t>(n));
    std::iota(order_of.begin(), order_of.end(), 0);
    if (order == Order::backward) std::reverse(order_of.begin(), order_of.end());
    if (order == Order::shuffled)
      std::shuffle(order_of.begin(), order_of.end(), std::minstd_rand(seed * 7919 + salt + 1));
    return order_of;
  }
};
const Schedule& schedule() {
  static const Schedule all;
  return all;
}

enum class Waits { no, block, numbered, warp, ended };

struct Round {
  Exchange exchange;
  uint32_t mask = 0;
  int readers = 0;  // once it is complete
  bool complete = false, used = false;
};

struct Thread {
  context::fiber fiber;
  uint3 index{};
  Waits waits = Waits::ended;
};

struct Numbered {
  int arrived = 0;
  std::vector<int> waiting;
};

using GridBarrier = std::barrier<>;

// The block that runs on this thread of the CPU.
class Block {
 public:
  void run(dim3 grid, dim3 block, uint3 index, size_t shared, GridBarrier* together,
           void (*body)(void*), void* its_context) {
    ::gridDim = grid, ::blockDim = block, ::blockIdx = index;
    body_ = body, context_ = its_context, together_ = together;
    count_ = live_ = int(block.x * block.y * block.z);
    if (shared != shared_bytes_ || !shared_) {
      shared_.reset(std::aligned_alloc(128, (shared + 127) / 128 * 128 + 128));
      shared_bytes_ = shared;
    }
    std::memset(shared_.get(), 0xFF, shared);
    while (int(threads_.size()) < count_) threads_.push_back(std::make_unique<Thread>());
    warps_.resize(size_t(count_ + warp_lanes - 1) / warp_lanes);
    for (Warp& warp : warps_) warp.ended = 0;
    const int rest = count_ % warp_lanes;
    if (rest) warps_.back().ended = ~0u << rest;
    for (Numbered& one : numbered_) one = {};
    arrived_ = trues_ = 0;
    int n = 0;
    for (unsigned z = 0; z < block.z; ++z)
      for (unsigned y = 0; y < block.y; ++y)
        for (unsigned x = 0; x < block.x; ++x) {
          Thread& thread = *threads_[size_t(n++)];
          thread.index = {x, y, z};
          thread.waits = Waits::no;
        }
    const bool same = order_.size() == size_t(count_) && schedule().order != Order::shuffled;
    if (!same) order_ = schedule().of(count_, index.x * 31 + index.y);
    while (live_ > 0) {
      bool any = false;
      for (const int i : order_) {
        if (threads_[size_t(i)]->waits != Waits::no) continue;
        any = true;
        resume(i);
      }
      if (!any) fail(who_waits());
    }
  }

  int meet_block(bool one) {
    trues_ += one;
    ++arrived_;
    if (arrived_ == live_) {
      release_block();
    } else {
      wait(Waits::block);
    }
    return last_trues_;
  }
  void meet_at(int number, int expected, bool waits) {
    Numbered& barrier = numbered_[size_t(number)];
    ++barrier.arrived;
    if (waits) barrier.waiting.push_back(own_);
    if (barrier.arrived == expected) {
      for (const int i : barrier.waiting) threads_[size_t(i)]->waits = Waits::no;
      barrier = {};
    } else if (waits) {
      wait(Waits::numbered);
    }
  }
  void meet_grid() {
    if (!together_) fail("a grid's barrier in a launch that is not cooperative");
    meet_block(false);
    if (own_ == 0) together_->arrive_and_wait();
    meet_block(false);
  }
  void let_others() { switch_out(); }
  void* shared() const { return shared_.get(); }
  int lane() const { return own_ % warp_lanes; }

  Exchange* lay_down(uint32_t mask, const void* value, size_t bytes) {
    Warp& warp = warps_[size_t(own_ / warp_lanes)];
    const uint32_t bit = 1u << lane();
    if (!(mask & bit)) fail("a lane is not in the mask that it names");
    Round* round = nullptr;
    for (auto& one : warp.rounds)
      if (one->used && !one->complete && one->mask == mask && !(one->exchange.arrived & bit))
        round = one.get();
    if (!round) round = warp.unused();
    round->used = true, round->mask = mask;
    round->exchange.arrived |= bit;
    std::memcpy(round->exchange.of[lane()], value, bytes);
    if (!try_complete(warp, *round)) wait(Waits::warp);
    return &round->exchange;
  }
  void leave(Exchange* exchange) {
    auto* round = reinterpret_cast<Round*>(exchange);  // its first member
    if (--round->readers == 0) {
      round->used = round->complete = false;
      round->exchange.arrived = 0;
    }
  }

 private:
  struct Warp {
    uint32_t ended = 0;  // lanes
    std::vector<std::unique_ptr<Round>> rounds;
    Round* unused() {
      for (auto& one : rounds)
        if (!one->used) return one.get();
      return rounds.emplace_back(std::make_unique<Round>()).get();
    }
  };

  // A fiber serves one thread of a block after the other.
  [[noreturn]] void serve(context::fiber back) {
    scheduler_ = std::move(back);
    for (;;) {
      body_(context_);
      end_own();
      switch_out();
    }
  }
  void resume(int i) {
    Thread& thread = *threads_[size_t(i)];
    own_ = i;
    ::threadIdx = thread.index;
    if (!thread.fiber) {
      thread.fiber = context::fiber(
          std::allocator_arg, context::fixedsize_stack(stack_bytes),
          [this](context::fiber&& back) -> context::fiber { serve(std::move(back)); });
    }
    thread.fiber = std::move(thread.fiber).resume();
  }
  void switch_out() { scheduler_ = std::move(scheduler_).resume(); }
  void wait(Waits what) {
    threads_[size_t(own_)]->waits = what;
    switch_out();
  }
  void end_own() {
    threads_[size_t(own_)]->waits = Waits::ended;
    --live_;
    if (live_ > 0 && arrived_ == live_) release_block();
    Warp& warp = warps_[size_t(own_ / warp_lanes)];
    warp.ended |= 1u << lane();
    for (auto& round : warp.rounds)
      if (round->used && !round->complete) try_complete(warp, *round);
  }
  void release_block() {
    last_trues_ = trues_;
    arrived_ = trues_ = 0;
    for (int i = 0; i < count_; ++i)
      if (threads_[size_t(i)]->waits == Waits::block) threads_[size_t(i)]->waits = Waits::no;
  }
  // Whether all lanes of the mask that have not ended are there; they continue then.
  bool try_complete(Warp& warp, Round& round) {
    if ((round.exchange.arrived | warp.ended) != (round.mask | warp.ended)) return false;
    round.complete = true;
    round.readers = 0;
    const size_t first = size_t(&warp - warps_.data()) * warp_lanes;
    for (int i = 0; i < warp_lanes; ++i) {
      if (!(round.exchange.arrived >> i & 1)) continue;
      ++round.readers;
      Thread& thread = *threads_[first + size_t(i)];
      if (thread.waits == Waits::warp) thread.waits = Waits::no;
    }
    return true;
  }
  std::string who_waits() const {
    int in[5] = {};
    for (int i = 0; i < count_; ++i) ++in[int(threads_[size_t(i)]->waits)];
    return "threads wait for each other for ever: of " + std::to_string(count_) + ", " +
           std::to_string(in[int(Waits::block)]) + " at the block's barrier, " +
           std::to_string(in[int(Waits::numbered)]) + " at numbered ones, " +
           std::to_string(in[int(Waits::warp)]) + " in an exchange of a warp, " +
           std::to_string(in[int(Waits::ended)]) + " ended";
  }

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::vector<std::unique_ptr<Thread>> threads_;
  std::vector<Warp> warps_;
  std::vector<int> order_;
  Numbered numbered_[numbered_barriers];
  context::fiber scheduler_;
  void (*body_)(void*) = nullptr;
  void* context_ = nullptr;
  GridBarrier* together_ = nullptr;
  std::unique_ptr<void, Free> shared_;
  size_t shared_bytes_ = 0;
  int count_ = 0, live_ = 0, own_ = 0;
  int arrived_ = 0, trues_ = 0, last_trues_ = 0;
};

thread_local Block* block_here = nullptr;
Block& here() {
  thread_local Block own;
  block_here = &own;
  return own;
}

uint3 place(dim3 grid, int64_t n) {
  return {unsigned(n % grid.x), unsigned(n / grid.x % grid.y), unsigned(n / grid.x / grid.y)};
}

}  // namespace

void run_grid(dim3 grid, dim3 block, size_t shared, bool together, void (*body)(void*),
              void* its_context) {
  const int64_t blocks = int64_t(grid.x) * grid.y * grid.z;
  if (together) {
    GridBarrier barrier(blocks);
    std::vector<std::jthread> threads;
    for (int64_t n = 0; n < blocks; ++n)
      threads.emplace_back(
          [&, n] { here().run(grid, block, place(grid, n), shared, &barrier, body, its_context); });
    return;
  }
  Block& own = here();
  if (schedule().order == Order::shuffled && blocks <= (1 << 16)) {
    for (const int n : schedule().of(int(blocks), unsigned(blocks)))
      own.run(grid, block, place(grid, n), shared, nullptr, body, its_context);
    return;
  }
  const bool backward = schedule().order == Order::backward;
  for (int64_t n = 0; n < blocks; ++n)
    own.run(grid, block, place(grid, backward ? blocks - 1 - n : n), shared, nullptr, body,
            its_context);
}

int meet_block(bool one) { return block_here->meet_block(one); }
void meet_at(int barrier, int count, bool wait) { block_here->meet_at(barrier, count, wait); }
void meet_grid() { block_here->meet_grid(); }
void let_others() { block_here->let_others(); }
void* dynamic_shared() { return block_here->shared(); }
int lane() { return block_here->lane(); }

namespace detail {
Exchange* lay_down(uint32_t mask, const void* value, size_t bytes) {
  return block_here->lay_down(mask, value, bytes);
}
void leave(Exchange* exchange) { block_here->leave(exchange); }
}  // namespace detail

}  // namespace emulated
