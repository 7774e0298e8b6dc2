// Files that people write for the command, in TOML or JSON: read into one form, every error with
// its place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuesta::cli {

using Json = nlohmann::ordered_json;

/// The file's table. Its extension says which language it is in: .toml or .json; `what` is what it
/// describes ("a scene"). Throws Error{input} naming the file and the line; Error{unsupported} for
/// TOML in a build without toml++.
Json read_tables(const std::string& path, std::string_view what);

/// What `text` says, a file's that has this name; as read_tables().
Json parse_tables(const std::string& text, const std::string& path);

/// Throws Error{input}: "yard.toml: zones[1]: ...".
[[noreturn]] void fail_at(const std::string& where, const std::string& reason);

/// The value as JSON, for messages; long ones are cut.
std::string shown(const Json& value);

/// A table of a file: its members by name. Every function throws Error{input} naming the place and
/// the value.
class Table {
 public:
  /// `where` is its place ("yard.toml: zones[1]"); it has no other keys than `keys`.
  Table(const Json& value, std::string where, std::initializer_list<std::string_view> keys);

  const Json* find(const char* key) const;
  std::string place_of(const char* key) const { return where_ + "." + key; }
  [[noreturn]] void refuse(const char* key, const char* wanted) const;

  /// Must be there.
  std::string text(const char* key) const;
  std::optional<double> number(const char* key) const;
  std::optional<int64_t> whole_number(const char* key) const;
  /// Empty where it is not there.
  const Json& list(const char* key) const;
  /// Of any kind; must be there.
  const Json& needed(const char* key) const;

 private:
  const Json& value_;
  std::string where_;
};

}  // namespace cuesta::cli
