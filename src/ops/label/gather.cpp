// Components from a picture of labels, run by run.
#include "ops/label/reference.hpp"

namespace cuesta {

void gather_components(ImageView<const int32_t> labels, std::vector<Component>& components) {
  for (size_t i = 0; i < components.size(); ++i) {
    components[i] = Component();
    components[i].label = int32_t(i) + 1;
  }
  for (int32_t y = 0; y < labels.height; ++y) {
    const int32_t* row = labels.row(y);
    for (int32_t begin = 0, end; begin < labels.width; begin = end) {
      const int32_t label = row[begin];
      for (end = begin + 1; end < labels.width && row[end] == label;) ++end;
      if (label != 0) add_run(components[size_t(label) - 1], begin, end, y);
    }
  }
}

}  // namespace cuesta
