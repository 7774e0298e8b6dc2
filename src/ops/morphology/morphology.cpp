// The public entries of morphology: check, choose a strategy, run.
#include <string>

#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "ops/morphology/options.hpp"
#include "ops/morphology/reference.hpp"

namespace cuesta {
namespace {

std::string name_of(Morph what, const char* view) {
  constexpr const char* names[] = {"erode", "dilate", "open", "close"};
  return std::string(names[size_t(what)]) + ": " + view;
}

}  // namespace

void morphology(ConstAnyView src, OutView dst, Morph what, const StructuringElement& element,
                const MorphologyOptions& options, const Exec& exec) {
  const std::string of_src = name_of(what, "src"), of_dst = name_of(what, "dst");
  check_view(src, of_src, {PixelType::u8, PixelType::u16, PixelType::bit});
  check_view(dst, of_dst, {src.type});
  check_same_size(src, dst, of_src, of_dst);
  check_no_overlap(src, dst, of_src, of_dst, true);
  check_options(options, "morphology");
  dispatch(MorphologyArgs{src, dst, what, &element, options}, exec);
}

void morphology(const ConstBatch& src, const Batch& dst, Morph what,
                const StructuringElement& element, const MorphologyOptions& options,
                const Exec& exec) {
  const std::string of_src = name_of(what, "src"), of_dst = name_of(what, "dst");
  const int32_t count = check_batches({{src, of_src}}, {{dst, of_dst}}, true);
  for (int32_t i = 0; i < count; ++i) morphology(src[i], dst[i], what, element, options, exec);
}

void erode(ConstAnyView src, OutView dst, const StructuringElement& element,
           const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::erode, element, options, exec);
}
void erode(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
           const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::erode, element, options, exec);
}

void dilate(ConstAnyView src, OutView dst, const StructuringElement& element,
            const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::dilate, element, options, exec);
}
void dilate(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
            const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::dilate, element, options, exec);
}

void morph_open(ConstAnyView src, OutView dst, const StructuringElement& element,
                const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::open, element, options, exec);
}
void morph_open(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
                const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::open, element, options, exec);
}

void morph_close(ConstAnyView src, OutView dst, const StructuringElement& element,
                 const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::close, element, options, exec);
}
void morph_close(const ConstBatch& src, const Batch& dst, const StructuringElement& element,
                 const MorphologyOptions& options, const Exec& exec) {
  morphology(src, dst, Morph::close, element, options, exec);
}

}  // namespace cuesta
