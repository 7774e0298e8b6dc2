// Strategy `sums`: windows of any length, of u8 and u16. The Gaussian's undivided sums, which 32
// bits hold, go to a picture of their own by products on the tensor cores
// (ops/shared/factor_sums.hpp). A second kernel marches down it with the Laplacian and the rule.
//
// The picture of sums has a frame, because the Laplacian at the picture's sides takes sums around
// it: one row above and below, and four columns on either side so that a lane's four stay together.
// Responses of u8 have 32 bits, those of u16 64.
#include <algorithm>

#include "cuda/row_words.cuh"
#include "ops/log/cuda.hpp"
#include "ops/log/kernels.cuh"
#include "ops/shared/factor_sums.hpp"

namespace cuesta {
namespace {

using namespace log_cuda;

constexpr int threads = 128, columns = 4, strip = 16;  // columns and rows of a thread
constexpr int left = 4, above = 1;                     // of the frame
constexpr int wide = columns + 2;                      // responses of a row, one to each side

using Sums = ImageView<const int32_t, Space::device>;

/// Sums of columns x − 2 .. x + 5 of a row.
struct SumRow {
  uint32_t at[columns + 4];

  __device__ __forceinline__ SumRow(const Sums& sums, int32_t x, int32_t y, int32_t height) {
    // Rows further outside have no response.
    const int32_t* from = sums.row(min(max(y, -above), height) + above) + x + left;
    const auto first = *reinterpret_cast<const uint2*>(from - 2),
               last = *reinterpret_cast<const uint2*>(from + 4);
    const auto own = *reinterpret_cast<const uint4*>(from);
    at[0] = first.x, at[1] = first.y, at[2] = own.x, at[3] = own.y;
    at[4] = own.z, at[5] = own.w, at[6] = last.x, at[7] = last.y;
  }
};

/// Responses of columns x − 1 .. x + 4 of a row.
template <class Response>
struct Responses {
  Response at[wide] = {};

  __device__ __forceinline__ Responses() = default;
  __device__ __forceinline__ Responses(const LogRequest& q, const SumRow& upper, const SumRow& own,
                                       const SumRow& lower, int32_t x, int32_t y, bool is_inner) {
#pragma unroll
    for (int i = 0; i < wide; ++i)
      at[i] = Response(upper.at[i + 1]) + Response(lower.at[i + 1]) + Response(own.at[i]) +
              Response(own.at[i + 2]) - 4 * Response(own.at[i + 1]);
    if (is_inner && y >= 0 && y < q.src.height) return;
#pragma unroll
    for (int i = 0; i < wide; ++i)
      if (q.is_void(x - 1 + i, y)) at[i] = 0;
  }
};

/// What becomes of four responses: bytes of 255 where there is an edge, or the responses.
template <class Response, bool Aligned>
struct Rule {
  const LogRequest& q;
  Response threshold;

  __device__ explicit Rule(const LogRequest& request)
      : q(request),
        threshold(Response(min(request.threshold, int64_t(std::numeric_limits<Response>::max())))) {
  }
  __device__ __forceinline__ void store_edges(int32_t x, int32_t y,
                                              const bool (&edge)[columns]) const {
    uint32_t bytes[1] = {};
#pragma unroll
    for (int i = 0; i < columns; ++i) bytes[0] |= edge[i] ? 0xFFu << (8 * i) : 0;
    cuda::store_bytes<Aligned, columns>(q.dst.as<uint8_t, Space::device>(), x, y, bytes);
  }
  __device__ __forceinline__ void store(int32_t x, int32_t y,
                                        const Responses<Response>& own) const {
    if (q.dst.type == PixelType::u8) {
      bool edge[columns];
#pragma unroll
      for (int i = 0; i < columns; ++i)
        edge[i] = (own.at[i + 1] < 0 ? -own.at[i + 1] : own.at[i + 1]) > threshold;
      return store_edges(x, y, edge);
    }
    int32_t* to = q.dst.as<int32_t, Space::device>().row(y) + x;
#pragma unroll
    for (int i = 0; i < columns; ++i) {
      const auto v = int64_t(own.at[i + 1]);
      if (x + i < q.dst.width) to[i] = int32_t(min(max(v, int64_t(INT32_MIN)), int64_t(INT32_MAX)));
    }
  }
  __device__ __forceinline__ void store_crossings(int32_t x, int32_t y,
                                                  const Responses<Response>& upper,
                                                  const Responses<Response>& own,
                                                  const Responses<Response>& lower) const {
    bool edge[columns];
#pragma unroll
    for (int i = 0; i < columns; ++i)
      edge[i] = log::is_zero_crossing<Response>(own.at[i + 1], own.at[i], own.at[i + 2],
                                                upper.at[i + 1], lower.at[i + 1], threshold);
    store_edges(x, y, edge);
  }
};

template <class Response, bool Crossings, bool Aligned>
__global__ void __launch_bounds__(threads)
    log_of_sums(const __grid_constant__ LogRequest q, Sums sums) {
  const int64_t column = (int64_t(blockIdx.x) * threads + threadIdx.x) * columns,
                first = int64_t(cuda::block_row()) * strip;
  if (column >= q.src.width || first >= q.src.height) return;
  const auto x = int32_t(column), y0 = int32_t(first);
  const int32_t height = q.src.height, end = int32_t(min(first + strip, int64_t(height)));
  const bool is_inner = q.mode != BorderMode::ignore && x > 0 && x + wide <= q.src.width;
  const Rule<Response, Aligned> rule(q);
  const auto load = [&](int32_t y) { return SumRow(sums, x, y, height); };
  const auto respond = [&](const SumRow& upper, const SumRow& own, const SumRow& lower, int32_t y) {
    return Responses<Response>(q, upper, own, lower, x, y, is_inner);
  };
  SumRow upper = load(y0 - 1), own = load(y0), lower = load(y0 + 1);
  if constexpr (Crossings) {
    Responses<Response> before = respond(load(y0 - 2), upper, own, y0 - 1),
                        here = respond(upper, own, lower, y0);
#pragma unroll 4
    for (int32_t y = y0; y < end; ++y) {
      const SumRow next = load(y + 2);
      const Responses<Response> after = respond(own, lower, next, y + 1);
      rule.store_crossings(x, y, before, here, after);
      before = here, here = after, own = lower, lower = next;
    }
  } else {
#pragma unroll 4
    for (int32_t y = y0; y < end; ++y) {
      const SumRow next = load(y + 2);
      rule.store(x, y, respond(upper, own, lower, y));
      upper = own, own = lower, lower = next;
    }
  }
}

template <class Response>
void run(const LogRequest& q, const Sums& sums, Call& call) {
  const bool aligned = q.dst.type == PixelType::u8 && cuda::has_word_rows(q.dst);
  const auto kernel =
      q.crossings ? aligned ? log_of_sums<Response, true, true> : log_of_sums<Response, true, false>
      : aligned ? log_of_sums<Response, false, true>
                  : log_of_sums<Response, false, false>;
  cuda::launch("log", kernel,
               cuda::grid_of(cuda::blocks(q.src.width, threads * columns),
                             cuda::blocks(q.src.height, strip)),
               dim3(threads), 0, cuda::stream_of(call), q, sums);
}

factor_sums::Request sums_request(const LogArgs& args, const log::Window& window,
                                  ImageView<int32_t, Space::device> sums) {
  return {args.src, sums,  std::span(window.taps, size_t(window.size)),
          left,     above, args.options.border};
}

}  // namespace

std::string_view log_cuda::sums_take(const LogArgs& args, const Parameters&) {
  const log::Window window = log::window(args.options);
  if (window.size < 3) return "Gaussians of one tap";
  return factor_sums::takes(sums_request(args, window, {}));
}

void log_cuda::sums(const LogArgs& args, Call& call) {
  const log::Window window = log::window(args.options);
  const auto sums = call.scratch().image<int32_t, Space::device>(
      factor_sums::room_for(args.src.width + 2 * left), args.src.height + 2 * above);
  factor_sums::run(sums_request(args, window, sums), call);
  const LogRequest q = request_of(args, window);
  const Sums made(sums.data, sums.width, sums.height, 1, sums.stride_bytes);
  args.src.type == PixelType::u8 ? run<int32_t>(q, made, call) : run<int64_t>(q, made, call);
}

}  // namespace cuesta
