// Every strategy of motion, on the CPU and on CUDA: the one list of what exists.
#include "ops/motion/cuda.hpp"
#include "ops/motion/half_widths.hpp"
#include "ops/motion/ladder/ladder.hpp"
#include "ops/motion/ladder/unrolled.hpp"
#include "ops/motion/reference.hpp"

namespace cuesta {

namespace {

using namespace motion_ladder;

#if CUESTA_HAS_CUDA
std::string_view chain_supports(const MotionArgs& args, int block_y) {
  const MotionOptions& options = *args.options;
  if (!args.others.empty()) return "batches of several cameras";
  if (args.type() != PixelType::u8) return "u16";
  if (options.background.model != BackgroundModel::first)
    return "background models other than first";
  if (options.threshold.otsu) return "automatic thresholds";
  if (args.limits) return "a threshold for each pixel";
  // The grid's second dimension ends there.
  return args.frame.height > 65535 * block_y ? "pictures higher than 65,535 blocks"
                                             : std::string_view();
}

std::string_view every_frame(const MotionArgs& args, const Parameters&) {
  const auto has_it = [&](const Image<uint8_t, Space::device>& kept) {
    return kept.width() == args.frame.width && kept.height() == args.frame.height;
  };
  if (!args.memory || (args.background->frames() > 0 && !has_it(args.memory->first_frame)))
    return "backgrounds without their first frame";
  return chain_supports(args, 32);
}

std::string_view once(const MotionArgs& args, const Parameters&) {
  return chain_supports(args, 32);
}

std::string_view tile_supports(const MotionArgs& args, int block_x, int block_y) {
  if (block_x * block_y > 1024) return "blocks of more than 1,024 threads";
  if (args.options->blur > max_blur) return "blurs wider than 15";
  return chain_supports(args, block_y);
}

std::string_view tiled(const MotionArgs& args, const Parameters& p, int block_x, int block_y) {
  const bool masks = p.text("windows") == "mask";
  for (const StructuringElement* e : {&args.options->close, &args.options->open}) {
    const bool fits = masks ? e->width() * e->height() <= max_mask : e->count() <= max_cells;
    if (!fits || tile_bytes(block_x, block_y, e->width(), e->height()) > max_shared_bytes)
      return "elements that exceed shared or constant memory";
  }
  return tile_supports(args, block_x, block_y);
}
std::string_view square(const MotionArgs& args, const Parameters& p) {
  return tiled(args, p, 32, 32);
}
std::string_view searched(const MotionArgs& args, const Parameters& p) {
  return tiled(args, p, p.integer("block_x"), p.integer("block_y"));
}

std::string_view unrolls(const MotionArgs& args, const Parameters& p) {
  for (const StructuringElement* e : {&args.options->close, &args.options->open})
    if (unrolled_index(*e) < 0) return "elements of sizes that are not unrolled";
  return tile_supports(args, p.integer("block_x"), p.integer("block_y"));
}

std::string_view buffered(const MotionArgs& args, const Parameters& p) {
  if (p.text("copy") == "bulk" && !has_bulk_copies())
    return "bulk copies on a GPU or in a build below sm_90";
  return unrolls(args, p);
}

std::string_view fused_supports_one(const MotionArgs& args) {
  const MotionOptions& options = *args.options;
  if (args.type() != PixelType::u8) return "u16";
  if (options.background.model == BackgroundModel::samples) return "the background model samples";
  if (options.threshold.otsu) return "automatic thresholds";
  if (args.limits) return "a threshold for each pixel";
  if (options.blur > max_blur) return "blurs wider than 15";
  if (args.frame.width > INT32_MAX - 256) return "frames wider than 2^31 - 257 pixels";
  for (const StructuringElement* e : {&options.close, &options.open})
    if (!motion_cuda::half_widths_of(*e)) return "elements above 15 x 15 or without symmetry";
  return {};
}
#endif

}  // namespace

#if CUESTA_HAS_CUDA
std::string_view motion_cuda::fused_supports(const MotionArgs& args, const Parameters&) {
  std::string_view why = fused_supports_one(args);
  for (const MotionArgs& other : args.others) {
    if (!why.empty()) break;
    why = other.options->connectivity != args.options->connectivity
              ? "cameras of different connectivity"
              : fused_supports_one(other);
  }
  return why;
}
#endif

std::span<const Strategy<MotionArgs>> MotionArgs::strategies() {
  static constexpr Strategy<MotionArgs> all[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "paper 004's chain, every step its definition, pictures of bytes between them",
       .paper = "004",
       .run = each_frame<motion_serial>},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "the same chain, each step's rows over threads",
       .paper = "004",
       .run = each_frame<motion_rows>},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "every step's production row; masks are bits from the comparison on",
       .run = each_frame<motion_simd>},
      {.name = "plain",
       .space = Space::device,
       .tier = Tier::baseline,
       .idea = "every step through its public entry; masks are bits, and only the last one travels",
       .allocates = true,  // past 65,536 components
       .host_sync = true,
       .run = CUESTA_GPU(each_frame<motion_cuda::plain>)},
      {.name = "fused",
       .space = Space::device,
       .tier = Tier::production,
       .idea =
           "from frames of any cameras to bits in one launch, to clean bits in one more; labels "
           "of all together",
       .allocates = true,  // past 65,536 components
       .host_sync = true,
       .supports = CUESTA_GPU(motion_cuda::fused_supports),
       .run = CUESTA_GPU(motion_cuda::fused)},
      {.name = "stacked",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "frames of a batch below each other in one picture: a step of all is one launch",
       .allocates = true,  // past 65,536 components
       .host_sync = true,
       .run = CUESTA_GPU(motion_cuda::stacked)},
      {.name = "v1.0",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea =
           "a thread a pixel from global memory; all memory and the background anew every frame",
       .paper = "004",
       .parameters = boxes_and_windows,
       .allocates = true,
       .host_sync = true,
       .supports = CUESTA_GPU(every_frame),
       .run = CUESTA_GPU(each_frame<v1_0>)},
      {.name = "v1.1",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "memory, windows and background once",
       .paper = "004",
       .parameters = boxes_and_windows,
       .host_sync = true,
       .supports = CUESTA_GPU(once),
       .run = CUESTA_GPU(each_frame<v1_1>)},
      {.name = "v1.2",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "blur, dilate and erode from shared tiles, their windows in the constant bank",
       .paper = "004",
       .parameters = boxes_and_windows,
       .host_sync = true,
       .supports = CUESTA_GPU(square),
       .run = CUESTA_GPU(each_frame<v1_2>)},
      {.name = "v1.3",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the same with the launch shape of a grid search",
       .paper = "004",
       .parameters = searched_shape,
       .host_sync = true,
       .supports = CUESTA_GPU(searched),
       .run = CUESTA_GPU(each_frame<v1_3>)},
      {.name = "v1.4",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the same with windows unrolled at compile time",
       .paper = "004",
       .parameters = launch_shape,
       .host_sync = true,
       .supports = CUESTA_GPU(unrolls),
       .run = CUESTA_GPU(each_frame<v1_4>)},
      {.name = "v1.5",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the same with the next tile loaded while one is computed",
       .paper = "004",
       .parameters = marching_shape,
       .host_sync = true,
       .supports = CUESTA_GPU(buffered),
       .run = CUESTA_GPU(each_frame<v1_5>)},
  };
  return all;
}

}  // namespace cuesta
