// Small results on their way to the host, while the stream continues.
#pragma once

#include <cuda/atomic>

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "core/device_memory.hpp"
#include "cuda/of_thread.cuh"

namespace cuesta::cuda {

/// Page-locked memory, and the event of the last copy into it.
class SmallStaging {
 public:
  static constexpr size_t max_kept = 1;
  static constexpr size_t bytes = 512 << 10;

  SmallStaging() : memory_(detail::allocate_pinned(bytes)) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "an event");
    copied_.reset(event);
  }
  void* memory() const { return memory_.get(); }
  cudaEvent_t copied() const { return copied_.get(); }
  /// No two calls of it are alike.
  uint64_t next_stamp() const { return ++stamp_; }

 private:
  struct Release {
    void operator()(void* memory) const { detail::release_pinned(memory); }
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<void, Release> memory_;
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Release> copied_;
  mutable uint64_t stamp_ = 0;
};

/// A value in page-locked memory; it is there once the stamp is.
template <class T>
struct Posted {
  T value;
  uint64_t stamp;
};
/// Where a kernel posts values.
template <class T>
struct PostTo {
  Posted<T>* first;
  uint64_t stamp;

  CUESTA_HOST_DEVICE PostTo operator+(ptrdiff_t i) const { return {first + i, stamp}; }
  __device__ void post(const T& value) const {
    first->value = value;
    ::cuda::atomic_ref<uint64_t, ::cuda::thread_scope_system>(first->stamp)
        .store(stamp, ::cuda::memory_order_release);
  }
};

/// Values that kernels of a call post to the host: neither a copy nor an event is on the stream
/// between these and the kernels behind. Of a call one at a time.
template <class T>
class Mail {
 public:
  static constexpr size_t max_count = SmallStaging::bytes / sizeof(Posted<T>);

  /// Up to max_count values.
  Mail(Call& call, size_t count, std::string_view doing)
      : call_(call),
        doing_(doing),
        staging_(kept_or_of_thread<SmallStaging>(call)),
        to_{static_cast<Posted<T>*>(staging_.memory()), staging_.next_stamp()} {
    // What other calls left there may look like a stamp.
    for (size_t i = 0; i < count; ++i) to_.first[i].stamp = 0;
  }
  /// Kernels behind an error may still write.
  ~Mail() {
    if (!closed_) cudaStreamSynchronize(stream_of(call_));
  }
  Mail(const Mail&) = delete;
  Mail& operator=(const Mail&) = delete;

  const PostTo<T>& to() const { return to_; }
  /// Waits for value i. Throws Error{device} where the stream ends without it.
  const T& await(size_t i) {
    constexpr uint32_t looks = 1024;  // at the memory, for each at the stream
    Posted<T>& one = to_.first[i];
    const std::atomic_ref<uint64_t> stamp(one.stamp);
    for (uint32_t look = 1; stamp.load(std::memory_order_acquire) != to_.stamp; ++look) {
      if (look % looks != 0) continue;
      const cudaError_t state = cudaStreamQuery(stream_of(call_));
      if (state == cudaErrorNotReady) {
        cudaGetLastError();  // it would be the next call's
        continue;
      }
      check(state, doing_);
      if (stamp.load(std::memory_order_acquire) == to_.stamp) break;
      throw Error(ErrorCode::device, std::string(doing_) + ": the GPU has ended without it");
    }
    return one.value;
  }
  /// All values that kernels post have been awaited.
  void close() { closed_ = true; }

 private:
  Call& call_;
  std::string_view doing_;
  const SmallStaging& staging_;
  PostTo<T> to_;
  bool closed_ = false;
};

/// `count` values of device memory, copied once what the stream has now is done. Of a call one at a
/// time. Where there are more than page-locked memory holds, the copy waits until await().
template <class T>
class InFlight {
 public:
  InFlight(const T* from, size_t count, Call& call, std::string_view doing)
      : from_(from), count_(count), call_(call), doing_(doing) {
    if (bytes() > SmallStaging::bytes) return;
    staging_ = &kept_or_of_thread<SmallStaging>(call);
    copy(staging_->memory());
    check(cudaEventRecord(staging_->copied(), stream_of(call)), doing);
    arrives_ = true;
  }
  /// What follows an error may take the memory.
  ~InFlight() {
    if (arrives_) cudaEventSynchronize(staging_->copied());
  }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  /// Waits, and gives the values: in page-locked memory, until the next are in flight, or in
  /// `host`.
  std::span<const T> await(Scratch& host) {
    if (staging_) {
      check(cudaEventSynchronize(staging_->copied()), doing_);
      arrives_ = false;
      return {static_cast<const T*>(staging_->memory()), count_};
    }
    auto* const to = reinterpret_cast<T*>(host.take<std::byte>(bytes()));
    copy(to);
    check(cudaStreamSynchronize(stream_of(call_)), doing_);
    return {to, count_};
  }

 private:
  size_t bytes() const { return count_ * sizeof(T); }
  void copy(void* to) const {
    check(cudaMemcpyAsync(to, from_, bytes(), cudaMemcpyDeviceToHost, stream_of(call_)), doing_);
  }
  const T* from_;
  size_t count_;
  Call& call_;
  std::string_view doing_;
  const SmallStaging* staging_ = nullptr;
  bool arrives_ = false;
};

}  // namespace cuesta::cuda
