#include "bench/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bench/timing.hpp"
#include "core/threads.hpp"
#include "cuesta/border.hpp"
#include "cuesta/error.hpp"
#include "verify/patterns.hpp"
#ifdef CUESTA_HAS_PICTURES
#include "cuesta/objects.hpp"
#include "io/picture.hpp"
#endif

namespace cuesta::bench {
namespace {

// Plain strategies are timed on pictures up to this size, where one run takes no longer than this.
constexpr int64_t plain_pixels = 1024 * 1024;
constexpr double plain_ms = 100;

// Under the widest picture of a table, so that mirrored copies do not look like a texture.
Image<uint8_t> make_tile() {
#ifdef CUESTA_HAS_PICTURES
  if (const char* folder = std::getenv("CUESTA_OPENCV_DATA"); folder && *folder) {
    const io::Picture photo = io::read_picture(std::filesystem::path(folder) / "building.jpg");
    Image<uint8_t> gray(photo.width(), photo.height());
    to_gray(photo.view(), gray);
    return gray;
  }
#endif
  Image<uint8_t> made(640, 480);
  verify::fill(made, verify::Pattern::natural, 1);
  return made;
}

}  // namespace

void copy_rows(ConstAnyView from, AnyView to, int threads) {
  const size_t bytes =
      size_t(from.width) * size_t(from.channels) * size_t(bytes_per_sample(from.type));
  parallel_rows(from.height, threads, [&](int32_t begin, int32_t end) {
    for (int32_t y = begin; y < end; ++y) {
      std::memcpy(static_cast<char*>(to.data) + to.stride_bytes * y,
                  static_cast<const char*>(from.data) + from.stride_bytes * y, bytes);
    }
  });
}

Session::Session(const Settings& settings, Result& result, std::unique_ptr<Peer> opencv,
                 std::unique_ptr<DevicePeer> npp)
    : settings_(settings),
      result_(result),
      threads_(thread_count(settings.threads)),
      opencv_(std::move(opencv)),
      npp_(std::move(npp)),
      tile_(make_tile()) {
  if (result_.gpu) stream_ = std::make_unique<Stream>();
  if (opencv_) {
    opencv_->set_threads(threads_);
    result_.machine.peers.push_back(fmt::format("{} {}", opencv_->name(), opencv_->version()));
  }
  if (npp_) result_.machine.peers.push_back(fmt::format("{} {}", npp_->name(), npp_->version()));
}

Session::~Session() = default;

Exec Session::exec(std::string_view strategy) {
  Exec exec;
  exec.strategy = strategy;
  exec.threads = threads_;
  exec.workspace = &workspace_;
  return exec;
}

bool Session::wants_table(std::string_view name) const {
  return settings_.only.empty() ||
         std::find(settings_.only.begin(), settings_.only.end(), name) != settings_.only.end();
}

Image<uint8_t> Session::photograph(int32_t width, int32_t height) {
  Image<uint8_t> out(width, height);
  for (int32_t y = 0; y < height; ++y) {
    const uint8_t* row = tile_.row(map_index<BorderMode::reflect>(y, tile_.height()));
    for (int32_t x = 0; x < width; ++x)
      out.at(x, y) = row[map_index<BorderMode::reflect>(x, tile_.width())];
  }
  return out;
}

Image<uint8_t> Session::noise(int32_t width, int32_t height, uint64_t seed) {
  Image<uint8_t> out(width, height);
  verify::fill(out, verify::Pattern::noise, seed);
  return out;
}

Image<float> Session::floats_of(const Image<uint8_t>& bytes) {
  Image<float> floats(bytes.width(), bytes.height());
  for (int32_t y = 0; y < bytes.height(); ++y)
    for (int32_t x = 0; x < bytes.width(); ++x) floats.at(x, y) = float(bytes.at(x, y));
  return floats;
}

std::string Session::where() const {
  if (result_.gpu) return result_.gpu->name;
  return fmt::format("{}, no GPU", result_.machine.cpu);
}

void Session::add_strategies(Table& table, std::string_view operation,
                             const std::function<void(const Exec&)>& call) {
  const bool small = int64_t(table.src.width) * table.src.height <= plain_pixels;
  for (const StrategyDescription& row : list_strategies()) {
    if (row.operation != operation || row.space != Space::host) continue;
    const bool plain = row.tier != Tier::production;
    if (plain && !small) continue;
    const Exec pinned = exec(row.name);
    try {
      const std::function<void()> once = [&] { call(pinned); };
      const double ms = time_once(once);
      if (plain && ms > plain_ms) continue;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      continue;  // a row that refuses this request has no time
    }
    table.contenders.push_back(
        {std::string(operation), std::string(row.name), [call, pinned] { call(pinned); }});
  }
}

void Session::add_opencv(Table& table, const std::string& operation, std::function<void()> call) {
  if (opencv_) table.contenders.push_back({operation, "opencv", std::move(call)});
}

bool Session::expect(bool equal, std::string_view what) {
  if (!equal) result_.differences.emplace_back(what);
  return equal;
}

bool Session::expect_equal(std::string_view what, ConstAnyView ours, ConstAnyView theirs) {
  const size_t bytes =
      size_t(ours.width) * size_t(ours.channels) * size_t(bytes_per_sample(ours.type));
  for (int32_t y = 0; y < ours.height; ++y) {
    const auto* a = static_cast<const char*>(ours.data) + ours.stride_bytes * y;
    const auto* b = static_cast<const char*>(theirs.data) + theirs.stride_bytes * y;
    if (std::memcmp(a, b, bytes) == 0) continue;
    return expect(false, fmt::format("{}, {}x{}: row {} differs from the peer's", what, ours.width,
                                     ours.height, y));
  }
  return true;
}

void Session::time(const Table& table) {
  const ConstAnyView src = table.src;
  const int sample = bytes_per_sample(src.type);
  Image<uint8_t> copy(src.width * sample, src.height, src.channels);
  const AnyView into(copy.view().data, src.width, src.height, src.channels,
                     copy.view().stride_bytes, src.type);

  std::vector<std::function<void()>> bodies = {[&] { copy_rows(src, into, threads_); }};
  for (const Contender& contender : table.contenders) bodies.push_back(contender.run);
  const auto times = time_in_turns(bodies, settings_.quick ? 7 : 11, settings_.quick ? 2.0 : 20.0);

  double opencv_ms = 0;
  for (size_t i = 0; i < table.contenders.size(); ++i) {
    if (table.contenders[i].strategy == "opencv") opencv_ms = times[i + 1].ms;
  }
  std::string text =
      fmt::format("\n{}  {}x{} {}, {} thread{}{}{}\n  {:<12} {:>10} {:>8} {:>10} {:>8} {:>9}\n",
                  table.experiment, src.width, src.height, name_of(src.type), threads_,
                  threads_ == 1 ? "" : "s", table.parameters.empty() ? "" : ", ", table.parameters,
                  "strategy", "ms", "spread", "Mpixel/s", "x copy", "x opencv");
  const double pixels = double(src.width) * src.height;
  const auto strategies = list_strategies();
  for (size_t i = 0; i < bodies.size(); ++i) {
    Row row;
    row.experiment = table.experiment;
    row.operation = i == 0 ? "copy" : table.contenders[i - 1].operation;
    row.strategy = i == 0 ? "memcpy" : table.contenders[i - 1].strategy;
    row.space = "host";
    row.parameters = table.parameters;
    row.type = name_of(src.type);
    row.width = src.width;
    row.height = src.height;
    row.threads = threads_;
    row.ms = times[i].ms;
    row.ms_spread = times[i].spread;
    row.copy_ms = times[0].ms;
    row.bytes_per_pixel = i == 0 ? 2.0 * sample * src.channels : table.bytes_per_pixel;
    if (i > 0) row.gflops = table.flops_per_pixel * pixels / (row.ms * 1e6);
    for (const auto& known : strategies) {
      if (known.operation == row.operation && known.name == row.strategy &&
          known.space == Space::host)
        row.paper = known.paper;
    }
    // How many times as fast as OpenCV; our own rows only.
    const bool ours = i > 0 && row.strategy != "opencv" && opencv_ms > 0;
    text += fmt::format("  {:<12} {:>10.4f} {:>8.4f} {:>10.0f} {:>8.2f} {:>9}\n", row.strategy,
                        row.ms, row.ms_spread, pixels / (row.ms * 1e3), row.times_copy(),
                        ours ? fmt::format("{:.2f}", opencv_ms / row.ms) : "");
    result_.rows.push_back(std::move(row));
  }
  settings_.print(text);
}

}  // namespace cuesta::bench
