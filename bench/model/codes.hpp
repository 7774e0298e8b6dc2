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

/// Kernels that run from top to bottom: f32, u8, u16.
struct StraightCode {
  std::string_view kernel;
  Code floats, bytes, words;
};
// clang-format off
inline constexpr StraightCode straight[] = {
    {"naive",             {55, 6, 4},     {106, 7, 6},      {102, 12.2, 3.4}},
    {"constant",          {54.5, 6, 3.5}, {98.4, 9.7, 5.3}, {99, 11.5, 3}},
    {"shared",            {189, 1, 3},    {259, 0, 3.1},    {259, 0, 3.1}},
    {"shared-constant",   {190, 0.3, 2.6},{252, 1.8, 2.5},  {252, 1.8, 2.5}},
    {"texture",           {55, 2.5, 4.6}, {108, 3, 5.6},    {108, 3, 5.6}},
    {"texture-constant",  {5.5, 25.5, 2}, {85, 14.2, 4.2},  {85, 14.2, 4.2}},
    {"two-pass columns",  {39.5, 9.5, 0}, {37.5, 9.5, 0},   {37.5, 9.5, 0}},
    {"two-pass rows",     {57.5, 3.5, 0}, {109, 4.5, 0},    {109, 4.5, 0}},
    {"separable columns", {83.5, 3.5, 0}, {81.5, 3.5, 0},   {81.5, 3.5, 0}},
    {"separable rows",    {127.5, 2.5, 0},{179, 2.4, 0},    {179, 2.4, 0}},
    {"tiled T=1",         {113, 0, 2.65}, {165, 0, 2.6},    {165, 0, 2.6}},
};
// clang-format on

/// Of samples of 4, 1 or 2 bytes.
constexpr Code code_of(std::string_view kernel, int bytes) {
  for (const StraightCode& code : straight)
    if (code.kernel == kernel)
      return bytes == 4 ? code.floats : bytes == 2 ? code.words : code.bytes;
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
    {"shared-no-apron", 16, 261, 317, 227, 239},
    {"shared-no-apron",  8, 251, 307, 227, 239},
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

/// Kernels that loop, by the profile of 2026-11-22 with four tiles and as many as fit (fewer and
/// columns_straight are not in it: estimates): a warp once, more where four loads
/// go together, each load of a warp, each tile (or row of a warp's pixels).
struct LoopCode {
  double once = 0, four = 0, load = 0;
  Code tile{};
  constexpr double operator()(double warps, double loads_a_row, double loads, double pixels,
                              int k) const {
    return warps * (once + (loads_a_row > 3 ? four : 0)) + loads * load + pixels * tile(k);
  }
};
inline constexpr LoopCode tiled_floats = {45, 105, 15, {32, 0, 2.37}},
                          tiled_bytes = {45, 112, 15, {76, 0, 2.6}};
/// Sums down columns through the transposed tile and back; the same for both types.
inline constexpr LoopCode columns_transposed = {50, 118, 15, {22.5, 1.3, 0}};
inline constexpr LoopCode columns_straight = {50, 118, 15, {15, 1.3, 0}};
inline constexpr LoopCode rows_floats = {45, 85, 15, {30, 2.1, 0}},
                          rows_bytes = {45, 85, 15, {88, 2.4, 0}};
/// `row-cyclic`: a row of the window is found by a remainder; besides, what a warp makes for each
/// row of its block, whose two barriers are in it.
inline constexpr LoopCode cyclic_floats = {60, 0, 9, {14, 1.7, 2.7}},
                          cyclic_bytes = {60, 0, 9, {73.5, 0, 2.64}};
inline constexpr double cyclic_row = 120;
/// Canny's rows that roll: a warp once, each row that it loads, each load of it, each of its
/// pixels.
struct RollCode {
  double once = 0, row = 0, load = 0;
  Code pixel{};
};
inline constexpr RollCode canny_gaussian_rows = {100, 90, 15, {27, 24, 10}},
                          canny_sobel_rows = {100, 60, 11.5, {36, 0, 0}};

}  // namespace cuesta::bench::model
