// What a picture's C++ type says before the program runs: that host and device pictures do not mix,
// and which owner a new picture gets. Views whose type is known at run time only (AnyView) say
// nothing here; the operations check those when they are called.
#pragma once

#include <concepts>
#include <type_traits>

#include "cuesta/image.hpp"

namespace cuesta {

/// What operations read: Image, ImageView, AnyImage, AnyView, BitImage, BitView.
template <class P>
concept PictureLike = std::convertible_to<const P&, ConstAnyView>;

/// Whether pictures of type P are known to live in S.
template <class P, Space S>
inline constexpr bool lives_in = false;
template <class T, Space S>
inline constexpr bool lives_in<ImageView<T, S>, S> = true;
template <class T, Space S>
inline constexpr bool lives_in<Image<T, S>, S> = true;
template <class Word, Space S>
inline constexpr bool lives_in<BasicBitView<Word, S>, S> = true;
template <>
inline constexpr bool lives_in<BitImage, Space::host> = true;

/// Some of these pictures live on the host and some on the device: operations that take them
/// together are deleted. upload(), download() or copy() bring one to where the other is.
template <class... P>
concept mixes_host_and_device = (lives_in<std::remove_cvref_t<P>, Space::host> || ...) &&
                                (lives_in<std::remove_cvref_t<P>, Space::device> || ...);

template <class P>
concept KnownSpace = lives_in<P, Space::host> || lives_in<P, Space::device>;

/// A view to write, of any sample type, in a space known at compile time.
/// A picture in the other space does not convert. For structs of results.
template <Space S>
struct ViewIn : AnyView {
  constexpr ViewIn() = default;
  /// Makes the view of a picture in this space.
  template <class P>
    requires(lives_in<std::remove_cvref_t<P>, S> && std::convertible_to<P, AnyView>)
  constexpr ViewIn(P&& picture) : AnyView(static_cast<P&&>(picture)) {}

 private:
  // Private, not deleted: clang passes a deleted one over for the form whose views say nothing.
  template <class P>
    requires(KnownSpace<std::remove_cvref_t<P>> && !lives_in<std::remove_cvref_t<P>, S>)
  ViewIn(P&& picture_that_lives_elsewhere);
};
template <class P>
using ViewBeside = ViewIn<lives_in<P, Space::device> ? Space::device : Space::host>;

namespace detail {
template <class P>
struct NewPicture {
  using Like = AnyImage;
  template <class>
  using Of = AnyImage;
  using Bits = AnyImage;
};
template <class T, Space S>
struct NewPicture<ImageView<T, S>> {
  using Like = Image<std::remove_const_t<T>, S>;
  template <class U>
  using Of = Image<U, S>;
  using Bits = std::conditional_t<S == Space::host, BitImage, AnyImage>;
};
template <class T, Space S>
struct NewPicture<Image<T, S>> : NewPicture<ImageView<T, S>> {};
template <class Word, Space S>
struct NewPicture<BasicBitView<Word, S>> : NewPicture<ImageView<uint8_t, S>> {
  using Like = typename NewPicture<ImageView<uint8_t, S>>::Bits;
};
template <>
struct NewPicture<BitImage> : NewPicture<BitView> {};

/// A picture of this shape; none where the source has no type, which the operation then names.
template <class Owner>
Owner new_picture_as(ConstAnyView src, int32_t channels, PixelType type) {
  if (src.type == PixelType::none) return {};
  if constexpr (std::is_same_v<Owner, AnyImage>)
    return AnyImage(src.size(), channels, type, src.space);
  else if constexpr (std::is_same_v<Owner, BitImage>)
    return BitImage(src.size());
  else
    return Owner(src.size(), channels);
}
}  // namespace detail

/// The owner of a new picture of P's type and space (NewLike), of samples T in P's space (NewOf):
/// an Image where P says so, an AnyImage where it is known at run time only.
template <PictureLike P>
using NewLike = typename detail::NewPicture<P>::Like;
template <class T, PictureLike P>
using NewOf = typename detail::NewPicture<P>::template Of<T>;
template <PictureLike P>
using NewBits = typename detail::NewPicture<P>::Bits;

/// A picture of the size, channels, type and space of another, uninitialised.
template <PictureLike P>
NewLike<P> new_like(const P& picture) {
  const ConstAnyView view = picture;
  return detail::new_picture_as<NewLike<P>>(view, view.channels, view.type);
}
/// A picture of samples T of the size and space of another, one channel, uninitialised.
template <class T, PictureLike P>
NewOf<T, P> new_of(const P& picture) {
  return detail::new_picture_as<NewOf<T, P>>(picture, 1, pixel_type_of<T>());
}
/// A mask of bits of the size and space of another picture, cleared.
template <PictureLike P>
NewBits<P> new_bits(const P& picture) {
  return detail::new_picture_as<NewBits<P>>(picture, 1, PixelType::bit);
}

/// A picture of its own with the same samples.
template <PictureLike Src>
NewLike<Src> copy(const Src& src, void* stream = nullptr) {
  auto dst = new_like(src);
  copy(ConstAnyView(src), AnyView(dst), stream);
  return dst;
}

}  // namespace cuesta
