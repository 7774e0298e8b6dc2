// Finding the modules of peers.
#pragma once

#include <memory>
#include <string_view>

#include "bench/peer.hpp"

namespace cuesta::bench {

/// The peer `name` from CUESTA_PEERS (a folder), else from the folder of this program; null where
/// there is none. Throws Error{input} for a module that is there and cannot be used.
std::unique_ptr<Peer> load_peer(std::string_view name);

}  // namespace cuesta::bench
