// Pictures of one shape through a GPU, or through several in turn, a picture in each phase: while
// one is worked on, the next goes up and the one before comes down (paper 001, future work:
// "pipelining", "multiple GPUs").
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/pinned_picture.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"

namespace cuesta {

/// Every picture in flight has a place: page-locked memory for it and for its result, pictures on
/// its GPU, a stream and a workspace. Places take turns, so that results are those of one GPU, in
/// the order of the pictures. Serves one thread.
class Pipeline {
 public:
  /// Works on a picture of the device into another, on `exec`'s stream and workspace. What waits
  /// for the GPU inside is right and overlaps with nothing.
  using Work = std::function<void(ConstAnyView source, AnyView result, const Exec& exec)>;
  /// Sees results in order; the view lasts until it returns.
  using Done = std::function<void(int64_t number, ConstAnyView result)>;
  struct Options {
    std::vector<int> devices{};  ///< by the runtime's index; the calling thread's where empty
    int in_flight = 3;           ///< a batch on each, from 1
    Exec exec{};                 ///< strategy and parameters; its stream and workspace are ignored
  };

  /// Throws Error{invalid_argument} for options that cannot be meant, Error{device},
  /// Error{out_of_memory}.
  Pipeline(PictureShape source, PictureShape result, Work work, Done done, Options options);
  Pipeline(PictureShape source, PictureShape result, Work work, Done done)
      : Pipeline(source, result, std::move(work), std::move(done), Options()) {}
  /// Waits for what is in flight; its results are not shown.
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Where the next picture is to be written, on the host. What an earlier picture left there is
  /// unchanged. Waits until the place is free, and shows the result that was there. Throws
  /// Error{device} for a fault of the GPU, and what `done` throws.
  AnyView source();
  /// Sends on what source() got; source() was called since the last time. Throws what `work` throws
  /// (the picture is dropped then, and the place is free).
  void submit();
  /// Waits for all pictures, and shows their results.
  void finish();

 private:
  struct Place;
  void show(Place& place);
  Work work_;
  Done done_;
  Options options_;
  std::vector<std::unique_ptr<Place>> places_;
  int64_t submitted_ = 0;
  size_t next_ = 0;       // the place of the next picture
  bool offered_ = false;  // source() was called for it
};

}  // namespace cuesta
