// cuesta edges: pictures or videos in, their edges out.
#include <nlohmann/json.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/edges.hpp"
#include "cli/nearest.hpp"
#include "cli/results.hpp"
#include "cli/samples.hpp"
#include "cuesta/recipes/edges.hpp"
#include "cuesta/recipes/samples.hpp"

namespace cuesta::cli {
namespace {

void refuse_unless(bool fits, std::string_view option, const std::string& value,
                   std::string_view where) {
  if (!fits) usage_error(value, "{} is {}; it requires {}", option, value, where);
}

// --low and --high, or --threshold.
Thresholds canny_thresholds(const EdgesArguments& state) {
  if (!state.low.empty()) {
    if (!state.threshold.empty())
      usage_error(state.threshold,
                  "--threshold is {} and --low and --high are set; set one or the other",
                  state.threshold);
    const double low = parse_number("--low", state.low), high = parse_number("--high", state.high);
    if (low < 0) usage_error(state.low, "--low is {}; it must be at least 0", state.low);
    if (high < low)
      usage_error(state.low, "--low is {} and --high is {}; low must not exceed high", state.low,
                  state.high);
    return Given{low, high};
  }
  if (state.threshold.empty()) return Automatic{};
  const ThresholdSpec spec = parse_threshold(state.threshold);
  if (spec.value) return Given{*spec.value / 2, *spec.value};
  return Automatic{spec.rule, spec.percent};
}

// The level of the other methods, where one is given.
std::optional<double> level_of(const EdgesArguments& state) {
  if (state.threshold.empty()) return {};
  const ThresholdSpec spec = parse_threshold(state.threshold);
  refuse_unless(spec.value.has_value(), "--threshold", state.threshold, "--method canny");
  return spec.value;
}

void refuse_what_is_cannys(const EdgesArguments& state) {
  const bool is_canny = state.method == "canny";
  refuse_unless(is_canny || state.low.empty(), "--low", state.low, "--method canny");
  refuse_unless(is_canny || state.high.empty(), "--high", state.high, "--method canny");
  refuse_unless(is_canny || state.mask.empty(), "--mask", state.mask, "--method canny");
  if (state.low.empty() != state.high.empty()) {
    usage_error(state.low + state.high, "{}: --low and --high must be set together",
                state.low.empty() ? "--high " + state.high : "--low " + state.low);
  }
}

// --strength applies none.
void refuse_thresholds(const EdgesArguments& state) {
  const auto refuse = [](std::string_view option, const std::string& value) {
    if (!value.empty())
      usage_error(value,
                  "{} is {} and --strength is set, which applies no threshold; set one of them",
                  option, value);
  };
  refuse("--threshold", state.threshold);
  refuse("--low", state.low);
}

}  // namespace

EdgesOptions edges_of(const EdgesArguments& state) {
  refuse_what_is_cannys(state);
  state.described.refuse_others(state.method);
  EdgesOptions options = recipes::edges_options(state.method);
  std::visit([&](auto& of) { state.described.read(of); }, options);
  if (auto* canny = std::get_if<CannyEdges>(&options)) {
    if (canny->strength) refuse_thresholds(state);
    canny->thresholds = canny_thresholds(state);
  } else if (auto* log = std::get_if<LogEdges>(&options)) {
    log->threshold = level_of(state);
    if (log->sigma == 0 && log->ksize == 0)
      usage_error("0", "--sigma is 0; the Laplacian of a Gaussian requires a value above 0");
  } else if (auto* sobel = std::get_if<SobelEdges>(&options)) {
    sobel->threshold = level_of(state);
  } else if (auto* boundaries = std::get_if<BoundaryOptions>(&options)) {
    boundaries->threshold = level_of(state).value_or(boundaries->threshold);
  } else if (auto* regions = std::get_if<RegionEdges>(&options)) {
    regions->threshold = level_of(state).value_or(regions->threshold);
  }
  return options;
}

TraceOptions trace_of(const EdgesArguments& given) {
  LineOptions options;
  given.tracing.read(options);
  return options.trace;
}

namespace {

using State = EdgesArguments;
using recipes::EdgesRecipe;

// They are numbered from 1 on.
int32_t count_of_labels(ConstAnyView labels) {
  int32_t count = 0;
  for (int32_t y = 0; y < labels.height; ++y) {
    const int32_t* const row = labels.as<int32_t>().row(y);
    count = std::max(count, *std::max_element(row, row + labels.width));
  }
  return count;
}

// What runs: outlines are of labels, from which contours follow.
std::shared_ptr<const EdgesRecipe> working(const State& state,
                                           std::shared_ptr<const EdgesRecipe> recipe) {
  const auto* regions = std::get_if<RegionEdges>(&recipe->options());
  if (regions == nullptr || regions->labels || state.lines.out.empty()) return recipe;
  RegionEdges of = *regions;
  of.labels = true;
  return std::make_shared<EdgesRecipe>(of);
}

class Edges : public EdgesConversion {
 public:
  /// `mask` is empty or of the pictures' size, and outlives it.
  Edges(const State& state, std::shared_ptr<const EdgesRecipe> recipe, const Image<uint8_t>& mask)
      : EdgesConversion(state.common, working(state, recipe)),
        state_(state),
        region_(state.common.region_rect()),
        edges_(std::move(recipe)),
        tracing_(trace_of(state)),
        mask_(mask) {
    if (state.lines.out.empty()) {
      state.tracing.refuse_all("--lines");
      return;
    }
    const auto* log = std::get_if<LogEdges>(&edges_->options());
    if (edges_->has_outlines()) {
      if (tracing_.refinement != TraceOptions{}.refinement)
        usage_error(std::string(name_in(tracing_.refinement)),
                    "--refinement is {}; polygons of regions follow the sides of pixels",
                    name_in(tracing_.refinement));
      return;
    }
    refuse_unless(edges_->is_canny() || log != nullptr, "--lines", state.lines.out,
                  "--method canny, log or regions");
    if (edges_->makes_strengths())
      usage_error(state.lines.out, "--lines is {} and --strength is set; strengths have no lines",
                  state.lines.out);
    refuse_unless(log == nullptr || log->mode == LogMode::zero_crossings, "--lines",
                  state.lines.out, "--mode zero-crossings");
  }

  io::ReadLimits reading(const Job& job) const override {
    return reading_of(state_.common, state_.jobs, io::floats_for(*edges_, job.extension()));
  }
  bool keeps_color() const override { return false; }
  void write_more(const Job& job, const Made& made) const override {
    if (job.lines.empty()) return;
    const auto file = text_file(job.lines, io::Placing::when_whole);
    file->write(lines_text(job, made));
    file->finish();
  }
  std::string lines_text(const Job& job, const Made& made) const override {
    const LinesFacts facts{job.input, state_.method, made.pixels.width, made.pixels.height,
                           made.writing.metadata.map_grid()};
    return edges_->has_outlines() ? text_of_outlines(job.lines_format, made.outlines, facts)
                                  : text_of_lines(job.lines_format, made.lines, facts);
  }
  std::string remark(const Made& made) const override {
    const auto& [thresholds, sigma] = made.used;
    std::string text = sigma ? fmt::format(", sigma {:g}", *sigma) : "";
    if (made.frames > 0) return text + (edges_->sees_color() ? ", of gray levels" : "");
    if (thresholds) {
      text += fmt::format(", low {:g}, high {:g}", thresholds->low, thresholds->high);
      if (const auto seen = edges_->seen_in_words(made.source_channels); !seen.empty())
        text += fmt::format(", of {}", seen);
    }
    if (edges_->makes_labels()) text += fmt::format(", {} regions", count_of_labels(made.pixels));
    if (state_.lines.out.empty()) return text;
    return text + (edges_->has_outlines() ? fmt::format(", {} polygons", made.outlines.size())
                                          : fmt::format(", {} lines", made.lines.size()));
  }
  void add_facts(Json& line, const Made& made) const override {
    line["method"] = state_.method;
    const auto& [thresholds, sigma] = made.used;
    if (sigma) line["sigma"] = *sigma;
    if (thresholds) line["low"] = thresholds->low, line["high"] = thresholds->high;
    if (edges_->makes_mask() && made.frames == 0) {
      line["edge_pixels"] = made.banded ? made.banded->edge_pixels
                                        : recipes::count_set(made.pixels, 0, made.pixels.height);
    }
    if (made.banded)
      line["bands"] = made.banded->bands, line["resumed_rows"] = made.banded->resumed_rows;
    if (edges_->makes_labels()) line["regions"] = count_of_labels(made.pixels);
    if (state_.lines.out.empty()) return;
    if (edges_->has_outlines())
      line["polygons"] = made.outlines.size();
    else
      line["lines"] = made.lines.size();
  }

 protected:
  // The mask of a picture of this size, cut as the picture is.
  ConstAnyView mask_for(const std::string& name, Size size) const override {
    if (mask_.empty()) return {};
    if (mask_.size() != size) {
      throw Error(
          ErrorCode::input,
          fmt::format("--mask {}: the mask is {} x {} and {} is {} x {}; the sizes must match",
                      state_.mask, mask_.width(), mask_.height(), name, size.width, size.height),
          state_.mask);
    }
    return region_of(ConstAnyView(mask_), region_, state_.mask);
  }
  void add_more(const Job& job, ConstAnyView seen, ConstAnyView holes,
                const recipes::PictureKind& kind, Made& made) const override {
    if (job.lines.empty()) return;
    const Exec exec{.threads = state_.common.threads};
    if (edges_->has_outlines()) {
      made.outlines = recipes::outlines_at(seen, made.pixels, kind.scale, tracing_, exec);
      if (edges_->makes_labels()) return;
      const AnyView contours = made.own.create(seen.size(), 1, PixelType::u8);
      recipes::contours_of(made.pixels, holes, contours);
      made.pixels = contours;
    } else {
      made.lines =
          edges_->trace(seen, made.pixels, made.used.sigma, kind.scale, holes, tracing_, exec);
    }
  }
  void check_bands() const override {
    if (!mask_.empty())
      usage_error(state_.mask, "--mask {}: pictures above --memory {} do not support a mask",
                  state_.mask, state_.memory.memory);
  }

 private:
  const State& state_;
  std::optional<Rect> region_;
  std::shared_ptr<const EdgesRecipe> edges_;
  TraceOptions tracing_;
  const Image<uint8_t>& mask_;
};

}  // namespace

std::unique_ptr<EdgesConversion> edges_conversion(const EdgesArguments& options,
                                                  const Image<uint8_t>& mask) {
  return std::make_unique<Edges>(options, std::make_shared<EdgesRecipe>(edges_of(options)), mask);
}

namespace {

int run(const State& state) {
  const bool wants_lines = !state.lines.out.empty();
  if (state.jobs.out.empty() && !wants_lines)
    usage_error("", "no output is set; use -o OUT, --lines OUT or both");
  if (!wants_lines && !state.lines.format.empty())
    usage_error(state.lines.format, "--lines-format is {}; it requires --lines",
                state.lines.format);
  if (state.lines.out == "-" && (state.jobs.out == "-" || state.common.json))
    usage_error("-", "--lines -: {} already takes standard output; name a file for one of them",
                state.common.json ? "--json" : "-o -");
  Image<uint8_t> mask;
  const auto make = [&] { return edges_conversion(state, mask); };
  if (!state.mask.empty()) {
    make();  // what it refuses comes before a file is read
    const auto picture = io::read_picture(state.mask, reading_of(state.common, state.jobs));
    mask = Image<uint8_t>(picture.width(), picture.height());
    fill_mask(picture.view(), picture.has_alpha, mask);
  }
  RunFiles files(*state.common.verb);
  return convert(state.jobs, state.common, state.memory, make, files, [&](Plan& plan) {
    if (wants_lines) name_lines(plan, state.lines);
  });
}

}  // namespace

// The default of a field in words.
template <class Options>
std::string default_of(std::string_view name) {
  std::string text;
  for_each_field<Options>([&](const auto& one) {
    if (one.name == name) text = default_text(one, Options{});
  });
  return text;
}

void add_edges_options(CLI::App& app, EdgesArguments& options) {
  add_job_options(app, options.jobs, false);
  add_memory(app, options.memory);
  options.jobs.masks = true;
  const auto before_method = app.get_options();
  app.add_option("--method", options.method,
                 "select the method: canny (default), log, sobel, boundaries, regions. boundaries "
                 "omits the "
                 "edges of texture; regions closes every contour")
      ->type_name("METHOD")
      ->check(one_of_names({"canny", "log", "sobel", "boundaries", "regions"}));
  app.add_option(
         "--threshold", options.threshold,
         "set the threshold; T is a number, or auto[:RULE] for canny. canny: the high "
         "threshold, low is T/2; RULE is otsu, median, percentile[:P] or noise, which "
         "finds no edges in pure noise. log: gray levels of the response. sobel: "
         "magnitude; without it the result is the magnitudes, the largest possible one "
         "white. boundaries: strength relative to the surroundings. regions: from 0 to 1; weaker "
         "contours are removed")
      ->type_name("T");
  app.add_option("--low", options.low, "canny: set the low threshold, in units of cv::Canny")
      ->type_name("L");
  app.add_option("--high", options.high, "canny: set the high threshold")->type_name("H");
  app.add_option("--mask", options.mask, "canny: find no edges where this picture is black")
      ->type_name("FILE");
  options.described.add<CannyEdges>(app, "canny");
  options.described.add<LogEdges>(app, "log", {"threshold"});
  options.described.add<SobelEdges>(app, "sobel", {"threshold"});
  options.described.add<BoundaryOptions>(app, "boundaries", {"threshold"});
  options.described.add<RegionEdges>(app, "regions", {"threshold"});
  group_since(app, before_method, "Method");
  const auto before_lines = app.get_options();
  app.add_option("--lines", options.lines.out,
                 "write edges as lines, regions as polygons: .svg, .geojson, .json, a folder, -. A "
                 "folder takes several inputs; - writes to stdout")
      ->type_name("OUT");
  app.add_option("--lines-format", options.lines.format,
                 "set the format of lines in folders and on stdout")
      ->type_name("NAME")
      ->check(one_of_names({"svg", "geojson", "json"}));
  options.tracing.add<LineOptions>(app);
  group_since(app, before_lines, "Lines");
  add_common(app, options.common,
             takes_devices | takes_strategy | takes_threads | takes_region | takes_json |
                 takes_limits | takes_sandbox | takes_explain,
             {"cuesta edges photo.jpg -o edges.png",
              "cuesta edges photo.jpg -o edges.png --sigma 0 --low 50 --high 150",
              "cuesta edges holiday/ -o edges/ --threshold auto:percentile:90",
              "cuesta edges photo.jpg --lines edges.svg --line-tolerance 0.5 --min-length 20",
              "cuesta edges photo.jpg -o labels.png --method regions --labels",
              "cuesta edges street.mp4 -o edges.mp4 --method log",
              "cuesta edges huge.tif -o edges.tif --memory 512MB",
              "ffmpeg -i in.mov -f yuv4mpegpipe - | cuesta edges - -o - | ffplay -"});
}

Verb add_edges(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand("edges", "Finds edges in pictures and videos.");
  add_edges_options(*app, *state);
  app->description(
      "Finds edges in pictures and videos.\n"
      "Methods:\n"
      "  canny       thin edges, where brightness or color changes most\n"
      "  log         lines between darker and brighter areas (Laplacian of Gaussian)\n"
      "  sobel       the strength of the change at each pixel\n"
      "  boundaries  outlines of objects, without texture\n"
      "  regions     closed contours of areas, or their labels\n\nDefaults:\n" +
      state->described.defaults_table({{"--threshold",
                                        {{"canny", "auto"},
                                         {"log", default_of<LogEdges>("threshold")},
                                         {"sobel", default_of<SobelEdges>("threshold")},
                                         {"boundaries", default_of<BoundaryOptions>("threshold")},
                                         {"regions", default_of<RegionEdges>("threshold")}}}}));
  return {app, [state] {
            check_memory(state->memory);
            return run(*state);
          }};
}

}  // namespace cuesta::cli
