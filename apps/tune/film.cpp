#include "apps/tune/film.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "apps/tune/copy_as.hpp"
#include "apps/tune/replies.hpp"
#include "cuesta/io/colors.hpp"
#include "cuesta/objects.hpp"

namespace cuesta::cli::tune {
namespace {

/// Frames before the one that is seen, whose background is enough while a control moves.
constexpr size_t preview_frames = 20;

std::string scene_name(const std::string& input) { return beside(input, "-scene.json"); }

const Json& scene_in(const Json& asked) {
  static const Json none = Json::object();
  const auto found = asked.find("scene");
  return found == asked.end() ? none : *found;
}

bool is_empty(const Json& scene) {
  const auto none = [&](const char* key) {
    const auto found = scene.find(key);
    return found == scene.end() || found->empty();
  };
  return none("zones") && none("lines");
}

// The value of this name that is set, else `usual`.
template <class Value>
Value named_in(const Json& values, const char* name, Value usual) {
  const auto found = values.find(name);
  if (found == values.end() || !found->is_string()) return usual;
  return value_named<Value>(found->get<std::string>()).value_or(usual);
}

// The values that are set, without those of options that the background does not have: the page
// keeps them for the next one that has.
Json without_unused(Json values) {
  const BackgroundModel model = named_in(values, "background", MotionOptions().background.model);
  if (!has_rate_shift(model)) values.erase("rate_shift");
  if (!has_absorb(model)) values.erase("absorb");
  return values;
}

// What stands in for options that are left to the library, or to the background and sensitivity.
Json in_force(const MotionOptions& options, const Json& values) {
  Json out = Json::object();
  const MotionOptions usual;
  for_each_field<MotionOptions>([&](const auto& one) {
    const std::string text = text_of(one.get(options));
    if (!values.contains(one.name) && text != text_of(one.get(usual)))
      out[std::string(one.name)] = text;
  });
  if (options.blur_sigma == 0)
    out["blur_sigma"] = options.blur > 1
                            ? fmt::format("{:.3g}", 0.3 * ((options.blur - 1) / 2.0 - 1) + 0.8)
                            : std::string("no blur");
  const BackgroundModel model = options.background.model;
  constexpr const char* unused = "not used by this background";
  if (options.background.rate_shift == 0)
    out["rate_shift"] = !has_rate_shift(model)           ? unused
                        : model == BackgroundModel::mean ? "6"
                                                         : "9";
  if (options.background.absorb == 0) out["absorb"] = has_absorb(model) ? "250" : unused;
  return out;
}

// The defaults that the background and the sensitivity of `values` choose, where they differ from
// the usual ones: the page keeps a value that equals a usual default there.
Json chosen_defaults(const Json& values) {
  const MotionOptions usual;
  const auto chosen = MotionOptions::of(named_in(values, "background", usual.background.model),
                                        named_in(values, "sensitivity", Sensitivity::normal));
  Json out = Json::object();
  for_each_field<MotionOptions>([&](const auto& one) {
    const std::string text = text_of(one.get(chosen));
    if (text != text_of(one.get(usual)) && one.name != "background")
      out[std::string(one.name)] = text;
  });
  return out;
}

// The file that --scene reads, a zone or line a row.
std::string scene_text(const Json& scene) {
  std::string out = "{";
  for (const char* key : {"zones", "lines"}) {
    if (!scene.contains(key)) continue;
    std::string rows;
    for (const Json& one : scene[key])
      rows += (rows.empty() ? "\n    " : ",\n    ") +
              one.dump(-1, ' ', false, Json::error_handler_t::replace);
    out += fmt::format("{}\n  \"{}\": [{}\n  ]", out.size() > 1 ? "," : "", key, rows);
  }
  return out + "\n}\n";
}

}  // namespace

/// The detector, and what it found in each frame so far.
struct Film::Run {
  struct Seen {
    std::vector<Detection> detections{};
    std::vector<TrackedObject> objects{};
    FrameState state{};
    double threshold = 0;
    BitImage mask{};
  };
  std::string key{};
  Downscale small;
  MotionDetector detector;
  std::optional<SceneWatch> watch{};
  std::vector<Seen> seen{};

  Run(const DetectSettings& settings, const Scene& scene, Size frame)
      : small(settings.looks), detector(small.options_for(settings.motion)) {
    const Image<float> levels = zone_thresholds(scene, frame, settings.motion.threshold.level);
    if (!levels.empty()) detector.set_thresholds(small.thresholds(levels));
    if (settings.tracking) watch.emplace(frame, scene, *settings.tracking);
  }

  void push(ConstAnyView frame, size_t index, double time, int threads) {
    Seen& now = seen.emplace_back();
    const Exec exec{.threads = threads};
    const auto found = small.detections(detector.push(small.look(frame, exec), exec));
    now.detections.assign(found.begin(), found.end());
    now.state = small.state(detector.states().back());
    now.threshold = detector.threshold();
    const ConstBitView mask = small.mask(detector.mask());
    now.mask = BitImage(mask.width, mask.height);
    for (int32_t y = 0; y < mask.height; ++y)
      std::copy_n(mask.row(y), mask.words(), now.mask.view().row(y));
    if (!watch) return;
    const SceneStep& step = watch->push({int64_t(index), time}, found);
    now.objects.assign(step.objects.begin(), step.objects.end());
  }

  bool shows_objects(size_t at) const {
    return watch ? !seen[at].objects.empty() : !seen[at].detections.empty();
  }

  Json line_counts() const {
    Json counts = Json::array();
    for (const LineCount& one : watch->counts()) counts.push_back({one.to_right, one.to_left});
    return counts;
  }

  Json objects_of(const Seen& frame, const Scene& scene) const {
    Json objects = Json::array();
    const auto add = [&](const Detection& one, Json more) {
      more["box"] = {one.box.x, one.box.y, one.box.width, one.box.height};
      more["area"] = one.area;
      objects.push_back(std::move(more));
    };
    if (!watch) {
      for (const Detection& one : frame.detections) add(one, Json::object());
      return objects;
    }
    for (const TrackedObject& one : frame.objects) {
      Json zones = Json::array();
      for (size_t i = 0; i < scene.zones.size(); ++i)
        if (one.zones >> i & 1) zones.push_back(scene.zones[i].name);
      add(one.detection, {{"id", one.id}, {"zones", zones}});
    }
    return objects;
  }

  // The objects as JSON, then the rows of the mask; `about` gets what the page needs to part them.
  std::string describe(const Seen& frame, const Scene& scene, Json& about) const {
    std::string body = objects_of(frame, scene).dump();
    const ConstBitView mask = frame.mask.view();
    about.update({{"width", mask.width},
                  {"height", mask.height},
                  {"kind", "bits"},
                  {"stride", mask.words() * 8},
                  {"skip", body.size()},
                  {"warming_up", frame.state.warming_up},
                  {"changed", frame.state.changed},
                  {"threshold", frame.threshold},
                  {"tracked", watch.has_value()}});
    for (int32_t y = 0; y < mask.height; ++y)
      body.append(reinterpret_cast<const char*>(mask.row(y)), size_t(mask.words()) * 8);
    return body;
  }
};

DetectAsked::DetectAsked(const Json& values, const std::string& scene)
    : Asked("detect", add_detect_options, [&] {
        DetectOptions plain;
        CLI::App app;
        add_detect_options(app, plain);
        std::vector<std::string> names = names_in(plain.described);
        const auto more = names_in(plain.watch.described);
        names.insert(names.end(), more.begin(), more.end());
        names.push_back("track");
        auto words = words_of(without_unused(values), names);
        if (!scene.empty()) words.insert(words.end(), {"--scene", scene});
        return words;
      }()) {}

Json detect_controls() {
  DetectOptions options;
  CLI::App app;
  add_detect_options(app, options);
  return {{"options", controls_of(options.described)},
          {"tracking", controls_of(options.watch.described)}};
}

Film::Film(std::string input, const CommonOptions& common)
    : input_(std::move(input)),
      threads_(common.threads),
      reader_(io::open_frames(input_, {.max_pixels = common.max_pixels,
                                       .allow_partial = common.partial,
                                       .threads = common.threads,
                                       .timeout = common.timeout,
                                       .keep_depth = true})),
      rate_(double(reader_->format().rate_num) / double(reader_->format().rate_den)),
      bits_(reader_->format().bits),
      expected_(reader_->expected_frames()) {
  if (!common.region.empty()) {
    usage_error(common.region,
                "--region is {}; it is supported for pictures only (draw zones on the page)",
                common.region);
  }
  decoder_ = std::jthread([this] { decode(); });
  frame(0);
}

Film::~Film() { reader_->stop(); }

void Film::decode() {
  size_t bytes = 0;
  const auto end = [&](bool whole, std::string problem) {
    {
      const std::lock_guard lock(mutex_);
      whole_ = whole, ended_ = true, problem_ = std::move(problem);
    }
    grew_.notify_all();
  };
  try {
    io::Frame next;
    while (reader_->next(next)) {
      const ConstAnyView luma = next.deep_luma ? next.deep_luma : next.luma;
      AnyImage kept(luma.size(), 1, luma.type);
      copy(luma, kept);
      bytes += size_t(luma.width) * size_t(luma.height) * size_t(bytes_per_sample(luma.type));
      {
        const std::lock_guard lock(mutex_);
        frames_.push_back(std::move(kept));
        times_.push_back(next.time);
      }
      grew_.notify_all();
      if (bytes > max_bytes) return end(false, {});
    }
    end(true, {});
  } catch (const std::exception& error) {
    end(false, error.what());
  }
}

ConstAnyView Film::frame(size_t index) const {
  std::unique_lock lock(mutex_);
  grew_.wait(lock, [&] { return index < frames_.size() || ended_; });
  if (index < frames_.size()) return frames_[index].view();
  if (!problem_.empty()) throw Error(ErrorCode::input, problem_, input_);
  throw Error(ErrorCode::input,
              fmt::format("{}: there is no frame {}; {} frames are available", input_, index,
                          frames_.size()),
              input_);
}

Json Film::about() const {
  std::unique_lock lock(mutex_);
  return {{"verb", "detect"},
          {"name", input_},
          {"width", frames_.front().width()},
          {"height", frames_.front().height()},
          {"bits", bits_},
          {"rate", rate_},
          {"frames", frames_.size()},
          {"loading", !ended_},
          {"whole", whole_},
          {"expected", expected_ ? Json(*expected_) : Json()},
          {"scene", scene_name(input_)},
          {"controls", detect_controls()}};
}

Reply Film::answer(const HttpRequest& request) {
  if (!request.posts) {
    if (request.path != "source") return not_found();
    if (request.query.empty() || request.query.size() > 8 ||
        request.query.find_first_not_of("0123456789") != std::string::npos)
      usage_error(request.query, "tune: frame is {}; it must be a whole number", request.query);
    return source(size_t(std::stoul(request.query)));
  }
  const Json asked = parsed(request.body);
  if (request.path == "result") return result(asked);
  if (request.path == "copies") return copies(asked);
  return not_found();
}

Reply Film::source(size_t index) const {
  const auto begin = Clock::now();
  ConstAnyView luma = frame(index);
  Image<uint8_t> rounded;
  if (luma.type == PixelType::u16) {  // as it is drawn
    rounded = Image<uint8_t>(luma.size());
    const auto deep = luma.as<uint16_t>();
    for (int32_t y = 0; y < deep.height; ++y) {
      std::transform(deep.row(y), deep.row(y) + deep.width, rounded.row(y),
                     [](uint16_t v) { return io::to_8_bits(v, 16); });
    }
    luma = rounded;
  }
  const Json about = {{"width", luma.width}, {"height", luma.height}, {"kind", "samples"},
                      {"channels", 1},       {"frame", index},        {"level", 0}};
  return of_bytes(rows_of(luma), about, milliseconds_since(begin));
}

bool Film::has_frame(size_t index) const {
  std::unique_lock lock(mutex_);
  grew_.wait(lock, [&] { return index < frames_.size() || ended_; });
  return index < frames_.size();
}

bool Film::push_to(Run& run, size_t from, size_t last, bool moves) {
  for (size_t at = from + run.seen.size(); at <= last; ++at) {
    if ((moves ? quick_ : exact_).newer_waits()) return false;
    const ConstAnyView picture = frame(at);
    double time = 0;
    {
      const std::lock_guard lock(mutex_);
      time = times_[at];
    }
    run.push(picture, at, time, threads_);
  }
  return true;
}

Reply Film::result(const Json& asked) {
  const size_t index = size_t(std::max(0, number_of(asked, "frame")));
  const bool moves = number_of(asked, "level") > 0, seeks = number_of(asked, "next") > 0;
  const ConstAnyView first = frame(index);
  const Json& scene_json = scene_in(asked);
  const std::string scene_file = is_empty(scene_json) ? "" : scene_name(input_);
  Reply reply;
  bool replaced = false;
  const auto work = [&] {
    const auto begin = Clock::now();
    const DetectAsked options(values_in(asked), scene_file);
    const DetectSettings settings = settings_of(*options);
    const SceneFile scene =
        scene_file.empty() ? SceneFile{} : parse_scene(scene_text(scene_json), scene_file);
    const std::string key = in_shell(options.words()) + scene_text(scene_json);
    std::unique_ptr<Run> own;
    std::unique_ptr<Run>& run = moves ? own : run_;
    size_t from = 0;
    if (moves || !run || run->key != key) {
      run = std::make_unique<Run>(settings, scene.scene, first.size());
      run->key = key;
    }
    if (moves) {
      const size_t before = size_t(settings.motion.warm_up) + preview_frames;
      from = index > before ? index - before : 0;
    }
    if (replaced = !push_to(*run, from, index, moves); replaced) return;
    // The next frame with an object, where one was requested and exists.
    size_t shown = index;
    bool is_found = !seeks;
    for (size_t at = index + 1; !is_found && has_frame(at); ++at) {
      if (replaced = !push_to(*run, from, at, moves); replaced) return;
      is_found = run->shows_objects(at - from);
      if (is_found) shown = at;
    }
    const Run::Seen& seen = run->seen[shown - from];
    Json about = {{"frame", shown},
                  {"level", moves ? 1 : 0},
                  {"counts", Json::array()},
                  {"found", is_found},
                  {"in_force", in_force(settings.motion, values_in(asked))},
                  {"chosen", chosen_defaults(values_in(asked))}};
    // Counts are of every frame so far, which a preview has not seen.
    if (run->watch && !moves && run->seen.size() == shown + 1) about["counts"] = run->line_counts();
    std::string body = run->describe(seen, scene.scene, about);
    reply = of_bytes(std::move(body), about, milliseconds_since(begin));
  };
  return (moves ? quick_ : exact_).run(work) && !replaced ? reply : superseded();
}

Reply Film::copies(const Json& asked) const {
  const Json& scene = scene_in(asked);
  const std::string file = is_empty(scene) ? "" : scene_name(input_);
  const DetectAsked options(values_in(asked), file);
  const std::string text = file.empty() ? "" : scene_text(scene);
  const SceneFile read = file.empty() ? SceneFile{} : parse_scene(text, file);
  Json all = copies_of_detect(options, input_, read.scene);
  all["scene"] = text;
  return of_json(all);
}

}  // namespace cuesta::cli::tune
