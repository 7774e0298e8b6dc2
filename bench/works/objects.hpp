// Requests of masks, which several experiments time.
#pragma once

#include <string>

#include "bench/engine/session.hpp"
#include "cuesta/objects.hpp"

namespace cuesta::bench {

/// What a threshold leaves of a frame: discs, holes and specks; u8, 0 or 255.
Image<uint8_t> object_mask(int32_t side);

/// Labels and components of a u8 mask, 8-way, beside cv::connectedComponentsWithStats and NPP,
/// which number otherwise: see same_components.
Work label_work(std::string experiment, std::string parameters, const Image<uint8_t>& mask);
/// Components of the mask in bits, and the picture of labels where it is wanted; OpenCV takes the
/// u8 mask and makes labels always. The mask stays the caller's. With `stays` the list of a mask on
/// the GPU does too, and nobody waits.
Work label_bits_work(std::string experiment, std::string parameters, const Image<uint8_t>& mask,
                     bool labels = false, bool stays = false);
/// Whether OpenCV, where it is there, finds components of the same areas; a difference is noted as
/// `what`.
bool same_components(Session& session, const Image<uint8_t>& mask, const std::string& what);

/// Closing then opening of a u8 mask with OpenCV's ellipse of `size`: equal bytes to
/// cv::morphologyEx twice.
Work close_open_work(std::string experiment, std::string parameters, int size,
                     const Image<uint8_t>& mask);
/// The same of the mask in bits with any element; OpenCV's is the u8 mask, which stays the
/// caller's.
Work close_open_bits_work(std::string experiment, std::string parameters,
                          const StructuringElement& element, int opencv_size,
                          const Image<uint8_t>& mask);
/// The largest sample under the element.
Work dilate_work(std::string experiment, std::string parameters, const StructuringElement& element,
                 ConstAnyView src);

/// Gray of a picture of three channels; a copy is of one.
Work gray_work(std::string experiment, std::string parameters, ConstAnyView color);

}  // namespace cuesta::bench
