#if defined(CUESTA_HAS_PICTURES)
#include "io/vips.hpp"

#include <mutex>

#include "cuesta/error.hpp"

namespace cuesta::io {

void start_vips() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (VIPS_INIT("cuesta") != 0)
      throw Error(ErrorCode::unsupported, "libvips does not start: " + take_vips_error());
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

}  // namespace cuesta::io
#endif
