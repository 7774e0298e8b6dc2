// Sequences of calls of cuesta.h, each drawn with its arguments: pictures, contexts and detectors
// are made, used, given away and used again. A call answers CUESTA_OK, or refuses with a message;
// it is never CUESTA_INTERNAL.
#include <cuesta.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>

#include "verify/draw.hpp"

namespace {

using cuesta::verify::Bytes;

int32_t drawn(Bytes& bytes) {
  static constexpr int32_t wild[] = {-1, -2147483647 - 1, 2147483647, 4096, 256, 255};
  return bytes.below(24) == 0 ? wild[bytes.below(int(std::size(wild)))] : bytes.below(10);
}
double drawn_number(Bytes& bytes) {
  static const double wild[] = {-1, NAN, INFINITY, 1e300, -1e300, 1e-300, 255};
  return bytes.below(16) == 0 ? wild[bytes.below(int(std::size(wild)))] : bytes.below(64) / 4.0;
}

// Sets some of these fields.
template <class... Fields>
void draw(Bytes& bytes, Fields&... fields) {
  const auto one = [&]<class T>(T& field) {
    if (bytes.below(3) != 0) return;
    if constexpr (std::is_same_v<T, double>)
      field = drawn_number(bytes);
    else
      field = T(drawn(bytes));
  };
  (one(fields), ...);
}

// Options as their _init function makes them, then changed; at times of another size, or none.
template <class Options>
struct Drawn {
  template <class... Fields>
  Drawn(Bytes& bytes, void (*init)(Options*, size_t), Fields Options::*... fields) {
    init(&options, sizeof options);
    draw(bytes, options.*fields...);
    const int how = bytes.below(24);
    if (how == 0) options.size = size_t(drawn(bytes)) * 8;
    is_null = how == 1;
  }
  operator const Options*() const { return is_null ? nullptr : &options; }
  Options options{};
  bool is_null = false;
  char behind[4096]{};  // what a struct of a newer cuesta.h would have
};

class Program {
 public:
  explicit Program(Bytes bytes) : bytes_(bytes) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    for (auto& view : views_) cuesta_view_free(&view);
    for (auto* context : contexts_) cuesta_context_free(context);
    cuesta_background_free(background_);
    cuesta_motion_detector_free(detector_);
    cuesta_lines_free(lines_);
  }

  void step() {
    switch (bytes_.below(8)) {
      case 0:
      case 1: return make_view();
      case 2: return change_context();
      case 3: return find_edges();
      case 4: return filter();
      case 5: return mask();
      case 6: return move();
      case 7: return trace();
    }
  }

 private:
  static void held(cuesta_status status) {
    if (status == CUESTA_OK) return;
    if (status < CUESTA_INVALID_ARGUMENT || status >= CUESTA_INTERNAL || !*cuesta_error_text()) {
      std::fprintf(stderr, "status %d: %s\n", status, cuesta_error_text());
      std::abort();
    }
  }

  cuesta_view& any() { return views_[bytes_.below(int(std::size(views_)))]; }
  // NULL at times.
  const cuesta_view* view() { return bytes_.below(32) == 0 ? nullptr : &any(); }
  cuesta_context* context() {
    return bytes_.below(4) == 0 ? nullptr : contexts_[bytes_.below(int(std::size(contexts_)))];
  }
  int32_t small(int n) { return bytes_.below(32) == 0 ? drawn(bytes_) : bytes_.below(n); }
  cuesta_border border() { return {small(6), drawn_number(bytes_)}; }

  void make_view() {
    cuesta_view& view = any();
    cuesta_view_free(&view);
    view = {};
    const bool is_usual = bytes_.below(3) != 0;
    view.width = is_usual ? 20 : small(40), view.height = is_usual ? 12 : small(30);
    view.channels = bytes_.below(2) ? 1 : small(5);
    view.type = bytes_.below(2) ? int32_t(CUESTA_U8) : small(8);
    if (int64_t(view.width) * view.height > (1 << 20)) view.height = 1;
    held(cuesta_view_allocate(&view));
    if (view.data == nullptr) return;
    const auto size = size_t(view.stride_bytes) * size_t(view.height);
    std::memset(view.data, 0, size);
    for (size_t i = 0; i < size; i += 1 + bytes_.next())
      static_cast<uint8_t*>(view.data)[i] = bytes_.next();
  }

  void change_context() {
    auto*& context = contexts_[bytes_.below(int(std::size(contexts_)))];
    switch (bytes_.below(6)) {
      case 0: cuesta_context_free(context), context = cuesta_context_new(); break;
      case 1:
        if (context) held(cuesta_context_set_threads(context, small(4)));
        break;
      case 2: {
        static constexpr const char* names[] = {"serial", "simd", "", "no such", "rows", nullptr};
        if (context) held(cuesta_context_set_strategy(context, names[bytes_.below(6)]));
        break;
      }
      case 3:
        if (context)
          held(cuesta_context_set_parameter(context, bytes_.below(2) ? "block" : "", "16"));
        break;
      case 4: (void)cuesta_context_bytes(context, small(2)); break;
      case 5: cuesta_context_release_memory(context); break;
    }
  }

  void find_edges() {
    switch (bytes_.below(5)) {
      case 0: {
        const Drawn<cuesta_sobel_options> options(bytes_, cuesta_sobel_options_init,
                                                  &cuesta_sobel_options::aperture,
                                                  &cuesta_sobel_options::norm);
        cuesta_sobel_outputs out{};
        for (cuesta_view* one : {&out.gx, &out.gy, &out.magnitude, &out.direction})
          if (bytes_.below(2)) *one = any();
        return held(cuesta_sobel(context(), view(), &out, options));
      }
      case 1: {
        Drawn<cuesta_canny_options> options = canny();
        if (bytes_.below(8) == 0) options.options.mask = any();
        cuesta_thresholds used{};
        if (bytes_.below(4) == 0)
          return held(cuesta_canny_of_gradients(context(), view(), view(), view(), options, &used));
        return held(cuesta_canny(context(), view(), view(), options, &used));
      }
      case 2: {
        Drawn<cuesta_log_options> options(
            bytes_, cuesta_log_options_init, &cuesta_log_options::mode, &cuesta_log_options::ksize,
            &cuesta_log_options::threshold, &cuesta_log_options::sigma);
        if (bytes_.below(4) == 0) options.options.border = border();
        return held(cuesta_log_edges(context(), view(), view(), options));
      }
      case 3: {
        const Drawn<cuesta_boundary_options> options(bytes_, cuesta_boundary_options_init,
                                                     &cuesta_boundary_options::threshold,
                                                     &cuesta_boundary_options::quality);
        if (bytes_.below(4) == 0) {
          const Drawn<cuesta_region_options> of_regions(bytes_, cuesta_region_options_init,
                                                        &cuesta_region_options::threshold);
          return held(cuesta_regions(context(), view(), view(), of_regions));
        }
        return held(cuesta_boundaries(context(), view(), view(), options));
      }
      default: {
        using O = cuesta_edges_options;
        const Drawn<O> options(bytes_, cuesta_edges_options_init, &O::method, &O::ksize, &O::sigma,
                               &O::threshold, &O::rule, &O::norm, &O::low, &O::high, &O::percent,
                               &O::aperture, &O::color, &O::mode, &O::quality);
        cuesta_edges_used used{};
        return held(cuesta_edges(context(), view(), view(), options, &used));
      }
    }
  }
  Drawn<cuesta_canny_options> canny() {
    using O = cuesta_canny_options;
    return {bytes_,    cuesta_canny_options_init,
            &O::sigma, &O::ksize,
            &O::rule,  &O::low,
            &O::high,  &O::percent,
            &O::norm,  &O::aperture,
            &O::color};
  }

  void filter() {
    Drawn<cuesta_filter_options> how(bytes_, cuesta_filter_options_init,
                                     &cuesta_filter_options::absolute,
                                     &cuesta_filter_options::offset);
    Drawn<cuesta_window_options> window(bytes_, cuesta_box_options_init, &cuesta_window_options::n);
    if (bytes_.below(4) == 0) how.options.border = window.options.border = border();
    static constexpr int32_t integers[25] = {1, 2, 1, 2, 4, 2, 1, 2, -1, 7};
    static constexpr float floats[25] = {0.5F, -1, 3, 0, 1e-30F};
    static constexpr const char* texts[] = {"1 2 1;2 4 2;1 2 1 / 16", "1;2", "", "gaussian:5",
                                            "1 / 0"};
    cuesta_stencil stencil{};
    switch (bytes_.below(3)) {
      case 0: stencil.text = texts[bytes_.below(int(std::size(texts)))]; break;
      case 1: stencil.integers = integers; break;
      case 2: stencil.floats = floats; break;
    }
    stencil.width = bytes_.below(6), stencil.height = bytes_.below(6), stencil.divisor = small(20);
    switch (bytes_.below(7)) {
      case 0: return held(cuesta_correlate(context(), view(), view(), &stencil, how));
      case 1: return held(cuesta_convolve(context(), view(), view(), &stencil, how));
      case 2: return held(cuesta_laplacian(context(), view(), view(), how));
      case 3: return held(cuesta_box(context(), view(), view(), window));
      case 4: return held(cuesta_sharpen(context(), view(), view(), window));
      case 5: return held(cuesta_median(context(), view(), view(), window));
      default: {
        const Drawn<cuesta_gaussian_options> options(bytes_, cuesta_gaussian_options_init,
                                                     &cuesta_gaussian_options::sigma,
                                                     &cuesta_gaussian_options::ksize);
        return held(cuesta_gaussian(context(), view(), view(), options));
      }
    }
  }

  void mask() {
    switch (bytes_.below(9)) {
      case 0: return held(cuesta_to_gray(context(), view(), view(), small(3)));
      case 1: return held(cuesta_absdiff(context(), view(), view(), view()));
      case 2: return held(cuesta_threshold(context(), view(), view(), drawn_number(bytes_)));
      case 3:
        return held(
            cuesta_absdiff_threshold(context(), view(), view(), view(), drawn_number(bytes_)));
      case 4: {
        const size_t count = bytes_.below(4) == 0 ? size_t(bytes_.next())
                             : bytes_.below(2)    ? 256
                                                  : 65536;
        const auto bins =
            std::make_unique<uint64_t[]>(count);  // exactly as many: what is past is seen
        held(cuesta_histogram(context(), view(), bins.get(), count));
        int32_t threshold = 0;
        return held(cuesta_otsu_threshold(bins.get(), count, &threshold));
      }
      case 5: return held(cuesta_unpack_mask(context(), view(), view()));
      case 6: return held(cuesta_pack_mask(context(), view(), view()));
      case 7: {
        static constexpr const char* texts[] = {"disk:5", "rect:5x3", "cross:3",
                                                "disk:", "ellipse:7"};
        static constexpr uint8_t cells[25] = {1, 0, 1, 1, 1, 0, 0, 9};
        cuesta_element element{};
        if (bytes_.below(2)) element.text = texts[bytes_.below(int(std::size(texts)))];
        if (bytes_.below(2)) element.cells = cells;
        element.width = bytes_.below(6), element.height = bytes_.below(6);
        Drawn<cuesta_morphology_options> options(bytes_, cuesta_morphology_options_init,
                                                 &cuesta_morphology_options::has_border);
        if (bytes_.below(4) == 0) options.options.border = border();
        return held(cuesta_morphology(context(), view(), view(), small(5), &element, options));
      }
      default: {
        const Drawn<cuesta_label_options> options(bytes_, cuesta_label_options_init,
                                                  &cuesta_label_options::connectivity);
        const size_t capacity = bytes_.below(20);
        const auto components = std::make_unique<cuesta_component[]>(capacity);
        size_t count = 0;
        return held(cuesta_label(context(), view(), bytes_.below(2) ? view() : nullptr,
                                 components.get(), capacity, &count, options));
      }
    }
  }

  void move() {
    switch (bytes_.below(8)) {
      case 0: {
        const Drawn<cuesta_background_options> options(bytes_, cuesta_background_options_init,
                                                       &cuesta_background_options::model,
                                                       &cuesta_background_options::rate_shift);
        cuesta_background_free(background_);
        background_ = nullptr;
        return held(cuesta_background_new(&background_, options));
      }
      case 1: return cuesta_background_reset(background_);
      case 2: {
        cuesta_background_outputs out{};
        for (cuesta_view* one : {&out.background, &out.difference, &out.mask})
          if (bytes_.below(2)) *one = any();
        return held(
            cuesta_background_push(background_, context(), view(), &out, drawn_number(bytes_)));
      }
      case 3: {
        using O = cuesta_motion_options;
        const Drawn<O> options(bytes_, cuesta_motion_options_init, &O::model, &O::rate_shift,
                               &O::blur, &O::otsu, &O::blur_sigma, &O::threshold, &O::min_area,
                               &O::connectivity, &O::warm_up, &O::relearn, &O::steady,
                               &O::downscale, &O::displacement);
        cuesta_motion_detector_free(detector_);
        detector_ = nullptr;
        return held(cuesta_motion_detector_new(&detector_, options));
      }
      case 4: return cuesta_motion_detector_reset(detector_);
      case 5: {
        cuesta_view seen{};
        cuesta_frame_state state{};
        held(cuesta_motion_detector_mask(detector_, &seen));
        held(cuesta_motion_detector_state(detector_, &state));
        return void(cuesta_motion_detector_threshold(detector_));
      }
      default: {
        const cuesta_detection* found = nullptr;
        size_t count = 0;
        const auto status =
            cuesta_motion_detector_push(detector_, context(), view(), &found, &count);
        held(status);
        for (size_t i = 0; status == CUESTA_OK && i < count; ++i)
          if (found[i].area < 1 || found[i].box.width < 1) std::abort();
      }
    }
  }

  void trace() {
    cuesta_lines_free(lines_);
    lines_ = nullptr;
    const Drawn<cuesta_trace_options> how(
        bytes_, cuesta_trace_options_init, &cuesta_trace_options::tolerance,
        &cuesta_trace_options::min_length, &cuesta_trace_options::refinement);
    switch (bytes_.below(3)) {
      case 0: held(cuesta_trace_canny(&lines_, context(), view(), canny(), how)); break;
      case 1: held(cuesta_trace_edges(&lines_, context(), view(), view(), canny(), how)); break;
      default: held(cuesta_trace_log(&lines_, context(), view(), nullptr, how));
    }
    size_t count = 0;
    const cuesta_line* lines = cuesta_lines_all(lines_, &count);
    for (size_t i = 0; lines_ != nullptr && i < count; ++i)
      if (!std::isfinite(lines[i].points[lines[i].count - 1].x)) std::abort();
  }

  Bytes bytes_;
  cuesta_view views_[5]{};
  cuesta_context* contexts_[2]{};
  cuesta_background* background_ = nullptr;
  cuesta_motion_detector* detector_ = nullptr;
  cuesta_lines* lines_ = nullptr;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Program program(Bytes({data, size}));
  for (size_t n = 0; n < size / 12 + 1 && n < 60; ++n) program.step();
  return 0;
}
