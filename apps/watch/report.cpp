#include "apps/watch/report.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "apps/watch/base64.hpp"
#include "apps/watch/report_page.hpp"
#include "apps/watch/snapshot.hpp"
#include "cuesta/io/address.hpp"
#include "cuesta/io/picture.hpp"
#include "cuesta/version.hpp"

namespace cuesta::cli {
namespace {

using namespace std::string_view_literals;  // of a text, span would take the 0 at its end

constexpr size_t max_pictures = 1000;

// The page's style and script.
std::string_view part(std::string_view name) {
  for (const auto& one : report_page::page_files)
    if (one.name == name) return one.text;
  return {};
}

std::string picture_tag(const Image<uint8_t>& rgb, std::string_view attributes) {
  return fmt::format("<img {} src=\"data:image/jpeg;base64,{}\">", attributes,
                     base64(io::encode_picture(".jpg", rgb, {.quality = 75})));
}

// A camera by its name, a file by its own, without its folders; addresses as they are.
std::string title_of(const WatchFacts& facts) {
  if (!facts.camera.empty()) return "Moving objects at " + facts.camera;
  if (facts.source == "-") return "Moving objects in standard input";
  if (io::is_address(facts.source)) return "Moving objects at " + facts.source;
  return "Moving objects in " + std::filesystem::path(facts.source).filename().string();
}

std::string_view plural(int64_t count) { return count == 1 ? "" : "s"; }

class Report final : public EventSink {
 public:
  Report(const std::string& path, const WatchFacts& facts, const HeatMap& heat)
      : facts_(facts), heat_(heat), file_(text_file(path, facts.placing)) {
    // What a build cannot do is said before the video is watched.
    io::encode_picture(".jpg", Image<uint8_t>(8, 8));
  }

  void ended(const Event& event) override {
    const Json json = json_of(event, "ended", facts_);
    cards_ += card_of(event);
    const double width = std::max(event.last.seconds - event.first.seconds, 0.0);
    bars_.push_back({event.id, event.first.seconds, width});
    data_ += (data_.empty() ? "\n" : ",\n") + line_of(json);
    for (const EventObject& object : event.objects) objects_.insert(object.id);
    std::set<size_t> zones;
    for (const ZoneVisit& visit : event.visits) {
      Visits& of = visits_[visit.zone];
      if (zones.insert(visit.zone).second) ++of.events;
      of.seconds += visit.left.seconds - visit.entered.seconds;
    }
    for (const Crossing& c : event.crossings)
      ++(c.to_right ? counts_[c.line].to_right : counts_[c.line].to_left);
    best_ = {};
  }
  void unblinded(const BlindTime& blind) override { blind_.push_back(blind); }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    ++frames_;
    end_ = frame.time;
    if (step.is_best && bars_.size() < max_pictures)
      best_ = snapshot_of(frame, facts_.format, step.event->best_box);
  }
  void finish() override {
    write_head();
    write_filters();
    write_timeline();
    write_blind();
    write_hours();
    write_lines();
    write_zones();
    write_events();
    file_->write(fmt::format("<h2>Where it moved</h2>\n<div class=\"heat\">{}{}</div>\n",
                             picture_tag(shrunk(heat_.picture(), {1280, 960}),
                                         "alt=\"The brighter, the longer something moved there\""),
                             drawn_scene()));
    // A "<" cannot end the script.
    std::string data = data_;
    for (size_t at = data.find('<'); at != std::string::npos; at = data.find('<', at))
      data.replace(at, 1, "\\u003c");
    file_->write(fmt::format(
        "<script type=\"application/json\" id=\"events\">[{}]</script>\n<script>\n{}</script>\n"
        "<footer>cuesta {}</footer>\n</body>\n</html>\n",
        data, part("report.js"), CUESTA_VERSION));
    file_->finish();
  }

 private:
  struct Bar {
    int64_t id;
    double start, width;
  };
  struct Visits {
    int64_t events = 0;
    double seconds = 0;  // from when a zone was entered to when something was last there
  };

  // A time of the video: the time of day where it is known, else seconds.
  std::string when(double at) const {
    if (!facts_.clock.is_known()) return clock_text(at);
    constexpr size_t seconds_end = 19, milliseconds = 4;  // of "2026-11-25T06:00:01.667+01:00"
    return facts_.clock.text(at).erase(seconds_end, milliseconds);
  }
  std::string time_tag(double at) const {
    if (!facts_.clock.is_known()) return clock_text(at);
    return fmt::format("<time datetime=\"{}\">{}</time>", facts_.clock.text(at), when(at));
  }

  std::string card_of(const Event& event) const {
    const double begin = event.first.seconds, end = event.last.seconds;
    std::string text =
        fmt::format("<article id=\"event-{0}\"><h3>{0}: {1}{2}</h3>\n", event.id, time_tag(begin),
                    facts_.clock.is_known() ? "" : "–" + clock_text(end));
    if (facts_.clock.is_known())
      text += fmt::format("<p>to {}; {}–{} of the video</p>\n", time_tag(end), clock_text(begin),
                          clock_text(end));
    if (!best_.empty())
      text += picture_tag(best_, fmt::format("alt=\"Object {} at {}\"", event.best_id,
                                             when(event.best.seconds))) +
              "\n";
    text +=
        fmt::format("<p>{:.1f} s, {} object{}, {} at once</p>\n", end - begin, event.objects.size(),
                    plural(int64_t(event.objects.size())), event.max_at_once);
    uint64_t zones = 0;
    for (const EventObject& object : event.objects) zones |= object.zones;
    for (const ZoneVisit& visit : event.visits) zones |= uint64_t(1) << visit.zone;
    if (zones)
      text += fmt::format("<p>in {}</p>\n",
                          escaped(fmt::format("{}", fmt::join(names_of(zones, facts_), ", "))));
    for (const Crossing& c : event.crossings)
      text += fmt::format("<p>{}: object {} over {}: {}</p>\n", time_tag(c.at.seconds), c.id,
                          escaped(facts_.lines[c.line].name), escaped(way_of(c, facts_)));
    return text + "</article>\n";
  }

  // Nothing may be fetched by the page, whatever a name in it holds.
  void write_head() {
    const auto events = int64_t(bars_.size()), objects = int64_t(objects_.size());
    file_->write(fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<meta name=\"viewport\" "
        "content=\"width=device-width\">\n<title>{0}</title>\n<style>\n{1}</style>\n</head>\n"
        "<body>\n<h1>{0}</h1>\n<p>{2} × {3} pixels, {4:.4g} frames/s, {5} frames, {6}: {7} "
        "event{8}, {9} object{10}.</p>\n",
        escaped(title_of(facts_)), part("report.css"), facts_.format.width, facts_.format.height,
        facts_.rate(), frames_, clock_text(end_), events, plural(events), objects,
        plural(objects)));
  }

  void write_filters() {
    file_->write(
        "<form class=\"filters\" hidden>\n<label hidden>Zone <select "
        "name=\"zone\"><option value=\"\">all</option></select></label>\n<label hidden>Crossing "
        "<select name=\"way\"><option value=\"\">all</option></select></label>\n<label>Object "
        "<input name=\"object\" type=\"number\" min=\"0\" placeholder=\"all\"></label>\n<button "
        "type=\"reset\">All</button>\n<output name=\"count\"></output>\n</form>\n"sv);
  }

  void write_timeline() {
    const double length = std::max(end_, 1e-9);
    std::string svg;
    for (const BlindTime& blind : blind_)
      svg += fmt::format(
          "<rect class=\"blind\" x=\"{:.3f}\" width=\"{:.3f}\" height=\"100\"><title>{}: blind"
          "</title></rect>\n",
          1000 * blind.first.seconds / length,
          std::max(2.0, 1000 * (blind.last.seconds - blind.first.seconds) / length),
          when(blind.first.seconds));
    for (const Bar& bar : bars_)
      svg += fmt::format(
          "<a href=\"#event-{0}\"><rect x=\"{1:.3f}\" width=\"{2:.3f}\" y=\"10\" height=\"80\">"
          "<title>{0}: {3}</title></rect></a>\n",
          bar.id, 1000 * bar.start / length, std::max(2.0, 1000 * bar.width / length),
          when(bar.start));
    file_->write(fmt::format(
        "<h2>When</h2>\n<svg class=\"timeline\" viewBox=\"0 0 1000 100\" "
        "preserveAspectRatio=\"none\">\n{}</svg>\n<div class=\"ends\"><span>{}</span><span>{}"
        "</span></div>\n",
        svg, time_tag(0), time_tag(end_)));
  }

  void write_blind() {
    if (blind_.empty()) return;
    std::string rows;
    for (const BlindTime& blind : blind_)
      rows +=
          fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", time_tag(blind.first.seconds),
                      time_tag(blind.last.seconds), BlindTime::reason);
    file_->write(fmt::format(
        "<h2>Blind</h2>\n<p>Nothing could be found in these times.</p>\n<table><tr><th>from</th>"
        "<th>to</th><th>reason</th></tr>\n{}</table>\n",
        rows));
  }

  // The script fills it in.
  void write_hours() {
    if (!facts_.clock.is_known()) return;
    file_->write(
        fmt::format("<section hidden>\n<h2>By hour</h2>\n<div class=\"hours\" data-begin=\"{}\" "
                    "data-end=\"{}\"></div>\n</section>\n",
                    facts_.clock.text(0), facts_.clock.text(end_)));
  }

  void write_events() {
    file_->write("<h2>Events</h2>\n"sv);
    file_->write(bars_.empty() ? "<p>None.</p>\n"
                               : fmt::format("<div class=\"events\">\n{}</div>\n", cards_));
    if (bars_.size() > max_pictures)
      file_->write(fmt::format("<p>Pictures are of the first {} events.</p>\n", max_pictures));
  }

  std::string drawn_scene() const {
    if (facts_.lines.empty() && facts_.polygons.empty()) return {};
    const auto [width, height] = facts_.size();
    return fmt::format("<svg viewBox=\"0 0 {} {}\" font-size=\"{:.1f}\">\n{}{}</svg>", width,
                       height, std::max(width, height) / 40.0, drawn_zones(), drawn_lines());
  }

  std::string drawn_zones() const {
    const auto [width, height] = facts_.size();
    std::string svg;
    for (size_t i = 0; i < facts_.polygons.size(); ++i) {
      svg += fmt::format("<polygon{} points=\"", facts_.has_state(i) ? "" : " class=\"exclude\"");
      Point highest{0, 2};
      for (const Point& corner : facts_.polygons[i]) {
        svg += fmt::format("{:.1f},{:.1f} ", corner.x * width, corner.y * height);
        if (corner.y < highest.y) highest = corner;
      }
      svg +=
          fmt::format("\"/><text class=\"zone\" x=\"{:.1f}\" y=\"{:.1f}\" dy=\"1.1em\">{}</text>\n",
                      highest.x * width, highest.y * height, escaped(facts_.zones[i]));
    }
    return svg;
  }

  // Each line with an arrow to its right, and the names of the ways on both sides.
  std::string drawn_lines() const {
    const auto [width, height] = facts_.size();
    const double size = std::max(width, height) / 40.0;
    std::string svg;
    for (const CountingLine& line : facts_.lines) {
      const double ax = line.from.x * width, ay = line.from.y * height;
      const double x = line.to.x * width - ax, y = line.to.y * height - ay;
      const double length = std::hypot(x, y), dx = size * x / length, dy = size * y / length;
      const double mx = ax + x / 2, my = ay + y / 2, tx = mx - 2 * dy, ty = my + 2 * dx;
      svg += fmt::format(
          "<path d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}M{:.1f} {:.1f}L{:.1f} {:.1f}m{:.1f} {:.1f}L{:.1f} "
          "{:.1f}l{:.1f} {:.1f}\"/>\n",
          ax, ay, x, y, mx, my, tx, ty, dy - dx, -dx - dy, tx, ty, dy + dx, dy - dx);
      for (const auto& [way, far] : {std::pair(line.ways[0], 3.2), std::pair(line.ways[1], -1.2)})
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", mx - far * dy,
                           my + far * dx, escaped(way));
    }
    return svg;
  }

  void write_lines() {
    if (facts_.lines.empty()) return;
    file_->write(
        "<h2>Lines crossed</h2>\n<table><tr><th>line</th><th>way</th><th>crossings</th></tr>\n"sv);
    for (size_t i = 0; i < facts_.lines.size(); ++i) {
      const CountingLine& line = facts_.lines[i];
      file_->write(
          fmt::format("<tr><td>{0}</td><td>{1}</td><td>{2}</td></tr>\n"
                      "<tr><td>{0}</td><td>{3}</td><td>{4}</td></tr>\n",
                      escaped(line.name), escaped(line.ways[0]), counts_[i].to_right,
                      escaped(line.ways[1]), counts_[i].to_left));
    }
    file_->write("</table>\n"sv);
  }

  void write_zones() {
    if (facts_.included == 0) return;
    file_->write(
        "<h2>Zones</h2>\n<table><tr><th>zone</th><th>events</th><th>seconds</th></tr>\n"sv);
    for (size_t i = 0; i < facts_.zones.size(); ++i) {
      if (!facts_.has_state(i)) continue;
      const auto found = visits_.find(i);
      const Visits visits = found == visits_.end() ? Visits() : found->second;
      file_->write(fmt::format("<tr><td>{}</td><td>{}</td><td>{:.1f}</td></tr>\n",
                               escaped(facts_.zones[i]), visits.events, visits.seconds));
    }
    file_->write("</table>\n"sv);
  }

  const WatchFacts& facts_;
  const HeatMap& heat_;
  std::unique_ptr<io::RecordFile> file_;
  Image<uint8_t> best_;
  std::string cards_, data_;
  std::vector<Bar> bars_;
  std::vector<BlindTime> blind_;
  std::map<size_t, LineCount> counts_;
  std::map<size_t, Visits> visits_;
  std::set<int64_t> objects_;
  int64_t frames_ = 0;
  double end_ = 0;
};

}  // namespace

std::unique_ptr<EventSink> html_report(const std::string& path, const WatchFacts& facts,
                                       const HeatMap& heat) {
  return std::make_unique<Report>(path, facts, heat);
}

}  // namespace cuesta::cli
