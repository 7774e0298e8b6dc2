// What most files of ours include: parsed once a target where there is no ccache
// (cuesta_precompile). No file relies on it; builds with ccache, CI's among them, do without.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
