// Work that runs where --device says: what edges and filter share.
#pragma once

#include <deque>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>

#include "cli/common.hpp"
#include "cli/samples.hpp"

namespace cuesta::cli {

class EitherDevice {
 public:
  /// On the CPU until choose(). `common` outlives it.
  explicit EitherDevice(const CommonOptions& common) : common_(common) {}
  /// As resolve_device, for the work to come.
  void choose(std::initializer_list<std::string_view> operations) {
    device_ = resolve_device(common_, operations);
  }

  /// Makes `out` of the sources, all of them in one space; sources without data stay so.
  using Work = std::function<void(std::span<const ConstAnyView> sources, AnyView out)>;
  /// Runs `work` on these pictures in host memory, or on copies of them on the GPU. What the GPU
  /// refuses goes on on the CPU, and so does all later work, where falls_back_to_cpu says so.
  void run(std::initializer_list<ConstAnyView> sources, AnyView out, const Work& work);

 private:
  void run_on_gpu(std::span<const ConstAnyView> sources, AnyView out, const Work& work);

  const CommonOptions& common_;
  Device device_ = Device::cpu;
  std::deque<AnyImage> sources_;
  AnyImage out_;
};

}  // namespace cuesta::cli
