// A climb as text, and as a page of its own.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "bench/model/ladder.hpp"
#include "bench/report/table.hpp"

namespace cuesta::bench::model {
namespace {

std::string rounded(double value) {
  if (value <= 0) return "-";
  if (value >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

std::string heading_of(const Ladder& ladder) {
  return fmt::format("{}, on {} ({})", ladder.title, ladder.gpu, ladder.source);
}

std::string copy_of(const Ladder& ladder) {
  return fmt::format("A copy of the picture takes {} us.", rounded(ladder.copy_us));
}

std::string limit_of(const LadderStep& step) { return step.us > 0 ? step.bound_by : "-"; }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

// The drawing of docs/ladder, where there is one.
std::string drawing_of(const std::string& operation, const std::string& strategy) {
  std::ifstream file(data_file(fmt::format("ladder/{}-{}.svg", operation, strategy)));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

constexpr const char* head_of_page = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{0}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: right; padding: .2rem .7rem; border-bottom: 1px solid #8885; }}
th:first-child, td:first-child, td.words {{ text-align: left; }}
meter {{ width: 9rem; }}
svg {{ max-width: 100%; height: auto; }}
</style>
<h1>{0}</h1>
<p>{1}</p>
<table>
<tr><th>step<th>predicted &micro;s<th>gain<th>times a copy<th>limited by<th>measured, times a copy<th>
)";

}  // namespace

std::string text_of(const Ladder& ladder) {
  TextTable table(heading_of(ladder) + "\n" + copy_of(ladder),
                  {"step", "us", "gain", "x copy", "limited by", "measured, x copy"});
  for (const LadderStep& step : ladder.steps)
    table.add({step.strategy, rounded(step.us), rounded(step.gain), rounded(step.copies),
               limit_of(step), rounded(step.measured_copies)});
  std::string text = table.text().substr(1) + "\n";
  for (const std::string& note : ladder.notes) text += note + "\n";
  text += "\n";
  for (const LadderStep& step : ladder.steps)
    text += fmt::format("  {}: {}\n", step.strategy, step.idea);
  return text;
}

std::string html_of(const Ladder& ladder, const LadderRequest& request) {
  double most = 0;
  for (const LadderStep& step : ladder.steps) most = std::max(most, step.us);
  std::string page = fmt::format(head_of_page, escaped(heading_of(ladder)), copy_of(ladder));
  for (const LadderStep& step : ladder.steps)
    page += fmt::format(
        "<tr><td><a href=\"#{0}\">{0}</a><td>{1}<td>{2}<td>{3}<td class=words>{4}<td>{5}<td>{6}\n",
        step.strategy, rounded(step.us), rounded(step.gain), rounded(step.copies),
        escaped(limit_of(step)), rounded(step.measured_copies),
        step.us > 0 ? fmt::format("<meter max={:g} value={:g}></meter>", most, step.us) : "");
  page += "</table>\n";
  for (const std::string& note : ladder.notes) page += fmt::format("<p>{}</p>\n", escaped(note));
  for (const LadderStep& step : ladder.steps)
    page += fmt::format("<h2 id=\"{0}\">{0}</h2>\n<p>{1}</p>\n{2}\n", step.strategy,
                        escaped(step.idea), drawing_of(request.operation, step.strategy));
  return page + "</html>\n";
}

}  // namespace cuesta::bench::model
