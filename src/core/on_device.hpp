// A GPU for the calling thread while an object lives.
#pragma once

#include "cuesta/device.hpp"
#include "cuesta/error.hpp"

namespace cuesta {

/// Makes GPU `index` the calling thread's; the one before comes back at the end. Throws
/// Error{device}.
class OnDevice {
 public:
  explicit OnDevice(int index) : before_(current_device()) {
    if (index != before_) use_device(index);
  }
  ~OnDevice() {
    try {
      use_device(before_);
    } catch (const Error&) {  // it was in use before; what is wrong with it, the next call tells
    }
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_;
};

}  // namespace cuesta
