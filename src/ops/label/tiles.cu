// Strategy `tiles`: sets are found and added up a tile at a time in shared memory, and what
// continues in device memory is a tile's sets, not its pixels or runs. In launches:
// 1. A block reads a tile (bits, or bytes that it packs) and lists its nodes: 8-way the runs of
//    columns that hold a pixel in two rows of a word, 4-way the runs of one row. A node that stands
//    alone in its word, in a streak of such, hangs below the first of the streak, others below the
//    first that they touch; what else touches is joined by compare-and-swap. Nodes are added up to
//    sets. Those that do not reach the rim are components but for their number; for each pixel of
//    the rim the set that holds it is written, and for each word which pixels are first ones.
// 2. Open sets, those at the rim, that touch across rims become one, as nodes of
//    src/cuda/union_find.cuh.
// 3. They are added to their roots, and these have first pixels.
// 4. A scan over first pixels numbers the sets in raster order.
// 5. Components, closed sets and roots, are written where their numbers say: for the host as
//    records (cuda/records.cuh), or into a list of the caller's on the GPU, and then nothing waits.
// 6. Labels, where they are wanted.
// From 2 on launches overlap with the one before (cuda/overlap.cuh).
// Bound: 1, which is half of the work and more, by issue, barriers and chains of reads from shared
// memory; many components by the host's memory, where their list is written (cuda/fetch.cuh), after
// that by the bus; labels by their store.
// Held a pixel, whatever the mask: 1 1/4 bytes for open sets, rims and words (4-way 2), 2 3/4 for
// components of the host's (touched as far as there are some), 3/4 more for labels (4-way 1 1/4).
// Source: tiles first is D. P. Playne and K. Hawick, "A new algorithm for parallel
// connected-component labelling on GPUs", IEEE TPDS 29(6), 2018; runs as in ladder/03_runs.cu; two
// rows to a node as the blocks of C. Grana, D. Borghesani and R. Cucchiara, "Optimized block-based
// connected components labeling with decision trees", IEEE TIP 19(6), 2010.
#include "ops/label/cuda.hpp"

#include <optional>

#include "cuda/launch.cuh"
#include "ops/label/cuda/fetch.cuh"
#include "ops/label/cuda/tile_answers.cuh"
#include "ops/label/cuda/tile_numbers.cuh"
#include "ops/label/cuda/tile_seams.cuh"
#include "ops/label/cuda/tile_sets.cuh"

namespace cuesta {
namespace {

using namespace label_cuda;

/// Room for components: one in this many pixels, and at least components_in_any, as far as a mask
/// can have them.
constexpr int64_t pixels_a_component = 32;
constexpr int64_t components_in_any = 1 << 18;

template <class Shape>
class Labelling {
 public:
  Labelling(const LabelArgs& args, Call& call) : args_(args), call_(call) {
    if (!is_listed()) fetch_.emplace(call);
    const ConstAnyView mask = args.mask;
    t_.bits = static_cast<const char*>(mask.data);
    t_.stride_bytes = mask.stride_bytes;
    t_.width = mask.width, t_.height = mask.height;
    t_.words_a_row = (mask.width - 1) / word_pixels + 1;
    t_.across = (t_.words_a_row - 1) / Shape::words + 1;
    t_.down = (mask.height - 1) / Shape::rows + 1;
    const auto count = size_t(tiles());
    if (mask.type == PixelType::u8 && args.labels()) {
      packed_ = take<uint32_t>(size_t(t_.words()));
      t_.bits = reinterpret_cast<const char*>(packed_);
      t_.stride_bytes = ptrdiff_t(t_.words_a_row) * ptrdiff_t(sizeof(uint32_t));
    }
    t_.first_rows = take<int32_t>(size_t(t_.down) * size_t(t_.width));
    t_.last_rows = take<int32_t>(size_t(t_.down) * size_t(t_.width));
    t_.first_columns = take<int32_t>(size_t(t_.across) * size_t(t_.height));
    t_.last_columns = take<int32_t>(size_t(t_.across) * size_t(t_.height));
    t_.sums = take<int32_t>(size_t(t_.word_groups()));
    t_.parents = take<OpenSet>(count * Shape::open_sets);
    t_.open_sums = take<Sums>(count * Shape::open_sets);
    if (args.labels()) {
      t_.tile_sets = take<int4>(count);
      t_.first_node = take<uint16_t>(count * Shape::cells);
      t_.set_of_node = take<uint16_t>(count * Shape::nodes);
      t_.open_labels = take<int32_t>(count * Shape::open_sets);
    }
    const int64_t pixels = int64_t(t_.width) * t_.height;
    make_room(std::min(max_components(),
                       is_listed() ? args.device_list()->room
                                   : std::max(components_in_any, pixels / pixels_a_component)));
  }

  void run() {
    enqueue();
    if (is_listed()) return;
    Counts counts = fetch();
    if (wants_sets() && counts.sets > room_) {
      // Once more, in memory that follows from the mask.
      make_room(counts.sets);
      enqueue();
      counts = fetch();
    }
    args_.set_count(counts.sets);
    if (args_.components()) fetch_->components(records_, counts, *args_.components());
  }

 private:
  cudaStream_t stream() const { return cuda::stream_of(call_); }
  int64_t tiles() const { return int64_t(t_.across) * t_.down; }
  bool is_listed() const { return args_.device_list(); }
  bool wants_sets() const { return args_.components() || args_.labels() || is_listed(); }
  template <class T>
  T* take(size_t count) {
    return call_.scratch().template take<T>(count);
  }
  /// As many as a mask of the size can have.
  int64_t max_components() const {
    const int64_t pairs = (int64_t(t_.width) + 1) / 2;
    return Shape::eight ? pairs * ((int64_t(t_.height) + 1) / 2)
                        : (int64_t(t_.width) * t_.height + 1) / 2;
  }

  /// Components that are not small: such a one has more pixels than a small one is long.
  int32_t max_large() const {
    return int32_t(int64_t(t_.width) * t_.height / (SmallComponent::side + 1));
  }

  /// Memory for this many components. What has to be 0 is together: words past the last, the parts
  /// of the scan, the counts, larger components that are fetched before their number is known.
  void make_room(int64_t components) {
    room_ = wants_sets() ? int32_t(components) : 0;
    t_.closed_room = room_;
    records_ = {};
    if (args_.components()) {
      records_.room = room_;
      records_.large_room = std::min(room_, max_large());
      records_.small = reinterpret_cast<SmallComponent*>(take<uint64_t>(size_t(room_)));
      records_.width = t_.width;
    }
    t_.closed = take<ClosedSet>(size_t(room_));
    if (args_.labels()) t_.closed_labels = take<int32_t>(size_t(room_));
    const size_t roots = size_t(t_.word_groups()) * words_a_group;
    const size_t parts = size_t(this->parts() + 1) / 2 * 2;  // what follows is aligned
    auto* memory =
        take<unsigned char>(roots * sizeof(uint32_t) + parts * sizeof(uint64_t) + sizeof(Counts) +
                            size_t(records_.large_room) * sizeof(Component));
    t_.roots = reinterpret_cast<uint32_t*>(memory);
    t_.parts = reinterpret_cast<uint64_t*>(t_.roots + roots);
    t_.counts = reinterpret_cast<Counts*>(t_.parts + parts);
    records_.counts = t_.counts;
    if (args_.components()) records_.large = reinterpret_cast<Component*>(t_.counts + 1);
  }
  int64_t parts() const { return (t_.word_groups() - 1) / groups_a_part + 1; }

  Counts fetch() {
    call_.stage("fetch");
    return fetch_->counts(records_);
  }
  void enqueue() {
    records_.fetched = fetch_ ? fetch_->records_at_once(records_.room) : 0;
    const int32_t large = fetch_ ? fetch_->large_at_once(records_.large_room) : 0;
    auto* cleared = reinterpret_cast<char*>(t_.roots + t_.words());
    const auto* end =
        reinterpret_cast<const char*>(t_.counts + 1) + size_t(large) * sizeof(Component);
    call_.stage("tiles");
    cuda::check(cudaMemsetAsync(cleared, 0, size_t(end - cleared), stream()),
                "label: clearing the counts");
    find_sets();
    call_.stage("seams");
    const int64_t rim_pixels = int64_t(t_.down - 1) * t_.width + int64_t(t_.across - 1) * t_.height;
    if (rim_pixels > 0)
      launch(join_seams<Shape::eight>, (rim_pixels - 1) / seam_threads + 1, seam_threads, t_);
    launch_sets(merge_open_sets, tiles() * Shape::open_sets, 8);
    call_.stage("number");
    launch(number_sets, parts(), number_threads, t_);
    if (wants_sets()) {
      call_.stage("components");
      if (const DeviceComponents* to = args_.device_list())
        answer(DeviceList{to->list, to->room, to->count});
      else if (args_.components())
        answer(records_);
      else
        answer(NoList());
    }
    if (args_.labels()) {
      call_.stage("labels");
      launch(write_labels<Shape>, tiles(), Shape::threads, t_,
             args_.labels().as<int32_t, Space::device>());
    }
  }
  template <class List>
  void answer(const List& list) {
    // Without a list there are labels.
    const auto kernel = args_.labels() ? answer_sets<true, List> : answer_sets<!List::wanted, List>;
    launch_sets(kernel, room_ + tiles() * Shape::open_sets, 16, list);
  }
  void find_sets() {
    if (args_.mask.type == PixelType::u8) {
      find_sets(ByteSource{static_cast<const uint8_t*>(args_.mask.data), args_.mask.stride_bytes,
                           packed_});
    } else {
      find_sets(BitSource());
    }
  }
  template <class Source>
  void find_sets(const Source& source) {
    const auto kernel =
        args_.labels() ? find_tile_sets<Shape, true, Source> : find_tile_sets<Shape, false, Source>;
    cuda::launch("label", kernel, dim3(unsigned(tiles())), dim3(Shape::threads), 0, stream(), t_,
                 source);
  }
  /// Of what follows find_tile_sets.
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), int64_t blocks, int threads,
              Arguments&&... arguments) {
    cuda::launch_overlapped("label", kernel, dim3(unsigned(blocks)), dim3(unsigned(threads)), 0,
                            stream(), std::forward<Arguments>(arguments)...);
  }
  /// A thread for each of at most this many sets as far as the GPU has room, `blocks` a
  /// multiprocessor; they walk on from there.
  template <class... Parameters, class... Arguments>
  void launch_sets(void (*kernel)(Parameters...), int64_t most, int blocks,
                   Arguments&&... arguments) {
    launch(
        kernel,
        std::min<int64_t>((most - 1) / set_threads + 1, int64_t(blocks) * cuda::multiprocessors()),
        set_threads, t_, std::forward<Arguments>(arguments)...);
  }

  const LabelArgs& args_;
  Call& call_;
  std::optional<ComponentFetch> fetch_;  // of a list that the host wants
  Tiles t_{};
  uint32_t* packed_ = nullptr;
  Records records_{};
  int32_t room_ = 0;
};

}  // namespace

// Tiles of 8 words. H200, 2026-11-22, components of masks of bits in ms, without their way to the
// host, 8 and 4 words: 8192² 0.145 and 0.147, 1024² 0.038 and 0.046; 16 words lost by a fifth.
void label_cuda::tiles(const LabelArgs& args, Call& call) {
  if (args.options.connectivity == 8)
    Labelling<TileShape<true, 8>>(args, call).run();
  else
    Labelling<TileShape<false, 8>>(args, call).run();
}

}  // namespace cuesta
