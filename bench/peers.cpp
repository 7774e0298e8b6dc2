#include "bench/peers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "cuesta/error.hpp"

namespace cuesta::bench {

std::unique_ptr<Peer> load_peer(std::string_view name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const char* told = std::getenv("CUESTA_PEERS");
  const fs::path folder =
      told && *told ? fs::path(told) : fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path module = folder / fmt::format("cuesta_peer_{}.so", name);
  if (!fs::exists(module, ignored)) return nullptr;
  // Never closed: libraries behind it keep threads.
  void* handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw Error(ErrorCode::input, fmt::format("{}: {}", module.string(), dlerror()), module);
  const auto make = reinterpret_cast<MakePeer>(dlsym(handle, make_peer_symbol));
  std::unique_ptr<Peer> peer(make ? make(peer_interface) : nullptr);
  if (!peer) {
    throw Error(ErrorCode::input,
                fmt::format("{}: made for another version of Cuesta", module.string()), module);
  }
  return peer;
}

}  // namespace cuesta::bench
