// Recipes: what the `cuesta` command makes of one picture, as functions with the command's options
// and defaults.
//
//     cuesta::write("edges.png", cuesta::edges(cuesta::read("photo.jpg")));
//
// The command, Python's cuesta.edges(), edges_file(), bands, cuesta.ray and the C interface run the
// same recipe and return the same bytes. canny(), log_edges(), sobel() and boundaries() are the
// plain operations with the papers' defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "cuesta/boundaries.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/lines.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/regions.hpp"

namespace cuesta {

/// How Canny combines the channels of a color picture.
/// It uses the gradient of its strongest channel at each pixel (as
/// cv::Canny), of the structure tensor (Di Zenzo), or of its gray levels. Without effect on gray
/// pictures.
enum class EdgeColor : uint8_t { strongest, structure, gray };

/// Canny's edges, with a sigma that suits the picture (docs/user/accuracy.md).
struct CannyEdges {
  /// Pixels; of the Gaussian before the gradient, 0 for none. Without a value it is the sigma of
  /// the picture: 1, 1.4, 2 or 3, found by SigmaBands.
  std::optional<double> sigma{};
  int ksize = 0;  ///< side of its window, odd; 0 takes gaussian_size(sigma)
  Thresholds thresholds{};
  Norm norm = Norm::l1;
  int aperture = 3;  ///< side of the Sobel window: 3, 5 or 7
  EdgeColor color = EdgeColor::strongest;
  Border border{};        ///< of the smoothing
  bool strength = false;  ///< strengths as of canny() instead of edges; takes no thresholds
  ConstAnyView mask{};    ///< u8 of the picture's size; edges only where it is not 0
};

/// Edges by the Laplacian of a Gaussian.
struct LogEdges {
  LogMode mode = LogMode::zero_crossings;
  std::optional<double> threshold{};  ///< gray levels; 0.3 of 255, with LogMode::threshold 5
  std::optional<double> sigma{};      ///< pixels; 3.5, with LogMode::threshold paper 000's taps
  int ksize = 0;                      ///< side of the Gaussian's window; 0 follows from sigma
  Border border{};
};

/// The strength of Sobel's gradient, or where it exceeds a threshold.
struct SobelEdges {
  double sigma = 0;  ///< pixels; of a Gaussian before the gradient, 0 for none without ksize
  int ksize = 0;     ///< side of its window; 0 follows from sigma
  int aperture = 3;  ///< side of the Sobel window: 3, 5 or 7
  Norm norm = Norm::l1;
  Border border{};
  /// Magnitude above which a pixel is an edge. None: the magnitudes themselves, scaled so that the
  /// largest possible one is white.
  std::optional<double> threshold{};
};

/// Closed contours, or the regions inside them: regions() of the strengths of boundaries().
struct RegionEdges {
  double threshold = RegionOptions{}.threshold;     ///< from 0 to 1; weaker contours are removed
  BoundaryQuality quality = BoundaryQuality::high;  ///< of the boundaries
  bool labels = false;  ///< the number of each pixel's region instead of contours
};

/// A method and its options: `CannyEdges{.sigma = 1}`, `LogEdges{}`, `SobelEdges{}`,
/// `BoundaryOptions{}`, `RegionEdges{}`.
using EdgesOptions = std::variant<CannyEdges, LogEdges, SobelEdges, BoundaryOptions, RegionEdges>;

/// What edges() found besides the picture.
struct EdgesResult {
  std::optional<CannyResult> thresholds{};  ///< that Canny used
  std::optional<double> sigma{};            ///< that Canny used, in pixels
  bool is_mask = true;                      ///< 0 and 255; false for magnitudes, strengths, labels
};

/// Returns the sample type of the result of edges().
/// `source` is the type of the picture. The result is u8 for a mask, the source's type
/// for Sobel's magnitudes. Canny's strengths are u16 or f32, as those of canny(). Labels are s32.
PixelType edges_type(PixelType source, const EdgesOptions& options = {});

/// Finds edges in a picture, with the defaults of the command `cuesta edges`.
/// src has 1 to 4 channels (gray, gray and alpha, RGB, RGBA), in u8, u16 or f32
/// (f32: Canny and Sobel). Alpha is ignored. LoG and Sobel see gray levels, the other methods see
/// colors. `dst` has the picture's size, one channel and edges_type(). Host and device.
/// Throws Error{invalid_argument} naming the view or option. Sources: as the operations name them;
/// docs/dev/decisions/0078.
EdgesResult edges(ConstAnyView src, OutView dst, const EdgesOptions& options = {},
                  const Exec& exec = {});
/// Finds edges; returns them as a new picture in the source's space.
template <PictureLike Src>
AnyImage edges(const Src& src, const EdgesOptions& options = {}, const Exec& exec = {}) {
  const ConstAnyView view = src;
  AnyImage dst = detail::new_picture_as<AnyImage>(view, 1, edges_type(view.type, options));
  edges(view, AnyView(dst), options, exec);
  return dst;
}

/// Finds edges by Canny or LoG's zero crossings and returns them as lines.
/// They are the edges of edges(), traced by trace(). Throws Error{invalid_argument} for other
/// methods.
Polylines edge_lines(ConstAnyView src, const EdgesOptions& options = {},
                     const TraceOptions& how = {}, const Exec& exec = {});

/// correlate() with a stencil, as a filter of files.
struct StencilFilter {
  Stencil stencil;
  FilterOptions options{};
};
/// morphology() of one channel, as a filter of files.
struct MorphologyFilter {
  Morph what{};
  StructuringElement element;
  MorphologyOptions options{};
};
/// What filter_file() does: a filter and its options.
using PictureFilter = std::variant<GaussianOptions, BoxOptions, SharpenOptions, MedianOptions,
                                   StencilFilter, MorphologyFilter>;

}  // namespace cuesta
