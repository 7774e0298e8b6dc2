// Morphology and median on a GPU: many drawn requests beside the host's, and calls in a graph.
// Without a GPU these skip.
#include <gtest/gtest.h>

#include "cuesta/filter.hpp"
#include "cuesta/objects.hpp"
#include "support/device_filters.hpp"

namespace cuesta {
namespace {

using namespace testing_device;
using verify::Random;

class FiltersDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

constexpr int drawn_requests = 10000;

Border drawn_border(Random& random) {
  return {BorderMode(random.below(6)), double(random.below(300))};
}

// Sides of a few strips' and walks' ends.
int32_t drawn_side(Random& random) {
  return 1 + int32_t(random.below(random.below(8) == 0 ? 1200 : random.below(3) == 0 ? 150 : 40));
}

StructuringElement drawn_element(Random& random) {
  const auto side = [&](uint32_t most) { return 1 + int(random.below(most)); };
  switch (random.below(6)) {
    case 0:
    case 1: return StructuringElement::disk(2 * side(10) - 1);
    case 2: {
      const int n = side(20);
      return StructuringElement::rectangle(n, n);
    }
    case 3: return StructuringElement::rectangle(side(60), side(40));
    case 4: return StructuringElement::ellipse(side(40), side(30));
    default: {
      const int width = side(40), height = side(12);
      std::vector<uint8_t> cells(size_t(width) * size_t(height));
      for (auto& cell : cells) cell = random.below(4) == 0;
      cells[random.below(uint32_t(cells.size()))] = 1;
      return {width, height, cells};
    }
  }
}

TEST_F(FiltersDevice, MorphologyOfDrawnRequestsIsTheHosts) {
  Random random(11);
  int wrong = 0;
  for (int i = 0; i < drawn_requests && wrong < 5; ++i) {
    static constexpr PixelType types[] = {PixelType::bit, PixelType::u8, PixelType::u16};
    const PixelType type = types[random.below(3)];
    const int32_t width = drawn_side(random), height = drawn_side(random);
    const StructuringElement element = drawn_element(random);
    const auto what = Morph(random.below(4));
    MorphologyOptions options;
    if (random.below(3) != 0) options.border = drawn_border(random);
    const bool in_place = random.below(4) == 0;
    const bool equal =
        equal_there([&](ConstAnyView src, OutView dst,
                        const Exec& exec) { morphology(src, dst, what, element, options, exec); },
                    drawn_picture(type, width, height, random.next()), "fused", in_place);
    EXPECT_TRUE(equal) << "request " << i << ": " << width << "x" << height << " " << name_of(type)
                       << " element " << element.width() << "x" << element.height() << " of "
                       << element.count() << " cells, morph " << int(what)
                       << (in_place ? ", in place" : "");
    wrong += !equal;
  }
}

TEST_F(FiltersDevice, MedianOfDrawnRequestsIsTheHosts) {
  Random random(12);
  int wrong = 0;
  for (int i = 0; i < drawn_requests && wrong < 5; ++i) {
    const PixelType type = random.below(2) ? PixelType::u8 : PixelType::u16;
    const int32_t width = drawn_side(random), height = drawn_side(random);
    const MedianOptions options{random.below(2) ? 3 : 5, drawn_border(random)};
    const bool equal = equal_there(
        [&](ConstAnyView src, OutView dst, const Exec& exec) { median(src, dst, options, exec); },
        drawn_picture(type, width, height, random.next()), "fused");
    EXPECT_TRUE(equal) << "request " << i << ": " << width << "x" << height << " " << name_of(type)
                       << " ksize " << options.ksize << " border " << name_of(options.border.mode);
    wrong += !equal;
  }
}

#ifdef CUESTA_HAS_CUDA
TEST_F(FiltersDevice, AreCaptured) {
  for (const char* text : {"disk:15", "rect:15", "rect:9x31", "ellipse:9"}) {
    for (const PixelType type : {PixelType::bit, PixelType::u8, PixelType::u16}) {
      const auto element = StructuringElement::parse(text);
      expect_captured([&](ConstAnyView src, OutView dst,
                          const Exec& exec) { morph_close(src, dst, element, {}, exec); },
                      type, "fused", std::string(text) + " of " + name_of(type));
    }
  }
  for (const int ksize : {3, 5}) {
    expect_captured([&](ConstAnyView src, OutView dst,
                        const Exec& exec) { median(src, dst, {.ksize = ksize}, exec); },
                    PixelType::u8, "fused", "median " + std::to_string(ksize));
  }
}
#endif

}  // namespace
}  // namespace cuesta
