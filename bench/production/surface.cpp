// Experiment `surface`: the space of requests on the host instead of a list of favourites. Of every
// operation each type and number of channels, and each value of each option from its description,
// one at a time, so that a new option takes part by itself. A request that runs on plain loops is a
// difference: the run fails.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "bench/engine/answers.hpp"
#include "bench/production/production.hpp"
#include "bench/works/filters.hpp"
#include "cuesta/cuesta.hpp"
#include "ops/boundaries/options.hpp"
#include "ops/canny/options.hpp"
#include "ops/convolve/options.hpp"
#include "ops/log/options.hpp"
#include "ops/median/options.hpp"
#include "ops/morphology/options.hpp"
#include "ops/sobel/options.hpp"

namespace cuesta::bench {
namespace {

using enum PixelType;

// ---- values that an option is tried with

template <class T>
  requires std::integral<T> || std::floating_point<T>
std::vector<T> values_of(const Limits& limits, T) {
  if constexpr (std::same_as<T, bool>) {
    return {false, true};
  } else {
    std::vector<T> out;
    for (int i = 0; i < limits.choice_count; ++i) out.push_back(T(limits.choices[size_t(i)]));
    if (!out.empty()) return out;
    const auto all = std::integral<T> ? std::vector<double>{1, 2, 3, 5, 9, 15, 31, 63, 127, 255}
                                      : std::vector<double>{0, 0.8, 1.4, 2, 3, 5, 8, 16};
    for (const double value : all) {
      const bool odd = !limits.odd || std::fmod(value, 2) == 1;
      if (value >= limits.low && value <= limits.high && odd) out.push_back(T(value));
    }
    return out;
  }
}
template <NamedEnum E>
std::vector<E> values_of(const Limits&, E) {
  std::vector<E> out;
  for (const auto& named : names_of(E{})) out.push_back(named.value);
  return out;
}
std::vector<Border> values_of(const Limits& limits, Border) {
  std::vector<Border> out;
  for (const BorderMode mode : values_of(limits, BorderMode{})) out.push_back({mode, 77});
  return out;
}
template <class T>
std::vector<std::optional<T>> values_of(const Limits& limits, const std::optional<T>&) {
  std::vector<std::optional<T>> out{std::nullopt};
  for (const T& value : values_of(limits, T{})) out.emplace_back(value);
  return out;
}
// Given ones are of the type's own units: add_canny() has them.
std::vector<Thresholds> values_of(const Limits& limits, const Thresholds&) {
  std::vector<Thresholds> out;
  for (const AutoThreshold rule : values_of(limits, AutoThreshold{}))
    out.push_back(Thresholds::automatic(rule, 90));
  return out;
}

template <class Options>
struct Variant {
  std::string text{};
  Options options{};
};

// The options as they are, and every other value of each of them.
template <class Options>
std::vector<Variant<Options>> varied(const Options& base) {
  std::vector<Variant<Options>> out{{"default", base}};
  for_each_field<Options>([&](const auto& one) {
    const std::string usual = exact_text(one.get(base));
    for (const auto& value : values_of(one.limits, one.get(base))) {
      if (exact_text(value) == usual) continue;
      Variant<Options> other{fmt::format("{} {}", one.name, text_of(value)), base};
      one.at(other.options) = value;
      out.push_back(std::move(other));
    }
  });
  return out;
}

// ---- requests

class Surface {
 public:
  Surface(Session& session, int32_t side) : session_(session), side_(side) {
    const Image<uint8_t> bytes = session.photograph(side, side);
    for (const PixelType type : {u8, u16, f32})
      for (const int32_t channels : {1, 3, 4}) add_picture(bytes, type, channels);
  }

  /// Of u8, u16 or f32, with 1, 3 or 4 channels.
  ConstAnyView picture(PixelType type, int32_t channels) const {
    const auto found = std::ranges::find_if(pictures_, [&](const AnyImage& one) {
      return one.plane().type == type && one.plane().channels == channels;
    });
    return found->plane();
  }
  int32_t side() const { return side_; }

  /// Times call(src, dst, exec), `to` being the type of dst, with `channels`.
  template <class Call>
  void add(std::string_view operation, std::string text, ConstAnyView src, PixelType to,
           int32_t channels, Call call) {
    const auto result = std::make_shared<AnyImage>(to, side_, side_, channels);
    Work work;
    work.experiment = "surface";
    work.operation = operation;
    work.parameters =
        fmt::format("{}{}", std::move(text),
                    src.channels > 1 ? fmt::format(", {} channels", src.channels) : std::string());
    work.sources = {src};
    work.result = none;  // pictures of several channels are no result of a Work
    work.automatic = work.brief = true;
    work.device = false;
    work.reference.clear();
    work.bytes_per_pixel = bytes_per_sample(src.type) * src.channels;
    work.call = [result, call](ConstAnyView from, AnyView, const Exec& exec) {
      call(from, result->plane(), exec);
    };
    measure(work);
  }

  /// The slowest, as multiples of a copy of their source.
  void report_worst() {
    std::ranges::sort(rows_, {}, [](const Row& row) { return -row.times_copy(); });
    for (size_t i = 0; i < std::min<size_t>(20, rows_.size()); ++i) {
      const Row& row = rows_[i];
      session_.note(fmt::format("worst {}: {:.1f} copies, {:.3f} ms by {}: {} {} of {}", i + 1,
                                row.times_copy(), row.ms, row.strategy, row.operation,
                                row.parameters, row.type));
    }
  }

 private:
  void add_picture(const Image<uint8_t>& bytes, PixelType type, int32_t channels) {
    AnyImage made(type, side_, side_, channels);
    const AnyView to = made.plane();
    for (int32_t y = 0; y < side_; ++y) {
      for (int32_t x = 0; x < side_; ++x) {
        for (int32_t c = 0; c < channels; ++c) {
          const uint8_t v = bytes.at(std::min(x + 5 * c, side_ - 1), y);
          if (type == u8) to.as<uint8_t>().at(x, y, c) = v;
          if (type == u16) to.as<uint16_t>().at(x, y, c) = uint16_t(v * 257);
          if (type == f32) to.as<float>().at(x, y, c) = float(v) / 255;
        }
      }
    }
    pictures_.push_back(std::move(made));
  }

  void measure(const Work& work) {
    std::vector<Choice> choices;
    try {
      Exec asking = session_.exec();
      asking.choices = &choices;
      work.call(work.sources[0], {}, asking);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_argument) throw;
      return;  // options that do not go together
    }
    for (const Choice& choice : choices) {
      session_.expect(choice.tier == Tier::production,
                      fmt::format("{} {} of {} runs on {}", work.operation, work.parameters,
                                  name_of(work.sources[0].type), choice.strategy));
    }
    const Measured measured = session_.measure(work);
    for (const Row& row : measured.rows)
      if (row.strategy != "memcpy") rows_.push_back(row);
  }

  Session& session_;
  int32_t side_;
  std::vector<AnyImage> pictures_;
  std::vector<Row> rows_;
};

// The types and channels of each, and then the options of one channel.
template <class Options, class Call>
void add_filter(Surface& surface, std::string_view operation, std::string_view what,
                std::initializer_list<PixelType> types, std::initializer_list<int32_t> channels,
                const Options& base, Call call) {
  for (const PixelType type : types) {
    for (const int32_t count : channels) {
      for (const auto& [text, options] : varied(base)) {
        if (count > 1 && text != "default") continue;
        surface.add(operation, fmt::format("{}, {}", what, text), surface.picture(type, count),
                    type, count,
                    [call, options = options](ConstAnyView from, AnyView to, const Exec& exec) {
                      call(from, to, options, exec);
                    });
      }
    }
  }
}

void add_filters(Surface& surface) {
  const auto filter = [&](std::string_view what, const auto& base, auto call) {
    add_filter(surface, "convolve", what, {u8, u16, f32}, {1, 3, 4}, base, call);
  };
  filter("gaussian", GaussianOptions{.sigma = 1.4}, [](auto&&... a) { gaussian(a...); });
  filter("box", BoxOptions{}, [](auto&&... a) { box(a...); });
  filter("sharpen", SharpenOptions{}, [](auto&&... a) { sharpen(a...); });
  filter("laplacian", FilterOptions{}, [](auto&&... a) { laplacian(a...); });
  for (const int n : {3, 5, 9, 15, 31}) {
    for (const bool floats : {false, true}) {
      if (floats && n > 9) continue;
      const Stencil whole = full_rank_stencil(n);
      const auto stencil = std::make_shared<Stencil>(floats ? floats_of(whole) : whole);
      for (const PixelType type : {u8, u16, f32})
        for (const int32_t channels : {1, 3})
          surface.add("convolve",
                      fmt::format("full rank {0} x {0}{1}", n, floats ? " of floats" : ""),
                      surface.picture(type, channels), type, channels,
                      [stencil](ConstAnyView from, AnyView to, const Exec& exec) {
                        correlate(from, to, *stencil, {}, exec);
                      });
    }
  }
  add_filter(surface, "median", "median", {u8, u16, f32}, {1, 3, 4}, MedianOptions{},
             [](auto&&... a) { median(a...); });
}

void add_sobel(Surface& surface) {
  const auto outputs = [](AnyView to, int wanted) {
    SobelOutputs out;
    (wanted == 0 ? out.gx : wanted == 1 ? out.magnitude : out.direction) = to;
    return out;
  };
  constexpr const char* names[] = {"gx", "magnitude", "direction"};
  for (const PixelType type : {u8, u16, f32}) {
    for (int wanted = 0; wanted < 3; ++wanted) {
      for (const PixelType to : {u8, u16, s16, s32, f32}) {
        for (const auto& [text, options] : varied(SobelOptions{})) {
          surface.add("sobel", fmt::format("{} to {}, {}", names[wanted], name_of(to), text),
                      surface.picture(type, 1), to, 1,
                      [=, options = options](ConstAnyView from, AnyView into, const Exec& exec) {
                        sobel(from, outputs(into, wanted), options, exec);
                      });
        }
      }
    }
  }
}

void add_edges(Surface& surface) {
  for (const PixelType type : {u8, u16})
    for (const PixelType to : {u8, s32})
      for (const auto& [text, options] : varied(LogOptions{}))
        surface.add("log", fmt::format("edges to {}, {}", name_of(to), text),
                    surface.picture(type, 1), to, 1,
                    [options = options](ConstAnyView from, AnyView into, const Exec& exec) {
                      log_edges(from, into, options, exec);
                    });
  for (const PixelType type : {u8, u16, f32}) {
    for (const int32_t channels : {1, 3}) {
      auto all = varied(CannyOptions{});
      const double unit = type == u8 ? 1 : type == u16 ? 257 : 1 / 255.0;
      all.push_back(
          {"given", CannyOptions{.thresholds = Thresholds::given(40 * unit, 120 * unit)}});
      for (const auto& [text, options] : all)
        surface.add("canny", "edges, " + text, surface.picture(type, channels), u8, 1,
                    [options = options](ConstAnyView from, AnyView into, const Exec& exec) {
                      canny(from, into, options, exec);
                    });
    }
  }
  for (const PixelType type : {u8, u16})
    for (const int32_t channels : {1, 3})
      surface.add("boundaries", "boundaries", surface.picture(type, channels), u8, 1,
                  [](ConstAnyView from, AnyView into, const Exec& exec) {
                    boundaries(from, into, {}, exec);
                  });
}

void add_points(Surface& surface) {
  const auto point = [&](std::string_view what, PixelType from, int32_t channels, PixelType to,
                         int32_t left, auto call) {
    surface.add("pixel", fmt::format("{} to {}", what, name_of(to)),
                surface.picture(from, channels), to, left, call);
  };
  for (const PixelType type : {u8, u16, f32}) {
    for (const int32_t channels : {1, 3, 4}) {
      if (channels > 1)
        point("gray", type, channels, type, 1, [](ConstAnyView from, AnyView to, const Exec& exec) {
          to_gray(from, to, ColorOrder::rgb, exec);
        });
      point("absdiff", type, channels, type, channels,
            [](ConstAnyView from, AnyView to, const Exec& exec) { absdiff(from, from, to, exec); });
      for (const PixelType to : {u8, u16, f32})
        point("scale", type, channels, to, channels,
              [](ConstAnyView from, AnyView into, const Exec& exec) {
                scale(from, into, 0.7, exec);
              });
    }
    point("threshold", type, 1, u8, 1,
          [](ConstAnyView from, AnyView to, const Exec& exec) { threshold(from, to, 0.4, exec); });
    if (type == f32) continue;
    const auto bins = std::make_shared<std::vector<uint64_t>>(type == u8 ? 256 : 65536);
    point("histogram", type, 1, u8, 1,
          [bins](ConstAnyView from, AnyView, const Exec& exec) { histogram(from, *bins, exec); });
  }
}

void add_morphology(Surface& surface) {
  for (const PixelType type : {u8, u16}) {
    for (const std::string_view shape : {"rect", "ellipse", "disk", "cross"}) {
      for (const int n : {3, 5, 9, 15, 31, 63}) {
        const auto element = std::make_shared<StructuringElement>(
            StructuringElement::parse(fmt::format("{}:{}", shape, n)));
        for (const Morph what : {Morph::dilate, Morph::open})
          surface.add(
              "morphology",
              fmt::format("{} by {}:{}", what == Morph::dilate ? "dilate" : "open", shape, n),
              surface.picture(type, 1), type, 1,
              [=](ConstAnyView from, AnyView to, const Exec& exec) {
                morphology(from, to, what, *element, {}, exec);
              });
      }
    }
  }
}

}  // namespace

void bench_surface(Session& session) {
  for (const int32_t side : session.sizes({512})) {
    Surface surface(session, side);
    add_points(surface);
    add_filters(surface);
    add_sobel(surface);
    add_edges(surface);
    add_morphology(surface);
    surface.report_worst();
  }
}

}  // namespace cuesta::bench
