// The C interface against the C++ interface: equal bytes of every operation, equal defaults, and
// refusals that say why.
#include <cuesta.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "c/edge_options.hpp"
#include "cuesta/cuesta.hpp"
#include "lines/options.hpp"
#include "ops/background/options.hpp"
#include "ops/canny/options.hpp"
#include "ops/log/options.hpp"
#include "ops/sobel/options.hpp"
#include "support/errors.hpp"
#include "support/pictures.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using test::equal;
using verify::Pattern;

constexpr Size size{97, 61};

AnyImage drawn(PixelType type, int channels = 1, Pattern pattern = Pattern::natural) {
  AnyImage picture(size, channels, type);
  verify::fill(picture, pattern, 7);
  return picture;
}

AnyImage like(PixelType type, int channels = 1) {
  AnyImage picture(size, channels, type);
  verify::fill(picture, Pattern::constant, 1);
  return picture;
}

cuesta_view c_view(const AnyImage& picture) { return c::plain(picture.view()); }

#define EXPECT_OK(call) EXPECT_EQ(call, CUESTA_OK) << cuesta_error_text()

// Both forms of an operation on pictures of their own: `by_c` and `by_cpp` write into the one
// given.
template <class ByC, class ByCpp>
void expect_same(PixelType type, int channels, ByC&& by_c, ByCpp&& by_cpp) {
  AnyImage one = like(type, channels), other = like(type, channels);
  const AnyImage untouched = like(type, channels);
  const cuesta_view to = c_view(one);
  EXPECT_OK(by_c(&to));
  by_cpp(other.view());
  EXPECT_TRUE(equal(one, other));
  EXPECT_FALSE(equal(one, untouched)) << "the case shows nothing";
}

template <class Options, class Init>
Options defaults(Init* init) {
  Options options;
  std::memset(static_cast<void*>(&options), 0xAB, sizeof options);
  init(&options, sizeof options);
  EXPECT_EQ(options.size, sizeof options);
  return options;
}

TEST(CInterface, EdgesAreThoseOfCpp) {
  const AnyImage gray = drawn(PixelType::u8);
  const cuesta_view src = c_view(gray);

  // Defaults, as NULL and as filled in.
  const auto plain = defaults<cuesta_canny_options>(cuesta_canny_options_init);
  for (const cuesta_canny_options* options : {(const cuesta_canny_options*)nullptr, &plain}) {
    cuesta_thresholds used{};
    CannyResult found;
    expect_same(
        PixelType::u8, 1,
        [&](const cuesta_view* dst) { return cuesta_canny(nullptr, &src, dst, options, &used); },
        [&](AnyView dst) { found = canny(gray, dst); });
    EXPECT_EQ(used.low, found.low);
    EXPECT_EQ(used.high, found.high);
  }

  auto given = plain;
  const AnyImage mask = drawn(PixelType::u8, 1, Pattern::blobs);
  given.sigma = 0;
  given.rule = CUESTA_GIVEN;
  given.low = 40;
  given.high = 90;
  given.norm = CUESTA_L2;
  given.aperture = 5;
  given.mask = c_view(mask);
  expect_same(
      PixelType::u8, 1,
      [&](const cuesta_view* dst) { return cuesta_canny(nullptr, &src, dst, &given, nullptr); },
      [&](AnyView dst) {
        canny(gray, dst,
              {.sigma = 0,
               .thresholds = Given{40, 90},
               .norm = Norm::l2,
               .aperture = 5,
               .mask = mask});
      });
  auto percentile = plain;
  percentile.rule = CUESTA_PERCENTILE;
  percentile.percent = 70;
  expect_same(
      PixelType::u8, 1,
      [&](const cuesta_view* dst) {
        return cuesta_canny(nullptr, &src, dst, &percentile, nullptr);
      },
      [&](AnyView dst) {
        canny(gray, dst, {.thresholds = Automatic{AutoThreshold::percentile, 70}});
      });

  const AnyImage colors = drawn(PixelType::u8, 3, Pattern::noise);
  const cuesta_view of_colors = c_view(colors);
  for (const auto color : {ColorGradient::strongest, ColorGradient::structure}) {
    given.color = int32_t(color);
    expect_same(
        PixelType::u8, 1,
        [&](const cuesta_view* dst) {
          return cuesta_canny(nullptr, &of_colors, dst, &given, nullptr);
        },
        [&](AnyView dst) {
          canny(colors, dst,
                {.sigma = 0,
                 .thresholds = Given{40, 90},
                 .norm = Norm::l2,
                 .aperture = 5,
                 .mask = mask,
                 .color = color});
        });
  }
  // A program of before the last member.
  given.size = offsetof(cuesta_canny_options, color);
  given.color = 77;
  expect_same(
      PixelType::u8, 1,
      [&](const cuesta_view* dst) {
        return cuesta_canny(nullptr, &of_colors, dst, &given, nullptr);
      },
      [&](AnyView dst) {
        canny(colors, dst,
              {.sigma = 0,
               .thresholds = Given{40, 90},
               .norm = Norm::l2,
               .aperture = 5,
               .mask = mask});
      });
  given.size = sizeof given;
  AnyImage unwritten = like(PixelType::u8);
  const cuesta_view refused = c_view(unwritten);
  EXPECT_EQ(cuesta_canny(nullptr, &of_colors, &refused, &given, nullptr), CUESTA_INVALID_ARGUMENT);
  EXPECT_STREQ(cuesta_error_text(), "canny: color is 77; it must be 0 to 1");
  for (const size_t bytes : {size_t(4097), size_t(1) << 40}) {  // not read to their end
    given.size = bytes;
    EXPECT_EQ(cuesta_canny(nullptr, &of_colors, &refused, &given, nullptr),
              CUESTA_INVALID_ARGUMENT);
  }
  given.size = sizeof given;
  given.color = CUESTA_STRONGEST;

  const AnyImage across = drawn(PixelType::s16), down = drawn(PixelType::s16, 1, Pattern::noise);
  const cuesta_view dx = c_view(across), dy = c_view(down);
  cuesta_thresholds used{};
  expect_same(
      PixelType::u8, 1,
      [&](const cuesta_view* dst) {
        return cuesta_canny_of_gradients(nullptr, &dx, &dy, dst, &given, &used);
      },
      [&](AnyView dst) {
        canny_of_gradients(across, down, dst,
                           {.thresholds = Given{40, 90}, .norm = Norm::l2, .mask = mask});
      });
  EXPECT_EQ(used.high, 90);

  for (const AnyImage* picture : {&gray, &colors}) {
    const cuesta_view from = c_view(*picture);
    expect_same(
        PixelType::u8, 1,
        [&](const cuesta_view* dst) { return cuesta_boundaries(nullptr, &from, dst, nullptr); },
        [&](AnyView dst) { boundaries(*picture, dst); });
  }
  auto of_boundaries = defaults<cuesta_boundary_options>(cuesta_boundary_options_init);
  EXPECT_EQ(of_boundaries.threshold, BoundaryOptions{}.threshold);
  of_boundaries.threshold = 4;
  expect_same(
      PixelType::u8, 1,
      [&](const cuesta_view* dst) { return cuesta_boundaries(nullptr, &src, dst, &of_boundaries); },
      [&](AnyView dst) { boundaries(gray, dst, {.threshold = 4}); });
  of_boundaries.quality = CUESTA_HIGH;
  expect_same(
      PixelType::u8, 1,
      [&](const cuesta_view* dst) { return cuesta_boundaries(nullptr, &src, dst, &of_boundaries); },
      [&](AnyView dst) {
        boundaries(gray, dst, {.threshold = 4, .quality = BoundaryQuality::high});
      });

  expect_same(
      PixelType::u16, 1,
      [&](const cuesta_view* dst) { return cuesta_boundaries(nullptr, &src, dst, &of_boundaries); },
      [&](AnyView dst) { boundaries(gray, dst, {.quality = BoundaryQuality::high}); });
  auto of_regions = defaults<cuesta_region_options>(cuesta_region_options_init);
  EXPECT_EQ(of_regions.threshold, RegionOptions{}.threshold);
  of_regions.threshold = 0.2;
  for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::s32}) {
    expect_same(
        type, 1,
        [&](const cuesta_view* dst) { return cuesta_regions(nullptr, &src, dst, &of_regions); },
        [&](AnyView dst) { regions(gray, dst, {.threshold = 0.2}); });
  }

  auto of_log = defaults<cuesta_log_options>(cuesta_log_options_init);
  expect_same(
      PixelType::u8, 1,
      [&](const cuesta_view* dst) { return cuesta_log_edges(nullptr, &src, dst, nullptr); },
      [&](AnyView dst) { log_edges(gray, dst); });
  of_log.sigma = 1.4;
  expect_same(
      PixelType::u8, 1,
      [&](const cuesta_view* dst) { return cuesta_log_edges(nullptr, &src, dst, &of_log); },
      [&](AnyView dst) { log_edges(gray, dst, {.sigma = 1.4}); });
  of_log.mode = CUESTA_LOG_ZERO_CROSSINGS;
  of_log.threshold = 2;
  of_log.sigma = 2;
  of_log.border.mode = CUESTA_REPLICATE;
  expect_same(
      PixelType::u8, 1,
      [&](const cuesta_view* dst) { return cuesta_log_edges(nullptr, &src, dst, &of_log); },
      [&](AnyView dst) {
        log_edges(gray, dst,
                  {.mode = LogMode::zero_crossings,
                   .threshold = 2,
                   .sigma = 2,
                   .border = {BorderMode::replicate, 0}});
      });

  auto of_sobel = defaults<cuesta_sobel_options>(cuesta_sobel_options_init);
  of_sobel.norm = CUESTA_L2;
  of_sobel.border = {CUESTA_CONSTANT, 200};
  const SobelOptions sobel_options{.norm = Norm::l2, .border = {BorderMode::constant, 200}};
  AnyImage gx = like(PixelType::s16), direction = like(PixelType::u8);
  AnyImage gx_too = like(PixelType::s16), direction_too = like(PixelType::u8);
  cuesta_sobel_outputs out{};
  out.gx = c_view(gx);
  out.direction = c_view(direction);
  EXPECT_OK(cuesta_sobel(nullptr, &src, &out, &of_sobel));
  sobel(gray, SobelOutputs{.gx = gx_too, .direction = direction_too}, sobel_options);
  EXPECT_TRUE(equal(gx, gx_too));
  EXPECT_TRUE(equal(direction, direction_too));
}

void expect_lines(cuesta_lines* made, const Polylines& expected) {
  size_t count = 0;
  const cuesta_line* lines = cuesta_lines_all(made, &count);
  ASSERT_EQ(count, expected.size());
  EXPECT_GT(count, 1u) << "the case shows nothing";
  for (size_t i = 0; i < count; ++i) {
    const cuesta_line& line = lines[i];
    Polyline one{.closed = line.closed == 1, .length = line.length, .strength = line.strength};
    for (size_t n = 0; n < line.count; ++n)
      one.points.push_back({line.points[n].x, line.points[n].y, line.points[n].strength});
    EXPECT_EQ(one, expected[i]);
  }
  cuesta_lines_free(made);
}

TEST(CInterface, LinesAreThoseOfCpp) {
  const AnyImage gray = drawn(PixelType::u8);
  const cuesta_view src = c_view(gray);
  cuesta_lines* made = nullptr;
  EXPECT_OK(cuesta_trace_canny(&made, nullptr, &src, nullptr, nullptr));
  expect_lines(made, trace(gray, CannyOptions{}));

  auto how = defaults<cuesta_trace_options>(cuesta_trace_options_init);
  how.tolerance = 1;
  how.min_length = 4;
  how.refinement = CUESTA_PARABOLA;
  const TraceOptions by{.tolerance = 1, .min_length = 4, .refinement = Refinement::parabola};
  auto canny_options = defaults<cuesta_canny_options>(cuesta_canny_options_init);
  canny_options.sigma = 1;
  EXPECT_OK(cuesta_trace_canny(&made, nullptr, &src, &canny_options, &how));
  expect_lines(made, trace(gray, CannyOptions{.sigma = 1}, by));
  Image<uint8_t> edges(size.width, size.height);
  canny(gray, edges, {.sigma = 2});
  const cuesta_view found = c::plain(edges.view());
  EXPECT_OK(cuesta_trace_edges(&made, nullptr, &src, &found, &canny_options, &how));
  expect_lines(made, trace(gray, edges, CannyOptions{.sigma = 1}, by));
  auto log_options = defaults<cuesta_log_options>(cuesta_log_options_init);
  log_options.sigma = 2;
  log_options.threshold = 1;
  EXPECT_OK(cuesta_trace_log(&made, nullptr, &src, &log_options, &how));
  expect_lines(made, trace(gray, LogOptions{.threshold = 1, .sigma = 2}, by));

  how.refinement = 4;
  EXPECT_EQ(cuesta_trace_canny(&made, nullptr, &src, nullptr, &how), CUESTA_INVALID_ARGUMENT);
  EXPECT_STREQ(cuesta_error_text(), "trace: refinement is 4; it must be 0 to 3");
  EXPECT_EQ(cuesta_trace_canny(nullptr, nullptr, &src, nullptr, nullptr), CUESTA_INVALID_ARGUMENT);
  EXPECT_STREQ(cuesta_error_text(), "trace: made is NULL; it must point to an object");
  size_t count = 7;
  EXPECT_EQ(cuesta_lines_all(nullptr, &count), nullptr);
  EXPECT_EQ(count, 0u);
  cuesta_lines_free(nullptr);
}

TEST(CInterface, FiltersAreThoseOfCpp) {
  const AnyImage color = drawn(PixelType::u8, 3);
  const cuesta_view src = c_view(color);

  auto of_filter = defaults<cuesta_filter_options>(cuesta_filter_options_init);
  of_filter.absolute = 1;
  of_filter.offset = 3;
  of_filter.border.mode = CUESTA_WRAP;
  const FilterOptions filter_options{
      .border = {BorderMode::wrap, 0}, .absolute = true, .offset = 3};
  const int32_t taps[] = {1, 2, 3, 4, 5, -6, 7, 8, 9};
  const float fractions[] = {0.25f, 0.5f, -0.125f};
  cuesta_stencil integers{}, floats{}, text{};
  integers.integers = taps;
  integers.width = integers.height = 3;
  integers.divisor = 5;
  floats.floats = fractions;
  floats.width = 3;
  floats.height = 1;
  text.text = "1 0 -1;2 0 -2";
  const std::pair<const cuesta_stencil*, Stencil> pairs[] = {
      {&integers, Stencil::integers(3, 3, taps, 5)},
      {&floats, Stencil::floats(3, 1, fractions)},
      {&text, Stencil::parse(text.text)}};
  for (const auto& [of_c, of_cpp] : pairs) {
    expect_same(
        PixelType::s16, 3,
        [&, by = of_c](const cuesta_view* dst) {
          return cuesta_correlate(nullptr, &src, dst, by, &of_filter);
        },
        [&, &by = of_cpp](AnyView dst) { correlate(color, dst, by, filter_options); });
    expect_same(
        PixelType::u8, 3,
        [&, by = of_c](const cuesta_view* dst) {
          return cuesta_convolve(nullptr, &src, dst, by, nullptr);
        },
        [&, &by = of_cpp](AnyView dst) { convolve(color, dst, by); });
  }
  expect_same(
      PixelType::s16, 3,
      [&](const cuesta_view* dst) { return cuesta_laplacian(nullptr, &src, dst, nullptr); },
      [&](AnyView dst) { laplacian(color, dst); });

  auto of_gaussian = defaults<cuesta_gaussian_options>(cuesta_gaussian_options_init);
  of_gaussian.sigma = 2.5;
  expect_same(
      PixelType::u8, 3,
      [&](const cuesta_view* dst) { return cuesta_gaussian(nullptr, &src, dst, &of_gaussian); },
      [&](AnyView dst) { gaussian(color, dst, {.sigma = 2.5}); });

  expect_same(
      PixelType::u8, 3,
      [&](const cuesta_view* dst) { return cuesta_box(nullptr, &src, dst, nullptr); },
      [&](AnyView dst) { box(color, dst); });
  auto of_window = defaults<cuesta_window_options>(cuesta_sharpen_options_init);
  of_window.n = 5;
  expect_same(
      PixelType::u8, 3,
      [&](const cuesta_view* dst) { return cuesta_sharpen(nullptr, &src, dst, &of_window); },
      [&](AnyView dst) { sharpen(color, dst, {.n = 5}); });
  of_window = defaults<cuesta_window_options>(cuesta_median_options_init);
  EXPECT_EQ(of_window.border.mode, CUESTA_REPLICATE);
  of_window.n = 5;
  expect_same(
      PixelType::u8, 3,
      [&](const cuesta_view* dst) { return cuesta_median(nullptr, &src, dst, &of_window); },
      [&](AnyView dst) { median(color, dst, {.ksize = 5}); });
}

TEST(CInterface, ObjectsAreThoseOfCpp) {
  const AnyImage color = drawn(PixelType::u8, 3), gray = drawn(PixelType::u8),
                 noise = drawn(PixelType::u8, 1, Pattern::noise),
                 mask = drawn(PixelType::u8, 1, Pattern::blobs);
  const cuesta_view in_color = c_view(color), a = c_view(gray), b = c_view(noise),
                    masked = c_view(mask);
  const auto u8 = PixelType::u8;
  for (const auto order : {ColorOrder::rgb, ColorOrder::bgr}) {
    expect_same(
        u8, 1,
        [&](const cuesta_view* dst) {
          return cuesta_to_gray(nullptr, &in_color, dst, int32_t(order));
        },
        [&](AnyView dst) { to_gray(color, dst, order); });
  }
  expect_same(
      u8, 1, [&](const cuesta_view* dst) { return cuesta_absdiff(nullptr, &a, &b, dst); },
      [&](AnyView dst) { absdiff(gray, noise, dst); });
  expect_same(
      u8, 1, [&](const cuesta_view* dst) { return cuesta_threshold(nullptr, &a, dst, 90); },
      [&](AnyView dst) { threshold(gray, dst, 90); });
  expect_same(
      u8, 1,
      [&](const cuesta_view* dst) { return cuesta_absdiff_threshold(nullptr, &a, &b, dst, 60); },
      [&](AnyView dst) { absdiff_threshold(gray, noise, dst, 60); });

  uint64_t bins[256] = {};
  EXPECT_OK(cuesta_histogram(nullptr, &a, bins, 256));
  const auto counted = histogram(gray);
  EXPECT_TRUE(std::equal(counted.begin(), counted.end(), bins));
  int32_t otsu = -1;
  EXPECT_OK(cuesta_otsu_threshold(bins, 256, &otsu));
  EXPECT_EQ(otsu, otsu_threshold(counted));

  AnyImage bits(size, 1, PixelType::bit), unpacked = like(u8);
  const cuesta_view packed = c_view(bits), back = c_view(unpacked);
  EXPECT_OK(cuesta_pack_mask(nullptr, &masked, &packed));
  EXPECT_TRUE(equal(bits, pack_mask(mask)));
  EXPECT_OK(cuesta_unpack_mask(nullptr, &packed, &back));
  EXPECT_TRUE(equal(unpacked, mask));

  const uint8_t cells[] = {0, 1, 0, 1, 1, 1};
  cuesta_element disk{}, by_cells{};
  disk.text = "disk:5";
  by_cells.cells = cells;
  by_cells.width = 3;
  by_cells.height = 2;
  auto of_morphology = defaults<cuesta_morphology_options>(cuesta_morphology_options_init);
  EXPECT_EQ(of_morphology.has_border, 0);
  of_morphology.has_border = 1;
  of_morphology.border = {CUESTA_CONSTANT, 255};
  for (const auto what : {Morph::erode, Morph::dilate, Morph::open, Morph::close}) {
    expect_same(
        u8, 1,
        [&](const cuesta_view* dst) {
          return cuesta_morphology(nullptr, &masked, dst, int32_t(what), &disk, nullptr);
        },
        [&](AnyView dst) { morphology(mask, dst, what, StructuringElement::disk(5)); });
    expect_same(
        u8, 1,
        [&](const cuesta_view* dst) {
          return cuesta_morphology(nullptr, &masked, dst, int32_t(what), &by_cells, &of_morphology);
        },
        [&](AnyView dst) {
          morphology(mask, dst, what, StructuringElement(3, 2, cells),
                     {.border = Border{BorderMode::constant, 255}});
        });
  }

  expect_same(
      u8, 1,
      [&](const cuesta_view* dst) { return cuesta_remove_small(nullptr, &masked, dst, 9, 4); },
      [&](AnyView dst) { remove_small(mask, dst, {.min_area = 9, .connectivity = 4}); });
  expect_same(
      u8, 1, [&](const cuesta_view* dst) { return cuesta_fill_holes(nullptr, &masked, dst, 5, 8); },
      [&](AnyView dst) { fill_holes(mask, dst, {.max_area = 5, .connectivity = 8}); });

  auto of_label = defaults<cuesta_label_options>(cuesta_label_options_init);
  of_label.connectivity = 4;
  const auto found = label(mask, LabelOptions{.connectivity = 4});
  ASSERT_GT(found.components.size(), 2u);
  AnyImage labels = like(PixelType::s32);
  const cuesta_view labelled = c_view(labels);
  std::vector<cuesta_component> components(2);
  size_t count = 0;
  EXPECT_OK(cuesta_label(nullptr, &masked, &labelled, components.data(), 2, &count, &of_label));
  EXPECT_TRUE(equal(labels, found.labels));
  EXPECT_EQ(count, found.components.size());
  components.resize(count);
  EXPECT_OK(cuesta_label(nullptr, &masked, nullptr, components.data(), count, &count, &of_label));
  for (size_t i = 0; i < count; ++i) {
    const auto& one = components[i];
    EXPECT_EQ((Component{one.label,
                         {one.box.x, one.box.y, one.box.width, one.box.height},
                         one.area,
                         one.sum_x,
                         one.sum_y}),
              found.components[i]);
  }

  std::vector<cuesta_measures> measures(count);
  const auto of_cpp = measure(found.labels, int32_t(count), mask);
  EXPECT_OK(
      cuesta_measure(nullptr, &labelled, &masked, count, measures.data(), sizeof(cuesta_measures)));
  for (size_t i = 0; i < count; ++i) {
    const auto& one = measures[i];
    const Measures& other = of_cpp[i];
    EXPECT_EQ(
        std::tuple(one.label, one.area, one.box.x, one.box.height, one.centroid_x, one.perimeter,
                   one.orientation, one.eccentricity, one.mean, one.max),
        std::tuple(other.label, other.area, other.box.x, other.box.height, other.centroid_x,
                   other.perimeter, other.orientation, other.eccentricity, other.mean, other.max));
    EXPECT_EQ(one.moments[4 * 1 + 2], other.moments[1][2]);
    EXPECT_EQ(one.central_moments[4 * 2 + 0], other.central_moments[2][0]);
  }
  EXPECT_EQ(cuesta_measure(nullptr, &labelled, nullptr, count, measures.data(), 8),
            CUESTA_INVALID_ARGUMENT);
  EXPECT_EQ(cuesta_measure(nullptr, &labelled, nullptr, count, nullptr, sizeof(cuesta_measures)),
            CUESTA_INVALID_ARGUMENT);
  EXPECT_EQ(cuesta_measure(nullptr, &labelled, nullptr, size_t(1) << 31, measures.data(),
                           sizeof(cuesta_measures)),
            CUESTA_INVALID_ARGUMENT);
}

TEST(CMotionOptions, ASensitivityIsThatOfCpp) {
  for (const int32_t model : {CUESTA_BACKGROUND_FIRST, CUESTA_BACKGROUND_SAMPLES}) {
    for (const auto& [number, sensitivity] : {std::pair{CUESTA_SENSITIVITY_LOW, Sensitivity::low},
                                              {CUESTA_SENSITIVITY_NORMAL, Sensitivity::normal},
                                              {CUESTA_SENSITIVITY_HIGH, Sensitivity::high}}) {
      cuesta_motion_options of{};
      EXPECT_OK(cuesta_motion_options_for(&of, sizeof of, model, number));
      const auto cpp = MotionOptions::of(BackgroundModel(model), sensitivity);
      EXPECT_EQ(of.threshold, cpp.threshold.level);
      EXPECT_EQ(of.displacement, cpp.displacement);
      EXPECT_EQ(of.close.text, nullptr);
      const bool is_low = sensitivity == Sensitivity::low;
      ASSERT_EQ(of.open.cells != nullptr, is_low);
      if (!is_low) continue;
      ASSERT_EQ(of.open.width, cpp.open.width());
      EXPECT_TRUE(std::equal(cpp.open.cells().begin(), cpp.open.cells().end(), of.open.cells));
    }
  }
  cuesta_motion_options of{};
  EXPECT_EQ(cuesta_motion_options_for(&of, sizeof of, CUESTA_BACKGROUND_FIRST, 3),
            CUESTA_INVALID_ARGUMENT);
}

class CMotion : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Downscale, CMotion, testing::Values(1, 2));

TEST_P(CMotion, MovingObjectsAreThoseOfCpp) {
  auto of_c = defaults<cuesta_motion_options>(cuesta_motion_options_init);
  EXPECT_EQ(of_c.model, int32_t(MotionOptions{}.background.model));
  EXPECT_EQ(of_c.warm_up, MotionOptions{}.warm_up);
  EXPECT_OK(cuesta_motion_options_of(&of_c, sizeof of_c, CUESTA_BACKGROUND_FIRST));
  EXPECT_EQ(cuesta_motion_options_of(&of_c, sizeof of_c, 5), CUESTA_INVALID_ARGUMENT);
  of_c.open.text = "disk:3";  // of the other the model's own
  of_c.blur = 5;
  of_c.otsu = 1;
  auto cpp = MotionOptions::of(BackgroundModel::first);
  cpp.open = StructuringElement::disk(3);
  cpp.blur = 5;
  cpp.threshold.otsu = true;

  EXPECT_EQ(of_c.downscale, 1);
  of_c.downscale = GetParam();
  cuesta_motion_detector* detector = nullptr;
  ASSERT_EQ(cuesta_motion_detector_new(&detector, &of_c), CUESTA_OK) << cuesta_error_text();
  Downscale small(GetParam());
  MotionDetector other(small.options_for(cpp));
  cuesta_background* model = nullptr;
  auto of_background = defaults<cuesta_background_options>(cuesta_background_options_init);
  of_background.model = CUESTA_BACKGROUND_MEAN;
  ASSERT_EQ(cuesta_background_new(&model, &of_background), CUESTA_OK);
  BackgroundSubtractor subtractor({.model = BackgroundModel::mean});
  cuesta_context* context = cuesta_context_new();
  ASSERT_NE(context, nullptr);
  EXPECT_OK(cuesta_context_set_threads(context, 2));

  size_t seen = 0;
  for (int step = 0; step < 4; ++step) {
    AnyImage frame = like(PixelType::u8);
    for (int y = 10; y < 30 && step > 0; ++y) {
      for (int x = 10 * step; x < 10 * step + 15; ++x) frame.as<uint8_t>().at(x, y) = 250;
    }
    const cuesta_view view = c_view(frame);
    const cuesta_detection* found = nullptr;
    size_t count = 0;
    EXPECT_OK(cuesta_motion_detector_push(detector, context, &view, &found, &count));
    const auto expected = small.detections(other.push(small.look(frame)));
    ASSERT_EQ(count, expected.size());
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(
          (Detection{{found[i].box.x, found[i].box.y, found[i].box.width, found[i].box.height},
                     found[i].area,
                     found[i].centroid_x,
                     found[i].centroid_y}),
          expected[i]);
    }
    seen += count;
    cuesta_view mask{};
    EXPECT_OK(cuesta_motion_detector_mask(detector, &mask));
    EXPECT_TRUE(equal(c::picture(mask, "mask"), small.mask(other.mask())));
    EXPECT_EQ(cuesta_motion_detector_threshold(detector), other.threshold());
    cuesta_frame_state state{};
    EXPECT_OK(cuesta_motion_detector_state(detector, &state));
    EXPECT_EQ((FrameState{state.warming_up == 1, state.changed == 1, state.shift_x, state.shift_y}),
              small.state(other.states().back()));

    AnyImage difference = like(PixelType::u8), difference_too = like(PixelType::u8);
    cuesta_background_outputs out{};
    out.difference = c_view(difference);
    EXPECT_OK(cuesta_background_push(model, context, &view, &out, 25));
    subtractor.push(frame, BackgroundOutputs{.difference = difference_too});
    EXPECT_TRUE(equal(difference, difference_too));
  }
  EXPECT_GT(seen, 0u);
  // u16, after a reset: an eighth of a gray level.
  cuesta_background_reset(model);
  AnyImage deep = like(PixelType::u16), apart = like(PixelType::u16);
  cuesta_background_outputs out{};
  out.difference = c_view(apart);
  for (int step = 0; step < 2; ++step) {
    deep.as<uint16_t>().at(5, 5) = uint16_t(32 * step);
    const cuesta_view view = c_view(deep);
    EXPECT_OK(cuesta_background_push(model, context, &view, &out, 25));
  }
  EXPECT_EQ(apart.as<uint16_t>().at(5, 5), 32);
  EXPECT_GT(cuesta_context_bytes(context, CUESTA_HOST), 0u);
  cuesta_context_release_memory(context);
  EXPECT_EQ(cuesta_context_bytes(context, CUESTA_HOST), 0u);
  cuesta_context_free(context);
  cuesta_background_free(model);
  cuesta_motion_detector_free(detector);
}

TEST(CInterface, PixelsOfADetectorMayHaveThresholds) {
  auto options = defaults<cuesta_motion_options>(cuesta_motion_options_init);
  EXPECT_OK(cuesta_motion_options_of(&options, sizeof options, CUESTA_BACKGROUND_FIRST));
  options.downscale = 2;
  cuesta_motion_detector* detector = nullptr;
  ASSERT_EQ(cuesta_motion_detector_new(&detector, &options), CUESTA_OK) << cuesta_error_text();
  const AnyImage frame = like(PixelType::u8);
  AnyImage levels = like(PixelType::f32);
  for (int y = 0; y < levels.view().height; ++y)
    std::fill_n(levels.as<float>().row(y), levels.view().width, y == 0 ? 7.0f : 40.0f);
  cuesta_view view = c_view(levels);
  EXPECT_OK(cuesta_motion_detector_set_thresholds(detector, &view));
  view = c_view(frame);
  EXPECT_OK(cuesta_motion_detector_push(detector, nullptr, &view, nullptr, nullptr));
  EXPECT_EQ(cuesta_motion_detector_threshold(detector), 7);
  EXPECT_EQ(cuesta_motion_detector_set_thresholds(detector, &view), CUESTA_INVALID_ARGUMENT);
  EXPECT_STREQ(cuesta_error_text(), "motion: levels is u8; it must be f32");
  EXPECT_OK(cuesta_motion_detector_set_thresholds(detector, nullptr));
  EXPECT_OK(cuesta_motion_detector_push(detector, nullptr, &view, nullptr, nullptr));
  EXPECT_EQ(cuesta_motion_detector_threshold(detector), 25);
  EXPECT_EQ(cuesta_motion_detector_set_thresholds(nullptr, &view), CUESTA_INVALID_ARGUMENT);
  cuesta_motion_detector_free(detector);
}

TEST(CInterface, ContextsPinStrategies) {
  const AnyImage gray = drawn(PixelType::u8);
  AnyImage edges = like(PixelType::u8);
  const cuesta_view src = c_view(gray), dst = c_view(edges);
  cuesta_context* context = cuesta_context_new();
  EXPECT_OK(cuesta_context_set_strategy(context, "serial"));
  EXPECT_OK(cuesta_canny(context, &src, &dst, nullptr, nullptr));
  EXPECT_TRUE(equal(edges, canny(gray)));
  EXPECT_OK(cuesta_context_set_strategy(context, "no-such-row"));
  EXPECT_EQ(cuesta_canny(context, &src, &dst, nullptr, nullptr), CUESTA_INVALID_ARGUMENT);
  EXPECT_NE(std::string(cuesta_error_text()).find("no-such-row"), std::string::npos);
  EXPECT_OK(cuesta_context_set_strategy(context, nullptr));
  EXPECT_OK(cuesta_canny(context, &src, &dst, nullptr, nullptr));
  for (const int32_t threads : {-1, 4097, std::numeric_limits<int32_t>::max()})
    EXPECT_EQ(cuesta_context_set_threads(context, threads), CUESTA_INVALID_ARGUMENT);
  EXPECT_OK(cuesta_context_set_threads(context, 4096));
  cuesta_context_free(context);
}

TEST(CInterface, PicturesMayBeTheLibrarys) {
  const AnyImage gray = drawn(PixelType::u8);
  const cuesta_view src = c_view(gray);
  cuesta_view own{nullptr, size.width, size.height, 1, CUESTA_U8, CUESTA_HOST, 0};
  ASSERT_EQ(cuesta_view_allocate(&own), CUESTA_OK) << cuesta_error_text();
  EXPECT_EQ(own.stride_bytes % 64, 0);
  EXPECT_OK(cuesta_copy(&src, &own, nullptr));
  EXPECT_TRUE(equal(c::picture(own, "own"), gray));
  cuesta_view_free(&own);
  EXPECT_EQ(own.data, nullptr);
  cuesta_view_free(&own);
  own.width = -1;
  EXPECT_EQ(cuesta_view_allocate(&own), CUESTA_INVALID_ARGUMENT);
}

TEST(CInterface, WhatIsRefusedIsSaid) {
  AnyImage gray = drawn(PixelType::u8);
  const cuesta_view good = c_view(gray);
  cuesta_view bad = good;
  const auto said = [](cuesta_status status, cuesta_status wanted) {
    EXPECT_EQ(status, wanted);
    return std::string(cuesta_error_text());
  };
  EXPECT_EQ(said(cuesta_canny(nullptr, nullptr, &good, nullptr, nullptr), CUESTA_INVALID_ARGUMENT),
            "canny: src is NULL; it must point to an object");
  bad.type = 9;
  EXPECT_EQ(said(cuesta_canny(nullptr, &bad, &good, nullptr, nullptr), CUESTA_INVALID_ARGUMENT),
            "canny: src.type is 9; it must be 1 (CUESTA_U8) to 6 (CUESTA_BIT)");
  EXPECT_STREQ(cuesta_error_value(), "type 9");
  bad = good;
  bad.data = nullptr;
  EXPECT_NE(said(cuesta_canny(nullptr, &bad, &good, nullptr, nullptr), CUESTA_INVALID_ARGUMENT)
                .find("canny: src"),
            std::string::npos);
  auto of_sobel = defaults<cuesta_sobel_options>(cuesta_sobel_options_init);
  cuesta_sobel_outputs out{};
  out.magnitude = good;
  of_sobel.aperture = 4;
  EXPECT_EQ(said(cuesta_sobel(nullptr, &good, &out, &of_sobel), CUESTA_INVALID_ARGUMENT),
            test::error_of(ErrorCode::invalid_argument,
                           [&] { sobel(gray, SobelOutputs{.magnitude = gray}, {.aperture = 4}); }));
  of_sobel.size = 0;
  EXPECT_NE(
      said(cuesta_sobel(nullptr, &good, &out, &of_sobel), CUESTA_INVALID_ARGUMENT).find("_init"),
      std::string::npos);
  cuesta_stencil none{};
  EXPECT_EQ(said(cuesta_correlate(nullptr, &good, &good, &none, nullptr), CUESTA_INVALID_ARGUMENT),
            "correlate: stencil: 0 of text, integers and floats are set; set exactly one");
}

// A struct that has grown since its first version.
struct Grown {
  size_t size;
  int32_t first, second;
};
// Structs that must not compile: one nobody listed, one that grew without a new size in its list,
// and one whose sizes are not in order.
struct Unlisted {
  size_t size;
};
struct Forgotten {
  size_t size, grown;
};
struct Unordered {
  size_t size, second, third;
};
}  // namespace
template <>
struct c::Sizes<Grown> {
  static constexpr size_t all[] = {offsetof(Grown, second), sizeof(Grown)};
};
template <>
struct c::Sizes<Forgotten> {
  static constexpr size_t all[] = {sizeof(size_t)};
};
template <>
struct c::Sizes<Unordered> {
  static constexpr size_t all[] = {2 * sizeof(size_t), sizeof(size_t), sizeof(Unordered)};
};
namespace {

template <class Options>
concept Taken = requires(Options* to, const Options& defaults) {
  c::take_options(to, defaults, "");
  c::put_options(to, 0, defaults);
};
static_assert(Taken<Grown> && Taken<cuesta_canny_options>);
static_assert(!Taken<Unlisted> && !Taken<Forgotten> && !Taken<Unordered>);

// What cuesta.h had when its first version was built, and since.
TEST(CInterface, TakesEverySizeThatAStructHasHad) {
  EXPECT_EQ(offsetof(cuesta_canny_options, color), 96u);
  EXPECT_EQ(offsetof(cuesta_motion_options, downscale), 112u);
  EXPECT_EQ(offsetof(cuesta_motion_options, displacement), 116u);
  EXPECT_EQ(offsetof(cuesta_motion_options, absorb), 120u);
  EXPECT_EQ(offsetof(cuesta_background_options, absorb), 16u);
  auto older = defaults<cuesta_motion_options>(cuesta_motion_options_init);
  older.size = offsetof(cuesta_motion_options, downscale);
  older.downscale = 99;  // beyond the end of the caller's struct
  cuesta_motion_detector* made = nullptr;
  EXPECT_OK(cuesta_motion_detector_new(&made, &older));
  cuesta_motion_detector_free(made);
  older.size = offsetof(cuesta_motion_options, steady);
  EXPECT_EQ(cuesta_motion_detector_new(&made, &older), CUESTA_INVALID_ARGUMENT);
  EXPECT_STREQ(cuesta_error_text(),
               "motion: options.size is 108; it must be the size of the struct, 128 (call its "
               "_init function)");
}

// The numbers of an enumeration are those of cuesta.h, and none of its values is without one.
template <class Enum>
void expect_numbers() {
  for (const auto& named : names_of(Enum{})) {
    const int32_t number = c::number_of(named.value);
    ASSERT_GE(number, 0) << named.name;
    EXPECT_EQ(c::enumerator<Enum>(number, "it"), named.value) << named.name;
  }
  EXPECT_EQ(std::size(c::Numbers<Enum>::all), names_of(Enum{}).size());
  const int32_t past = std::prev(std::end(c::Numbers<Enum>::all))->number + 1;
  EXPECT_THROW(c::enumerator<Enum>(past, "it"), Error);
  EXPECT_THROW(c::enumerator<Enum>(-1, "it"), Error);
}
TEST(CInterface, EveryEnumeratorHasANumber) {
  expect_numbers<BorderMode>();
  expect_numbers<Norm>();
  expect_numbers<AutoThreshold>();
  expect_numbers<ColorGradient>();
  expect_numbers<LogMode>();
  expect_numbers<Refinement>();
  expect_numbers<BackgroundModel>();
  EXPECT_THROW(c::enumerator<AutoThreshold>(CUESTA_GIVEN, "rule"), Error) << "no rule";
}

TEST(CInterface, OptionsGrow) {
  const Grown defaults{sizeof(Grown), 1, 2};
  // A program that knows the first version sets what there was then.
  Grown older{offsetof(Grown, second), 7, -1};
  EXPECT_EQ(c::take_options(&older, defaults, "grown").first, 7);
  EXPECT_EQ(c::take_options(&older, defaults, "grown").second, 2);
  c::put_options(&older, offsetof(Grown, second), defaults);
  EXPECT_EQ(older.first, 1);
  EXPECT_EQ(older.second, -1) << "written past the caller's struct";
  // One that knows more than the library may not ask for it.
  struct Newer {
    Grown known;
    int64_t later;
  } newer{{sizeof(Newer), 7, 8}, 0};
  EXPECT_EQ(c::take_options(&newer.known, defaults, "grown").second, 8);
  newer.later = 1;
  EXPECT_EQ(
      test::error_of(ErrorCode::unsupported,
                     [&] { c::take_options(&newer.known, defaults, "grown"); }),
      "grown: the options set byte 16 of 24; this library supports 16, a newer one is required");
  c::put_options(&newer.known, sizeof newer, defaults);
  EXPECT_EQ(newer.known.second, 2);
  EXPECT_EQ(newer.later, 0);
}

}  // namespace
}  // namespace cuesta
