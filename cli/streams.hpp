// A video in, a video out: what edges and filter share.
#pragma once

#include <functional>

#include "cli/common.hpp"
#include "cli/inputs.hpp"
#include "cuesta/io/frames.hpp"

namespace cuesta::cli {

struct StreamResult {
  int64_t frames = 0;
  int32_t width = 0, height = 0;
};

/// Makes `out` of the part of a frame's luma that --region names; the frame itself has width ×
/// height pixels. Frame n comes on lane n % at_once, which serves one at a time.
using StreamWork =
    std::function<void(ConstAnyView luma, AnyView out, int32_t width, int32_t height, int lane)>;

/// Reads job.input, makes a new luma plane of every frame with `work`, and writes job.output, with
/// the sound of the input; reading and writing run beside the work. The color planes stay where
/// `keeps_color` says so and there is no --region; else the result is gray in full range. Throws
/// Error, also for a stream without frames; Interrupted when what there is to keep is kept.
StreamResult pass_stream(const Job& job, const CommonOptions& common, bool keeps_color, int at_once,
                         const StreamWork& work);

}  // namespace cuesta::cli
