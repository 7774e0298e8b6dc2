// Which pixel a search reaches in which launch, and which pixel leads to which in a forest of sets:
// what record_loads.cpp writes of hysteresis and of labels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace recording {

/// Whether a search is being recorded, and its threads' accesses to device memory go here.
bool visits();
void visit(uintptr_t at, int bytes, bool stores);
/// A thread looks at a counter behind a barrier of the grid, and begins another step.
void begin_step();
/// Entries of JSON, one for each step of a paper.
std::vector<std::string> searches();

}  // namespace recording
