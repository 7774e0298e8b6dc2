// Requests read and replies made: what pictures and videos share.
#pragma once

#include <chrono>
#include <string>

#include "apps/tune/controls.hpp"
#include "apps/web/server.hpp"
#include "cuesta/image.hpp"

namespace cuesta::cli::tune {

using web::Reply;
using Clock = std::chrono::steady_clock;
double milliseconds_since(Clock::time_point begin);

/// A picture: `about` in the header Cuesta-Picture, with the time it took, and its bytes.
Reply of_bytes(std::string body, Json about, double milliseconds);
Reply of_json(const Json& json);
/// The u8 rows of a picture without what pads them.
std::string rows_of(ConstAnyView plane);

/// The object that a request posts, and members of it. Throw Error{invalid_argument}.
Json parsed(const std::string& body);
int number_of(const Json& asked, const char* key);
const Json& values_in(const Json& asked);

}  // namespace cuesta::cli::tune
