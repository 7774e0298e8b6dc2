// Keywords of Python calls as the library's options: a reader and a description for each type of
// option, none for a single option. src/ops/*/options.hpp has the names, values and meanings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "core/options.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/recipes/samples.hpp"

namespace cuesta::python {

/// The keywords of one call. Readers take theirs out; exec_from() throws for any that are left.
class Keywords : public nb::object {
  NB_OBJECT_DEFAULT(Keywords, nb::object, "collections.abc.Mapping[str, object]", PyDict_Check)

  /// Whether all are taken; most calls have none.
  bool empty() const { return PyDict_Size(ptr()) == 0; }
  /// Takes a keyword out; null where it is absent or None.
  nb::object take(std::string_view name);
  /// Whether it is given, and not None.
  bool has(std::string_view name) const;
  /// Throws TypeError for any that are left.
  void refuse_others(std::string_view function) const;
};

/// The value as printed, or its type where that is long.
std::string repr_of(nb::handle value);
/// Throws TypeError: "sigma is 'wide'; it must be a number".
[[noreturn]] void throw_wrong_type(std::string_view name, nb::handle value,
                                   std::string_view must_be);

// ---- enumerations, by their names

/// Python's name of a value: libraries differ in the meaning of "reflect".
constexpr std::string_view python_name(BorderMode mode) {
  return mode == BorderMode::reflect ? "symmetric" : name_in(mode);
}
template <NamedEnum E>
constexpr std::string_view python_name(E value) {
  return name_in(value);
}
template <NamedEnum E>
std::vector<std::string_view> python_names() {
  std::vector<std::string_view> names;
  for (const auto& named : names_of(E{})) names.push_back(python_name(named.value));
  return names;
}
/// The index of a text in `names`; throws Error{invalid_argument} that lists them.
size_t index_of(std::string_view name, nb::handle value,
                const std::vector<std::string_view>& names);

// ---- readers: each takes the keyword of that name, if it is there, into `into`

void read(Keywords& keywords, std::string_view name, bool& into);
void read(Keywords& keywords, std::string_view name, int32_t& into);
void read(Keywords& keywords, std::string_view name, int64_t& into);
void read(Keywords& keywords, std::string_view name, double& into);
/// "auto" is no value, as None.
void read(Keywords& keywords, std::string_view name, std::optional<double>& into);
template <NamedEnum E>
void read(Keywords& keywords, std::string_view name, E& into) {
  if (const nb::object given = keywords.take(name))
    into = names_of(E{})[index_of(name, given, python_names<E>())].value;
}
/// Two keywords: NAME, and NAME_value for the samples of a constant border.
void read(Keywords& keywords, std::string_view name, Border& into);
void read(Keywords& keywords, std::string_view name, std::optional<Border>& into);
void read(Keywords& keywords, std::string_view name, StructuringElement& into);
void read(Keywords& keywords, std::string_view name, DifferenceThreshold& into);
/// Not a keyword: canny's low, high and threshold are arguments.
inline void read(Keywords&, std::string_view, Thresholds&) {}

template <class Options>
Options options_from(Keywords& keywords) {
  Options options{};
  for_each_field<Options>([&](const auto& one) { read(keywords, one.name, one.at(options)); });
  return options;
}

/// The rule of canny's thresholds: "auto", a rule's name, or "percentile:90". Throws
/// Error{invalid_argument}.
Automatic rule_of(const std::string& text);

/// The keywords `white` and `black`. Throws Error{invalid_argument} for ends that cannot be meant.
recipes::White white_from(Keywords& keywords);

/// The call's execution, from the keywords strategy, parameters and threads. Call it last: it
/// throws TypeError for keywords that are left.
Exec exec_from(Keywords& keywords, uintptr_t stream, std::string_view function);
/// If not null, this thread's calls append their steps here instead of running (Exec::choices).
std::vector<Choice>*& asking();

// ---- functions

/// Defines m.name, a function from pictures to the same number of pictures; `run` computes a batch.
/// It may have `More` arguments of these names before its options.
template <class Options, class... More, class... Names>
void def_filter(nb::module_& m, const char* name,
                void (*run)(const ConstBatch&, const Batch&, const More&..., const Options&,
                            const Exec&),
                Names... names) {
  static_assert(sizeof...(More) == sizeof...(Names));
  using namespace nb::literals;
  m.def(
      name,
      [name, run](const Array& image, const OutArray& out, int layout, const More&... more,
                  Keywords keywords, uintptr_t stream) {
        const auto source = pictures_of(image, layout, "image");
        const auto target = pictures_of(out, layout, "out");
        check_same_count(source.count(), target.count(), "image", "out");
        const auto options = options_from<Options>(keywords);
        const Exec exec = exec_from(keywords, stream, name);
        for_each_batch(image, source, [&](const ConstBatch& from, int64_t i) {
          run(from, target.batch(i, from.count), more..., options, exec);
        });
      },
      "image"_a, "out"_a, "layout"_a, names..., "keywords"_a, "stream"_a);
}

}  // namespace cuesta::python
