// What is tuned: a picture or a video, by requests of the page.
#pragma once

#include <nlohmann/json.hpp>

#include "apps/web/server.hpp"

namespace cuesta::cli::tune {

using web::HttpRequest;
using web::Reply;

class Subject {
 public:
  virtual ~Subject() = default;
  /// What the page begins with: the file, its size, the controls.
  virtual nlohmann::ordered_json about() const = 0;
  /// Called by several threads at once. Throws Error for what cannot be meant, which the page
  /// shows.
  virtual Reply answer(const HttpRequest& request) = 0;
};

/// 409: newer work of the same kind came, and the page waits for that.
inline Reply superseded() { return {.status = 409, .body = "{\"superseded\": true}"}; }
inline Reply not_found() { return {.status = 404, .body = "{\"error\": \"no such address\"}"}; }

}  // namespace cuesta::cli::tune
