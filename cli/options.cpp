#include "cli/options.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <vector>

#include "cli/common.hpp"
#include "cli/nearest.hpp"
#include "io/text_file.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::cli {
namespace {

template <class T>
bool parse_whole(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [at, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc() && at == end;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

constexpr int64_t largest_kernel_file = 1 << 22;

const std::vector<std::string> kernel_names = {"average:3", "sharpen:3", "unsharp:3", "gaussian:5",
                                               "laplacian"};

std::string read_kernel_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  const auto size = std::filesystem::is_regular_file(status)
                        ? std::filesystem::file_size(path, error)
                        : uintmax_t(0);
  if (!std::filesystem::exists(status)) {
    usage_error(
        path,
        "--kernel {}: neither a kernel (average:N, sharpen:N, unsharp:N, gaussian:K[:SIGMA], "
        "laplacian, \"rows;of;numbers\") nor a file{}",
        path, did_you_mean(path, kernel_names));
  }
  if (!std::filesystem::is_regular_file(status) || error || size > uintmax_t(largest_kernel_file))
    throw Error(ErrorCode::input,
                fmt::format("--kernel is {}; the file must have at most 4 MiB", path), path);
  return io::text_of_file(path, largest_kernel_file);
}

bool looks_like_numbers(std::string_view text) {
  return text.find_first_not_of("0123456789+-.eE,;/ \t\r\n") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

}  // namespace

double parse_number(std::string_view option, std::string_view text) {
  double value = 0;
  if (!parse_whole(text, value) || !std::isfinite(value))
    usage_error(std::string(text), "{} is {}; it must be a number", option, text);
  return value;
}

int64_t parse_whole_number(std::string_view option, std::string_view text) {
  int64_t value = 0;
  if (!parse_whole(text, value))
    usage_error(std::string(text), "{} is {}; it must be a whole number", option, text);
  return value;
}

Rect parse_region(std::string_view text) {
  const auto parts = split(text, ',');
  int32_t numbers[4] = {};
  bool good = parts.size() == 4;
  for (size_t i = 0; good && i < 4; ++i) good = parse_whole(parts[i], numbers[i]);
  if (!good) {
    usage_error(std::string(text),
                "--region is {}; it must be four whole numbers, x,y,width,height", text);
  }
  const Rect rect{numbers[0], numbers[1], numbers[2], numbers[3]};
  if (rect.x < 0 || rect.y < 0)
    usage_error(std::string(text), "--region is {}; x and y must be at least 0", text);
  if (rect.width < 1 || rect.height < 1)
    usage_error(std::string(text), "--region is {}; width and height must be at least 1", text);
  return rect;
}

Parameter parse_parameter(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos || equals + 1 == text.size())
    usage_error(std::string(text), "--param is {}; it must be name=value", text);
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Border parse_border(std::string_view option, std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (name == "reflect") {
    usage_error(std::string(text),
                "{} is {}, which programs define differently; use reflect101 (dcb|abcd) or "
                "symmetric (cba|abcd)",
                option, text);
  }
  const auto mode = name == "symmetric" ? BorderMode::reflect : value_named<BorderMode>(name);
  if (!mode) {
    const std::vector<std::string> names = {"replicate", "symmetric", "reflect101",
                                            "constant",  "wrap",      "ignore"};
    usage_error(std::string(text), "{} is {}; it must be {}{}", option, text,
                either_of(std::vector<std::string_view>(names.begin(), names.end())),
                did_you_mean(name, names));
  }
  Border out{*mode};
  if (colon == std::string_view::npos) return out;
  if (out.mode != BorderMode::constant)
    usage_error(std::string(text), "{} is {}; only constant supports a value", option, text);
  if (!parse_whole(text.substr(colon + 1), out.value) || !std::isfinite(out.value))
    usage_error(std::string(text), "{} is {}; the value after the colon must be a number", option,
                text);
  return out;
}

StructuringElement parse_element(std::string_view option, std::string_view text) {
  try {
    return StructuringElement::parse(text);
  } catch (const Error& error) {
    usage_error(std::string(text), "{} {}: {}", option, text, error.what());
  }
}

DifferenceThreshold parse_difference(std::string_view option, std::string_view text,
                                     const DifferenceThreshold& usual) {
  if (text == "auto") return DifferenceThreshold::automatic(usual.level);
  const bool automatic = text.starts_with("auto:");
  double level = 0;
  if (!parse_whole(automatic ? text.substr(5) : text, level) || !std::isfinite(level))
    usage_error(std::string(text), "{} is {}; it must be T, auto or auto:T, where T is a number",
                option, text);
  return automatic ? DifferenceThreshold::automatic(level) : DifferenceThreshold(level);
}

recipes::White parse_white(std::string_view white, std::string_view black) {
  using Rule = recipes::White::Rule;
  recipes::White out;
  if (!black.empty()) out.black = parse_number("--black", black);
  if (white == "auto") return out;
  if (white == "light") {
    if (out.black)
      usage_error(std::string(black), "--black is {} and --white is light; light has black at 0",
                  black);
    return {Rule::light};
  }
  out.rule = Rule::number;
  if (!parse_whole(white, out.value) || !std::isfinite(out.value) ||
      out.value <= out.black.value_or(0))
    usage_error(std::string(white), "--white is {}; it must be auto, light or a number above {}",
                white, out.black ? "--black" : "0");
  return out;
}

int parse_cuda_device(std::string_view text) {
  if (text == "cuda") return 0;
  int number = -1;
  if (!text.starts_with("cuda:") || !parse_whole(text.substr(5), number) || number < 0) {
    usage_error(std::string(text),
                "--device is {}; it must be auto, cpu, cuda or cuda:N (N counts from 0), or "
                "cuda:all with edges, filter, label and detect",
                text);
  }
  return number;
}

namespace {
[[noreturn]] void refuse_threshold(std::string_view text) {
  const std::vector<std::string> forms = {"auto", "auto:otsu", "auto:median", "auto:percentile",
                                          "auto:noise"};
  usage_error(std::string(text),
              "--threshold is {}; it must be a number, auto, auto:otsu, auto:median, auto:noise or "
              "auto:percentile[:P]{}",
              text, did_you_mean(text, forms));
}
}  // namespace

ThresholdSpec parse_threshold(std::string_view text) {
  ThresholdSpec spec;
  const auto parts = split(text, ':');
  if (parts[0] != "auto") {
    double value = 0;
    if (!parse_whole(text, value) || !std::isfinite(value)) refuse_threshold(text);
    spec.value = value;
    if (*spec.value < 0)
      usage_error(std::string(text), "--threshold is {}; it must be at least 0", text);
    return spec;
  }
  const std::string_view rule = parts.size() > 1 ? parts[1] : "otsu";
  const size_t most = rule == "percentile" ? 3 : 2;
  const auto named = value_named<AutoThreshold>(rule);
  if (!named || parts.size() > most) refuse_threshold(text);
  spec.rule = *named;
  if (parts.size() == 3) {
    if (!parse_whole(parts[2], spec.percent) || !(spec.percent >= 0 && spec.percent <= 100))
      usage_error(std::string(text), "--threshold is {}; the percentile must be 0 to 100", text);
  }
  return spec;
}

KernelSpec parse_kernel(std::string_view text, bool may_read_files) {
  const auto parts = split(text, ':');
  const std::string_view name = parts[0];
  const std::string value(text);
  const auto size = [&](size_t max_parts) {
    int n = 0;
    if (parts.size() < 2 || parts.size() > max_parts || !parse_whole(parts[1], n))
      usage_error(value, "--kernel is {}; it must be {}:N, where N is a whole number", text, name);
    return n;
  };
  try {
    if (name == "average") return {stencils::average(size(2))};
    if (name == "sharpen") return {stencils::sharpen(size(2))};
    if (name == "unsharp") return {stencils::unsharp(size(2))};
    if (name == "laplacian") {
      if (parts.size() > 1)
        usage_error(value, "--kernel is {}; laplacian does not support a size", text);
      return {stencils::laplacian()};
    }
    if (name == "gaussian") {
      const int ksize = size(3);
      const double sigma = parts.size() == 3 ? parse_number("--kernel", parts[2]) : 0;
      if (parts.size() == 3 && sigma <= 0)
        usage_error(value, "--kernel is {}; sigma must be above 0", text);
      return {stencils::gaussian(ksize, sigma), ksize, sigma};
    }
    if (looks_like_numbers(text)) return {Stencil::parse(text)};
    if (may_read_files) return {Stencil::parse(read_kernel_file(value))};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument ||
        std::string_view(error.what()).starts_with("--kernel"))
      throw;
    usage_error(value, "--kernel {}: {}", text, error.what());
  }
  usage_error(value, "--kernel is {}; there is no kernel of that name", text);
}

}  // namespace cuesta::cli
