// Paper 004: moving objects by step and version, 596 x 336, 124 frames, one object. Its video is
// not public; ours is made (works/motion.hpp). The element is OpenCV's ellipse of 15, so that
// OpenCV finds the same boxes. A call is a frame; theirs includes the copies to and from the GPU,
// ours is given without and with them. With --sizes, square videos and no paper figures.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "bench/engine/stages.hpp"
#include "bench/papers/experiments.hpp"
#include "bench/papers/motion_memory.hpp"
#include "bench/papers/paper_004.hpp"
#include "bench/works/motion.hpp"
#include "ops/motion/stages.hpp"

namespace cuesta::bench {
namespace {

namespace p4 = paper_004;
namespace memory = motion_memory;

constexpr const char* experiment = "motion-ladder";

// What the paper prints of the row's strategy, at the paper's size.
const p4::Version* version_of(const Row& row) {
  return row.width == p4::width && row.height == p4::height ? p4::version_of(row.strategy)
                                                            : nullptr;
}

// The chain in its order, each step with what it is a part of.
void add_steps(Session& session) {
  for (const motion_stages::Step& step : motion_stages::steps) {
    session.add_figure({.experiment = experiment,
                        .source = "model",
                        .subject = std::string(step.name),
                        .detail = std::string(step.part_of),
                        .what = "step"});
  }
}

void add_printed(Session& session) {
  const auto add = [&](std::string_view subject, std::string_view detail, const char* what,
                       const char* unit, double value) {
    session.add_figure({.experiment = experiment,
                        .width = p4::width,
                        .height = p4::height,
                        .source = "paper",
                        .subject = std::string(subject),
                        .detail = std::string(detail),
                        .what = what,
                        .unit = unit,
                        .value = value});
  };
  add("the paper's video", "", "frames", "", p4::frames);
  for (const p4::Version& version : p4::versions) {
    add(version.strategy, "", "rate", "frames/s", version.fps);
    add(version.strategy, "", "time of the video", "ms", version.total_ms);
    for (const p4::Step& step : version.steps) {
      add(version.strategy, step.name, "time of a frame", "ms", step.average_us / 1e3);
      add(version.strategy, step.name, "time of the video", "ms", step.total_ms);
      add(version.strategy, step.name, "share", "%", step.share);
      if (step.reduction > 0)
        add(version.strategy, step.name, "less than the version before", "%", step.reduction);
    }
  }
  for (const p4::Kernel& kernel : p4::kernels) {
    add("v1.3", kernel.name, "registers", "", kernel.registers);
    add("v1.3", kernel.name, "occupancy", "", kernel.occupancy);
  }
}

void add_memory(Session& session, const MotionOptions& options, int32_t width, int32_t height) {
  const auto add = [&](const char* source, const char* subject, const memory::Bytes& bytes) {
    const std::pair<const char*, int64_t> values[] = {{"held", bytes.held},
                                                      {"moved at launch", bytes.at_launch},
                                                      {"moved a frame", bytes.a_frame}};
    for (const auto& [what, value] : values) {
      session.add_figure({.experiment = experiment,
                          .width = width,
                          .height = height,
                          .source = source,
                          .subject = subject,
                          .detail = "memory",
                          .what = what,
                          .unit = "bytes",
                          .value = double(value)});
    }
  };
  memory::MotionRequest request{width, height};
  request.blur = options.blur;
  request.close_cells = options.close.count();
  request.open_cells = options.open.count();
  request.components = 1;
  add("paper", "paper: 10wh, 3wh + 5k², 7wh", memory::paper(width, height, 15));
  const std::pair<const char*, memory::Rung> rungs[] = {
      {"v1.0", memory::Rung::v1_0}, {"v1.1", memory::Rung::v1_1}, {"v1.2", memory::Rung::v1_2},
      {"v1.3", memory::Rung::v1_3}, {"v1.4", memory::Rung::v1_4}, {"v1.5", memory::Rung::v1_5}};
  for (const auto& [name, rung] : rungs) add("model", name, memory::ours(request, rung));
}

// On this many threads; `usual` is what it is left with.
std::vector<std::pair<std::string, double>> opencv_stages(Peer& opencv, const Work& work,
                                                          const MotionOptions& options, int threads,
                                                          int usual) {
  StageTimer timer(Space::host);
  std::vector<Rect> boxes;
  opencv.set_threads(threads);
  for (const ConstAnyView& frame : work.sources) {
    timer.begin();
    opencv.motion(frame, options.threshold.level, 15, boxes, &timer);
    timer.end();
  }
  opencv.set_threads(usual);
  return timer.stages(StageTimer::Middle::mean);
}

// The frames from `first` on in steps of `step`.
Work ladder_work(Session& session, const MotionOptions& options,
                 const std::vector<Image<uint8_t>>& video, int step, int first) {
  Work work = motion_work(
      session, experiment,
      fmt::format("rgb, first frame, gaussian 15, > {}, ellipse:15", options.threshold.level),
      options, video, step, first);
  work.sweeps = {{"block_x", {"8", "16", "32", "64"}},
                 {"block_y", {"4", "8", "16", "32"}},
                 {"boxes", {"gpu", "host"}},
                 {"copy", {"async", "bulk"}}};
  work.rounds = true;
  work.one_thread = true;
  work.end_to_end = EndToEnd::fastest;
  work.stages = true;
  return work;
}

bool is_plain_host(const StrategyDescription& s) {
  return s.space == Space::host && s.tier != Tier::production;
}

// The paper's versions as it has them, together: float taps, masks, and boxes by the host from
// labels that come down.
void measure_papers_kernels(Session& session, Work work,
                            const std::function<void(Row&)>& annotate) {
  if (!session.gpu()) return;
  work.parameters += ", the paper's kernels";
  work.host = false;
  work.opencv = {};
  work.takes = [](const StrategyDescription& s) {
    return std::ranges::any_of(
        s.parameters, [](const ParameterInfo& parameter) { return parameter.name == "windows"; });
  };
  work.sweeps = {{"windows", {"mask"}},
                 {"boxes", {"host"}},
                 {"block_x", {"16", "32"}},
                 {"block_y", {"16", "32"}}};
  session.measure(work, annotate);
}

void run(Session& session, int32_t width, int32_t height) {
  const auto video = moving_object_video(width, height, p4::frames);
  const MotionOptions options = motion_options();
  Work few = ladder_work(session, options, video, 36, 1);
  double serial_ms = 0;
  const auto annotate = [&](const Work& work) {
    return [&](Row& row) {
      if (row.strategy == "serial") serial_ms = row.ms;
      if (row.operation != "copy") row.serial_ms = serial_ms;
      if (const p4::Version* version = version_of(row))
        row.paper_figure = PaperFigure{version->fps, "frames/s", "frames a second"};
      if (row.strategy == "opencv")
        row.stages =
            opencv_stages(*session.opencv(), work, options, row.threads, session.threads());
    };
  };
  if (session.quick()) {
    session.measure(few, annotate(few));
    measure_papers_kernels(session, few, annotate(few));
  } else {
    // Of the plain rows on the host a frame may take a second: a few frames. Of the others the
    // whole video, the first frame against itself too.
    few.takes = is_plain_host;
    few.device = false;
    few.opencv = nullptr;
    session.measure(few, annotate(few));
    Work whole = ladder_work(session, options, video, 1, 0);
    whole.reference = "simd";
    whole.takes = [](const StrategyDescription& s) { return !is_plain_host(s); };
    session.measure(whole, annotate(whole));
    measure_papers_kernels(session, whole, annotate(whole));
  }
  add_memory(session, options, width, height);
}

}  // namespace

void bench_motion_ladder(Session& session) {
  add_steps(session);
  add_printed(session);
  const std::vector<int32_t> sides = session.sizes({});
  if (sides.empty()) return run(session, p4::width, p4::height);
  for (const int32_t side : sides) {
    if (side >= smallest_video)
      run(session, side, side);
    else
      session.note(fmt::format("motion-ladder: {0}x{0} is less than {1}x{1}, left out", side,
                               smallest_video));
  }
}

}  // namespace cuesta::bench
