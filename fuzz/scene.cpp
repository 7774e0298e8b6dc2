// Scene files. The first byte chooses the language; what they refuse, they refuse by cuesta::Error.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cli/scene_file.hpp"
#include "cuesta/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    const auto file = cuesta::cli::parse_scene(text, data[0] % 2 ? "scene.toml" : "scene.json");
    for (const auto& zone : file.scene.zones)
      for (const auto& corner : zone.polygon)
        if (!std::isfinite(corner.x) || !std::isfinite(corner.y)) std::abort();
    cuesta::SceneWatch({64, 48}, file.scene);
  } catch (const cuesta::Error&) {
  }
  return 0;
}
