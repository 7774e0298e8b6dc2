#include "cli/schedule.hpp"

#include <algorithm>
#include <cstdio>

namespace cuesta::cli {

std::optional<Schedule> Schedule::parse(const std::string& text) {
  constexpr int day = 24 * 60;
  Schedule schedule;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, comma - at);
    int h0 = 0, m0 = 0, h1 = 0, m1 = 0, used = 0;
    if (one.find_first_not_of("0123456789:-") != one.npos ||
        std::sscanf(one.c_str(), "%2d:%2d-%2d:%2d%n", &h0, &m0, &h1, &m1, &used) != 4 ||
        size_t(used) != one.size())
      return std::nullopt;
    const Span span{h0 * 60 + m0, h1 * 60 + m1};
    if (h0 < 0 || m0 < 0 || h1 < 0 || m1 < 0 || m0 > 59 || m1 > 59 || span.begin >= day ||
        span.end > day || span.begin == span.end)
      return std::nullopt;
    schedule.spans_.push_back(span);
    at = comma + 1;
  }
  return schedule;
}

bool Schedule::has(int minute) const {
  return spans_.empty() || std::ranges::any_of(spans_, [&](const Span& span) {
           return span.begin < span.end ? minute >= span.begin && minute < span.end
                                        : minute >= span.begin || minute < span.end;
         });
}

}  // namespace cuesta::cli
