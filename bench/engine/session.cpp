#include "bench/engine/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/memory.hpp"
#include "core/threads.hpp"
#include "cuesta/border.hpp"
#include "verify/patterns.hpp"
#ifdef CUESTA_HAS_PICTURES
#include "cuesta/objects.hpp"
#include "io/picture.hpp"
#endif

namespace cuesta::bench {
namespace {

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

void Session::note(std::string text) {
  settings_.print(text + "\n");
  result_.notes.push_back(std::move(text));
}

bool Session::expect(bool equal, std::string_view what) {
  if (!equal) result_.differences.emplace_back(what);
  return equal;
}

}  // namespace cuesta::bench
