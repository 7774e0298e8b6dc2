#include "core/round_trip.hpp"

#include <utility>
#include <vector>

#include "core/device_memory.hpp"
#include "core/memory.hpp"
#include "core/on_device.hpp"

namespace cuesta {
namespace {

constexpr size_t alignment = 256;

size_t bytes_of(ConstAnyView picture) {
  return size_t(detail::row_bytes(picture)) * size_t(picture.height);
}

}  // namespace

void PinnedRoom::reserve(size_t bytes, size_t pictures) {
  used_ = 0;
  const size_t wanted = bytes + pictures * alignment;
  const ConstAnyView have = memory_.view();
  if (have && size_t(have.width) * size_t(have.height) >= wanted) return;
  constexpr size_t row = 4096;
  memory_ = {};  // before the next is taken
  memory_ = PinnedPicture({PixelType::u8, {int32_t(row), int32_t((wanted + row - 1) / row)}});
}

AnyView PinnedRoom::place(ConstAnyView like) {
  const ptrdiff_t stride = detail::row_bytes(like);
  const AnyView made(static_cast<char*>(memory_.view().data) + used_, like.width, like.height,
                     like.channels, stride, like.type);
  used_ += (bytes_of(like) + alignment - 1) / alignment * alignment;
  return made;
}

RoundTrip::RoundTrip(int device) : device_(device) {
  const OnDevice scope(device);
  stream_.emplace();
}

Exec RoundTrip::exec(Exec exec) {
  exec.stream = stream_->get();
  exec.workspace = &workspace_;
  exec.observer = nullptr;
  return exec;
}

void RoundTrip::run(std::span<const ConstAnyView> sources, AnyView out, const Work& work) {
  const OnDevice scope(device_);
  void* const stream = stream_->get();
  while (sources_.size() < sources.size()) sources_.emplace_back();
  const auto is_staged = [](ConstAnyView picture) {
    return picture && !detail::is_pinned(picture.data);
  };
  size_t bytes = 0, staged = 0;
  for (const ConstAnyView& source : sources) {
    if (!is_staged(source)) continue;
    bytes += bytes_of(source);
    ++staged;
  }
  if (staged > 0) up_.reserve(bytes, staged);
  std::vector<ConstAnyView> there;
  try {
    for (const ConstAnyView& source : sources) {
      if (!source) {
        there.emplace_back();
        continue;
      }
      const AnyView copy =
          sources_[there.size()].create(source.size(), source.channels, source.type, Space::device);
      ConstAnyView from = source;
      if (is_staged(source)) {
        const AnyView place = up_.place(source);
        cuesta::copy(source, place);
        from = place;
      }
      upload(from, copy, stream);
      there.push_back(copy);
    }
    if (!out) {
      work(there, {});
      return wait(stream);  // the next picture takes the same memory
    }
    const AnyView result = out_.create(out.size(), out.channels, out.type, Space::device);
    work(there, result);
    if (!is_staged(out)) {
      detail::enqueue_download(result, out, stream);
      return wait(stream);
    }
    down_.reserve(bytes_of(out), 1);
    const AnyView back = down_.place(out);
    detail::enqueue_download(result, back, stream);
    wait(stream);
    cuesta::copy(back, out);
  } catch (...) {
    settle();  // uploads still read the pictures
    throw;
  }
}

void RoundTrip::run_there(const std::function<void()>& work) {
  const OnDevice scope(device_);
  try {
    work();
    wait(stream_->get());
  } catch (...) {
    settle();
    throw;
  }
}

void RoundTrip::settle() noexcept {
  try {
    wait(stream_->get());
  } catch (const Error&) {  // the first fault is the one to tell
  }
}

void on_copy(const std::shared_ptr<RoundTrip>& gpu, ConstAnyView source, AnyView out,
             const std::function<void(ConstAnyView, AnyView)>& work) {
  if (!gpu) return work(source, out);
  gpu->run({&source, 1}, out,
           [&](std::span<const ConstAnyView> copies, AnyView result) { work(copies[0], result); });
}

}  // namespace cuesta
