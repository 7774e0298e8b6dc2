#include "bench/model/works.hpp"

#include <utility>

#include "bench/papers/canny.hpp"
#include "bench/papers/convolutions.hpp"
#include "bench/works/edges.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/stencil.hpp"

namespace cuesta::bench {

ModelWorks::ModelWorks(int32_t side)
    : bytes(canny_picture(side)), floats(Session::floats_of(bytes)) {
  const std::pair<const char*, Stencil> filters[] = {{"laplacian 3x3", stencils::laplacian()},
                                                     {"gaussian 5x5", stencils::paper_gaussian()},
                                                     {"average 9x9", stencils::average(9)}};
  for (const ConstAnyView src : {ConstAnyView(floats), ConstAnyView(bytes)}) {
    for (const auto& [name, stencil] : filters)
      works.push_back(convolve_work("model", name, stencil, src, papers_border));
  }
  works.push_back(sobel_work("model", "magnitude L1 to u8", bytes));
  Work roots = sobel_work("model", "magnitude L2 to f32", bytes);
  roots.result = PixelType::f32;
  roots.bytes_per_pixel = 1 + 4;
  roots.window.frame = false;
  roots.call = [](ConstAnyView src, AnyView dst, const Exec& exec) {
    sobel(src, {.magnitude = dst}, {.norm = Norm::l2, .border = papers_border}, exec);
  };
  works.push_back(std::move(roots));
  works.push_back(log_work("model", "edges, sigma 1.4, threshold 5", bytes));
  works.push_back(canny_work("model", canny_options(), bytes));
  works.back().stages = true;
  // The kernels are what is predicted; other libraries stand in the papers' tables.
  for (Work& work : works) {
    work.opencv = {};
    work.npp = {};
  }
}

}  // namespace cuesta::bench
