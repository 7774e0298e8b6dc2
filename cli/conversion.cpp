#include "cli/conversion.hpp"

#include <fmt/ranges.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/samples.hpp"
#include "cli/streams.hpp"
#include "io/input_bytes.hpp"

namespace cuesta::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

std::vector<std::string> results_of(const Job& job) {
  std::vector<std::string> names;
  for (const std::string& name : {job.output, job.lines})
    if (!name.empty()) names.push_back(name);
  return names;
}

// What there is to say of a result, said when the job's turn comes.
std::function<void()> report(const Job& job, const CommonOptions& common,
                             const Conversion& conversion, ConstAnyView out, int64_t frames,
                             double seconds) {
  const std::string text =
      frames > 0 ? fmt::format("{} -> {}: {} frames of {} x {}, {:.1f}/s{}", job.input, job.output,
                               frames, out.width, out.height, double(frames) / seconds,
                               conversion.remark_of_frames())
                 : fmt::format("{} -> {}: {} x {}{}", job.input, fmt::join(results_of(job), ", "),
                               out.width, out.height, conversion.remark(out));
  if (!common.json) return [text] { print_detail(text); };
  Json line = {{"input", job.input}};
  if (!job.output.empty()) line["output"] = job.output;
  if (!job.lines.empty()) line["lines_output"] = job.lines;
  line["width"] = out.width;
  line["height"] = out.height;
  conversion.add_facts(line, out, frames);
  if (job.pages > 1) line["pages"] = job.pages;
  if (frames > 0) line["frames"] = frames;
  line["seconds"] = seconds;
  return [text, data = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"] {
    print_detail(text);
    print_data(data);
  };
}

io::Picture picture_of(const Job& job, const io::ReadLimits& limits) {
  if (job.input != "-") return io::read_picture(job.input, limits);
  return io::read_picture(io::take_standard_input({})->read_all(), "standard input", limits);
}

// What a float file's numbers were taken for, and what of them is lost.
void tell(const Job& job, const io::Picture& picture) {
  constexpr double much = 0.01;
  if (!picture.remark.empty()) detail("{}: {}", job.input, picture.remark);
  if (picture.clipped > much) {
    warn(
        "{}: {:.0f} % of its samples are not between black and white ({}) and are cut off there; "
        "--white sets another",
        job.input, 100 * picture.clipped, picture.remark);
  }
  if (picture.has_alpha) detail("{}: alpha is not looked at", job.input);
}

// Standard output gets whole files only.
void write(const Job& job, const Converted& result) {
  if (job.output != "-") return io::write_picture(job.output, result.pixels, result.options);
  const auto bytes = io::encode_picture(job.extension(), result.pixels, result.options);
  print_data({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Pages, each converted by itself, below each other.
Converted convert_pages(const Job& job, const CommonOptions& common, Conversion& conversion,
                        AnyImage& tall) {
  Converted all;
  int32_t page_height = 0;
  for (int page = 0; page < job.pages; ++page) {
    io::ReadLimits limits = conversion.reading(job);
    limits.max_pixels = common.max_pixels / job.pages;
    limits.max_memory = common.max_memory / job.pages;
    limits.page = page;
    const io::Picture picture = picture_of(job, limits);
    if (page == 0) tell(job, picture);
    const Converted one = conversion.on_picture(picture, job);
    const auto& [width, height, type, channels] =
        std::tuple(one.pixels.width, one.pixels.height, one.pixels.type, one.pixels.channels);
    if (page == 0) {
      page_height = height;
      tall.create({width, height * job.pages}, channels, type);
      all.options = one.options;
      all.options.page_height = height;
    } else if (width != tall.width() || height != page_height || type != tall.type() ||
               channels != tall.channels()) {
      throw Error(ErrorCode::input,
                  fmt::format("{}: its pages differ in size or kind ({} x {} pixels of {} {}, and "
                              "{} x {} of {} {}); take one by --page",
                              job.input, tall.width(), page_height, tall.channels(),
                              name_of(tall.type()), width, height, channels, name_of(type)),
                  job.input);
    }
    copy(one.pixels, AnyView(tall).region({0, page * page_height, width, height}));
  }
  all.pixels = tall;
  return all;
}

Converted convert_picture(const Job& job, Conversion& conversion) {
  io::ReadLimits limits = conversion.reading(job);
  limits.page = job.page;
  const io::Picture picture = picture_of(job, limits);
  tell(job, picture);
  return conversion.on_picture(picture, job);
}

std::function<void()> run(const Job& job, const CommonOptions& common, const MemoryOptions& memory,
                          Conversion& conversion, const MakeConversion& make) {
  const auto begin = Clock::now();
  ConstAnyView out;
  AnyImage tall;
  int64_t frames = 0;
  std::vector<std::unique_ptr<Conversion>> others;
  const Conversion* last = &conversion;  // that had a picture
  bool is_first = true;
  const auto band_work = [&](const io::PictureFacts& facts) {
    if (std::exchange(is_first, false)) return conversion.band_work(facts);
    return others.emplace_back(make())->band_work(facts);
  };
  const auto banded = in_bands(job, memory, common, conversion.reading(job), band_work);
  if (banded) {
    conversion.take(*banded);
    out = ConstAnyView({}, banded->size.width, banded->size.height, banded->channels,
                       banded->size.width, banded->type);
    detail("{}: in bands, {} of them{}", job.input, banded->bands,
           banded->resumed_rows > 0
               ? fmt::format("; {} rows were there from a killed run", banded->resumed_rows)
               : "");
  } else if (job.kind == InputKind::picture) {
    Converted result = job.pages > 1 ? convert_pages(job, common, conversion, tall)
                                     : convert_picture(job, conversion);
    result.options.layout = layout_of(memory);
    if (!job.output.empty()) write(job, result);
    conversion.write_more(job);
    out = result.pixels;
  } else {
    conversion.check_video();
    std::vector<Conversion*> lanes = {&conversion};
    const int at_once = common.explain ? 1 : conversion.frames_at_once();
    while (int(lanes.size()) < at_once) lanes.push_back(others.emplace_back(make()).get());
    const StreamResult result =
        pass_stream(job, common, conversion.keeps_color(), at_once,
                    [&](ConstAnyView luma, AnyView frame, int32_t width, int32_t height, int lane) {
                      lanes[size_t(lane)]->on_frame(job, luma, frame, {width, height});
                    });
    last = lanes[size_t((result.frames - 1) % at_once)];
    out = ConstAnyView({}, result.width, result.height, 1, result.width, PixelType::u8);
    frames = result.frames;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return report(job, common, *last, out, frames, seconds);
}

}  // namespace

int convert(const JobOptions& jobs, const CommonOptions& common, const MemoryOptions& memory,
            const MakeConversion& make, const std::vector<std::string>& also_read,
            const std::function<void(Plan&)>& name_more) {
  const std::shared_ptr<Conversion> first = make();
  if (common.json && jobs.out == "-")
    usage_error("-", "--json: -o - already takes standard output; name a file for one of them");
  Plan plan = plan_jobs(jobs, also_read);
  if (name_more) name_more(plan);
  // What --explain sums up is one thread's.
  const int at_once = common.explain || memory.given()
                          ? 1
                          : jobs_at_once(plan, common.threads, first->frames_at_once());
  const int code = run_jobs(plan, at_once, [&]() -> JobWork {
    const std::shared_ptr<Conversion> own = at_once > 1 ? make() : first;
    return [own, &common, &memory, &make](const Job& job) {
      return run(job, common, memory, *own, make);
    };
  });
  first->explain();
  return code;
}

}  // namespace cuesta::cli
