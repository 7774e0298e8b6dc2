#include "cli/streams.hpp"

#include "cli/results.hpp"
#include "cli/samples.hpp"

namespace cuesta::cli {

StreamResult pass_stream(const Job& job, const CommonOptions& common, bool keeps_color,
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
  Results results(placing_of(job.input, false));
  const auto sink = io::create_frames(job.output, format, io::is_live(job.input) ? "" : job.input,
                                      {.threads = common.threads}, results.placing());
  results.add(job.output, [&] { sink->finish(); });
  if (const auto text = sink->description(); !text.empty()) detail("{}: {}", job.output, text);
  if (const auto text = sink->loss(); !text.empty()) warn("{}: {}", job.output, text);

  StreamResult result{0, format.width, format.height};
  AnyImage scratch;
  const int code = pass_frames(
      *source, common, stop, results, job.output == "-" || common.json,
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
      },
      [&](const io::Frame& frame) { sink->write(frame); });
  if (code == exit_interrupted) throw Interrupted();
  return result;
}

}  // namespace cuesta::cli
