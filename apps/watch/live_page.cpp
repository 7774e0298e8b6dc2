// --live: a page about every camera of a run.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <thread>

#include "apps/watch/live_board.hpp"
#include "apps/watch/live_files.hpp"
#include "apps/watch/page.hpp"
#include "apps/web/server.hpp"
#include "cli/watch.hpp"
#include "cuesta/io/address.hpp"
#include "cuesta/io/picture.hpp"
#include "io/text_file.hpp"

namespace cuesta::cli {
namespace {

struct Place {
  std::string host;
  int port;
};

std::optional<int64_t> number_in(std::string_view text) {
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Place place_of(const std::string& text) {
  const size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon == text.npos ? 0 : colon);
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  if (has_brackets) host = host.substr(1, host.size() - 2);
  if (host.empty() || host == "localhost") host = "127.0.0.1";
  int64_t port = -1;
  if (colon != text.npos) port = number_in(std::string_view(text).substr(colon + 1)).value_or(-1);
  const bool has_host =
      web::is_numeric(host) && has_brackets == (host.find(':') != std::string::npos);
  if (!has_host || port < 0 || port > 65535)
    usage_error(text,
                "--live is {}; it must be :PORT, or ADDRESS:PORT with an address of this machine "
                "in numbers",
                text);
  return {host, int(port)};
}

std::string token_of(const std::string& file) {
  constexpr size_t shortest = 16, longest = 128, largest_file = 4096;
  const char* named = std::getenv("CUESTA_LIVE_TOKEN");
  const std::string path = !file.empty() ? file : named ? named : "";
  if (path.empty()) return {};
  std::string token = io::text_of_file(path, largest_file);
  while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back()))) token.pop_back();
  const bool is_one = std::ranges::all_of(
      token, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
  if (!is_one || token.size() < shortest || token.size() > longest)
    throw Error(ErrorCode::input,
                fmt::format("{}: it is no token; it must have {} to {} letters, digits, - or _",
                            path, shortest, longest),
                path);
  io::warn_of_readers(path, "this token", print_warning);
  return token;
}

// Of one page: browsers keep six, and a picture that waits has a thread.
constexpr size_t max_connections = 64;

class Page final : public LivePage {
 public:
  Page(const Place& place, const std::string& token, const std::string& text,
       std::vector<std::string> names)
      : names_(std::move(names)),
        server_({.host = place.host,
                 .port = place.port,
                 .token = token,
                 .page = "the page of --live",
                 .refusal = fmt::format(
                     "--live is {}, which is in use, not permitted or not this machine's; use "
                     "another port, or 0 for a free one",
                     text),
                 .connections = max_connections},
                [this](const web::HttpRequest& request) { return answered(request); }) {
    // What a build cannot do is said before the videos are watched.
    io::encode_picture(".jpg", Image<uint8_t>(8, 8));
    for (const std::string& name : names_) boards_.push_back(std::make_shared<LiveBoard>(name));
    if (token.empty())
      note("the page of --live is {}", server_.address());
    else
      note("the page of --live is {} followed by the token and /", server_.root());
    thread_ = std::thread([this] { server_.run(stop_); });
  }
  ~Page() override {
    stop_.request();
    thread_.join();
  }
  std::unique_ptr<EventSink> sink(const WatchFacts& facts, const ClipFolder* clips,
                                  const std::string& history) override {
    const auto found = std::ranges::find(names_, facts.camera);
    const auto index = found == names_.end() ? 0 : size_t(found - names_.begin());
    return live_sink(facts, boards_[index], clips, history);
  }

 private:
  static web::Reply not_found() {
    return {.status = 404, .body = "{\"error\": \"no such address\"}"};
  }

  web::Reply answered(const web::HttpRequest& request) {
    try {
      if (request.posts) return {.status = 405, .body = "{\"error\": \"only GET is supported\"}"};
      if (request.path.empty()) return page();
      if (request.path == "state") return of_all([](const LiveBoard& one) { return one.state(); });
      if (request.path == "history")
        return of_all([](const LiveBoard& one) { return one.history(); });
      return part(request.path);
    } catch (const std::exception& error) {
      return {.status = 500, .body = line_of(Json({{"error", error.what()}}))};
    }
  }

  // Its scripts and styles run by a number that no other page knows.
  static web::Reply page() {
    const std::string number = web::new_token();
    std::string text(live_page::page_files[0].text);
    constexpr std::string_view place = "NONCE";
    for (size_t at = 0; (at = text.find(place, at)) != text.npos; at += number.size())
      text.replace(at, place.size(), number);
    return {.type = std::string(live_page::page_files[0].type),
            .body = std::move(text),
            .headers = {{"Content-Security-Policy", web::policy("'nonce-" + number + "'")}}};
  }

  template <class Ask>
  web::Reply of_all(Ask ask) const {
    Json all = Json::array();
    for (const auto& board : boards_) all.push_back(ask(*board));
    return {.body = line_of(Json({{"cameras", std::move(all)}}))};
  }

  // "picture/CAMERA/AFTER", "event/CAMERA/ID", "clip/CAMERA/ID".
  web::Reply part(std::string_view path) {
    const size_t first = path.find('/'), second = path.find('/', first + 1);
    if (first == path.npos || second == path.npos) return not_found();
    const std::string_view kind = path.substr(0, first);
    const auto camera = number_in(path.substr(first + 1, second - first - 1));
    auto number = number_in(path.substr(second + 1));
    if (!camera || !number || *camera < 0 || size_t(*camera) >= boards_.size()) return not_found();
    LiveBoard& board = *boards_[size_t(*camera)];
    if (kind == "picture") {
      const Jpeg picture = board.picture(*number);
      if (!picture) return {.status = 204, .type = "image/jpeg"};
      return {.type = "image/jpeg",
              .body = *picture,
              .headers = {{"Cuesta-Frame", std::to_string(*number)}}};
    }
    if (kind == "event") {
      const Jpeg picture = board.picture_of_event(*number);
      return picture ? web::Reply{.type = "image/jpeg", .body = *picture} : not_found();
    }
    if (kind == "clip") return clip(board.clip_of_event(*number));
    return not_found();
  }

  web::Reply clip(const std::filesystem::path& path) {
    web::Reply reply;
    if (!path.empty()) reply.source = clips_.open(path, reply.type);
    return reply.source ? reply : not_found();
  }

  std::vector<std::string> names_;
  std::vector<std::shared_ptr<LiveBoard>> boards_;
  PlayableClips clips_;
  io::StopSignal stop_;
  web::Server server_;
  std::thread thread_;
};

}  // namespace

std::shared_ptr<LivePage> begin_live(const WatchOptions& options, std::vector<std::string> names) {
  if (options.live.empty()) {
    if (!options.live_token.empty())
      usage_error(options.live_token, "--live-token requires a page; add --live :8080");
    return nullptr;
  }
  const Place place = place_of(options.live);
  const std::string token = token_of(options.live_token);
  if (token.empty() && !web::is_loopback(place.host))
    usage_error(options.live,
                "--live is {}, which other machines reach, and there is no token; name a file that "
                "has one with --live-token, or use :{} for this machine alone",
                options.live, place.port);
  return std::make_shared<Page>(place, token, options.live, std::move(names));
}

}  // namespace cuesta::cli
