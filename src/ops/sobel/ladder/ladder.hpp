// Paper 003's steps, as the table of sobel names them. Each is one file.
#pragma once

#include "ops/sobel/args.hpp"

namespace cuesta::sobel_ladder {

/// Makes the pixels whose window leaves the picture, after a rung has made the others.
void frame(const SobelArgs& args, Call& call);

void global(const SobelArgs& args, Call& call);
void shared_no_apron(const SobelArgs& args, Call& call);
void shared_apron(const SobelArgs& args, Call& call);
void shared_1d(const SobelArgs& args, Call& call);

}  // namespace cuesta::sobel_ladder
