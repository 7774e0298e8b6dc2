#include "ops/label/reference.hpp"
namespace cuesta { void label_simd(const LabelArgs& args, Call& call) { label_rows(args, call); } }
