// The public headers as users write against them: options by name, new pictures, and what does not
// compile.
#include <gtest/gtest.h>

#include <algorithm>

#include "cuesta/cuesta.hpp"
#include "support/errors.hpp"
#include "support/pictures.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using test::equal;

using Here = Image<uint8_t>;
using There = Image<uint8_t, Space::device>;
using LabelsThere = Image<int32_t, Space::device>;
const StructuringElement& disk3();

// ---- what compiles and what does not

template <class Src, class Dst>
concept Canny = requires(Src& src, Dst& dst) {
  canny(src, dst);
  canny(src, dst, {.sigma = 0}, {.threads = 1});
};
template <class Src, class Dst>
concept AnyCanny = requires(Src& src, Dst& dst) { canny(src, dst); } ||
                   requires(Src& src, Dst& dst) { canny(src, dst, {.sigma = 0}, {.threads = 1}); };
template <class Src, class Dst>
concept Gaussian = requires(Src& src, Dst& dst) { gaussian(src, dst, {.sigma = 1.4}); };
template <class Src, class Dst>
concept Sobel = requires(Src& src, Dst& dst) { sobel(src, {.magnitude = dst}); };
template <class Mask, class Labels>
concept Label = requires(Mask& mask, Labels& labels) { label(mask, labels, nullptr); };
template <class Mask, class Labels>
concept ListThere = requires(Mask& mask, Labels& labels, const DeviceComponents& list) {
  label(mask, labels, list);
};
template <class Src, class Dst>
concept Threshold = requires(Src& src, Dst& dst) { threshold(src, dst, 80); };
template <class Src, class Dst>
concept Dilate = requires(Src& src, Dst& dst) { dilate(src, dst, disk3()); };
template <class Src, class Dst>
concept Scale = requires(Src& src, Dst& dst) { scale(src, dst, 2); };
template <class Src, class Dst>
concept KeepChannels = requires(Src& src, Dst& dst) { keep_channels(src, dst); };
template <class A, class B, class Dst>
concept Absdiff = requires(A& a, B& b, Dst& dst) { absdiff(a, b, dst); };
template <class A, class B>
concept NewAbsdiff = requires(A& a, B& b) { absdiff(a, b); };
template <class Frame, class Out>
concept Subtract = requires(BackgroundSubtractor& background, Frame& frame, Out& out) {
  background.push(frame, {.mask = out});
};

static_assert(Canny<Here, Here> && Canny<There, There>);
static_assert(!AnyCanny<Here, There> && !AnyCanny<There, Here>);
static_assert(!AnyCanny<ImageView<const uint8_t>, ImageView<uint8_t, Space::device>>);
static_assert(!AnyCanny<There, ImageView<uint8_t>>);
static_assert(Canny<ConstAnyView, There> && Canny<There, AnyView>, "those are checked when run");
static_assert(!Canny<Here, ConstAnyView> && !Canny<Here, const Here>, "results are written");
static_assert(Gaussian<Here, Here> && Gaussian<There, There> && Gaussian<AnyImage, AnyImage>);
static_assert(!Gaussian<Here, There> && !Gaussian<There, Here>);
static_assert(Sobel<Here, Here> && Sobel<There, There> && Sobel<AnyImage, Here>);
static_assert(!Sobel<Here, There> && !Sobel<There, Here>);
static_assert(Label<Here, Image<int32_t>> && Label<BitImage, Image<int32_t>>);
static_assert(Label<There, LabelsThere> && ListThere<There, LabelsThere>);
static_assert(!ListThere<There, Image<int32_t>>);
static_assert(!Label<Here, LabelsThere> && !Label<There, Image<int32_t>>);
static_assert(!Label<BitImage, LabelsThere>);
static_assert(Threshold<Here, BitImage> && !Threshold<There, BitImage>);
static_assert(Dilate<Here, Here> && !Dilate<Here, There>);
static_assert(Scale<Here, Here> && !Scale<Here, There> && !Scale<There, Here>);
static_assert(KeepChannels<There, There> && !KeepChannels<Here, There>);
static_assert(Absdiff<Here, Here, Here> && !Absdiff<Here, Here, There>);
static_assert(!Absdiff<Here, There, Here> && !Absdiff<ConstAnyView, There, Here>);
static_assert(NewAbsdiff<Here, Here> && !NewAbsdiff<Here, There>);
static_assert(Subtract<Here, BitImage> && Subtract<There, There> && !Subtract<There, Here>);

// gaussian(image, out, 1.4) would have to guess: a window, or a sigma?
template <class Options>
concept GaussianTakes = requires(Here& image, Options options) { gaussian(image, image, options); };
static_assert(!GaussianTakes<double> && !GaussianTakes<int> && GaussianTakes<GaussianOptions>);

// ---- new pictures

static_assert(std::is_same_v<decltype(gaussian(std::declval<Here&>(), {.sigma = 1.4})), Here>);
static_assert(std::is_same_v<decltype(canny(std::declval<There&>(), {})), There>);
static_assert(std::is_same_v<decltype(canny(std::declval<ConstAnyView>(), {})), AnyImage>);
static_assert(std::is_same_v<decltype(canny(std::declval<AnyImage&>(), {})), AnyImage>);
static_assert(std::is_same_v<decltype(canny(std::declval<Image<uint16_t>&>())), Here>);
static_assert(std::is_same_v<decltype(sobel_gradients(std::declval<There&>()).gx),
                             Image<int16_t, Space::device>>);
static_assert(
    std::is_same_v<decltype(sobel_gradients(std::declval<Image<float>&>()).gy), Image<float>>);
static_assert(std::is_same_v<decltype(sobel_gradients(std::declval<AnyView&>()).gx), AnyImage>);
static_assert(std::is_same_v<decltype(label(std::declval<BitImage&>()).labels), Image<int32_t>>);
static_assert(std::is_same_v<decltype(erode(std::declval<BitImage&>(), disk3())), BitImage>);
static_assert(std::is_same_v<decltype(copy(std::declval<ImageView<const float>>())), Image<float>>);

const StructuringElement& disk3() {
  static const StructuringElement element = StructuringElement::disk(3);
  return element;
}

// Every operation: the new picture is what the writing form writes, for typed and untyped sources.
TEST(PublicFace, NewPicturesAreWhatTheWritingFormWrites) {
  Image<uint8_t> src(90, 50), other(90, 50), color(90, 50, 3), dst(90, 50);
  verify::fill(src, verify::Pattern::natural, 1);
  verify::fill(other, verify::Pattern::blobs, 2);
  verify::fill(color, verify::Pattern::natural, 3);
  const ConstAnyView any = src, any_other = other;
  const Stencil stencil = Stencil::parse("0 1 2;3 4 5;6 7 8/36");

#define EXPECT_SAME(call_into, made, made_of_any)                          \
  do {                                                                     \
    for (int y = 0; y < 50; ++y) std::fill_n(dst.row(y), 90, uint8_t(77)); \
    call_into;                                                             \
    EXPECT_TRUE(equal(dst, made)) << #made;                                \
    EXPECT_TRUE(equal(dst, made_of_any)) << #made_of_any;                  \
  } while (false)
  EXPECT_SAME(correlate(src, dst, stencil), correlate(src, stencil), correlate(any, stencil));
  EXPECT_SAME(convolve(src, dst, stencil), convolve(src, stencil), convolve(any, stencil));
  EXPECT_SAME(gaussian(src, dst, {.sigma = 1.4}), gaussian(src, {.sigma = 1.4}),
              gaussian(any, {.sigma = 1.4}));
  EXPECT_SAME(box(src, dst, {.n = 5}), box(src, {.n = 5}), box(any, {.n = 5}));
  EXPECT_SAME(sharpen(src, dst), sharpen(src), sharpen(any, {}));
  EXPECT_SAME(laplacian(src, dst), laplacian(src), laplacian(any));
  EXPECT_SAME(boundaries(src, dst), boundaries(src), boundaries(any, {}));
  EXPECT_SAME(median(src, dst), median(src), median(any, {}));
  EXPECT_SAME(sobel(src, {.magnitude = dst}), sobel(src), sobel(any));
  EXPECT_SAME(canny(src, dst), canny(src, {}), canny(any, {}));
  EXPECT_SAME(canny(src, dst, {.thresholds = Given{50, 100}}),
              canny(src, {.thresholds = Given{50, 100}}),
              canny(any, {.thresholds = Thresholds::given(50, 100)}));
  EXPECT_SAME(log_edges(src, dst, {.threshold = 2}), log_edges(src, {.threshold = 2}),
              log_edges(any, {.threshold = 2}));
  EXPECT_SAME(to_gray(color, dst), to_gray(color), to_gray(ConstAnyView(color)));
  EXPECT_SAME(scale(src, dst, 0.4), scale(src, 0.4), scale(any, 0.4));
  EXPECT_SAME(keep_channels(color, dst), keep_channels(color, 1),
              keep_channels(ConstAnyView(color), 1));
  EXPECT_SAME(absdiff(src, other, dst), absdiff(src, other), absdiff(any, any_other));
  EXPECT_SAME(threshold(src, dst, 80), threshold(src, 80), threshold(any, 80));
  EXPECT_SAME(absdiff_threshold(src, other, dst, 9), absdiff_threshold(src, other, 9),
              absdiff_threshold(any, any_other, 9));
  EXPECT_SAME(erode(src, dst, disk3()), erode(src, disk3()), erode(any, disk3()));
  EXPECT_SAME(dilate(src, dst, disk3()), dilate(src, disk3()), dilate(any, disk3()));
  EXPECT_SAME(morph_open(src, dst, disk3()), morph_open(src, disk3()), morph_open(any, disk3()));
  EXPECT_SAME(morph_close(src, dst, disk3()), morph_close(src, disk3()), morph_close(any, disk3()));
  EXPECT_SAME(remove_small(other, dst), remove_small(other), remove_small(any_other, {}));
  EXPECT_SAME(fill_holes(other, dst), fill_holes(other), fill_holes(any_other, {}));
  EXPECT_SAME(copy(src, dst), copy(src), copy(any));
  const BitImage bits = pack_mask(other);
  EXPECT_TRUE(equal(bits, pack_mask(any_other)));
  EXPECT_SAME(unpack_mask(bits, dst), unpack_mask(bits), unpack_mask(ConstAnyView(bits)));
#undef EXPECT_SAME
  Image<int32_t> of_regions(90, 50);
  regions(src, of_regions, {.threshold = 0.1});
  EXPECT_TRUE(equal(of_regions, regions(src, {.threshold = 0.1})));
  EXPECT_TRUE(equal(of_regions, regions(any, {.threshold = 0.1})));

  Image<int16_t> gx(90, 50), gy(90, 50);
  sobel(src, {.gx = gx, .gy = gy});
  const auto [made_x, made_y] = sobel_gradients(src);
  EXPECT_TRUE(equal(gx, made_x));
  EXPECT_TRUE(equal(gy, made_y));
  Image<int32_t> labels(90, 50);
  std::vector<Component> components;
  label(other, labels, &components);
  const auto found = label(other);
  EXPECT_TRUE(equal(labels, found.labels));
  EXPECT_EQ(components, found.components);
  EXPECT_FALSE(components.empty());
  std::vector<uint64_t> bins(256);
  histogram(src, bins);
  EXPECT_EQ(histogram(src), bins);
}

TEST(PublicFace, AbsentSourcesAreNamed) {
  const auto said = [](auto call) { return test::error_of(ErrorCode::invalid_argument, call); };
  EXPECT_EQ(said([] { canny(ConstAnyView(), {}); }),
            "canny: src has no data; its pointer must not be null");
  EXPECT_EQ(said([] { gaussian(ConstAnyView(), {.sigma = 1}); }),
            "gaussian: src has no data; its pointer must not be null");
  EXPECT_EQ(said([] { threshold(ImageView<const uint8_t>(), 3); }),
            "threshold: src has no data; its pointer must not be null");
  EXPECT_EQ(said([] { label(AnyImage()); }),
            "label: mask has no data; its pointer must not be null");
}

TEST(PublicFace, ViewsOfBothSpacesAreRefusedWhereTypesDoNotTell) {
  Image<uint8_t> src(8, 8), dst(8, 8);
  AnyView there = dst;
  there.space = Space::device;
  EXPECT_EQ(
      test::error_of(ErrorCode::invalid_argument, [&] { gaussian(src, there, {.sigma = 1}); }),
      "gaussian: src and gaussian: dst are in different memory; both must be on the host or both "
      "on the device");
}

// ---- batches

// Pictures of `height` rows below each other.
template <class Owner>
auto batch_of(Owner& tall, int32_t count) {
  const auto view = tall.view();
  const int32_t height = view.height / count;
  const auto first = view.region({0, 0, view.width, height});
  using Of = std::conditional_t<std::is_const_v<Owner>, ConstBatch, Batch>;
  return Of(first, count, first.stride_bytes * height);
}

TEST(PublicFace, EveryOperationTakesBatches) {
  constexpr int32_t count = 3;
  Image<uint8_t> tall(70, 40 * count), other(70, 40 * count), color(70, 40 * count, 3),
      dst(70, 40 * count);
  verify::fill(tall, verify::Pattern::natural, 1);
  verify::fill(other, verify::Pattern::blobs, 2);
  verify::fill(color, verify::Pattern::natural, 3);
  const ConstBatch src = batch_of(tall, count), masks = batch_of(other, count),
                   colors = batch_of(color, count);
  const Batch out = batch_of(dst, count);
  const Stencil stencil = Stencil::parse("0 1 2;3 4 5;6 7 8/36");

  const auto expect = [&](const char* what, auto together, auto alone) {
    for (int y = 0; y < 40 * count; ++y) std::fill_n(dst.row(y), 70, uint8_t(77));
    together();
    for (int32_t i = 0; i < count; ++i) {
      Image<uint8_t> one(70, 40);
      alone(i, one);
      EXPECT_TRUE(equal(out[i], one)) << what << ", picture " << i;
    }
  };
#define EXPECT_BATCH(name, source, ...)               \
  expect(                                             \
      #name, [&] { name(source, out, __VA_ARGS__); }, \
      [&](int32_t i, Image<uint8_t>& one) { name(source[i], one, __VA_ARGS__); })
  const GaussianOptions sigma2{.sigma = 2};
  const BoxOptions five{.n = 5};
  EXPECT_BATCH(correlate, src, stencil);
  EXPECT_BATCH(convolve, src, stencil);
  EXPECT_BATCH(gaussian, src, sigma2);
  EXPECT_BATCH(box, src, five);
  EXPECT_BATCH(sharpen, src, SharpenOptions{});
  EXPECT_BATCH(laplacian, src, FilterOptions{});
  EXPECT_BATCH(boundaries, src, BoundaryOptions{});
  EXPECT_BATCH(regions, src, RegionOptions{});
  EXPECT_BATCH(median, src, MedianOptions{});
  EXPECT_BATCH(canny, src, CannyOptions{});
  EXPECT_BATCH(log_edges, src, LogOptions{});
  EXPECT_BATCH(to_gray, colors, ColorOrder::bgr);
  EXPECT_BATCH(threshold, src, 90);
  EXPECT_BATCH(scale, src, 0.4);
  EXPECT_BATCH(keep_channels, colors, Exec{});
  EXPECT_BATCH(erode, masks, disk3());
  EXPECT_BATCH(dilate, masks, disk3());
  EXPECT_BATCH(morph_open, masks, disk3());
  EXPECT_BATCH(morph_close, masks, disk3());
  EXPECT_BATCH(morphology, masks, Morph::dilate, disk3());
#undef EXPECT_BATCH
  expect(
      "absdiff", [&] { absdiff(src, masks, out); },
      [&](int32_t i, Image<uint8_t>& one) { absdiff(src[i], masks[i], one); });
  expect(
      "absdiff_threshold", [&] { absdiff_threshold(src, masks, out, 20); },
      [&](int32_t i, Image<uint8_t>& one) { absdiff_threshold(src[i], masks[i], one, 20); });
  expect(
      "sobel", [&] { sobel(src, SobelBatchOutputs{.magnitude = out}); },
      [&](int32_t i, Image<uint8_t>& one) { sobel(src[i], {.magnitude = one}); });

  AnyImage bits(70, 40 * count, 1, PixelType::bit);
  AnyView first = bits;
  first.height = 40;
  const Batch packed(first, count, first.stride_bytes * 40);
  pack_mask(masks, packed);
  expect(
      "pack_mask, unpack_mask", [&] { unpack_mask(packed, out); },
      [&](int32_t i, Image<uint8_t>& one) { unpack_mask(pack_mask(masks[i]), one); });

  std::vector<uint64_t> bins(256 * count);
  histogram(src, bins);
  for (int32_t i = 0; i < count; ++i) {
    EXPECT_TRUE(
        std::ranges::equal(std::span(bins).subspan(256 * size_t(i), 256), histogram(src[i])))
        << i;
  }
  Image<int32_t> labels(70, 40 * count);
  std::vector<std::vector<Component>> components(count);
  int64_t all = 0;
  const int64_t said = label(masks, batch_of(labels, count), components);
  for (int32_t i = 0; i < count; ++i) {
    const auto found = label(masks[i]);
    EXPECT_EQ(found.components, components[size_t(i)]);
    EXPECT_TRUE(equal(found.labels, batch_of(labels, count)[i]));
    all += int64_t(found.components.size());
  }
  EXPECT_EQ(said, all);
  EXPECT_EQ(label(masks, {}, {}), all);
}

TEST(PublicFace, MorphologyOfABatchInPlace) {
  Image<uint8_t> tall(50, 60);
  verify::fill(tall, verify::Pattern::blobs, 4);
  Image<uint8_t> expected = copy(tall);
  const Batch batch = batch_of(tall, 3), want = batch_of(expected, 3);
  for (int32_t i = 0; i < 3; ++i) dilate(want[i], want[i], disk3());
  dilate(batch, batch, disk3());
  EXPECT_TRUE(equal(tall, expected));
}

TEST(PublicFace, BadBatchesAreNamed) {
  Image<uint8_t> tall(16, 24), dst(16, 24);
  verify::fill(tall, verify::Pattern::noise, 1);
  const ConstBatch src = batch_of(tall, 3);
  const Batch out = batch_of(dst, 3);
  const auto said = [](auto call) { return test::error_of(ErrorCode::invalid_argument, call); };
  const auto with = [](auto batch, int32_t count, ptrdiff_t step) {
    batch.count = count, batch.step_bytes = step;
    return batch;
  };
  EXPECT_EQ(said([&] { gaussian(src, out, {.sigma = 1}); }), "no error");
  EXPECT_EQ(said([&] { gaussian(with(src, 0, 0), out, {.sigma = 1}); }),
            "gaussian: src has 0 pictures; it must have at least 1");
  EXPECT_EQ(said([&] { box(src, with(out, 2, out.step_bytes)); }),
            "box: src has 3 pictures and box: dst has 2; the counts must match");
  EXPECT_EQ(
      said([&] { sharpen(src, with(out, 3, 0)); }),
      "sharpen: dst and its next pictures overlap in memory; give the result a separate picture");
  EXPECT_EQ(
      said([&] { laplacian(src, batch_of(tall, 3)); }),
      "laplacian: src and laplacian: dst overlap in memory; give the result a separate picture");
  EXPECT_EQ(said([&] { laplacian(ConstBatch(), out); }),
            "laplacian: src has no data; its pointer must not be null");
  std::vector<uint64_t> bins(256);
  EXPECT_EQ(
      said([&] { histogram(src, bins); }),
      "histogram: 256 bins cannot be divided among 3 pictures; each must have the same number");
  std::vector<std::vector<Component>> lists(2);
  EXPECT_EQ(said([&] { label(src, {}, lists); }),
            "label: components has 2 lists; it must be empty or have one for each of 3 masks");
}

}  // namespace
}  // namespace cuesta
