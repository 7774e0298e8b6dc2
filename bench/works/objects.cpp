#include "bench/works/objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "cuesta/border.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

std::string text_of(const std::vector<Component>& components) {
  std::string text;
  for (const Component& c : components) {
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {} {} {}\n", c.label, c.box.x, c.box.y,
                   c.box.width, c.box.height, c.area, c.sum_x, c.sum_y);
  }
  return text;
}

std::string bytes_of(const BitImage& bits) {
  Image<uint8_t> mask(bits.width(), bits.height());
  unpack_mask(bits, mask);
  std::string bytes;
  for (int32_t y = 0; y < mask.height(); ++y)
    bytes.append(reinterpret_cast<const char*>(mask.row(y)), size_t(mask.width()));
  return bytes;
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

std::shared_ptr<BitImage> packed(const Image<uint8_t>& mask) {
  auto bits = std::make_shared<BitImage>(mask.width(), mask.height());
  pack_mask(mask, *bits);
  return bits;
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
  work.bytes_per_pixel = 1 + 4;
  const auto found = std::make_shared<std::vector<Component>>();
  work.call = [found](ConstAnyView src, AnyView labels, const Exec& exec) {
    label(src, labels, found.get(), {}, exec);
  };
  work.answer = [found] { return text_of(*found); };
  const auto areas = std::make_shared<std::vector<int64_t>>();
  work.opencv = [areas](Peer& peer, ConstAnyView src, AnyView) { peer.components(src, *areas); };
  work.npp = [](DevicePeer& peer, ConstAnyView src, AnyView labels, void* stream) {
    peer.label(src, labels, stream);
  };
  work.npp_note = "labels alone, in numbers of its own";
  return work;
}

Work label_bits_work(std::string experiment, std::string parameters, const Image<uint8_t>& mask) {
  Work work = label_work(std::move(experiment), std::move(parameters), mask);
  work.result = PixelType::none;
  work.device = false;
  work.bytes_per_pixel = 0.125;
  work.npp = {};
  const auto bits = packed(mask);
  const auto found = std::make_shared<std::vector<Component>>();
  work.call = [bits, found](ConstAnyView, AnyView, const Exec& exec) {
    label(*bits, {}, found.get(), {}, exec);
  };
  work.answer = [found] { return text_of(*found); };
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
  work.result = PixelType::none;
  work.device = false;
  work.bytes_per_pixel = 0.25;
  const auto bits = packed(mask);
  const auto closed = std::make_shared<BitImage>(mask.width(), mask.height());
  const auto opened = std::make_shared<BitImage>(mask.width(), mask.height());
  work.call = [bits, closed, opened, element](ConstAnyView, AnyView, const Exec& exec) {
    morph_close(*bits, *closed, element, {}, exec);
    morph_open(*closed, *opened, element, {}, exec);
  };
  work.answer = [opened] { return bytes_of(*opened); };
  const auto theirs = std::make_shared<Image<uint8_t>>(mask.width(), mask.height());
  work.opencv = [theirs, opencv_size](Peer& peer, ConstAnyView src, AnyView) {
    peer.close_open(src, *theirs, opencv_size);
  };
  return work;
}

}  // namespace cuesta::bench
