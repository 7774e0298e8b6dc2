// Strategy `plain` (device): a thread takes 32 pixels of a row and adds its runs of one label to
// the sums in device memory by atomics. All of them are of integers, so their order does not
// matter.
#include "ops/measure/cuda.hpp"

#include "cuda/launch.cuh"
#include "ops/measure/reference.hpp"

namespace cuesta {
namespace {

using namespace measuring;

using Word = unsigned long long;
static_assert(sizeof(Word) == sizeof(uint64_t));

__device__ void add_to(uint64_t& sum, uint64_t value) {
  if (value != 0) atomicAdd(reinterpret_cast<Word*>(&sum), Word(value));
}
__device__ void add_to(int64_t& sum, int64_t value) {
  if (value != 0) atomicAdd(reinterpret_cast<Word*>(&sum), Word(value));
}
// What the low word had tells every addition whether it carries, whatever comes between.
__device__ void add_to(WideSum& sum, Wide value) {
  const auto low = Word(value);
  const Word before = atomicAdd(reinterpret_cast<Word*>(&sum.low), low);
  add_to(sum.high, uint64_t(value >> 64) + (before + low < before));
}

// The extremes and counts of a run's samples; the sum of integers too.
struct RunSamples {
  int64_t sum = 0;
  uint64_t nan = 0, positive = 0, negative = 0;
  uint32_t lowest = 0, highest = 0;

  template <class T>
  __device__ void take(Sums& to, T sample) {
    if constexpr (std::is_floating_point_v<T>) {
      if (is_nan(sample)) {
        ++nan;
        return;
      }
      if (is_infinite(sample)) {
        ++(sample > 0 ? positive : negative);
      } else {
        const SampleWords words = words_of(sample);
        add_to(to.samples[words.first], words.low);
        if (words.high != 0) add_to(to.samples[words.first + 1], words.high);
      }
    } else {
      sum += sample;
    }
    lowest = max(lowest, least(key_of(sample)));
    highest = max(highest, key_of(sample));
  }
  __device__ void finish(Sums& to) const {
    add_to(to.samples[0], sum);
    add_to(to.nan, nan), add_to(to.positive, positive), add_to(to.negative, negative);
    atomicMax(&to.lowest, lowest);
    atomicMax(&to.highest, highest);
  }
};

struct NoSamples {};

// T: of the intensities, or NoSamples.
template <class T>
struct MeasurePart {
  static constexpr int32_t pixels = 32;
  LabelsAround around;
  ConstAnyView intensity;
  int32_t first;
  int64_t top;
  Sums* sums;
  int32_t count;

  __device__ void operator()(int32_t part, int32_t row) const {
    const int32_t y = first + row;
    const int32_t end = int32_t(min(int64_t(around.labels.width), (int64_t(part) + 1) * pixels));
    for (int32_t x = part * pixels; x < end;) {
      const int32_t label = around.at(x, y), begin = x;
      do ++x;
      while (x < end && around.at(x, y) == label);
      if (label >= 1 && label <= count) add_run(sums[label - 1], begin, x, y, label);
    }
  }

  __device__ void add_run(Sums& to, int32_t begin, int32_t end, int32_t y, int32_t label) const {
    const auto own_y = int32_t(top + y);
    add_to(to.area, uint64_t(end - begin));
    atomicMax(&to.left, least(uint32_t(begin))), atomicMax(&to.top, least(uint32_t(own_y)));
    atomicMax(&to.right, uint32_t(end)), atomicMax(&to.bottom, uint32_t(own_y) + 1);
    const PowerSums along = power_sums(begin, end);
    for (int i = 0; i < power_count; ++i)
      add_to(to.coordinates[i], along.of[power_at(i).x] * power_of(own_y, power_at(i).y));
    uint64_t steps[step_count] = {};
    for (int32_t x = begin; x < end; ++x)
      if (const int step = around.step_at(x, y, label); step >= 0) ++steps[step];
    for (int i = 0; i < step_count; ++i) add_to(to.steps[i], steps[i]);
    if constexpr (!std::is_same_v<T, NoSamples>) {
      const T* samples = intensity.as<T, Space::device>().row(y);
      RunSamples run;
      for (int32_t x = begin; x < end; ++x) run.take(to, samples[x]);
      run.finish(to);
    }
  }
};

template <class T>
void measure_parts(const MeasureArgs& args, Sums* sums, Call& call) {
  const MeasurePart<T> part{{args.labels}, args.intensity, args.first,
                            args.top,      sums,           int32_t(args.sums.size())};
  cuda::for_each_pixel("measure", cuda::blocks(args.labels.width, part.pixels),
                       args.end - args.first, part, call);
}

}  // namespace

void measure_cuda::plain(const MeasureArgs& args, Call& call) {
  if (args.sums.empty()) return;
  const cudaStream_t stream = cuda::stream_of(call);
  Sums* sums = call.scratch().take<Sums>(args.sums.size());
  cuda::check(cudaMemsetAsync(sums, 0, args.sums.size_bytes(), stream), "measure");
  if (!args.intensity) {
    measure_parts<NoSamples>(args, sums, call);
  } else if (args.intensity.type == PixelType::u8) {
    measure_parts<uint8_t>(args, sums, call);
  } else if (args.intensity.type == PixelType::u16) {
    measure_parts<uint16_t>(args, sums, call);
  } else {
    measure_parts<float>(args, sums, call);
  }
  std::vector<Sums> found(args.sums.size());
  cuda::check(cudaMemcpyAsync(found.data(), sums, found.size() * sizeof(Sums),
                              cudaMemcpyDeviceToHost, stream),
              "measure");
  cuda::check(cudaStreamSynchronize(stream), "measure");
  for (size_t i = 0; i < found.size(); ++i) add(args.sums[i], found[i]);
}

}  // namespace cuesta
