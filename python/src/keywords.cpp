#include "keywords.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/check.hpp"
#include "module.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::python {
namespace {

// The text; nothing for other types.
std::optional<std::string> text_in(nb::handle value) {
  std::string text;
  if (!nb::try_cast(value, text)) return std::nullopt;
  return text;
}

// Raises Python's error, with our message for a TypeError.
[[noreturn]] void rethrow(std::string_view name, nb::handle value, std::string_view must_be) {
  nb::python_error raised;
  if (raised.matches(PyExc_TypeError)) throw_wrong_type(name, value, must_be);
  throw raised;
}

double number_in(std::string_view name, nb::handle value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred()) rethrow(name, value, "a number");
  return number;
}

template <class Whole>
void read_whole(Keywords& keywords, std::string_view name, Whole& into) {
  const nb::object given = keywords.take(name);
  if (!given) return;
  const nb::object whole = nb::steal(PyNumber_Index(given.ptr()));
  if (!whole) rethrow(name, given, "a whole number");
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (overflow != 0 || !std::in_range<Whole>(value)) {
    const std::string text = repr_of(whole);
    throw_invalid(text, "{} is {}; it must fit {} bits", name, text, 8 * sizeof(Whole));
  }
  into = Whole(value);
}

void read_border_value(Keywords& keywords, std::string_view name, Border& into) {
  if (keywords.empty()) return;
  read(keywords, fmt::format("{}_value", name), into.value);
}

// A border's mode, if it is given.
std::optional<BorderMode> take_mode(Keywords& keywords, std::string_view name) {
  const nb::object given = keywords.take(name);
  if (!given) return std::nullopt;
  if (text_in(given) == "reflect") {
    throw_invalid("reflect",
                  "{} is 'reflect', which libraries define differently; use 'reflect101' "
                  "(dcb|abcd|cba, numpy and torch) or 'symmetric' (dcba|abcd|dcba, scipy)",
                  name);
  }
  return border_names[index_of(name, given, python_names<BorderMode>())].value;
}

}  // namespace

// Few keywords are given and many are looked up: comparing each costs less than a key.
nb::object Keywords::take(std::string_view name) {
  if (empty()) return {};
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(ptr(), &at, &key, &value);) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(key, &size);
    if (!text) throw nb::python_error();
    if (name != std::string_view(text, size_t(size))) continue;
    const nb::object held = nb::borrow(key), taken = nb::borrow(value);
    if (PyDict_DelItem(ptr(), key) != 0) throw nb::python_error();
    return taken.is_none() ? nb::object() : taken;
  }
  return {};
}

bool Keywords::has(std::string_view name) const {
  for (const auto& [key, value] : nb::borrow<nb::dict>(*this))
    if (text_in(key) == std::string(name)) return !value.is_none();
  return false;
}

void Keywords::refuse_others(std::string_view function) const {
  if (empty()) return;
  for (const auto& [name, value] : nb::borrow<nb::dict>(*this)) {
    throw nb::type_error(
        fmt::format("{}() got an unexpected keyword argument {}", function, repr_of(name)).c_str());
  }
}

std::string repr_of(nb::handle value) {
  std::string text = nb::cast<std::string>(nb::repr(value));
  if (text.size() <= 100) return text;
  return fmt::format("of type {}", nb::cast<std::string>(value.type().attr("__name__")));
}

void throw_wrong_type(std::string_view name, nb::handle value, std::string_view must_be) {
  throw nb::type_error(
      fmt::format("{} is {}; it must be {}", name, repr_of(value), must_be).c_str());
}

size_t index_of(std::string_view name, nb::handle value,
                const std::vector<std::string_view>& names) {
  const std::optional<std::string> text = text_in(value);
  for (size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return i;
  const std::string printed = repr_of(value);
  throw_invalid(printed, "{} is {}; it must be {}", name, printed, either_of(names));
}

void read(Keywords& keywords, std::string_view name, bool& into) {
  const nb::object given = keywords.take(name);
  if (!given) return;
  // numpy's bool is not Python's bool.
  const auto type = nb::cast<std::string>(given.type().attr("__name__"));
  if (type != "bool" && type != "bool_") throw_wrong_type(name, given, "True or False");
  into = nb::cast<bool>(nb::bool_(given));
}
void read(Keywords& keywords, std::string_view name, int32_t& into) {
  read_whole(keywords, name, into);
}
void read(Keywords& keywords, std::string_view name, int64_t& into) {
  read_whole(keywords, name, into);
}
void read(Keywords& keywords, std::string_view name, double& into) {
  if (const nb::object given = keywords.take(name)) into = number_in(name, given);
}

void read(Keywords& keywords, std::string_view name, std::optional<double>& into) {
  const nb::object given = keywords.take(name);
  if (given && text_in(given) != "auto") into = number_in(name, given);
}
void read(Keywords& keywords, std::string_view name, Border& into) {
  into.mode = take_mode(keywords, name).value_or(into.mode);
  read_border_value(keywords, name, into);
}
void read(Keywords& keywords, std::string_view name, std::optional<Border>& into) {
  Border given;
  const std::optional<BorderMode> mode = take_mode(keywords, name);
  read_border_value(keywords, name, given);
  if (!mode) return;
  given.mode = *mode;
  into = given;
}
void read(Keywords& keywords, std::string_view name, StructuringElement& into) {
  const nb::object given = keywords.take(name);
  if (!given) return;
  const nb::object made = nb::module_::import_("cuesta._options").attr("element_of")(given, name);
  into = nb::cast<const StructuringElement&>(made);
}
void read(Keywords& keywords, std::string_view name, DifferenceThreshold& into) {
  const nb::object given = keywords.take(name);
  if (!given) return;
  nb::object rule = given, level;
  if (nb::isinstance<nb::tuple>(given) && nb::len(given) == 2) {
    rule = given[0];
    level = given[1];
  }
  const std::optional<std::string> text = text_in(rule);
  if (!text && !level) {
    into = number_in(name, given);
    return;
  }
  if (text != "auto") {
    const std::string printed = repr_of(given);
    throw_invalid(printed, "{} is {}; it must be a number, 'auto' or ('auto', number)", name,
                  printed);
  }
  into = level ? DifferenceThreshold::automatic(number_in(name, level))
               : DifferenceThreshold::automatic(into.level);
}

recipes::White white_from(Keywords& keywords) {
  using Rule = recipes::White::Rule;
  recipes::White out;
  read(keywords, "black", out.black);
  const std::string black = fmt::format("{:g}", out.black.value_or(0));
  if (!std::isfinite(out.black.value_or(0)))
    throw_invalid(black, "black is {}; it must be a finite number", black);
  const nb::object given = keywords.take("white");
  const std::optional<std::string> text = given ? text_in(given) : "auto";
  if (text == "auto") return out;
  if (text == "light" && out.black)
    throw_invalid(black, "black is {} and white is 'light'; light has black at 0", black);
  if (text == "light") return {Rule::light};
  out.rule = Rule::number;
  if (!text) out.value = number_in("white", given);
  if (text || !std::isfinite(out.value) || out.value <= out.black.value_or(0))
    throw_invalid(repr_of(given), "white is {}; it must be 'auto', 'light' or a number above {}",
                  repr_of(given), out.black ? "black" : "0");
  return out;
}

Exec exec_from(Keywords& keywords, uintptr_t stream, std::string_view function) {
  Exec exec;
  if (const nb::object strategy = keywords.take("strategy")) {
    const std::optional<std::string> name = text_in(strategy);
    if (!name) throw_wrong_type("strategy", strategy, "a name");
    exec.strategy = *name;
  }
  if (const nb::object parameters = keywords.take("parameters")) {
    if (!PyMapping_Check(parameters.ptr()) || !nb::hasattr(parameters, "items"))
      throw_wrong_type("parameters", parameters, "names with values, as {'block': 16}");
    const auto printed = [](const nb::object& value) {
      return nb::cast<std::string>(nb::steal(PyObject_Str(value.ptr())));
    };
    for (const nb::handle item : parameters.attr("items")())
      exec.parameters.emplace_back(printed(item[0]), printed(item[1]));
  }
  read(keywords, "threads", exec.threads);
  if (exec.threads < 0) {
    throw_invalid(std::to_string(exec.threads), "threads is {}; it must be 0 or more",
                  exec.threads);
  }
  keywords.refuse_others(function);
  exec.stream = reinterpret_cast<void*>(stream);
  exec.choices = asking();
  return exec;
}

std::vector<Choice>*& asking() {
  thread_local std::vector<Choice>* choices = nullptr;
  return choices;
}

// ---- what the keywords are, for signatures, documentation, typed dictionaries and torch's schemas

namespace {

using namespace nb::literals;

// (name, Python's type, default, sentences)
using OptionRow = std::tuple<std::string, std::string, nb::object, std::string>;

// The description of a field: its meaning, its values and its default.
std::string sentences(std::string_view words, std::string_view accepted, std::string_view usual) {
  std::string text(words);
  text[0] = char(std::toupper(text[0]));
  std::string more(accepted);
  if (!usual.empty()) more += fmt::format("{}by default {}", more.empty() ? "" : "; ", usual);
  if (more.empty()) return text + ".";
  more[0] = char(std::toupper(more[0]));
  return fmt::format("{}. {}.", text, more);
}
std::string sentences(std::string_view words, std::string_view accepted, const nb::object& usual) {
  return sentences(words, accepted, usual.is_none() ? "" : repr_of(usual));
}

struct What {
  std::string name;
  Limits limits;
  std::string_view words;
};

template <class T>
  requires std::integral<T> || std::floating_point<T>
void describe(std::vector<OptionRow>& rows, const What& what, T value) {
  const std::string type = std::same_as<T, bool> ? "bool" : std::integral<T> ? "int" : "float";
  const std::string accepted = allowed(what.limits);
  if (!what.limits.own.empty() && value == T()) {
    rows.emplace_back(what.name, type + " | None", nb::none(),
                      sentences(what.words, accepted, what.limits.own));
    return;
  }
  const nb::object usual = nb::cast(value);
  rows.emplace_back(what.name, type, usual, sentences(what.words, accepted, usual));
}

void describe(std::vector<OptionRow>& rows, const What& what, const std::optional<double>& value) {
  const nb::object usual = value ? nb::cast(*value) : nb::none();
  rows.emplace_back(what.name, "float | None", usual,
                    sentences(what.words, allowed(what.limits),
                              value ? repr_of(usual) : std::string(what.limits.own)));
}

template <NamedEnum E>
std::string type_of_names() {
  std::string type;
  for (const std::string_view name : python_names<E>())
    type += fmt::format("{}'{}'", type.empty() ? "" : ", ", name);
  return fmt::format("Literal[{}]", type);
}

template <NamedEnum E>
void describe(std::vector<OptionRow>& rows, const What& what, E value) {
  const nb::object usual = nb::cast(python_name(value));
  rows.emplace_back(what.name, type_of_names<E>(), usual, sentences(what.words, "", usual));
}

void describe_border_value(std::vector<OptionRow>& rows, const What& what, double value) {
  describe(rows,
           {what.name + "_value", any(), "the sample outside, of the border 'constant' alone"},
           value);
}
void describe(std::vector<OptionRow>& rows, const What& what, const Border& value) {
  describe(rows, what, value.mode);
  describe_border_value(rows, what, value.value);
}
void describe(std::vector<OptionRow>& rows, const What& what, const std::optional<Border>& value) {
  const nb::object usual = value ? nb::cast(python_name(value->mode)) : nb::none();
  rows.emplace_back(what.name, type_of_names<BorderMode>() + " | None", usual,
                    sentences(what.words, "", usual));
  describe_border_value(rows, what, value.value_or(Border()).value);
}

void describe(std::vector<OptionRow>& rows, const What& what, const StructuringElement& value) {
  const nb::object usual = nb::cast(text_of(value));
  rows.emplace_back(what.name, "Any", usual, sentences(what.words, "as `erode` has it", usual));
}
void describe(std::vector<OptionRow>& rows, const What& what, const DifferenceThreshold& value) {
  const nb::object usual = value.otsu ? nb::cast("auto") : nb::cast(value.level);
  rows.emplace_back(what.name, "float | str | tuple[str, float]", usual,
                    sentences(what.words, "a number, 'auto' or ('auto', number)", usual));
}
void describe(std::vector<OptionRow>&, const What&, const Thresholds&) {}

// (name, the option that may be positional or "", whether a call takes them, options). Options of a
// constructor do not include those of execution.
using StructRow = std::tuple<std::string, std::string, bool, std::vector<OptionRow>>;
enum class Of { call, object };

template <class Options>
StructRow struct_row(const char* name, const char* positional = "", Of of = Of::call) {
  const Options usual{};
  std::vector<OptionRow> rows;
  for_each_field<Options>([&](const auto& one) {
    describe(rows, {std::string(one.name), one.limits, one.words}, one.get(usual));
  });
  return {name, positional, of == Of::call, std::move(rows)};
}

// The options of several structs that are set together, each name once.
StructRow united(const char* name, const std::vector<StructRow>& parts, Of of = Of::object,
                 const char* first = "") {
  std::vector<OptionRow> rows;
  for (const auto& [part, positional, of_call, more] : parts) {
    for (const OptionRow& row : more) {
      const bool known = std::any_of(rows.begin(), rows.end(), [&](const OptionRow& other) {
        return std::get<0>(other) == std::get<0>(row);
      });
      if (!known) rows.push_back(row);
    }
  }
  return {name, first, of == Of::call, std::move(rows)};
}

// The options of every method of edges(). Its threshold is an argument of its own; sigma and
// quality are None because their defaults depend on the method.
StructRow edges_row() {
  StructRow row =
      united("EdgesOptions",
             {struct_row<CannyEdges>(""), struct_row<LogEdges>(""), struct_row<SobelEdges>(""),
              struct_row<BoundaryOptions>(""), struct_row<RegionEdges>("")},
             Of::call);
  auto& options = std::get<3>(row);
  options.emplace_back(
      "white", "float | Literal['auto', 'light'] | None", nb::none(),
      "The number that is white, as 4095 of 12 bits: samples become levels of 16 bits. 'light': "
      "of linear light, as HDR. By default samples are as they are; where floats become levels or "
      "`black` is given, white is 1, 255 or 65535, the first that fits, or the largest.");
  options.emplace_back(
      "black", "float | None", nb::none(),
      "The number that is black: samples become levels of 16 bits. By default 0, or without white "
      "the smallest number if one is below 0.");
  std::erase_if(options, [](const OptionRow& one) { return std::get<0>(one) == "threshold"; });
  for (auto& [name, type, usual, text] : options) {
    if (name == "quality") {
      type += " | None";
      usual = nb::none();
      text =
          "High weighs texture and color on both sides of a contour, which is more accurate and "
          "slower. By default boundaries 'fast', regions 'high'.";
    }
    if (name != "sigma") continue;
    type = "float | None";
    usual = nb::none();
    text = fmt::format(
        "Of the Gaussian before the gradient, in pixels; 0 smooths nothing (canny, sobel). By "
        "default canny 1, 1.4, 2 or 3, found from the picture, log 3.5 (with mode 'threshold' "
        "paper 000's integer taps), sobel {}.",
        SobelEdges{}.sigma);
  }
  return row;
}

// Every options struct of the Python package.
std::vector<StructRow> options() {
  const auto motion = united("MotionOptions",
                             {struct_row<MotionOptions>(""), struct_row<SensitivityOptions>(""),
                              struct_row<DownscaleOptions>("")},
                             Of::object, "background");
  const auto tracking = struct_row<TrackingOptions>("TrackingOptions", "", Of::object);
  const auto edges = edges_row();
  return {struct_row<CannyOptions>("CannyOptions"),
          struct_row<CannyGradientOptions>("CannyGradientOptions"),
          edges,
          united("EdgeLinesOptions", {edges, struct_row<TraceOptions>("")}, Of::call),
          struct_row<LogOptions>("LogOptions", "threshold"),
          struct_row<BoundaryOptions>("BoundaryOptions", "threshold"),
          struct_row<RegionOptions>("RegionOptions", "threshold"),
          united("TraceOptions", {struct_row<TraceOptions>(""), struct_row<CannyOptions>("")},
                 Of::call),
          struct_row<SobelOptions>("SobelOptions"),
          struct_row<FilterOptions>("FilterOptions"),
          struct_row<GaussianOptions>("GaussianOptions", "sigma"),
          struct_row<BoxOptions>("BoxOptions", "n"),
          struct_row<SharpenOptions>("SharpenOptions", "n"),
          struct_row<MedianOptions>("MedianOptions", "ksize"),
          struct_row<MorphologyOptions>("MorphologyOptions"),
          struct_row<RemoveSmallOptions>("RemoveSmallOptions", "min_area"),
          struct_row<FillHolesOptions>("FillHolesOptions", "max_area"),
          struct_row<LabelOptions>("LabelOptions"),
          motion,
          struct_row<BackgroundOptions>("BackgroundOptions", "model", Of::object),
          tracking,
          united("DetectOptions", {motion, tracking})};
}

}  // namespace

void bind_keywords(nb::module_& m) { m.def("options", options); }

Automatic rule_of(const std::string& text) {
  Automatic found;
  if (text == "auto") return found;
  const size_t colon = text.find(':');
  const auto rule = value_named<AutoThreshold>(std::string_view(text).substr(0, colon));
  bool known = rule.has_value();
  if (known) found.rule = *rule;
  if (known && colon != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, found.percent);
    known = *rule == AutoThreshold::percentile && error == std::errc() && stop == end;
  }
  if (!known) {
    throw_invalid(
        fmt::format("'{}'", text),
        "threshold is '{}'; it must be auto, {} (percentile:90 sets another than the default)",
        text, either_name_of<AutoThreshold>());
  }
  return found;
}

}  // namespace cuesta::python
