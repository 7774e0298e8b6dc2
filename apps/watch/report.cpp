#include "apps/watch/report.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "apps/watch/snapshot.hpp"
#include "cuesta/version.hpp"
#include "io/address.hpp"
#include "io/picture.hpp"

namespace cuesta::cli {
namespace {

using namespace std::string_view_literals;  // of a text, span would take the 0 at its end

constexpr size_t max_pictures = 1000;

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --line: #8886; --bar: #d9480f; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
svg.timeline { width: 100%; height: 3.5rem; border: 1px solid var(--line); }
svg.timeline rect { fill: var(--bar); } svg.timeline rect:hover { opacity: .6; }
.ends { display: flex; justify-content: space-between; font-size: .85rem; }
table { border-collapse: collapse; } td, th { padding: .15rem .8rem .15rem 0; text-align: left; }
.events { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: 1rem; }
article { border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; }
article:target { border-color: var(--bar); } article h3 { margin: 0; font-size: 1rem; }
article p { margin: .2rem 0; font-size: .9rem; }
article img { width: 100%; aspect-ratio: 4 / 3; object-fit: contain; background: #0003; }
.heat { position: relative; display: inline-block; } .heat img { max-width: 100%; display: block; }
.heat svg { position: absolute; inset: 0; width: 100%; height: 100%; }
.heat path { stroke: #3f6; stroke-width: 3; vector-effect: non-scaling-stroke; fill: none; }
.heat text { fill: #3f6; text-anchor: middle; } footer { margin: 2rem 0; font-size: .85rem; opacity: .7; }
)";

// RFC 4648.
std::string base64(const std::vector<uint8_t>& bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k) three = three << 8 | (i + k < bytes.size() ? bytes[i + k] : 0u);
    for (size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string picture_tag(const Image<uint8_t>& rgb, std::string_view attributes) {
  return fmt::format("<img {} src=\"data:image/jpeg;base64,{}\">", attributes,
                     base64(io::encode_picture(".jpg", rgb, {.quality = 75})));
}

// A file by its name, without its folders; addresses and cameras as they are.
std::string title_of(const std::string& source) {
  if (io::is_address(source) || io::is_camera(source)) return source;
  const std::string name = std::filesystem::path(source).filename().string();
  return "Moving objects in " + (name.empty() ? source : name);
}

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
    for (const Crossing& c : event.crossings)
      ++(c.to_right ? counts_[c.line].to_right : counts_[c.line].to_left);
    best_ = {};
  }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    ++frames_;
    end_ = frame.time;
    if (step.is_best && bars_.size() < max_pictures)
      best_ = snapshot_of(frame, facts_.format, step.event->best_box);
  }
  void finish() override {
    file_->write(fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "name=\"viewport\" content=\"width=device-width\">\n<title>{0}</title>\n<style>{1}</style>"
        "\n</head>\n<body>\n<h1>{0}</h1>\n<p>{2} × {3} pixels, {4:.4g} frames/s, {5} frames, {6}: "
        "{7} event{8}, {9} object{10}.</p>\n",
        escaped(title_of(facts_.source)), style, facts_.format.width, facts_.format.height,
        facts_.rate(), frames_, clock_text(end_), bars_.size(), bars_.size() == 1 ? "" : "s",
        objects_.size(), objects_.size() == 1 ? "" : "s"));
    write_timeline();
    write_lines();
    file_->write("<h2>Events</h2>\n"sv);
    file_->write(bars_.empty() ? "<p>None.</p>\n"
                               : fmt::format("<div class=\"events\">\n{}</div>\n", cards_));
    if (bars_.size() > max_pictures)
      file_->write(fmt::format("<p>Pictures are of the first {} events.</p>\n", max_pictures));
    file_->write(fmt::format("<h2>Where it moved</h2>\n<div class=\"heat\">{}{}</div>\n",
                             picture_tag(shrunk(heat_.picture(), {1280, 960}),
                                         "alt=\"The brighter, the longer something moved there\""),
                             drawn_lines()));
    // A "<" cannot end the script.
    std::string data = data_;
    for (size_t at = data.find('<'); at != std::string::npos; at = data.find('<', at))
      data.replace(at, 1, "\\u003c");
    file_->write(fmt::format(
        "<script type=\"application/json\" id=\"events\">[{}]</script>\n<footer>cuesta {}</footer>"
        "\n</body>\n</html>\n",
        data, CUESTA_VERSION));
    file_->finish();
  }

 private:
  struct Bar {
    int64_t id;
    double start, width;
  };

  std::string card_of(const Event& event) const {
    const auto seconds = event.last.seconds - event.first.seconds;
    std::string text =
        fmt::format("<article id=\"event-{}\"><h3>{}: {}–{}</h3>\n", event.id, event.id,
                    clock_text(event.first.seconds), clock_text(event.last.seconds));
    if (facts_.clock.is_known()) text += fmt::format("<p>{}</p>\n", time_tag(event.first.seconds));
    if (!best_.empty())
      text += picture_tag(best_, fmt::format("alt=\"Object {} at {}\"", event.best_id,
                                             clock_text(event.best.seconds))) +
              "\n";
    text += fmt::format("<p>{:.1f} s, {} object{}, {} at once</p>\n", seconds, event.objects.size(),
                        event.objects.size() == 1 ? "" : "s", event.max_at_once);
    uint64_t zones = 0;
    for (const EventObject& object : event.objects) zones |= object.zones;
    if (zones)
      text += fmt::format("<p>in {}</p>\n",
                          escaped(fmt::format("{}", fmt::join(names_of(zones, facts_), ", "))));
    for (const Crossing& c : event.crossings)
      text +=
          fmt::format("<p>{}: object {} over {}: {}</p>\n",
                      facts_.clock.is_known() ? time_tag(c.at.seconds) : clock_text(c.at.seconds),
                      c.id, escaped(facts_.lines[c.line].name), escaped(way_of(c, facts_)));
    return text + "</article>\n";
  }

  std::string time_tag(double at) const {
    return fmt::format("<time datetime=\"{}\">{}</time>", facts_.clock.text(at),
                       facts_.clock.shown(at));
  }
  // Of the timeline: with the time of day, where it is known.
  std::string end_text(double at) const {
    return facts_.clock.is_known() ? fmt::format("{}, {}", clock_text(at), time_tag(at))
                                   : clock_text(at);
  }

  void write_timeline() {
    const double length = std::max(end_, 1e-9);
    std::string svg;
    for (const Bar& bar : bars_)
      svg += fmt::format(
          "<a href=\"#event-{0}\"><rect x=\"{1:.3f}\" width=\"{2:.3f}\" y=\"10\" height=\"80\">"
          "<title>{0}: {3}</title></rect></a>\n",
          bar.id, 1000 * bar.start / length, std::max(2.0, 1000 * bar.width / length),
          facts_.clock.is_known() ? facts_.clock.shown(bar.start) : clock_text(bar.start));
    file_->write(fmt::format(
        "<h2>When</h2>\n<svg class=\"timeline\" viewBox=\"0 0 1000 100\" "
        "preserveAspectRatio=\"none\">\n{}</svg>\n<div class=\"ends\"><span>{}</span><span>{}"
        "</span></div>\n",
        svg, end_text(0), end_text(end_)));
  }

  // Each line with an arrow to its right, and the names of the ways on both sides.
  std::string drawn_lines() const {
    if (facts_.lines.empty()) return {};
    const auto [width, height] = facts_.size();
    const double size = std::max(width, height) / 40.0;
    std::string svg =
        fmt::format("<svg viewBox=\"0 0 {} {}\" font-size=\"{:.1f}\">\n", width, height, size);
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
    return svg + "</svg>";
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

  const WatchFacts& facts_;
  const HeatMap& heat_;
  std::unique_ptr<io::RecordFile> file_;
  Image<uint8_t> best_;
  std::string cards_, data_;
  std::vector<Bar> bars_;
  std::map<size_t, LineCount> counts_;
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
