// Warp instructions of the rungs' kernels: of the machine code for compute capability 9.0 that nvcc
// 13.0 makes, on the path of a pixel inside the picture. tests/machine_code/check_model_codes.py
// holds `straight` against the build's own code.
#pragma once

#include <string_view>

namespace cuesta::bench::model {

/// Of a window of K × K taps, or of a sum of K: what does not depend on K, what each of K rows (or
/// taps of a line) adds, what each tap of the window.
struct Code {
  double head = 0, row = 0, tap = 0;
  constexpr double operator()(int k) const { return head + row * k + tap * k * k; }
};

/// Kernels that run from top to bottom: f32, u8.
struct StraightCode {
  std::string_view kernel;
  Code floats, bytes;
};
// clang-format off
inline constexpr StraightCode straight[] = {
    {"naive",            {55, 6, 4},       {106, 7, 6}},
    {"constant",         {54.5, 6, 3.5},   {98.4, 9.7, 5.3}},
    {"shared",           {189, 1, 3},      {259, 0, 3.1}},
    {"shared-constant",  {190, 0.3, 2.6},  {252, 1.8, 2.5}},
    {"texture",          {55, 2.5, 4.6},   {108, 3, 5.6}},
    {"texture-constant", {5.5, 25.5, 2},   {85, 14.2, 4.2}},
    {"two-pass columns", {39.5, 9.5, 0},   {37.5, 9.5, 0}},
    {"two-pass rows",    {57.5, 3.5, 0},   {109, 4.5, 0}},
    {"separable columns",{83.5, 3.5, 0},   {81.5, 3.5, 0}},
    {"separable rows",   {127.5, 2.5, 0},  {179, 2.4, 0}},
    {"tiled T=1",        {113, 0, 2.65},   {165, 0, 2.6}},
};
// clang-format on

constexpr Code code_of(std::string_view kernel, bool floats) {
  for (const StraightCode& code : straight)
    if (code.kernel == kernel) return floats ? code.floats : code.bytes;
  return {};
}

/// Of sobel's rungs, aperture 3, by block: sums to u8, roots to f32; of floats sums, roots. Where a
/// warp leaps over loads that it has no part in, the mean over a block's warps.
struct SobelCode {
  std::string_view kernel;
  int block = 32;
  double sums = 0, roots = 0, float_sums = 0, float_roots = 0;
  constexpr double operator()(bool floats, bool root) const {
    return floats ? root ? float_roots : float_sums : root ? roots : sums;
  }
};
// clang-format off
inline constexpr SobelCode sobel_codes[] = {
    {"global",          32, 150, 206, 129, 140},
    {"global",          16, 144, 200, 129, 140},
    {"global",           8, 144, 200, 129, 140},
    {"shared-no-apron", 32, 209, 265, 220, 232},
    {"shared-no-apron", 16, 261, 317, 317, 329},
    {"shared-no-apron",  8, 251, 307, 317, 329},
    {"shared-apron",    32, 164, 220, 170, 181},
    {"shared-apron",    16, 174, 230, 163, 174},
    {"shared-apron",     8, 194, 250, 183, 194},
    {"shared-1d",       32, 163, 219, 170, 181},
    {"shared-1d",       16, 170, 226, 163, 174},
    {"shared-1d",        8, 190, 246, 183, 194},
};
// clang-format on

constexpr SobelCode sobel_code_of(std::string_view kernel, int block) {
  for (const SobelCode& code : sobel_codes)
    if (code.kernel == kernel && code.block == block) return code;
  return {};
}

/// Of canny's rungs, kernels with a thread a pixel, aperture 3. `suppress` is the whole of its
/// code: a warp of a picture has all four directions, each a way of its own, and lanes that go to
/// the end of each. `step` is the way of a warp without candidates.
struct CannyCode {
  std::string_view kernel;
  double instructions = 0;
};
// clang-format off
inline constexpr CannyCode canny_codes[] = {
    {"sobel",    121},
    {"measure",  105},
    {"suppress", 248},
    {"compare",   45},
    {"step",      44},
    {"collect",   68},
    {"write",     40},
};
// clang-format on

constexpr double canny_code_of(std::string_view kernel) {
  for (const CannyCode& code : canny_codes)
    if (code.kernel == kernel) return code.instructions;
  return 0;
}
/// A K × K Gaussian with a loop of rows and one of columns, four at a time.
inline constexpr Code canny_gaussian = {-102, 94, 11.4};

/// Kernels that loop: a block once, each load of a warp, each tile (or row of a warp's pixels).
struct LoopCode {
  double once = 0, load = 0;
  Code tile{};
};
inline constexpr LoopCode tiled_floats = {45, 15, {32, 0, 2.65}},
                          tiled_bytes = {45, 15, {84, 0, 2.6}};
/// Sums down columns through the transposed tile and back; the same for both types.
inline constexpr LoopCode columns_transposed = {50, 15, {30, 3.5, 0}};
inline constexpr LoopCode columns_straight = {50, 15, {20, 3.5, 0}};
inline constexpr LoopCode rows_floats = {45, 15, {32, 2.5, 0}}, rows_bytes = {45, 15, {84, 2.4, 0}};
/// `row-cyclic`: a row of the window is found by a remainder.
inline constexpr LoopCode cyclic_floats = {60, 9, {40, 8, 2.65}},
                          cyclic_bytes = {60, 9, {90, 8, 2.6}};
/// Canny's rows that roll: a warp once, each row that it loads, each load of it, each of its
/// pixels.
struct RollCode {
  double once = 0, row = 0, load = 0;
  Code pixel{};
};
inline constexpr RollCode canny_gaussian_rows = {100, 90, 15, {27, 24, 10}},
                          canny_sobel_rows = {100, 60, 11.5, {36, 0, 0}};

}  // namespace cuesta::bench::model
