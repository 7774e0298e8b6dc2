#include "cli/conversion.hpp"

#include <fmt/ranges.h>

#include <chrono>
#include <future>
#include <nlohmann/json.hpp>

#include "cli/results.hpp"
#include "cli/samples.hpp"
#include "cli/streams.hpp"
#include "cuesta/io/address.hpp"
#include "cuesta/io/input.hpp"

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
                             const Conversion& conversion, const Made& made, double seconds) {
  const ConstAnyView& out = made.pixels;
  const std::string text =
      made.frames > 0
          ? fmt::format("{} -> {}: {} frames of {} x {}, {:.1f}/s{}", job.input, job.output,
                        made.frames, out.width, out.height, double(made.frames) / seconds,
                        conversion.remark(made))
          : fmt::format("{} -> {}: {} x {}{}", job.input, fmt::join(results_of(job), ", "),
                        out.width, out.height, conversion.remark(made));
  if (!common.json) return [text] { print_detail(text); };
  Json line = {{"input", io::without_password(job.input)}};
  if (!job.output.empty()) line["output"] = job.output;
  if (!job.lines.empty()) line["lines_output"] = job.lines;
  line["width"] = out.width;
  line["height"] = out.height;
  conversion.add_facts(line, made);
  if (job.pages > 1) line["pages"] = job.pages;
  if (made.frames > 0) line["frames"] = made.frames;
  line["seconds"] = seconds;
  return [text, data = line_of(line) + "\n"] {
    print_detail(text);
    print_data(data);
  };
}

io::Picture picture_of(const Job& job, const io::ReadLimits& limits) {
  if (job.input != "-") return io::read_picture(job.input, limits);
  return io::read_picture(io::read_standard_input(), "standard input", limits);
}

// What a float file's numbers were taken for, and what of them is lost.
void tell(const Job& job, const io::Picture& picture, const recipes::Recipe& recipe) {
  if (!picture.remark.empty()) {  // numbers, or levels made of them
    detail("{}: {}", job.input, picture.remark);
  } else if (const auto dim = dim_remark(recipe, picture.view(), picture.has_alpha); !dim.empty()) {
    warn("{}: {}; --white sets another", job.input, dim);
  }
  if (const std::string warning = picture.warning(); !warning.empty())
    warn("{}: {}; --black and --white set the ends", job.input, warning);
  if (picture.has_alpha) detail("{}: alpha is not looked at", job.input);
}

// Standard output gets whole files only.
void write(const Job& job, const Made& made) {
  if (const auto lost = io::dropped(made.writing.metadata, job.extension()); !lost.empty())
    warn("{}: {}", job.input, lost);
  if (job.output != "-") return io::write_picture(job.output, made.pixels, made.writing);
  const auto bytes = io::encode_picture(job.extension(), made.pixels, made.writing);
  print_data({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// Pages, each converted by itself, below each other.
Made convert_pages(const Job& job, const CommonOptions& common, Conversion& conversion,
                   AnyImage& tall) {
  Made all;
  int32_t page_height = 0;
  for (int page = 0; page < job.pages; ++page) {
    io::ReadLimits limits = conversion.reading(job);
    limits.max_pixels = common.max_pixels / job.pages;
    limits.max_memory = common.max_memory / job.pages;
    limits.page = page;
    const io::Picture picture = picture_of(job, limits);
    if (page == 0) tell(job, picture, conversion.recipe());
    Made one = conversion.on_picture(picture, job);
    const ConstAnyView pixels = one.pixels;
    const auto& [width, height, type, channels] =
        std::tuple(pixels.width, pixels.height, pixels.type, pixels.channels);
    if (page == 0) {
      page_height = height;
      tall.create({width, height * job.pages}, channels, type);
    } else if (width != tall.width() || height != page_height || type != tall.type() ||
               channels != tall.channels()) {
      throw Error(ErrorCode::input,
                  fmt::format("{}: the pages differ ({} x {} pixels of {} {}, and {} x {} of {} "
                              "{}); choose one with --page",
                              job.input, tall.width(), page_height, tall.channels(),
                              name_of(tall.type()), width, height, channels, name_of(type)),
                  job.input);
    }
    copy(pixels, AnyView(tall).region({0, page * page_height, width, height}));
    const io::WriteOptions writing = page == 0 ? one.writing : all.writing;
    all = std::move(one);
    all.writing = writing;
  }
  all.writing.page_height = page_height;
  all.pixels = tall;
  return all;
}

Made convert_picture(const Job& job, Conversion& conversion) {
  io::ReadLimits limits = conversion.reading(job);
  if (job.input != "-") limits.page = job.page;
  const io::Picture picture = picture_of(job, limits);
  tell(job, picture, conversion.recipe());
  return conversion.on_picture(picture, job);
}

// What the first frame, on lane 0, settles for the frames of all lanes, which wait for it.
class FirstFrame {
 public:
  explicit FirstFrame(size_t lanes) : is_settled_(lanes, 0) {}

  /// `find` returns the recipe of the first frame, or null.
  void settle(Conversion& one, int lane,
              const std::function<std::shared_ptr<const recipes::Recipe>()>& find) {
    if (std::exchange(is_settled_[size_t(lane)], 1)) return;
    if (lane == 0) {
      try {
        promise_.set_value(find());
      } catch (...) {
        promise_.set_exception(std::current_exception());
      }
    }
    one.settle(found_.get());
  }

 private:
  std::promise<std::shared_ptr<const recipes::Recipe>> promise_;
  std::shared_future<std::shared_ptr<const recipes::Recipe>> found_ = promise_.get_future().share();
  std::vector<char> is_settled_;  // of each lane, which serves one frame at a time
};

// Frames in flight at once, each by a conversion of its own.
Made convert_video(const Job& job, const CommonOptions& common, Conversion& first,
                   const MakeConversion& make) {
  if (const PixelType type = first.recipe().output({}).type; type != PixelType::u8)
    usage_error(job.input,
                "{}: {} is for pictures; frames of video hold no numbers above their white",
                job.input, type == PixelType::s32 ? "--labels" : "--strength");
  std::vector<std::unique_ptr<Conversion>> others;
  std::vector<Conversion*> lanes = {&first};
  const int at_once = common.explain ? 1 : first.frames_at_once();
  while (int(lanes.size()) < at_once) lanes.push_back(others.emplace_back(make()).get());
  std::vector<Made> made(lanes.size());
  FirstFrame first_frame(lanes.size());
  const StreamResult result = pass_stream(
      job, common, first.keeps_color(), at_once,
      [&](ConstAnyView luma, AnyView frame, int32_t width, int32_t height, int lane) {
        Conversion& one = *lanes[size_t(lane)];
        first_frame.settle(one, lane, [&] { return one.settled(job, luma, {width, height}); });
        made[size_t(lane)] = one.on_frame(job, luma, frame, {width, height});
      });
  Made last;
  if (result.frames > 0) last = std::move(made[size_t((result.frames - 1) % at_once)]);
  last.frames = result.frames;
  last.pixels = ConstAnyView({}, result.width, result.height, 1, result.width, PixelType::u8);
  return last;
}

// Of a picture that does not fit into --memory; nothing where it does.
std::optional<Made> convert_in_bands(const Job& job, const CommonOptions& common,
                                     const MemoryOptions& memory, Conversion& first,
                                     const MakeConversion& make) {
  std::vector<std::unique_ptr<Conversion>> others;
  bool is_first = true;
  const auto banded = in_bands(
      job, memory, common, first.reading(job),
      [&](const io::PictureFacts& facts, std::vector<int>& devices) {
        Conversion& one = std::exchange(is_first, false) ? first : *others.emplace_back(make());
        return one.band_work(facts, devices);
      });
  if (!banded) return {};
  Made made;
  made.pixels = ConstAnyView({}, banded->size.width, banded->size.height, banded->channels,
                             banded->size.width, banded->type);
  made.banded = banded;
  if (!banded->warning.empty()) warn("{}: {}", job.input, banded->warning);
  made.source_channels = banded->source_channels;
  if (first.recipe().joins_bands())
    made.used = {banded->thresholds, banded->sigma};
  else if (first.recipe().as_canny({}) || first.recipe().strengths_sigma())
    made.used.sigma = banded->sigma;
  detail("{}: in bands, {} of them{}", job.input, banded->bands,
         banded->resumed_rows > 0
             ? fmt::format("; {} rows resumed from an interrupted run", banded->resumed_rows)
             : "");
  return made;
}

std::function<void()> run(const Job& job, const CommonOptions& common, const MemoryOptions& memory,
                          Conversion& conversion, const MakeConversion& make) {
  const auto begin = Clock::now();
  AnyImage tall;
  Made made;
  if (auto banded = convert_in_bands(job, common, memory, conversion, make)) {
    made = std::move(*banded);
  } else if (job.kind == InputKind::picture) {
    made = job.pages > 1 ? convert_pages(job, common, conversion, tall)
                         : convert_picture(job, conversion);
    made.writing.layout = layout_of(memory);
    if (!job.output.empty()) write(job, made);
    conversion.write_more(job, made);
  } else {
    made = convert_video(job, common, conversion, make);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return report(job, common, conversion, made, seconds);
}

}  // namespace

Conversion::Conversion(const CommonOptions& common, std::shared_ptr<const recipes::Recipe> recipe)
    : common_(common),
      recipe_(std::move(recipe)),
      region_(common.region_rect()),
      device_(
          common,
          [this](const WorkShape& shape, Space space, const Execs& execs) {
            const recipes::Steps steps = recipe_->steps({shape.type, shape.channels});
            return recipes::plan_of(steps, shape.size, shape.type, shape.channels, space, execs);
          },
          [this](std::span<const ConstAnyView> sources, AnyView out, const Execs& execs) {
            run_on(sources, out, execs);
          }) {
  // Options the library refuses are found before any file is read.
  device_.check(recipe_->seen({PixelType::u8}).type);
}

void Conversion::run_on(std::span<const ConstAnyView> sources, AnyView out, const Execs& execs) {
  const ConstAnyView seen = sources[0];
  const ConstAnyView mask = sources.size() > 1 ? sources[1] : ConstAnyView();
  used_ = (of_frames_ ? of_frames_ : recipe_)->apply(seen, out, mask, scale_, execs);
}

void Conversion::run(ConstAnyView seen, AnyView out, ConstAnyView mask,
                     const recipes::PictureKind& kind, Made& made) {
  scale_ = kind.scale;
  device_.run({seen, mask}, out);
  recipe_->finish(seen, out, kind);
  made.used = used_;
}

Made Conversion::on_picture(const io::Picture& picture, const Job& job) {
  settle(nullptr);
  ConstAnyView mask = mask_for(job.input, {picture.width(), picture.height()}), holes;
  if (!picture.holes.empty()) holes = region_of(ConstAnyView(picture.holes), region_, job.input);
  const Image<uint8_t> around = holes ? recipe_->mask_around(holes, mask) : Image<uint8_t>();
  if (!around.empty()) mask = ConstAnyView(around);
  const ConstAnyView source = region_of(picture.view(), region_, job.input);
  const recipes::PictureKind kind{source.type, source.channels, picture.has_alpha, picture.scale};
  const ConstAnyView seen = recipe_->see(source, kind, seen_, Exec{.threads = common_.threads});
  const recipes::Output output = recipe_->output(kind);
  Made made;
  made.source_channels = source.channels;
  made.pixels = out_.create(source.size(), output.channels, output.type);
  run(seen, out_.view(), mask, kind, made);
  if (holes) recipe_->leave_out(holes, out_.view());
  made.writing = io::writing_of(picture.metadata, output, picture.has_alpha, region_);
  add_more(job, seen, holes, kind, made);
  return made;
}

Made Conversion::on_frame(const Job& job, ConstAnyView luma, AnyView out, Size whole) {
  Made made;
  const recipes::PictureKind kind{luma.type};
  const ConstAnyView seen = recipe_->see(luma, kind, seen_, Exec{.threads = common_.threads});
  run(seen, out, mask_for(job.input, whole), kind, made);
  return made;
}

std::shared_ptr<const recipes::Recipe> Conversion::settled(const Job& job, ConstAnyView luma,
                                                           Size whole) const {
  if (!recipe_->finds_sigma()) return nullptr;
  return recipe_->settled(luma, mask_for(job.input, whole), Exec{.threads = common_.threads});
}

io::BandWork Conversion::band_work(const io::PictureFacts& facts, std::vector<int>& devices) {
  check_bands();
  const recipes::PictureKind seen = recipe_->seen({facts.type, facts.channels, facts.has_alpha});
  const bool on_gpu = device_.goes_to_gpu({{64, 64}, seen.type, seen.channels});
  if (on_gpu) devices = device_.gpus();
  io::BandPlace place{device_.execs(), on_gpu ? device_.gpu() : nullptr, {}};
  if (common_.explain) place.done = [this] { device_.explainer().end(); };
  return io::band_work(recipe_, facts, place);
}

ConstAnyView Conversion::mask_for(const std::string&, Size) const { return {}; }

int convert(const JobOptions& jobs, const CommonOptions& common, const MemoryOptions& memory,
            const MakeConversion& make, RunFiles& files,
            const std::function<void(Plan&)>& name_more) {
  const std::shared_ptr<Conversion> first = make();
  if (common.json && jobs.out == "-")
    usage_error("-", "--json: -o - already takes standard output; name a file for one of them");
  Plan plan = plan_jobs(jobs);
  if (name_more) name_more(plan);
  for (const Job& job : plan.jobs) files.reads_input(job.input);
  for (const Job& job : plan.jobs) {
    const auto whose = plan.is_batch ? fmt::format(" of {}", job.input) : "";
    files.writes(job.output, "-o", whose);
    files.writes(job.lines, "--lines", whose);
  }
  for (const std::string& folder : plan.folders) make_folder(folder);
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
