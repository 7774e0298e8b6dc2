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
    const AnyView copy =
        sources_[there.size()].create(source.size(), source.channels, source.type, Space::device);
    upload(source, copy);
    there.push_back(copy);
  }
  const AnyView result = out_.create(out.size(), out.channels, out.type, Space::device);
  work(there, result);
  download(result, out);
}

}  // namespace cuesta::cli
