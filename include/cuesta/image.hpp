// Pictures: views by value, and owners that move. Row-major, interleaved channels, strides in
// bytes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace cuesta {

/// Where samples live. It decides where an operation runs: host views on the CPU, device views on
/// CUDA.
enum class Space : uint8_t { host, device };
/// Returns the name of a space, as `cuesta list strategies` prints it.
constexpr const char* name_of(Space space) { return space == Space::host ? "host" : "device"; }

/// The sample types operations accept; each operation's README lists its own subset.
enum class PixelType : uint8_t { none, u8, u16, s16, s32, f32, bit };

/// Bytes of one sample; 0 for `bit`, whose rows are packed 64-bit words.
constexpr int bytes_per_sample(PixelType type) {
  switch (type) {
    case PixelType::u8: return 1;
    case PixelType::u16:
    case PixelType::s16: return 2;
    case PixelType::s32:
    case PixelType::f32: return 4;
    case PixelType::bit:
    case PixelType::none: return 0;
  }
  return 0;
}

/// "u8", "s16" ...: the names that messages, tables and JSON use.
constexpr const char* name_of(PixelType type) {
  switch (type) {
    case PixelType::u8: return "u8";
    case PixelType::u16: return "u16";
    case PixelType::s16: return "s16";
    case PixelType::s32: return "s32";
    case PixelType::f32: return "f32";
    case PixelType::bit: return "bit";
    case PixelType::none: return "none";
  }
  return "none";
}

/// Returns the PixelType of samples of type T.
template <class T>
constexpr PixelType pixel_type_of() {
  using U = std::remove_const_t<T>;
  if constexpr (std::is_same_v<U, uint8_t>)
    return PixelType::u8;
  else if constexpr (std::is_same_v<U, uint16_t>)
    return PixelType::u16;
  else if constexpr (std::is_same_v<U, int16_t>)
    return PixelType::s16;
  else if constexpr (std::is_same_v<U, int32_t>)
    return PixelType::s32;
  else if constexpr (std::is_same_v<U, float>)
    return PixelType::f32;
  else
    static_assert(!sizeof(U), "cuesta: samples are uint8_t, uint16_t, int16_t, int32_t or float");
}

/// The size of a picture in pixels.
struct Size {
  int32_t width = 0, height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

/// A rectangle in pixels: its upper left corner and its size.
struct Rect {
  int32_t x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const Rect&, const Rect&) = default;
};

namespace detail {
/// Throws Error{invalid_argument} when `rect` is empty or leaves a picture of `size`.
void check_region(Size size, const Rect& rect);
}  // namespace detail

/// A picture somebody else owns: `height` rows of `width` pixels of `channels` interleaved samples.
/// Passed by value, also to GPU kernels. A region is another view, and its edge counts as the
/// picture's edge in every operation. Conversions to a view of const samples are templates, here
/// and below: for a view that is const already, nvcc warns of a conversion to its own type.
template <class T, Space S = Space::host>
struct ImageView {
  T* data = nullptr;
  int32_t width = 0, height = 0, channels = 1;
  ptrdiff_t stride_bytes = 0;

  constexpr ImageView() = default;
  /// A stride of 0 means rows follow each other without padding.
  constexpr ImageView(T* samples, int32_t w, int32_t h, int32_t c = 1, ptrdiff_t stride = 0)
      : data(samples),
        width(w),
        height(h),
        channels(c),
        stride_bytes(stride ? stride : ptrdiff_t(w) * c * ptrdiff_t(sizeof(T))) {}

  constexpr T* row(int32_t y) const {
    using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
    return reinterpret_cast<T*>(reinterpret_cast<Byte*>(data) + ptrdiff_t(y) * stride_bytes);
  }
  constexpr T& at(int32_t x, int32_t y, int32_t c = 0) const {
    return row(y)[ptrdiff_t(x) * channels + c];
  }
  constexpr Size size() const { return {width, height}; }
  constexpr bool empty() const { return width <= 0 || height <= 0; }
  /// The view of a part. Throws Error{invalid_argument} when `rect` is empty or leaves the picture.
  ImageView region(const Rect& rect) const {
    detail::check_region(size(), rect);
    return {row(rect.y) + ptrdiff_t(rect.x) * channels, rect.width, rect.height, channels,
            stride_bytes};
  }
  template <class View>
    requires(!std::is_const_v<T> && std::same_as<View, ImageView<const T, S>>)
  constexpr operator View() const {
    return {data, width, height, channels, stride_bytes};
  }
};

/// A view whose sample type and space are known at run time. Every operation takes these;
/// ImageView, Image and AnyImage convert to them by themselves, so callers rarely name them.
template <bool Const>
struct BasicAnyView {
  using Pointer = std::conditional_t<Const, const void*, void*>;
  Pointer data = nullptr;
  int32_t width = 0, height = 0, channels = 1;
  ptrdiff_t stride_bytes = 0;
  PixelType type = PixelType::none;
  Space space = Space::host;

  constexpr BasicAnyView() = default;
  /// Makes a view of samples in memory; `stride` is in bytes from row to row.
  constexpr BasicAnyView(Pointer samples, int32_t w, int32_t h, int32_t c, ptrdiff_t stride,
                         PixelType t, Space s = Space::host)
      : data(samples), width(w), height(h), channels(c), stride_bytes(stride), type(t), space(s) {}
  /// Makes a view of a typed view.
  template <class T, Space S>
    requires(Const || !std::is_const_v<T>)
  constexpr BasicAnyView(const ImageView<T, S>& view)
      : BasicAnyView(view.data, view.width, view.height, view.channels, view.stride_bytes,
                     pixel_type_of<T>(), S) {}
  template <class View>
    requires(!Const && std::same_as<View, BasicAnyView<true>>)
  constexpr operator View() const {
    return {data, width, height, channels, stride_bytes, type, space};
  }

  /// The typed view; the caller has checked `type` and `space`.
  template <class T, Space S = Space::host>
  constexpr auto as() const {
    using U = std::conditional_t<Const, const T, T>;
    return ImageView<U, S>(static_cast<U*>(data), width, height, channels, stride_bytes);
  }
  constexpr explicit operator bool() const { return data != nullptr; }
  constexpr Size size() const { return {width, height}; }
  constexpr bool empty() const { return width <= 0 || height <= 0; }
  /// The view of a part, of the same type and space. Throws Error{invalid_argument} when `rect` is
  /// empty or leaves the picture, and for masks of bits.
  BasicAnyView region(const Rect& rect) const;
};

using AnyView = BasicAnyView<false>;
using ConstAnyView = BasicAnyView<true>;

/// The picture that an operation writes: an AnyView that has to be named. `{}` makes none, so that
/// the `{}` of canny(view, {}) is the options.
struct OutView : AnyView {
  /// Makes the view of a picture that can be written.
  template <class P>
    requires std::convertible_to<P, AnyView>
  constexpr OutView(P&& picture) : AnyView(static_cast<P&&>(picture)) {}
};

/// A view of a mask of one bit a pixel.
/// Pixel x is bit (x % 64) of word x / 64 of a row; bits past `width` are 0 in
/// every mask the library writes and are ignored in every mask it reads.
template <class Word, Space S = Space::host>
struct BasicBitView {
  static_assert(std::is_same_v<std::remove_const_t<Word>, uint64_t>);
  Word* data = nullptr;
  int32_t width = 0, height = 0;
  ptrdiff_t stride_words = 0;

  constexpr Word* row(int32_t y) const { return data + ptrdiff_t(y) * stride_words; }
  constexpr bool at(int32_t x, int32_t y) const { return (row(y)[x >> 6] >> (x & 63)) & 1; }
  constexpr int32_t words() const { return (width + 63) / 64; }
  template <class View>
    requires(!std::is_const_v<Word> && std::same_as<View, BasicBitView<const Word, S>>)
  constexpr operator View() const {
    return {data, width, height, stride_words};
  }
  constexpr operator ConstAnyView() const {
    return {data, width, height, 1, stride_words * 8, PixelType::bit, S};
  }
  constexpr operator AnyView() const
    requires(!std::is_const_v<Word>)
  {
    return {data, width, height, 1, stride_words * 8, PixelType::bit, S};
  }
};
using BitView = BasicBitView<uint64_t>;
using ConstBitView = BasicBitView<const uint64_t>;

namespace detail {
/// Memory for a picture: rows aligned and padded to 64 bytes; no memory where a side is 0. Throws
/// Error{invalid_argument} for a negative side, channels outside 1..4 or no type,
/// Error{out_of_memory | device}.
AnyView new_picture(Size size, int32_t channels, PixelType type, Space space);
void delete_picture(AnyView picture) noexcept;
}  // namespace detail

class AnyImage;

/// An owned picture: move-only, rows aligned and padded to 64 bytes, samples uninitialised.
template <class T, Space S = Space::host>
class Image {
 public:
  Image() = default;
  /// Allocates a picture.
  /// Throws Error{invalid_argument} for a negative size or channels outside 1..4,
  /// Error{out_of_memory}.
  explicit Image(Size size, int32_t channels = 1)
      : view_(detail::new_picture(size, channels, pixel_type_of<T>(), S).template as<T, S>()) {}
  Image(int32_t width, int32_t height, int32_t channels = 1)
      : Image(Size{width, height}, channels) {}
  Image(Image&& other) noexcept : view_(std::exchange(other.view_, {})) {}
  Image& operator=(Image&& other) noexcept {
    std::swap(view_, other.view_);
    return *this;
  }
  ~Image() { detail::delete_picture(view_); }

  /// view() returns a view of all samples.
  ImageView<T, S> view() { return view_; }
  ImageView<const T, S> view() const { return view_; }
  operator ImageView<T, S>() { return view_; }
  operator ImageView<const T, S>() const { return view_; }
  operator AnyView() { return view_; }
  operator ConstAnyView() const { return view_; }
  /// region() returns a view of a part. Throws Error{invalid_argument} if it leaves the picture.
  ImageView<T, S> region(const Rect& rect) { return view_.region(rect); }
  ImageView<const T, S> region(const Rect& rect) const { return view_.region(rect); }
  /// Return the size in pixels, the number of channels, and whether there are no pixels.
  Size size() const { return view_.size(); }
  int32_t width() const { return view_.width; }
  int32_t height() const { return view_.height; }
  int32_t channels() const { return view_.channels; }
  bool empty() const { return view_.empty(); }
  /// row() returns the first sample of a row; at() sample `c` of pixel (x, y). Not checked.
  T* row(int32_t y) { return view_.row(y); }
  const T* row(int32_t y) const { return view_.row(y); }
  T& at(int32_t x, int32_t y, int32_t c = 0) { return view_.at(x, y, c); }
  const T& at(int32_t x, int32_t y, int32_t c = 0) const { return view_.at(x, y, c); }

 private:
  friend class AnyImage;
  ImageView<T, S> view_;
};

/// An owned picture whose sample type and space are known at run time.
/// Move-only; rows are aligned and padded to 64 bytes. Samples are uninitialised, bits are cleared.
class AnyImage {
 public:
  AnyImage() = default;
  /// Allocates a picture.
  /// Throws Error{invalid_argument} for a negative size, channels outside 1..4 or no type,
  /// Error{out_of_memory | device}.
  AnyImage(Size size, int32_t channels, PixelType type, Space space = Space::host)
      : view_(detail::new_picture(size, channels, type, space)) {}
  AnyImage(int32_t width, int32_t height, int32_t channels, PixelType type,
           Space space = Space::host)
      : AnyImage(Size{width, height}, channels, type, space) {}
  /// Takes the picture over.
  template <class T, Space S>
  AnyImage(Image<T, S>&& image) noexcept : view_(std::exchange(image.view_, {})) {}
  AnyImage(AnyImage&& other) noexcept : view_(std::exchange(other.view_, {})) {}
  AnyImage& operator=(AnyImage&& other) noexcept {
    std::swap(view_, other.view_);
    return *this;
  }
  ~AnyImage() { detail::delete_picture(view_); }

  /// Makes it a picture of this shape, as the constructor does. A picture that has this shape, on
  /// the GPU in use where `space` is the device, keeps its memory and samples.
  AnyView create(Size size, int32_t channels, PixelType type, Space space = Space::host);

  /// view() returns a view of all samples.
  AnyView view() { return view_; }
  ConstAnyView view() const { return view_; }
  operator AnyView() { return view_; }
  operator ConstAnyView() const { return view_; }
  /// The typed view; the caller has checked type() and space().
  template <class T, Space S = Space::host>
  ImageView<T, S> as() {
    return view().template as<T, S>();
  }
  template <class T, Space S = Space::host>
  ImageView<const T, S> as() const {
    return view().template as<T, S>();
  }
  AnyView region(const Rect& rect) { return view_.region(rect); }
  ConstAnyView region(const Rect& rect) const { return view().region(rect); }
  Size size() const { return view_.size(); }
  int32_t width() const { return view_.width; }
  int32_t height() const { return view_.height; }
  int32_t channels() const { return view_.channels; }
  PixelType type() const { return view_.type; }
  Space space() const { return view_.space; }
  bool empty() const { return view_.empty(); }

 private:
  AnyView view_;
};

/// An owned mask of one bit a pixel, cleared when made.
class BitImage {
 public:
  BitImage() = default;
  /// Allocates a mask of zeros. Throws Error{invalid_argument} and Error{out_of_memory}.
  explicit BitImage(Size size);
  BitImage(int32_t width, int32_t height) : BitImage(Size{width, height}) {}
  BitImage(BitImage&& other) noexcept : view_(std::exchange(other.view_, {})) {}
  BitImage& operator=(BitImage&& other) noexcept {
    std::swap(view_, other.view_);
    return *this;
  }
  ~BitImage() { detail::delete_picture(view_); }

  /// view() returns a view of all pixels.
  BitView view() { return view_; }
  ConstBitView view() const { return view_; }
  operator BitView() { return view_; }
  operator ConstBitView() const { return view_; }
  operator AnyView() { return view_; }
  operator ConstAnyView() const { return static_cast<ConstBitView>(view_); }
  /// Return the size in pixels.
  Size size() const { return {view_.width, view_.height}; }
  int32_t width() const { return view_.width; }
  int32_t height() const { return view_.height; }

 private:
  BitView view_;
};

/// Copies a picture into another of its size, channels and type, wherever the two live. From or to
/// the device it is enqueued on `stream`, a cudaStream_t (null: the default stream); it returns
/// when the host memory may be reused (from pageable memory to the device, from the device always).
/// Throws Error{invalid_argument} for views that differ or overlap, Error{device} for faults.
void copy(ConstAnyView src, AnyView dst, void* stream = nullptr);

}  // namespace cuesta
