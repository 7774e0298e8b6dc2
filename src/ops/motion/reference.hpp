// The chain as paper 004 lists it, and the strategies made of it.
#pragma once

#include "ops/motion/args.hpp"
#include "ops/motion/displacement.hpp"

namespace cuesta {

/// A picture of one channel of the frame's size, type and space in the call's scratch memory.
AnyView scratch_plane(const MotionArgs& args, Call& call);
/// Of a picture of differences, of the frame's type: the limit in gray levels that is the same for
/// all pixels, by Otsu of the differences where it is automatic.
double limit_for(const MotionArgs& args, ConstAnyView difference, Call& call);

/// All of these take one frame. Every step of the chain through its public entry with the strategy
/// of this name, pictures of bytes between them.
void motion_chain(const MotionArgs& args, Call& call, std::string_view strategy);

/// Every step through its public entry by the best row for the frame's space, which is `mask`'s
/// too: a mask of bits of the frame's size, from the comparison on. args.mask is not read. The
/// components are motion_components' to find, which drops what is only displaced.
void motion_mask(const MotionArgs& args, AnyView mask, const Foreground& foreground, Call& call);
void motion_components(const MotionArgs& args, AnyView mask, const Foreground& foreground,
                       Call& call);

/// Strategy `serial`.
void motion_serial(const MotionArgs& args, Call& call);
/// Strategy `rows`.
void motion_rows(const MotionArgs& args, Call& call);
/// Strategy `simd`.
void motion_simd(const MotionArgs& args, Call& call);

}  // namespace cuesta
