// Lines as arrays for Python.
#pragma once

#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "cuesta/lines.hpp"

namespace cuesta::python {

/// Points as pairs of doubles and their strengths, one line after the other; then, per line, the
/// number of its points, whether it is closed, its length and its strength.
using LineRow = std::tuple<size_t, bool, double, double>;
using Traced = std::tuple<nb::bytes, nb::bytes, std::vector<LineRow>>;
Traced rows_of(const Polylines& lines);

}  // namespace cuesta::python
