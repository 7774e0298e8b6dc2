// Session::measure: verify, then time, every strategy that answers one request.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "bench/engine/answers.hpp"
#include "bench/engine/candidates.hpp"
#include "bench/engine/device_timing.hpp"
#include "bench/engine/measurement.hpp"
#include "bench/engine/picture_costs.hpp"
#include "bench/engine/predictor.hpp"
#include "bench/engine/rotation.hpp"
#include "bench/engine/session.hpp"
#include "bench/engine/stages.hpp"
#include "bench/engine/timing.hpp"
#include "core/pinned_picture.hpp"
#include "cuesta/error.hpp"

namespace cuesta::bench {
namespace {

// What takes longer is not repeated more than three times, or, longer still, not at all; the
// reference's time is then that of its answers.
constexpr double slow_ms = 100, very_slow_ms = 10'000;

double bits_of(PixelType type) { return type == PixelType::bit ? 1 : 8.0 * bytes_per_sample(type); }

// Whether no variant of the same strategy is faster; times[0] is the copy's.
bool is_fastest(const std::vector<Candidate>& timed, const std::vector<Timing>& times, size_t i) {
  for (size_t j = 0; j < timed.size(); ++j) {
    if (timed[j].strategy.name == timed[i].strategy.name && times[j + 1].ms < times[i + 1].ms)
      return false;
  }
  return true;
}

}  // namespace

Measured Measurement::run(const std::function<void(Row&)>& annotate) {
  if (work_.host) time_host();
  if (session_.gpu() && work_.device) time_device();
  note_best();
  for (Row& row : measured_.rows) {
    if (row.operation != "copy") row.serial_ms = serial_ms_;
    if (session_.predictor_ && row.space == name_of(Space::device))
      session_.predictor_->predict(work_, row);
    if (annotate) annotate(row);
    session_.result_.rows.push_back(row);
  }
  if (session_.predictor_ && !session_.gpu() && work_.device) predict_device(annotate);
  for (const std::string& note : measured_.notes) {
    session_.result_.notes.push_back(fmt::format("{}: {} {}, {}x{} {}: {}", work_.experiment,
                                                 work_.operation, work_.parameters, src_.width,
                                                 src_.height, name_of(src_.type), note));
  }
  session_.measured_(measured_);
  return std::move(measured_);
}

// `src` and `dst` are views that the strategies will get.
std::vector<Candidate> Measurement::candidates(Space space, ConstAnyView src, AnyView dst) {
  std::vector<Sweep> sweeps = work_.sweeps;
  const auto& users = session_.settings_.sweeps;
  sweeps.insert(sweeps.end(), users.begin(), users.end());
  auto all = candidates_of(work_, space, sweeps, session_.exec());
  if (work_.automatic) {
    const auto choices =
        which_all([&](const Exec& exec) { work_.call(src, dst, exec); }, session_.exec());
    std::erase_if(all, [&](const Candidate& candidate) {
      return std::none_of(choices.begin(), choices.end(), [&](const Choice& choice) {
        return choice.operation == work_.operation && choice.strategy == candidate.strategy.name;
      });
    });
  }
  if (space == Space::device) {
    for (Candidate& candidate : all) {
      candidate.exec.workspace = &session_.device_workspace_;
      candidate.exec.stream = session_.stream_->get();
    }
  } else if (one_thread_too()) {
    const size_t threaded = all.size();
    for (size_t i = 0; i < threaded; ++i) {
      if (all[i].strategy.tier != Tier::production) continue;
      all.push_back(all[i]);
      all.back().exec.threads = 1;
    }
  }
  return all;
}

void Measurement::differs(const Candidate& candidate, const std::string& why) {
  session_.expect(
      false, fmt::format("{} {} {}{}{}, {}, {}x{} {}: {}", name_of(candidate.strategy.space),
                         candidate.strategy.operation, candidate.strategy.name,
                         candidate.variant.empty() ? "" : " ", candidate.variant, work_.parameters,
                         src_.width, src_.height, name_of(src_.type), why));
}

bool Measurement::verified(const Candidate& candidate, const MakeAnswer& make_answer) {
  AnyImage got(work_.result, src_.width, src_.height, work_.result_channels);
  const bool bounded = candidate.strategy.exactness != "equal bytes";
  try {
    for (size_t i = 0; i < work_.sources.size(); ++i) {
      make_answer(i, got.plane());
      std::string why = answers_.compare(i, got.plane(), bounded);
      if (why.empty()) why = answers_.compare_answer(i);
      if (!why.empty()) return differs(candidate, why), false;
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    std::string note = fmt::format("not timed: {}", error.what());
    auto& notes = measured_.notes;  // on one thread it is the same
    if (std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(std::move(note));
    return false;
  }
  return true;
}

bool Measurement::verified_on_host(const Candidate& candidate) {
  return verified(
      candidate, [&](size_t i, AnyView got) { work_.call(work_.sources[i], got, candidate.exec); });
}

bool Measurement::verified_on_device(const Candidate& candidate, Rotation& rotation) {
  void* const stream = candidate.exec.stream;
  return verified(candidate, [&](size_t i, AnyView got) {
    rotation.poison(i);
    work_.call(rotation.source(i), rotation.result(i), candidate.exec);
    wait(stream);
    if (got) download(rotation.result(i), got, stream);
  });
}

// Whether OpenCV is timed: its module is there, and its answers are equal where they have to be.
bool Measurement::opencv_takes(AnyView into) {
  if (!work_.opencv || !session_.opencv()) return false;
  for (size_t i = 0; i < work_.sources.size(); ++i) {
    work_.opencv(*session_.opencv(), work_.sources[i], into);
    std::string why = work_.opencv_equal ? answers_.compare(i, into, false) : "";
    if (why.empty() && work_.opencv_equal) why = answers_.compare_answer(i);
    if (!why.empty())
      return session_.expect(false, fmt::format("opencv {}, {}, {}x{}: {}", work_.operation,
                                                work_.parameters, src_.width, src_.height, why));
  }
  return true;
}

// Whether NPP is timed, and how its answer stands to the reference's.
bool Measurement::npp_takes(Rotation& rotation, std::string& how) {
  if (!work_.npp || !session_.npp()) return false;
  void* const stream = session_.stream_->get();
  AnyImage got(work_.result, src_.width, src_.height, work_.result_channels);
  try {
    rotation.poison(0);
    work_.npp(*session_.npp(), rotation.source(0), rotation.result(0), stream);
    wait(stream);
  } catch (const std::runtime_error& error) {
    if (dynamic_cast<const Error*>(&error)) throw;  // a fault of the GPU
    measured_.notes.push_back(fmt::format("not timed: npp: {}", error.what()));
    return false;
  }
  how = work_.npp_note;
  if (!how.empty()) measured_.notes.push_back("npp: " + how);
  if (!got.plane() || !how.empty()) return true;
  download(rotation.result(0), got.plane(), stream);
  // NPP knows one border only, the replicated one.
  constexpr int32_t rim = 8;
  const std::string why = answers_.compare(0, got.plane(), true),
                    inside = answers_.compare(0, got.plane(), true, rim);
  how = why.empty()      ? "equal"
        : inside.empty() ? "equal but for its border"
                         : fmt::format("not equal: {}", inside);
  measured_.notes.push_back("npp: " + how);
  return true;
}

Row Measurement::blank(Space space) const {
  Row row;
  row.experiment = work_.experiment;
  row.operation = work_.operation;
  row.space = name_of(space);
  row.parameters = work_.parameters;
  row.type = name_of(src_.type);
  row.width = src_.width;
  row.height = src_.height;
  row.threads = space == Space::host ? session_.threads() : 0;
  row.bytes_per_pixel = work_.bytes_per_pixel;
  row.pictures = int(round_);
  return row;
}

Row Measurement::copy_row(Space space, std::string strategy, const Timing& timing) const {
  Row row = blank(space);
  row.operation = "copy";
  row.strategy = std::move(strategy);
  row.ms = row.copy_ms = timing.ms;
  row.ms_spread = timing.spread;
  const double bits =
      work_.copied == PixelType::none ? src_.channels * bits_of(src_.type) : bits_of(work_.copied);
  row.bytes_per_pixel = 2 * bits / 8;
  return row;
}

Row Measurement::row_of(const Candidate& candidate, const Timing& timing, double copy_ms) const {
  Row row = blank(candidate.strategy.space);
  row.strategy = candidate.strategy.name;
  row.variant = candidate.variant;
  row.paper = candidate.strategy.paper;
  const bool peer = candidate.strategy.operation.empty();
  if (!work_.border.empty()) row.border = peer ? "its own" : work_.border;
  row.ms = timing.ms;
  row.ms_spread = timing.spread;
  row.copy_ms = copy_ms;
  const double pixels = double(src_.width) * src_.height;
  if (row.ms > 0) row.gflops = work_.flops_per_pixel * pixels / (row.ms * 1e6);
  if (work_.bytes_per_pixel > 0) row.intensity = work_.flops_per_pixel / work_.bytes_per_pixel;
  if (candidate.strategy.space == Space::device && row.intensity > 0 && session_.gpu()) {
    const Ceilings& ceilings = session_.gpu()->ceilings;
    row.roofline_gflops = std::min(ceilings.fma_gflops, row.intensity * ceilings.copy_gbs);
  }
  return row;
}

Timing Measurement::per_call(const Timing& timing) const {
  return {timing.ms / double(round_), timing.spread / double(round_)};
}

// Once more, where it is not far too slow for that.
Timing Measurement::time_slow(const std::function<void()>& body, double ms) const {
  std::vector<double> times = {ms};
  for (int k = 0; k < 2 && !brief_ && ms < very_slow_ms; ++k) times.push_back(time_once(body));
  return summary_of(std::move(times));
}

void Measurement::time_host() {
  const bool apart = work_.copied != PixelType::none;
  AnyImage copied(work_.copied, src_.width, src_.height);
  AnyImage copy = apart ? AnyImage(work_.copied, src_.width, src_.height)
                        : AnyImage(src_.type, src_.width, src_.height, src_.channels);
  AnyImage into(work_.result, src_.width, src_.height, work_.result_channels);
  std::vector<Candidate> timed;
  for (Candidate& candidate : candidates(Space::host, src_, into.plane())) {
    if (gave_answers(candidate) || verified_on_host(candidate))
      timed.push_back(std::move(candidate));
  }
  size_t turn = 0;
  // A round of the sources, or the next of them.
  const auto body_of = [&](std::function<void(ConstAnyView)> call) -> std::function<void()> {
    return [&, call = std::move(call)] {
      for (size_t i = 0; i < round_; ++i) call(work_.sources[turn++ % work_.sources.size()]);
    };
  };
  const auto in_turns = [&](std::span<const std::function<void()>> bodies) {
    auto times = time_in_turns(bodies, brief_ ? 7 : 11, brief_ ? 2.0 : 20.0);
    for (Timing& timing : times) timing = per_call(timing);
    return times;
  };

  std::vector<std::function<void()>> fast = {body_of([&](ConstAnyView from) {
    copy_rows(apart ? copied.plane() : from, copy.plane(), session_.threads());
  })};
  std::vector<size_t> slots(timed.size(), 0);  // in `fast`; 0: too slow for turns
  std::vector<Timing> slow(timed.size());
  for (size_t i = 0; i < timed.size(); ++i) {
    const auto body =
        body_of([&, i](ConstAnyView from) { work_.call(from, into.plane(), timed[i].exec); });
    const double known = gave_answers(timed[i]) ? answers_.ms() * round_ : 0;
    const bool asked_already = known > (brief_ ? slow_ms : very_slow_ms);
    if (const double ms = asked_already ? known : time_once(body); ms < slow_ms) {
      slots[i] = fast.size();
      fast.push_back(body);
    } else {
      slow[i] = per_call(asked_already ? Timing{ms, 0} : time_slow(body, ms));
    }
  }
  const bool opencv = opencv_takes(into.plane());
  const auto of_opencv =
      body_of([&](ConstAnyView from) { work_.opencv(*session_.opencv(), from, into.plane()); });
  if (opencv) fast.push_back(of_opencv);
  const auto times = in_turns(fast);
  measured_.rows.push_back(copy_row(Space::host, "memcpy", times[0]));
  for (size_t i = 0; i < timed.size(); ++i) {
    Row row = row_of(timed[i], slots[i] ? times[slots[i]] : slow[i], times[0].ms);
    row.threads = timed[i].exec.threads;
    if (timed[i].strategy.tier == Tier::reference) {
      row.threads = 1;
      serial_ms_ = row.ms;
    }
    if (work_.stages) add_stages(row, timed[i], nullptr);
    measured_.rows.push_back(std::move(row));
  }
  if (!opencv) return;
  const Candidate peer = peer_of("opencv", Space::host);
  const auto add_peer = [&](const Timing& timing) -> Row& {
    return measured_.rows.emplace_back(row_of(peer, timing, times[0].ms));
  };
  add_peer(times.back());
  if (!one_thread_too()) return;
  session_.opencv()->set_threads(1);
  const Timing alone = in_turns(std::array{of_opencv})[0];
  session_.opencv()->set_threads(session_.threads());
  add_peer(alone).threads = 1;
}

void Measurement::time_device() {
  Rotation rotation(work_, size_t(session_.gpu()->l2_bytes), session_.stream_->get());
  std::vector<Candidate> timed;
  for (Candidate& candidate : candidates(Space::device, rotation.source(0), rotation.result(0))) {
    if (verified_on_device(candidate, rotation)) timed.push_back(std::move(candidate));
  }
  std::vector<DeviceBody> bodies = {{[&](size_t turn, void* stream) {
                                       copy_on_device(rotation.copied(turn), rotation.copy(turn),
                                                      stream);
                                     },
                                     false, rotation.slots(), round_}};
  for (const Candidate& candidate : timed) {
    bodies.push_back({[&](size_t turn, void*) {
                        work_.call(rotation.source(turn), rotation.result(turn), candidate.exec);
                      },
                      work_.waits || candidate.strategy.host_sync || candidate.strategy.allocates,
                      rotation.slots(), round_});
  }
  std::string npp_answer;
  const bool npp = npp_takes(rotation, npp_answer);
  if (npp) {
    bodies.push_back({[&](size_t turn, void* stream) {
                        work_.npp(*session_.npp(), rotation.source(turn), rotation.result(turn),
                                  stream);
                      },
                      false, rotation.slots(), round_});
  }
  const auto times =
      time_on_device(bodies, brief_ ? 7 : 15, brief_ ? 1.0 : 5.0, session_.stream_->get());
  std::optional<PictureCosts> pageable, pinned;
  if (work_.picture_costs) {
    const PictureShape source{src_.type, src_.size(), src_.channels};
    const PictureShape result{work_.result, src_.size()};
    const int often = brief_ ? 5 : 15;
    void* const stream = session_.stream_->get();
    pageable = time_pictures(source, result, HostMemory::pageable, often, stream);
    pinned = time_pictures(source, result, HostMemory::pinned, often, stream);
  }
  measured_.rows.push_back(copy_row(Space::device, "device copy", times[0]));
  for (size_t i = 0; i < timed.size(); ++i) {
    Row row = row_of(timed[i], times[i + 1], times[0].ms);
    row.kernels =
        kernels_of([&] { work_.call(rotation.source(0), rotation.result(0), timed[i].exec); });
    for (KernelUse& use : row.kernels) use.name = short_kernel_name(use.name);
    wait(session_.stream_->get());
    add_set_up(row, timed[i], rotation);
    row.pageable_costs = pageable, row.pinned_costs = pinned;
    if (work_.end_to_end == EndToEnd::all ||
        (work_.end_to_end == EndToEnd::fastest && is_fastest(timed, times, i)))
      add_end_to_end(row, timed[i], rotation);
    if (work_.stages) add_stages(row, timed[i], &rotation);
    measured_.rows.push_back(std::move(row));
  }
  if (npp) {
    const Candidate peer = peer_of("npp", Space::device);
    measured_.rows.push_back(row_of(peer, times.back(), times[0].ms));
    measured_.rows.back().answer = npp_answer;
  }
}

void Measurement::add_set_up(Row& row, const Candidate& candidate, Rotation& rotation) {
  Exec exec = candidate.exec;
  const auto once = [&] {
    return time_once([&] {
      work_.call(rotation.source(0), rotation.result(0), exec);
      wait(exec.stream);
    });
  };
  std::vector<double> times, warm;
  for (int i = 0; i < (brief_ ? 5 : 11); ++i) {
    Workspace fresh;
    exec.workspace = &fresh;
    const double first = once(), next = once();
    times.push_back(first - next);
    warm.push_back(next);
  }
  row.set_up_ms = std::max(0.0, summary_of(std::move(times)).ms);
  row.run_ms = summary_of(std::move(warm)).ms;
}

void Measurement::add_end_to_end(Row& row, const Candidate& candidate, Rotation& rotation) {
  void* const stream = candidate.exec.stream;
  const PinnedPicture pinned_src({src_.type, src_.size(), src_.channels});
  const PinnedPicture pinned_dst({work_.result, src_.size()});
  AnyImage into(work_.result, src_.width, src_.height, work_.result_channels);
  const auto once = [&](size_t i, ConstAnyView from, AnyView to) {
    return time_once([&] {
      upload(from, rotation.writable_source(i), stream);
      work_.call(rotation.source(i), rotation.result(i), candidate.exec);
      if (to)
        download(rotation.result(i), to, stream);
      else
        wait(stream);
    });
  };
  // Slow transfers of one picture are timed three times, several pictures once round.
  const double enough_ms = brief_ ? 50 : 250;
  const size_t most = round_ > 1 ? round_ : brief_ ? 7 : 15, least = round_ > 1 ? round_ : 3;
  for (const bool pinned : {false, true}) {
    std::vector<double> times;
    double spent = 0;
    for (size_t i = 0; i < most && (i < least || spent < enough_ms); ++i) {
      const size_t at = round_ > 1 ? i : 0;
      const ConstAnyView from = work_.sources[at];
      if (pinned) copy_rows(from, pinned_src.view(), 1);
      times.push_back(pinned ? once(at, pinned_src.view(), pinned_dst.view())
                             : once(at, from, into.plane()));
      spent += times.back();
    }
    (pinned ? row.pinned_ms : row.pageable_ms) =
        round_ > 1 ? mean_of(times) : summary_of(std::move(times)).ms;
  }
}

void Measurement::add_stages(Row& row, const Candidate& candidate, Rotation* rotation) {
  const Space space = rotation ? Space::device : Space::host;
  StageTimer timer(space);
  Exec exec = candidate.exec;
  exec.observer = &timer;
  AnyImage into(rotation ? PixelType::none : work_.result, src_.width, src_.height);
  // A reference that takes seconds is not asked eleven times.
  const size_t calls = round_ > 1 ? round_ : row.ms > slow_ms ? 1 : brief_ ? 7 : 11;
  for (size_t at = 0; at < calls; ++at) {
    timer.begin(exec.stream);
    if (rotation)
      work_.call(rotation->source(at), rotation->result(at), exec);
    else
      work_.call(work_.sources[at % work_.sources.size()], into.plane(), exec);
    timer.end(exec.stream);
  }
  const auto middle = round_ > 1 ? StageTimer::Middle::mean : StageTimer::Middle::median;
  row.stages = timer.stages(middle);
  row.statistics = timer.statistics(middle);
}

// Rows as time_device() would make, of nothing but predictions.
void Measurement::predict_device(const std::function<void(Row&)>& annotate) {
  std::vector<Sweep> sweeps = work_.sweeps;
  sweeps.insert(sweeps.end(), session_.settings_.sweeps.begin(), session_.settings_.sweeps.end());
  const Predictor& model = *session_.predictor_;
  measured_.predicted_for = model.gpu();
  for (const Candidate& candidate :
       candidates_of(work_, Space::device, sweeps, session_.exec(), false)) {
    Row row = row_of(candidate, {}, 0);
    model.predict(work_, row);
    const auto add = [&](const std::string& what, double ms, const std::string& words) {
      session_.add_figure({.experiment = row.experiment,
                           .parameters = row.parameters,
                           .width = row.width,
                           .height = row.height,
                           .source = "predicted",
                           .subject = row.strategy,
                           .detail = row.variant,
                           .what = what + " on " + model.gpu(),
                           .unit = "ms",
                           .value = ms,
                           .words = words});
    };
    for (const auto& [stage, ms] : row.predicted_stages) add(stage, ms, "");
    if (row.predicted_ms <= 0) continue;
    if (annotate) annotate(row);
    add("time", row.predicted_ms, row.bound_by);
    measured_.predicted.push_back(std::move(row));
  }
}

// Of each strategy that was timed in several variants.
void Measurement::note_best() {
  const auto& rows = measured_.rows;
  for (size_t i = 0; i < rows.size();) {
    size_t end = i + 1;
    while (end < rows.size() && rows[end].strategy == rows[i].strategy &&
           rows[end].space == rows[i].space && rows[end].threads == rows[i].threads)
      ++end;
    if (end - i > 1) {
      const auto best = std::min_element(rows.begin() + ptrdiff_t(i), rows.begin() + ptrdiff_t(end),
                                         [](const Row& a, const Row& b) { return a.ms < b.ms; });
      measured_.notes.push_back(fmt::format("best of {} {}: {}, {:.4g} ms", end - i, best->strategy,
                                            best->variant, best->ms));
    }
    i = end;
  }
}

Measured Session::measure(const Work& work, const std::function<void(Row&)>& annotate) {
  if (!verified(work.operation)) return {};
  return Measurement(*this, work).run(annotate);
}

}  // namespace cuesta::bench
