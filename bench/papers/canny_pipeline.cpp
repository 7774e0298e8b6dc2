// Paper 001's future work on the GPU: a picture in each phase (upload, stages, download overlapped)
// and several GPUs. Pictures a second by the wall clock, from memory that is page-locked already,
// as a decoder would fill it, and from pageable memory, which the host copies there first. With one
// picture in flight nothing overlaps: that is the row the others are held against.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

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

struct Pictures {
  explicit Pictures(Session& session, int32_t side) {
    Exec exec = session.exec("simd");
    for (int i = 0; i < different; ++i) {
      sources.push_back(canny_picture(side, uint64_t(i + 1)));
      canny(sources.back(), results.emplace_back(side, side), canny_options(), exec);
    }
  }
  std::vector<Image<uint8_t>> sources, results;
};

bool equal(ConstAnyView a, ConstAnyView b) {
  for (int32_t y = 0; y < a.height; ++y) {
    const uint8_t* row = a.as<uint8_t>().row(y);
    if (!std::equal(row, row + a.width, b.as<uint8_t>().row(y))) return false;
  }
  return true;
}

struct Setting {
  std::vector<int> devices{};
  int in_flight = 1;
  bool pageable = false;
};

/// Pictures a second. First every pair of place and picture goes through once and is compared.
Timing rate_of(Session& session, const Pictures& pictures, const Setting& setting,
               const std::string& label) {
  const int32_t side = pictures.sources[0].width();
  bool comparing = true, all_equal = true;
  const auto work = [](ConstAnyView source, AnyView result, const Exec& exec) {
    canny(source, result, canny_options(), exec);
  };
  const auto done = [&](int64_t number, ConstAnyView result) {
    if (comparing) all_equal &= equal(result, pictures.results[size_t(number) % different]);
  };
  const PictureShape shape{PixelType::u8, {side, side}};
  Pipeline pipeline(shape, shape, work, done,
                    {.devices = setting.devices, .in_flight = setting.in_flight});
  const size_t round = different * setting.devices.size() * size_t(setting.in_flight);
  int64_t number = 0;
  const auto run = [&](size_t count, bool fill) {
    for (size_t i = 0; i < count; ++i, ++number) {
      const AnyView place = pipeline.source();
      if (fill) copy_rows(pictures.sources[size_t(number) % different], place, 1);
      pipeline.submit();
    }
    pipeline.finish();
  };
  run(round, true);
  session.expect(all_equal, label + ": pictures that went through together are not those of one");
  comparing = false;
  // Page-locked: what lies in a place stays there and goes through again.
  const size_t count = std::max<size_t>(round, session.quick() ? 200 : 1000);
  std::vector<double> rates;
  for (int batch = 0; batch < (session.quick() ? 5 : 11); ++batch)
    rates.push_back(1000.0 * double(count) / time_once([&] { run(count, setting.pageable); }));
  return summary_of(std::move(rates));
}

// The CPU's way with the same pictures, which is what the GPU's is held against.
void measure_host(Session& session, const Pictures& pictures) {
  Work work = canny_work("canny-pipeline", canny_options(), pictures.sources[0]);
  work.parameters += fmt::format(", {} pictures in turn", different);
  work.sources.assign(pictures.sources.begin(), pictures.sources.end());
  work.rounds = true;
  work.device = false;
  session.measure(work);
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
    const Pictures pictures(session, side);
    measure_host(session, pictures);
    for (size_t gpus = 1; gpus <= all.size(); gpus *= 2) {
      for (const int in_flight : {1, 2, 3, 8}) {
        for (const bool pageable : {false, true}) {
          const Setting setting{{all.begin(), all.begin() + ptrdiff_t(gpus)}, in_flight, pageable};
          const std::string detail =
              fmt::format("{} in flight, {} GPU{}", in_flight, gpus, gpus > 1 ? "s" : "");
          const std::string subject = pageable ? "pageable" : "page-locked";
          const Timing rate =
              rate_of(session, pictures, setting,
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
