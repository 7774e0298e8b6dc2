// Work on pictures in host memory that runs on a GPU: for whole pictures and for bands of files.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "core/pinned_picture.hpp"
#include "cuesta/device.hpp"
#include "cuesta/exec.hpp"

namespace cuesta {

/// Page-locked memory that grows to the largest picture, or pictures, of a run.
class PinnedRoom {
 public:
  /// Empties it and makes room for this many bytes, rounded up for each of `pictures`.
  void reserve(size_t bytes, size_t pictures);
  /// A picture like this one, behind those that were placed since reserve().
  AnyView place(ConstAnyView like);

 private:
  PinnedPicture memory_;
  size_t used_ = 0;
};

/// Copies pictures to a GPU, has work done on the copies, and copies the result back: through
/// page-locked memory on a stream of this object's, so that what several objects do on threads of
/// their own overlaps: one uploads while another's kernels run. Pictures that are in page-locked
/// memory themselves go as they are. Memory is kept for pictures of the same shape.
class RoundTrip {
 public:
  /// Makes what is on the GPU of the sources' copies there.
  using Work = std::function<void(std::span<const ConstAnyView> sources, AnyView out)>;

  /// Throws Error{device}.
  explicit RoundTrip(int device);

  /// `sources` and `out` are the host's. Sources without data stay so, and an `out` without data is
  /// no picture: then what the work makes is its own. All is done when this returns. The GPU is the
  /// calling thread's while it runs. Serves one call at a time. Throws what the work throws,
  /// Error{device}, Error{out_of_memory}.
  void run(std::span<const ConstAnyView> sources, AnyView out, const Work& work);

  /// Work on what is on the GPU already. All is done when this returns, by an exception too.
  void run_there(const std::function<void()>& work);

  int device() const { return device_; }
  /// What the work's calls run on: `exec` with this object's stream and workspace, and without
  /// what one thread alone may have, an observer.
  Exec exec(Exec exec);

 private:
  void settle() noexcept;

  int device_;
  std::optional<Stream> stream_;  // made on the GPU
  Workspace workspace_;
  PinnedRoom up_, down_;
  std::deque<AnyImage> sources_;
  AnyImage out_;
};

/// Work on a picture where `gpu` brings it, or on the host's own where there is none.
void on_copy(const std::shared_ptr<RoundTrip>& gpu, ConstAnyView source, AnyView out,
             const std::function<void(ConstAnyView source, AnyView out)>& work);

}  // namespace cuesta
