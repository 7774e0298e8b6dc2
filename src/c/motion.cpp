// Backgrounds and moving objects.
#include "cuesta/motion.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "c/boundary.hpp"
#include "cuesta/downscale.hpp"

struct cuesta_background {
  cuesta::BackgroundSubtractor subtractor;
};

struct cuesta_motion_detector {
  mutable cuesta::Downscale small;  // makes the mask of the frame when it is requested
  cuesta::MotionDetector detector;
  std::vector<cuesta_detection> detections{};
};

namespace {

using namespace cuesta::c;
using cuesta::BackgroundModel;
using cuesta::Sensitivity;

BackgroundModel model_of(int32_t model, std::string_view what) {
  return enumerator<BackgroundModel>(model, what);
}

cuesta_background_options background_defaults() {
  const cuesta::BackgroundOptions by{};
  return {sizeof(cuesta_background_options), number_of(by.model), by.rate_shift, by.absorb};
}

// The elements stay empty, which takes the model's own, but for one that opens.
cuesta_motion_options motion_defaults(const cuesta::MotionOptions& by = {},
                                      const cuesta_element& open = {}) {
  return {sizeof(cuesta_motion_options),
          number_of(by.background.model),
          by.background.rate_shift,
          by.blur,
          by.threshold.otsu,
          by.blur_sigma,
          by.threshold.level,
          {},
          open,
          by.min_area,
          by.connectivity,
          by.warm_up,
          by.relearn,
          by.steady,
          cuesta::DownscaleOptions{}.downscale,
          by.displacement,
          by.background.absorb};
}

// The element of a sensitivity that is not the model's own; it lasts.
cuesta_element opening_of(BackgroundModel model, Sensitivity sensitivity) {
  if (sensitivity != Sensitivity::low) return {};
  const auto lasting = [](BackgroundModel of) {
    return cuesta::MotionOptions::of(of, Sensitivity::low).open;
  };
  static const auto of_first = lasting(BackgroundModel::first);
  static const auto of_others = lasting(BackgroundModel::samples);
  const auto& element = model == BackgroundModel::first ? of_first : of_others;
  return {nullptr, element.cells().data(), element.width(), element.height()};
}

cuesta::MotionOptions motion_options(const cuesta_motion_options& of) {
  auto to = cuesta::MotionOptions::of(model_of(of.model, "motion: model"));
  to.background.rate_shift = of.rate_shift;
  to.background.absorb = of.absorb;
  to.blur = of.blur;
  to.blur_sigma = of.blur_sigma;
  to.threshold = of.threshold;
  to.threshold.otsu = flag(of.otsu, "motion: otsu");
  const auto take = [](const cuesta_element& element, std::string_view what,
                       cuesta::StructuringElement& own) {
    if (element.text != nullptr || element.cells != nullptr) own = element_of(element, what);
  };
  take(of.close, "motion: close", to.close);
  take(of.open, "motion: open", to.open);
  to.min_area = of.min_area;
  to.connectivity = of.connectivity;
  to.warm_up = of.warm_up;
  to.relearn = of.relearn;
  to.steady = of.steady;
  to.displacement = of.displacement;
  return to;
}

}  // namespace

void cuesta_background_options_init(cuesta_background_options* options, size_t size) {
  put_options(options, size, background_defaults());
}
void cuesta_motion_options_init(cuesta_motion_options* options, size_t size) {
  put_options(options, size, motion_defaults());
}

cuesta_status cuesta_motion_options_of(cuesta_motion_options* options, size_t size, int32_t model) {
  return cuesta_motion_options_for(options, size, model, CUESTA_SENSITIVITY_NORMAL);
}

cuesta_status cuesta_motion_options_for(cuesta_motion_options* options, size_t size, int32_t model,
                                        int32_t sensitivity) {
  return guarded([&] {
    const auto of = model_of(model, "motion: model");
    const auto by = enumerator<Sensitivity>(sensitivity, "motion: sensitivity");
    put_options(options, size,
                motion_defaults(cuesta::MotionOptions::of(of, by), opening_of(of, by)));
  });
}

cuesta_status cuesta_background_new(cuesta_background** made,
                                    const cuesta_background_options* options) {
  return guarded([&] {
    auto& to = given(made, "background: made");
    const auto of = take_options(options, background_defaults(), "background");
    to = new cuesta_background{
        cuesta::BackgroundSubtractor({.model = model_of(of.model, "background: model"),
                                      .rate_shift = of.rate_shift,
                                      .absorb = of.absorb})};
  });
}

void cuesta_background_free(cuesta_background* model) { delete model; }

cuesta_status cuesta_background_push(cuesta_background* model, cuesta_context* context,
                                     const cuesta_view* frame, const cuesta_background_outputs* out,
                                     double limit) {
  return guarded([&] {
    const auto to = out == nullptr ? cuesta_background_outputs{} : *out;
    given(model, "background: model")
        .subtractor.push(picture(frame, "background: frame"),
                         {.background = picture(to.background, "background: background"),
                          .difference = picture(to.difference, "background: difference"),
                          .mask = picture(to.mask, "background: mask")},
                         limit, exec_of(context));
  });
}

void cuesta_background_reset(cuesta_background* model) {
  if (model != nullptr) model->subtractor.reset();
}

cuesta_status cuesta_motion_detector_new(cuesta_motion_detector** made,
                                         const cuesta_motion_options* options) {
  return guarded([&] {
    auto& to = given(made, "motion: made");
    const auto of = take_options(options, motion_defaults(), "motion");
    cuesta::Downscale small(of.downscale);
    cuesta::MotionDetector detector(small.options_for(motion_options(of)));
    to = new cuesta_motion_detector{std::move(small), std::move(detector)};
  });
}

void cuesta_motion_detector_free(cuesta_motion_detector* detector) { delete detector; }

cuesta_status cuesta_motion_detector_push(cuesta_motion_detector* detector, cuesta_context* context,
                                          const cuesta_view* frame,
                                          const cuesta_detection** detections, size_t* count) {
  return guarded([&] {
    auto& of = given(detector, "motion: detector");
    of.detections.clear();
    const auto exec = exec_of(context);
    const auto seen = of.small.look(picture(frame, "motion: frame"), exec);
    for (const auto& one : of.small.detections(of.detector.push(seen, exec))) {
      of.detections.push_back({{one.box.x, one.box.y, one.box.width, one.box.height},
                               one.area,
                               one.centroid_x,
                               one.centroid_y});
    }
    if (detections != nullptr) *detections = of.detections.data();
    if (count != nullptr) *count = of.detections.size();
  });
}

cuesta_status cuesta_motion_detector_set_thresholds(cuesta_motion_detector* detector,
                                                    const cuesta_view* levels) {
  return guarded([&] {
    auto& of = given(detector, "motion: detector");
    if (levels == nullptr) return of.detector.set_thresholds({});
    of.detector.set_thresholds(of.small.thresholds(picture(levels, "motion: levels")));
  });
}

cuesta_status cuesta_motion_detector_mask(const cuesta_motion_detector* detector,
                                          cuesta_view* mask) {
  return guarded([&] {
    const auto& of = given(detector, "motion: detector");
    given(mask, "motion: mask") = plain(of.small.mask(of.detector.mask()));
  });
}

double cuesta_motion_detector_threshold(const cuesta_motion_detector* detector) {
  return detector == nullptr ? 0 : detector->detector.threshold();
}

cuesta_status cuesta_motion_detector_state(const cuesta_motion_detector* detector,
                                           cuesta_frame_state* state) {
  return guarded([&] {
    auto& to = given(state, "motion: state");
    const auto& from = given(detector, "motion: detector");
    const auto states = from.detector.states();
    to = {};
    if (states.empty()) return;
    const auto of = from.small.state(states.back());
    to = {of.warming_up, of.changed, of.shift_x, of.shift_y};
  });
}

void cuesta_motion_detector_reset(cuesta_motion_detector* detector) {
  if (detector == nullptr) return;
  detector->small.reset();
  detector->detector.reset();
}
