// Connected components whose list stays on the GPU: label() without a host object, and so without a
// wait.
#pragma once

#include "cuesta/objects.hpp"

namespace cuesta {

/// Room for components in the GPU's memory, the caller's.
struct DeviceComponents {
  Component* list = nullptr;  ///< `room` of them, aligned to 16 bytes; may be null where room is 0
  int32_t room = 0;
  int32_t* count = nullptr;  ///< gets the number of components, also of more than there is room for
};

/// Components of a mask on the GPU (u8 non-zero, or bits) in label order, and labels as the other
/// forms of label() write them, or none. Only enqueues on exec.stream, and can be part of a CUDA
/// graph. Where there are more than `room`, *count says so, and what the list and the labels hold
/// is not specified. Throws Error{invalid_argument} naming the view, the list or the option.
void label(ConstAnyView mask, AnyView labels, const DeviceComponents& components,
           const LabelOptions& options = {}, const Exec& exec = {});
template <class Mask, class Labels>
  requires mixes_host_and_device<Mask, Labels>
void label(const Mask&, Labels&&, const DeviceComponents&, const LabelOptions& = {},
           const Exec& = {}) = delete;

}  // namespace cuesta
