// Paper 004: moving objects by step and version, 596 x 336, 124 frames, one object. Its video is
// not public; ours is made (video.hpp). The element is OpenCV's ellipse of 15, so that OpenCV finds
// the same boxes. A call is a frame; theirs includes the copies to and from the GPU, ours is given
// without and with them. With --sizes, square videos and no paper figures.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <tuple>
#include <vector>

#include "bench/details.hpp"
#include "bench/paper_004.hpp"
#include "bench/stages.hpp"
#include "bench/text.hpp"
#include "bench/video.hpp"
#include "cuesta/motion.hpp"
#include "ops/motion/memory_model.hpp"
#include "ops/motion/stages.hpp"

namespace cuesta::bench {
namespace {

namespace p4 = paper_004;

/// A detector for every strategy and setting, founded on the video's first frame in its space.
class Detectors {
 public:
  Detectors(const MotionOptions& options, ConstAnyView first) : options_(options), first_(first) {}

  void push(ConstAnyView frame, const Exec& exec) {
    Entry& entry = find(exec, frame.space);
    last_ = (exec.observer ? entry.observed : entry.plain).push(frame, exec);
  }

  std::string text() const {
    std::string text;
    for (const Detection& d : last_)
      fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {} {}\n", d.box.x, d.box.y,
                     d.box.width, d.box.height, d.area, d.centroid_x, d.centroid_y);
    return text;
  }

 private:
  // Both are founded with the first call, so that no timed one founds.
  struct Entry {
    Entry(const MotionOptions& options, const Exec& exec, Space where)
        : strategy(exec.strategy),
          parameters(exec.parameters),
          space(where),
          plain(options),
          observed(options) {}
    std::string strategy;
    std::vector<Parameter> parameters;
    Space space;
    MotionDetector plain, observed;
  };

  Entry& find(const Exec& exec, Space space) {
    for (Entry& entry : entries_) {
      if (entry.space == space && entry.strategy == exec.strategy &&
          entry.parameters == exec.parameters)
        return entry;
    }
    Entry& made = entries_.emplace_back(options_, exec, space);
    try {
      for (MotionDetector* detector : {&made.plain, &made.observed}) found(*detector, exec, space);
    } catch (...) {  // a setting that the strategy refuses
      entries_.pop_back();
      throw;
    }
    return made;
  }

  void found(MotionDetector& detector, Exec exec, Space space) {
    exec.observer = nullptr;
    if (space == Space::host) {
      detector.push(first_, exec);
      return;
    }
    Image<uint8_t, Space::device> there(first_.width, first_.height, first_.channels);
    upload(first_, there, exec.stream);
    detector.push(there, exec);
    wait(exec.stream);
  }

  MotionOptions options_;
  ConstAnyView first_;
  std::deque<Entry> entries_;
  std::span<const Detection> last_;
};

std::vector<Rect> sorted(std::vector<Rect> boxes) {
  std::sort(boxes.begin(), boxes.end(), [](const Rect& a, const Rect& b) {
    return std::tie(a.y, a.x, a.width, a.height) < std::tie(b.y, b.x, b.width, b.height);
  });
  return boxes;
}

// Production finds the one object in every frame; whether OpenCV finds the same box.
bool as_promised(Session& session, const MotionOptions& options,
                 const std::vector<Image<uint8_t>>& video, Peer* opencv) {
  MotionDetector detector(options);
  std::vector<Rect> ours, theirs;
  bool one = true, equal = true;
  if (opencv) opencv->motion({}, 0, 15, theirs, nullptr);
  for (size_t t = 0; t < video.size(); ++t) {
    ours.clear();
    for (const Detection& detection : detector.push(video[t], session.exec()))
      ours.push_back(detection.box);
    one = one && ours.size() == (t == 0 ? 0u : 1u);
    if (!opencv) continue;
    opencv->motion(video[t], options.threshold, 15, theirs, nullptr);
    equal = equal && sorted(ours) == sorted(theirs);
  }
  session.expect(one, "motion-ladder: not one object in every frame");
  return opencv && session.expect(equal, "motion-ladder: opencv finds other boxes");
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.2f} %", 100 * part / whole) : "-";
}
// "-50 %" is half the time of before.
std::string change(double before, double now) {
  return before > 0 && now > 0 ? fmt::format("{:+.0f} %", 100 * (now / before - 1)) : "-";
}

// A step with its parts.
double step_ms(const Row& row, std::string_view step) {
  double ms = 0;
  for (const auto& [name, value] : row.stages) {
    if (name == step || motion_stages::whole_of(name) == step) ms += value;
  }
  return ms;
}

// The paper's table of the row's strategy, at the paper's size.
const p4::Version* version_of(const Row& row) {
  return row.width == p4::width && row.height == p4::height ? p4::version_of(row.strategy)
                                                            : nullptr;
}

const p4::Step* printed(const p4::Version* version, std::string_view step) {
  if (!version) return nullptr;
  for (const p4::Step& theirs : version->steps) {
    if (theirs.name == step) return &theirs;
  }
  return nullptr;
}

// A table of one version as the paper's, whose figures stand on the right.
std::string steps_text(const std::string& title, const Row& row, const Row* before) {
  const p4::Version* version = version_of(row);
  const std::string all_frames = fmt::format("{} frames, ms", p4::frames);
  std::vector<std::string> head = {"step", "frame, ms", all_frames, "share"};
  if (before) head.push_back("over " + before->strategy);
  if (version) head.insert(head.end(), {"paper: frame, ms", all_frames, "share", "over the last"});
  TextTable table(fmt::format("{}: {}, by step", title, label_of(row)), head);

  const auto sum = [](const Row& of) {
    double ms = 0;
    for (const auto& stage : of.stages) ms += stage.second;
    return ms;
  };
  const auto add = [&](const std::string& name, double ms, double ms_before,
                       const std::vector<std::string>& theirs) {
    std::vector<std::string> line = {name, milliseconds(ms), milliseconds(p4::frames * ms),
                                     percent(ms, sum(row))};
    if (before) line.push_back(change(ms_before, ms));
    if (version) line.insert(line.end(), theirs.begin(), theirs.end());
    table.add(line);
  };
  for (const motion_stages::Step& step : motion_stages::steps) {
    const double ms = step_ms(row, step.name);
    const p4::Step* theirs = printed(version, step.name);
    if (ms == 0 && !theirs) continue;
    std::vector<std::string> figures = {"no paper figure", "-", "-", "-"};
    if (theirs) {
      figures = {milliseconds(theirs->average_us / 1e3), milliseconds(theirs->total_ms),
                 fmt::format("{} %", theirs->share),
                 theirs->reduction > 0 ? fmt::format("-{:.0f} %", theirs->reduction) : "-"};
    }
    add((step.part_of.empty() ? "" : "  ") + std::string(step.name), ms,
        before ? step_ms(*before, step.name) : 0, figures);
  }
  add("all steps", sum(row), before ? sum(*before) : 0,
      {version ? milliseconds(version->total_ms / p4::frames) : "",
       version ? milliseconds(version->total_ms) : "", "100 %", "-"});
  return table.text() + fmt::format("  a call that nobody observes: {} ms\n", milliseconds(row.ms));
}

std::string rates_text(const std::string& title, const std::vector<const Row*>& rows, bool gpu) {
  std::vector<std::string> head = {"strategy", "frame, ms",    "spread",
                                   "frames/s", "times opencv", "paper's frames/s"};
  if (gpu) head.insert(head.end() - 1, {"with copies, pageable", "with copies, pinned"});
  TextTable table(title + ": frames a second", head);
  double opencv_ms = 0;
  for (const Row* row : rows) {
    if (row->strategy == "opencv") opencv_ms = row->ms;
  }
  const auto rate = [](double ms) { return ms > 0 ? figure(1000 / ms, 1) : "-"; };
  for (const Row* row : rows) {
    const p4::Version* version = version_of(*row);
    std::vector<std::string> line = {label_of(*row),
                                     milliseconds(row->ms),
                                     milliseconds(row->ms_spread),
                                     rate(row->ms),
                                     opencv_ms > 0 ? milliseconds(opencv_ms / row->ms) : "-",
                                     paper_figure(version ? version->fps : 0, 1)};
    if (gpu) line.insert(line.end() - 1, {rate(row->pageable_ms), rate(row->pinned_ms)});
    table.add(line);
  }
  return table.text();
}

std::string memory_text(const std::string& title, const MotionOptions& options, int32_t width,
                        int32_t height) {
  namespace memory = motion_memory;
  TextTable table(title + ": memory on the GPU and over the bus, by formula, bytes",
                  {"version", "held", "a pixel", "moved at launch", "moved a frame", "a pixel"});
  const auto add = [&](const std::string& name, const memory::Bytes& bytes) {
    const double pixels = double(width) * height;
    table.add({name, fmt::to_string(bytes.held), figure(double(bytes.held) / pixels),
               fmt::to_string(bytes.at_launch), fmt::to_string(bytes.a_frame),
               figure(double(bytes.a_frame) / pixels)});
  };
  memory::Request request{width, height};
  request.blur = options.blur;
  request.close_cells = options.close.count();
  request.open_cells = options.open.count();
  request.components = 1;
  add("paper: 10wh, 3wh + 5k², 7wh", memory::paper(width, height, 15));
  const std::pair<const char*, memory::Rung> rungs[] = {{"v1.0", memory::Rung::v1_0},
                                                        {"v1.1", memory::Rung::v1_1},
                                                        {"v1.2", memory::Rung::v1_2},
                                                        {"v1.3", memory::Rung::v1_3}};
  for (const auto& [name, rung] : rungs) add(name, memory::ours(request, rung));
  return table.text();
}

const p4::Kernel* printed_kernel(std::string_view name) {
  for (const p4::Kernel& kernel : p4::kernels) {
    // Ours of difference is the background model's; dilation and erosion are one template.
    const bool same = name.find(kernel.name) != name.npos ||
                      (kernel.name == "difference" && name.find("background") != name.npos) ||
                      (kernel.name == "dilate" && name.find("morph") != name.npos);
    if (same) return &kernel;
  }
  return nullptr;
}

std::string kernels_text(const std::string& title, const Row& row) {
  TextTable table(
      fmt::format("{}: kernels of {} (the paper's: v1.3, its occupancy as its profiler saw it)",
                  title, label_of(row)),
      {"kernel", "launches", "blocks", "threads", "registers", "paper's", "shared B", "occupancy",
       "paper's"});
  for (const KernelUse& use : row.kernels) {
    const p4::Kernel* theirs = printed_kernel(use.name);
    table.add({use.name, fmt::to_string(use.launches), fmt::to_string(use.blocks),
               fmt::to_string(use.threads), fmt::to_string(use.registers),
               theirs ? fmt::to_string(theirs->registers) : "no paper figure",
               fmt::to_string(use.static_shared + use.dynamic_shared),
               fmt::format("{:.0f} %", 100 * use.occupancy),
               theirs ? fmt::format("{:.0f} %", 100 * theirs->occupancy) : "no paper figure"});
  }
  return table.text();
}

const Row* fastest(const Measured& measured, std::string_view strategy) {
  const Row* best = nullptr;
  for (const Row& row : measured.rows) {
    if (row.strategy == strategy && (!best || row.ms < best->ms)) best = &row;
  }
  return best;
}

// v1.3's grid search; the paper's best is 16 x 16.
std::string search_text(const std::string& title, const Measured& measured, const Row& best) {
  Grid grid;
  for (const Row& row : measured.rows) {
    if (row.strategy != best.strategy) continue;
    grid.set("block_y=" + parameter_of(row, "block_y", ""),
             "block_x=" + parameter_of(row, "block_x", ""),
             milliseconds(row.ms) + (&row == &best ? " *" : ""));
  }
  return grid.text(title + ": launch shape of v1.3, ms a frame (* best; the paper's is 16 x 16)",
                   "");
}

void print(Session& session, const std::string& title, const MotionOptions& options,
           const Measured& measured) {
  std::vector<const Row*> rows;  // of each strategy the fastest, in the order of the tables
  for (const Row& row : measured.rows) {
    if (row.operation != "copy" && fastest(measured, row.strategy) == &row) rows.push_back(&row);
  }
  if (rows.empty()) return;
  session.print(rates_text(title, rows, session.gpu() != nullptr));
  const Row* before = nullptr;
  for (const Row* row : rows) {
    const bool version = row->space == "device";
    if (!row->stages.empty()) session.print(steps_text(title, *row, version ? before : nullptr));
    if (version) before = row;
  }
  session.print(memory_text(title, options, rows.front()->width, rows.front()->height));
  for (const Row* row : rows) {
    if (!row->kernels.empty()) session.print(kernels_text(title, *row));
  }
  if (const Row* best = fastest(measured, "v1.3"))
    session.print(search_text(title, measured, *best));
  std::string notes;
  for (const std::string& note : measured.notes) notes += "  " + note + "\n";
  session.print(notes);
}

void run(Session& session, int32_t width, int32_t height) {
  const auto video = moving_object_video(width, height, p4::frames);
  MotionOptions options;
  options.close = options.open = StructuringElement::ellipse(15, 15);
  Peer* const opencv = session.opencv();
  const bool opencv_equal = as_promised(session, options, video, opencv);

  Detectors detectors(options, video[0]);
  Work work;
  work.experiment = "motion-ladder";
  work.operation = "motion";
  work.parameters =
      fmt::format("rgb, first frame, gaussian 15, > {}, ellipse:15", options.threshold);
  // Not the first, which founds the background; every fourth of the others, since the reference may
  // take a second for each.
  for (size_t t = 1; t < video.size(); t += session.quick() ? 24 : 4)
    work.sources.push_back(video[t]);
  work.result = PixelType::none;
  work.bytes_per_pixel = 3;
  work.sweeps = {{"block_x", {"8", "16", "32", "64"}}, {"block_y", {"4", "8", "16", "32"}}};
  work.end_to_end = true;
  work.stages = true;
  work.call = [&](ConstAnyView frame, AnyView, const Exec& exec) { detectors.push(frame, exec); };
  work.answer = [&] { return detectors.text(); };
  std::vector<Rect> boxes;
  if (opencv_equal) {
    work.opencv = [&](Peer& peer, ConstAnyView frame, AnyView) {
      peer.motion(frame, options.threshold, 15, boxes, nullptr);
    };
  }
  const auto annotate = [&](Row& row) {
    if (const p4::Version* version = version_of(row))
      row.paper_figure = PaperFigure{version->fps, "frames/s", "frames a second"};
    if (row.strategy != "opencv") return;
    StageTimer timer(Space::host);
    for (const ConstAnyView& frame : work.sources) {
      timer.begin();
      opencv->motion(frame, options.threshold, 15, boxes, &timer);
      timer.end();
    }
    row.stages = timer.stages();
  };
  const Measured measured = session.measure(work, annotate);
  print(session,
        fmt::format("paper 004: {}x{} RGB, one object, {}", width, height, session.where()),
        options, measured);
}

}  // namespace

void bench_motion_ladder(Session& session) {
  const std::vector<int32_t> sides = session.sizes({});
  if (sides.empty()) return run(session, p4::width, p4::height);
  for (const int32_t side : sides) {
    if (side >= smallest_video)
      run(session, side, side);
    else
      session.print(fmt::format("\nmotion-ladder: {0}x{0} is less than {1}x{1}, left out\n", side,
                                smallest_video));
  }
}

}  // namespace cuesta::bench
