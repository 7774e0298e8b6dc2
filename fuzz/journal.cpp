// What an interrupted job leaves beside its result, changed since. Rows that are taken over are
// those that were written; lines of the journal may be forged, with right checksums.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/checksum.hpp"
#include "cuesta/error.hpp"
#include "io/band_stage.hpp"
#include "verify/draw.hpp"

namespace {

using namespace cuesta;
namespace fs = std::filesystem;

const fs::path& folder() {
  static const struct Folder {
    Folder() {
      std::string name =
          (fs::exists("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/journal.XXXXXX");
      if (mkdtemp(name.data()) == nullptr) std::abort();
      path = name;
    }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    fs::path path;
  } made;
  return made.path;
}
fs::path target() { return folder() / "made.tif"; }
fs::path rows_path() { return folder() / ".made.tif.cuesta-rows"; }
fs::path journal_path() { return folder() / ".made.tif.cuesta-journal"; }

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  if (chmod(path.c_str(), 0600) != 0) std::abort();
}

// A line of a journal, mostly one that could be.
std::string drawn_line(verify::Bytes& bytes, int32_t height) {
  static constexpr const char* wild[] = {"rows 2147483647 5 0",
                                         "rows -1 0 0",
                                         "rows 99999999999 1 1",
                                         "canny nan inf -1",
                                         "key ",
                                         "cuesta rows 2",
                                         ""};
  switch (bytes.below(4)) {
    case 0: return wild[bytes.below(int(std::size(wild)))];
    case 1:
      return fmt::format("rows {} {} {:x}", bytes.below(2 * height) - 1, bytes.below(9),
                         bytes.next());
    case 2: return fmt::format("canny {:a} {:a} {:a}", double(bytes.next()), 1.0, 2.0);
    default: {
      std::string text;
      for (int n = bytes.below(40); n > 0; --n) text.push_back(char(bytes.next()));
      return text;
    }
  }
}

// Lines replaced, left out or put in; with `seals` every checksum is right.
std::string forged(verify::Bytes& bytes, const std::string& journal, int32_t height, bool seals) {
  std::string out;
  uint64_t before = 0;
  for (size_t at = 0; at < journal.size();) {
    const size_t end = journal.find('\n', at);
    if (end == journal.npos) break;
    std::string line = journal.substr(at, end - at);
    at = end + 1;
    const int how = bytes.below(8);
    if (how == 0) continue;
    if (seals) line.resize(std::min(line.size(), line.rfind(' ')));
    if (how == 1) line = drawn_line(bytes, height);
    if (how == 2 && !line.empty()) line[size_t(bytes.next()) % line.size()] ^= char(bytes.next());
    if (how == 3) at = size_t(bytes.below_many(int(journal.size())));
    before = checksum_of(line, before);
    out += seals ? fmt::format("{} {:016x}\n", line, before) : line + "\n";
    if (out.size() > 4096) break;
  }
  if (bytes.below(4) == 0) out.resize(out.size() - std::min<size_t>(out.size(), bytes.next()));
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  verify::Bytes bytes({data, size});
  const int64_t row_bytes = 1 + bytes.below(40);
  const int32_t height = 1 + bytes.below(60);
  const std::string key = bytes.below(2) ? "key of a job" : "another\tkey";
  std::vector<char> rows(size_t(row_bytes * height));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = char(i * 7 + i / 3);
  const auto row = [&](int32_t y) { return rows.data() + y * row_bytes; };
  {
    io::BandStage stage(target(), key, row_bytes, height, false);
    if (bytes.below(2)) stage.settle({});
    for (int32_t y = 0; y < height && bytes.below(8) != 0;) {
      const int32_t some = std::min(height - y, 1 + bytes.below(9));
      stage.append(row(y), row_bytes, some, bytes.below(3));
      y += some;
    }
    stage.keep();
  }
  std::string journal = read(journal_path()), kept = read(rows_path());
  const bool seals = bytes.below(2) == 1;
  if (bytes.below(4) != 0) write(journal_path(), forged(bytes, journal, height, seals));
  const bool keeps_rows = bytes.below(3) != 0;
  if (!keeps_rows && !kept.empty()) {
    for (int n = 1 + bytes.below(3); n > 0; --n)
      kept[size_t(bytes.below_many(int(kept.size())))] ^= char(1 << bytes.below(8));
    kept.resize(std::min<size_t>(kept.size(),
                                 size_t(bytes.below_many(int(kept.size()) + 1)) + kept.size() / 2));
    write(rows_path(), kept);
  }
  const std::string other = bytes.below(8) == 0 ? "a third" : key;
  io::BandStage stage(target(), other, row_bytes, height, true);
  if (stage.rows() < 0 || stage.rows() > height || (other != key && !seals && stage.rows() != 0))
    std::abort();
  std::vector<char> got(static_cast<size_t>(row_bytes));
  for (int32_t y = 0; y < stage.rows(); ++y) {
    stage.read(y, 0, row_bytes, got.data());
    if (!std::equal(got.begin(), got.end(), row(y))) std::abort();
  }
  if (stage.rows() < height) stage.append(row(stage.rows()), row_bytes, height - stage.rows());
  return 0;
}
