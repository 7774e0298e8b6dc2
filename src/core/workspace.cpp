#include "core/workspace.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "core/memory.hpp"
#include "cuesta/error.hpp"

namespace cuesta {
namespace {

constexpr size_t slack = 64;
size_t rounded(size_t bytes) { return (bytes + slack + 255) / 256 * 256; }

// Blocks are filled in order. A stack that outgrew its first block is merged into one when it
// empties.
struct Stack {
  struct Block {
    char* data = nullptr;
    size_t size = 0, used = 0;
  };
  Space space = Space::host;
  std::vector<Block> blocks;
  size_t current = 0;

  void* take(size_t bytes) {
    bytes = rounded(bytes);
    while (current < blocks.size() && blocks[current].used + bytes > blocks[current].size) {
      if (++current < blocks.size()) blocks[current].used = 0;
    }
    if (current == blocks.size()) {
      const size_t size = std::max(bytes, size_t(1) << 16);
      blocks.push_back({static_cast<char*>(detail::allocate(space, size)), size, 0});
    }
    Block& block = blocks[current];
    void* memory = block.data + block.used;
    block.used += bytes;
    return memory;
  }
  void unwind(size_t block, size_t used) {
    current = std::min(block, blocks.empty() ? 0 : blocks.size() - 1);
    if (!blocks.empty()) blocks[current].used = current == block ? used : 0;
    if (block == 0 && used == 0 && blocks.size() > 1) merge();
  }
  void merge() {
    size_t total = 0;
    for (const Block& b : blocks) total += b.size;
    clear();
    blocks.push_back({static_cast<char*>(detail::allocate(space, total)), total, 0});
  }
  void clear() {
    for (const Block& b : blocks) detail::release(space, b.data);
    blocks.clear();
    current = 0;
  }
  size_t bytes() const {
    size_t total = 0;
    for (const Block& b : blocks) total += b.size;
    return total;
  }
};

}  // namespace

struct Workspace::State {
  State() { stacks[1].space = Space::device; }
  ~State() { clear(); }
  void clear() {
    for (Stack& s : stacks) s.clear();
  }
  Stack stacks[2];
  std::mutex mutex;
  std::thread::id owner;
  int depth = 0;
};

Workspace::Workspace() : state_(std::make_unique<State>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
size_t Workspace::bytes(Space space) const { return state_->stacks[size_t(space)].bytes(); }
void Workspace::release_memory() { state_->clear(); }

namespace {
std::map<void*, Workspace>& thread_cache() {
  thread_local std::map<void*, Workspace> cache;
  return cache;
}
}  // namespace

void release_memory() { thread_cache().clear(); }

Scratch::Scratch(const Exec& exec, Space space)
    : state_((exec.workspace ? *exec.workspace : thread_cache()[exec.stream]).state_.get()),
      space_(space) {
  const std::lock_guard lock(state_->mutex);
  if (state_->depth && state_->owner != std::this_thread::get_id()) {
    throw Error(ErrorCode::invalid_argument,
                "the workspace is in use by another thread; give every concurrent call a workspace "
                "of its own");
  }
  state_->owner = std::this_thread::get_id();
  ++state_->depth;
  const Stack& stack = state_->stacks[size_t(space_)];
  block_ = stack.current;
  used_ = stack.blocks.empty() ? 0 : stack.blocks[stack.current].used;
}

Scratch::~Scratch() {
  const std::lock_guard lock(state_->mutex);
  --state_->depth;
  try {
    state_->stacks[size_t(space_)].unwind(block_, used_);
  } catch (const Error&) {
    // Merging found no memory: the blocks are gone and the next call allocates again.
  }
}

void* Scratch::take_bytes(size_t bytes) { return state_->stacks[size_t(space_)].take(bytes); }

}  // namespace cuesta
