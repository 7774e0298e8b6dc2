// Builds without cpp-httplib.
#include "apps/tune/server.hpp"
#include "cuesta/error.hpp"

namespace cuesta::cli::tune {

struct Server::State {
  std::string address;
};

Server::Server(int, Handler) {
  throw Error(ErrorCode::unsupported,
              "tune: this build has no HTTP server; build it with cpp-httplib (CUESTA_TUNE=ON)");
}
Server::~Server() = default;
const std::string& Server::address() const { return state_->address; }
void Server::run(const io::StopSignal&) {}

}  // namespace cuesta::cli::tune
