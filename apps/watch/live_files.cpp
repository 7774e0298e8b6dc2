#include "apps/watch/live_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "cuesta/error.hpp"
#include "cuesta/io/clip.hpp"

namespace cuesta::cli {
namespace {

class File final : public web::Source {
 public:
  explicit File(const std::filesystem::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (descriptor_ >= 0 && fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode))
      size_ = size_t(status.st_size);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() override {
    if (descriptor_ >= 0) close(descriptor_);
  }
  size_t size() const override { return size_; }
  std::string read(size_t offset, size_t most) const override {
    std::string bytes(most, '\0');
    const ssize_t got = pread(descriptor_, bytes.data(), most, off_t(offset));
    bytes.resize(size_t(std::max<ssize_t>(0, got)));
    return bytes;
  }

 private:
  int descriptor_;
  size_t size_ = 0;
};

std::shared_ptr<const web::Source> opened(const std::filesystem::path& path) {
  auto file = std::make_shared<const File>(path);
  return file->size() > 0 ? file : nullptr;
}

// Longer than any clip, in seconds.
constexpr double whole = 1e7;

std::shared_ptr<const web::Source> as_mp4(const std::filesystem::path& path) {
  std::error_code ignored;
  std::string folder = (std::filesystem::temp_directory_path(ignored) / "cuesta-XXXXXX").string();
  if (!mkdtemp(folder.data())) return nullptr;
  const std::filesystem::path target = std::filesystem::path(folder) / "clip.mp4";
  std::shared_ptr<const web::Source> file;
  try {
    io::cut_clip(std::vector<io::RecordingFile>{{path.string(), 0}}, target, 0, whole);
    file = opened(target);
  } catch (const Error&) {
    // Its packets do not fit into MP4, or the disk is full.
  }
  std::filesystem::remove_all(folder, ignored);
  return file;
}

}  // namespace

std::shared_ptr<const web::Source> PlayableClips::open(const std::filesystem::path& path,
                                                       std::string& type) {
  const std::string extension = path.extension().string();
  type = extension == ".webm" ? "video/webm" : "video/mp4";
  if (extension == ".mp4" || extension == ".webm") return opened(path);
  const std::lock_guard lock(mutex_);
  for (const auto& [of, made] : made_)
    if (of == path) return made;
  if (auto made = as_mp4(path)) {
    made_.emplace_front(path, made);
    if (made_.size() > kept) made_.pop_back();
    return made;
  }
  type = "application/octet-stream";
  return opened(path);
}

}  // namespace cuesta::cli
