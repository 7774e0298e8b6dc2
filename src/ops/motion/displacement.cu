// What displacement.cpp does, of a mask on the GPU: a thread a word. The components are known to
// the host, which waits for their counts and decides.
#include "core/bits.hpp"
#include "cuda/launch.cuh"
#include "cuesta/objects.hpp"
#include "ops/motion/displacement.hpp"

namespace cuesta {
namespace {

using Bits = BasicBitView<uint64_t, Space::device>;
using Labels = ImageView<int32_t, Space::device>;

/// What a thread has of its word: runs of components and where their labels are.
struct Words {
  Bits mask;
  Labels labels;

  __device__ uint64_t word(int32_t w, int32_t y) const {
    const int32_t left = mask.width - w * 64;
    return mask.row(y)[w] & (left < 64 ? (uint64_t(1) << left) - 1 : ~uint64_t(0));
  }
  __device__ int32_t component(uint64_t run, int32_t w, int32_t y) const {
    return labels.row(y)[w * 64 + __ffsll(static_cast<long long>(run)) - 1] - 1;
  }
};

__device__ uint32_t count(uint64_t bits) {
  return uint32_t(__popc(uint32_t(bits)) + __popc(uint32_t(bits >> 32)));
}

struct Count {
  Words words;
  Bits all, unmatched;
  motion::Counts* counts;

  __device__ void operator()(int32_t w, int32_t y) const {
    const uint64_t foreground = all.row(y)[w], lasting = foreground & unmatched.row(y)[w];
    const uint64_t word = words.word(w, y);
    if (!(word & foreground)) return;
    motion::for_each_run(word, [&](uint64_t run) {
      motion::Counts& of = counts[words.component(run, w, y)];
      atomicAdd(&of.foreground, count(run & foreground));
      atomicAdd(&of.unmatched, count(run & lasting));
    });
  }
};

struct Clear {
  Words words;
  const uint8_t* dropped;

  __device__ void operator()(int32_t w, int32_t y) const {
    const uint64_t word = words.word(w, y);
    uint64_t kept = word;
    motion::for_each_run(word, [&](uint64_t run) {
      if (dropped[words.component(run, w, y)]) kept &= ~run;
    });
    if (kept != word) words.mask.row(y)[w] = kept;
  }
};

}  // namespace

void motion_cuda::label_objects(const MotionArgs& args, AnyView mask, const Foreground& foreground,
                                Call& call) {
  std::vector<Component>& components = *args.components;
  const Words words{bits_of<Space::device>(mask),
                    call.scratch().image<int32_t, Space::device>(mask.width, mask.height)};
  size_t room = motion::room_of(components);
  auto* counts = call.scratch().take<motion::Counts>(room);
  auto* there = call.scratch().take<uint8_t>(room);
  label(mask, words.labels, &components, {args.options->connectivity}, call.nested());
  if (components.empty()) return;
  const size_t count = components.size();
  if (count > room) {
    room = count;
    counts = call.scratch().take<motion::Counts>(room);
    there = call.scratch().take<uint8_t>(room);
  }
  const auto stream = cuda::stream_of(call);
  const auto check = [](cudaError_t error) {
    cuda::check(error, "motion: counting displaced pixels");
  };
  check(cudaMemsetAsync(counts, 0, count * sizeof(motion::Counts), stream));
  cuda::for_each_pixel("motion", words.mask.words(), mask.height,
                       Count{words, bits_of<Space::device>(foreground.all),
                             bits_of<Space::device>(foreground.unmatched), counts},
                       call);
  Scratch host(call.nested(), Space::host);
  auto* counted = host.take<motion::Counts>(room);
  auto* dropped = host.take<uint8_t>(room);
  check(cudaMemcpyAsync(counted, counts, count * sizeof(motion::Counts), cudaMemcpyDeviceToHost,
                        stream));
  check(cudaStreamSynchronize(stream));
  if (motion::keep_objects(components, counted, dropped) == 0) return;
  cuda::copy_values(std::span<const uint8_t>(dropped, count), there, stream,
                    "motion: sending components");
  cuda::for_each_pixel("motion", words.mask.words(), mask.height, Clear{words, there}, call);
}

}  // namespace cuesta
