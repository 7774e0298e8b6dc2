// A result as one page (html/).
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/report/report.hpp"
#include "bench/report/table.hpp"
#include "bench_page.hpp"
#include "cuesta/error.hpp"

namespace cuesta::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("&<>\"'").find(c) == std::string_view::npos)
      out += c;
    else
      out += fmt::format("&#{};", int(c));
  }
  return out;
}

// Inside <script>, where a "<" could end it. JSON has it in strings alone.
std::string embedded(std::string_view json) {
  std::string out;
  for (const char c : json) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

std::string line_of(std::string_view tag, const std::vector<std::string>& cells) {
  std::string out = "<tr>";
  for (const std::string& cell : cells) out += fmt::format("<{0}>{1}</{0}>", tag, escaped(cell));
  return out + "</tr>\n";
}

// Every row's time: what the page shows without JavaScript.
std::string plain_table(const Json& result) {
  std::string out = "<table>\n";
  out += line_of("th", {"experiment", "operation", "parameters", "type", "size", "strategy",
                        "space", "strategy parameters", "ms", "spread"});
  for (const auto& row : result.at("rows")) {
    const auto word = [&](const char* name) { return row.at(name).get<std::string>(); };
    out += line_of("td",
                   {word("experiment"), word("operation"), word("parameters"), word("type"),
                    fmt::format("{}x{}", row.at("width").get<int>(), row.at("height").get<int>()),
                    word("strategy"), word("space"), word("strategy_parameters"),
                    milliseconds(row.at("ms").get<double>()),
                    milliseconds(row.at("ms_spread").get<double>())});
  }
  return out + "</table>";
}

void put(std::string& text, std::string_view mark, const std::string& what) {
  text.replace(text.find(mark), mark.size(), what);
}

}  // namespace

std::string html_of(std::string_view json, const std::string& name) {
  try {
    const Json result = Json::parse(json);
    for (const char* part : {"machine", "commit", "date"}) result.at(part);
    std::string text(page);
    put(text, "<!-- result -->", embedded(result.dump()));
    put(text, "<!-- rows -->", plain_table(result));
    return text;
  } catch (const Json::exception& error) {
    throw no_result(name, error.what());
  }
}

}  // namespace cuesta::bench
