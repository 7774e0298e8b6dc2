#include "ops/convolve/reference.hpp"
namespace cuesta {
void convolve_simd(const ConvolveArgs& args, Call& call) { convolve_rows(args, call); }
std::string_view convolve_simd_supports(const ConvolveArgs&) { return {}; }
}  // namespace cuesta
