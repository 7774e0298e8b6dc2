#include "ops/morphology/reference.hpp"
namespace cuesta { void morphology_simd(const MorphologyArgs& args, Call& call) { morphology_rows(args, call); } }
