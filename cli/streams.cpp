#include "cli/streams.hpp"

#include "cli/results.hpp"
#include "cli/samples.hpp"

namespace cuesta::cli {

StreamResult pass_stream(const Job& job, const CommonOptions& common, bool keeps_color, int at_once,
                         const StreamWork& work) {
  const StopOnSignal stop;
  const auto region = common.region_rect();
  const auto source = open_stream(job.input, common, stop);
  io::StreamFormat format = source->format();
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
  tell_depth(*source, keeps_color);
  Results results(placing_of(job.input, job.follow));
  const auto sink = io::create_frames(job.output, format, io::is_live(job.input) ? "" : job.input,
                                      {.max_pixels = common.max_pixels, .threads = common.threads},
                                      results.placing());
  results.add(job.output, [&] { sink->finish(); });
  if (const auto text = sink->description(); !text.empty()) detail("{}: {}", job.output, text);
  if (const auto text = sink->loss(); !text.empty()) warn("{}: {}", job.output, text);

  StreamResult result{0, format.width, format.height};
  Progress progress("frames", source->expected_frames(), job.output == "-" || common.json);
  const int code = pass_frames(
      *source, common, stop, results, progress,
      [&](io::FrameBuffer& buffer, int lane) {
        ConstAnyView luma;
        const auto out = buffer.replace_luma(format.width, format.height, keeps_color, &luma);
        work(region_of(luma, region, job.input), out, luma.width, luma.height, lane);
      },
      [&](const io::Frame& frame) {
        sink->write(frame);
        ++result.frames;
      },
      at_once);
  if (code == exit_interrupted) throw Interrupted();
  return result;
}

}  // namespace cuesta::cli
