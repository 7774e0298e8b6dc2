#pragma once

namespace thrust {

template <class Function, class Iterator>
struct transform_iterator {
  Iterator of;
  Function function;
  template <class I>
  auto operator[](I i) const {
    return function(of[i]);
  }
};
template <class Iterator, class Function>
transform_iterator<Function, Iterator> make_transform_iterator(Iterator of, Function function) {
  return {of, function};
}

}  // namespace thrust
