// Strategy `lanes`: u8 with windows of 13 to 255, by the march of lanes.cuh over the picture
// itself.
#include "ops/median/lanes.cuh"

#include "cuda/tile_rows.hpp"
#include "ops/median/cuda.hpp"

namespace cuesta {
namespace {

using namespace median_cuda;

constexpr int min_ksize = 13;

struct Samples {
  MedianRequest q;
  int32_t rows;

  __device__ March march() const {
    const int32_t first = int32_t(blockIdx.y) * rows;
    return {int32_t(blockIdx.x) * warp_lanes, first, min(first + rows, q.src.height),
            int32_t(blockIdx.z)};
  }
  class Writer {
   public:
    __device__ __forceinline__ Writer(const MedianRequest& q, const March& place)
        : q_(q),
          x_(place.x),
          y_(place.first),
          to_(static_cast<uint8_t*>(q.dst.data) + place.first * q.dst.stride_bytes +
              int64_t(place.x) * q.dst.channels + place.channel) {}
    template <class Found>
    __device__ __forceinline__ void put(Found found) {
      if (x_ < q_.src.width) *to_ = leaves(q_, x_, y_) ? uint8_t(0) : uint8_t(found.value);
      to_ += q_.dst.stride_bytes;
      ++y_;
    }

   private:
    const MedianRequest& q_;
    int32_t x_, y_;
    uint8_t* to_;
  };
  __device__ __forceinline__ Writer writer(const March& place) const { return {q, place}; }
};

/// Rows of a march. The first window costs about a third of what as many results do, and a wave
/// of blocks ends half a march late.
int32_t rows_to_march(const MedianArgs& args, int warps) {
  const ConstAnyView& src = args.src;
  const auto slots = double(warps * cuda::multiprocessors());
  int32_t best = 0;
  double least = 0;
  for (int32_t rows = 8; rows <= 1024; rows = rows % 3 ? rows * 3 / 2 : rows / 3 * 4) {
    const double blocks =
        double(cuda::blocks(src.width, warp_lanes)) * src.channels * cuda::blocks(src.height, rows);
    const double cost = (std::max(blocks / slots, 0.5) + 0.5) * (args.options.ksize + 3.0 * rows);
    if (best == 0 || cost < least) best = rows, least = cost;
  }
  return std::max(best, int32_t(cuda::blocks(src.height, int32_t(cuda::max_grid_y))));
}

}  // namespace

std::string_view median_cuda::lanes_supports(const MedianArgs& args, const Parameters&) {
  if (args.src.type != PixelType::u8) return "other types than u8";
  if (args.options.ksize < min_ksize) return "windows below 13";
  return cuda::tiles_take(args.src);
}

void median_cuda::lanes(const MedianArgs& args, Call& call) {
  for_form(args.options.ksize, [&](auto form) {
    using F = decltype(form);
    const int32_t rows = rows_to_march(args, F::warps);
    const dim3 grid(cuda::blocks(args.src.width, warp_lanes), cuda::blocks(args.src.height, rows),
                    unsigned(args.src.channels));
    cuda::launch("median", median_lanes<F, Samples>, grid, dim3(warp_lanes), 0,
                 cuda::stream_of(call), Samples{request_of(args), rows});
  });
}

}  // namespace cuesta
