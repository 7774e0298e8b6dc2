// Recipes on files of any size: in bands of rows, or whole where a recipe or file needs that.
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "core/check.hpp"
#include "cuesta/recipes/edges.hpp"
#include "cuesta/recipes/filter.hpp"
#include "cuesta/recipes/samples.hpp"
#include "cuesta/strategies.hpp"
#include "io/bands.hpp"
#include "io/errors.hpp"
#include "io/file_steps.hpp"

namespace cuesta {
using io::BandWork;
using io::on;
using io::PictureFacts;
using io::Ways;
using recipes::PictureKind;

io::BandSettings io::band_settings(const BandOptions& options, const Exec& exec) {
  io::BandSettings settings{.bands = options};
  settings.use(exec.devices);
  settings.limits.max_pixels = options.max_pixels;
  settings.limits.floats = recipes::Floats::numbers;
  settings.limits.select(options.page, options.band);
  if (options.memory < 1)
    throw_invalid(std::to_string(options.memory),
                  "memory is {}; it must be a number of bytes above 0", options.memory);
  if (options.rows < 0)
    throw_invalid(std::to_string(options.rows), "rows is {}; it must be at least 0", options.rows);
  return settings;
}

BandWork io::band_work(std::shared_ptr<const recipes::Recipe> recipe, const PictureFacts& facts,
                       const BandPlace& place) {
  const PictureKind kind = kind_of(facts), seen = recipe->seen(kind);
  recipe->check(kind);
  const recipes::Output output = recipe->output(kind);
  BandWork work;
  work.key = recipe->key();
  work.reach = recipe->reach();
  work.wraps = recipe->wraps();
  work.whole_only = recipe->whole_only();
  work.type = output.type;
  work.channels = output.channels;
  work.is_mask = output.is_mask;
  work.see = maker(recipe->preparation(kind), place.execs.around);
  work.seen_channels = seen.channels;
  work.seen_type = seen.type;
  work.gpu = place.gpu;
  work.exec = place.execs.pinned;
  work.scratch_bytes =
      place.gpu ? seen.channels * bytes_per_sample(seen.type) : recipe->scratch_bytes(kind);
  // Rows of a region have its metadata.
  work.writing = writing_of(facts.metadata, output, facts.has_alpha, {});
  work.canny = recipe->as_canny(seen);
  work.finds_sigma = recipe->finds_sigma();
  if (recipe->joins_bands()) return work;
  work.sigma = recipe->strengths_sigma().value_or(0);
  const auto known = std::make_shared<std::shared_ptr<const recipes::Recipe>>(recipe);
  work.run = [known, seen, place](ConstAnyView rows, AnyView out) {
    recipes::run_steps((*known)->steps(seen), rows, out, place.execs);
    if (place.done) place.done();
  };
  if (work.canny) {
    work.canny->thresholds = Given{};  // strengths have none to find
    work.settle = [known, recipe](double sigma) { *known = recipe->with_sigma(sigma); };
  }
  work.finish = [recipe, kind](ConstAnyView rows, AnyView out) { recipe->finish(rows, out, kind); };
  return work;
}

std::function<BandWork(const PictureFacts&)> io::band_works(
    std::shared_ptr<const recipes::Recipe> recipe, const Exec& exec) {
  if (const std::string_view why = recipe->whole_only(); !why.empty())
    throw_invalid("", "bands: this method requires the whole picture: {}", why);
  return [recipe, exec, ways = Ways(exec.devices)](const PictureFacts& facts) mutable {
    const auto gpu = ways.next();
    return band_work(recipe, facts, {recipes::execs_of(on(gpu, exec)), gpu, {}});
  };
}

io::Picture io::read_whole(const std::filesystem::path& source, const BandSettings& settings,
                           std::string_view why) {
  ReadLimits limits = settings.limits;
  limits.max_memory = std::min(limits.max_memory, settings.bands.memory);
  try {
    return read_picture(source, limits);
  } catch (const TooMuchMemory& error) {
    const bool has_way = why.find("memory limit") != std::string_view::npos;
    throw TooMuchMemory(
        error.code(),
        fmt::format("{} ({}{})", error.what(), why, has_way ? "" : "; raise the memory limit"),
        error.value());
  }
}

std::string io::needs_whole(const std::filesystem::path& source, const BandSettings& settings) {
  try {
    return PictureRows(source, settings.limits, settings.region).facts().refusal;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::input) throw;
    return error.what();  // reading the whole says it again where it is a fault
  }
}

namespace {

// What makes of a recipe a file of the whole picture, which is read at once.
FileResult run_whole(const std::filesystem::path& source, const std::filesystem::path& target,
                     const io::BandSettings& settings, const recipes::Recipe& recipe,
                     std::string_view why, const Exec& exec) {
  const io::Picture picture = io::read_whole(source, settings, why);
  ConstAnyView part = picture.view();
  if (settings.region) part = part.region(*settings.region);
  const PictureKind kind{part.type, part.channels, picture.has_alpha, picture.scale};
  const recipes::Output output = recipe.output(kind);
  AnyImage holder, made(part.size(), output.channels, output.type);
  ConstAnyView holes, mask;
  if (!picture.holes.empty()) holes = ConstAnyView(picture.holes);
  if (settings.region && holes) holes = holes.region(*settings.region);
  const Image<uint8_t> around = holes ? recipe.mask_around(holes, {}) : Image<uint8_t>();
  if (!around.empty()) mask = ConstAnyView(around);
  // A mask stays on the host.
  const auto gpu = mask ? nullptr : Ways(exec.devices).next();
  const recipes::Execs execs = recipes::execs_of(on(gpu, exec));
  const ConstAnyView seen = recipe.see(part, kind, holder, Exec{.threads = exec.threads});
  const PixelType type = output.type == PixelType::s32 ? PixelType::u16 : output.type;  // labels
  FileResult result{.size = part.size(), .type = type, .channels = output.channels};
  on_copy(gpu, seen, made, [&](ConstAnyView there, AnyView out) {
    const recipes::Used used = recipe.apply(there, out, mask, kind.scale, execs);
    result.thresholds = used.thresholds.value_or(CannyResult{});
    result.sigma = used.sigma.value_or(0);
  });
  recipe.finish(seen, made, kind);
  if (holes) recipe.leave_out(holes, made);
  if (output.is_mask) result.edge_pixels = recipes::count_set(made, 0, made.height());
  io::WriteOptions writing =
      io::writing_of(picture.metadata, output, picture.has_alpha, settings.region);
  writing.layout = settings.bands.layout;
  io::write_picture(target, made, writing);
  result.bands = 1;
  result.warning = picture.warning();
  if (result.warning.empty() && picture.remark.empty())
    result.warning = recipes::dim_remark(recipe, picture.view(), picture.has_alpha);
  if (result.warning.empty())
    result.warning = io::dropped(writing.metadata, target.extension().string());
  return result;
}

}  // namespace

FileResult io::run_recipe(const std::filesystem::path& source, const std::filesystem::path& target,
                          const BandSettings& given,
                          const std::shared_ptr<const recipes::Recipe>& recipe, const Exec& exec) {
  BandSettings settings = given;
  settings.limits.take(floats_for(*recipe, target.extension().string()));
  if (exec.choices) {  // only chooses
    const PictureFacts facts = PictureRows(source, settings.limits, settings.region).facts();
    const PictureKind seen = recipe->seen(kind_of(facts));
    const Space space = exec.devices.empty() ? Space::host : Space::device;
    for (Choice& choice : recipes::plan_of(recipe->steps(seen), facts.size, seen.type,
                                           seen.channels, space, recipes::execs_of(exec)))
      exec.choices->push_back(std::move(choice));
    return {};
  }
  std::string why(recipe->whole_only());
  if (why.empty()) why = needs_whole(source, settings);
  if (why.empty()) return run_bands(source, target, settings, band_works(recipe, exec));
  return run_whole(source, target, settings, *recipe, why, exec);
}

FileResult edges_file(const std::filesystem::path& source, const std::filesystem::path& target,
                      const EdgesOptions& edges, const BandOptions& options, const Exec& exec) {
  return io::run_recipe(source, target, io::band_settings(options, exec),
                        std::make_shared<recipes::EdgesRecipe>(edges), exec);
}

FileResult filter_file(const std::filesystem::path& source, const std::filesystem::path& target,
                       const PictureFilter& filter, const BandOptions& options, const Exec& exec) {
  return io::run_recipe(source, target, io::band_settings(options, exec),
                        std::make_shared<recipes::FilterRecipe>(filter), exec);
}

}  // namespace cuesta
