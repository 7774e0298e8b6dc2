#pragma once

namespace thrust {

template <class T>
struct counting_iterator {
  T first;
  explicit counting_iterator(T from) : first(from) {}
  T operator[](T i) const { return first + i; }
};

}  // namespace thrust
