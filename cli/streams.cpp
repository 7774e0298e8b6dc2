#include "cli/streams.hpp"

#include <cstring>

#include "cli/progress.hpp"
#include "cli/samples.hpp"
#include "io/overlap.hpp"

namespace cuesta::cli {

StreamResult pass_stream(const Job& job, const CommonOptions& common, bool keeps_color,
                         const StreamWork& work) {
  const io::StreamLimits limits{common.max_pixels, common.partial, common.threads};
  const auto region = common.region_rect();
  const auto source = io::open_frames(job.input, limits);
  io::StreamFormat format = source->format();
  if (const auto text = source->description(); !text.empty()) detail("{}: {}", job.input, text);
  if (region) {
    const ConstAnyView whole({}, format.width, format.height, 1, format.width, PixelType::u8);
    check_region(whole, *region, job.input);
    format.width = region->width, format.height = region->height;
    keeps_color = false;
  }
  if (!keeps_color) {
    format.chroma = io::Chroma::none;
    format.full_range = true;
  }
  const auto sink =
      io::create_frames(job.output, format, job.input == "-" ? "" : job.input, limits);
  if (const auto text = sink->description(); !text.empty()) detail("{}: {}", job.output, text);

  StreamResult result{0, format.width, format.height};
  AnyImage scratch;
  {
    Progress progress("frames", source->expected_frames());
    io::overlap(
        *source,
        [&](io::FrameBuffer& buffer) {
          if (keeps_color) {
            const AnyView out = scratch.create({format.width, format.height}, 1, PixelType::u8);
            work(buffer.frame().luma, out, format.width, format.height);
            copy(out, buffer.luma());
          } else {
            ConstAnyView luma;
            const auto out = buffer.replace_luma(format.width, format.height, &luma);
            work(region_of(luma, region, job.input), out, luma.width, luma.height);
          }
          ++result.frames;
          progress.step();
        },
        [&](const io::Frame& frame) { sink->write(frame); });
  }
  if (result.frames == 0)
    throw Error(ErrorCode::input, fmt::format("{}: the video has no frames", source->name()),
                job.input);
  sink->finish();
  if (const auto what = source->damage(); !what.empty())
    warn("{}: {}; went on (--partial)", source->name(), what);
  return result;
}

}  // namespace cuesta::cli
