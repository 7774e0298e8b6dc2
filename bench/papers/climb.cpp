#include "bench/papers/climb.hpp"

#include "bench/papers/experiments.hpp"
#include "bench/works/edges.hpp"
#include "bench/works/filters.hpp"
#include "bench/works/motion.hpp"
#include "bench/works/objects.hpp"

namespace cuesta::bench {
namespace {

constexpr const char* experiment = "climb";

// Every step of the device, beside what the host selects.
bool is_step(const StrategyDescription& strategy) {
  return strategy.space == Space::device || strategy.tier == Tier::production;
}

}  // namespace

ClimbPictures::ClimbPictures(Session& session, int32_t side)
    : photograph(session.papers_picture(experiment, side)), mask(object_mask(side)) {}

std::vector<Work> climb_works(Session& session, const ClimbPictures& pictures) {
  const ConstAnyView photograph = pictures.photograph;
  std::vector<Work> works = {
      gaussian_work(experiment, 5, photograph), sobel_work(experiment, "magnitude L1", photograph),
      canny_work(experiment, with_chosen_thresholds(session, {}, photograph), photograph),
      label_work(experiment, "labels and components", pictures.mask)};
  works[0].parameters = "gaussian 5x5";
  works[0].window = {.width = 5, .height = 5, .separable = true, .frame = true};
  for (Work& work : works) work.takes = is_step;
  return works;
}

std::vector<Image<uint8_t>> climb_video(int32_t side) { return moving_object_video(side, side, 5); }

Work climb_detector_work(Session& session, const std::vector<Image<uint8_t>>& video) {
  Work work =
      motion_work(session, experiment, "rgb, gaussian 15, ellipse:15", motion_options(), video, 2);
  work.takes = is_step;
  work.reference = "simd";  // the serial one takes seconds a frame
  return work;
}

void bench_climb(Session& session) {
  for (const int32_t side : session.sizes({2048})) {
    const ClimbPictures pictures(session, side);
    for (const Work& work : climb_works(session, pictures)) session.measure(work);
    if (side < smallest_video) continue;
    const auto video = climb_video(side);
    session.measure(climb_detector_work(session, video));
  }
}

}  // namespace cuesta::bench
