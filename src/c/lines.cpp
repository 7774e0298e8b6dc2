// cuesta_trace_canny, cuesta_trace_edges, cuesta_trace_log.
#include "cuesta/lines.hpp"

#include <memory>
#include <vector>

#include "c/edge_options.hpp"

struct cuesta_lines {
  std::vector<cuesta_line_point> points{};
  std::vector<cuesta_line> lines{};
};

namespace {

using namespace cuesta::c;
using cuesta::Refinement;

cuesta_trace_options trace_defaults() {
  const cuesta::TraceOptions by{};
  return {sizeof(cuesta_trace_options), by.tolerance, by.min_length, number_of(by.refinement)};
}

cuesta::TraceOptions trace_options(const cuesta_trace_options* options) {
  const auto of = take_options(options, trace_defaults(), "trace");
  return {.tolerance = of.tolerance,
          .min_length = of.min_length,
          .refinement = enumerator<Refinement>(of.refinement, "trace: refinement")};
}

cuesta_lines* lines_of(const cuesta::Polylines& found) {
  auto made = std::make_unique<cuesta_lines>();
  size_t points = 0;
  for (const auto& line : found) points += line.points.size();
  made->points.reserve(points);  // lines point into them
  made->lines.reserve(found.size());
  for (const auto& line : found) {
    made->lines.push_back({made->points.data() + made->points.size(), line.points.size(),
                           line.length, line.strength, line.closed});
    for (const auto& p : line.points) made->points.push_back({p.x, p.y, p.strength});
  }
  return made.release();
}

}  // namespace

void cuesta_trace_options_init(cuesta_trace_options* options, size_t size) {
  put_options(options, size, trace_defaults());
}

void cuesta_lines_free(cuesta_lines* lines) { delete lines; }

const cuesta_line* cuesta_lines_all(const cuesta_lines* lines, size_t* count) {
  if (count != nullptr) *count = lines == nullptr ? 0 : lines->lines.size();
  return lines == nullptr ? nullptr : lines->lines.data();
}

cuesta_status cuesta_trace_canny(cuesta_lines** made, cuesta_context* context,
                                 const cuesta_view* src, const cuesta_canny_options* options,
                                 const cuesta_trace_options* how) {
  return guarded([&] {
    auto& to = given(made, "trace: made");
    to = lines_of(cuesta::trace(picture(src, "trace: src"), canny_options(options),
                                trace_options(how), exec_of(context)));
  });
}

cuesta_status cuesta_trace_edges(cuesta_lines** made, cuesta_context* context,
                                 const cuesta_view* src, const cuesta_view* edges,
                                 const cuesta_canny_options* options,
                                 const cuesta_trace_options* how) {
  return guarded([&] {
    auto& to = given(made, "trace: made");
    to = lines_of(cuesta::trace(picture(src, "trace: src"), picture(edges, "trace: edges"),
                                canny_options(options), trace_options(how), exec_of(context)));
  });
}

cuesta_status cuesta_trace_log(cuesta_lines** made, cuesta_context* context, const cuesta_view* src,
                               const cuesta_log_options* options, const cuesta_trace_options* how) {
  return guarded([&] {
    auto& to = given(made, "trace: made");
    to = lines_of(cuesta::trace(picture(src, "trace: src"), log_options(options),
                                trace_options(how), exec_of(context)));
  });
}
