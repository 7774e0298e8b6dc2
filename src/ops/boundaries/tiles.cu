// Strategy `tiles`: three launches from the source to masks of a bit a pixel, tiles in shared
// memory, then canny's hysteresis.
//
// Bytes of device memory that each moves a pixel, of one channel and of three, apart from what
// tiles read twice, which is mostly in the caches:
//   make_levels    source 1 | 3; level 1 0.5 | 1.5, level 2 0.125 | 0.375, activity 0.125
//   make_scales    level 2 read and written 0.25 | 0.75, activity 0.13
//   find_masks     level 1 0.5 | 1.5, level 2 0.125 | 0.375; masks 0.25
//   hysteresis     masks 0.25 and what is open of them; edges 1
#include "ops/boundaries/cuda.hpp"
#include "ops/boundaries/cuda/levels.cuh"
#include "ops/boundaries/cuda/suppress.cuh"

namespace cuesta {
namespace boundary_cuda {
namespace {

class Launches {
 public:
  Launches(const BoundariesArgs& args, Call& call)
      : args_(args), call_(call), channels_(args.src.channels) {}

  void run() {
    call_.stage("pyramid");
    const Level one = level(half(args_.src.width), half(args_.src.height));
    const Level two = level(half(one.width), half(one.height));
    const Level three = {nullptr, half(two.width), half(two.height)};
    const Planes first = planes(one), second = planes(two), sums = planes(two);
    const Level active = level(two.width, two.height);
    const Level far = level(half(three.width), half(three.height));
    if (args_.src.type == PixelType::u8)
      launch_levels<uint8_t>(first, second, active);
    else
      launch_levels<uint16_t>(first, second, active);
    launch("boundaries", make_scales, grid_of(two, unsigned(channels_ + 1)), 0,
           ScalesJob{second, sums, active, far, channels_});
    call_.stage("suppression");
    const hysteresis::Masks masks = new_masks();
    const SuppressJob job{first, sums, far, fixed_threshold(args_.options), masks};
    if (channels_ == 1)
      launch_suppression<1>(job);
    else
      launch_suppression<3>(job);
    call_.stage("hysteresis");
    hysteresis::connect("boundaries", masks, Batch(args_.dst, 1, 0), call_);
  }

 private:
  // A level's size; rows are padded.
  Level level(int32_t width, int32_t height) {
    return call_.scratch().image<int16_t, Space::device>(width, height);
  }
  Planes planes(const Level& size) {
    Level first = level(size.width, size.height * channels_);
    first.height = size.height;
    return {first, first.stride_bytes / ptrdiff_t(sizeof(int16_t)) * size.height};
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

  template <class T>
  void launch_levels(const Planes& first, const Planes& second, const Level& active) {
    const auto src = args_.src.as<T, Space::device>();
    LevelsJob<T> job{src, false, {}, first, second, active};
    job.aligned = (reinterpret_cast<uintptr_t>(src.data) | uintptr_t(src.stride_bytes)) % 4 == 0;
    job.table = std::bit_cast<std::array<uint32_t, 64>>(responses());
    if (channels_ == 1)
      launch(make_levels<T, 1>, sizeof(LevelsTile<T, 1>), job);
    else
      launch(make_levels<T, 3>, sizeof(LevelsTile<T, 3>), job);
  }
  template <int Channels>
  void launch_suppression(const SuppressJob& job) {
    launch(find_masks<Channels>, sizeof(SuppressTile<Channels>), job);
  }
  template <class Job>
  void launch(void (*kernel)(Job), size_t shared, const Job& job) {
    cuda::allow_shared(kernel, shared, "boundaries");
    launch("boundaries", kernel, grid_of(job.first.first, 1), shared, job);
  }
  template <class Job>
  void launch(std::string_view operation, void (*kernel)(Job), dim3 grid, size_t shared,
              const Job& job) {
    cuda::launch(operation, kernel, grid, dim3(tile_threads), shared, cuda::stream_of(call_), job);
  }

  const BoundariesArgs& args_;
  Call& call_;
  int32_t channels_;
};

}  // namespace

void tiles(const BoundariesArgs& args, Call& call) { Launches(args, call).run(); }

}  // namespace boundary_cuda
}  // namespace cuesta
