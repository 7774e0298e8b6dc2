#include "bench/peers/peers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "cuesta/error.hpp"

namespace cuesta::bench {

namespace {

namespace fs = std::filesystem;

// Empty where there is none.
fs::path module_of(std::string_view name) {
  std::error_code ignored;
  const char* told = std::getenv("CUESTA_PEERS");
  const fs::path folder =
      told && *told ? fs::path(told) : fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const fs::path module = folder / fmt::format("cuesta_peer_{}.so", name);
  return fs::exists(module, ignored) ? module : fs::path();
}

[[noreturn]] void throw_other_version(const fs::path& module) {
  throw Error(ErrorCode::input,
              fmt::format("{}: made for another version of Cuesta", module.string()), module);
}

}  // namespace

std::unique_ptr<Peer> load_peer(std::string_view name) {
  const fs::path module = module_of(name);
  if (module.empty()) return nullptr;
  // Never closed: libraries behind it keep threads.
  void* handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw Error(ErrorCode::input, fmt::format("{}: {}", module.string(), dlerror()), module);
  const auto make = reinterpret_cast<MakePeer>(dlsym(handle, make_peer_symbol));
  std::unique_ptr<Peer> peer(make ? make(peer_interface) : nullptr);
  if (!peer) throw_other_version(module);
  return peer;
}

std::unique_ptr<DevicePeer> load_device_peer(std::string_view name, int device,
                                             std::string& why_not) {
  const fs::path module = module_of(name);
  if (module.empty()) return nullptr;
  void* handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    why_not = dlerror();
    return nullptr;
  }
  const auto make = reinterpret_cast<MakeDevicePeer>(dlsym(handle, make_device_peer_symbol));
  if (!make) throw_other_version(module);
  try {
    std::unique_ptr<DevicePeer> peer(make(device_peer_interface, device));
    if (!peer) throw_other_version(module);
    return peer;
  } catch (const std::runtime_error& error) {
    if (dynamic_cast<const Error*>(&error)) throw;
    why_not = error.what();
    return nullptr;
  }
}

}  // namespace cuesta::bench
