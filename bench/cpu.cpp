// Experiment `cpu`: the operations on the host, production beside plain loops, a memcpy and OpenCV.
#include "bench/cpu.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/works/edges.hpp"
#include "bench/works/filters.hpp"
#include "bench/works/motion.hpp"
#include "bench/works/objects.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

// The reference and plain loops take part on pictures up to this size; production is held against
// OpenCV alone on larger ones.
constexpr int64_t plain_pixels = 1024 * 1024;

void time(Session& session, Work work, int64_t pixels_of_plain = plain_pixels) {
  work.device = false;
  if (int64_t(work.sources[0].width) * work.sources[0].height > pixels_of_plain) {
    work.reference = "simd";
    work.takes = [](const StrategyDescription& s) { return s.tier == Tier::production; };
  }
  session.measure(work);
}

void time_canny(Session& session, int32_t side) {
  const Image<uint8_t> src = session.photograph(side, side);
  for (const std::optional<double> sigma : {std::optional(0.0), std::optional<double>()}) {
    const CannyOptions options = with_chosen_thresholds(session, {.sigma = sigma}, src);
    const Image<uint8_t> edges = canny(src, options, session.exec());
    int64_t count = 0;
    for (int32_t y = 0; y < side; ++y)
      count += std::count(edges.row(y), edges.row(y) + side, uint8_t(255));
    Work work = canny_work(!sigma ? "gaussian + canny" : "canny", options, src);
    work.parameters +=
        fmt::format(", {:.1f} % edges", 100.0 * double(count) / (double(side) * side));
    time(session, work);
  }
}

// Of gray levels, and of a picture whose channels differ: two of them moved aside.
void time_boundaries(Session& session, int32_t side) {
  const Image<uint8_t> gray = session.photograph(side, side);
  Image<uint8_t> color(side, side, 3);
  for (int32_t y = 0; y < side; ++y)
    for (int32_t x = 0; x < side; ++x)
      for (int32_t c = 0; c < 3; ++c) color.at(x, y, c) = gray.at(std::min(x + 5 * c, side - 1), y);
  time(session, boundaries_work("boundaries", gray), plain_pixels / 4);
  time(session, boundaries_work("boundaries", color), plain_pixels / 4);
}

void time_log(Session& session, int32_t side) {
  const Image<uint8_t> src = session.photograph(side, side);
  time(session, log_work("log", "sigma 1.4, threshold 5", src));
}

void time_gaussian(Session& session, int32_t side) {
  const Image<uint8_t> src = session.photograph(side, side);
  for (const int ksize : {5, 15}) time(session, gaussian_work("gaussian", ksize, src));
}

void time_median(Session& session, int32_t side) {
  const Image<uint8_t> bytes = session.photograph(side, side);
  Image<uint16_t> words(side, side);
  for (int32_t y = 0; y < side; ++y)
    for (int32_t x = 0; x < side; ++x) words.at(x, y) = uint16_t(257 * bytes.at(x, y));
  // The reference sorts every window.
  for (const int ksize : {3, 5, 15})
    time(session, median_work("median", ksize, bytes),
         ksize > 5 ? plain_pixels / 16 : plain_pixels);
  for (const int ksize : {3, 5}) time(session, median_work("median", ksize, words));
}

void time_sobel(Session& session, int32_t side) {
  const Image<uint8_t> src = session.photograph(side, side);
  time(session, sobel_work("sobel magnitude", "aperture 3, L1, to u8", src));
  time(session, gradients_work("sobel gradients", "aperture 3, gx and gy to s16", src));
}

void time_convolve(Session& session, int32_t side) {
  const Image<uint8_t> bytes = session.photograph(side, side);
  const Image<float> floats = Session::floats_of(bytes);
  for (const ConstAnyView src : {ConstAnyView(bytes), ConstAnyView(floats)}) {
    for (const int n : {3, 5, 9}) {
      const Stencil taps = full_rank_stencil(n);
      const Stencil stencil = src.type == PixelType::u8 ? taps : floats_of(taps);
      time(session, convolve_work("convolve", fmt::format("{0}x{0}, full rank", n), stencil, src));
    }
  }
}

// Our disk of 15 has 149 cells, OpenCV's ellipse 169.
void time_morphology(Session& session, int32_t side) {
  const Image<uint8_t> mask = object_mask(side);
  time(session, close_open_work("close + open", "ellipse:15, u8", 15, mask));
  time(session, close_open_bits_work("close + open", "ellipse:15, bits (opencv: u8)",
                                     StructuringElement::ellipse(15, 15), 15, mask));
  time(session, close_open_bits_work("close + open", "disk:15, bits (opencv: ellipse:15, u8)",
                                     StructuringElement::disk(15), 15, mask));
}

void time_components(Session& session, int32_t side) {
  Image<uint8_t> sparse(side, side), dense(side, side);
  verify::fill(sparse, verify::Pattern::sparse, 5);
  verify::fill(dense, verify::Pattern::extremes, 5);
  const Image<uint8_t> objects = object_mask(side);
  const std::pair<const char*, const Image<uint8_t>*> masks[] = {
      {"objects and specks", &objects}, {"2 % random", &sparse}, {"50 % random", &dense}};
  for (const auto& [name, mask] : masks) {
    if (!same_components(session, *mask, fmt::format("components, {}, {}x{}", name, side, side)))
      continue;
    time(session, label_work("components", name, *mask));
    time(session, label_bits_work(
                      "components",
                      fmt::format("{}, bits, no label picture (opencv: u8, with)", name), *mask));
  }
}

void time_motion(Session& session, int32_t width, int32_t height) {
  constexpr int frames = 8;
  std::vector<Image<uint8_t>> video;
  for (const Image<uint8_t>& frame : moving_object_video(width, height, frames)) {
    video.emplace_back(width, height);
    to_gray(frame, video.back());
  }
  const MotionOptions options = motion_options();
  time(session,
       motion_work(session, "motion",
                   fmt::format("gray, one object, first frame, gaussian 15, > {}, ellipse:15",
                               options.threshold.level),
                   options, video, 1),
       // The reference takes a second for a frame of 720p.
       plain_pixels / 4);
}

void time_motion(Session& session) {
  for (const auto& [width, height] :
       {std::pair<int32_t, int32_t>{596, 336}, {1280, 720}, {1920, 1080}})
    time_motion(session, width, height);
}

struct Table {
  ExperimentInfo info;
  void (*square)(Session&, int32_t side);
  void (*own_sizes)(Session&) = nullptr;
};
constexpr Table tables[] = {
    {{"canny", "Canny, and Gaussian 5x5 then Canny"}, time_canny},
    {{"boundaries", "boundaries of a gray and a colored picture"}, time_boundaries},
    {{"log", "Laplacian of Gaussian"}, time_log},
    {{"gaussian", "Gaussian 5x5 and 15x15"}, time_gaussian},
    {{"median", "windows of 3x3, 5x5 and 15x15 of u8, and of 3x3 and 5x5 of u16"}, time_median},
    {{"sobel", "gradient magnitude, and both gradients"}, time_sobel},
    {{"convolve", "stencils 3x3, 5x5, 9x9 on u8 and f32"}, time_convolve},
    {{"morphology", "close then open with a disk of 15"}, time_morphology},
    {{"components", "connected components of sparse and random masks"}, time_components},
    {{"motion", "the whole moving-object chain, a frame at a time"}, nullptr, time_motion},
};

}  // namespace

std::vector<ExperimentInfo> list_cpu_tables() {
  std::vector<ExperimentInfo> out;
  for (const Table& table : tables) out.push_back(table.info);
  return out;
}

void bench_cpu(Session& session) {
  for (const Table& table : tables) {
    if (!session.wants_table(table.info.name)) continue;
    if (table.own_sizes) {
      table.own_sizes(session);
      continue;
    }
    for (const int32_t side : session.sizes()) table.square(session, side);
  }
}

}  // namespace cuesta::bench
