// Paper 001's future work on the GPU: a picture in each phase (upload, stages, download overlapped)
// and several GPUs. Pictures a second by the wall clock, from memory that is page-locked already,
// as a decoder would fill it, and from pageable memory, which the host copies there first. With one
// picture in flight nothing overlaps: that is the row the others are held against.
#include <fmt/format.h>

#include <algorithm>

#include "bench/engine/answers.hpp"
#include "bench/engine/timing.hpp"
#include "bench/papers/canny.hpp"
#include "bench/papers/experiments.hpp"
#include "bench/papers/paper_001.hpp"
#include "bench/works/edges.hpp"
#include "core/pipeline.hpp"
#include "cuesta/device.hpp"

namespace cuesta::bench {
namespace {

constexpr int different = 8;  // pictures, which go round

// A call of ours on the pictures in turn: the CPU times it as it stands, the pipeline's results are
// held against its answers.
Work work_of(const std::vector<Image<uint8_t>>& pictures) {
  Work work = canny_work("canny-pipeline", canny_options(), pictures[0]);
  work.parameters += fmt::format(", {} pictures in turn", different);
  work.sources.assign(pictures.begin(), pictures.end());
  work.rounds = true;
  work.device = false;
  return work;
}

struct Setting {
  std::vector<int> devices{};
  int in_flight = 1;
  bool pageable = false;
};

/// Pictures a second. First every pair of place and picture goes through once and is compared.
Timing rate_of(Session& session, const Work& work, const Answers& answers, const Setting& setting,
               const std::string& label) {
  bool comparing = true, all_equal = true;
  const auto done = [&](int64_t number, ConstAnyView result) {
    if (comparing) all_equal &= answers.compare(size_t(number) % different, result, false).empty();
  };
  const PictureShape shape{PixelType::u8, work.sources[0].size()};
  Pipeline pipeline(shape, shape, work.call, done,
                    {.devices = setting.devices, .in_flight = setting.in_flight});
  const size_t round = different * setting.devices.size() * size_t(setting.in_flight);
  int64_t number = 0;
  const auto run = [&](size_t count, bool fill) {
    for (size_t i = 0; i < count; ++i, ++number) {
      const AnyView place = pipeline.source();
      if (fill) copy_rows(work.sources[size_t(number) % different], place, 1);
      pipeline.submit();
    }
    pipeline.finish();
  };
  run(round, true);
  session.expect(all_equal, label + ": pictures that went through together are not those of one");
  comparing = false;
  // Page-locked: what is in a place stays there and goes through again.
  const size_t count = std::max<size_t>(round, session.quick() ? 200 : 1000);
  std::vector<double> rates;
  for (int batch = 0; batch < (session.quick() ? 5 : 11); ++batch)
    rates.push_back(1000.0 * double(count) / time_once([&] { run(count, setting.pageable); }));
  return summary_of(std::move(rates));
}

// The paper's bound: a pipeline is as fast as its longest phase, here one of upload, stages and
// download by itself, of page-locked memory on one GPU.
void add_longest_phase(Session& session, Work work) {
  work.parameters += ", a phase at a time";
  work.host = false;
  work.device = true;
  work.automatic = true;
  work.picture_costs = true;
  work.opencv = {};
  work.npp = {};
  const Measured measured = session.measure(work);
  for (const Row& row : measured.rows) {
    if (row.operation != work.operation || !row.pinned_costs) continue;
    const double longest = std::max({row.ms, row.pinned_costs->upload, row.pinned_costs->download});
    const char* const phase = longest == row.ms                     ? "the stages"
                              : longest == row.pinned_costs->upload ? "the upload"
                                                                    : "the download";
    session.add_figure({.experiment = work.experiment,
                        .width = row.width,
                        .height = row.height,
                        .source = "model",
                        .subject = "page-locked",
                        .detail = fmt::format("bound of the longest phase, {}, 1 GPU", phase),
                        .what = "rate",
                        .unit = "frames/s",
                        .value = 1000 / longest});
  }
}

}  // namespace

void bench_canny_pipeline(Session& session) {
  std::vector<int> all;
  if (session.gpu()) {
    all = {current_device()};
    for (const DeviceInfo& gpu : list_devices())
      if (gpu.index != all[0]) all.push_back(gpu.index);
    if (all.size() == 1)
      session.note("canny-pipeline: one GPU here; rows of several need a machine that has them");
  }

  for (const int32_t side :
       session.sizes({std::begin(paper_001::sides), std::end(paper_001::sides)})) {
    std::vector<Image<uint8_t>> pictures;
    for (uint64_t seed = 1; seed <= different; ++seed)
      pictures.push_back(canny_picture(side, seed));
    const Work work = work_of(pictures);
    session.measure(work);
    if (all.empty()) continue;
    add_longest_phase(session, work);
    const Answers answers(work, session.exec("simd"));
    for (size_t gpus = 1; gpus <= all.size(); gpus *= 2) {
      for (const int in_flight : {1, 2, 3, 8}) {
        for (const bool pageable : {false, true}) {
          const Setting setting{{all.begin(), all.begin() + ptrdiff_t(gpus)}, in_flight, pageable};
          const std::string detail =
              fmt::format("{} in flight, {} GPU{}", in_flight, gpus, gpus > 1 ? "s" : "");
          const std::string subject = pageable ? "pageable" : "page-locked";
          const Timing rate =
              rate_of(session, work, answers, setting,
                      fmt::format("canny-pipeline {0}x{0} {1}, {2}", side, subject, detail));
          session.add_figure({.experiment = "canny-pipeline",
                              .width = side,
                              .height = side,
                              .source = "found",
                              .subject = subject,
                              .detail = detail,
                              .what = "rate",
                              .unit = "frames/s",
                              .value = rate.ms});
          session.note(
              fmt::format("canny-pipeline {0}x{0}, {1}, {2}: {3:.0f} frames/s (spread {4:.0f})",
                          side, subject, detail, rate.ms, rate.spread));
        }
      }
    }
  }
}

}  // namespace cuesta::bench
