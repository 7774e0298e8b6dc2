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
#include "io/folder.hpp"
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

// In the order of their names, those of 8 bits that are no thumbnails.
std::vector<Image<uint8_t>> pictures_in(const std::filesystem::path& folder) {
  constexpr int32_t smallest = 128;
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const std::string& name : io::names_in(folder, error)) {
    if (std::filesystem::is_regular_file(folder / name) && io::is_picture(folder / name))
      files.push_back(folder / name);
  }
  if (error)
    throw Error(ErrorCode::input, folder.string() + ": " + error.message(), folder.string());
  std::vector<Image<uint8_t>> pictures;
  for (const auto& file : files) {
    const io::Picture photo = io::read_picture(file);
    if (photo.pixels.type() == PixelType::u8 && (photo.channels() == 1 || photo.channels() == 3) &&
        photo.width() >= smallest && photo.height() >= smallest)
      pictures.push_back(gray_of(photo));
  }
  return pictures;
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

// Its middle, scaled down by a whole factor or, where it is smaller, mirrored.
Image<uint8_t> square_of(const Image<uint8_t>& picture, int32_t side) {
  const int32_t factor = std::max(1, std::min(picture.width(), picture.height()) / side);
  const int32_t left = std::max(0, (picture.width() - factor * side) / 2),
                top = std::max(0, (picture.height() - factor * side) / 2);
  Image<uint8_t> out(side, side);
  for (int32_t y = 0; y < side; ++y) {
    for (int32_t x = 0; x < side; ++x) {
      int32_t sum = factor * factor / 2;
      for (int32_t v = 0; v < factor; ++v) {
        const uint8_t* row =
            picture.row(map_index<BorderMode::reflect>(top + y * factor + v, picture.height()));
        for (int32_t u = 0; u < factor; ++u)
          sum += row[map_index<BorderMode::reflect>(left + x * factor + u, picture.width())];
      }
      out.at(x, y) = uint8_t(sum / (factor * factor));
    }
  }
  return out;
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

std::vector<Image<uint8_t>> Session::photographs(int32_t side, size_t most) {
#ifdef CUESTA_HAS_PICTURES
  if (const auto folder = picture_folder(); !photographs_ && !folder.empty())
    photographs_ = pictures_in(folder);
#endif
  std::vector<Image<uint8_t>> squares;
  for (size_t i = 0; photographs_ && i < std::min(most, photographs_->size()); ++i)
    squares.push_back(square_of((*photographs_)[i], side));
  return squares;
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
