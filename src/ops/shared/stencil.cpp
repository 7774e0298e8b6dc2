// The Stencil type: making, reading, turning, factoring.
#include "cuesta/stencil.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/check.hpp"
#include "core/options.hpp"
#include "ops/shared/stencil_factors.hpp"

namespace cuesta {
namespace {

void check_size(int width, int height, size_t taps) {
  const auto bad = [](int side) { return side < 1 || side > Stencil::max_size; };
  if (bad(width) || bad(height)) {
    throw_invalid(fmt::format("{} x {}", width, height),
                  "stencil is {} x {}; both sides must be {}", width, height,
                  wrong(width < 1 || height < 1 ? std::min(width, height) : std::max(width, height),
                        between(1, Stencil::max_size).or_by(smaller_in_turn)));
  }
  if (taps != size_t(width) * size_t(height)) {
    throw_invalid(std::to_string(taps), "stencil of {} x {} has {} taps; it must have {}", width,
                  height, taps, width * height);
  }
}

void check_divisor(int64_t divisor) {
  if (divisor < 1) {
    throw_invalid(std::to_string(divisor), "stencil divisor is {}; it must be at least 1", divisor);
  }
}

// A message quotes at most this much of a text.
std::string_view shortened(std::string_view text) { return text.substr(0, 60); }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }

template <class T>
bool read(std::string_view word, T& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

// The words of `line`, apart by blanks and commas.
template <class Each>
void for_words(std::string_view line, Each&& each) {
  for (size_t i = 0; i < line.size();) {
    while (i < line.size() && is_blank(line[i])) ++i;
    const size_t first = i;
    while (i < line.size() && !is_blank(line[i])) ++i;
    if (i > first) each(line.substr(first, i - first));
  }
}

int64_t read_divisor(std::string_view text) {
  int64_t divisor = 0;
  int words = 0;
  for_words(text, [&](std::string_view word) {
    for (; !word.empty() && (word.back() == '\n' || word.back() == ';');) word.remove_suffix(1);
    if (word.empty()) return;
    if (++words > 1 || !read(word, divisor)) {
      throw_invalid(std::string(shortened(text)),
                    "stencil divisor is '{}'; it must be one whole number, as in \"1 2 1 / 4\"",
                    shortened(text));
    }
  });
  if (words == 0)
    throw_invalid("", "stencil has no divisor after '/'; write one, as in \"1 2 1 / 4\"");
  check_divisor(divisor);
  return divisor;
}

}  // namespace

Stencil Stencil::integers(int width, int height, std::span<const int32_t> taps, int64_t divisor) {
  check_size(width, height, taps.size());
  check_divisor(divisor);
  Stencil s;
  s.width_ = width, s.height_ = height;
  s.anchor_x_ = width / 2, s.anchor_y_ = height / 2;
  s.divisor_ = divisor;
  s.integers_.assign(taps.begin(), taps.end());
  return s;
}

Stencil Stencil::floats(int width, int height, std::span<const float> taps) {
  check_size(width, height, taps.size());
  for (const float t : taps) {
    if (!std::isfinite(t))
      throw_invalid(std::to_string(t), "stencil tap is {}; it must be finite", t);
  }
  Stencil s;
  s.width_ = width, s.height_ = height;
  s.anchor_x_ = width / 2, s.anchor_y_ = height / 2;
  s.floats_.assign(taps.begin(), taps.end());
  return s;
}

Stencil Stencil::parse(std::string_view text) {
  const size_t slash = text.find('/');
  const std::string_view matrix = text.substr(0, slash);
  std::vector<int32_t> whole;
  std::vector<float> real;
  bool all_whole = true;
  int width = 0, height = 0;
  for (size_t at = 0; at <= matrix.size();) {
    const size_t end = std::min(matrix.find_first_of(";\n", at), matrix.size());
    int count = 0;
    for_words(matrix.substr(at, end - at), [&](std::string_view word) {
      ++count;
      int32_t integer = 0;
      float number = 0;
      all_whole &= read(word, integer);
      if (!read(word, number) || !std::isfinite(number)) {
        throw_invalid(std::string(shortened(word)),
                      "stencil tap '{}' in row {} is invalid; it must be a number in range",
                      shortened(word), height + 1);
      }
      // A picture of the wrong kind handed over as a stencil stops here, not at the end.
      if (count > max_size) check_size(count, std::max(height, 1), 0);
      whole.push_back(integer);
      real.push_back(number);
    });
    at = end + 1;
    if (count == 0) continue;  // a trailing ';' or an empty line
    if (height > 0 && count != width) {
      throw_invalid(std::to_string(count), "stencil row {} has {} taps; every row must have {}",
                    height + 1, count, width);
    }
    width = count;
    if (++height > max_size) check_size(width, height, 0);
  }
  if (height == 0) {
    throw_invalid(std::string(shortened(text)),
                  "stencil '{}' has no taps; separate rows by ';', as in \"0 1 0;1 -4 1;0 1 0\"",
                  shortened(text));
  }
  if (slash == std::string_view::npos)
    return all_whole ? integers(width, height, whole) : floats(width, height, real);
  if (!all_whole) {
    throw_invalid(std::string(shortened(text)),
                  "stencil '{}' has a divisor; its taps must be whole numbers of 32 bits",
                  shortened(text));
  }
  return integers(width, height, whole, read_divisor(text.substr(slash + 1)));
}

double Stencil::tap(int x, int y) const {
  const size_t at = size_t(y) * size_t(width_) + size_t(x);
  return is_integer() ? double(integers_[at]) / double(divisor_) : double(floats_[at]);
}

Stencil Stencil::flipped() const {
  Stencil s = *this;
  std::reverse(s.integers_.begin(), s.integers_.end());
  std::reverse(s.floats_.begin(), s.floats_.end());
  s.anchor_x_ = width_ - 1 - anchor_x_;
  s.anchor_y_ = height_ - 1 - anchor_y_;
  return s;
}

Stencil Stencil::transposed() const {
  Stencil s = *this;
  std::swap(s.width_, s.height_);
  std::swap(s.anchor_x_, s.anchor_y_);
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      const size_t from = size_t(y) * size_t(width_) + size_t(x);
      const size_t to = size_t(x) * size_t(height_) + size_t(y);
      if (is_integer())
        s.integers_[to] = integers_[from];
      else
        s.floats_[to] = floats_[from];
    }
  }
  return s;
}

std::optional<Stencil::Factors> Stencil::factors() const {
  Factors f;
  if (width_ == 0) return {};
  if (is_integer()) {
    f.column_integers.resize(size_t(height_));
    f.row_integers.resize(size_t(width_));
    if (!factor(integers_, f.column_integers, f.row_integers)) return {};
  } else {
    f.column_floats.resize(size_t(height_));
    f.row_floats.resize(size_t(width_));
    if (!factor(floats_, f.column_floats, f.row_floats)) return {};
  }
  return f;
}

}  // namespace cuesta
