// Experiment `surface`: the space of requests instead of a list of favourites, beside a copy of the
// source. On a GPU each class of requests has a ceiling, and small pictures are held against the
// host's answers first; on the host OpenCV stands beside. A request that runs on plain loops, or
// takes longer than its ceiling, is a difference: the run fails.
#include "bench/surface/surface.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "bench/engine/answers.hpp"
#include "bench/engine/device_timing.hpp"
#include "bench/engine/rotation.hpp"
#include "bench/engine/session.hpp"
#include "bench/surface/requests.hpp"
#include "core/memory.hpp"
#include "cuesta/cuesta.hpp"

namespace cuesta::bench {
namespace {

using enum PixelType;

constexpr const char* experiment = "surface";
constexpr int32_t verified_side = 1024;  // up to which the host's answers are made too
constexpr int32_t judged_side = 4096;    // from which ceilings are in copies
constexpr double small_us = 40;          // at 512², whatever the request
// Times OpenCV, from which a host's request fails; in a quick run, which other work may disturb,
// the best of three counts.
constexpr double behind = 1.5, far_behind = 3;
constexpr double slow_ms = 100;       // what takes longer is timed once
constexpr double worth = 1.15;        // times another row's, from which the choice is noted
constexpr float angle_error = 1e-6F;  // of directions in radians
constexpr size_t kept_bytes = size_t{16} << 30;

// An H200's memory is faster than its arithmetic.
double factor_of(const Gpu& gpu) { return gpu.name.find("H200") == std::string::npos ? 1 : 1.3; }

bool is_mask(const SurfaceRequest& request) {
  return request.type == bit || request.operation == "label";
}

class Surface {
 public:
  Surface(Session& session, int32_t side)
      : session_(session), side_(side), photograph_(session.photograph(side, side)) {
    if (session.gpu()) stream_.emplace();
  }

  void measure(const SurfaceRequest& request) {
    const ConstAnyView src = source(request);
    std::vector<Choice> choices;
    try {
      const Space space = session_.gpu() ? Space::device : Space::host;
      const auto at = [&](PixelType type, int32_t channels) {
        return type == none ? AnyView() : placeholder(side_, side_, type, channels, space);
      };
      choices = which_all(
          [&](const Exec& exec) {
            request.call(at(request.type, request.channels),
                         at(request.result, request.result_channels), exec);
          },
          session_.exec());
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_argument) throw;
      return;  // types and options that do not go together
    }
    if (!production(request, choices)) return;
    if (!worth_timing(request)) return;
    const Row row =
        session_.gpu() ? on_device(request, src, choices) : on_host(request, src, choices);
    judge(request, row);
    rows_.push_back(row);
  }

  void report();

 private:
  using Key = std::tuple<PixelType, int32_t, bool>;

  // A quick run on the host, where OpenCV judges it, times one or three channels that OpenCV takes.
  bool worth_timing(const SurfaceRequest& request) const {
    const bool judged = request.opencv && request.channels != 4;
    return session_.gpu() || !session_.quick() || !session_.opencv() || judged;
  }

  ConstAnyView source(const SurfaceRequest& request);
  bool production(const SurfaceRequest& request, const std::vector<Choice>& choices);
  Row blank(const SurfaceRequest& request, const std::vector<Choice>& choices) const;
  Row on_host(const SurfaceRequest& request, ConstAnyView src, const std::vector<Choice>& choices);
  Row on_device(const SurfaceRequest& request, ConstAnyView src,
                const std::vector<Choice>& choices);
  Row timed_on_device(const SurfaceRequest& request, Rotation& rotation, Row row,
                      std::string_view strategy);
  void time_others(const SurfaceRequest& request, Rotation& rotation,
                   const std::vector<Choice>& choices, const Row& chosen);
  void verify(const SurfaceRequest& request, ConstAnyView src, Rotation& rotation);
  Rotation& rotation_of(const SurfaceRequest& request, ConstAnyView src);
  void judge(const SurfaceRequest& request, const Row& row);

  Session& session_;
  int32_t side_;
  Image<uint8_t> photograph_;
  std::optional<Stream> stream_;
  Workspace workspace_;
  std::map<Key, AnyImage> sources_;
  std::map<std::tuple<Key, PixelType, int32_t>, std::unique_ptr<Rotation>> rotations_;
  size_t held_bytes_ = 0;
  std::vector<Row> rows_;
  int plain_ = 0, over_ = 0, slower_ = 0;
};

// The photograph with its channels apart by five columns; of a mask, where it is bright.
ConstAnyView Surface::source(const SurfaceRequest& request) {
  const bool mask = is_mask(request);
  AnyImage& made = sources_[{request.type, request.channels, mask}];
  if (made.plane()) return made.plane();
  made = AnyImage(request.type, side_, side_, request.channels);
  const AnyView to = made.plane();
  if (mask) {
    threshold(photograph_, to, 128, session_.exec());
    return to;
  }
  for (int32_t y = 0; y < side_; ++y) {
    for (int32_t x = 0; x < side_; ++x) {
      for (int32_t c = 0; c < request.channels; ++c) {
        const uint8_t v = photograph_.at(std::min(x + 5 * c, side_ - 1), y);
        if (request.type == u8) to.as<uint8_t>().at(x, y, c) = v;
        if (request.type == u16) to.as<uint16_t>().at(x, y, c) = uint16_t(v * 257);
        if (request.type == f32) to.as<float>().at(x, y, c) = float(v) / 255;
      }
    }
  }
  return to;
}

// Byte for byte, but for angles.
bool are_equal(ConstAnyView a, ConstAnyView b, bool angles) {
  for (int32_t y = 0; y < a.height; ++y) {
    const auto* one = static_cast<const char*>(a.data) + a.stride_bytes * y;
    const auto* other = static_cast<const char*>(b.data) + b.stride_bytes * y;
    if (std::memcmp(one, other, size_t(detail::row_bytes(a))) == 0) continue;
    if (!angles || a.type != f32) return false;
    for (int32_t x = 0; x < a.width; ++x)
      if (!(std::fabs(a.as<float>().at(x, y) - b.as<float>().at(x, y)) <= angle_error))
        return false;
  }
  return true;
}

// Counts what runs on plain loops. False where nothing takes the request.
bool Surface::production(const SurfaceRequest& request, const std::vector<Choice>& choices) {
  bool all = true;
  for (const Choice& choice : choices) {
    if (!choice) return false;
    all = all && choice.tier == Tier::production;
  }
  plain_ += !all;
  session_.expect(all, fmt::format("{} {} of {} runs on {}", request.operation, request.text,
                                   name_of(request.type), choices.back().strategy));
  return true;
}

Row Surface::blank(const SurfaceRequest& request, const std::vector<Choice>& choices) const {
  Row row;
  row.experiment = experiment;
  row.operation = request.operation;
  for (const Choice& choice : choices) {
    const std::string name = choice.operation == request.operation
                                 ? std::string(choice.strategy)
                                 : fmt::format("{}:{}", choice.operation, choice.strategy);
    row.strategy += (row.strategy.empty() ? "" : " + ") + name;
  }
  row.space = name_of(session_.gpu() ? Space::device : Space::host);
  row.parameters = request.text;
  row.type = name_of(request.type);
  row.width = row.height = side_;
  row.threads = session_.gpu() ? 0 : session_.threads();
  return row;
}

Row Surface::on_host(const SurfaceRequest& request, ConstAnyView src,
                     const std::vector<Choice>& choices) {
  AnyImage into(request.result, side_, side_, request.result_channels);
  AnyImage copy(src.type, side_, side_, src.channels),
      theirs(request.result, side_, side_, request.result_channels);
  Exec exec = session_.exec();
  exec.workspace = &workspace_;
  std::vector<std::function<void()>> bodies = {
      [&] { copy_rows(src, copy.plane(), session_.threads()); },
      [&] { request.call(src, into.plane(), exec); }};
  const bool peer = request.opencv && session_.opencv();
  if (peer) bodies.push_back([&] { request.opencv(*session_.opencv(), src, theirs.plane()); });
  const double most = session_.quick() ? far_behind : behind;
  const bool slow = time_once(bodies[1]) > slow_ms;
  auto times = time_in_turns(bodies, slow ? 1 : 5, 1.0);
  for (int i = 0; i < 2 && peer && session_.quick() && times[1].ms > most * times[2].ms; ++i) {
    const auto again = time_in_turns(bodies, 5, 1.0);
    if (again[1].ms * times[2].ms < times[1].ms * again[2].ms) times = again;
  }
  Row row = blank(request, choices);
  row.copy_ms = times[0].ms;
  row.ms = times[1].ms;
  row.ms_spread = times[1].spread;
  Measured measured;
  measured.rows.push_back(row);
  if (peer) {
    Row other = row;
    other.strategy = "opencv";
    other.ms = times[2].ms;
    other.ms_spread = times[2].spread;
    measured.rows.push_back(other);
    session_.expect(row.ms <= most * other.ms,
                    fmt::format("{} {} of {} takes {:.3f} ms, OpenCV {:.3f}", request.operation,
                                request.text, row.type, row.ms, other.ms));
  }
  session_.add_measured(std::move(measured));
  return row;
}

Rotation& Surface::rotation_of(const SurfaceRequest& request, ConstAnyView src) {
  auto& rotation = rotations_[{
      {request.type, request.channels, is_mask(request)}, request.result, request.result_channels}];
  if (rotation) return *rotation;
  if (held_bytes_ > kept_bytes) {
    rotations_.clear();
    held_bytes_ = 0;
    return rotation_of(request, src);
  }
  Work work;
  work.sources = {src};
  work.result = request.result;
  work.result_channels = request.result_channels;
  rotation = std::make_unique<Rotation>(work, size_t(session_.gpu()->l2_bytes), stream_->get());
  held_bytes_ += rotation->slots() * size_t(side_) *
                 size_t(2 * detail::row_bytes(src) +
                        detail::row_bytes(request.result, side_, request.result_channels));
  return *rotation;
}

void Surface::verify(const SurfaceRequest& request, ConstAnyView src, Rotation& rotation) {
  if (request.result == none) return;
  AnyImage want(request.result, side_, side_, request.result_channels);
  AnyImage got(request.result, side_, side_, request.result_channels);
  request.call(src, want.plane(), session_.exec());
  rotation.poison(0);
  request.call(rotation.source(0), rotation.result(0), {.stream = stream_->get()});
  download(rotation.result(0), got.plane(), stream_->get());
  session_.expect(are_equal(want.plane(), got.plane(), request.operation == "sobel"),
                  fmt::format("{} {} of {}: the GPU's answer differs from the host's",
                              request.operation, request.text, name_of(request.type)));
}

Row Surface::on_device(const SurfaceRequest& request, ConstAnyView src,
                       const std::vector<Choice>& choices) {
  Rotation& rotation = rotation_of(request, src);
  if (side_ <= verified_side) verify(request, src, rotation);
  Row row = timed_on_device(request, rotation, blank(request, choices), {});
  if (session_.every_row()) time_others(request, rotation, choices, row);
  return row;
}

// Every other production row of the last step's operation that takes the request.
void Surface::time_others(const SurfaceRequest& request, Rotation& rotation,
                          const std::vector<Choice>& choices, const Row& chosen) {
  const Choice& last = choices.back();
  for (const StrategyDescription& other : list_strategies()) {
    if (other.operation != last.operation || other.space != Space::device ||
        other.tier != Tier::production || other.name == last.strategy)
      continue;
    const Exec exec{
        .strategy = std::string(other.name), .workspace = &workspace_, .stream = stream_->get()};
    std::vector<Choice> others;
    try {
      others = which_all(
          [&](const Exec& asked) { request.call(rotation.source(0), rotation.result(0), asked); },
          exec);
    } catch (const Error&) {
      continue;  // a step before the last has no row of this name
    }
    if (!std::ranges::all_of(others, [](const Choice& choice) { return bool(choice); })) continue;
    const Row row = timed_on_device(request, rotation, blank(request, others), other.name);
    if (row.ms * worth < chosen.ms) {
      ++slower_;
      session_.note(fmt::format("{}²: {} {} of {} takes {:.4f} ms by {}, {:.4f} by {}", side_,
                                request.operation, request.text, row.type, chosen.ms,
                                chosen.strategy, row.ms, row.strategy));
    }
  }
}

// Row `row` with its times, by the strategy of this name or, where it is empty, as calls choose.
Row Surface::timed_on_device(const SurfaceRequest& request, Rotation& rotation, Row row,
                             std::string_view strategy) {
  const Exec exec{
      .strategy = std::string(strategy), .workspace = &workspace_, .stream = stream_->get()};
  const double once_ms = time_once([&] {
    request.call(rotation.source(0), rotation.result(0), exec);
    wait(stream_->get());
  });
  const DeviceBody bodies[] = {{[&](size_t turn, void* stream) {
                                  copy_on_device(rotation.copied(turn), rotation.copy(turn),
                                                 stream);
                                },
                                false, rotation.slots(), 1},
                               {[&](size_t turn, void*) {
                                  request.call(rotation.source(turn), rotation.result(turn), exec);
                                },
                                true, rotation.slots(), 1}};
  const bool slow = once_ms > slow_ms;
  const auto times = time_on_device(std::span(bodies).first(slow ? 1 : 2), 5, 0.5, stream_->get());
  row.copy_ms = times[0].ms;
  row.ms = slow ? once_ms : times[1].ms;
  row.ms_spread = slow ? 0 : times[1].spread;
  Measured measured;
  measured.rows.push_back(row);
  session_.add_measured(std::move(measured));
  return row;
}

void Surface::judge(const SurfaceRequest& request, const Row& row) {
  if (!session_.gpu()) return;
  const auto over = [&](const std::string& what) {
    ++over_;
    session_.expect(false, fmt::format("{} {} of {}, {}²: {} by {}", request.operation,
                                       request.text, row.type, side_, what, row.strategy));
  };
  const auto& [group, copies] = request.ceiling;
  if (side_ >= judged_side) {
    const double ceiling = copies * factor_of(*session_.gpu());
    session_.add_figure({experiment,
                         request.text,
                         side_,
                         side_,
                         "goal",
                         request.operation,
                         row.type,
                         group,
                         "times a copy",
                         ceiling,
                         {}});
    if (ceiling > 0 && row.times_copy() > ceiling)
      over(fmt::format("{:.2f} copies, more than the {:.2f} of {}", row.times_copy(), ceiling,
                       group));
  } else if (side_ <= 512 && 1000 * row.ms > small_us) {
    over(fmt::format("{:.0f} µs, more than {}", 1000 * row.ms, small_us));
  }
}

void Surface::report() {
  constexpr double bounds[] = {2, 5, 20, 100};
  std::vector<size_t> counts(std::size(bounds) + 1, 0);
  for (const Row& row : rows_)
    ++counts[size_t(std::ranges::upper_bound(bounds, row.times_copy()) - std::begin(bounds))];
  session_.note(fmt::format(
      "{}²: {} requests: below 2 copies {}, to 5 {}, to 20 {}, to 100 {}, "
      "above {}; {} on plain loops, {} over their ceiling",
      side_, rows_.size(), counts[0], counts[1], counts[2], counts[3], counts[4], plain_, over_));
  if (session_.every_row())
    session_.note(fmt::format("{}²: {} other rows would be faster than the chosen one by {}", side_,
                              slower_, worth));
  std::ranges::sort(rows_, {}, [](const Row& row) { return -row.times_copy(); });
  for (size_t i = 0; i < std::min<size_t>(20, rows_.size()); ++i) {
    const Row& row = rows_[i];
    session_.note(fmt::format("{}² worst {}: {:.1f} copies, {:.3f} ms by {}: {} {} of {}", side_,
                              i + 1, row.times_copy(), row.ms, row.strategy, row.operation,
                              row.parameters, row.type));
  }
}

}  // namespace

void bench_surface(Session& session) {
  const std::vector<SurfaceRequest> requests = surface_requests();
  for (const int32_t side : session.sizes({512})) {
    Surface surface(session, side);
    for (const SurfaceRequest& request : requests)
      if (session.wants_table(request.operation)) surface.measure(request);
    surface.report();
  }
}

}  // namespace cuesta::bench
