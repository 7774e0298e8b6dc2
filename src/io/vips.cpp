#if defined(CUESTA_HAS_PICTURES)
#include "io/vips.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "io/formats.hpp"

namespace cuesta::io {
namespace {

std::shared_mutex users;
std::mutex gate;  // who waits to be alone holds it, so that no newcomers pass
std::atomic<int> users_now{0};

#if VIPS_MAJOR_VERSION > 8 || VIPS_MINOR_VERSION >= 13
constexpr bool can_block = true;
void set_blocked(const char* loader, bool is_blocked) {
  vips_operation_block_set(loader, is_blocked);
}
#else
constexpr bool can_block = false;
void set_blocked(const char*, bool) {}
#endif

// What sees a file, be it to sniff at it, are the loaders of formats().
void block_loaders() {
  if (!can_block) return;
  set_blocked("VipsForeignLoad", true);
  for (const Format& format : formats())
    for (const std::string_view loader : format.loaders)
      if (!loader.empty()) set_blocked(fmt::format("VipsForeignLoad{}", loader).c_str(), false);
}

void set_magick_blocked(bool is_blocked) {
  for (const char* loader : {"VipsForeignLoadMagick", "VipsForeignLoadMagick7"})
    set_blocked(loader, is_blocked);
}
std::mutex magick_mutex;
int magick_users = 0;
std::atomic<uint64_t> users_ever{0};

}  // namespace

void start_vips() {
  static std::once_flag once;
  std::call_once(once, [] {
    // What decoders grumble about goes into error texts or nowhere; the library never prints.
    // Initialisation warns of modules that it cannot load.
    g_log_set_handler(
        "VIPS",
        GLogLevelFlags(G_LOG_LEVEL_WARNING | G_LOG_LEVEL_MESSAGE | G_LOG_LEVEL_INFO |
                       G_LOG_LEVEL_DEBUG),
        [](const gchar*, GLogLevelFlags, const gchar*, gpointer) {}, nullptr);
    if (VIPS_INIT("cuesta") != 0)
      throw Error(ErrorCode::unsupported, "libvips cannot be initialised: " + take_vips_error());
    vips_profile_set(FALSE);  // which VIPS_PROFILE may have set: it writes a file at the end
    // A file may change between two reads, and a batch must not grow.
    vips_cache_set_max(0);
    block_loaders();
  });
}

std::string take_vips_error() {
  const std::string all = vips_error_buffer();
  vips_error_clear();
  std::string line = all.substr(0, all.find('\n'));
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return line.empty() ? "no reason given" : line;
}

MagickAllowed::MagickAllowed() {
  const std::lock_guard lock(magick_mutex);
  if (magick_users++ == 0) set_magick_blocked(false);
}
MagickAllowed::~MagickAllowed() {
  const std::lock_guard lock(magick_mutex);
  if (--magick_users == 0) set_magick_blocked(true);
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
