// What a profiler is put on: every device strategy once, each inside an NVTX range that names it,
// so that every kernel can be assigned to its strategy. profile_rungs.py runs it under Nsight
// Compute and makes the tables.
//
//   cuesta_profile [--model | --production | --climb] [OPERATION...]
//     runs the strategies, of all operations or these
//   cuesta_profile --list [--model | --production | --climb] [OPERATION...]
//     lists the strategies and requests as JSON; needs no GPU
//
// A strategy is asked the first request that it takes; with --model all those of `bench model`;
// with --climb those of `bench climb`; with --production automatic choice's are asked those of
// `bench production` at 8192 x 8192.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <nvtx3/nvtx3.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/model/works.hpp"
#include "bench/papers/canny.hpp"
#include "bench/papers/convolutions.hpp"
#include "bench/papers/paper_004.hpp"
#include "bench/profile/asked.hpp"
#include "bench/works/motion.hpp"
#include "bench/works/objects.hpp"
#include "bench_commit.hpp"
#include "cuesta/cuesta.hpp"
#include "cuesta/device.hpp"

namespace cuesta::bench {
namespace {

constexpr int32_t side = 2048;

template <class T>
Image<T, Space::device> on_device(const Image<T>& host) {
  Image<T, Space::device> there(host.width(), host.height(), host.channels());
  upload(host, there);
  return there;
}

}  // namespace

/// On the GPU.
struct Pictures {
  Pictures() {
    const Image<uint8_t> host = canny_picture(side);
    Image<float> host_floats(side, side);
    for (int32_t y = 0; y < side; ++y)
      for (int32_t x = 0; x < side; ++x) host_floats.at(x, y) = float(host.at(x, y));
    bytes = on_device(host);
    floats = on_device(host_floats);
    mask = on_device(object_mask(side));
    for (const Image<uint8_t>& frame :
         moving_object_video(paper_004::width, paper_004::height, 2)) {
      Image<uint8_t> gray(frame.width(), frame.height());
      to_gray(frame, gray);
      frames.push_back(on_device(frame));
      gray_frames.push_back(on_device(gray));
    }
  }

  Image<uint8_t, Space::device> bytes, mask;
  Image<float, Space::device> floats;
  std::vector<Image<uint8_t, Space::device>> frames, gray_frames;
  Image<uint8_t, Space::device> edges{side, side}, frame_mask{paper_004::width, paper_004::height};
  Image<float, Space::device> filtered{side, side};
  Image<int32_t, Space::device> labels{side, side};
  std::vector<Component> components;
};

namespace {

// Of an operation with several, a strategy is asked the first that it takes.
const std::vector<Asked>& requests() {
  static const std::vector<Asked> all = {
      {"convolve", "gaussian-5x5", "f32, Gaussian 5 x 5", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return
             [&p, exec] { correlate(p.floats, p.filtered, stencils::paper_gaussian(), {}, exec); };
       }},
      {"convolve", "sharpen-3x3", "f32, sharpening 3 x 3", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return [&p, exec] { sharpen(p.floats, p.filtered, {.n = 3}, exec); };
       }},
      {"median", "5x5", "u8, 5 x 5", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return [&p, exec] { median(p.bytes, p.edges, {.ksize = 5}, exec); };
       }},
      {"sobel", "magnitude", "u8, magnitude l1 to u8", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return [&p, exec] { sobel(p.bytes, {.magnitude = p.edges}, {}, exec); };
       }},
      {"log", "edges", "u8, sigma 1.4, threshold 5", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return [&p, exec] { log_edges(p.bytes, p.edges, {}, exec); };
       }},
      {"canny", "edges", "u8, 5 x 5 sigma 1.4, l1, low 20, high 60", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return [&p, exec] { canny(p.bytes, p.edges, canny_options(), exec); };
       }},
      {"boundaries", "edges", "u8, threshold 9", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return [&p, exec] { boundaries(p.bytes, p.edges, {}, exec); };
       }},
      {"pixel", "threshold", "u8, above 128", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return [&p, exec] { threshold(p.bytes, p.edges, 128, exec); };
       }},
      {"morphology", "close", "u8 mask of discs and specks, ellipse 15 x 15", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return [&p, exec, element = StructuringElement::ellipse(15, 15)] {
           morph_close(p.mask, p.edges, element, {}, exec);
         };
       }},
      {"label", "objects", "u8 mask of discs and specks, label picture and components", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return [&p, exec] { label(p.mask, p.labels, &p.components, {}, exec); };
       }},
      {"regions", "labels", "u8 mask of discs and specks as strengths", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return [&p, exec] { regions(p.mask, p.labels, {}, exec); };
       }},
      {"clean", "remove-small", "u8 mask of discs and specks, components below 64 pixels", side,
       side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         return [&p, exec] { remove_small(p.mask, p.edges, {}, exec); };
       }},
      {"measure", "objects", "s32 labels of discs and specks, u8 intensities", side, side,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         const int32_t count = label(p.mask, p.labels, nullptr);
         return [&p, exec, count] { measure(p.labels, count, p.bytes, exec); };
       }},
      {"background", "first", "u8, the frame after the founding one, mask", paper_004::width,
       paper_004::height,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         const auto model = std::make_shared<BackgroundSubtractor>();
         model->push(p.gray_frames[0], {}, 25, exec);
         return
             [&p, exec, model] { model->push(p.gray_frames[1], {.mask = p.frame_mask}, 25, exec); };
       }},
      {"motion", "frame", "RGB, first frame as background, Gaussian 15, disk:15; a later frame",
       paper_004::width, paper_004::height,
       [](Pictures* pictures, const Exec& exec) {
         Pictures& p = *pictures;
         const auto detector =
             std::make_shared<MotionDetector>(MotionOptions::of(BackgroundModel::first));
         detector->push(p.frames[0], exec);
         return [&p, exec, detector] { detector->push(p.frames[1], exec); };
       }},
  };
  return all;
}

/// The same of strategies that have the parameter, set to a value that is not its default.
Asked with(Asked request, const char* name, const char* value) {
  request.takes = [name](const StrategyDescription& strategy) {
    return std::any_of(strategy.parameters.begin(), strategy.parameters.end(),
                       [&](const ParameterInfo& info) { return info.name == name; });
  };
  request.settings = {{name, value}};
  request.name += std::string("-") + name + "-" + value;
  request.text += std::string(", ") + name + "=" + value;
  return request;
}

// What `bench model` times. Of Canny the strategies whose stages the model knows, with a hysteresis
// of few launches: it is not compared, and a pass of the profiler over each takes its time. Of 1024
// pixels a side all, one in blocks of 16 too, where rows of a warp meet in shared memory's banks;
// of 2048 one, for what grows with size.
const std::vector<Asked>& model_requests() {
  static const ModelWorks small(1024), large(2048);
  static const std::vector<Asked> all = [] {
    std::vector<Asked> requests;
    for (const Work& work : small.works) {
      const Asked request = asked_of(work, "model");
      const bool one = work.parameters == "gaussian 5x5" && request.type == "f32";
      requests.push_back(work.operation == "canny" ? with(request, "hysteresis", "union-find")
                                                   : request);
      if (one) requests.push_back(with(request, "block", "16"));
    }
    for (const Work& work : large.works) {
      if (work.parameters == "gaussian 5x5" && work.sources.at(0).type == PixelType::f32)
        requests.push_back(asked_of(work, "model"));
    }
    return requests;
  }();
  return all;
}

using Strategies = std::vector<StrategyDescription>;

/// Of all operations where none is named.
Strategies device_strategies(const std::vector<std::string_view>& operations) {
  Strategies strategies = list_strategies();
  std::erase_if(strategies, [&](const StrategyDescription& strategy) {
    const bool wanted = operations.empty() || std::find(operations.begin(), operations.end(),
                                                        strategy.operation) != operations.end();
    return strategy.space != Space::device || !wanted;
  });
  return strategies;
}

bool asks(const Asked& request, const StrategyDescription& strategy) {
  return request.operation == strategy.operation && (!request.takes || request.takes(strategy));
}

/// Operations with strategies that no request asks.
std::vector<std::string> forgotten(const Strategies& strategies) {
  std::vector<std::string> names;
  for (const StrategyDescription& strategy : strategies) {
    const bool named = !names.empty() && names.back() == strategy.operation;
    const bool asked = std::any_of(requests().begin(), requests().end(),
                                   [&](const Asked& request) { return asks(request, strategy); });
    if (!named && !asked) names.emplace_back(strategy.operation);
  }
  return names;
}

// "hysteresis=union-find", as rows of the bench have it.
std::string text_of(const std::vector<Parameter>& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

void list(const Strategies& strategies, const std::vector<Asked>& requests) {
  nlohmann::ordered_json out;
  out["commit"] = CUESTA_COMMIT;
  out["gpu"] = nullptr;
  if (const auto devices = list_devices(); !devices.empty()) {
    const DeviceInfo& gpu = devices.front();
    out["gpu"] = {
        {"name", gpu.name},
        {"compute_capability", std::to_string(gpu.major) + "." + std::to_string(gpu.minor)},
        {"driver", gpu.driver},
        {"runtime", gpu.runtime}};
  }
  for (const Asked& request : requests) {
    nlohmann::ordered_json json = {{"operation", request.operation},
                                   {"name", request.name},
                                   {"text", request.text},
                                   {"width", request.width},
                                   {"height", request.height}};
    if (!request.parameters.empty()) json["parameters"] = request.parameters;
    if (!request.type.empty()) json["type"] = request.type;
    if (!request.settings.empty()) json["strategy_parameters"] = text_of(request.settings);
    out["requests"].push_back(std::move(json));
  }
  for (const StrategyDescription& strategy : strategies)
    out["rows"].push_back({{"operation", strategy.operation}, {"strategy", strategy.name}});
  std::puts(out.dump(1).c_str());
}

/// Whether the strategy takes the request, which then ran. The range's name is what
/// profile_rungs.py looks for.
bool profile(Pictures* pictures, const StrategyDescription& strategy, const Asked& request,
             std::string& refusals) {
  const Exec exec{.strategy = std::string(strategy.name), .parameters = request.settings};
  const std::string label = "cuesta/" + std::string(strategy.operation) + "/" +
                            std::string(strategy.name) + "/" + request.name;
  try {
    const std::function<void()> call = request.prepare(pictures, exec);
    wait();
    const nvtx3::scoped_range range(label.c_str());
    call();
    wait();
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    refusals += label + ": " + error.what() + "\n";
    return false;
  }
}

/// Every strategy by the requests of its operation, or the first that it takes; false where one
/// takes none.
bool profile(const Strategies& strategies, const std::vector<Asked>& requests, bool each) {
  use_device(0);
  std::optional<Pictures> own;
  if (!each) own.emplace();
  bool all = true;
  for (const StrategyDescription& strategy : strategies) {
    std::string refusals;
    bool ran = false;
    for (const Asked& request : requests) {
      if (!asks(request, strategy)) continue;
      ran |= profile(own ? &*own : nullptr, strategy, request, refusals);
      if (ran && !each) break;
    }
    if (!ran) std::fputs(refusals.c_str(), stderr);
    all &= ran;
  }
  return all;
}

/// The exit code: 0, 1 for strategies that were not run, 2 for a wrong command line.
int command(int argc, char** argv) {
  std::vector<std::string_view> operations(argv + 1, argv + argc);
  const bool only_list = std::erase(operations, "--list") > 0;
  const bool model = std::erase(operations, "--model") > 0;
  const bool production = std::erase(operations, "--production") > 0;
  const bool climb = std::erase(operations, "--climb") > 0;
  for (const std::string_view name : operations) {
    if (device_strategies({name}).empty()) {
      std::fprintf(stderr, "%s: no operation of this name has device strategies\n",
                   std::string(name).c_str());
      return 2;
    }
  }
  Strategies strategies = device_strategies(operations);
  const std::vector<std::string> left_out = forgotten(strategies);
  for (const std::string& operation : left_out)
    std::fprintf(stderr, "%s has device strategies, and no request is made of them\n",
                 operation.c_str());
  bool all = left_out.empty();
  const std::vector<Asked>& asked = model        ? model_requests()
                                    : climb      ? climb_asked()
                                    : production ? production_asked(operations)
                                                 : requests();
  std::erase_if(strategies, [&](const StrategyDescription& strategy) {
    return std::none_of(asked.begin(), asked.end(),
                        [&](const Asked& request) { return asks(request, strategy); });
  });
  if (only_list)
    list(strategies, asked);
  else
    all &= profile(strategies, asked, model || production || climb);
  return all ? 0 : 1;
}

}  // namespace
}  // namespace cuesta::bench

int main(int argc, char** argv) {
  try {
    return cuesta::bench::command(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 5;
  }
}
