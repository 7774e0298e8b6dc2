// Counts what global operator new hands out, on every thread of the test program.
#pragma once

#include <cstdint>

namespace cuesta::test {

/// Calls of any form of global operator new since the program began.
int64_t allocations();

}  // namespace cuesta::test
