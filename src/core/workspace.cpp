#include "core/workspace.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "core/memory.hpp"
#include "core/recording.hpp"
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
  bool recorded = false;  // of a call in a caller's graph: the memory is the graph's
  void* stream = nullptr;
  std::vector<Block> blocks;
  size_t current = 0;

  char* obtain(size_t bytes) const {
    return static_cast<char*>(recorded ? detail::allocate_recorded(bytes, stream)
                                       : detail::allocate(space, bytes));
  }

  void* take(size_t bytes) {
    bytes = rounded(bytes);
    while (current < blocks.size() && blocks[current].used + bytes > blocks[current].size) {
      if (++current < blocks.size()) blocks[current].used = 0;
    }
    if (current == blocks.size()) {
      const size_t size = std::max(bytes, size_t(1) << 16);
      blocks.push_back({obtain(size), size, 0});
    }
    Block& block = blocks[current];
    void* memory = block.data + block.used;
    block.used += bytes;
    return memory;
  }
  void unwind(size_t block, size_t used) {
    current = std::min(block, blocks.empty() ? 0 : blocks.size() - 1);
    if (!blocks.empty()) blocks[current].used = current == block ? used : 0;
    if (block == 0 && used == 0 && blocks.size() > 1 && !recorded) merge();
  }
  void merge() {
    size_t total = 0;
    for (const Block& b : blocks) total += b.size;
    clear();
    blocks.push_back({obtain(total), total, 0});
  }
  void clear() {
    for (const Block& b : blocks) {
      if (recorded)
        detail::release_recorded(b.data, stream);
      else
        detail::release(space, b.data);
    }
    blocks.clear();
    current = 0;
  }
  size_t bytes() const {
    size_t total = 0;
    for (const Block& b : blocks) total += b.size;
    return total;
  }
};

// Objects of one type by key.
struct Shelf {
  struct Entry {
    std::shared_ptr<const void> object;
    uint64_t used = 0;  // when
  };
  std::map<std::string, Entry, std::less<>> entries;
  uint64_t clock = 0;

  const void* find(std::string_view key) {
    const auto found = entries.find(key);
    if (found == entries.end()) return nullptr;
    found->second.used = ++clock;
    return found->second.object.get();
  }
  // The longest unused go.
  void put(std::string_view key, std::shared_ptr<const void> object, size_t most) {
    while (!entries.empty() && entries.size() >= most) {
      entries.erase(std::min_element(
          entries.begin(), entries.end(),
          [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
    }
    entries.insert_or_assign(std::string(key), Entry{std::move(object), ++clock});
  }
};

}  // namespace

struct Workspace::State {
  State() { stacks[1].space = Space::device; }
  // Of one call that is being recorded.
  explicit State(void* stream) : State() {
    stacks[1].recorded = true;
    stacks[1].stream = stream;
  }
  ~State() { clear(); }
  void clear() {
    kept.clear();
    for (Stack& s : stacks) s.clear();
  }
  Stack stacks[2];
  std::map<std::type_index, Shelf> kept;
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
    : state_(nullptr), space_(space), keeps_(exec.workspace != nullptr) {
  if (exec.workspace) {
    state_ = exec.workspace->state_.get();
  } else if (space == Space::device && detail::is_recorded(exec.stream)) {
    // The thread's cache may give its memory back, or to another call, before the graph runs again.
    const auto own = std::make_shared<Workspace::State>(exec.stream);
    state_ = own.get();
    own_.push_back(own);
  } else {
    state_ = thread_cache()[exec.stream].state_.get();
  }
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
  // Of a recorded call the state is the first of them, and goes last.
  own_.resize(!own_.empty() && own_.front().get() == state_ ? 1 : 0);
  const std::lock_guard lock(state_->mutex);
  --state_->depth;
  try {
    state_->stacks[size_t(space_)].unwind(block_, used_);
  } catch (const Error&) {
    // Merging found no memory: the blocks are gone and the next call allocates again.
  }
}

void* Scratch::take_bytes(size_t bytes) { return state_->stacks[size_t(space_)].take(bytes); }

const void* Scratch::find_kept(std::type_index type, std::string_view key) {
  const auto shelf = state_->kept.find(type);
  return keeps_ && shelf != state_->kept.end() ? shelf->second.find(key) : nullptr;
}

void Scratch::keep(std::type_index type, std::string_view key, std::shared_ptr<const void> object,
                   size_t most) {
  if (keeps_)
    state_->kept[type].put(key, std::move(object), most);
  else
    own_.push_back(std::move(object));
}

}  // namespace cuesta
