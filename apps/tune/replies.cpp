#include "apps/tune/replies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/results.hpp"

namespace cuesta::cli::tune {

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Reply of_bytes(std::string body, Json about, double milliseconds) {
  about["ms"] = std::round(milliseconds * 100) / 100;
  Reply reply;
  reply.type = "application/octet-stream";
  reply.body = std::move(body);
  reply.headers = {{"Cuesta-Picture", line_of(about)},
                   {"Server-Timing", fmt::format("work;dur={:.2f}", milliseconds)}};
  return reply;
}

Reply of_json(const Json& json) { return {.body = line_of(json)}; }

// Rows without what pads them.
std::string rows_of(ConstAnyView plane) {
  const size_t bytes = size_t(plane.width) * size_t(plane.channels);
  std::string out;
  out.reserve(bytes * size_t(plane.height));
  for (int32_t y = 0; y < plane.height; ++y)
    out.append(reinterpret_cast<const char*>(plane.as<uint8_t>().row(y)), bytes);
  return out;
}

Json parsed(const std::string& body) {
  Json asked = Json::parse(body, nullptr, false);
  if (!asked.is_object()) usage_error("", "tune: the request must be a JSON object");
  return asked;
}

int number_of(const Json& asked, const char* key) {
  const auto found = asked.find(key);
  if (found == asked.end()) return 0;
  if (!found->is_number_integer())
    usage_error(found->dump(), "tune: {} is {}; it must be a whole number", key, found->dump());
  return int(std::clamp<int64_t>(found->get<int64_t>(), -1, 1 << 20));
}

const Json& values_in(const Json& asked) {
  static const Json none = Json::object();
  const auto found = asked.find("values");
  return found == asked.end() ? none : *found;
}

}  // namespace cuesta::cli::tune
