// Connected components with areas, boxes and centroids, 8-way, against
// cv::connectedComponentsWithStats. The numbering differs, so the sorted areas are compared.
#include <algorithm>

#include "bench/masks.hpp"
#include "cuesta/objects.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

void components_of(Session& session, const Image<uint8_t>& mask, const char* parameters) {
  const int32_t width = mask.width(), height = mask.height();
  BitImage bits(width, height);
  pack_mask(mask, bits);
  Image<int32_t> labels(width, height);
  std::vector<Component> found;
  std::vector<int64_t> areas, their_areas;

  Table table{
      .experiment = "components", .parameters = parameters, .src = mask, .bytes_per_pixel = 5};
  if (session.opencv()) {
    label(mask, labels, &found, {}, session.exec());
    for (const Component& component : found) areas.push_back(component.area);
    session.opencv()->components(mask, their_areas);
    std::sort(areas.begin(), areas.end());
    std::sort(their_areas.begin(), their_areas.end());
    if (!session.expect(areas == their_areas, std::string("components, ") + parameters)) return;
  }
  const auto opencv = [&] { session.opencv()->components(mask, their_areas); };
  session.add_strategies(table, "label",
                         [&](const Exec& exec) { label(mask, labels, &found, {}, exec); });
  session.add_opencv(table, "label", opencv);
  session.time(table);

  Table packed{
      .experiment = "components",
      .parameters = std::string(parameters) + ", bits, no label picture (opencv: u8, with)",
      .src = mask,
      .bytes_per_pixel = 0.125};
  session.add_strategies(packed, "label",
                         [&](const Exec& exec) { label(bits, {}, &found, {}, exec); });
  session.add_opencv(packed, "label", opencv);
  session.time(packed);
}

}  // namespace

void bench_components(Session& session) {
  for (const int32_t side : session.sizes()) {
    Image<uint8_t> mask(side, side);
    components_of(session, object_mask(side), "objects and specks");
    verify::fill(mask, verify::Pattern::sparse, 5);
    components_of(session, mask, "2 % random");
    verify::fill(mask, verify::Pattern::extremes, 5);
    components_of(session, mask, "50 % random");
  }
}

}  // namespace cuesta::bench
