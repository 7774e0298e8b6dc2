// What names a result of bands in its journal.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/bands.hpp"

namespace cuesta::io {

/// What a result is made of, and by whom: the same words, the same bytes. `work` is the key of the
/// recipe. Throws Error{input}.
std::string key_of_bands(const std::filesystem::path& source, const BandSettings& settings,
                         std::string_view work);

}  // namespace cuesta::io
