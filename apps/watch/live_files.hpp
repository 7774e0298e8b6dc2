// Clips as browsers play them.
#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "apps/web/server.hpp"

namespace cuesta::cli {

class PlayableClips {
 public:
  /// A clip as MP4: itself, or its packets in a temporary file that has no name any more. Its type
  /// is in `type`. One that does not fit into MP4 is as it is; null where there is no file. The
  /// latest four are kept.
  std::shared_ptr<const web::Source> open(const std::filesystem::path& path, std::string& type);

 private:
  static constexpr size_t kept = 4;
  std::mutex mutex_;
  std::list<std::pair<std::filesystem::path, std::shared_ptr<const web::Source>>> made_;
};

}  // namespace cuesta::cli
