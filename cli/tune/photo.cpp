#include "cli/tune/photo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/samples.hpp"
#include "cli/tune/copy_as.hpp"
#include "cli/tune/replies.hpp"
#include "cli/tune/stages.hpp"
#include "core/threads.hpp"
#include "cuesta/objects.hpp"

namespace cuesta::cli::tune {
namespace {

// Halves stop where a picture has no more pixels than this.
constexpr int64_t small_enough = 300000;

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
          out[x * c + k] = T((uint32_t(a[at]) + a[at + c] + b[at] + b[at + c] + 2) >> 2);
        }
    }
  });
}

io::Picture half_of(const io::Picture& picture, int threads) {
  io::Picture half;
  half.has_alpha = picture.has_alpha;
  half.scale = picture.scale;
  const ConstAnyView from = picture.view();
  half.pixels.create({from.width / 2, from.height / 2}, from.channels, from.type);
  if (from.type == PixelType::u8)
    halve(from.as<uint8_t>(), half.pixels.as<uint8_t>(), threads);
  else
    halve(from.as<uint16_t>(), half.pixels.as<uint16_t>(), threads);
  return half;
}

}  // namespace

Photo::Photo(std::string input, const CommonOptions& common)
    : input_(std::move(input)), region_(common.region), threads_(common.threads) {
  io::Picture whole =
      io::read_picture(input_, {.max_pixels = common.max_pixels, .allow_partial = common.partial});
  if (const auto region = common.region_rect()) {
    const ConstAnyView part = region_of(whole.view(), region, input_);
    AnyImage cut(part.size(), part.channels, part.type);
    copy(part, cut);
    whole.pixels = std::move(cut);
  }
  if (int64_t(whole.width()) * whole.height() > most_pixels) {
    throw Error(ErrorCode::input,
                fmt::format("{}: {} x {} pixels are more than the {} that a page shows; --region "
                            "x,y,w,h tunes on a part of it",
                            input_, whole.width(), whole.height(), most_pixels),
                input_);
  }
  levels_.push_back(std::move(whole));
  while (int64_t(levels_.back().width()) * levels_.back().height() > small_enough &&
         std::min(levels_.back().width(), levels_.back().height()) >= 2)
    levels_.push_back(half_of(levels_.back(), threads_));
}

const io::Picture& Photo::picture(int level) const {
  if (level < 0 || size_t(level) >= levels_.size())
    usage_error(std::to_string(level), "tune: there is no level {}; they are 0 to {}", level,
                levels_.size() - 1);
  return levels_[size_t(level)];
}

Json Photo::about() const {
  Json levels = Json::array();
  for (const auto& one : levels_)
    levels.push_back({{"width", one.width()}, {"height", one.height()}});
  Json all = {{"verb", "edges"},
              {"name", input_},
              {"width", levels_[0].width()},
              {"height", levels_[0].height()},
              {"bits", levels_[0].view().type == PixelType::u16 ? 16 : 8},
              {"levels", levels},
              {"controls", edges_controls()}};
  for (const auto& method : all["controls"]["method"]["choices"]) {
    Json stages = Json::array();
    for (const auto& one : stages_of(method.get<std::string>()))
      stages.push_back({{"name", one.name}, {"words", one.words}});
    all["stages"][method.get<std::string>()] = stages;
  }
  return all;
}

Reply Photo::answer(const Request& request) {
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
  const io::Picture& from = picture(level);
  AnyImage holder;
  const ConstAnyView bytes = converted(from.view(), PixelType::u8, holder);
  const Json about = {{"width", bytes.width},
                      {"height", bytes.height},
                      {"kind", "samples"},
                      {"channels", bytes.channels},
                      {"level", level}};
  return of_bytes(rows_of(bytes), about, milliseconds_since(begin));
}

Json at_level(Json values, int level) {
  const double scale = double(1 << level);
  const std::string method = values.value("method", "canny");
  const auto number = [&](const char* key, double usual) {
    return values.contains(key) ? parse_number(key, values[key].get<std::string>()) : usual;
  };
  const double sigma = number("sigma", method == "sobel" ? 0 : 1.4);
  const int ksize = int(number("ksize", 0));
  const bool is_log = method == "log";
  if (sigma > 0) {
    const double smaller = sigma / scale;
    values["sigma"] = fmt::format("{}", is_log ? std::max(0.5, smaller) : smaller);
    if (smaller < 0.3 && !is_log) values["sigma"] = "0";
  }
  if (ksize > 0) values["ksize"] = std::to_string((int(ksize / scale) / 2) * 2 + 1);
  // A smooth slope is as much steeper as it is shorter; a sharp step stays one.
  const double steeper = sigma >= 0.8 ? scale : 1;
  for (const char* key : {"low", "high", "threshold"}) {
    if (!values.contains(key) && !(is_log && key == std::string("threshold"))) continue;
    const std::string text =
        values.contains(key) ? values[key].get<std::string>() : std::string("5");
    if (text.starts_with("auto")) continue;
    values[key] =
        fmt::format("{}", parse_number(key, text) * (is_log ? steeper * steeper : steeper));
  }
  return values;
}

// ---- what is computed

Reply Photo::result(const Json& asked) {
  const int level = number_of(asked, "level");
  const io::Picture& from = picture(level);
  Reply reply;
  const auto work = [&] {
    const auto begin = Clock::now();
    const EdgesAsked options(level > 0 ? at_level(values_in(asked), level) : values_in(asked));
    EdgesOptions settings = *options;
    settings.common.device = "cpu";
    settings.common.threads = threads_;
    settings.common.region.clear();  // the picture is cut already
    const Image<uint8_t> no_mask;
    const auto conversion = edges_conversion(settings, no_mask);
    const ConstAnyView edges = conversion->on_picture(from, Job{.input = input_}).pixels;
    const double edges_ms = milliseconds_since(begin);
    Json about = {{"width", edges.width}, {"height", edges.height}, {"level", level}};
    conversion->add_facts(about, edges, 0);
    if (level > 0) about.erase("edge_pixels");
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
    about["edges_ms"] = std::round(edges_ms * 100) / 100;
    reply = of_bytes(std::move(body), about, milliseconds_since(begin));
  };
  return (level > 0 ? quick_ : exact_).run(work) ? reply : superseded();
}

Reply Photo::histogram(const Json& asked) {
  Reply reply;
  const auto work = [&] {
    const EdgesAsked options(values_in(asked));
    AnyImage holder;
    const ConstAnyView gray = gray_of(levels_[0].view(), holder, {.threads = threads_});
    const Strengths strengths = strengths_of(*options, gray, levels_[0].scale, threads_);
    reply = of_json({{"what", strengths.what}, {"most", strengths.most}, {"bins", strengths.bins}});
  };
  return side_.run(work) ? reply : superseded();
}

Reply Photo::stage(const Json& asked) {
  const int level = number_of(asked, "level");
  const io::Picture& from = picture(level);
  const auto name = asked.value("stage", "");
  Reply reply;
  const auto work = [&] {
    const auto begin = Clock::now();
    const EdgesAsked options(level > 0 ? at_level(values_in(asked), level) : values_in(asked));
    AnyImage holder;
    const ConstAnyView gray = gray_of(from.view(), holder, {.threads = threads_});
    const auto made = stage_picture(*options, name, gray, from.scale, threads_);
    const Json about = {{"width", made.width()},
                        {"height", made.height()},
                        {"kind", "samples"},
                        {"channels", 1},
                        {"level", level}};
    reply = of_bytes(rows_of(made), about, milliseconds_since(begin));
  };
  return (level > 0 ? quick_ : exact_).run(work) ? reply : superseded();
}

Json Photo::with_region(Json values) const {
  if (!region_.empty()) values["region"] = region_;
  return values;
}

Reply Photo::copies(const Json& values) const {
  const EdgesAsked asked(with_region(values));
  const io::Picture& whole = levels_[0];
  const Source source{.path = input_,
                      .deep = whole.view().type == PixelType::u16,
                      .scale = whole.scale,
                      .region = asked->common.region_rect().value_or(Rect{})};
  return of_json(copies_of_edges(asked, source));
}

}  // namespace cuesta::cli::tune
