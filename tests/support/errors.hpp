// What a call that must fail says.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "cuesta/error.hpp"

namespace cuesta::test {

/// The sentence of the Error that `call` throws, which must carry `code`; "no error" where it
/// throws none.
template <class Call>
std::string error_of(ErrorCode code, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "no error";
}

}  // namespace cuesta::test
