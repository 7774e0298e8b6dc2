#include "apps/tune/photo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "apps/tune/copy_as.hpp"
#include "apps/tune/replies.hpp"
#include "apps/tune/stages.hpp"
#include "cli/samples.hpp"
#include "core/threads.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/recipes/edges.hpp"
#include "cuesta/smoothing.hpp"

namespace cuesta::cli::tune {
namespace {

// Halves stop where a picture has no more pixels than this.
constexpr int64_t small_enough = 300000;

constexpr std::string_view lines_format = "svg";
const std::string usual_lines = "lines.svg";  // where no file is named

template <class T>
void halve(ImageView<const T> from, ImageView<T> to, int threads) {
  const int c = from.channels;
  parallel_rows(to.height, threads, [&](int32_t begin, int32_t end) {
    for (int32_t y = begin; y < end; ++y) {
      const T* const a = from.row(2 * y);
      const T* const b = from.row(2 * y + 1);
      T* const out = to.row(y);
      for (int32_t x = 0; x < to.width; ++x)
        for (int k = 0; k < c; ++k) {
          const int at = 2 * x * c + k;
          if constexpr (std::is_same_v<T, float>)
            out[x * c + k] = (a[at] + a[at + c] + b[at] + b[at + c]) / 4;
          else
            out[x * c + k] = T((uint32_t(a[at]) + a[at + c] + b[at] + b[at + c] + 2) >> 2);
        }
    }
  });
}

// A pixel of the half is a hole where one of its four is.
Image<uint8_t> half_of(const Image<uint8_t>& holes) {
  Image<uint8_t> half(holes.width() / 2, holes.height() / 2);
  for (int32_t y = 0; y < half.height(); ++y)
    for (int32_t x = 0; x < half.width(); ++x)
      half.at(x, y) = holes.at(2 * x, 2 * y) | holes.at(2 * x + 1, 2 * y) |
                      holes.at(2 * x, 2 * y + 1) | holes.at(2 * x + 1, 2 * y + 1);
  return half;
}

io::Picture half_of(const io::Picture& picture, int threads) {
  io::Picture half;
  if (!picture.holes.empty()) half.holes = half_of(picture.holes);
  half.has_alpha = picture.has_alpha;
  half.scale = picture.scale;
  const ConstAnyView from = picture.view();
  half.pixels.create({from.width / 2, from.height / 2}, from.channels, from.type);
  if (from.type == PixelType::u8)
    halve(from.as<uint8_t>(), half.pixels.as<uint8_t>(), threads);
  else if (from.type == PixelType::f32)
    halve(from.as<float>(), half.pixels.as<float>(), threads);
  else
    halve(from.as<uint16_t>(), half.pixels.as<uint16_t>(), threads);
  return half;
}

ConstAnyView seen_by(const recipes::EdgesRecipe& recipe, const io::Picture& picture,
                     AnyImage& holder, int threads) {
  const ConstAnyView view = picture.view();
  return recipe.see(view, {view.type, view.channels, picture.has_alpha, picture.scale}, holder,
                    {.threads = threads});
}

}  // namespace

Photo::Photo(std::string input, const CommonOptions& common, int page, int band)
    : input_(std::move(input)),
      region_(common.region),
      threads_(common.threads),
      page_(page),
      band_(band) {
  io::ReadLimits limits{.max_pixels = common.max_pixels, .allow_partial = common.partial};
  limits.select(page, band);
  limits.floats = recipes::Floats::numbers;
  io::Picture whole = io::read_picture(input_, limits);
  if (whole.pixels.type() == PixelType::f32) {
    // Levels and holes, for methods that take no floats.
    limits.floats = recipes::Floats::holes;
    whitened_ = pyramid_of(io::read_picture(input_, limits), common);
  }
  levels_ = pyramid_of(std::move(whole), common);
}

// The picture, cut, and its halves.
std::vector<io::Picture> Photo::pyramid_of(io::Picture whole, const CommonOptions& common) const {
  if (const auto region = common.region_rect()) {
    const ConstAnyView part = region_of(whole.view(), region, input_);
    AnyImage cut(part.size(), part.channels, part.type);
    copy(part, cut);
    whole.pixels = std::move(cut);
    if (!whole.holes.empty()) {
      Image<uint8_t> holes(part.width, part.height);
      copy(region_of(ConstAnyView(whole.holes), region, input_), holes);
      whole.holes = std::move(holes);
    }
  }
  if (int64_t(whole.width()) * whole.height() > max_pixels) {
    throw Error(
        ErrorCode::input,
        fmt::format("{}: {} x {} pixels exceed the {} that a page shows; use --region x,y,w,h",
                    input_, whole.width(), whole.height(), max_pixels),
        input_);
  }
  std::vector<io::Picture> all;
  all.push_back(std::move(whole));
  while (int64_t(all.back().width()) * all.back().height() > small_enough &&
         std::min(all.back().width(), all.back().height()) >= 2)
    all.push_back(half_of(all.back(), threads_));
  return all;
}

const io::Picture& Photo::picture(int level, const recipes::EdgesRecipe& recipe) const {
  const io::Picture& numbers = picture(level);
  const bool is_whitened = !whitened_.empty() && recipe.floats() == recipes::Floats::holes;
  return is_whitened ? whitened_[size_t(level)] : numbers;
}

const io::Picture& Photo::picture(int level) const {
  if (level < 0 || size_t(level) >= levels_.size())
    usage_error(std::to_string(level), "tune: level is {}; it must be 0 to {}", level,
                levels_.size() - 1);
  return levels_[size_t(level)];
}

Json Photo::about() const {
  Json levels = Json::array();
  for (const auto& one : levels_)
    levels.push_back({{"width", one.width()}, {"height", one.height()}});
  const Json controls = edges_controls();
  Json stages = Json::object();
  for (const Json& choice : controls["method"]["choices"]) {
    const auto method = choice.get<std::string>();
    stages[method] = Json::array();
    for (const auto& one : stages_of(method))
      stages[method].push_back({{"name", one.name}, {"words", one.words}});
  }
  return {{"verb", "edges"},
          {"name", input_},
          {"width", levels_[0].width()},
          {"height", levels_[0].height()},
          {"channels", levels_[0].view().channels},
          {"bits", bytes_per_sample(levels_[0].view().type) * 8},
          {"levels", levels},
          {"stages", stages},
          {"controls", controls}};
}

Reply Photo::answer(const HttpRequest& request) {
  if (!request.posts) {
    if (request.path != "source") return not_found();
    return source(request.query.size() == 1 ? request.query[0] - '0' : -1);
  }
  const Json asked = parsed(request.body);
  if (request.path == "result") return result(asked);
  if (request.path == "histogram") return histogram(asked);
  if (request.path == "stage") return stage(asked);
  if (request.path == "copies") return copies(values_in(asked));
  return not_found();
}

Reply Photo::source(int level) const {
  const auto begin = Clock::now();
  picture(level);
  const io::Picture& from = whitened_.empty() ? levels_[size_t(level)] : whitened_[size_t(level)];
  AnyImage holder;
  const ConstAnyView bytes = converted(from.view(), PixelType::u8, holder);
  const Json about = {{"width", bytes.width},
                      {"height", bytes.height},
                      {"kind", "samples"},
                      {"channels", bytes.channels},
                      {"level", level}};
  return of_bytes(rows_of(bytes), about, milliseconds_since(begin));
}

AtLevel at_level(const Json& values, int level) {
  if (level == 0) return {values};
  const double scale = double(1 << level);
  const EdgesAsked asked(values, usual_lines);
  const recipes::EdgesRecipe recipe(edges_of(*asked));
  AtLevel out{values};
  const auto set = [&](const char* name, double value) {
    out.values[name] = fmt::format("{}", value);
  };
  const auto set_smoothing = [&](double sigma, int ksize, double least, double none) {
    if (sigma > 0) set("sigma", sigma / scale < least ? none : sigma / scale);
    const int half_window = int(ksize / (2 * scale));
    if (ksize > 0) set("ksize", 2 * half_window + 1);
    // A smooth slope is as much steeper as it is shorter; a sharp step stays one.
    if (sigma >= 0.8) out.steeper = scale;
  };
  if (asked->method == "log") {
    const LogOptions log = recipe.log({});
    set_smoothing(smoothing_of(log).sigma, log.ksize, 0.5, 0.5);
    out.steeper *= out.steeper;
    if (asked->threshold.empty()) set("threshold", log.threshold * out.steeper);
  } else if (asked->method == "canny") {
    const CannyOptions canny = recipe.canny({});
    set_smoothing(smoothing_of(canny).sigma, canny.ksize, 0.3, 0);
  } else if (const auto* sobel = std::get_if<SobelEdges>(&recipe.options())) {
    set_smoothing(sobel->sigma, sobel->ksize, 0.3, 0);
  }
  for (const char* name : {"low", "high", "threshold"}) {
    const auto given = values.find(name);
    if (given == values.end()) continue;
    const auto text = given->get<std::string>();
    if (!text.starts_with("auto")) set(name, parse_number(name, text) * out.steeper);
  }
  if (!asked->lines.out.empty()) {
    const TraceOptions trace = trace_of(*asked);
    set("line_tolerance", trace.tolerance / scale);
    set("min_length", trace.min_length / scale);
  }
  return out;
}

// ---- what is computed

Reply Photo::result(const Json& asked) {
  const int level = number_of(asked, "level");
  picture(level);
  Reply reply;
  const auto work = [&] {
    const auto begin = Clock::now();
    // Halves are smoothed as the whole picture is.
    const Json whole = level > 0 ? settled(values_in(asked)) : values_in(asked);
    const auto [values, steeper] = at_level(whole, level);
    const EdgesAsked options(values, usual_lines);
    EdgesArguments settings = *options;
    settings.common.device = "cpu";
    settings.common.threads = threads_;
    settings.common.region.clear();  // the picture is cut already
    const Image<uint8_t> no_mask;
    const auto conversion = edges_conversion(settings, no_mask);
    const Job job{
        .input = input_, .lines = settings.lines.out, .lines_format = std::string(lines_format)};
    const recipes::EdgesRecipe recipe(edges_of(settings));
    const Made made = conversion->on_picture(picture(level, recipe), job);
    const ConstAnyView edges = made.pixels;
    const double edges_ms = milliseconds_since(begin);
    Json about = {{"width", edges.width}, {"height", edges.height}, {"level", level}};
    conversion->add_facts(about, made);
    if (level > 0) about.erase("edge_pixels"), about.erase("sigma");
    for (const char* name : {"low", "high"})
      if (about.contains(name)) about[name] = about[name].get<double>() / steeper;
    std::string body;
    if (settings.method != "sobel" || !settings.threshold.empty()) {
      about["kind"] = "bits";
      BitImage bits(edges.size());
      pack_mask(edges, bits, {.threads = threads_});
      const ConstBitView view = bits.view();
      about["stride"] = view.words() * 8;
      for (int32_t y = 0; y < view.height; ++y)
        body.append(reinterpret_cast<const char*>(view.row(y)), size_t(view.words()) * 8);
    } else {
      about["kind"] = "samples";
      about["channels"] = 1;
      AnyImage holder;
      body = rows_of(converted(edges, PixelType::u8, holder));
    }
    if (!job.lines.empty()) {
      about["lines_at"] = body.size();  // the file of the lines is behind the edges
      body += conversion->lines_text(job, made);
    }
    about["edges_ms"] = std::round(edges_ms * 100) / 100;
    reply = of_bytes(std::move(body), about, milliseconds_since(begin));
  };
  return (level > 0 ? quick_ : exact_).run(work) ? reply : superseded();
}

Json Photo::settled(Json values) {
  const EdgesAsked asked(values, usual_lines);
  const recipes::EdgesRecipe recipe(edges_of(*asked));
  if (!recipe.finds_sigma()) return values;
  const std::lock_guard lock(settling_);
  const bool sees_color = recipe.sees_color();
  if (!sigmas_.contains(sees_color)) {
    AnyImage holder;
    const ConstAnyView seen = seen_by(recipe, levels_[0], holder, threads_);
    const auto options = recipe.settled_options(seen, {}, {.threads = threads_});
    sigmas_[sees_color] = *std::get<CannyEdges>(options).sigma;
  }
  values["sigma"] = fmt::format("{}", sigmas_[sees_color]);
  return values;
}

Reply Photo::histogram(const Json& asked) {
  Reply reply;
  const auto work = [&] {
    const EdgesAsked options(settled(values_in(asked)), usual_lines);
    const recipes::EdgesRecipe recipe(edges_of(*options));
    AnyImage holder;
    const io::Picture& from = picture(0, recipe);
    const ConstAnyView seen = seen_by(recipe, from, holder, threads_);
    const Strengths strengths = strengths_of(recipe, seen, from.scale, threads_);
    reply = of_json({{"what", strengths.what}, {"most", strengths.most}, {"bins", strengths.bins}});
  };
  return side_.run(work) ? reply : superseded();
}

Reply Photo::stage(const Json& asked) {
  const int level = number_of(asked, "level");
  picture(level);
  const auto name = asked.value("stage", "");
  Reply reply;
  const auto work = [&] {
    const auto begin = Clock::now();
    const EdgesAsked options(at_level(settled(values_in(asked)), level).values, usual_lines);
    const recipes::EdgesRecipe recipe(edges_of(*options));
    AnyImage holder;
    const io::Picture& from = picture(level, recipe);
    const ConstAnyView seen = seen_by(recipe, from, holder, threads_);
    const AnyImage made = stage_picture(recipe, name, seen, from.scale, threads_);
    const ConstAnyView view = made.view();
    const Json about = {{"width", view.width},
                        {"height", view.height},
                        {"kind", "samples"},
                        {"channels", view.channels},
                        {"level", level}};
    reply = of_bytes(rows_of(view), about, milliseconds_since(begin));
  };
  return (level > 0 ? quick_ : exact_).run(work) ? reply : superseded();
}

// Adds the options that select samples of the file.
Json Photo::with_source(Json values) const {
  if (!region_.empty()) values["region"] = region_;
  if (page_ > 0) values["page"] = std::to_string(page_);
  if (band_ > 0) values["band"] = std::to_string(band_);
  return values;
}

Reply Photo::copies(const Json& values) const {
  const EdgesAsked asked(with_source(values),
                         beside(input_, "-lines." + std::string(lines_format)));
  const io::Picture& whole = levels_[0];
  const Source source{.path = input_,
                      .type = whole.view().type,
                      .channels = whole.view().channels,
                      .region = asked->common.region_rect().value_or(Rect{}),
                      .page = page_,
                      .band = band_};
  return of_json(copies_of_edges(asked, source));
}

}  // namespace cuesta::cli::tune
