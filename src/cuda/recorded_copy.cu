#include "cuda/recorded_copy.hpp"

#include <algorithm>
#include <cstring>

#include "cuda/launch.cuh"

namespace cuesta::cuda {
namespace {

constexpr int store_threads = 256;

/// Bytes in a kernel's arguments, which may have 4,096 together.
struct Piece {
  static constexpr size_t max_bytes = 3584;
  unsigned char bytes[max_bytes];
};

__global__ void __launch_bounds__(store_threads)
    store_piece(const __grid_constant__ Piece piece, int bytes, unsigned char* to) {
  for (int i = int(threadIdx.x); i < bytes; i += store_threads) to[i] = piece.bytes[i];
}

}  // namespace

void copy_recorded(const void* values, size_t bytes, void* there, cudaStream_t stream,
                   std::string_view doing) {
  for (size_t i = 0; i < bytes; i += Piece::max_bytes) {
    const size_t count = std::min(bytes - i, Piece::max_bytes);
    Piece piece;
    std::memcpy(piece.bytes, static_cast<const char*>(values) + i, count);
    launch(doing, store_piece, dim3(1), dim3(store_threads), 0, stream, piece, int(count),
           static_cast<unsigned char*>(there) + i);
  }
}

}  // namespace cuesta::cuda
