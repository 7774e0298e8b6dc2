#include "cli/complaints.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <regex>

namespace cuesta::cli {
namespace {

// CLI11 prints 0.1 as 0.100000.
std::string short_number(const std::string& text) {
  const double number = std::strtod(text.c_str(), nullptr);
  constexpr double exact = 1e15;
  return std::fabs(number) < exact && number == std::floor(number)
             ? fmt::format("{}", int64_t(number))
             : fmt::format("{}", number);
}

std::string range_of(const std::string& low, const std::string& high) {
  constexpr double unlimited = 1e15;
  if (std::strtod(high.c_str(), nullptr) > unlimited)
    return fmt::format("{} or more", short_number(low));
  return fmt::format("{} to {}", short_number(low), short_number(high));
}

}  // namespace

std::string in_our_form(const std::string& complaint, const std::string& verb) {
  static const std::regex range(R"((\S+): Value (.*) not in range (\S+) to (\S+))");
  static const std::regex missing(R"((\S+): \d+ required (\S+) missing)");
  static const std::regex required(R"((\S+) is required)");
  static const std::regex choice(R"((\S+): (.*?): it must be (.*))");
  static const std::regex unexpected(
      R"(The following arguments? (?:was|were) not expected: (\S+)(?: .*)?)");
  std::smatch found;
  if (std::regex_match(complaint, found, range))
    return fmt::format("{} is {}; it must be {}", found.str(1), found.str(2),
                       range_of(found.str(3), found.str(4)));
  if (std::regex_match(complaint, found, missing))
    return fmt::format("{} has no value; write {} {}", found.str(1), found.str(1), found.str(2));
  if (std::regex_match(complaint, found, required))
    return fmt::format("{} is missing; write {} {}", found.str(1), verb, found.str(1));
  if (std::regex_match(complaint, found, choice))
    return fmt::format("{} is {}; it must be {}", found.str(1), found.str(2), found.str(3));
  if (!std::regex_match(complaint, found, unexpected)) return complaint;
  const std::string word = found.str(1);
  return word.starts_with('-') ? fmt::format("{}: {} has no such option", word, verb)
                               : fmt::format("{}: {} takes no further arguments", word, verb);
}

}  // namespace cuesta::cli
