// Strategy `tiles`: three launches from the source to masks of a bit a pixel, tiles in shared
// memory, then canny's hysteresis.
//
// Bytes of device memory that each moves a pixel, of one channel and of three, apart from what
// tiles read twice, which is mostly in the caches:
//   make_levels    source 1 | 3; level 1 0.5 | 1.5, level 2 0.125 | 0.375, activity 0.125
//   make_scales    level 2 read and written 0.25 | 0.75, activity 0.13
//   find_masks     level 1 0.5 | 1.5, level 2 0.125 | 0.375; masks 0.25
//   hysteresis     masks 0.25 and what is open of them; edges 1
// Of quality high besides:
//   find_masks     strengths 0.5 and tensors 3
//   make_cues      level 1 0.5, tensors 3; level 2 1.3 | 1.3, and what is above 0.6
//   mark_scored    masks 0.5 and the neighbourhoods of the maxima
#include "ops/boundaries/cuda.hpp"
#include "ops/boundaries/cuda/levels.cuh"
#include "ops/boundaries/cuda/scores.cuh"

namespace cuesta {
namespace boundary_cuda {
namespace {

class Launches {
 public:
  Launches(const BoundariesArgs& args, Call& call)
      : args_(args),
        call_(call),
        channels_(args.src.channels),
        scores_(args.options.quality == BoundaryQuality::high) {}

  void run() {
    call_.stage("pyramid");
    first_ = planes(half(args_.src.width), half(args_.src.height));
    second_ = planes(half(first_.first.width), half(first_.first.height));
    active_ = level<int16_t>(second_.first);
    if (scores_) totals_ = new_totals(call_);
    if (args_.src.type == PixelType::u8)
      launch_levels<uint8_t>();
    else
      launch_levels<uint16_t>();
    const Planes sums = planes(second_.first.width, second_.first.height);
    const int32_t across = half(active_.width), down = half(active_.height);
    far_ = level<int16_t>(half(across), half(down));
    cuda::launch_overlapped("boundaries", make_scales, grid_of(active_, unsigned(channels_ + 1)),
                            dim3(tile_threads), 0, cuda::stream_of(call_),
                            ScalesJob{second_, sums, active_, far_, channels_});
    call_.stage("suppression");
    SuppressJob job{first_, sums, far_, fixed_threshold(scores_ ? scored : args_.options),
                    new_masks()};
    if (scores_) {
      job.strengths = level<int16_t>(first_.first);
      for (WideLevel& part : job.tensor) part = level<int32_t>(first_.first);
      job.total = &totals_->strength;
    }
    channels_ == 1 ? launch_suppression<1>(job) : launch_suppression<3>(job);
    if (scores_) mark_by_scores(job);
    call_.stage("hysteresis");
    hysteresis::connect("boundaries", job.masks, Batch(args_.dst, 1, 0), call_);
  }

 private:
  template <class T>
  ImageView<T, Space::device> level(int32_t width, int32_t height) {
    return call_.scratch().image<T, Space::device>(width, height);
  }
  // Of the size of another, or of the level above it.
  template <class T, class View>
  ImageView<T, Space::device> level(const View& like) {
    return level<T>(like.width, like.height);
  }
  template <class T, class View>
  ImageView<T, Space::device> above(const View& one) {
    return level<T>(half(one.width), half(one.height));
  }
  Planes planes(int32_t width, int32_t height) {
    Level first = level<int16_t>(width, height * channels_);
    first.height = height;
    return {first, first.stride_bytes / ptrdiff_t(sizeof(int16_t)) * height};
  }
  hysteresis::Masks new_masks() {
    const int32_t words = hysteresis::mask_bytes(args_.src.width) / 4;
    const size_t all = size_t(words) * size_t(args_.src.height);
    return {call_.scratch().take<uint32_t>(all), call_.scratch().take<uint32_t>(all),
            args_.src.width, args_.src.height, words};
  }

  static dim3 grid_of(const Level& level, unsigned deep) {
    const int64_t tiles =
        int64_t(cuda::blocks(level.width, tile_columns)) * cuda::blocks(level.height, tile_rows);
    return dim3(unsigned(tiles), 1, deep);
  }
  // A block for every tile of level 1; `overlaps`: the kernel waits for those before itself.
  template <class Job>
  void launch_tiles(void (*kernel)(Job), size_t shared, const Job& job, bool overlaps = false) {
    cuda::allow_shared(kernel, shared, "boundaries");
    const dim3 grid = grid_of(first_.first, 1), block(tile_threads);
    const cudaStream_t stream = cuda::stream_of(call_);
    if (overlaps)
      cuda::launch_overlapped("boundaries", kernel, grid, block, shared, stream, job);
    else
      cuda::launch("boundaries", kernel, grid, block, shared, stream, job);
  }
  template <class View, class Body>
  void each(const View& of, const Body& body) {
    cuda::for_each_pixel("boundaries", of.width, of.height, body, call_);
  }

  template <class T>
  void launch_levels() {
    const auto src = args_.src.as<T, Space::device>();
    LevelsJob<T> job{.src = src,
                     .first = first_,
                     .second = second_,
                     .active = active_,
                     .total = scores_ ? &totals_->activity : nullptr};
    job.aligned = (reinterpret_cast<uintptr_t>(src.data) | uintptr_t(src.stride_bytes)) % 4 == 0;
    job.table = std::bit_cast<std::array<uint32_t, 64>>(responses());
    if (channels_ == 1)
      launch_tiles(make_levels<T, 1>, sizeof(LevelsTile<T, 1>), job);
    else
      launch_tiles(make_levels<T, 3>, sizeof(LevelsTile<T, 3>), job);
  }
  template <int Channels>
  void launch_suppression(const SuppressJob& job) {
    constexpr size_t shared = sizeof(SuppressTile<Channels>);
    if (scores_)
      launch_tiles(find_masks<Channels, true>, shared, job, true);
    else
      launch_tiles(find_masks<Channels, false>, shared, job, true);
  }

  // ---- quality high

  void mark_by_scores(const SuppressJob& job) {
    call_.stage("score");
    const int64_t samples = int64_t(first_.first.width) * first_.first.height;
    const ScoreJob marks{new_maps(job), totals_, samples, score_limits(args_.options), job.masks};
    for_each_row(marks.maps.surround.height,
                 FindMost<Level>{marks.maps.surround, &totals_->surround}, call_);
    launch_tiles(mark_scored, 0, marks);
  }
  Maps new_maps(const SuppressJob& job) {
    Maps maps{.strengths = job.strengths};
    std::copy_n(job.tensor, 3, maps.tensor);
    for (WideLevel& spread : maps.spread[0]) spread = level<int32_t>(active_);
    CuesJob two{.brightness = first_.first,
                .coarse = second_.first,
                .detail = level<int16_t>(active_),
                .grain = level<int16_t>(active_)};
    std::copy_n(maps.tensor, 3, two.tensor);
    std::copy_n(maps.spread[0], 3, two.spread);
    launch_tiles(make_cues, 0, two);
    maps.detail = level<int16_t>(active_);
    maps.grain = level<int16_t>(active_);
    each(active_, SmoothBoth{{two.detail, two.grain}, {maps.detail, maps.grain}});

    const Planes third = planes(half(active_.width), half(active_.height));
    maps.activity = above<int16_t>(active_);
    for (WideLevel& spread : maps.spread[1]) spread = above<int32_t>(active_);
    ThirdCues three{channels_, second_, third, active_, maps.activity};
    std::copy_n(maps.spread[0], 3, three.from);
    std::copy_n(maps.spread[1], 3, three.spread);
    each(maps.activity, three);

    maps.texture = level<int16_t>(maps.activity);
    maps.surround = level<int16_t>(far_);
    for (WideLevel& spread : maps.spread[2]) spread = level<int32_t>(far_);
    maps.brightness[0] = second_.first;
    maps.brightness[1] = third.first;
    maps.has_colors = channels_ == 3;
    if (maps.has_colors) {
      maps.red_green = first_.of(1);
      maps.red_green_far = level<int16_t>(far_);
      maps.yellow_blue_far = third.of(2);
    }
    FourthCues four{.activity = maps.activity,
                    .texture = maps.texture,
                    .far = far_,
                    .surround = maps.surround,
                    .red_green = third.of(1),
                    .red_green_far = maps.red_green_far};
    std::copy_n(maps.spread[1], 3, four.from);
    std::copy_n(maps.spread[2], 3, four.spread);
    each(maps.activity, four);
    return maps;
  }

  const BoundariesArgs& args_;
  Call& call_;
  int32_t channels_;
  bool scores_;
  Planes first_{}, second_{};  // levels 1 and 2
  Level active_{}, far_{};     // the activity, levels 2 and 4
  Totals* totals_ = nullptr;
};

}  // namespace

void tiles(const BoundariesArgs& args, Call& call) { Launches(args, call).run(); }

}  // namespace boundary_cuda
}  // namespace cuesta
