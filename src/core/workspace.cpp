#include "core/workspace.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/memory.hpp"
#include "core/on_device.hpp"
#include "core/recording.hpp"
#include "cuesta/device.hpp"
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
  static constexpr int no_gpu = -1;

  State() { stacks[size_t(Space::device)].space = Space::device; }
  // Of one call that is being recorded.
  explicit State(void* stream) : State() {
    Stack& stack = stacks[size_t(Space::device)];
    stack.recorded = true;
    stack.stream = stream;
  }
  ~State() { clear(); }

  void clear() {
    if (gpu != no_gpu) {
      try {
        const OnDevice there(gpu);  // textures and events are the GPU's that made them
        free_all();
      } catch (const Error&) {
        // The GPU is lost or the process ends: below goes what can be freed.
      }
    }
    free_all();
    gpu = no_gpu;
  }
  void free_all() {
    kept.clear();
    for (Stack& s : stacks) s.clear();
  }
  /// Throws Error{invalid_argument} where memory of another GPU than the one in use is held.
  void check_gpu() const {
    if (gpu == no_gpu) return;
    const int used = current_device();
    if (used == gpu) return;
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("the workspace holds memory of GPU {} and the call runs on GPU {}; give "
                    "each GPU a workspace, or call release_memory() first",
                    gpu, used),
        fmt::to_string(used));
  }
  /// The GPU whose memory is held after `space` has given some, asked before it does.
  int gpu_after(Space space) const {
    return space == Space::host || gpu != no_gpu ? gpu : current_device();
  }

  Stack stacks[2];
  std::map<std::type_index, Shelf> kept;
  int gpu = no_gpu;  // whose memory is held
  std::mutex mutex;
  std::thread::id owner;
  int depth = 0;

  class OfThread;
};

/// What a thread's calls without a workspace take: one state for the host, and one for each GPU
/// and stream, because work that was enqueued may still use it when the next call comes.
class Workspace::State::OfThread {
 public:
  static constexpr size_t max_streams = 64;

  static OfThread& get() {
    thread_local OfThread states;
    return states;
  }
  State& host() { return host_; }
  State& of(int device, void* stream) {
    const uint64_t number = detail::stream_number(stream);
    const auto found = std::find_if(streams_.begin(), streams_.end(), [&](const OfStream& s) {
      return s.gpu == device && s.stream == stream;
    });
    if (found != streams_.end()) {
      streams_.splice(streams_.begin(), streams_, found);
      // A handle that came back: its stream was destroyed. Freeing waits for what still runs.
      if (found->number != number && found->state.depth == 0) found->state.clear();
      found->number = number;
      return found->state;
    }
    // Nobody reports the end of a stream, so those used longest ago go.
    if (streams_.size() >= max_streams) {
      const auto last = std::find_if(streams_.rbegin(), streams_.rend(),
                                     [](const OfStream& s) { return s.state.depth == 0; });
      if (last != streams_.rend()) streams_.erase(std::next(last).base());
    }
    return streams_.emplace_front(device, stream, number).state;
  }
  void release_memory() {
    host_.clear();
    streams_.remove_if([](const OfStream& s) { return s.state.depth == 0; });
  }

 private:
  struct OfStream {
    OfStream(int index, void* handle, uint64_t id) : gpu(index), stream(handle), number(id) {}
    int gpu;
    void* stream;
    uint64_t number;
    State state{};
  };
  State host_;
  std::list<OfStream> streams_;  // the one used last is the first
};

Workspace::Workspace() : state_(std::make_unique<State>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
size_t Workspace::bytes(Space space) const { return state_->stacks[size_t(space)].bytes(); }
void Workspace::release_memory() { state_->clear(); }

void release_memory() { Workspace::State::OfThread::get().release_memory(); }

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
    auto& own = Workspace::State::OfThread::get();
    state_ = space == Space::host ? &own.host() : &own.of(current_device(), exec.stream);
  }
  const std::lock_guard lock(state_->mutex);
  if (state_->depth && state_->owner != std::this_thread::get_id()) {
    throw Error(
        ErrorCode::invalid_argument,
        "the workspace is in use by another thread; give each concurrent call its own workspace");
  }
  if (space == Space::device) state_->check_gpu();
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

void* Scratch::take_bytes(size_t bytes) {
  const int gpu = state_->gpu_after(space_);
  void* const memory = state_->stacks[size_t(space_)].take(bytes);
  state_->gpu = gpu;
  return memory;
}

const void* Scratch::find_kept(std::type_index type, std::string_view key) {
  const auto shelf = state_->kept.find(type);
  return keeps_ && shelf != state_->kept.end() ? shelf->second.find(key) : nullptr;
}

void Scratch::keep(std::type_index type, std::string_view key, std::shared_ptr<const void> object,
                   size_t most) {
  if (!keeps_) return own_.push_back(std::move(object));
  state_->gpu = state_->gpu_after(space_);
  state_->kept[type].put(key, std::move(object), most);
}

}  // namespace cuesta
