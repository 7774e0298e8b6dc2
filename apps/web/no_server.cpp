// Builds without an HTTP server (CUESTA_TUNE=OFF, or no cpp-httplib).
#include "apps/web/server.hpp"
#include "cuesta/error.hpp"

namespace cuesta::cli::web {

struct Server::State {
  std::string address;
};

Server::Server(ServerOptions options, Handler) {
  throw Error(
      ErrorCode::unsupported,
      options.page + " is not in this build; build it with cpp-httplib and -D CUESTA_TUNE=ON");
}
Server::~Server() = default;
const std::string& Server::address() const { return state_->address; }
std::string Server::root() const { return {}; }
int Server::descriptor() const { return -1; }
void Server::run(const io::StopSignal&) {}
std::string new_token() { return {}; }
bool is_loopback(std::string_view) { return false; }
bool is_numeric(std::string_view) { return false; }
std::string policy(std::string_view) { return {}; }

}  // namespace cuesta::cli::web
