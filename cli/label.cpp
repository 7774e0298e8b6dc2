// cuesta label: the connected components of a mask as a list, for spreadsheets and programs.
#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <optional>

#include "cli/described.hpp"
#include "cli/either_device.hpp"
#include "cli/inputs.hpp"
#include "cli/memory.hpp"
#include "cli/nearest.hpp"
#include "cli/progress.hpp"
#include "cli/results.hpp"
#include "cli/run_files.hpp"
#include "cli/samples.hpp"
#include "cuesta/io/input.hpp"
#include "cuesta/recipes/label.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::cli {
namespace {

struct State {
  CommonOptions common;
  MemoryOptions memory;
  DescribedOptions described;
  std::string input, out = "-", format, threshold = "0", intensity;
  bool measure = false;
  int page = 0;  // from 1; 0: the only one
  int band = 0;  // from 1; 0: all channels
};

std::string format_of(const State& state) {
  if (state.out == "-") return state.format.empty() ? "csv" : state.format;
  const std::string extension = std::filesystem::path(state.out).extension().string();
  if (extension != ".csv" && extension != ".ndjson") {
    usage_error(state.out,
                "-o is {}; the extension must be .csv or .ndjson, or - for standard output",
                state.out);
  }
  if (!state.format.empty() && extension != '.' + state.format) {
    usage_error(state.format, "--format is {} and -o is {}; the extension sets the format",
                state.format, state.out);
  }
  return extension.substr(1);
}

// What --measure adds to a row.
struct Column {
  std::string_view name;
  double (*value)(const Measures&);
};
constexpr Column columns[] = {
    {"perimeter", [](const Measures& m) { return m.perimeter; }},
    {"extent", [](const Measures& m) { return m.extent; }},
    {"orientation", [](const Measures& m) { return m.orientation; }},
    {"eccentricity", [](const Measures& m) { return m.eccentricity; }},
    {"major_axis", [](const Measures& m) { return m.major_axis; }},
    {"minor_axis", [](const Measures& m) { return m.minor_axis; }},
    {"equivalent_diameter", [](const Measures& m) { return m.equivalent_diameter; }},
    {"mean", [](const Measures& m) { return m.mean; }},
    {"min", [](const Measures& m) { return m.min; }},
    {"max", [](const Measures& m) { return m.max; }},
    {"mu20", [](const Measures& m) { return m.central_moments[0][2]; }},
    {"mu11", [](const Measures& m) { return m.central_moments[1][1]; }},
    {"mu02", [](const Measures& m) { return m.central_moments[2][0]; }},
    {"mu30", [](const Measures& m) { return m.central_moments[0][3]; }},
    {"mu21", [](const Measures& m) { return m.central_moments[1][2]; }},
    {"mu12", [](const Measures& m) { return m.central_moments[2][1]; }},
    {"mu03", [](const Measures& m) { return m.central_moments[3][0]; }},
};

// Numbers have the digits that tell them apart; what is no number is an empty cell, or null.
void append(std::string& text, std::string_view format, const Measures& m) {
  const auto out = std::back_inserter(text);
  for (const Column& column : columns) {
    const double value = column.value(m);
    if (format == "csv") {
      text += ',';
    } else {
      fmt::format_to(out, ",\"{}\":", column.name);
    }
    if (std::isfinite(value)) {
      fmt::format_to(out, "{}", value);
    } else if (format != "csv") {
      text += "null";
    }
  }
}

void append(std::string& text, std::string_view format, const Component& c, const Measures* m) {
  const auto out = std::back_inserter(text);
  const auto& [x, y, width, height] = c.box;
  if (format == "csv") {
    fmt::format_to(out, "{},{},{},{},{},{},{},{}", c.label, x, y, width, height, c.area,
                   c.centroid_x(), c.centroid_y());
  } else {
    fmt::format_to(
        out, R"({{"label":{},"x":{},"y":{},"width":{},"height":{},"area":{},"centroid":[{},{}])",
        c.label, x, y, width, height, c.area, c.centroid_x(), c.centroid_y());
  }
  if (m) append(text, format, *m);
  text += format == "csv" ? "\n" : "}\n";
}

std::string head_of(bool measure) {
  std::string head = "label,x,y,width,height,area,centroid_x,centroid_y";
  for (const Column& column : columns)
    if (measure) head.append(",").append(column.name);
  return head + '\n';
}

void write_list(bool measured, const std::string& name, std::string_view format,
                const LabelFileResult& found) {
  constexpr size_t block_bytes = 1 << 20;
  const auto file = text_file(name, io::Placing::when_whole);
  std::string text = format == "csv" ? head_of(measured) : "";
  for (size_t i = 0; i < found.components.size(); ++i) {
    append(text, format, found.components[i], measured ? &found.measures[i] : nullptr);
    if (text.size() < block_bytes) continue;
    file->write(text);
    text.clear();
  }
  file->write(text);
  file->finish();
}

Job job_of(const State& state) {
  Job job;
  job.input = state.input;
  job.page = std::max(0, state.page - 1);
  if (job.input == "-") return job;
  job.kind = kind_of(job.input);
  if (job.kind == InputKind::stream && state.page == 0)
    usage_error(job.input, "label: {} is a video; name a picture, or choose one with --page",
                job.input);
  job.kind = InputKind::picture;
  const int pages = io::pages_of(job.input).count;
  if (state.page > pages)
    usage_error(std::to_string(state.page), "--page {}: {} has {}", state.page, job.input, pages);
  return job;
}

// A picture that was read, or the part of it that --region names.
io::PictureOf part_of(const io::Picture& picture, const State& state, const std::string& name) {
  const ConstAnyView part = region_of(picture.view(), state.common.region_rect(), name);
  return {part, {part.type, part.channels, picture.has_alpha, picture.scale}};
}

LabelFileResult find(const State& state, const Job& job, const LabelFile& what) {
  const recipes::LabelRecipe recipe(what.options, what.limit);
  EitherDevice device(state.common, [&](const WorkShape& shape, Space space, const Execs& execs) {
    return recipe.plan(shape.size, space, execs.pinned);
  });
  Exec exec = state.common.exec();
  if (device.goes_to_gpu({{64, 64}, PixelType::bit})) exec.devices = device.gpus();
  io::ReadLimits limits;
  limits.max_pixels = state.common.max_pixels;
  limits.max_memory = state.common.max_memory;
  limits.allow_partial = state.common.partial;
  limits.select(state.page, state.band);
  limits.floats = recipes::Floats::numbers;
  auto settings = larger_than_memory(
      job, state.memory, state.common, limits,
      [&](const io::PictureFacts& facts) { return io::label_bytes(facts, what); });
  if (settings) {
    settings->use(exec.devices);
    Progress progress("rows", {});
    settings->bands.progress = [&](int64_t done, int64_t all) { progress.set(done, all); };
    LabelFileResult result = io::label_bands(job.input, *settings, what, exec);
    detail("{}: in bands, {} of them", job.input, result.bands);
    return result;
  }
  const io::Picture picture =
      job.input == "-" ? io::read_picture(io::read_standard_input(), "standard input", limits)
                       : io::read_picture(job.input, limits);
  std::optional<io::Picture> other;
  if (!state.intensity.empty()) other = io::read_picture(state.intensity, limits);
  return io::label_picture(
      part_of(picture, state, job.input),
      other ? std::optional(part_of(*other, state, state.intensity)) : std::nullopt, what, exec);
}

int run(const State& state) {
  const std::string format = format_of(state);
  LabelFile what;
  state.described.read(what.options);
  what.limit = OnCommandLine<double>::parse("--threshold", state.threshold);
  what.measure = state.measure || !state.intensity.empty();
  what.intensity = state.intensity;
  const Job job = job_of(state);
  RunFiles files(*state.common.verb);
  files.reads_input(job.input);
  files.writes(state.out, "-o");
  const LabelFileResult found = find(state, job, what);
  write_list(what.measure, state.out, format, found);
  const size_t count = found.components.size();
  note("{}: {} component{}", job.input == "-" ? "standard input" : job.input, count,
       count == 1 ? "" : "s");
  return exit_done;
}

}  // namespace

Verb add_label(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand(
      "label",
      "Lists the connected components of a mask: box, area, centroid.\nThe mask is the pixels with "
      "a gray level above --threshold. Components are numbered from 1 by their first pixel in "
      "raster order. Coordinates are pixels from the upper left corner of the picture, or of "
      "--region.");
  app->add_option("INPUT", state->input, "a picture; - reads one from standard input")
      ->type_name("")
      ->required();
  app->add_option("-o,--output", state->out, "write a .csv or .ndjson file; - (default): stdout")
      ->type_name("OUT");
  app->add_option("--format", state->format, "set the format of stdout: csv (default) or ndjson")
      ->type_name("NAME")
      ->check(one_of_names({"csv", "ndjson"}));
  app->add_option("--threshold", state->threshold, "set pixels above this gray level (default 0)")
      ->type_name("T");
  state->described.add<LabelOptions>(*app);
  app->add_flag("--measure", state->measure,
                "add columns: perimeter, extent, orientation, eccentricity, axes, diameter, "
                "intensities, central moments");
  app->add_option("--intensity", state->intensity,
                  "measure the gray levels of this picture of the same size (default: INPUT); "
                  "includes --measure")
      ->type_name("FILE");
  app->add_option("--page", state->page, "read this page of a file with several, from 1")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20));
  add_band(*app, state->band);
  app->add_option("--memory", state->memory.memory,
                  "limit memory: 512MB, 2GiB or bytes. Larger pictures are processed in bands of "
                  "rows with the same result; the list itself needs additional memory")
      ->type_name("SIZE")
      ->group("Large pictures");
  add_common(
      *app, state->common,
      takes_devices | takes_strategy | takes_threads | takes_region | takes_limits | takes_sandbox,
      {"cuesta label mask.png -o parts.csv",
       "cuesta label scan.tif --threshold 128 --format ndjson | jq .area",
       "cuesta label cells.png --intensity stain.tif -o cells.csv",
       "cuesta label huge.tif -o parts.csv --memory 512MB"});
  return {app, [state] { return run(*state); }};
}

}  // namespace cuesta::cli
