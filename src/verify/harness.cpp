#include "verify/harness.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/checksum.hpp"
#include "core/device_memory.hpp"
#include "core/memory.hpp"
#include "core/one_nan.hpp"
#include "core/shared_memory.hpp"
#include "cuesta/error.hpp"

namespace cuesta::verify {
namespace {

// Pages that end at an unreadable one. None takes memory before it is written to.
class GuardedMemory {
 public:
  explicit GuardedMemory(size_t bytes) : page_(size_t(sysconf(_SC_PAGESIZE))) {
    usable_ = (bytes + page_ - 1) / page_ * page_;
    base_ = static_cast<uint8_t*>(mmap(nullptr, usable_ + page_, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (base_ == MAP_FAILED)
      throw Error(ErrorCode::out_of_memory,
                  fmt::format("out of memory: {} bytes for a test picture", bytes));
    mprotect(base_ + usable_, page_, PROT_NONE);
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(base_, usable_ + page_); }
  uint8_t* end() const { return base_ + usable_; }

 private:
  size_t page_, usable_ = 0;
  uint8_t* base_ = nullptr;
};

}  // namespace

std::string_view name_of(Layout layout) {
  switch (layout) {
    case Layout::tight: return "tight";
    case Layout::padded: return "padded";
    case Layout::odd: return "odd";
    case Layout::region: return "region";
    case Layout::mixed: return "mixed";
    case Layout::far: return "far";
  }
  return "?";
}

struct Harness::Buffer {
  std::string name;
  std::unique_ptr<GuardedMemory> memory;
  uint8_t* begin = nullptr;  // the whole buffer, canaries included
  size_t bytes = 0;
  size_t first = 0;  // offset of the first sample
  ptrdiff_t stride = 0, row_bytes = 0;
  AnyView host;
  void* device = nullptr;
  bool is_output = false;
  double bound = 0;
  // What of the buffer is filled and looked at: parts of the same length, the same distance apart.
  size_t parts = 1, part_bytes = 0;
  ptrdiff_t part_step = 0;
  std::vector<uint8_t> before;  // the parts as they were handed out

  uint8_t* part(size_t i) const { return begin + ptrdiff_t(i) * part_step; }
  uint8_t* part_before(size_t i) { return before.data() + i * part_bytes; }
  /// The part that has a row of the picture, as it was handed out.
  uint8_t* row_before(int32_t y) {
    return parts == 1 ? before.data() + first + ptrdiff_t(y) * stride
                      : part_before(size_t(y)) + first;
  }

  ~Buffer() { detail::release(Space::device, device); }
};

Harness::Harness(Layout layout, uint8_t poison, Space space)
    : layout_(layout), poison_(poison), space_(space) {}
Harness::~Harness() = default;
Harness::Harness(Harness&&) noexcept = default;

namespace {

// Bytes from row to row, and those before the first and after the last.
struct Margins {
  ptrdiff_t stride;
  size_t before, after;
};

Margins margins_of(Layout layout, ptrdiff_t row_bytes, ptrdiff_t sample, int32_t height) {
  switch (layout) {
    case Layout::padded: return {detail::padded_stride(row_bytes) + 64, 128, 128};
    case Layout::odd: return {row_bytes + 3 * sample, size_t(sample) * 5, size_t(sample) * 7};
    case Layout::region: {
      const ptrdiff_t stride = row_bytes + 11 * sample;
      return {stride, size_t(stride) * 2 + size_t(sample) * 6, size_t(stride) * 2};
    }
    case Layout::far:
      return {((ptrdiff_t(1) << 32) / std::max(1, height - 1) + row_bytes + 4096) / 64 * 64, 128,
              128};
    case Layout::tight:
    case Layout::mixed: break;  // none of its own
  }
  return {row_bytes, size_t(sample) * 16, 0};
}

}  // namespace

AnyView Harness::make(std::string name, PixelType type, int32_t width, int32_t height,
                      int32_t channels, bool is_output, double bound) {
  auto buffer = std::make_unique<Buffer>();
  Buffer& b = *buffer;
  const ptrdiff_t sample = type == PixelType::bit ? 8 : bytes_per_sample(type);
  b.name = std::move(name);
  b.row_bytes = detail::row_bytes(type, width, channels);
  b.is_output = is_output;
  b.bound = bound;
  Layout layout = layout_;
  if (layout == Layout::mixed)
    layout = Layout(Random(uint64_t(width) * 31 + uint64_t(height) + 977 * buffers_.size())
                        .below(layout_count - 1));
  const Margins margins = margins_of(layout, b.row_bytes, sample, height);
  const size_t before = margins.before, after = margins.after;
  b.stride = margins.stride;
  const size_t picture = size_t(b.stride) * size_t(height - 1) + size_t(b.row_bytes);
  b.first = before;
  b.bytes = before + picture + after;
  b.memory = std::make_unique<GuardedMemory>(b.bytes);
  b.begin = b.memory->end() - b.bytes;
  if (layout == Layout::far) {
    b.parts = size_t(height);
    b.part_bytes = before + size_t(b.row_bytes) + after;
    b.part_step = b.stride;
  } else {
    b.part_bytes = b.bytes;
  }
  Random random(0xCA9A47 + buffers_.size());
  for (size_t part = 0; part < b.parts; ++part)
    std::generate_n(b.part(part), b.part_bytes, [&] { return uint8_t(random.next()); });
  b.host = {b.begin + b.first, width, height, channels, b.stride, type, Space::host};
  if (is_output) {
    for (int32_t y = 0; y < height; ++y)
      std::memset(b.begin + b.first + size_t(b.stride) * size_t(y), poison_, size_t(b.row_bytes));
  }
  buffers_.push_back(std::move(buffer));
  return b.host;
}

AnyView Harness::publish(Space space) {
  Buffer& b = *buffers_.back();
  b.before.clear();
  for (size_t i = 0; i < b.parts; ++i)
    b.before.insert(b.before.end(), b.part(i), b.part(i) + b.part_bytes);
  AnyView plane = b.host;
  if (space == Space::host) return plane;
  if (b.parts > 1)
    throw Error(ErrorCode::invalid_argument, "pictures with a large stride must be on the host");
  b.device = detail::allocate(Space::device, b.bytes);
  detail::copy_to_device(b.device, b.begin, b.bytes);
  plane.data = static_cast<uint8_t*>(b.device) + b.first;
  plane.space = Space::device;
  return plane;
}

ConstAnyView Harness::input(PixelType type, int32_t width, int32_t height, int32_t channels,
                            const Draw& draw) {
  draw(make(fmt::format("input {}", buffers_.size()), type, width, height, channels, false, 0));
  return publish(space_);
}

ConstAnyView Harness::input(PixelType type, int32_t width, int32_t height, int32_t channels,
                            Pattern pattern, uint64_t seed) {
  return input(type, width, height, channels, [&](AnyView plane) { fill(plane, pattern, seed); });
}

AnyView Harness::output(std::string name, PixelType type, int32_t width, int32_t height,
                        int32_t channels, double bound) {
  make(std::move(name), type, width, height, channels, true, bound);
  return publish(space_);
}

AnyView Harness::host_output(std::string name, PixelType type, int32_t width, int32_t height,
                             int32_t channels) {
  make(std::move(name), type, width, height, channels, true, 0);
  return publish(Space::host);
}

AnyView Harness::in_out(std::string name, PixelType type, int32_t width, int32_t height,
                        int32_t channels, const Draw& draw) {
  draw(make(std::move(name), type, width, height, channels, true, 0));
  return publish(space_);
}

AnyView Harness::in_out(std::string name, PixelType type, int32_t width, int32_t height,
                        int32_t channels, Pattern pattern, uint64_t seed) {
  return in_out(std::move(name), type, width, height, channels,
                [&](AnyView plane) { fill(plane, pattern, seed); });
}

void Harness::rewind() {
  for (const auto& b : buffers_) {
    for (size_t i = 0; i < b->parts; ++i) std::copy_n(b->part_before(i), b->part_bytes, b->part(i));
    if (b->device) detail::copy_to_device(b->device, b->begin, b->bytes);
  }
}

void Harness::turn_over() {
  for (const auto& b : buffers_) {
    if (b->is_output) continue;
    for (int32_t top = 0, low = b->host.height - 1; top < low; ++top, --low)
      std::swap_ranges(b->row_before(top), b->row_before(top) + b->row_bytes, b->row_before(low));
  }
  rewind();
}

void Harness::begin() {
  if (space_ == Space::device) detail::spoil_shared_memory();
}

void Harness::finish() {
  for (const auto& b : buffers_) {
    if (b->device) detail::copy_to_host(b->begin, b->device, b->bytes);
#ifdef CUESTA_CUDA_EMULATED
    // An emulated device makes its host's NaNs, a GPU one alone: here they are all the same.
    if (b->is_output && b->host.type == PixelType::f32) {
      const auto out = b->host.as<float>();
      for (int32_t y = 0; y < out.height; ++y)
        for (int32_t i = 0; i < out.width * out.channels; ++i)
          out.row(y)[i] = with_one_nan(out.row(y)[i]);
    }
#endif
  }
}

std::string Harness::check_canaries() const {
  for (const auto& b : buffers_) {
    for (size_t i = 0; i < b->parts; ++i) {
      const uint8_t *now = b->part(i), *before = b->part_before(i);
      for (size_t at = 0; at < b->part_bytes; ++at) {
        if (now[at] == before[at]) continue;
        const ptrdiff_t offset = now + at - b->begin - ptrdiff_t(b->first);
        const ptrdiff_t row = offset < 0 ? -1 : offset / b->stride;
        const ptrdiff_t column = offset - row * b->stride;
        const bool inside = offset >= 0 && row < b->host.height && column < b->row_bytes;
        if (b->is_output && inside) continue;
        return inside ? fmt::format("{} was written at row {}, byte {}", b->name, row, column)
                      : fmt::format("memory outside {} was written at row {}, byte {}", b->name,
                                    row, column);
      }
    }
  }
  return {};
}

namespace {

template <class T>
std::string compare_typed(ConstAnyView mine, ConstAnyView theirs, double bound,
                          std::string_view name) {
  const auto a = mine.as<T>(), b = theirs.as<T>();
  int64_t wrong = 0;
  std::string first;
  for (int32_t y = 0; y < mine.height; ++y) {
    for (int32_t x = 0; x < mine.width; ++x) {
      for (int32_t c = 0; c < mine.channels; ++c) {
        const T u = a.at(x, y, c), v = b.at(x, y, c);
        bool equal = std::memcmp(&u, &v, sizeof(T)) == 0;
        if (!equal && bound > 0) equal = std::abs(double(u) - double(v)) <= bound;
        if (equal) continue;
        if (wrong++ == 0)
          first = fmt::format("{} at ({}, {}) channel {}: {} instead of {}", name, x, y, c, u, v);
      }
    }
  }
  return wrong ? fmt::format("{} ({} samples differ)", first, wrong) : std::string();
}

std::string compare_bits(ConstAnyView mine, ConstAnyView theirs, std::string_view name) {
  for (int32_t y = 0; y < mine.height; ++y) {
    const auto* a = reinterpret_cast<const uint64_t*>(static_cast<const char*>(mine.data) +
                                                      ptrdiff_t(y) * mine.stride_bytes);
    const auto* b = reinterpret_cast<const uint64_t*>(static_cast<const char*>(theirs.data) +
                                                      ptrdiff_t(y) * theirs.stride_bytes);
    for (int32_t w = 0; w < (mine.width + 63) / 64; ++w) {
      if (a[w] != b[w])
        return fmt::format("{} at row {}, word {}: {:#x} instead of {:#x}", name, y, w, a[w], b[w]);
    }
  }
  return {};
}

std::string compare_planes(ConstAnyView mine, ConstAnyView theirs, double bound,
                           std::string_view name) {
  switch (mine.type) {
    case PixelType::u8: return compare_typed<uint8_t>(mine, theirs, bound, name);
    case PixelType::u16: return compare_typed<uint16_t>(mine, theirs, bound, name);
    case PixelType::s16: return compare_typed<int16_t>(mine, theirs, bound, name);
    case PixelType::s32: return compare_typed<int32_t>(mine, theirs, bound, name);
    case PixelType::f32: return compare_typed<float>(mine, theirs, bound, name);
    case PixelType::bit: return compare_bits(mine, theirs, name);
    case PixelType::none: return "a picture without a type";
  }
  return "a picture of an unknown type";
}

// Numbers, lowest byte first, not bytes as they are in memory.
void add_number(uint64_t number, Checksum& sum) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = uint8_t(number >> (8 * i));
  sum.add(bytes, sizeof bytes);
}

void add_samples(ConstAnyView view, Checksum& sum) {
  const auto add_all = [&]<class T>(T, int32_t count) {
    for (int32_t y = 0; y < view.height; ++y) {
      const auto* row = static_cast<const uint8_t*>(view.data) + y * view.stride_bytes;
      for (int32_t i = 0; i < count; ++i) {
        T sample{};
        std::memcpy(&sample, row + i * ptrdiff_t(sizeof sample), sizeof sample);
        const int32_t left = view.width - 64 * i;
        if constexpr (std::is_same_v<T, uint64_t>)  // bits: what is behind the last is nobody's
          if (left < 64) sample &= (uint64_t(1) << left) - 1;
        add_number(uint64_t(sample), sum);
      }
    }
  };
  const int32_t samples = view.width * view.channels;
  switch (view.type) {
    case PixelType::u8: return add_all(uint8_t(), samples);
    case PixelType::u16: return add_all(uint16_t(), samples);
    case PixelType::s16: return add_all(int16_t(), samples);
    case PixelType::s32: return add_all(int32_t(), samples);
    case PixelType::f32: return add_all(uint32_t(), samples);  // their bits
    case PixelType::bit: return add_all(uint64_t(), (view.width + 63) / 64);
    case PixelType::none: return;
  }
}

}  // namespace

std::string Harness::compare(const Harness& oracle, bool bounded) const {
  if (buffers_.size() != oracle.buffers_.size())
    return "the two runs made different numbers of pictures";
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer &mine = *buffers_[i], &theirs = *oracle.buffers_[i];
    if (!mine.is_output) continue;
    if (std::string text =
            compare_planes(mine.host, theirs.host, bounded ? mine.bound : 0, mine.name);
        !text.empty())
      return text;
  }
  if (values_.size() != oracle.values_.size())
    return fmt::format("{} results instead of {}", values_.size(), oracle.values_.size());
  for (size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] != oracle.values_[i]) {
      return fmt::format("{}: {} instead of {}", values_[i].first, values_[i].second,
                         oracle.values_[i].second);
    }
  }
  return {};
}

uint64_t Harness::digest(bool floats) const {
  Checksum sum;
  for (const auto& one : buffers_) {
    const ConstAnyView view = one->host;
    if (!one->is_output || one->bound > 0 || (view.type == PixelType::f32 && !floats)) continue;
    add_samples(view, sum);
  }
  for (const auto& [name, text] : values_) sum.add(text.data(), int64_t(text.size()));
  return sum.value();
}

}  // namespace cuesta::verify
