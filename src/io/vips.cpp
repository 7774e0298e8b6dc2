#if defined(CUESTA_HAS_PICTURES)
#include "io/vips.hpp"

#include <atomic>
#include <mutex>
#include <shared_mutex>

namespace cuesta::io {
namespace {

std::shared_mutex users;
std::mutex gate;  // who waits to be alone holds it, so that no newcomers pass
std::atomic<int> users_now{0};
std::atomic<uint64_t> users_ever{0};

}  // namespace

void start_vips() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (VIPS_INIT("cuesta") != 0)
      throw Error(ErrorCode::unsupported, "libvips cannot be initialised: " + take_vips_error());
    // A file may change between two reads, and a batch must not grow.
    vips_cache_set_max(0);
    // What decoders grumble about goes into error texts or nowhere; the library never prints.
    g_log_set_handler(
        "VIPS",
        GLogLevelFlags(G_LOG_LEVEL_WARNING | G_LOG_LEVEL_MESSAGE | G_LOG_LEVEL_INFO |
                       G_LOG_LEVEL_DEBUG),
        [](const gchar*, GLogLevelFlags, const gchar*, gpointer) {}, nullptr);
  });
}

std::string take_vips_error() {
  const std::string all = vips_error_buffer();
  vips_error_clear();
  std::string line = all.substr(0, all.find('\n'));
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return line.empty() ? "no reason given" : line;
}

VipsUse::VipsUse() {
  {
    const std::lock_guard in_turn(gate);
    users.lock_shared();
  }
  number_ = ++users_ever;
  began_alone_ = users_now++ == 0;
}

VipsUse::~VipsUse() {
  --users_now;
  users.unlock_shared();
}

bool VipsUse::is_alone() const { return began_alone_ && users_ever == number_; }

VipsAlone::VipsAlone() {
  const std::lock_guard in_turn(gate);
  users.lock();
  vips_error_clear();
}

VipsAlone::~VipsAlone() { users.unlock(); }

}  // namespace cuesta::io
#endif
