// How components come to the host. With a workspace of the caller's they come through page-locked
// memory that it keeps, as many at once with their number as the last call had, and more in pieces
// that threads copy on while the next are under way. Without one, as the runtime copies: its own
// page-locked memory and one thread.
#pragma once

#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/threads.hpp"
#include "cuda/kept.cuh"
#include "ops/label/reference.hpp"

namespace cuesta::label_cuda {

/// Page-locked memory in pieces, each with an event for the copy into it.
class Staging {
 public:
  static constexpr size_t most_kept = 1;
  static constexpr size_t piece_bytes = 2 << 20;
  static constexpr int pieces = 4;

  Staging() : memory_(static_cast<char*>(detail::allocate_pinned(piece_bytes * pieces))) {
    for (auto& copied : copied_) {
      cudaEvent_t event = nullptr;
      cuda::check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "label: an event");
      copied.reset(event);
    }
  }
  char* piece(int i) const { return memory_.get() + piece_bytes * size_t(i); }
  cudaEvent_t copied(int i) const { return copied_[i].get(); }
  /// Components of the last call, of which the next will have about as many.
  mutable int32_t last_count = 0;

 private:
  struct Release {
    void operator()(char* memory) const { detail::release_pinned(memory); }
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<char, Release> memory_;
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Release> copied_[pieces];
};

/// From device memory that holds `Head` and components behind it.
template <class Head>
class ComponentFetch {
 public:
  /// Components that come with the head, at most and, where nothing is kept, in any case.
  static constexpr int32_t most_at_once =
      int32_t((Staging::piece_bytes - sizeof(Head)) / sizeof(Component));
  static constexpr int32_t few = 256;

  explicit ComponentFetch(Call& call) : call_(call) {
    if (call.scratch().keeps()) {
      staging_ =
          &call.scratch().kept<Staging>(cuda::Key().add_device().bytes(), [] { return Staging(); });
    }
  }
  /// How many components come with the head, of room for `room`.
  int32_t with_head(int32_t room) const {
    const int32_t expected = staging_ ? std::max(few, staging_->last_count) : few;
    return std::min({room, expected, most_at_once});
  }
  /// The head, and `count` components that stay with it. Waits.
  Head head(const Head* from, int32_t count) {
    at_once_ = count;
    char* to = staging_ ? staging_->piece(0) : reinterpret_cast<char*>(&own_);
    enqueue(to, from, sizeof(Head) + size_t(count) * sizeof(Component));
    wait();
    Head head;
    std::memcpy(&head, to, sizeof head);
    return head;
  }
  /// `count` components, those that came with the head among them. Waits.
  void components(const Component* from, int32_t count, std::vector<Component>& to) {
    if (staging_) staging_->last_count = count;
    to.resize(size_t(count));
    const int32_t here = std::min(count, at_once_), rest = count - here;
    if (!staging_) {
      if (here) std::memcpy(to.data(), own_.components, size_t(here) * sizeof(Component));
      if (rest == 0) return;
      enqueue(to.data() + here, from + here, size_t(rest) * sizeof(Component));
      return wait();
    }
    constexpr int ring = Staging::pieces - 1;  // the first has what came with the head
    constexpr int32_t a_piece = int32_t(Staging::piece_bytes / sizeof(Component));
    const int pieces = (rest + a_piece - 1) / a_piece;
    const auto piece_size = [&](int i) { return std::min(a_piece, rest - i * a_piece); };
    const auto fetch = [&](int i) {
      const int slot = 1 + i % ring;
      enqueue(staging_->piece(slot), from + here + i * a_piece,
              size_t(piece_size(i)) * sizeof(Component));
      cuda::check(cudaEventRecord(staging_->copied(slot), cuda::stream_of(call_)), doing);
    };
    for (int i = 0; i < std::min(pieces, ring); ++i) fetch(i);
    copy_on(to.data(), staging_->piece(0) + sizeof(Head), here);
    for (int i = 0; i < pieces; ++i) {
      const int slot = 1 + i % ring;
      cuda::check(cudaEventSynchronize(staging_->copied(slot)), doing);
      copy_on(to.data() + here + i * a_piece, staging_->piece(slot), piece_size(i));
      if (i + ring < pieces) fetch(i + ring);
    }
  }

 private:
  static constexpr std::string_view doing = "label: fetching the components";

  void enqueue(void* to, const void* from, size_t bytes) {
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cuda::stream_of(call_)),
                doing);
  }
  void wait() { cuda::check(cudaStreamSynchronize(cuda::stream_of(call_)), doing); }
  /// By as many threads as it is worth waking.
  void copy_on(Component* to, const char* from, int32_t count) {
    constexpr size_t bytes_a_task = 128 << 10;
    const size_t bytes = size_t(count) * sizeof(Component);
    parallel_tasks(int((bytes + bytes_a_task - 1) / bytes_a_task), call_.threads(), [&](int i) {
      const size_t first = size_t(i) * bytes_a_task;
      std::memcpy(reinterpret_cast<char*>(to) + first, from + first,
                  std::min(bytes_a_task, bytes - first));
    });
  }

  Call& call_;
  const Staging* staging_ = nullptr;
  int32_t at_once_ = 0;
  struct {
    Head head;
    Component components[few];
  } own_;
};

}  // namespace cuesta::label_cuda
