// Passwords of cameras and brokers: in a file, in the words of .netrc, not on the command line.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <vector>

#include "cuesta/error.hpp"
#include "cuesta/io/address.hpp"
#include "io/text_file.hpp"

namespace cuesta::io {
namespace {

constexpr int64_t largest_file = 1 << 20;

struct Entry {
  std::string host{}, user{}, password{};
};

struct Word {
  std::string text{};
  int line = 1;
};

// Words between spaces; in double quotes a space is a part of one, and \" a quote.
std::vector<Word> words_of_file(std::string_view text) {
  std::vector<Word> words;
  int line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (std::isspace(static_cast<unsigned char>(c))) continue;
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
      continue;
    }
    Word word{.line = line};
    const bool quoted = c == '"';
    for (i += quoted; i < text.size() && text[i] != '\n'; ++i) {
      if (quoted ? text[i] == '"' : std::isspace(static_cast<unsigned char>(text[i])) != 0) break;
      if (quoted && text[i] == '\\' && i + 1 < text.size()) ++i;
      word.text += text[i];
    }
    if (i < text.size() && text[i] == '\n') --i;  // the next round counts it
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<Entry> entries_of(const std::string& path) {
  std::vector<Entry> entries;
  const std::string text = text_of_file(path, largest_file);
  const std::vector<Word> words = words_of_file(text);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& key = words[i].text;
    const auto refuse = [&](std::string_view why) {
      throw Error(ErrorCode::input, fmt::format("{}: line {}: {}", path, words[i].line, why), path);
    };
    const bool is_place = key == "machine";
    if (!is_place && key != "login" && key != "password" && key != "account")
      refuse("the word is not machine, login or password");
    if (!is_place && entries.empty()) refuse("machine must come first");
    if (i + 1 == words.size()) refuse(fmt::format("nothing follows {}", key));
    const std::string& value = words[++i].text;
    if (is_place) entries.push_back({.host = value});
    if (key == "login") entries.back().user = value;
    if (key == "password") entries.back().password = value;
  }
  return entries;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("-._~").find(c) != std::string_view::npos)
      out += c;
    else
      out += fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace

void warn_of_readers(const std::string& path, std::string_view what,
                     const std::function<void(const std::string&)>& warn) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && (status.st_mode & 077) != 0)
    warn(fmt::format("{}: other users may read {}; chmod 600 ends that", path, what));
}

std::string with_password(const std::string& address, const std::string& file,
                          const std::function<void(const std::string&)>& warn) {
  const char* named = std::getenv("CUESTA_PASSWORDS");
  const std::string path = !file.empty() ? file : named ? named : "";
  if (path.empty() || !is_address(address)) return address;
  const std::vector<Entry> entries = entries_of(path);
  warn_of_readers(path, "these passwords", warn);

  const size_t begin = address.find("://") + 3;
  const std::string_view whole(address);
  const std::string_view place = whole.substr(begin, whole.find_first_of("/?#", begin) - begin);
  const size_t at = place.rfind('@');
  const std::string_view user = at == place.npos ? std::string_view() : place.substr(0, at);
  if (user.find(':') != user.npos) return address;
  std::string_view host = at == place.npos ? place : place.substr(at + 1);
  host =
      host.starts_with('[') ? host.substr(1, host.find(']') - 1) : host.substr(0, host.find(':'));
  const auto fits = [&](const Entry& entry) {
    return entry.host == host && (user.empty() || entry.user.empty() || entry.user == user ||
                                  percent_encoded(entry.user) == user);
  };
  const auto found = std::ranges::find_if(entries, fits);
  if (found == entries.end() || (found->user.empty() && user.empty())) return address;
  const std::string login = user.empty() ? percent_encoded(found->user) : std::string(user);
  return fmt::format("{}{}:{}@{}", whole.substr(0, begin), login, percent_encoded(found->password),
                     whole.substr(begin + (at == place.npos ? 0 : at + 1)));
}

}  // namespace cuesta::io
