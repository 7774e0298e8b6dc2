// What paper 004 prints of 596 x 336, 124 frames, one object, on an i7-6700HQ and a GTX 960M:
// tables 3 to 9.
#pragma once

#include <span>
#include <string_view>

namespace cuesta::bench::paper_004 {

inline constexpr int width = 596, height = 336, frames = 124;

/// A line of a step table. Steps go by the names of our stages (ops/motion/stages.hpp).
struct Step {
  std::string_view name;
  double average_us, total_ms, share;  ///< percent
  double reduction = 0;                ///< over the version before, percent; 0: none printed
};

inline constexpr Step serial[] = {
    {"grayscale", 1030, 128, 0.25},      {"gaussian matrix", 13.5, 1.679, 0.003},
    {"blur", 258e3, 31.95e3, 61.5},      {"difference", 265, 32.8, 0.1},
    {"threshold", 279, 34.6, 0.07},      {"circle kernel", 1.17, 0.145, 0.0003},
    {"morphology", 124e3, 15.4e3, 29.6}, {"components", 15.1e3, 1.88e3, 3.61},
    {"boxes", 17.1e3, 2.12e3, 4.09}};

inline constexpr Step opencv[] = {
    {"grayscale", 216, 26.8, 9.53},      {"blur", 303, 37.59, 13.4},
    {"difference", 15.6, 1.93, 0.69},    {"threshold", 11.1, 1.38, 0.49},
    {"morphology", 1127.669, 140, 49.8}, {"components", 191, 23.7, 8.43},
    {"boxes", 109, 13.5, 4.82}};

inline constexpr Step v1_0[] = {
    {"grayscale", 56, 6.95, 0.57},   {"gaussian matrix", 1.89, 0.234, 0.02},
    {"blur", 3040, 378, 30.9},       {"difference", 23.2, 2.87, 0.24},
    {"threshold", 22.1, 2.74, 0.22}, {"circle kernel", 1.34, 0.166, 0.014},
    {"morphology", 4240, 526, 43},   {"dilate", 2110, 261, 21.4},
    {"erode", 2110, 262, 21.4},      {"components", 518, 64.3, 5.26},
    {"init", 29.1, 3.61, 0.3},       {"merge", 84.5, 10.5, 0.86},
    {"compress", 21.1, 2.62, 0.21},  {"boxes", 793, 98.3, 8.04},
    {"memory", 1210, 150, 12.3}};

inline constexpr Step v1_1[] = {
    {"grayscale", 34.2, 4.24, 0.46, 39}, {"gaussian matrix", 0.03, 0.00374, 0.0004, 98},
    {"blur", 1530, 189, 20.6, 50},       {"difference", 23.4, 2.91, 0.32},
    {"threshold", 22.6, 2.81, 0.31},     {"circle kernel", 0.009, 0.00115, 0.00013, 99},
    {"morphology", 4230, 525, 57},       {"dilate", 2110, 262, 28.4},
    {"erode", 2110, 262, 28.4},          {"components", 427, 53, 5.76},
    {"init", 29.3, 3.63, 0.39},          {"merge", 45.6, 5.65, 0.61},
    {"compress", 17.3, 2.15, 0.233},     {"boxes", 628, 77.8, 8.45},
    {"memory", 490, 60.8, 6.6, 59}};

// Of erosion it prints 14 % less; by its own times it is 46.
inline constexpr Step v1_2[] = {
    {"grayscale", 46.1, 5.71, 0.88},     {"gaussian matrix", 0.06, 0.00733, 0.001},
    {"blur", 912, 113, 17.4, 40},        {"difference", 28.4, 3.52, 0.54},
    {"threshold", 25.1, 3.11, 0.48},     {"circle kernel", 0.018, 0.00227, 0.0004},
    {"morphology", 2280, 282, 43.5, 46}, {"dilate", 1120, 139, 21.4, 47},
    {"erode", 1130, 140, 21.5, 14},      {"components", 597, 74, 11.4},
    {"init", 34.7, 4.31, 0.66},          {"merge", 60.8, 7.53, 1.16},
    {"compress", 19.2, 2.38, 0.37},      {"boxes", 457, 56.7, 8.74},
    {"memory", 711, 88.2, 13.6}};

inline constexpr Step v1_3[] = {{"grayscale", 32.5, 4.03, 0.72, 29},
                                {"gaussian matrix", 0.03, 0.004, 0.001},
                                {"blur", 908, 113, 20.1},
                                {"difference", 24.2, 3, 0.54, 15},
                                {"threshold", 24.5, 3.04, 0.54},
                                {"circle kernel", 0.015, 0.00189, 0.0003},
                                {"morphology", 2240, 279, 49.8},
                                {"dilate", 1110, 138, 24.8},
                                {"erode", 1120, 139, 24.8},
                                {"components", 413, 51.2, 9.17, 30},
                                {"init", 23.2, 2.87, 0.51, 33},
                                {"merge", 46.4, 5.75, 1.03, 23},
                                {"compress", 20.4, 2.53, 0.45},
                                {"boxes", 363, 45, 8.05},
                                {"memory", 478, 59.3, 10.6}};

/// A table of theirs, under the strategy that is ours.
struct Version {
  std::string_view strategy;
  double fps, total_ms;
  std::span<const Step> steps;
};
inline constexpr Version versions[] = {
    {"serial", 2.392, 51.9e3, serial}, {"opencv", 450.4, 281, opencv}, {"v1.0", 100.9, 1240, v1_0},
    {"v1.1", 135.5, 921, v1_1},        {"v1.2", 192.8, 649, v1_2},     {"v1.3", 224, 559, v1_3}};

constexpr const Version* version_of(std::string_view strategy) {
  for (const Version& version : versions) {
    if (version.strategy == strategy) return &version;
  }
  return nullptr;
}

/// Table 3, and the occupancy that its profiler saw (table 2), of v1.3.
struct Kernel {
  std::string_view name;  ///< ours
  int registers;
  double occupancy;
};
inline constexpr Kernel kernels[] = {
    {"grayscale", 11, 0.796}, {"blur", 37, 0.722},   {"difference", 8, 0.787},
    {"threshold", 7, 0.806},  {"dilate", 37, 0.715}, {"erode", 37, 0.717},
    {"init", 7, 0.812},       {"merge", 15, 0.614},  {"compress", 8, 0.689}};

}  // namespace cuesta::bench::paper_004
