#include "bench/engine/picture_costs.hpp"

#include <cstring>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "bench/engine/timing.hpp"
#include "core/memory.hpp"
#include "cuesta/device.hpp"

namespace cuesta::bench {
namespace {

/// As a caller makes it: the library's, or in pinned memory of the caller's own.
class Picture {
 public:
  Picture(const PictureShape& shape, Space space, HostMemory memory = HostMemory::pageable) {
    if (shape.type == PixelType::none) return;
    if (memory == HostMemory::pinned)
      pinned_.emplace(shape);
    else
      owned_.emplace(shape.size, shape.channels, shape.type, space);
  }
  AnyView plane() {
    if (pinned_) return pinned_->view();
    return owned_ ? owned_->view() : AnyView();
  }

 private:
  std::optional<cuesta::AnyImage> owned_;
  std::optional<PinnedPicture> pinned_;
};

void touch(AnyView p) {
  for (int32_t y = 0; y < p.height; ++y)
    std::memset(static_cast<char*>(p.data) + p.stride_bytes * y, 0x5A,
                size_t(detail::row_bytes(p)));
}

}  // namespace

PictureCosts time_pictures(const PictureShape& source, const PictureShape& result,
                           HostMemory memory, int times, void* stream) {
  constexpr double PictureCosts::*steps[] = {
      &PictureCosts::host_allocate, &PictureCosts::device_allocate, &PictureCosts::first_upload,
      &PictureCosts::upload,        &PictureCosts::first_download,  &PictureCosts::download,
      &PictureCosts::release};
  std::vector<double> ms[std::size(steps)];
  Picture filled(result, Space::host);
  touch(filled.plane());
  wait(stream);
  for (int i = 0; i < times; ++i) {
    struct Pictures {
      std::optional<Picture> src, dst;
    } host, device;
    const auto send = [&] {
      upload(host.src->plane(), device.src->plane(), stream);
      wait(stream);
    };
    const auto fetch = [&] {
      if (host.dst->plane()) download(device.dst->plane(), host.dst->plane(), stream);
    };
    size_t step = 0;
    const auto timed = [&](const auto& body) { ms[step++].push_back(time_once(body)); };
    timed([&] {
      host.src.emplace(source, Space::host, memory);
      host.dst.emplace(result, Space::host, memory);
    });
    timed([&] {
      device.src.emplace(source, Space::device);
      device.dst.emplace(result, Space::device);
    });
    touch(host.src->plane());
    timed(send);
    timed(send);
    // Something must be there; the host's own picture stays untouched.
    if (filled.plane()) upload(filled.plane(), device.dst->plane(), stream);
    wait(stream);
    timed(fetch);
    timed(fetch);
    timed([&] { host = {}, device = {}; });
  }
  PictureCosts costs;
  for (size_t step = 0; step < std::size(steps); ++step)
    costs.*steps[step] = summary_of(std::move(ms[step])).ms;
  return costs;
}

}  // namespace cuesta::bench
