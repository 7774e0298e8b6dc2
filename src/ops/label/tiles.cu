// Strategy `tiles`: sets are found a tile at a time in shared memory, and what goes on in device
// memory is a tile's sets, not its pixels or runs. In launches:
// 1. A block reads its tile (bits, or bytes that it packs), lists its runs of set pixels in words
//    of 32, hangs each below the first that it touches, halves those ways until they are short, and
//    joins what else touches by compare-and-swap. Written are, a run, its place and its set's
//    number in the tile; a set, its first pixel; a word, which of its pixels are first ones. Sets
//    at the rim are open.
// 2. Open sets that touch across rims become one, as nodes of src/cuda/union_find.cuh; first pixels
//    that were none after all are cleared.
// 3. A scan over first pixels numbers the sets in raster order.
// 4. A block adds up its tile's sets in shared memory and writes those that are not open whole; an
//    open one adds to its root in device memory once. Labels are written in the same launch.
// 5. Components of open sets are written.
// Bound: 1 by issue, with about half of the lanes at work; 2 by chains of dependent reads; 4 by the
// labels' store, without labels by latency.
// Held a pixel, whatever the mask: 3 bytes for runs and sets (touched as far as there are some), 1
// for open sets, 1/4 for words (3/8 for a mask of bytes), 3/4 for components. With more components
// than one in 64 pixels, and than 65,536, memory for all of them beside.
// Source: tiles first is D. P. Playne and K. Hawick, "A new algorithm for parallel
// connected-component labelling on GPUs", IEEE TPDS 29(6), 2018; runs as in ladder/03_runs.cu.
#include "ops/label/cuda.hpp"
#include "ops/label/cuda/components.cuh"
#include "ops/label/cuda/tile_answers.cuh"
#include "ops/label/cuda/tile_numbers.cuh"
#include "ops/label/cuda/tile_seams.cuh"
#include "ops/label/cuda/tile_sets.cuh"

namespace cuesta {
namespace {

using namespace label_cuda;

// H200, 2026-11-22, components of a natural mask of bits in ms, 256 and 512 threads: 8192² 0.219
// and 0.231, 1024² 0.050 and 0.042, 512² 0.040 and 0.038. 4 x 64, 8 x 32, 16 x 32 and 4 x 128 words
// lost at 8192², by a hundredth (4 x 128) to a fifth. (Before step 1 read by atomics while it
// joins.)
using ManyTiles = TileShape<8, 64, 256>;
using FewTiles = TileShape<8, 64, 512>;
/// FewTiles where all run at once, 2,048 threads a multiprocessor. (What 4096² takes, with twice as
/// many, was not measured.)
constexpr int64_t most_at_once = 4;

/// Room for components: one in so many pixels, and components_at_once.
constexpr int64_t pixels_a_component = 64;

/// Components that come with their number, in one copy of 12 KB.
constexpr int32_t fetched_at_once = 256;
struct Few {
  Counts counts;
  Component components[fetched_at_once];
};

template <class Shape>
class Labelling {
 public:
  Labelling(const LabelArgs& args, Call& call) : args_(args), call_(call) {
    const ConstAnyView mask = args.mask;
    Scratch& scratch = call.scratch();
    t_.bits = static_cast<const char*>(mask.data);
    t_.stride_bytes = mask.stride_bytes;
    t_.width = mask.width, t_.height = mask.height;
    t_.words_a_row = (mask.width - 1) / word_pixels + 1;
    t_.across = (t_.words_a_row - 1) / Shape::words + 1;
    t_.down = (mask.height - 1) / Shape::rows + 1;
    t_.groups = t_.down * (Shape::rows / 32);
    const auto words = size_t(t_.words()), count = size_t(tiles());
    if (mask.type == PixelType::u8) {
      packed_ = scratch.take<uint32_t>(words);
      t_.bits = reinterpret_cast<const char*>(packed_);
      t_.stride_bytes = ptrdiff_t(t_.words_a_row) * ptrdiff_t(sizeof(uint32_t));
    }
    t_.first_run = scratch.take<uint16_t>(words);
    t_.set_of_run = scratch.take<uint16_t>(count * Shape::runs);
    t_.sets = scratch.take<uint16_t>(count * Shape::runs);
    t_.places = scratch.take<uint16_t>(count * Shape::runs);
    t_.tile_sets = scratch.take<int4>(count);
    t_.sides = scratch.take<uint32_t>(size_t(t_.across) * 2 * size_t(t_.groups));
    t_.sums = scratch.take<int32_t>(size_t(t_.word_groups()));
    t_.parents = scratch.take<OpenSet>(count * Shape::open_sets);
    t_.open_sums = scratch.take<Sums>(count * Shape::open_sets);
    const int64_t pixels = int64_t(t_.width) * t_.height;
    if (args.components) {
      room_ = int32_t(std::min(pixels / 2 + 1,
                               std::max(int64_t(components_at_once), pixels / pixels_a_component)));
    }
    // What has to be 0 lies together: the end of the last group, the parts of the scan, the counts,
    // components that are fetched before their number is known.
    const size_t roots = size_t(t_.word_groups()) * words_a_group;
    const size_t part_states = size_t(parts() + 1) / 2 * 2;  // what follows is aligned
    const size_t after = part_states * sizeof(uint64_t) + sizeof(Counts);
    auto* memory = scratch.take<unsigned char>(roots * sizeof(uint32_t) + after +
                                               size_t(room_) * sizeof(Component));
    t_.roots = reinterpret_cast<uint32_t*>(memory);
    t_.parts = reinterpret_cast<uint64_t*>(t_.roots + roots);
    t_.counts = reinterpret_cast<Counts*>(t_.parts + part_states);
    if (args.components) components_ = reinterpret_cast<Component*>(t_.counts + 1);
  }

  void run() {
    call_.stage("tiles");
    auto* tail = reinterpret_cast<unsigned char*>(t_.roots + t_.words());
    const auto end = reinterpret_cast<const unsigned char*>(t_.counts) + few_bytes();
    cuda::check(cudaMemsetAsync(tail, 0, size_t(end - tail), stream()),
                "label: clearing the counts");
    args_.options.connectivity == 8 ? find_sets<true>() : find_sets<false>();
    call_.stage("number");
    launch(number_sets, parts(), number_threads, t_);
    call_.stage("components");
    answer();
  }

 private:
  cudaStream_t stream() const { return cuda::stream_of(call_); }
  int64_t parts() const { return (t_.word_groups() - 1) / groups_a_part + 1; }
  int64_t tiles() const { return int64_t(t_.across) * t_.down; }
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), int64_t blocks, int threads,
              Arguments&&... arguments) {
    cuda::launch("label", kernel, dim3(unsigned(blocks)), dim3(unsigned(threads)), 0, stream(),
                 std::forward<Arguments>(arguments)...);
  }
  /// A thread an open set as far as the GPU has room for, which walk on from there.
  template <class... Parameters, class... Arguments>
  void launch_open_sets(void (*kernel)(Parameters...), Arguments&&... arguments) {
    const int64_t most = (tiles() * Shape::open_sets - 1) / open_set_threads + 1;
    launch(kernel, std::min<int64_t>(most, 8 * cuda::multiprocessors()), open_set_threads, t_,
           std::forward<Arguments>(arguments)...);
  }

  template <bool Eight>
  void find_sets() {
    if (packed_) {
      const ByteSource source{static_cast<const uint8_t*>(args_.mask.data), args_.mask.stride_bytes,
                              packed_};
      launch(find_tile_sets<Eight, Shape, ByteSource>, tiles(), Shape::threads, t_, source);
    } else {
      launch(find_tile_sets<Eight, Shape, BitSource>, tiles(), Shape::threads, t_, BitSource());
    }
    call_.stage("seams");
    const int64_t warps =
        int64_t(t_.down - 1) * t_.words_a_row + int64_t(t_.across - 1) * t_.groups;
    if (warps == 0) return;
    launch(join_seams<Eight, Shape>, (warps * 32 - 1) / seam_threads + 1, seam_threads, t_);
    launch_open_sets(flatten_open_sets);
  }

  int32_t few() const { return std::min(room_, fetched_at_once); }
  size_t few_bytes() const { return sizeof(Counts) + size_t(few()) * sizeof(Component); }
  void launch_answer() {
    const auto labels = args_.labels ? args_.labels.as<int32_t, Space::device>()
                                     : ImageView<int32_t, Space::device>();
    const auto kernel = !components_   ? answer_tiles<true, false, Shape>
                        : args_.labels ? answer_tiles<true, true, Shape>
                                       : answer_tiles<false, true, Shape>;
    launch(kernel, tiles(), Shape::threads, t_, labels, components_, room_);
    if (components_ && tiles() > 1) launch_open_sets(answer_open_sets, components_, room_);
  }
  void fetch(void* to, const void* from, size_t bytes) {
    cuda::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()),
                "label: fetching the components");
    cuda::check(cudaStreamSynchronize(stream()), "label: waiting for the components");
  }

  /// Answers before the number is known, in room for as many components as masks mostly have; with
  /// more, once again. Waits for the number, and for components beyond the first few.
  void answer() {
    if (args_.labels || components_) launch_answer();
    Few got;
    fetch(&got, t_.counts, few_bytes());
    const int32_t count = *args_.count = got.counts.sets;
    if (!components_) return;
    auto& components = *args_.components;
    if (count <= few()) return components.assign(got.components, got.components + count);
    if (count > room_) {
      components_ = reinterpret_cast<Component*>(
          call_.scratch().take<unsigned char>(size_t(count) * sizeof(Component)));
      room_ = count;
      launch_answer();
    }
    components.resize(size_t(count));
    fetch(components.data(), components_, size_t(count) * sizeof(Component));
  }

  const LabelArgs& args_;
  Call& call_;
  Tiles t_{};
  uint32_t* packed_ = nullptr;
  Component* components_ = nullptr;
  int32_t room_ = 0;
};

}  // namespace

void label_cuda::tiles(const LabelArgs& args, Call& call) {
  const dim3 grid = cuda::tiles(args.mask, ManyTiles::pixels, ManyTiles::rows);
  if (int64_t(grid.x) * grid.y <= most_at_once * cuda::multiprocessors())
    Labelling<FewTiles>(args, call).run();
  else
    Labelling<ManyTiles>(args, call).run();
}

}  // namespace cuesta
