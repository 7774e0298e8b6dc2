#include "cli/either_device.hpp"

#include <vector>

#include "cuesta/device.hpp"

namespace cuesta::cli {

void EitherDevice::run(std::initializer_list<ConstAnyView> sources, AnyView out, const Work& work) {
  if (device_ == Device::cuda) {
    try {
      return run_on_gpu(sources, out, work);
    } catch (const Error& error) {
      if (!falls_back_to_cpu(common_, error)) throw;
      device_ = Device::cpu;
    }
  }
  work(sources, out);
}

void EitherDevice::run_on_gpu(std::span<const ConstAnyView> sources, AnyView out,
                              const Work& work) {
  while (sources_.size() < sources.size()) sources_.emplace_back();
  std::vector<ConstAnyView> there;
  for (const ConstAnyView& source : sources) {
    if (!source) {
      there.emplace_back();
      continue;
    }
    const AnyView copy = sources_[there.size()].shape(source.type, source.width, source.height,
                                                      source.channels, Space::device);
    upload(source, copy);
    there.push_back(copy);
  }
  const AnyView result = out_.shape(out.type, out.width, out.height, out.channels, Space::device);
  work(there, result);
  download(result, out);
}

}  // namespace cuesta::cli
