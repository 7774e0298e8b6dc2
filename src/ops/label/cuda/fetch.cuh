// How components come to the host: in the records of records.cuh, which threads make components of.
// They come through page-locked memory that the workspace or the thread keeps, as many at once with
// their number as the last call had, more in pieces, and a piece is worked on while the next are in
// flight.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "core/threads.hpp"
#include "cuda/of_thread.cuh"
#include "ops/label/cuda/records.cuh"

namespace cuesta::label_cuda {

/// Page-locked memory in pieces, each with an event for the copy into it.
class Staging {
 public:
  static constexpr size_t max_kept = 1;
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
  /// Records and larger components of the last call; the next will have about the same number.
  mutable int32_t last_count = 0, last_large = 0;

 private:
  struct Release {
    void operator()(char* memory) const { detail::release_pinned(memory); }
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<char, Release> memory_;
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Release> copied_[pieces];
};

class ComponentFetch {
 public:
  explicit ComponentFetch(Call& call)
      : call_(call), staging_(cuda::kept_or_of_thread<Staging>(call)) {}
  /// What follows an error may take the memory.
  ~ComponentFetch() {
    for (; taken_ < begun_; ++taken_)
      cudaEventSynchronize(staging_.copied(taken_ % Staging::pieces));
  }
  ComponentFetch(const ComponentFetch&) = delete;
  ComponentFetch& operator=(const ComponentFetch&) = delete;
  /// How many records, and how many larger components, are fetched before their number is known.
  int32_t records_at_once(int32_t room) const {
    return std::min({room, std::max(few, staging_.last_count), (Staging::pieces - 1) * a_piece});
  }
  int32_t large_at_once(int32_t room) const {
    return std::min({room, std::max(few, staging_.last_large), large_a_piece});
  }

  /// The counts. What comes with them, of `from`, is in flight.
  Counts counts(const Records& from) {
    begun_ = 0, taken_ = 0, records_ = 0;
    large_ = from.large ? large_at_once(from.large_room) : 0;
    // The counts' piece holds them in the place of components.
    static_assert(sizeof(Counts) <= sizeof(Component));
    begin({true, -1, large_}, from.counts, sizeof(Counts) + size_t(large_) * sizeof(Component));
    while (records_ < from.fetched && begun_ < Staging::pieces) begin_records(from, from.fetched);
    await(0);
    return *reinterpret_cast<const Counts*>(staging_.piece(0));
  }
  /// All components of `from`. Waits.
  void components(const Records& from, const Counts& counts, std::vector<Component>& to) {
    to.resize(size_t(counts.sets));
    staging_.last_count = counts.sets, staging_.last_large = counts.large;
    for (;;) {
      while (begun_ - taken_ < Staging::pieces && records_ < counts.sets)
        begin_records(from, counts.sets);
      while (begun_ - taken_ < Staging::pieces && large_ < counts.large) {
        const int32_t n = std::min(large_a_piece, counts.large - large_);
        begin({true, large_, n}, from.large + large_, size_t(n) * sizeof(Component));
        large_ += n;
      }
      if (taken_ == begun_) return;
      const int slot = taken_ % Staging::pieces;
      const Piece& piece = pieces_[slot];
      await(slot);
      const char* at = staging_.piece(slot);
      if (!piece.large) {
        make(reinterpret_cast<const SmallComponent*>(at), piece.first,
             std::min(piece.count, counts.sets - piece.first), from.width, to.data());
      } else if (piece.first < 0) {
        place(reinterpret_cast<const Component*>(at + sizeof(Counts)),
              std::min(piece.count, counts.large), to.data());
      } else {
        place(reinterpret_cast<const Component*>(at), piece.count, to.data());
      }
      ++taken_;
    }
  }

 private:
  static constexpr std::string_view doing = "label: fetching the components";
  static constexpr int32_t few = 256;
  static constexpr auto a_piece = int32_t(Staging::piece_bytes / sizeof(SmallComponent));
  static constexpr int32_t large_a_piece = int32_t(Staging::piece_bytes / sizeof(Component)) - 1;

  struct Piece {
    bool large;
    int32_t first, count;  // first: -1 behind the counts
  };

  void enqueue(void* to, const void* from, size_t bytes) {
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cuda::stream_of(call_)),
                doing);
  }
  void await(int slot) { cuda::check(cudaEventSynchronize(staging_.copied(slot)), doing); }
  void begin(const Piece& piece, const void* from, size_t bytes) {
    const int slot = begun_++ % Staging::pieces;
    pieces_[slot] = piece;
    enqueue(staging_.piece(slot), from, bytes);
    cuda::check(cudaEventRecord(staging_.copied(slot), cuda::stream_of(call_)), doing);
  }
  void begin_records(const Records& from, int32_t end) {
    const int32_t n = std::min(a_piece, end - records_);
    begin({false, records_, n}, from.small + records_, size_t(n) * sizeof(SmallComponent));
    records_ += n;
  }
  /// By as many threads as it is worth waking.
  template <class Body>
  void over_threads(int32_t count, Body&& body) {
    constexpr int32_t a_task = 4096;
    parallel_tasks((count + a_task - 1) / a_task, call_.threads(), [&](int i) {
      const int32_t end = std::min(count, (i + 1) * a_task);
      for (int32_t k = i * a_task; k < end; ++k) body(k);
    });
  }
  void make(const SmallComponent* records, int32_t first, int32_t count, int32_t width,
            Component* to) {
    over_threads(count, [=](int32_t k) {
      if (records[k]) to[first + k] = records[k].component(first + k + 1, width);
    });
  }
  void place(const Component* large, int32_t count, Component* to) {
    over_threads(count, [=](int32_t k) { to[large[k].label - 1] = large[k]; });
  }

  Call& call_;
  const Staging& staging_;
  Piece pieces_[Staging::pieces]{};
  int begun_ = 0, taken_ = 0;
  int32_t records_ = 0, large_ = 0;  // begun
};

}  // namespace cuesta::label_cuda
