// Paper 001: Canny from picture to edges, frames a second at 64 x 64 to 1024 x 1024. Theirs times
// the GPU with what it copies between its stages; ours is given with the pictures on the GPU
// already, and with upload and download from pageable and from pinned memory.
#include "bench/papers/canny.hpp"
#include "bench/papers/experiments.hpp"
#include "bench/papers/paper_001.hpp"

namespace cuesta::bench {

void bench_canny_fps(Session& session) {
  namespace p1 = paper_001;
  for (const int32_t side : session.sizes({std::begin(p1::sides), std::end(p1::sides)})) {
    const CannyPictures pictures = canny_pictures(session, side);
    Work work = paper_canny_work("canny-fps", pictures);
    work.end_to_end = EndToEnd::all;
    session.measure(work, set_paper_001_figure);
    const auto add = [&](const char* subject, const char* what, const char* unit, double value) {
      if (value == 0) return;
      session.add_figure({.experiment = work.experiment,
                          .parameters = work.parameters,
                          .width = side,
                          .height = side,
                          .source = "paper",
                          .subject = subject,
                          .what = what,
                          .unit = unit,
                          .value = value});
    };
    add("paper, Quadro P5000", "time", "ms", p1::at(p1::gpu_ms, side));
    add("paper, Quadro P5000", "rate", "frames/s", p1::at(p1::gpu_fps, side));
    add("paper, 16 cores", "rate", "frames/s", p1::at(p1::cpu_fps, side));
    if (side == 1024) add("the paper's goal", "rate", "frames/s", p1::goal_fps);
  }
}

}  // namespace cuesta::bench
