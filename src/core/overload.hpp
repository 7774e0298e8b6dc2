// One callable of several lambdas, for std::visit.
#pragma once

namespace cuesta {

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

}  // namespace cuesta
