// What the GPU reaches in each thing that a kernel may wait for.
#include "bench/cuda/ceilings.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <span>
#include <vector>

#include "bench/engine/device_timing.hpp"
#include "core/memory.hpp"
#include "cuda/check.hpp"
#include "cuda/limits.hpp"
#include "cuesta/device.hpp"

namespace cuesta::bench {
namespace {

using cuda::check;

// A texture over a picture of floats.
class Texture {
 public:
  explicit Texture(ImageView<float, Space::device> picture) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    auto& samples = resource.res.pitch2D;
    samples.devPtr = picture.data;
    samples.desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
    samples.width = size_t(picture.width);
    samples.height = size_t(picture.height);
    samples.pitchInBytes = size_t(picture.stride_bytes);
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    check(cudaCreateTextureObject(&object_, &resource, &how, nullptr), "bench: making a texture");
  }
  ~Texture() { cudaDestroyTextureObject(object_); }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  uint64_t get() const { return object_; }

 private:
  cudaTextureObject_t object_ = 0;
};

// Lines of 128 bytes that one thread walks through; `at` is where it stands.
struct Walk {
  Walk(int log_lines, void* stream)
      : lines(std::min(1 << 20, 128 << log_lines), std::max(1, 128 << log_lines >> 20)), at(1, 1) {
    check(cudaMemsetAsync(at.view().data, 0, sizeof(int32_t), static_cast<cudaStream_t>(stream)),
          "bench: a walk");
    device::enqueue_walk(reinterpret_cast<uint32_t*>(lines.view().data), log_lines, stream);
  }
  double go(int steps, void* stream) {
    return device::enqueue_steps(reinterpret_cast<const uint32_t*>(lines.view().data),
                                 reinterpret_cast<uint32_t*>(at.view().data), steps, stream);
  }
  Image<uint8_t, Space::device> lines;
  Image<int32_t, Space::device> at;
};

// Rows of `row` bytes: an eighth of the free memory, 512 at most.
int32_t rows_that_fit(int32_t row) {
  size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes), "bench: free memory");
  return int32_t(std::clamp<size_t>(free_bytes / 8 / size_t(row), 1, 512));
}

int64_t second_level_bytes() {
  int device_index = 0, bytes = 0;
  check(cudaGetDevice(&device_index), "bench: which GPU");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device_index),
        "bench: the second-level cache");
  return bytes;
}

struct Measure {
  double Ceilings::*rate;
  double Ceilings::*spread;
  double scale;  // of the work, in the unit of the rate; below 0: time of one of them
  std::function<double(void* stream)> enqueue;
};

void set_rate(Ceilings& ceilings, const Measure& m, double work, const Timing& time) {
  const double seconds = time.ms / 1e3;
  if (seconds <= 0) return;
  const double value = m.scale > 0 ? m.scale * work / seconds : -m.scale * seconds / work;
  ceilings.*m.rate = value;
  if (m.spread) ceilings.*m.spread = value * time.spread / time.ms;
}

Ceilings rates_of(std::span<const Measure> measures, bool quick) {
  std::vector<DeviceBody> bodies;
  std::vector<double> work(measures.size(), 0);
  for (size_t i = 0; i < measures.size(); ++i)
    bodies.push_back({[&, i](size_t, void* s) { work[i] = measures[i].enqueue(s); }});
  const auto times = time_on_device(bodies, quick ? 7 : 15, quick ? 2 : 10, nullptr);
  Ceilings ceilings;
  for (size_t i = 0; i < measures.size(); ++i) set_rate(ceilings, measures[i], work[i], times[i]);
  return ceilings;
}

// What the host needs to enqueue a launch, and to wait for it.
void measure_waits(Ceilings& ceilings) {
  Stream stream;
  std::vector<double> enqueues, waits;
  for (int i = 0; i < 101; ++i) {
    enqueues.push_back(time_once([&] { device::enqueue_idle(1, 32, stream.get()); }));
    waits.push_back(enqueues.back() + time_once([&] { wait(stream.get()); }));
  }
  ceilings.enqueue_us = 1e3 * summary_of(std::move(enqueues)).ms;
  ceilings.wait_us = 1e3 * summary_of(std::move(waits)).ms;
}

}  // namespace

Ceilings measure_ceilings(bool quick) {
  constexpr int32_t row = 1 << 20;
  const int32_t rows = rows_that_fit(row);
  const int64_t l2_bytes = second_level_bytes();
  Image<uint8_t, Space::device> from(row, rows), to(row, rows);
  Image<float, Space::device> sink(1, 1), few(32, 32);
  check(cudaMemset(from.view().data, 0, size_t(row) * size_t(rows)), "bench: clearing");
  check(cudaMemset2D(few.view().data, size_t(few.view().stride_bytes), 0, 32 * sizeof(float), 32),
        "bench: clearing");
  const Texture texture(few.view());
  // 256 MiB exceed every second-level cache. 32 KiB fit each, and a launch goes round them so often
  // that what the other measures have put out of the cache does not show.
  Walk far(21, nullptr), near(8, nullptr);
  const int multiprocessors = cuda::multiprocessors();
  // The whole row is lines of 128 bytes; of these l1_loads reads the first 16.
  const auto* lines = reinterpret_cast<const float*>(from.view().data);
  const auto cached =
      size_t(std::clamp<int64_t>(l2_bytes / 4, 1 << 18, row * int64_t(rows))) / 16 * 16;
  constexpr int many_blocks = 64;

  const auto fill = [&](void* stream) {
    return device::Fill{multiprocessors, sink.view().data, stream};
  };
  const auto idle = [&](int blocks, int threads) {
    return [=](void* s) {
      return device::enqueue_idle(multiprocessors * blocks, threads, s) / multiprocessors;
    };
  };
  const Measure measures[] = {
      {&Ceilings::copy_gbs, &Ceilings::copy_spread, 1e-9,
       [&](void* s) { return copy_on_device(from.view(), to.view(), s), 2.0 * row * rows; }},
      {&Ceilings::fma_gflops, &Ceilings::fma_spread, 1e-9,
       [&](void* s) { return device::enqueue_fma(fill(s), 1 << 14); }},
      {&Ceilings::issue_ginstructions, nullptr, 1e-9,
       [&](void* s) { return device::enqueue_mixed(fill(s), 1 << 12); }},
      {&Ceilings::integer_ginstructions, nullptr, 1e-9,
       [&](void* s) { return device::enqueue_integers(fill(s), 1 << 12); }},
      {&Ceilings::l1_gwavefronts, nullptr, 1e-9,
       [&](void* s) { return device::enqueue_l1_loads(fill(s), 1 << 12, lines); }},
      {&Ceilings::shared_gwavefronts, nullptr, 1e-9,
       [&](void* s) { return device::enqueue_shared_loads(fill(s), 1 << 12); }},
      {&Ceilings::texture_gfetches, nullptr, 1e-9,
       [&](void* s) { return device::enqueue_fetches(fill(s), 1 << 10, texture.get()); }},
      {&Ceilings::l2_gbs, nullptr, 1e-9,
       [&](void* s) { return device::enqueue_l2_reads(fill(s), 16, from.view().data, cached); }},
      {&Ceilings::memory_ns, nullptr, -1e9, [&](void* s) { return far.go(1 << 10, s); }},
      {&Ceilings::l2_ns, nullptr, -1e9, [&](void* s) { return near.go(1 << 13, s); }},
      {&Ceilings::launch_us, nullptr, -1e6,
       [&](void* s) { return device::enqueue_idle(1, 32, s); }},
      {&Ceilings::block_us, nullptr, -1e6, idle(many_blocks, 1024)},
      {&Ceilings::warp_us, nullptr, -1e6, idle(many_blocks * 8, 32)},
  };
  Ceilings ceilings = rates_of(measures, quick);
  measure_waits(ceilings);
  return ceilings;
}

}  // namespace cuesta::bench
