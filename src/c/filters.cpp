// Linear filters and the median.
#include "cuesta/filter.hpp"

#include "c/boundary.hpp"

namespace {

using namespace cuesta::c;

cuesta_filter_options filter_defaults() {
  const cuesta::FilterOptions by{};
  return {sizeof(cuesta_filter_options), plain(by.border), by.absolute, by.offset};
}

cuesta_gaussian_options gaussian_defaults() {
  const cuesta::GaussianOptions by{};
  return {sizeof(cuesta_gaussian_options), by.sigma, by.ksize, plain(by.border)};
}

cuesta_window_options window_defaults(int n, const cuesta::Border& border) {
  return {sizeof(cuesta_window_options), n, plain(border)};
}
cuesta_window_options box_defaults() {
  const cuesta::BoxOptions by{};
  return window_defaults(by.n, by.border);
}
cuesta_window_options sharpen_defaults() {
  const cuesta::SharpenOptions by{};
  return window_defaults(by.n, by.border);
}
cuesta_window_options median_defaults() {
  const cuesta::MedianOptions by{};
  return window_defaults(by.ksize, by.border);
}

cuesta::FilterOptions filter_options(const cuesta_filter_options* options, std::string_view what) {
  const auto of = take_options(options, filter_defaults(), what);
  return {.border = border_of(of.border, what),
          .absolute = flag(of.absolute, fmt::format("{}: absolute", what)),
          .offset = of.offset};
}

}  // namespace

void cuesta_filter_options_init(cuesta_filter_options* options, size_t size) {
  put_options(options, size, filter_defaults());
}
void cuesta_gaussian_options_init(cuesta_gaussian_options* options, size_t size) {
  put_options(options, size, gaussian_defaults());
}
void cuesta_box_options_init(cuesta_window_options* options, size_t size) {
  put_options(options, size, box_defaults());
}
void cuesta_sharpen_options_init(cuesta_window_options* options, size_t size) {
  put_options(options, size, sharpen_defaults());
}
void cuesta_median_options_init(cuesta_window_options* options, size_t size) {
  put_options(options, size, median_defaults());
}

cuesta_status cuesta_correlate(cuesta_context* context, const cuesta_view* src,
                               const cuesta_view* dst, const cuesta_stencil* stencil,
                               const cuesta_filter_options* options) {
  return guarded([&] {
    cuesta::correlate(picture(src, "correlate: src"), picture(dst, "correlate: dst"),
                      stencil_of(stencil, "correlate: stencil"),
                      filter_options(options, "correlate"), exec_of(context));
  });
}

cuesta_status cuesta_convolve(cuesta_context* context, const cuesta_view* src,
                              const cuesta_view* dst, const cuesta_stencil* stencil,
                              const cuesta_filter_options* options) {
  return guarded([&] {
    cuesta::convolve(picture(src, "convolve: src"), picture(dst, "convolve: dst"),
                     stencil_of(stencil, "convolve: stencil"), filter_options(options, "convolve"),
                     exec_of(context));
  });
}

cuesta_status cuesta_laplacian(cuesta_context* context, const cuesta_view* src,
                               const cuesta_view* dst, const cuesta_filter_options* options) {
  return guarded([&] {
    cuesta::laplacian(picture(src, "laplacian: src"), picture(dst, "laplacian: dst"),
                      filter_options(options, "laplacian"), exec_of(context));
  });
}

cuesta_status cuesta_gaussian(cuesta_context* context, const cuesta_view* src,
                              const cuesta_view* dst, const cuesta_gaussian_options* options) {
  return guarded([&] {
    const auto of = take_options(options, gaussian_defaults(), "gaussian");
    cuesta::gaussian(
        picture(src, "gaussian: src"), picture(dst, "gaussian: dst"),
        {.sigma = of.sigma, .ksize = of.ksize, .border = border_of(of.border, "gaussian")},
        exec_of(context));
  });
}

cuesta_status cuesta_box(cuesta_context* context, const cuesta_view* src, const cuesta_view* dst,
                         const cuesta_window_options* options) {
  return guarded([&] {
    const auto of = take_options(options, box_defaults(), "box");
    cuesta::box(picture(src, "box: src"), picture(dst, "box: dst"),
                {.n = of.n, .border = border_of(of.border, "box")}, exec_of(context));
  });
}

cuesta_status cuesta_sharpen(cuesta_context* context, const cuesta_view* src,
                             const cuesta_view* dst, const cuesta_window_options* options) {
  return guarded([&] {
    const auto of = take_options(options, sharpen_defaults(), "sharpen");
    cuesta::sharpen(picture(src, "sharpen: src"), picture(dst, "sharpen: dst"),
                    {.n = of.n, .border = border_of(of.border, "sharpen")}, exec_of(context));
  });
}

cuesta_status cuesta_median(cuesta_context* context, const cuesta_view* src, const cuesta_view* dst,
                            const cuesta_window_options* options) {
  return guarded([&] {
    const auto of = take_options(options, median_defaults(), "median");
    cuesta::median(picture(src, "median: src"), picture(dst, "median: dst"),
                   {.ksize = of.n, .border = border_of(of.border, "median")}, exec_of(context));
  });
}
