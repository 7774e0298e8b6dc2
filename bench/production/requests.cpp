// The rows of the table: each operation in the options that have goals of their own. A goal in
// copies is of large pictures, where a copy is bound by memory.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/production/production.hpp"
#include "bench/works/edges.hpp"
#include "bench/works/filters.hpp"
#include "bench/works/motion.hpp"
#include "bench/works/objects.hpp"

namespace cuesta::bench {
namespace {

constexpr int32_t large = 4096;      // a side from which copies are the unit of goals
constexpr int32_t countable = 4096;  // up to which the worst masks' lists of components are made

using ConstPicture = const Image<uint8_t>& (ProductionPictures::*)();

/// Requests of one size as they are listed.
class List {
 public:
  List(Session& session, ProductionPictures& pictures, bool variants)
      : session_(session), pictures_(pictures), variants_(variants) {}
  std::vector<ProductionRow> take() { return std::move(requests_); }
  bool wants(std::string_view table) const { return session_.wants_table(table); }
  bool variants() const { return variants_; }
  ProductionPictures& pictures() { return pictures_; }

  ProductionRow& add(Work work, double reach, double stretch = 0) {
    const bool judged = pictures_.side() >= large;
    requests_.push_back({std::move(work), judged ? Goal{reach, stretch} : Goal{}});
    return requests_.back();
  }
  void add_oddly(Work work, double reach, double stretch = 0) {
    add(std::move(work), reach, stretch).oddly = variants_;
  }
  /// The same request of the worst pictures, which are to take at most three times as long.
  template <class Make>
  void add_worst(const std::string& beside, Make&& make, const ConstPicture (&pictures)[3]) {
    constexpr const char* names[] = {", spiral", ", noise", ", dense grid"};
    for (size_t i = 0; variants_ && i < 3; ++i)
      requests_.push_back({make(names[i], pictures[i]), {3, 0, Measure::natural}, false, beside});
  }

 private:
  Session& session_;
  ProductionPictures& pictures_;
  bool variants_;
  std::vector<ProductionRow> requests_;
};

void add_log(List& list) {
  const auto with = [&](const char* name, const LogOptions& options, ConstAnyView src) {
    Work work = log_work(production, name, src);
    work.bytes_per_pixel = bytes_per_sample(src.type) + 1;
    work.call = [options](ConstAnyView from, AnyView to, const Exec& exec) {
      log_edges(from, to, options, exec);
    };
    return work;
  };
  ProductionPictures& p = list.pictures();
  LogOptions crossings;
  crossings.mode = LogMode::zero_crossings;
  list.add_oddly(with("5x5 and 3x3, edges", {}, p.natural()), 1.35, 1.2);
  list.add(with("5x5 and 3x3, zero crossings", crossings, p.natural()), 2);
  list.add(with("15x15 and 3x3, edges", {.sigma = 2.4, .ksize = 15}, p.natural()), 2);
  list.add(with("5x5 and 3x3, edges of u16", {}, p.words()), 1.6, 1.25);
}

void add_sobel(List& list) {
  const auto with = [&](const std::string& name, const SobelOptions& options, ConstAnyView src) {
    Work work = sobel_work(production, name, src);
    work.result = src.type;
    work.bytes_per_pixel = 2 * bytes_per_sample(src.type);
    work.call = [options](ConstAnyView from, AnyView to, const Exec& exec) {
      sobel(from, {.magnitude = to}, options, exec);
    };
    const bool usual =
        src.type == PixelType::u8 && options.aperture == 3 && options.norm == Norm::l1;
    if (!usual) work.opencv = {}, work.npp = {};
    return work;
  };
  ProductionPictures& p = list.pictures();
  list.add_oddly(with("magnitude L1", {}, p.natural()), 1.2, 1.12);
  Work gradients = gradients_work(production, "gx and gy in s16", p.natural());
  gradients.device = true;
  list.add(std::move(gradients), 2.7, 2.6);
  list.add(with("magnitude L2", {.norm = Norm::l2}, p.natural()), 1.4);
  for (const int aperture : {5, 7})
    list.add(with(fmt::format("magnitude L1, aperture {}", aperture), {.aperture = aperture},
                  p.natural()),
             1.6);
  list.add(with("magnitude L1 of u16", {}, p.words()), 1.6, 1.25);
}

void add_gaussian(List& list) {
  const auto with = [&](int ksize, ConstAnyView src) {
    Work work = gaussian_work(production, ksize, src);
    work.parameters = fmt::format(
        "gaussian {}{}", work.parameters,
        src.type == PixelType::u8 ? std::string() : fmt::format(" of {}", name_of(src.type)));
    return work;
  };
  ProductionPictures& p = list.pictures();
  list.add_oddly(with(5, p.natural()), 1.3, 1.15);
  list.add_oddly(with(15, p.natural()), 1.38, 1.25);
  list.add(with(31, p.natural()), 2);
  list.add(with(5, p.words()), 1.6, 1.25);
  list.add(with(31, p.floats()), 1.5, 1.45);
}

void add_convolve(List& list) {
  const auto with = [&](const std::string& name, const Stencil& stencil, ConstAnyView src) {
    return convolve_work(production, name, stencil, src);
  };
  ProductionPictures& p = list.pictures();
  const std::pair<int, Goal> bytes[] = {{3, {1.27, 1.12}}, {5, {1.26, 1.15}}, {9, {1.47, 1.3}}};
  for (const auto& [n, goal] : bytes)
    list.add_oddly(with(fmt::format("{0}x{0}, full rank", n), full_rank_stencil(n), p.natural()),
                   goal.reach, goal.stretch);
  // Two products of tensor cores take what one does of taps up to 127.
  list.add(with("5x5, full rank, taps to 300", full_rank_stencil(5, 300, 256), p.natural()), 2.52);
  list.add(with("15x15, full rank", full_rank_stencil(15), p.natural()), 3);
  const std::pair<int, Goal> floats[] = {{3, {1.10, 1.07}}, {5, {1.16, 1.12}}, {9, {1.70, 1.45}}};
  for (const auto& [n, goal] : floats)
    list.add_oddly(with(fmt::format("{0}x{0}, full rank, of f32", n),
                        floats_of(full_rank_stencil(n)), p.floats()),
                   goal.reach, goal.stretch);
  list.add(with("5x5, full rank, of u16", full_rank_stencil(5, 9, 16), p.words()), 1.6, 1.25);
}

void add_median(List& list) {
  const std::pair<int, double> reaches[] = {{3, 1.5}, {5, 2.5}};
  for (const auto& [ksize, reach] : reaches)
    list.add_oddly(median_work(production, ksize, list.pictures().natural()), reach);
}

void add_canny(List& list) {
  ProductionPictures& p = list.pictures();
  // Of the natural picture a fourteenth are candidates: between a tenth and a fifth of photographs.
  CannyOptions options{.sigma = 0, .thresholds = Thresholds::given(72, 256)};
  const auto with = [&](const CannyOptions& wanted, ConstAnyView src, std::string_view more = {}) {
    Work work = canny_work(production, wanted, src);
    work.bytes_per_pixel = bytes_per_sample(src.type) + 1;
    work.parameters += more;
    return work;
  };
  const Work usual = with(options, p.natural());
  ProductionRow& first = list.add(usual, 4, 3.1);
  first.oddly = list.variants();
  constexpr std::pair<int32_t, Goal> small[] = {{512, {20, 12, Measure::picture}},
                                                {1024, {30, 20, Measure::picture}},
                                                {2048, {45, 30, Measure::picture}}};
  for (const auto& [side, goal] : small)
    if (p.side() == side) first.goal = goal;

  CannyOptions smooth = options;
  smooth.sigma.reset();  // the papers' Gaussian
  list.add(with(smooth, p.natural()), 5);
  CannyOptions norm = options;
  norm.norm = Norm::l2;
  Work l2 = with(norm, p.natural(), ", norm L2");
  l2.opencv = {}, l2.npp = {};
  list.add(std::move(l2), 4.5);
  CannyOptions found = options;
  found.thresholds = Thresholds::automatic(AutoThreshold::otsu);
  Work automatic = with(options, p.natural());
  automatic.parameters = "thresholds by Otsu";
  automatic.call = [found](ConstAnyView from, AnyView to, const Exec& exec) {
    canny(from, to, found, exec);
  };
  automatic.waits = true;
  automatic.opencv = {}, automatic.npp = {};
  list.add(std::move(automatic), 5.2);
  CannyOptions high = options;
  high.thresholds = Thresholds::given(72 * 257, 256 * 257);
  Work words = with(high, p.words(), ", of u16");
  words.opencv = {}, words.npp = {};
  list.add(std::move(words), 8, 5);
  Work floats = with(options, p.floats(), ", of f32");
  floats.opencv = {}, floats.npp = {};
  list.add(std::move(floats), 8, 5);
  Work color = with(options, p.rgb(), ", of RGB");
  color.bytes_per_pixel = 4;
  color.opencv = {}, color.npp = {};
  list.add(std::move(color), 0);

  list.add_worst(
      usual.parameters,
      [&](const char* name, ConstPicture picture) { return with(options, (p.*picture)(), name); },
      {&ProductionPictures::weak_spiral, &ProductionPictures::noise,
       &ProductionPictures::dense_grid});
}

// No goals: on a GPU it has no row of production.
void add_boundaries(List& list) {
  for (const ConstAnyView src :
       {ConstAnyView(list.pictures().natural()), ConstAnyView(list.pictures().rgb())})
    list.add(boundaries_work(production, src), 0);
}

void add_morphology(List& list) {
  ProductionPictures& p = list.pictures();
  list.add(close_open_bits_work(production, "close and open, disk:15, bits",
                                StructuringElement::disk(15), 15, p.mask()),
           0.8, 0.65);
  list.add_oddly(dilate_work(production, "dilate, rect:15", StructuringElement::rectangle(15, 15),
                             p.natural()),
                 1.6);
  list.add_oddly(
      dilate_work(production, "dilate, disk:15", StructuringElement::disk(15), p.natural()), 4);
}

void add_components(List& list) {
  ProductionPictures& p = list.pictures();
  const std::string natural = "components of bits";
  list.add(label_bits_work(production, natural, p.mask()), 2, 1.1);
  list.add(label_bits_work(production, natural + " and labels", p.mask(), true), 4, 2.5);
  const std::string there = natural + ", the list on the GPU";
  list.add(label_bits_work(production, there, p.mask(), false, true), 2, 1.1);
  list.add(label_bits_work(production, there + ", and labels", p.mask(), true, true), 4, 2.5);
  if (p.side() > countable) return;
  list.add_worst(natural,
                 [&](const char* name, ConstPicture picture) {
                   return label_bits_work(production, natural + name, (p.*picture)());
                 },
                 {&ProductionPictures::spiral_mask, &ProductionPictures::noise_mask,
                  &ProductionPictures::grid_mask});
  list.add_worst(there,
                 [&](const char* name, ConstPicture picture) {
                   return label_bits_work(production, there + name, (p.*picture)(), false, true);
                 },
                 {&ProductionPictures::spiral_mask, &ProductionPictures::noise_mask,
                  &ProductionPictures::grid_mask});
}

void add_motion(List& list) {
  ProductionPictures& p = list.pictures();
  list.add_oddly(gray_work(production, "gray of RGB", p.rgb()), 1.9, 1.85);
  const std::pair<const char*, BackgroundModel> models[] = {{"mean", BackgroundModel::mean},
                                                            {"median", BackgroundModel::median},
                                                            {"mixture", BackgroundModel::mixture}};
  for (const auto& [name, model] : models) {
    ProductionRow& request =
        list.add(background_work(production, name, {model, 0}, {p.natural(), p.next()}), 0.75);
    if (request.goal.reach > 0) request.goal.measure = Measure::bandwidth;
  }
}

}  // namespace

std::vector<ProductionRow> production_requests(Session& session, ProductionPictures& pictures,
                                               bool variants) {
  constexpr std::pair<const char*, void (*)(List&)> tables[] = {{"log", add_log},
                                                                {"sobel", add_sobel},
                                                                {"gaussian", add_gaussian},
                                                                {"convolve", add_convolve},
                                                                {"canny", add_canny},
                                                                {"boundaries", add_boundaries},
                                                                {"morphology", add_morphology},
                                                                {"components", add_components},
                                                                {"median", add_median},
                                                                {"motion", add_motion}};
  List list(session, pictures, variants);
  for (const auto& [name, add] : tables)
    if (list.wants(name)) add(list);
  return list.take();
}

std::vector<ProductionRow> detector_requests(Session& session, Video& video) {
  constexpr int32_t width = 1920, height = 1080, count = 64;
  if (!session.wants_table("motion")) return {};
  // A few different frames go round: all of them move.
  constexpr int different = 8;
  for (const Image<uint8_t>& frame : moving_object_video(width, height, different + 1))
    to_gray(frame, video.frames.emplace_back(width, height));
  video.below_each_other = Image<uint8_t>(width, height * count);
  for (int i = 0; i < count; ++i) {
    const Image<uint8_t>& frame = video.frames[size_t(1 + i % different)];
    for (int32_t y = 0; y < height; ++y)
      std::copy_n(frame.row(y), width, video.below_each_other.row(i * height + y));
  }
  const MotionOptions options = motion_options();
  std::vector<ProductionRow> requests(3);
  requests[0].work =
      motion_work(session, production, "1080p gray, alone", options, video.frames, 1);
  requests[0].goal = {25, 14, Measure::picture};
  requests[1].work = motion_batch_work(production, "1080p gray, 64 frames a call", options,
                                       video.frames[0], video.below_each_other, count);
  requests[1].goal = {8, 4.5, Measure::picture};
  requests[1].pictures = count;
  // The goal of a call of as many frames holds for as many cameras.
  requests[2].work = motion_cameras_work(production, "1080p gray, 64 cameras a call", options,
                                         video.frames[0], video.below_each_other, count);
  requests[2].goal = {8, 4.5, Measure::picture};
  requests[2].pictures = count;
  return requests;
}

}  // namespace cuesta::bench
