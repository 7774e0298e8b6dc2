// Finding the modules of peers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "bench/peers/device_peer.hpp"
#include "bench/peers/peer.hpp"

namespace cuesta::bench {

/// The peer `name` from CUESTA_PEERS (a folder), else from the folder of this program; null where
/// there is none. Throws Error{input} for a module that is there and cannot be used.
std::unique_ptr<Peer> load_peer(std::string_view name);
/// The same for a peer on GPU `device`. A module whose libraries are not on this machine is left
/// out: null, with the reason in `why_not`.
std::unique_ptr<DevicePeer> load_device_peer(std::string_view name, int device,
                                             std::string& why_not);

}  // namespace cuesta::bench
