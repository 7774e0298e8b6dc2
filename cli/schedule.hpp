// Times of the day at which something counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cuesta::cli {

class Schedule {
 public:
  /// Always.
  Schedule() = default;
  /// "22:00-06:00", or several with commas between them; nothing for other text.
  static std::optional<Schedule> parse(const std::string& text);
  /// What a text must be, for messages.
  static constexpr const char* form = "times of the day as 22:00-06:00";

  bool is_always() const { return spans_.empty(); }
  /// `minute` since midnight.
  bool has(int minute) const;

 private:
  struct Span {
    int begin, end;  // minutes; it goes over midnight where the end is first
  };
  std::vector<Span> spans_{};
};

}  // namespace cuesta::cli
