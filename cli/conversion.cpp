#include "cli/conversion.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/streams.hpp"

namespace cuesta::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// What there is to say of a result, said when the job's turn comes.
std::function<void()> report(const Job& job, const CommonOptions& common,
                             const Conversion& conversion, ConstAnyView out, int64_t frames,
                             double seconds) {
  const std::string text =
      frames > 0 ? fmt::format("{} -> {}: {} frames of {} x {}, {:.1f}/s", job.input, job.output,
                               frames, out.width, out.height, double(frames) / seconds)
                 : fmt::format("{} -> {}: {} x {}{}", job.input, job.output, out.width, out.height,
                               conversion.remark(out));
  if (!common.json) return [text] { print_detail(text); };
  Json line = {
      {"input", job.input}, {"output", job.output}, {"width", out.width}, {"height", out.height}};
  conversion.add_facts(line, out, frames);
  if (frames > 0) line["frames"] = frames;
  line["seconds"] = seconds;
  return [text, data = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"] {
    print_detail(text);
    print_data(data);
  };
}

std::function<void()> run(const Job& job, const CommonOptions& common, Conversion& conversion) {
  const auto begin = Clock::now();
  ConstAnyView out;
  int64_t frames = 0;
  if (job.kind == InputKind::picture) {
    out = conversion.on_picture(job);
  } else {
    conversion.check_video();
    const StreamResult result =
        pass_stream(job, common, conversion.keeps_color(),
                    [&](ConstAnyView luma, AnyView frame, int32_t width, int32_t height) {
                      conversion.on_frame(job, luma, frame, {width, height});
                    });
    out = ConstAnyView({}, result.width, result.height, 1, result.width, PixelType::u8);
    frames = result.frames;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return report(job, common, conversion, out, frames, seconds);
}

}  // namespace

int convert(const JobOptions& jobs, const CommonOptions& common,
            const std::function<std::unique_ptr<Conversion>()>& make,
            const std::vector<std::string>& also_read) {
  const std::shared_ptr<Conversion> first = make();
  if (common.json && jobs.out == "-")
    usage_error("-", "--json: -o - already takes standard output; name a file for one of them");
  const Plan plan = plan_jobs(jobs, also_read);
  // What --explain sums up is one thread's.
  const int at_once = common.explain ? 1 : jobs_at_once(plan, common.threads);
  const int code = run_jobs(plan, at_once, [&]() -> JobWork {
    const std::shared_ptr<Conversion> own = at_once > 1 ? make() : first;
    return [own, &common](const Job& job) { return run(job, common, *own); };
  });
  first->explain();
  return code;
}

}  // namespace cuesta::cli
