// Bands on a GPU are the host's whole pictures, however they are cut, from however many threads and
// GPUs. Without a GPU these skip, and say why.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/device_memory.hpp"
#include "core/round_trip.hpp"
#include "cuesta/bands.hpp"
#include "cuesta/device.hpp"
#include "cuesta/error.hpp"
#include "cuesta/filter.hpp"
#include "support/bands.hpp"
#include "support/drawings.hpp"
#include "support/errors.hpp"
#include "support/pictures.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using test::on_gpu, test::canny_in_bands, test::differing, test::drawn_canny, test::drawn_cuts,
    test::equal, test::error_of, test::lit, test::rows_of;
using verify::Pattern;

class BandsDevice : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    for (const DeviceInfo& gpu : list_devices(&why)) all_.push_back(gpu.index);
    if (all_.empty()) GTEST_SKIP() << "no GPU: " << why;
  }
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }

  std::vector<int> all_;
  std::mt19937 random_{23};
};

TEST_F(BandsDevice, EveryCutOfDrawnPicturesIsTheHostsWhole) {
  RoundTrip gpu(all_.back());
  int64_t edges = 0;
  for (int i = 0; i < 48; ++i) {
    const auto [src, mask, options] = drawn_canny(300, 120, random_);
    const int32_t width = src.width(), height = src.height();
    Image<uint8_t> whole(width, height);
    const CannyResult found = canny(src, whole, options);
    edges += lit(whole);
    for (const char* strategy : {"", "plain"}) {
      const auto cuts = drawn_cuts(height, random_);
      CannyResult used;
      const Image<uint8_t> made =
          canny_in_bands(src, options, cuts, gpu.exec({.strategy = strategy}), used, on_gpu(gpu));
      ASSERT_EQ(differing(whole, made), 0)
          << "picture " << i << ", " << width << " x " << height << " by '" << strategy << "', "
          << cuts.size() << " bands";
      ASSERT_EQ(used.low, found.low) << "picture " << i;
      ASSERT_EQ(used.high, found.high) << "picture " << i;
    }
  }
  EXPECT_GT(edges, 10000);  // there was something to compare
}

TEST_F(BandsDevice, TheSigmaOfEveryCutIsTheHosts) {
  RoundTrip gpu(all_.back());
  for (int i = 0; i < 24; ++i) {
    const auto [src, mask, options] = drawn_canny(300, 120, random_);
    SigmaBands whole(src.width()), bands(src.width());
    whole.count(src, 0, src.height());
    int32_t begin = 0;
    for (const int32_t end : drawn_cuts(src.height(), random_)) {
      const int32_t low = std::max(0, begin - bands.reach());
      const int32_t high = std::min(src.height(), end + bands.reach());
      on_gpu(gpu)(ConstAnyView(src).region({0, low, src.width(), high - low}), {},
                  [&](ConstAnyView there, ConstAnyView) {
                    bands.count(there, begin - low, end - low, gpu.exec({}));
                  });
      begin = end;
    }
    ASSERT_EQ(bands.counts(), whole.counts()) << "picture " << i;
    EXPECT_EQ(bands.find_sigma(), whole.find_sigma());
  }
}

TEST_F(BandsDevice, HysteresisWindsThroughAnyNumberOfSeams) {
  RoundTrip gpu(all_.front());
  const Image<uint8_t> spiral = drawn_spiral(200, true);
  const CannyOptions options{.thresholds = Given{20, 200}};
  const Image<uint8_t> whole = canny(spiral, options);
  EXPECT_GT(lit(whole), 500);
  for (const int32_t rows : {1, 17, 64, 200}) {
    std::vector<int32_t> cuts;
    for (int32_t y = rows; y < 200; y += rows) cuts.push_back(y);
    cuts.push_back(200);
    CannyResult used;
    ASSERT_EQ(
        differing(whole, canny_in_bands(spiral, options, cuts, gpu.exec({}), used, on_gpu(gpu))), 0)
        << rows;
  }
}

TEST_F(BandsDevice, ComponentsOfEveryCutAreTheHostsWhole) {
  RoundTrip gpu(all_.back());
  constexpr std::array patterns = {Pattern::extremes, Pattern::sparse, Pattern::blobs};
  size_t found = 0;
  for (int i = 0; i < 40; ++i) {
    const int32_t width = pick(1, 200), height = pick(1, 120);
    const LabelOptions options{pick(0, 1) ? 8 : 4};
    AnyImage bytes(width, height, 1, PixelType::u8);
    BitImage bits(width, height);
    const Pattern pattern = patterns[size_t(pick(0, 2))];
    ConstAnyView mask = bytes;
    if (pick(0, 1)) {
      verify::fill(bits, pattern, random_());
      mask = bits;
    } else {
      verify::fill(bytes, pattern, random_());
    }
    Image<int32_t> expected_labels(width, height), labels(width, height);
    std::vector<Component> expected;
    label(mask, expected_labels, &expected, options, {.strategy = "serial"});
    LabelBands bands(width, options);
    const auto cuts = drawn_cuts(height, random_);
    int32_t begin = 0;
    for (const int32_t end : cuts) {
      const ConstAnyView rows = rows_of(mask, begin, end);
      gpu.run({&rows, 1}, {}, [&](std::span<const ConstAnyView> copies, AnyView) {
        bands.add(copies[0], gpu.exec({}));
      });
      begin = end;
    }
    ASSERT_EQ(bands.join(), expected)
        << "mask " << i << ", " << width << " x " << height << ", " << cuts.size() << " bands";
    found += expected.size();
    begin = 0;
    int32_t band = 0;
    for (const int32_t end : cuts) {
      bands.resolve(band++, rows_of(mask, begin, end),
                    AnyView(labels).region({0, begin, width, end - begin}));
      begin = end;
    }
    ASSERT_TRUE(equal(labels, expected_labels)) << "mask " << i;
  }
  EXPECT_GT(found, 300U);
}

TEST_F(BandsDevice, LabelsAreMadeInHostMemoryAlone) {
  LabelBands bands(8, {});
  Image<uint8_t> rows(8, 4);
  verify::fill(rows, Pattern::blobs, 1);
  bands.add(rows);
  bands.join();
  EXPECT_EQ(error_of(ErrorCode::invalid_argument,
                     [&] {
                       Image<uint8_t, Space::device> copies(8, 4);
                       Image<int32_t, Space::device> labels(8, 4);
                       upload(rows, copies);
                       bands.resolve(0, copies, labels);
                     }),
            "label in bands: rows or labels are on the device; both must be on the host");
}

// Strategies that search from pixel to pixel have no part for a band.
TEST_F(BandsDevice, StepsOfAPaperTakeWholePictures) {
  Image<uint8_t> rows(40, 20);
  verify::fill(rows, Pattern::natural, 1);
  RoundTrip gpu(all_.front());
  const CannyBands bands(40, {.thresholds = Given{20, 60}});
  std::vector<uint64_t> marks(size_t(bands.mark_words() * 20), 0);
  EXPECT_NE(error_of(ErrorCode::unsupported,
                     [&] {
                       on_gpu(gpu)(rows, {}, [&](ConstAnyView copies, ConstAnyView) {
                         bands.mark(copies, 0, 20, marks.data(),
                                    gpu.exec({.strategy = "union-find"}));
                       });
                     })
                .find("bands of rows"),
            std::string::npos);
}

// Of pictures of several shapes, some of them in page-locked memory.
TEST_F(BandsDevice, TripsOfSeveralThreadsDoNotMeet) {
  const int before = current_device();
  std::vector<std::string> faults(3 * all_.size(), "");
  std::vector<std::thread> threads;
  for (size_t t = 0; t < faults.size(); ++t) {
    threads.emplace_back([&, t] {
      try {
        RoundTrip gpu(all_[t % all_.size()]);
        for (uint64_t i = 0; i < 12; ++i) {
          const Size size{int32_t(20 + 7 * t), int32_t(10 + i % 3)};
          const PinnedPicture pinned({PixelType::u8, size}), pinned_out({PixelType::u8, size});
          Image<uint8_t> pageable(size), pageable_out(size), wanted(size);
          const AnyView source = i % 2 ? pinned.view() : pageable,
                        out = i % 4 < 2 ? pinned_out.view() : pageable_out;
          if (detail::is_pinned(source.data) != (i % 2 == 1)) throw std::runtime_error("locked");
          verify::fill(source, Pattern::natural, 100 * t + i);
          const ConstAnyView given = source;
          gpu.run({&given, 1}, out, [&](std::span<const ConstAnyView> copies, AnyView result) {
            if (detail::device_of(copies[0].data) != gpu.device())
              throw std::runtime_error("another GPU's memory");
            gaussian(copies[0], result, {.sigma = 2}, gpu.exec({}));
          });
          gaussian(source, wanted, {.sigma = 2}, {.threads = 1});
          if (!equal(out, wanted)) faults[t] += "picture " + std::to_string(i) + " differs; ";
        }
      } catch (const std::exception& fault) {
        faults[t] = fault.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& fault : faults) EXPECT_EQ(fault, "");
  EXPECT_EQ(current_device(), before);
}

TEST_F(BandsDevice, ATripThatFailsLeavesTheWayOpen) {
  RoundTrip gpu(all_.back());
  Image<uint8_t> source(50, 40), out(50, 40), wanted(50, 40);
  verify::fill(source, Pattern::natural, 3);
  const ConstAnyView given = source;
  const int before = current_device();
  EXPECT_THROW(
      gpu.run({&given, 1}, out,
              [](std::span<const ConstAnyView>, AnyView) { throw std::runtime_error("work"); }),
      std::runtime_error);
  EXPECT_EQ(current_device(), before);
  gpu.run({&given, 1}, out, [&](std::span<const ConstAnyView> copies, AnyView result) {
    gaussian(copies[0], result, {.sigma = 1}, gpu.exec({}));
  });
  gaussian(source, wanted, {.sigma = 1});
  EXPECT_TRUE(equal(out, wanted));
}

}  // namespace
}  // namespace cuesta
