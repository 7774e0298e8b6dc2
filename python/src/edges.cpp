// canny, log_edges, sobel, boundaries, regions.

#include "cuesta/edges.hpp"
#include "cuesta/boundaries.hpp"
#include "cuesta/regions.hpp"

#include "core/check.hpp"
#include "keywords.hpp"
#include "module.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::python {

namespace {

using namespace nb::literals;
using MaybeArray = std::optional<Array>;
using MaybeOut = std::optional<OutArray>;

// One entry for all pictures, or one for each of `count`.
std::vector<Thresholds> thresholds_of(const std::string& rule, const std::vector<double>& low,
                                      const std::vector<double>& high, int64_t count) {
  if (low.empty() && high.empty()) return {rule_of(rule)};
  if (low.size() != high.size()) {
    throw_invalid(std::to_string(low.size()),
                  "low has {} thresholds and high {}; the counts must match", low.size(),
                  high.size());
  }
  std::vector<Thresholds> pairs;
  for (size_t i = 0; i < low.size(); ++i) pairs.push_back(Given{low[i], high[i]});
  if (pairs.size() != 1 && int64_t(pairs.size()) != count) {
    throw_invalid(std::to_string(pairs.size()),
                  "low and high have {} pairs of thresholds; there must be one, or one for each of "
                  "the {} pictures",
                  pairs.size(), count);
  }
  return pairs;
}

// The arguments that differ between the pictures [i, i + n).
CannyEach each_of(int64_t i, int32_t n, const std::vector<Thresholds>& thresholds,
                  const Pictures<ConstAnyView>& masks, std::vector<CannyResult>& used) {
  CannyEach each{.results = std::span(used).subspan(size_t(i), size_t(n))};
  if (masks.first) each.mask = masks.batch(i, n);
  if (thresholds.size() > 1) each.thresholds = std::span(thresholds).subspan(size_t(i), size_t(n));
  return each;
}

std::vector<std::pair<double, double>> pairs_of(const std::vector<CannyResult>& used) {
  std::vector<std::pair<double, double>> pairs;
  for (const CannyResult& r : used) pairs.emplace_back(r.low, r.high);
  return pairs;
}

std::vector<std::pair<double, double>> run_canny(
    const Array& image, const OutArray& out, int layout, int flat_layout, const MaybeArray& mask,
    const std::string& threshold, const std::vector<double>& low, const std::vector<double>& high,
    Keywords keywords, uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  const auto target = pictures_of(out, flat_layout, "out");
  check_same_count(source.count(), target.count(), "image", "out");
  Pictures<ConstAnyView> inside;
  if (mask) {
    inside = pictures_of(*mask, flat_layout, "mask");
    check_same_count(source.count(), inside.count(), "image", "mask");
  }
  const auto thresholds = thresholds_of(threshold, low, high, source.count());
  auto options = options_from<CannyOptions>(keywords);
  if (thresholds.size() == 1) options.thresholds = thresholds[0];
  const Exec exec = exec_from(keywords, stream, "canny");
  std::vector<CannyResult> used(size_t(source.count()));
  for_each_batch(image, source, [&](const ConstBatch& from, int64_t i) {
    const int32_t n = from.count;
    canny(from, target.batch(i, n), options, each_of(i, n, thresholds, inside, used), exec);
  });
  return pairs_of(used);
}

std::vector<std::pair<double, double>> run_canny_of_gradients(
    const Array& gx, const Array& gy, const OutArray& out, int layout, int flat_layout,
    const MaybeArray& mask, const std::string& threshold, const std::vector<double>& low,
    const std::vector<double>& high, Keywords keywords, uintptr_t stream) {
  const auto across = pictures_of(gx, layout, "gx"), down = pictures_of(gy, layout, "gy");
  const auto target = pictures_of(out, flat_layout, "out");
  check_same_count(across.count(), down.count(), "gx", "gy");
  check_same_count(across.count(), target.count(), "gx", "out");
  Pictures<ConstAnyView> inside;
  if (mask) {
    inside = pictures_of(*mask, flat_layout, "mask");
    check_same_count(across.count(), inside.count(), "gx", "mask");
  }
  const auto thresholds = thresholds_of(threshold, low, high, across.count());
  auto options = options_from<CannyGradientOptions>(keywords);
  if (thresholds.size() == 1) options.thresholds = thresholds[0];
  const Exec exec = exec_from(keywords, stream, "canny_of_gradients");
  std::vector<CannyResult> used(size_t(across.count()));
  for_each_batch(gx, across, [&](const ConstBatch& from, int64_t i) {
    const int32_t n = from.count;
    canny_of_gradients(from, down.batch(i, n), target.batch(i, n), options,
                       each_of(i, n, thresholds, inside, used), exec);
  });
  return pairs_of(used);
}

void run_boundaries(const Array& image, const OutArray& out, int layout, int flat_layout,
                    Keywords keywords, uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  const auto target = pictures_of(out, flat_layout, "out");
  check_same_count(source.count(), target.count(), "image", "out");
  const auto options = options_from<BoundaryOptions>(keywords);
  const Exec exec = exec_from(keywords, stream, "boundaries");
  for_each_batch(image, source, [&](const ConstBatch& from, int64_t i) {
    boundaries(from, target.batch(i, from.count), options, exec);
  });
}

void run_regions(const Array& image, const OutArray& out, int layout, Keywords keywords,
                 uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  const auto target = pictures_of(out, layout, "out");
  check_same_count(source.count(), target.count(), "image", "out");
  const auto options = options_from<RegionOptions>(keywords);
  const Exec exec = exec_from(keywords, stream, "regions");
  for_each_batch(image, source, [&](const ConstBatch& from, int64_t i) {
    regions(from, target.batch(i, from.count), options, exec);
  });
}

void run_sobel(const Array& image, const MaybeOut& gx, const MaybeOut& gy,
               const MaybeOut& magnitude, const MaybeOut& direction, int layout, Keywords keywords,
               uintptr_t stream) {
  const auto source = pictures_of(image, layout, "image");
  struct Wanted {
    Batch SobelBatchOutputs::*member;
    Pictures<AnyView> pictures;
  };
  std::vector<Wanted> wanted;
  const auto want = [&](const MaybeOut& array, Batch SobelBatchOutputs::*member, const char* name) {
    if (!array) return;
    wanted.push_back({member, pictures_of(*array, layout, name)});
    check_same_count(source.count(), wanted.back().pictures.count(), "image", name);
  };
  want(gx, &SobelBatchOutputs::gx, "gx");
  want(gy, &SobelBatchOutputs::gy, "gy");
  want(magnitude, &SobelBatchOutputs::magnitude, "magnitude");
  want(direction, &SobelBatchOutputs::direction, "direction");
  const auto options = options_from<SobelOptions>(keywords);
  const Exec exec = exec_from(keywords, stream, "sobel");
  for_each_batch(image, source, [&](const ConstBatch& from, int64_t i) {
    SobelBatchOutputs outputs;
    for (const Wanted& w : wanted) outputs.*w.member = w.pictures.batch(i, from.count);
    sobel(from, outputs, options, exec);
  });
}

}  // namespace

void bind_edges(nb::module_& m) {
  m.def("canny", run_canny, "image"_a, "out"_a, "layout"_a, "flat_layout"_a, "mask"_a.none(),
        "threshold"_a, "low"_a, "high"_a, "keywords"_a, "stream"_a);
  m.def("canny_of_gradients", run_canny_of_gradients, "gx"_a, "gy"_a, "out"_a, "layout"_a,
        "flat_layout"_a, "mask"_a.none(), "threshold"_a, "low"_a, "high"_a, "keywords"_a,
        "stream"_a);
  def_filter<LogOptions>(m, "log_edges", log_edges);
  m.def("regions", run_regions, "image"_a, "out"_a, "layout"_a, "keywords"_a, "stream"_a);
  m.def("boundaries", run_boundaries, "image"_a, "out"_a, "layout"_a, "flat_layout"_a, "keywords"_a,
        "stream"_a);
  m.def("sobel", run_sobel, "image"_a, "gx"_a.none(), "gy"_a.none(), "magnitude"_a.none(),
        "direction"_a.none(), "layout"_a, "keywords"_a, "stream"_a);
}

}  // namespace cuesta::python
