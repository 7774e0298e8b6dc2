// What an operation's README says: every refusal must be in it.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "support/places.hpp"

namespace cuesta::verify {

inline std::string readme_of(std::string_view operation) {
  std::ifstream file(test::source_file("src/ops/" + std::string(operation) + "/README.md"));
  std::stringstream text;
  text << file.rdbuf();
  std::string words;  // white space folded, so that a line break does not hide a refusal
  for (std::string word; text >> word;) words += word + " ";
  return words;
}

}  // namespace cuesta::verify
