// Connected components whose list stays on the GPU: label() without a host object, and so without a
// wait.
#pragma once

#include "cuesta/objects.hpp"

namespace cuesta {

/// GPU memory of the caller for a list of components.
struct DeviceComponents {
  Component* list = nullptr;  ///< `room` of them, aligned to 16 bytes; may be null where room is 0
  int32_t room = 0;
  int32_t* count = nullptr;  ///< gets the number of components, also of more than there is room for
};

/// Finds the connected components of a mask on the GPU; their list stays there.
/// The mask is u8 (non-zero) or bits. Components are in label order. Labels are written as by the
/// other forms of label(), or not if the view has no data. Only enqueues on exec.stream, and can be
/// part of a CUDA graph. Where there are more than `room`, *count says so, and what the list and
/// the labels hold is not specified. Throws Error{invalid_argument} naming the view, the list or
/// the option.
void label(ConstAnyView mask, AnyView labels, const DeviceComponents& components,
           const LabelOptions& options = {}, const Exec& exec = {});
template <class Mask, class Labels>
  requires mixes_host_and_device<Mask, Labels>
void label(const Mask&, Labels&&, const DeviceComponents&, const LabelOptions& = {},
           const Exec& = {}) = delete;

}  // namespace cuesta
