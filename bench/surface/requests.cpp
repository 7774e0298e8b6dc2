#include "bench/surface/requests.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "bench/surface/ceilings.hpp"
#include "bench/surface/values.hpp"
#include "bench/works/filters.hpp"
#include "cuesta/clean.hpp"
#include "ops/boundaries/options.hpp"
#include "ops/canny/options.hpp"
#include "ops/clean/options.hpp"
#include "ops/convolve/options.hpp"
#include "ops/label/options.hpp"
#include "ops/log/options.hpp"
#include "ops/median/options.hpp"
#include "ops/morphology/options.hpp"
#include "ops/sobel/options.hpp"

namespace cuesta::bench {
namespace {

using enum PixelType;

class List {
 public:
  std::vector<SurfaceRequest> take() && { return std::move(requests_); }

  SurfaceRequest& add(std::string_view operation, std::string text, PixelType from,
                      int32_t channels, PixelType to, int32_t result_channels, Ceiling ceiling,
                      std::function<void(ConstAnyView, AnyView, const Exec&)> call) {
    if (channels > 1) text += fmt::format(", {} channels", channels);
    requests_.push_back({std::string(operation),
                         std::move(text),
                         from,
                         channels,
                         to,
                         result_channels,
                         std::move(ceiling),
                         std::move(call),
                         {}});
    return requests_.back();
  }

 private:
  std::vector<SurfaceRequest> requests_;
};

constexpr PixelType samples[] = {u8, u16, f32};
constexpr int32_t channel_counts[] = {1, 3, 4};

// OpenCV's counterpart of a call with options; empty where these options have none.
template <class Options>
using PeerCall =
    std::function<std::function<void(Peer&, ConstAnyView, AnyView)>(const Options&, PixelType)>;

template <class Options, class Call, class CeilingOf>
void add_filter(List& list, std::string_view operation, std::string_view what, const Options& base,
                CeilingOf ceiling_of, Call call, const PeerCall<Options>& peer = {}) {
  for (const PixelType type : samples) {
    for (const int32_t channels : channel_counts) {
      for (const auto& [text, options] : varied(base)) {
        SurfaceRequest& request =
            list.add(operation, fmt::format("{}, {}", what, text), type, channels, type, channels,
                     of_channels(ceiling_of(options, type), channels),
                     [call, options = options](ConstAnyView from, AnyView to, const Exec& exec) {
                       call(from, to, options, exec);
                     });
        // Another border is the same work, and OpenCV has not all of them.
        if (peer && !text.starts_with("border")) request.opencv = peer(options, type);
      }
    }
  }
}

// 1 where the options do not go together: the call is refused, and no request.
int taps_of(const GaussianOptions& o) {
  return o.ksize ? o.ksize : o.sigma > 0 ? gaussian_size(o.sigma) : 1;
}

void add_windows(List& list) {
  add_filter(
      list, "convolve", "gaussian", GaussianOptions{.sigma = 1.4},
      [](const GaussianOptions& o, PixelType type) { return gaussian_ceiling(taps_of(o), type); },
      [](auto&&... a) { gaussian(a...); },
      PeerCall<GaussianOptions>([](const GaussianOptions& o, PixelType) {
        return [ksize = taps_of(o), sigma = o.sigma](Peer& peer, ConstAnyView from, AnyView to) {
          peer.gaussian(from, to, ksize, sigma);
        };
      }));
  add_filter(
      list, "convolve", "box", BoxOptions{},
      [](const BoxOptions& o, PixelType) { return box_ceiling(o.n); },
      [](auto&&... a) { box(a...); }, PeerCall<BoxOptions>([](const BoxOptions& o, PixelType) {
        return [n = o.n](Peer& peer, ConstAnyView from, AnyView to) { peer.box(from, to, n); };
      }));
  add_filter(
      list, "convolve", "sharpen", SharpenOptions{},
      [](const SharpenOptions& o, PixelType type) { return sharpen_ceiling(o.n, type); },
      [](auto&&... a) { sharpen(a...); });
  add_filter(
      list, "convolve", "laplacian", FilterOptions{},
      [](const FilterOptions&, PixelType type) { return taps_ceiling(3, false, type); },
      [](auto&&... a) { laplacian(a...); });
  add_filter(
      list, "median", "median", MedianOptions{},
      [](const MedianOptions& o, PixelType type) { return median_ceiling(o.ksize, type); },
      [](auto&&... a) { median(a...); },
      PeerCall<MedianOptions>([](const MedianOptions& o, PixelType type) {
        const bool has = o.ksize > 1 && (type == u8 || o.ksize <= 5);
        return has ? std::function<void(Peer&, ConstAnyView, AnyView)>(
                         [ksize = o.ksize](Peer& peer, ConstAnyView from, AnyView to) {
                           peer.median(from, to, ksize);
                         })
                   : nullptr;
      }));
}

void add_taps(List& list) {
  for (const int n : {3, 5, 7, 9, 11, 15, 21, 31}) {
    for (const bool floats : {false, true}) {
      if (floats && n > 15) continue;
      const Stencil whole = full_rank_stencil(n);
      const auto stencil = std::make_shared<Stencil>(floats ? floats_of(whole) : whole);
      const auto taps = std::make_shared<std::vector<float>>(size_t(n * n), 1.0F / float(n * n));
      for (const PixelType type : samples) {
        for (const int32_t channels : channel_counts) {
          list.add("convolve", fmt::format("full rank {0} x {0}{1}", n, floats ? " of floats" : ""),
                   type, channels, type, channels,
                   of_channels(taps_ceiling(n, floats, type), channels),
                   [stencil](ConstAnyView from, AnyView to, const Exec& exec) {
                     correlate(from, to, *stencil, {}, exec);
                   })
              .opencv = [taps, n](Peer& peer, ConstAnyView from, AnyView to) {
            peer.correlate(from, to, *taps, n);
          };
        }
      }
    }
  }
}

void add_sobel(List& list) {
  const auto outputs = [](AnyView to, int wanted) {
    SobelOutputs out;
    (wanted == 0 ? out.gx : wanted == 1 ? out.magnitude : out.direction) = to;
    return out;
  };
  constexpr const char* names[] = {"gx", "magnitude", "direction"};
  for (const PixelType type : samples) {
    for (int wanted = 0; wanted < 3; ++wanted) {
      for (const PixelType to : {u8, u16, s16, s32, f32}) {
        for (const auto& [text, options] : varied(SobelOptions{})) {
          list.add("sobel", fmt::format("{} to {}, {}", names[wanted], name_of(to), text), type, 1,
                   to, 1, moved_ceiling("sobel", type, 1, to, 1),
                   [=, options = options](ConstAnyView from, AnyView into, const Exec& exec) {
                     sobel(from, outputs(into, wanted), options, exec);
                   });
        }
      }
    }
  }
}

void add_log(List& list) {
  for (const PixelType type : {u8, u16}) {
    for (const PixelType to : {u8, s32}) {
      for (const LogMode mode : {LogMode::threshold, LogMode::zero_crossings}) {
        if (to == s32 && mode == LogMode::zero_crossings) continue;
        for (const auto& [text, options] : varied(LogOptions{.mode = mode})) {
          list.add(
              "log",
              fmt::format("{} to {}, {}", mode == LogMode::threshold ? "edges" : "zero crossings",
                          name_of(to), text),
              type, 1, to, 1, log_ceiling(options, to),
              [options = options](ConstAnyView from, AnyView into, const Exec& exec) {
                log_edges(from, into, options, exec);
              });
        }
      }
    }
  }
}

void add_strengths(List& list, PixelType type, int32_t channels) {
  for (const auto& [text, options] : varied(CannyOptions{})) {
    if (text.starts_with("threshold ")) continue;
    list.add("canny", "strengths, " + text, type, channels, canny_strength_type(type, options), 1,
             {channels == 1 ? "canny strengths" : "canny strengths of 3 channels"},
             [options = options](ConstAnyView from, AnyView into, const Exec& exec) {
               canny(from, into, options, exec);
             });
  }
}

void add_canny(List& list) {
  for (const PixelType type : samples) {
    const double unit = type == u8 ? 1 : type == u16 ? 257 : 1 / 255.0;
    const Thresholds given = Thresholds::given(40 * unit, 120 * unit);
    for (const int32_t channels : {1, 3}) {
      add_strengths(list, type, channels);
      auto all = varied(CannyOptions{});
      for (auto& variant : varied(CannyOptions{.thresholds = given})) {
        if (variant.text.starts_with("threshold ")) continue;
        variant.text = "given, " + variant.text;
        all.push_back(std::move(variant));
      }
      for (const auto& [text, options] : all) {
        SurfaceRequest& request =
            list.add("canny", "edges, " + text, type, channels, u8, 1,
                     canny_ceiling(options, type, channels),
                     [options = options](ConstAnyView from, AnyView into, const Exec& exec) {
                       canny(from, into, options, exec);
                     });
        if (type == u8 && channels == 1 && text == "given, sigma 1.4") {
          request.opencv = [](Peer& peer, ConstAnyView from, AnyView to) {
            peer.canny(from, to, gaussian_size(1.4), 1.4, 40, 120);
          };
        }
      }
    }
  }
}

void add_boundaries(List& list) {
  for (const PixelType type : {u8, u16})
    for (const int32_t channels : {1, 3})
      for (const auto& [text, options] : varied(BoundaryOptions{}))
        list.add("boundaries", "boundaries, " + text, type, channels, u8, 1,
                 boundaries_ceiling(options, channels),
                 [options = options](ConstAnyView from, AnyView into, const Exec& exec) {
                   boundaries(from, into, options, exec);
                 });
}

void add_points_of(List& list, PixelType type, int32_t channels) {
  const auto point = [&](std::string_view what, PixelType to, int32_t left, auto call) -> auto& {
    return list.add("pixel", fmt::format("{} to {}", what, name_of(to)), type, channels, to, left,
                    moved_ceiling("points", type, channels, to, left), call);
  };
  if (channels > 1)
    point("gray", type, 1, [](ConstAnyView from, AnyView to, const Exec& exec) {
      to_gray(from, to, ColorOrder::rgb, exec);
    });
  point("absdiff", type, channels,
        [](ConstAnyView from, AnyView to, const Exec& exec) { absdiff(from, from, to, exec); });
  for (const PixelType to : samples)
    point("scale", to, channels,
          [](ConstAnyView from, AnyView into, const Exec& exec) { scale(from, into, 0.7, exec); });
  if (channels > 1) return;
  const double half = type == u8 ? 128 : type == u16 ? 32768 : 0.5;
  auto& to_bytes = point(
      "threshold", u8, 1,
      [half](ConstAnyView from, AnyView to, const Exec& exec) { threshold(from, to, half, exec); });
  // OpenCV's result has the source's type.
  if (type == u8)
    to_bytes.opencv = [half](Peer& peer, ConstAnyView from, AnyView to) {
      peer.threshold(from, to, half);
    };
  point("threshold", bit, 1, [half](ConstAnyView from, AnyView to, const Exec& exec) {
    threshold(from, to, half, exec);
  });
  if (type == f32) return;
  const auto bins = std::make_shared<std::vector<uint64_t>>(type == u8 ? 256 : 65536);
  list.add("pixel", "histogram", type, 1, none, 1, histogram_ceiling(type),
           [bins](ConstAnyView from, AnyView, const Exec& exec) { histogram(from, *bins, exec); })
      .opencv = [](Peer& peer, ConstAnyView from, AnyView) { peer.histogram(from); };
}

void add_points(List& list) {
  for (const PixelType type : samples)
    for (const int32_t channels : channel_counts) add_points_of(list, type, channels);
}

void add_morphology(List& list) {
  for (const PixelType type : {u8, u16, bit}) {
    for (const std::string_view shape : {"rect", "ellipse", "disk", "cross"}) {
      for (const int n : {3, 5, 9, 15, 31, 63}) {
        const auto element = std::make_shared<StructuringElement>(
            StructuringElement::parse(fmt::format("{}:{}", shape, n)));
        for (const Morph what : {Morph::dilate, Morph::open}) {
          SurfaceRequest& request = list.add(
              "morphology",
              fmt::format("{} by {}:{}", what == Morph::dilate ? "dilate" : "open", shape, n), type,
              1, type, 1, morphology_ceiling(n, what == Morph::open, type),
              [=](ConstAnyView from, AnyView to, const Exec& exec) {
                morphology(from, to, what, *element, {}, exec);
              });
          if (type != bit)
            request.opencv = [=](Peer& peer, ConstAnyView from, AnyView to) {
              peer.morphology(from, to, what == Morph::open, element->cells(), n);
            };
        }
      }
    }
  }
}

void add_cleaning(List& list) {
  for (const PixelType type : {u8, bit}) {
    for (const auto& [text, options] : varied(RemoveSmallOptions{})) {
      list.add("clean", "remove small, " + text, type, 1, type, 1, {"cleaning"},
               [options = options](ConstAnyView from, AnyView to, const Exec& exec) {
                 remove_small(from, to, options, exec);
               });
    }
    for (const auto& [text, options] : varied(FillHolesOptions{})) {
      list.add("clean", "fill holes, " + text, type, 1, type, 1, {"cleaning"},
               [options = options](ConstAnyView from, AnyView to, const Exec& exec) {
                 fill_holes(from, to, options, exec);
               });
    }
  }
}

void add_components(List& list) {
  for (const PixelType type : {u8, bit}) {
    for (const auto& [text, options] : varied(LabelOptions{})) {
      list.add("label", "labels, " + text, type, 1, s32, 1, components_ceiling(true, type),
               [options = options](ConstAnyView from, AnyView to, const Exec& exec) {
                 label(from, to, nullptr, options, exec);
               });
      const auto found = std::make_shared<std::vector<Component>>();
      list.add("label", "list, " + text, type, 1, none, 1, components_ceiling(false, type),
               [found, options = options](ConstAnyView from, AnyView, const Exec& exec) {
                 label(from, {}, found.get(), options, exec);
               });
    }
  }
}

}  // namespace

std::vector<SurfaceRequest> surface_requests() {
  List list;
  add_points(list);
  add_windows(list);
  add_taps(list);
  add_sobel(list);
  add_log(list);
  add_canny(list);
  add_boundaries(list);
  add_morphology(list);
  add_cleaning(list);
  add_components(list);
  return std::move(list).take();
}

}  // namespace cuesta::bench
