// canny, log_edges, sobel.

#include "cuesta/edges.hpp"
#include "arrays.hpp"
#include "core/check.hpp"
#include "module.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;
using MaybeArray = std::optional<Array>;
using MaybeOut = std::optional<OutArray>;

// One entry for all pictures, or one for each where pairs are given so.
std::vector<Thresholds> thresholds_of(const std::string& rule, double percent,
                                      const std::vector<double>& low,
                                      const std::vector<double>& high) {
  if (rule == "otsu") return {Thresholds::automatic(AutoThreshold::otsu)};
  if (rule == "median") return {Thresholds::automatic(AutoThreshold::median)};
  if (rule == "percentile") return {Thresholds::automatic(AutoThreshold::percentile, percent)};
  if (low.size() != high.size()) {
    throw_invalid(std::to_string(low.size()), "low has {} thresholds and high {}; give as many",
                  low.size(), high.size());
  }
  std::vector<Thresholds> pairs;
  for (size_t i = 0; i < low.size(); ++i) pairs.push_back(Thresholds::given(low[i], high[i]));
  return pairs;
}

std::vector<std::pair<double, double>> run_canny(
    const Array& image, const OutArray& out, int layout, const MaybeArray& mask, double sigma,
    int ksize, int aperture, bool l2, const std::string& rule, double percent,
    const std::vector<double>& low, const std::vector<double>& high, const MaybeName& strategy,
    const Parameters& parameters, int threads, uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  const auto target = pictures_of(out, layout, "out");
  check_same_count(source.count(), target.count(), "image", "out");
  Pictures<ConstAnyView> inside;
  if (mask) {
    inside = pictures_of(*mask, layout, "mask");
    check_same_count(source.count(), inside.count(), "image", "mask");
  }
  const std::vector<Thresholds> thresholds = thresholds_of(rule, percent, low, high);
  if (thresholds.size() != 1 && int64_t(thresholds.size()) != source.count()) {
    throw_invalid(std::to_string(thresholds.size()),
                  "low and high have {} pairs of thresholds; give one, or one for each of the {} "
                  "pictures",
                  thresholds.size(), source.count());
  }
  CannyOptions options;
  options.sigma = sigma;
  options.ksize = ksize;
  options.aperture = aperture;
  options.norm = l2 ? Norm::l2 : Norm::l1;
  if (thresholds.size() == 1) options.thresholds = thresholds[0];
  const Exec exec = exec_of(strategy, parameters, threads, stream);
  std::vector<CannyResult> used(size_t(source.count()));
  for_each_batch(image, source, target, [&](const ConstBatch& from, const Batch& to, int64_t i) {
    const size_t n = size_t(from.count);
    CannyEach each{.results = std::span(used).subspan(size_t(i), n)};
    if (mask) each.mask = inside.batch(i, from.count);
    if (thresholds.size() > 1) each.thresholds = std::span(thresholds).subspan(size_t(i), n);
    canny(from, to, options, each, exec);
  });
  std::vector<std::pair<double, double>> pairs;
  for (const CannyResult& r : used) pairs.emplace_back(r.low, r.high);
  return pairs;
}

void run_log(const Array& image, const OutArray& out, int layout, bool crossings, double threshold,
             double sigma, int ksize, int border, double border_value, const MaybeName& strategy,
             const Parameters& parameters, int threads, uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  const auto target = pictures_of(out, layout, "out");
  check_same_count(source.count(), target.count(), "image", "out");
  LogOptions options;
  options.mode = crossings ? LogMode::zero_crossings : LogMode::threshold;
  options.threshold = threshold;
  options.sigma = sigma;
  options.ksize = ksize;
  options.border = {BorderMode(border), border_value};
  const Exec exec = exec_of(strategy, parameters, threads, stream);
  for_each_picture(image, source.count(),
                   [&](int64_t i) { log_edges(source[i], target[i], options, exec); });
}

void run_sobel(const Array& image, const MaybeOut& gx, const MaybeOut& gy,
               const MaybeOut& magnitude, const MaybeOut& direction, int layout, int aperture,
               bool l2, int border, double border_value, const MaybeName& strategy,
               const Parameters& parameters, int threads, uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  struct Wanted {
    AnyView SobelOutputs::*member;
    Pictures<AnyView> pictures;
  };
  std::vector<Wanted> wanted;
  const auto want = [&](const MaybeOut& array, AnyView SobelOutputs::*member, const char* name) {
    if (!array) return;
    wanted.push_back({member, pictures_of(*array, layout, name)});
    check_same_count(source.count(), wanted.back().pictures.count(), "image", name);
  };
  want(gx, &SobelOutputs::gx, "gx");
  want(gy, &SobelOutputs::gy, "gy");
  want(magnitude, &SobelOutputs::magnitude, "magnitude");
  want(direction, &SobelOutputs::direction, "direction");
  const SobelOptions options{
      aperture, l2 ? Norm::l2 : Norm::l1, {BorderMode(border), border_value}};
  const Exec exec = exec_of(strategy, parameters, threads, stream);
  for_each_picture(image, source.count(), [&](int64_t i) {
    SobelOutputs outputs;
    for (const Wanted& w : wanted) outputs.*w.member = w.pictures[i];
    sobel(source[i], outputs, options, exec);
  });
}

}  // namespace

void bind_edges(nb::module_& m) {
  m.def("canny", run_canny, "image"_a, "out"_a, "layout"_a, "mask"_a.none(), "sigma"_a, "ksize"_a,
        "aperture"_a, "l2"_a, "rule"_a, "percent"_a, "low"_a, "high"_a, "strategy"_a.none(),
        "parameters"_a, "threads"_a, "stream"_a);
  m.def("log_edges", run_log, "image"_a, "out"_a, "layout"_a, "crossings"_a, "threshold"_a,
        "sigma"_a, "ksize"_a, "border"_a, "border_value"_a, "strategy"_a.none(), "parameters"_a,
        "threads"_a, "stream"_a);
  m.def("sobel", run_sobel, "image"_a, "gx"_a.none(), "gy"_a.none(), "magnitude"_a.none(),
        "direction"_a.none(), "layout"_a, "aperture"_a, "l2"_a, "border"_a, "border_value"_a,
        "strategy"_a.none(), "parameters"_a, "threads"_a, "stream"_a);
}

}  // namespace cuesta::python
