// Cuesta for C99, and for every language that calls C: edges, filters, masks, components, moving
// objects.
//
//     cuesta_view photo = {samples, 640, 480, 1, CUESTA_U8, CUESTA_HOST, 0};
//     cuesta_view edges = {result, 640, 480, 1, CUESTA_U8, CUESTA_HOST, 0};
//     cuesta_canny_options options;
//     cuesta_canny_options_init(&options, sizeof options);
//     options.sigma = 2;
//     if (cuesta_canny(NULL, &photo, &edges, &options, NULL) != CUESTA_OK)
//     puts(cuesta_error_text());
//
// The operations, their bytes and their messages are the C++ interface's (cuesta/edges.hpp,
// filter.hpp, objects.hpp, motion.hpp), which has the definitions at length.
//
// Pictures are views, plain structs that own nothing. Every function checks its views. If it does
// not support them, it writes nothing and returns an error.
//
// Functions return CUESTA_OK or an error; cuesta_error_text() has the message. No exception leaves
// the library.
//
// Options are structs that begin with their size in bytes. NULL takes every default; otherwise
// NAME_init(&options, sizeof options) fills them with the defaults. They grow at their end alone,
// so that programs run with newer libraries; an older library refuses an option that it does not
// know, unless its bytes are 0.
//
// Calls of several threads may run at once where they share no context, no detector and no picture
// that one writes.
#ifndef CUESTA_H
#define CUESTA_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CUESTA_API __attribute__((visibility("default")))
#else
#define CUESTA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The ABI version of this header; cuesta_abi_version() returns that of the library.
/// It changes when programs have to be recompiled, and is part of the library's name:
/// libcuesta_c.so.1.
#define CUESTA_ABI_VERSION 1
/// Returns the ABI version of the library.
CUESTA_API int32_t cuesta_abi_version(void);
/// Returns the version of the project, "0.1.0".
CUESTA_API const char* cuesta_version(void);

// ---- errors

typedef int32_t cuesta_status;
/// The status that a function returns.
enum {
  CUESTA_OK = 0,
  CUESTA_INVALID_ARGUMENT = 1,  ///< an option or a view that is not valid
  CUESTA_UNSUPPORTED = 2,       ///< a valid request that the strategy or build does not support
  CUESTA_INPUT = 3,             ///< a picture that is not supported: a frame of another size
  CUESTA_OUTPUT = 4,            ///< a result that cannot be written
  CUESTA_DEVICE = 5,            ///< no usable GPU, or a fault on it
  CUESTA_OUT_OF_MEMORY = 6,     ///< host or device memory
  CUESTA_INTERNAL = 7           ///< a defect of the library
};

/// Returns the message of this thread's last failed call: the cause, the value, what would work.
/// "" if none failed. Valid until the thread's next call that fails.
CUESTA_API const char* cuesta_error_text(void);
/// Returns the offending value alone, "aperture 4"; "" if there is none.
/// Valid as cuesta_error_text().
CUESTA_API const char* cuesta_error_value(void);

// ---- pictures

/// Sample types. Rows of CUESTA_BIT are 64-bit words; pixel x is bit x % 64 of word x / 64.
enum {
  CUESTA_U8 = 1,
  CUESTA_U16 = 2,
  CUESTA_S16 = 3,
  CUESTA_S32 = 4,
  CUESTA_F32 = 5,
  CUESTA_BIT = 6
};
/// The space of samples: host views run on the CPU, device views on CUDA.
/// All views of a call have the same space.
enum { CUESTA_HOST = 0, CUESTA_ON_DEVICE = 1 };

/// A picture: `height` rows of `width` pixels of `channels` (1 to 4) interleaved samples.
/// Functions only read the parameters src, a, b, mask and frame.
typedef struct cuesta_view {
  void* data;
  int32_t width, height, channels;
  int32_t type;
  int32_t space;
  int64_t stride_bytes;  ///< from row to row; 0: rows follow each other without padding; may be
                         ///< negative
} cuesta_view;

/// A rectangle: its upper left corner and its size.
typedef struct cuesta_rect {
  int32_t x, y, width, height;  ///< pixels
} cuesta_rect;

/// Allocates memory for a view whose width, height, channels, type and space are set.
/// Rows are aligned and padded to 64 bytes. Samples are uninitialised, bits are cleared.
/// cuesta_view_free() frees the memory and clears `data`.
CUESTA_API cuesta_status cuesta_view_allocate(cuesta_view* view);
CUESTA_API void cuesta_view_free(cuesta_view* view);
/// Copies a picture into another of its size, channels and type, in either space.
/// `stream` is a cudaStream_t or NULL. The call returns when host memory may be reused.
CUESTA_API cuesta_status cuesta_copy(const cuesta_view* src, const cuesta_view* dst, void* stream);

/// Returns the number of GPUs that this build can use; 0 in a build without CUDA.
CUESTA_API int32_t cuesta_device_count(void);
/// Makes GPU `index` the calling thread's.
CUESTA_API cuesta_status cuesta_use_device(int32_t index);
/// Waits for everything enqueued on `stream`, a cudaStream_t or NULL.
CUESTA_API cuesta_status cuesta_wait(void* stream);

// ---- contexts: how calls run

/// How calls run: threads, stream, strategy, scratch memory.
/// Calls of a size that was seen before allocate nothing. A context serves one call at a time. NULL
/// is a context of all cores, the default stream, and memory that the thread keeps.
typedef struct cuesta_context cuesta_context;

/// Creates a context; returns NULL if there is no memory. cuesta_context_free() destroys it.
CUESTA_API cuesta_context* cuesta_context_new(void);
CUESTA_API void cuesta_context_free(cuesta_context* context);
/// Sets the number of CPU threads.
/// 0: every core that the process may use. 1: stays on the caller's thread.
CUESTA_API cuesta_status cuesta_context_set_threads(cuesta_context* context, int32_t threads);
/// Sets the stream for device views, a cudaStream_t; NULL is the default stream.
/// Calls enqueue and return, except
/// where their result is on the host: thresholds to be found, bins, components, detections.
CUESTA_API cuesta_status cuesta_context_set_stream(cuesta_context* context, void* stream);
/// Selects a strategy by name ("serial"); NULL or "" restores the selection by the library.
/// `cuesta list strategies` prints all names.
CUESTA_API cuesta_status cuesta_context_set_strategy(cuesta_context* context, const char* name);
/// Sets a parameter of the selected strategy, as `--param block=16` does.
/// Selecting a strategy clears the parameters.
CUESTA_API cuesta_status cuesta_context_set_parameter(cuesta_context* context, const char* name,
                                                      const char* value);
/// Returns the bytes of scratch memory held in a space.
CUESTA_API size_t cuesta_context_bytes(const cuesta_context* context, int32_t space);
/// Frees the scratch memory of the context.
CUESTA_API void cuesta_context_release_memory(cuesta_context* context);

// ---- what several operations share

/// Border modes: the samples outside a picture, for a row abcd.
enum {
  CUESTA_REPLICATE = 0,   ///< aaaa|abcd|dddd
  CUESTA_REFLECT = 1,     ///< dcba|abcd|dcba
  CUESTA_REFLECT101 = 2,  ///< dcb|abcd|cba
  CUESTA_CONSTANT = 3,    ///< vvvv|abcd|vvvv
  CUESTA_WRAP = 4,        ///< abcd|abcd|abcd
  CUESTA_IGNORE = 5       ///< outputs whose window leaves the picture are 0
};
/// A border mode and its value.
typedef struct cuesta_border {
  int32_t mode;
  double value;  ///< the sample outside for CUESTA_CONSTANT, rounded and saturated to the source's
                 ///< type
} cuesta_border;

/// The taps of a filter, width x height (1..255) of them in rows.
/// They are applied by correlation with the anchor at (width / 2, height / 2). One of three is
/// given: `text` ("1 2 1;2 4 2;1 2 1 / 16"), `integers` with their common divisor (0: 1), or
/// `floats`.
typedef struct cuesta_stencil {
  const char* text;
  const int32_t* integers;
  const float* floats;
  int32_t width, height;
  int64_t divisor;
} cuesta_stencil;

/// A structuring element: width x height (1..255) cells in rows; non-zero cells belong to it.
/// The anchor is (width / 2, height / 2). Or `text`: "disk:15", "ellipse:15", "rect:5x3",
/// "cross:3", "none" (one cell).
typedef struct cuesta_element {
  const char* text;
  const uint8_t* cells;
  int32_t width, height;
} cuesta_element;

/// Norms of a gradient: |gx| + |gy|, or sqrt(gx^2 + gy^2).
enum { CUESTA_L1 = 0, CUESTA_L2 = 1 };

// ---- edges: one channel; canny's and boundaries' pictures may have three

/// Options of cuesta_sobel().
typedef struct cuesta_sobel_options {
  size_t size;
  int32_t aperture;      ///< 3, 5 or 7
  int32_t norm;          ///< CUESTA_L1
  cuesta_border border;  ///< CUESTA_REFLECT101
} cuesta_sobel_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_sobel_options_init(cuesta_sobel_options* options, size_t size);

/// The outputs of cuesta_sobel(). A view whose data is NULL is not written. All have the source's
/// size.
typedef struct cuesta_sobel_outputs {
  cuesta_view gx, gy;     ///< s16 (saturated) or s32
  cuesta_view magnitude;  ///< u8 or u16 (saturated), or f32
  cuesta_view direction;  ///< u8 octants 0..3 (0 horizontal gradient, 1 diagonal \, 2 vertical, 3
                          ///< diagonal /), or f32 radians
} cuesta_sobel_outputs;

/// Computes Sobel gradients, their magnitude and direction.
/// u8 and u16 pictures: exact. f32 pictures: all in f32.
CUESTA_API cuesta_status cuesta_sobel(cuesta_context* context, const cuesta_view* src,
                                      const cuesta_sobel_outputs* out,
                                      const cuesta_sobel_options* options);

/// The source of Canny's thresholds: given, or found from the histogram of the gradients.
enum {
  CUESTA_OTSU = 0,
  CUESTA_MEDIAN = 1,
  CUESTA_PERCENTILE = 2,
  CUESTA_GIVEN = 3,
  CUESTA_NOISE = 4  ///< Otsu's, but no edges in a picture of noise alone
};

/// How the gradients of three channels are combined into one.
/// That of the strongest channel at each pixel (cv::Canny), or of the structure tensor (Di Zenzo).
enum { CUESTA_STRONGEST = 0, CUESTA_STRUCTURE = 1 };

/// Options of cuesta_canny() and cuesta_canny_of_gradients().
typedef struct cuesta_canny_options {
  size_t size;
  double sigma;      ///< pixels of smoothing; below 0 the papers': 1.4 in a window of 5; 0 smooths
                     ///< nothing and equals cv::Canny
  int32_t ksize;     ///< window of the smoothing, odd; 0 follows from sigma
  int32_t rule;      ///< CUESTA_OTSU
  double low, high;  ///< of CUESTA_GIVEN, in gradient units
  double percent;    ///< of CUESTA_PERCENTILE: 90, 0 to 100
  int32_t norm;      ///< CUESTA_L1
  int32_t aperture;  ///< 3, 5 or 7
  cuesta_view mask;  ///< u8 of the source's size, 0 = outside; none where its data is NULL
  int32_t color;     ///< of three channels: CUESTA_STRONGEST, or CUESTA_STRUCTURE
  cuesta_border border;  ///< of the smoothing: CUESTA_REFLECT101
} cuesta_canny_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_canny_options_init(cuesta_canny_options* options, size_t size);

/// The thresholds of Canny.
typedef struct cuesta_thresholds {
  double low, high;  ///< in gradient units
} cuesta_thresholds;

/// Computes the Canny edges of a picture.
/// src: u8, u16 or f32, 1 or 3 channels. dst: u8 of its size, 0 or 255. Or u16 (of u8 with aperture
/// 3 or 5 and a sigma up to 3) or f32 (of others): the strengths, the magnitude of a pixel that
/// thinning keeps, else 0, whatever the thresholds. `used`, if not NULL, gets the thresholds.
CUESTA_API cuesta_status cuesta_canny(cuesta_context* context, const cuesta_view* src,
                                      const cuesta_view* dst, const cuesta_canny_options* options,
                                      cuesta_thresholds* used);

/// Computes Canny edges from given gradients.
/// gx and gy: s16 or f32, 1 or 3 channels, the same for both. dst: u8, or f32 for strengths. The
/// options sigma, ksize and aperture are ignored.
CUESTA_API cuesta_status cuesta_canny_of_gradients(cuesta_context* context, const cuesta_view* gx,
                                                   const cuesta_view* gy, const cuesta_view* dst,
                                                   const cuesta_canny_options* options,
                                                   cuesta_thresholds* used);

/// How edges are found in the Laplacian of Gaussian.
enum { CUESTA_LOG_THRESHOLD = 0, CUESTA_LOG_ZERO_CROSSINGS = 1 };

/// Options of cuesta_log_edges().
typedef struct cuesta_log_options {
  size_t size;
  int32_t mode;  ///< CUESTA_LOG_THRESHOLD: |L| > threshold; or where L crosses zero by more than it
  int32_t ksize;         ///< window, odd, 1..255; 0 follows from sigma
  double threshold;      ///< 5, gray levels, 0 or more
  double sigma;          ///< pixels; below 0 paper 000's taps; above 2.2 two Gaussians of ksize 0
  cuesta_border border;  ///< CUESTA_REFLECT101
} cuesta_log_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_log_options_init(cuesta_log_options* options, size_t size);

/// Computes edges by the Laplacian of Gaussian, or its response.
/// src: u8 or u16. dst: u8 edges, 0 or 255, or s32, the undivided response.
CUESTA_API cuesta_status cuesta_log_edges(cuesta_context* context, const cuesta_view* src,
                                          const cuesta_view* dst,
                                          const cuesta_log_options* options);

/// How cuesta_boundaries() selects maxima of the gradient.
/// By their strength relative to that of the surroundings, or by a score of 40 cues: more accurate
/// and slower.
enum { CUESTA_FAST = 0, CUESTA_HIGH = 1 };

/// Options of cuesta_boundaries().
typedef struct cuesta_boundary_options {
  size_t size;
  double threshold;  ///< 9, relative to the strength of the surroundings
  int32_t quality;   ///< CUESTA_FAST
} cuesta_boundary_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_boundary_options_init(cuesta_boundary_options* options, size_t size);

/// Computes the boundaries of objects and surfaces, without the edges of texture.
/// src: u8 or u16, 1 channel or 3 (red, green, blue). dst: of its size, u8 (0 or 255) or u16, their
/// strengths for any threshold: 65535 times the root of the chance that a person draws them.
CUESTA_API cuesta_status cuesta_boundaries(cuesta_context* context, const cuesta_view* src,
                                           const cuesta_view* dst,
                                           const cuesta_boundary_options* options);

/// Options of cuesta_regions().
typedef struct cuesta_region_options {
  size_t size;
  double threshold;  ///< 0.45, from 0 to 1 of the largest strength
} cuesta_region_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_region_options_init(cuesta_region_options* options, size_t size);

/// Divides a picture into regions along its boundaries; every contour is closed.
/// src: u8 or u16, strengths of thin boundaries, 0 elsewhere, for example those of
/// cuesta_boundaries().
/// dst: of its size; s32 (labels from 1 on), u8 (contours, 0 or 255) or u16 (their strengths).
CUESTA_API cuesta_status cuesta_regions(cuesta_context* context, const cuesta_view* src,
                                        const cuesta_view* dst,
                                        const cuesta_region_options* options);

// ---- edges as the command finds them

/// The methods of cuesta_edges().
enum {
  CUESTA_METHOD_CANNY = 0,
  CUESTA_METHOD_LOG = 1,
  CUESTA_METHOD_SOBEL = 2,
  CUESTA_METHOD_BOUNDARIES = 3,
  CUESTA_METHOD_REGIONS = 4
};
/// A value of cuesta_edges_options.color, besides CUESTA_STRONGEST and CUESTA_STRUCTURE.
enum { CUESTA_GRAY = 2 };

/// Options of cuesta_edges().
typedef struct cuesta_edges_options {
  size_t size;
  int32_t method;    ///< CUESTA_METHOD_CANNY
  int32_t ksize;     ///< side of the Gaussian's window, odd; 0 follows from sigma
  double sigma;      ///< pixels; below 0 the method's default: canny from the picture (1, 1.4, 2 or
                     ///< 3), log 3.5, sobel 0
  double threshold;  ///< below 0 the method's default: canny a rule, sobel magnitudes instead of a
                     ///< mask, log 0.3 of 255, boundaries 9, regions 0.45; canny: high, low is half
  int32_t rule;      ///< canny: CUESTA_OTSU; CUESTA_GIVEN takes low and high
  int32_t norm;      ///< canny, sobel: CUESTA_L1
  double low, high;  ///< canny, with CUESTA_GIVEN
  double percent;    ///< canny, with CUESTA_PERCENTILE: 90
  int32_t aperture;  ///< canny, sobel: 3, 5 or 7
  int32_t color;     ///< canny: CUESTA_STRONGEST, CUESTA_STRUCTURE or CUESTA_GRAY
  int32_t mode;      ///< log: CUESTA_LOG_ZERO_CROSSINGS
  int32_t quality;   ///< below 0 the method's default: boundaries CUESTA_FAST, regions CUESTA_HIGH
  cuesta_border border;  ///< canny (its smoothing), log, sobel: CUESTA_REFLECT101
  cuesta_view mask;  ///< canny: u8 of the source's size, 0 = outside; none where its data is NULL
  int32_t strength;  ///< canny: not 0 for strengths as of cuesta_canny() instead of edges
} cuesta_edges_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_edges_options_init(cuesta_edges_options* options, size_t size);

/// What canny used in cuesta_edges().
typedef struct cuesta_edges_used {
  double low, high;  ///< thresholds, in gradient units; 0 of strengths
  double sigma;      ///< of the Gaussian, in pixels
} cuesta_edges_used;

/// Finds edges with the options, defaults and bytes of the command `cuesta edges`. src: u8, u16 or
/// f32 (canny, sobel), 1 to 4 channels. dst: u8, 0 or 255; of sobel without a threshold the type of
/// src; of regions also s32, labels from 1 on. `used`, if not NULL, gets what canny used; other
/// methods leave it as it is.
CUESTA_API cuesta_status cuesta_edges(cuesta_context* context, const cuesta_view* src,
                                      const cuesta_view* dst, const cuesta_edges_options* options,
                                      cuesta_edges_used* used);

// ---- edges as lines: pictures of one channel. Of those on the device the host makes the lines,
// from copies; the calls wait for them.

/// How the position of a point between pixels is computed.
/// At the centre of the pixel, on a parabola along the gradient,
/// along the nearer axis, or on that of the logarithms without the bias of smoothed curves.
enum { CUESTA_PIXEL = 0, CUESTA_PARABOLA = 1, CUESTA_DEVERNAY = 2, CUESTA_UNBIASED = 3 };

/// Options of the cuesta_trace functions.
typedef struct cuesta_trace_options {
  size_t size;
  double tolerance;    ///< 0.25, pixels that a simplified line may pass its points at; 0 keeps all
  double min_length;   ///< 10, pixels; shorter lines are left out
  int32_t refinement;  ///< CUESTA_UNBIASED
} cuesta_trace_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_trace_options_init(cuesta_trace_options* options, size_t size);

/// A point of a line.
/// A pixel's centre has whole coordinates, (0, 0) the upper left one's; y goes down.
typedef struct cuesta_line_point {
  double x, y;      ///< pixels
  double strength;  ///< the gradient's Euclidean magnitude; of LoG the step of L, gray levels
} cuesta_line_point;
/// One line. Its brighter side is on the right along its points.
typedef struct cuesta_line {
  const cuesta_line_point* points;
  size_t count;
  double length;    ///< pixels, before it was simplified
  double strength;  ///< mean of its points', before it was simplified
  int32_t closed;   ///< 1: the last point is joined to the first, which is not repeated
} cuesta_line;

/// A list of lines. cuesta_lines_free() destroys it.
typedef struct cuesta_lines cuesta_lines;
/// Destroys a list of lines.
CUESTA_API void cuesta_lines_free(cuesta_lines* lines);
/// Returns all lines in raster order of their first pixels; `count` gets their number.
/// Valid until cuesta_lines_free().
CUESTA_API const cuesta_line* cuesta_lines_all(const cuesta_lines* lines, size_t* count);

/// Traces the edges of cuesta_canny() in a u8, u16 or f32 picture as lines. `made` gets them.
CUESTA_API cuesta_status cuesta_trace_canny(cuesta_lines** made, cuesta_context* context,
                                            const cuesta_view* src,
                                            const cuesta_canny_options* options,
                                            const cuesta_trace_options* how);
/// Traces edges that were found before as lines.
/// `edges` (u8 of src's size) is not 0 on them. Positions and strengths come
/// from the gradients of `src` (u8, u16 or f32) with the sigma, ksize and aperture of the options.
CUESTA_API cuesta_status cuesta_trace_edges(cuesta_lines** made, cuesta_context* context,
                                            const cuesta_view* src, const cuesta_view* edges,
                                            const cuesta_canny_options* options,
                                            const cuesta_trace_options* how);
/// Traces the zero crossings of LoG's response to a u8 or u16 picture. The option mode is ignored.
CUESTA_API cuesta_status cuesta_trace_log(cuesta_lines** made, cuesta_context* context,
                                          const cuesta_view* src, const cuesta_log_options* options,
                                          const cuesta_trace_options* how);

// ---- filters: 1 to 4 channels, src u8, u16 or f32, dst of one size with it

/// Options of cuesta_correlate(), cuesta_convolve() and cuesta_laplacian().
typedef struct cuesta_filter_options {
  size_t size;
  cuesta_border border;  ///< CUESTA_REFLECT101
  int32_t absolute;      ///< 0; 1: |result| before the offset
  int32_t offset;        ///< 0, added after rounding, before saturation
} cuesta_filter_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_filter_options_init(cuesta_filter_options* options, size_t size);

/// Compute the correlation or convolution (taps turned by 180 degrees) of a picture.
/// dst has the type of src, or is s16 or f32.
CUESTA_API cuesta_status cuesta_correlate(cuesta_context* context, const cuesta_view* src,
                                          const cuesta_view* dst, const cuesta_stencil* stencil,
                                          const cuesta_filter_options* options);
CUESTA_API cuesta_status cuesta_convolve(cuesta_context* context, const cuesta_view* src,
                                         const cuesta_view* dst, const cuesta_stencil* stencil,
                                         const cuesta_filter_options* options);
/// Computes the correlation with 0 1 0; 1 -4 1; 0 1 0.
CUESTA_API cuesta_status cuesta_laplacian(cuesta_context* context, const cuesta_view* src,
                                          const cuesta_view* dst,
                                          const cuesta_filter_options* options);

/// Options of cuesta_gaussian().
typedef struct cuesta_gaussian_options {
  size_t size;
  double sigma;          ///< pixels; 0 follows from ksize. One of the two is given
  int32_t ksize;         ///< window, odd, 1..255; 0 follows from sigma
  cuesta_border border;  ///< CUESTA_REFLECT101
} cuesta_gaussian_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_gaussian_options_init(cuesta_gaussian_options* options, size_t size);
/// Computes Gaussian smoothing. dst has the type of src. Options are required.
CUESTA_API cuesta_status cuesta_gaussian(cuesta_context* context, const cuesta_view* src,
                                         const cuesta_view* dst,
                                         const cuesta_gaussian_options* options);

/// Options of cuesta_box(), cuesta_sharpen() and cuesta_median().
/// n is 1..255, for sharpen (-1 around n^2) and the median odd, for the median of f32 1, 3 or 5.
typedef struct cuesta_window_options {
  size_t size;
  int32_t n;             ///< 3
  cuesta_border border;  ///< CUESTA_REFLECT101; of the median CUESTA_REPLICATE
} cuesta_window_options;
/// Fill the options with the defaults of a filter; `size` is sizeof *options.
CUESTA_API void cuesta_box_options_init(cuesta_window_options* options, size_t size);
CUESTA_API void cuesta_sharpen_options_init(cuesta_window_options* options, size_t size);
CUESTA_API void cuesta_median_options_init(cuesta_window_options* options, size_t size);
/// Computes the mean of the n x n window.
CUESTA_API cuesta_status cuesta_box(cuesta_context* context, const cuesta_view* src,
                                    const cuesta_view* dst, const cuesta_window_options* options);
/// Sharpens a picture with the n x n window.
CUESTA_API cuesta_status cuesta_sharpen(cuesta_context* context, const cuesta_view* src,
                                        const cuesta_view* dst,
                                        const cuesta_window_options* options);
/// Computes the median of the n x n window; bits are supported as well.
CUESTA_API cuesta_status cuesta_median(cuesta_context* context, const cuesta_view* src,
                                       const cuesta_view* dst,
                                       const cuesta_window_options* options);

// ---- points and masks; masks are u8 (0 = background) or bits

/// Orders of color samples.
enum { CUESTA_RGB = 0, CUESTA_BGR = 1 };
/// Converts a picture to gray.
/// src: u8, u16 or f32 of 3 or 4 channels, or of 1 or 2 (the first is copied). dst: its type, one
/// channel.
CUESTA_API cuesta_status cuesta_to_gray(cuesta_context* context, const cuesta_view* src,
                                        const cuesta_view* dst, int32_t order);
/// Computes |a - b|. All have one size, number of channels and type (u8, u16 or f32).
CUESTA_API cuesta_status cuesta_absdiff(cuesta_context* context, const cuesta_view* a,
                                        const cuesta_view* b, const cuesta_view* dst);
/// Compute src > limit, or |a - b| > limit, as a mask: u8 (255 or 0) or bits.
/// Sources have one channel.
CUESTA_API cuesta_status cuesta_threshold(cuesta_context* context, const cuesta_view* src,
                                          const cuesta_view* dst, double limit);
CUESTA_API cuesta_status cuesta_absdiff_threshold(cuesta_context* context, const cuesta_view* a,
                                                  const cuesta_view* b, const cuesta_view* dst,
                                                  double limit);
/// Counts the samples of each value.
/// src: u8 (256 bins) or u16 (65,536 bins), one channel. `bins` is host memory.
CUESTA_API cuesta_status cuesta_histogram(cuesta_context* context, const cuesta_view* src,
                                          uint64_t* bins, size_t count);
/// Computes Otsu's threshold of a histogram: foreground is src > *threshold.
CUESTA_API cuesta_status cuesta_otsu_threshold(const uint64_t* bins, size_t count,
                                               int32_t* threshold);
/// Unpack a mask to u8 (0 or 255) from bits, and pack u8 to bits.
CUESTA_API cuesta_status cuesta_unpack_mask(cuesta_context* context, const cuesta_view* src,
                                            const cuesta_view* dst);
CUESTA_API cuesta_status cuesta_pack_mask(cuesta_context* context, const cuesta_view* src,
                                          const cuesta_view* dst);

/// Removes the components of a mask that have fewer than `min_area` pixels.
/// mask and dst are u8 or bits; `connectivity` is 4 or 8.
CUESTA_API cuesta_status cuesta_remove_small(cuesta_context* context, const cuesta_view* mask,
                                             const cuesta_view* dst, int32_t min_area,
                                             int32_t connectivity);
/// Fills the holes of a mask that have at most `max_area` pixels; 0 fills all.
/// mask and dst are u8 or bits; `connectivity` is that of the foreground, 4 or 8.
CUESTA_API cuesta_status cuesta_fill_holes(cuesta_context* context, const cuesta_view* mask,
                                           const cuesta_view* dst, int32_t max_area,
                                           int32_t connectivity);

/// The operations of cuesta_morphology().
enum { CUESTA_ERODE = 0, CUESTA_DILATE = 1, CUESTA_OPEN = 2, CUESTA_CLOSE = 3 };
/// Options of cuesta_morphology().
typedef struct cuesta_morphology_options {
  size_t size;
  int32_t has_border;    ///< 0: outside never wins, border is ignored
  cuesta_border border;  ///< of each step
} cuesta_morphology_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_morphology_options_init(cuesta_morphology_options* options, size_t size);
/// Computes erosion, dilation, opening or closing.
/// src and dst: both u8, both u16 or both bits, one channel, one size. They may be one view.
CUESTA_API cuesta_status cuesta_morphology(cuesta_context* context, const cuesta_view* src,
                                           const cuesta_view* dst, int32_t what,
                                           const cuesta_element* element,
                                           const cuesta_morphology_options* options);

/// One connected component; labels count from 1 by the first pixel in raster order.
typedef struct cuesta_component {
  int32_t label;
  cuesta_rect box;
  int64_t area;          ///< pixels
  int64_t sum_x, sum_y;  ///< of the pixels' coordinates: over the area, the centroid
} cuesta_component;
/// Options of cuesta_label().
typedef struct cuesta_label_options {
  size_t size;
  int32_t connectivity;  ///< 8, or 4
} cuesta_label_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_label_options_init(cuesta_label_options* options, size_t size);
/// Finds the connected components of a mask.
/// `labels` (s32 of its size, 0 = background) may be NULL. `count` gets their number. The first
/// `capacity` of them are written to `components`, which may be NULL if that is 0.
CUESTA_API cuesta_status cuesta_label(cuesta_context* context, const cuesta_view* mask,
                                      const cuesta_view* labels, cuesta_component* components,
                                      size_t capacity, size_t* count,
                                      const cuesta_label_options* options);

/// Measures of one component; lengths in pixels, angles in radians. See cuesta/measure.hpp.
typedef struct cuesta_measures {
  int32_t label;
  cuesta_rect box;
  int64_t area;  ///< pixels; 0 for a label that no pixel has
  double centroid_x, centroid_y, extent, perimeter, orientation, eccentricity;
  double major_axis, minor_axis, equivalent_diameter;
  double moments[16];          ///< of x^i y^j from the box's corner, at 4 j + i; i + j <= 3
  double central_moments[16];  ///< the same about the centroid
  double mean, min, max;       ///< intensities; NaN without an intensity picture
} cuesta_measures;
/// Measures the components 1 to `count` of a picture of labels, such as cuesta_label() makes.
/// `labels` is s32. `intensity` is u8, u16 or f32 of its size, or NULL. `measures` has room for
/// `count` results, and `size` is sizeof *measures.
CUESTA_API cuesta_status cuesta_measure(cuesta_context* context, const cuesta_view* labels,
                                        const cuesta_view* intensity, size_t count,
                                        cuesta_measures* measures, size_t size);

// ---- backgrounds and moving objects: frames of u8, or of u16 with 256 for each gray level. All
// frames have one size and type and are in one space.

/// Models of the background.
enum {
  CUESTA_BACKGROUND_FIRST = 0,
  CUESTA_BACKGROUND_MEAN = 1,
  CUESTA_BACKGROUND_MEDIAN = 2,
  CUESTA_BACKGROUND_MIXTURE = 3,
  CUESTA_BACKGROUND_SAMPLES = 4
};
/// Options of cuesta_background_new().
typedef struct cuesta_background_options {
  size_t size;
  int32_t model;  ///< CUESTA_BACKGROUND_SAMPLES
  int32_t
      rate_shift;  ///< learning rate 2^-rate_shift, 1..12 (mean, mixture); 0 takes the model's own
  int32_t absorb;  ///< frames after which what stands is background (samples); 0: 250
} cuesta_background_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_background_options_init(cuesta_background_options* options, size_t size);

/// A model of the background.
typedef struct cuesta_background cuesta_background;
/// Creates a model of the background. cuesta_background_free() destroys it.
CUESTA_API cuesta_status cuesta_background_new(cuesta_background** made,
                                               const cuesta_background_options* options);
/// Destroys a model of the background.
CUESTA_API void cuesta_background_free(cuesta_background* model);
/// The outputs of a push, all of the frame's size. A view whose data is NULL is not written.
typedef struct cuesta_background_outputs {
  cuesta_view background;  ///< of the frame's type, the background that the frame was compared with
  cuesta_view difference;  ///< of the frame's type, |frame - background|
  cuesta_view mask;        ///< u8 or bits: difference > limit, which is in gray levels
} cuesta_background_outputs;
/// Compares a frame of one channel with the background, then updates the background.
/// The first frame initialises it. `out` may be NULL.
CUESTA_API cuesta_status cuesta_background_push(cuesta_background* model, cuesta_context* context,
                                                const cuesta_view* frame,
                                                const cuesta_background_outputs* out, double limit);
/// Clears the model. The next frame initialises it and may have another size.
CUESTA_API void cuesta_background_reset(cuesta_background* model);

/// Options of cuesta_motion_detector_new().
/// Defaults are for CUESTA_BACKGROUND_SAMPLES; cuesta_motion_options_of() sets those of a model.
typedef struct cuesta_motion_options {
  size_t size;
  int32_t model;       ///< CUESTA_BACKGROUND_SAMPLES
  int32_t rate_shift;  ///< as cuesta_background_options
  int32_t blur;        ///< Gaussian window before the difference, odd; 1 smooths nothing
  int32_t otsu;  ///< 0; 1: Otsu's threshold of each frame's difference, never below `threshold`
  double blur_sigma;     ///< 0: 0.3((k-1)/2 - 1) + 0.8
  double threshold;      ///< gray levels
  cuesta_element close;  ///< neither text nor cells: the model's own
  cuesta_element open;
  int64_t min_area;      ///< 0: drops specks, which come and go; else what is smaller, pixels
  int32_t connectivity;  ///< 8, or 4
  int32_t warm_up;  ///< frames before the first detection; their median initialises the background
  int32_t relearn;  ///< percent of the picture whose sudden change restarts the warm-up; 0: never
  int32_t steady;   ///< largest camera shift that is compensated, pixels; 0: none
  int32_t downscale;  ///< 1..16: the detector sees means of N x N pixels; host frames only
  int32_t displacement;  ///< 0..7: background that moves by up to N pixels is no object
  int32_t absorb;        ///< as cuesta_background_options
} cuesta_motion_options;
/// Fills the options with their defaults; `size` is sizeof *options.
CUESTA_API void cuesta_motion_options_init(cuesta_motion_options* options, size_t size);
/// Fills the options with the defaults of a model. Those of CUESTA_BACKGROUND_FIRST are paper
/// 004's chain.
CUESTA_API cuesta_status cuesta_motion_options_of(cuesta_motion_options* options, size_t size,
                                                  int32_t model);
/// How readily motion is reported.
enum {
  CUESTA_SENSITIVITY_LOW = 0,     ///< fewer reports
  CUESTA_SENSITIVITY_NORMAL = 1,  ///< as cuesta_motion_options_of()
  CUESTA_SENSITIVITY_HIGH = 2     ///< faint objects too, and more of what sways or flickers
};
/// Fills the options with the defaults of a model and a sensitivity.
/// The sensitivity chooses `threshold`, `open` and `displacement`.
CUESTA_API cuesta_status cuesta_motion_options_for(cuesta_motion_options* options, size_t size,
                                                   int32_t model, int32_t sensitivity);

/// One moving object in one frame.
typedef struct cuesta_detection {
  cuesta_rect box;
  int64_t area;  ///< pixels
  double centroid_x, centroid_y;
} cuesta_detection;

/// Finds moving objects frame by frame.
typedef struct cuesta_motion_detector cuesta_motion_detector;
/// Creates a detector. cuesta_motion_detector_free() destroys it.
CUESTA_API cuesta_status cuesta_motion_detector_new(cuesta_motion_detector** made,
                                                    const cuesta_motion_options* options);
/// Destroys a detector.
CUESTA_API void cuesta_motion_detector_free(cuesta_motion_detector* detector);
/// Finds the moving objects of the next frame.
/// The frame has 1 (gray), 3 or 4 channels (RGB order). `detections` gets the address of
/// `count` detections, in raster order of their first pixel, valid until the detector's next call.
/// Frames of a warm-up have none.
CUESTA_API cuesta_status cuesta_motion_detector_push(cuesta_motion_detector* detector,
                                                     cuesta_context* context,
                                                     const cuesta_view* frame,
                                                     const cuesta_detection** detections,
                                                     size_t* count);
/// Sets the threshold of each pixel in place of the option.
/// `levels`: f32 gray levels, 0 or more, of the frames' size, on the host; copied. NULL returns to
/// the option.
CUESTA_API cuesta_status cuesta_motion_detector_set_thresholds(cuesta_motion_detector* detector,
                                                               const cuesta_view* levels);
/// Return the mask of the last frame, and its threshold in gray levels.
/// The mask is bits on the host, valid until the next push.
CUESTA_API cuesta_status cuesta_motion_detector_mask(const cuesta_motion_detector* detector,
                                                     cuesta_view* mask);
CUESTA_API double cuesta_motion_detector_threshold(const cuesta_motion_detector* detector);
/// The state of the last frame; zeros before the first.
typedef struct cuesta_frame_state {
  int32_t warming_up;        ///< 1: the background is being learned, nothing is found
  int32_t changed;           ///< 1: most of the picture changed at once; a warm-up begins here
  int32_t shift_x, shift_y;  ///< how far the picture moved off its place, pixels
} cuesta_frame_state;
/// Returns the state of the last frame.
CUESTA_API cuesta_status cuesta_motion_detector_state(const cuesta_motion_detector* detector,
                                                      cuesta_frame_state* state);
/// Clears the background. The next frame begins a warm-up and may have another size.
CUESTA_API void cuesta_motion_detector_reset(cuesta_motion_detector* detector);

#ifdef __cplusplus
}
#endif

#endif
