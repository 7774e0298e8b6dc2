// What the model counts of a kernel, and what a count is made from. Plain arithmetic.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cuesta::bench::model {

/// What one launch of a kernel does, by formula: sums over the launch.
struct Kernel {
  std::string name{};
  double blocks = 1;
  int threads = 1024;       ///< of a block
  int registers = 32;       ///< of a thread, as the compiler made it for compute capability 9.0
  int shared_bytes = 0;     ///< of a block
  double instructions = 0;  ///< of warps
  double load_sectors = 0;  ///< of 32 bytes, asked of the first-level cache
  double store_sectors = 0;
  double wavefronts = 0;         ///< passes through the first-level cache's data, global memory's
  double shared_wavefronts = 0;  ///< the same of shared memory
  double fetches = 0;            ///< samples through a texture
  double l2_sectors = 0;         ///< of 32 bytes, between first- and second-level cache, both ways
  double memory_bytes = 0;       ///< from and to device memory, nothing cached before
  /// Of the bytes read, those that the kernel before wrote: the second-level cache still has them
  /// where half of it holds them.
  double kept_bytes = 0;
  /// Round trips to device memory, and to the second-level cache, that wait for one another in the
  /// life of a block.
  double memory_trips = 1, l2_trips = 0;
  double uneven = 1;         ///< the largest block's work over the mean
  std::string_view stage{};  ///< of the strategy's, where it names stages
  double times = 1;          ///< launched, one after another; a mean where pictures differ
  /// What the host enqueues around each launch before it waits for all of that; -1: it does not
  /// wait.
  int waited_with = -1;

  double warps() const { return blocks * std::ceil(threads / 32.0); }
};

/// What a rung's counts depend on.
struct Workload {
  double width = 0, height = 0;
  int k = 3;  ///< taps a side
  bool separable = false;
  bool frame = false;   ///< with a launch for the pixels whose window leaves the picture
  bool floats = false;  ///< f32 samples
  bool words = false;   ///< u16 samples; else u8
  bool float_result = false;
  bool root = false;  ///< of sobel: the magnitude is a root of whole numbers, L2
  /// Of canny: the steps that its breadth-first search takes on the picture; below 0: not known.
  double depth = -1;
  // The strategy's parameters.
  int block = 32, tiles = 4, grid = 0;
  bool one_each = false, transpose = true;
  bool search = true;  ///< of canny: hysteresis is `bfs-launch`
  bool suppress_on_host = false;
  // Of the GPU.
  int multiprocessors = 1;
  int shared_limit = 48 * 1024;  ///< what a block may take

  double pixels() const { return width * height; }
  int bytes() const { return floats ? 4 : words ? 2 : 1; }
  int result_bytes() const { return float_result ? 4 : bytes(); }
};

/// Pieces of `unit` bytes that `samples` samples of `bytes` touch which begin `shift` samples from
/// a multiple of `step` samples: the mean over where that multiple is in 128 bytes.
constexpr double pieces(int samples, int step, int bytes, int shift, int unit) {
  const int places = step * bytes >= 128 ? 1 : 128 / (step * bytes);
  double sum = 0;
  for (int i = 0; i < places; ++i) {
    const int first = 1024 + (i * step + shift) * bytes, last = first + samples * bytes - 1;
    sum += last / unit - first / unit + 1;
  }
  return sum / places;
}
/// Of a warp, or the part of one that is in one row.
constexpr double sectors(int samples, int step, int bytes, int shift) {
  return pieces(samples, step, bytes, shift, 32);
}
constexpr double lines(int samples, int step, int bytes, int shift) {
  return pieces(samples, step, bytes, shift, 128);
}

/// Passes through shared memory that a warp's access takes: samples of `bytes`, `n` of each row, a
/// row's `step` samples apart, rows `pitch`. 32 banks of 4 bytes each give a word a pass; the mean
/// over where in a word the first begins.
inline double passes(int n, int step, int pitch, int bytes) {
  double sum = 0;
  const int places = std::max(1, 4 / bytes);
  for (int place = 0; place < places; ++place) {
    std::set<int> words;
    for (int lane = 0; lane < 32; ++lane)
      words.insert((place + lane % n * step + lane / n * pitch) * bytes / 4);
    int banks[32] = {}, most = 0;
    for (const int word : words) most = std::max(most, ++banks[word % 32]);
    sum += most;
  }
  return sum / places;
}

constexpr double covers(double n, double size) {
  const double whole = double(int64_t(n / size));
  return whole * size < n ? whole + 1 : whole;
}

}  // namespace cuesta::bench::model
