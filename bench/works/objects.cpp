#include "bench/works/objects.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cuesta/border.hpp"
#include "cuesta/device.hpp"
#include "cuesta/device_components.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

// All that is known of them, as bytes: there may be millions.
std::string bytes_of(const std::vector<Component>& components) {
  std::string bytes;
  bytes.reserve(components.size() * 8 * sizeof(int64_t));
  for (const Component& c : components) {
    const int64_t values[] = {c.label,      c.box.x, c.box.y, c.box.width,
                              c.box.height, c.area,  c.sum_x, c.sum_y};
    bytes.append(reinterpret_cast<const char*>(values), sizeof values);
  }
  return bytes;
}

// As many components as a mask can have, on the GPU, in rows that all end between components.
class ListThere {
 public:
  static constexpr int32_t a_row = 1024;
  explicit ListThere(Size mask)
      : room_((mask.width + 1) / 2 * ((mask.height + 1) / 2)),
        list_(a_row * int32_t(sizeof(Component)), room_ / a_row + 1),
        count_(1, 1) {}
  DeviceComponents components() {
    return {reinterpret_cast<Component*>(list_.row(0)), room_, count_.row(0)};
  }
  void fetch(std::vector<Component>& found, void* stream) const {
    Image<int32_t> count(1, 1);
    download(count_, count, stream);
    wait(stream);
    const int32_t rows = count.at(0, 0) / a_row + 1;
    found.resize(size_t(rows) * a_row);
    download(list_.region({0, 0, list_.width(), rows}),
             ImageView<uint8_t>(reinterpret_cast<uint8_t*>(found.data()), list_.width(), rows, 1,
                                list_.width()),
             stream);
    wait(stream);
    found.resize(size_t(count.at(0, 0)));
  }

 private:
  int32_t room_;
  Image<uint8_t, Space::device> list_;
  Image<int32_t, Space::device> count_;
};

// The call finds components where the mask is; the answer is reported on the host.
void leave_list_there(Work& work) {
  struct Found {
    std::vector<Component> list{};
    std::optional<ListThere> there{};
    void* stream = nullptr;
    bool is_there = false;
  };
  const auto found = std::make_shared<Found>();
  work.call = [found](ConstAnyView src, AnyView labels, const Exec& exec) {
    found->is_there = src.space == Space::device;
    if (!found->is_there) {
      label(src, labels, &found->list, {}, exec);
      return;
    }
    if (!found->there) found->there.emplace(src.size());
    found->stream = exec.stream;
    label(src, labels, found->there->components(), {}, exec);
  };
  work.answer = [found] {
    if (found->is_there) found->there->fetch(found->list, found->stream);
    return bytes_of(found->list);
  };
}

Work mask_work(std::string experiment, std::string operation, std::string parameters,
               const Image<uint8_t>& mask) {
  Work work;
  work.experiment = std::move(experiment);
  work.operation = std::move(operation);
  work.parameters = std::move(parameters);
  work.sources = {mask};
  return work;
}

// The source is the mask in bits, which the work holds; a copy is still of the mask.
void take_bits(Work& work, const Image<uint8_t>& mask) {
  const auto bits = std::make_shared<BitImage>(mask.width(), mask.height());
  pack_mask(mask, *bits);
  work.sources = {*bits};
  work.copied = PixelType::u8;
  work.call = [bits, call = std::move(work.call)](ConstAnyView src, AnyView dst, const Exec& exec) {
    call(src, dst, exec);
  };
}

}  // namespace

Image<uint8_t> object_mask(int32_t side) {
  Image<uint8_t> tile(512, 512), mask(side, side);
  verify::fill(tile, verify::Pattern::blobs, 3);
  for (int32_t y = 0; y < side; ++y)
    for (int32_t x = 0; x < side; ++x)
      mask.at(x, y) =
          tile.at(map_index<BorderMode::reflect>(x, 512), map_index<BorderMode::reflect>(y, 512));
  return mask;
}

Work label_work(std::string experiment, std::string parameters, const Image<uint8_t>& mask) {
  Work work = mask_work(std::move(experiment), "label", std::move(parameters), mask);
  work.result = PixelType::s32;
  work.waits = true;
  work.bytes_per_pixel = 1 + 4;
  const auto found = std::make_shared<std::vector<Component>>();
  work.call = [found](ConstAnyView src, AnyView labels, const Exec& exec) {
    label(src, labels, found.get(), {}, exec);
  };
  work.answer = [found] { return bytes_of(*found); };
  const auto areas = std::make_shared<std::vector<int64_t>>();
  work.opencv = [areas](Peer& peer, ConstAnyView src, AnyView) { peer.components(src, *areas); };
  work.npp = [](DevicePeer& peer, ConstAnyView src, AnyView labels, void* stream) {
    peer.label(src, labels, stream);
  };
  work.npp_note = "labels alone, in numbers of its own";
  return work;
}

Work label_bits_work(std::string experiment, std::string parameters, const Image<uint8_t>& mask,
                     bool labels, bool stays) {
  Work work = label_work(std::move(experiment), std::move(parameters), mask);
  if (stays) leave_list_there(work);
  work.waits = !stays;
  work.npp = {};
  work.npp_note = {};
  if (!labels) work.result = PixelType::none;
  work.bytes_per_pixel = 0.125 + (labels ? 4 : 0);
  take_bits(work, mask);
  const auto areas = std::make_shared<std::vector<int64_t>>();
  work.opencv = [areas, view = ConstAnyView(mask)](Peer& peer, ConstAnyView, AnyView) {
    peer.components(view, *areas);
  };
  return work;
}

bool same_components(Session& session, const Image<uint8_t>& mask, const std::string& what) {
  if (!session.opencv()) return true;
  std::vector<Component> found;
  label(mask, {}, &found, {}, session.exec());
  std::vector<int64_t> ours, theirs;
  for (const Component& component : found) ours.push_back(component.area);
  session.opencv()->components(mask, theirs);
  std::sort(ours.begin(), ours.end());
  std::sort(theirs.begin(), theirs.end());
  return session.expect(ours == theirs, what + ": opencv finds other components");
}

Work close_open_work(std::string experiment, std::string parameters, int size,
                     const Image<uint8_t>& mask) {
  Work work = mask_work(std::move(experiment), "morphology", std::move(parameters), mask);
  work.device = false;
  work.bytes_per_pixel = 2;
  const auto closed = std::make_shared<Image<uint8_t>>(mask.width(), mask.height());
  work.call = [closed, element = StructuringElement::ellipse(size, size)](
                  ConstAnyView src, AnyView dst, const Exec& exec) {
    morph_close(src, *closed, element, {}, exec);
    morph_open(*closed, dst, element, {}, exec);
  };
  work.opencv = [size](Peer& peer, ConstAnyView src, AnyView dst) {
    peer.close_open(src, dst, size);
  };
  work.opencv_equal = true;
  return work;
}

Work close_open_bits_work(std::string experiment, std::string parameters,
                          const StructuringElement& element, int opencv_size,
                          const Image<uint8_t>& mask) {
  Work work = mask_work(std::move(experiment), "morphology", std::move(parameters), mask);
  work.result = PixelType::bit;
  work.bytes_per_pixel = 0.25;
  // Made by the first call, which is not timed, where the pictures are.
  const auto closed = std::make_shared<AnyImage>();
  work.call = [element, closed](ConstAnyView src, AnyView dst, const Exec& exec) {
    closed->create(src.size(), 1, src.type, src.space);
    morph_close(src, *closed, element, {}, exec);
    morph_open(*closed, dst, element, {}, exec);
  };
  take_bits(work, mask);
  const auto theirs = std::make_shared<Image<uint8_t>>(mask.width(), mask.height());
  work.opencv = [theirs, opencv_size, view = ConstAnyView(mask)](Peer& peer, ConstAnyView,
                                                                 AnyView) {
    peer.close_open(view, *theirs, opencv_size);
  };
  return work;
}

Work dilate_work(std::string experiment, std::string parameters, const StructuringElement& element,
                 ConstAnyView src) {
  Work work;
  work.experiment = std::move(experiment);
  work.operation = "morphology";
  work.parameters = std::move(parameters);
  work.sources = {src};
  work.result = src.type;
  work.bytes_per_pixel = 2.0 * bytes_per_sample(src.type);
  work.call = [element](ConstAnyView from, AnyView to, const Exec& exec) {
    dilate(from, to, element, {}, exec);
  };
  return work;
}

Work gray_work(std::string experiment, std::string parameters, ConstAnyView color) {
  Work work;
  work.experiment = std::move(experiment);
  work.operation = "pixel";
  work.parameters = std::move(parameters);
  work.sources = {color};
  work.bytes_per_pixel = color.channels + 1;
  work.copied = color.type;
  work.call = [](ConstAnyView from, AnyView to, const Exec& exec) {
    to_gray(from, to, ColorOrder::rgb, exec);
  };
  return work;
}

}  // namespace cuesta::bench
