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

}  // namespace cuesta::bench::model
