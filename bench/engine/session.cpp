#include "bench/engine/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "cuesta/border.hpp"
#include "cuesta/error.hpp"
#include "verify/patterns.hpp"
#ifdef CUESTA_HAS_PICTURES
#include "cuesta/io/picture.hpp"
#include "cuesta/objects.hpp"
#endif

namespace cuesta::bench {
namespace {

#ifdef CUESTA_HAS_PICTURES
// Empty where none is named.
std::filesystem::path picture_folder() {
  const char* const folder = std::getenv("CUESTA_OPENCV_DATA");
  return folder ? folder : "";
}

Image<uint8_t> gray_of(const io::Picture& photo) {
  Image<uint8_t> gray(photo.width(), photo.height());
  to_gray(photo.view(), gray);
  return gray;
}
#endif

// Under the widest picture of a table, so that mirrored copies do not look like a texture.
Image<uint8_t> make_tile() {
#ifdef CUESTA_HAS_PICTURES
  if (const auto folder = picture_folder(); !folder.empty())
    return gray_of(io::read_picture(folder / "building.jpg"));
#endif
  Image<uint8_t> made(640, 480);
  verify::fill(made, verify::Pattern::natural, 1);
  return made;
}

}  // namespace

void copy_rows(ConstAnyView from, AnyView to, int threads) {
  const auto bytes = size_t(detail::row_bytes(from));
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

std::vector<Photograph> Session::photographs(int32_t side, size_t most) {
  if (!photographs_) photographs_ = read_photographs();
  std::vector<Photograph> squares;
  for (const Photograph& photograph : *photographs_) {
    if (squares.size() == most) break;
    if (Image<uint8_t> square = square_of(photograph.gray, side); square.width() > 0)
      squares.push_back({photograph.name, std::move(square)});
  }
  return squares;
}

Image<uint8_t> Session::papers_picture(std::string_view experiment, int32_t side) {
  std::vector<Photograph> found = photographs(side, 1);
  if (found.empty()) {
    Photograph& made = found.emplace_back(Photograph{"generated", Image<uint8_t>(side, side)});
    verify::fill(made.gray, verify::Pattern::natural, 1);
  }
  add_input(experiment, {}, side, found[0].name);
  return std::move(found[0].gray);
}

void Session::add_input(std::string_view experiment, std::string parameters, int32_t side,
                        std::string name) {
  add_figure({.experiment = std::string(experiment),
              .parameters = std::move(parameters),
              .width = side,
              .height = side,
              .source = "input",
              .subject = std::move(name),
              .what = "picture"});
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

Image<uint16_t> Session::words_of(const Image<uint8_t>& bytes) {
  Image<uint16_t> words(bytes.width(), bytes.height());
  for (int32_t y = 0; y < bytes.height(); ++y)
    for (int32_t x = 0; x < bytes.width(); ++x) words.at(x, y) = uint16_t(bytes.at(x, y) * 257);
  return words;
}

void Session::add_measured(Measured measured) {
  measured_(measured);
  result_.notes.insert(result_.notes.end(), measured.notes.begin(), measured.notes.end());
  result_.rows.insert(result_.rows.end(), measured.rows.begin(), measured.rows.end());
}

void Session::note(std::string text) {
  settings_.print(text + "\n");
  result_.notes.push_back(std::move(text));
}

bool Session::verified(const std::string& operation) {
  if (!settings_.verify) return true;
  const auto [known, first] = verified_.try_emplace(operation, true);
  if (first) {
    for (const std::string& difference : settings_.verify(operation))
      known->second = expect(false, difference);
  }
  return known->second;
}

bool Session::expect(bool equal, std::string_view what) {
  if (!equal) result_.differences.emplace_back(what);
  return equal;
}

}  // namespace cuesta::bench
