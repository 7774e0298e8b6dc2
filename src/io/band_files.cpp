// Recipes on files of any size: in bands of rows, or whole where a recipe or file needs that.
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "core/check.hpp"
#include "cuesta/strategies.hpp"
#include "io/bands.hpp"
#include "recipes/convert.hpp"
#include "recipes/edges.hpp"
#include "recipes/filter.hpp"
#include "recipes/label.hpp"

namespace cuesta {
namespace {

using io::BandWork;
using io::PictureFacts;
using recipes::PictureKind;

// Runs steps on a band's rows, into memory that the next band takes again.
std::function<ConstAnyView(ConstAnyView)> maker(recipes::Steps steps, const Exec& caller) {
  if (steps.empty()) return {};
  const auto holder = std::make_shared<AnyImage>();
  const Exec exec{.threads = caller.threads};  // a pinned strategy is another operation's
  return [holder, steps = std::move(steps), execs = recipes::Execs{exec, exec}](ConstAnyView rows) {
    const recipes::Step& last = steps.back();
    if (holder->height() < rows.height || holder->width() != rows.width)
      holder->create(rows.size(), last.channels, last.type);
    AnyView made = *holder;
    made.height = rows.height;
    recipes::run_steps(steps, rows, made, execs);
    return ConstAnyView(made);
  };
}

PictureKind kind_of(const PictureFacts& facts) {
  return {facts.type, facts.channels, facts.has_alpha};
}

// The way to a GPU for each of the bands that are worked on concurrently, in turn; none to the CPU.
class Ways {
 public:
  explicit Ways(std::vector<int> devices) : devices_(std::move(devices)) {}
  std::shared_ptr<RoundTrip> next() {
    if (devices_.empty()) return {};
    return std::make_shared<RoundTrip>(devices_[turn_++ % devices_.size()]);
  }

 private:
  std::vector<int> devices_;
  size_t turn_ = 0;
};

// The caller's, on that way's stream.
Exec on(const std::shared_ptr<RoundTrip>& gpu, const Exec& exec) {
  return gpu ? gpu->exec(exec) : exec;
}

}  // namespace

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
  if (const std::string_view why = recipe->whole_only(); !why.empty())
    throw_invalid("", "bands: this method requires the whole picture: {}", why);
  const PictureKind kind = kind_of(facts), seen = recipe->seen(kind);
  recipe->check(kind);
  const recipes::Output output = recipe->output(kind);
  BandWork work;
  work.key = recipe->key();
  work.reach = recipe->reach();
  work.wraps = recipe->wraps();
  work.type = output.type;
  work.channels = output.channels;
  work.is_mask = output.is_mask;
  work.see = maker(recipe->preparation(kind), place.execs.around);
  work.seen_channels = seen.channels;
  work.gpu = place.gpu;
  work.exec = place.execs.pinned;
  work.scratch_bytes =
      place.gpu ? seen.channels * bytes_per_sample(seen.type) : recipe->scratch_bytes(kind);
  // Rows of a region have its metadata.
  work.writing = writing_of(facts.metadata, output, facts.has_alpha, {});
  if (const auto canny = recipe->as_canny(seen)) {
    work.canny = *canny;
    work.finds_sigma = recipe->finds_sigma();
    return work;
  }
  work.run = [recipe, seen, place](ConstAnyView rows, AnyView out) {
    recipes::run_steps(recipe->steps(seen), rows, out, place.execs);
    if (place.done) place.done();
  };
  work.finish = [recipe, kind](ConstAnyView rows, AnyView out) { recipe->finish(rows, out, kind); };
  return work;
}

std::function<BandWork(const PictureFacts&)> io::band_works(
    std::shared_ptr<const recipes::Recipe> recipe, const Exec& exec) {
  return [recipe, exec, ways = Ways(exec.devices)](const PictureFacts& facts) mutable {
    const auto gpu = ways.next();
    return band_work(recipe, facts, {recipes::execs_of(on(gpu, exec)), gpu, {}});
  };
}

namespace {

// What makes of a recipe a file of the whole picture, which is read at once.
FileResult run_whole(const std::filesystem::path& source, const std::filesystem::path& target,
                     const io::BandSettings& settings, const recipes::Recipe& recipe,
                     const Exec& exec) {
  io::ReadLimits limits = settings.limits;
  limits.max_memory = std::min(limits.max_memory, settings.bands.memory);
  const io::Picture picture = io::read_picture(source, limits);
  ConstAnyView part = picture.view();
  if (settings.region) part = part.region(*settings.region);
  const PictureKind kind{part.type, part.channels, picture.has_alpha, picture.scale};
  const recipes::Output output = recipe.output(kind);
  AnyImage holder, made(part.size(), output.channels, output.type);
  const auto gpu = Ways(exec.devices).next();
  const recipes::Execs execs = recipes::execs_of(on(gpu, exec));
  const ConstAnyView seen = recipe.see(part, kind, holder, Exec{.threads = exec.threads});
  FileResult result{.size = part.size(), .type = output.type, .channels = output.channels};
  on_copy(gpu, seen, made, [&](ConstAnyView there, AnyView out) {
    const recipes::Used used = recipe.apply(there, out, {}, kind.scale, execs);
    result.thresholds = used.thresholds.value_or(CannyResult{});
    result.sigma = used.sigma.value_or(0);
  });
  recipe.finish(seen, made, kind);
  if (output.is_mask) result.edge_pixels = recipes::count_set(made, 0, made.height());
  io::WriteOptions writing =
      io::writing_of(picture.metadata, output, picture.has_alpha, settings.region);
  writing.layout = settings.bands.layout;
  io::write_picture(target, made, writing);
  result.bands = 1;
  result.warning = picture.warning();
  if (result.warning.empty())
    result.warning = io::dropped(writing.metadata, target.extension().string());
  return result;
}

// Why the file cannot be worked on in rows; empty where it can.
std::string needs_whole(const std::filesystem::path& source, const io::BandSettings& settings,
                        const recipes::Recipe& recipe) {
  if (const std::string_view why = recipe.whole_only(); !why.empty()) return std::string(why);
  try {
    return io::PictureRows(source, settings.limits, settings.region).facts().refusal;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::input) throw;
    return error.what();  // reading the whole says it again where it is a fault
  }
}

}  // namespace

FileResult io::run_recipe(const std::filesystem::path& source, const std::filesystem::path& target,
                          const BandSettings& given,
                          const std::shared_ptr<const recipes::Recipe>& recipe, const Exec& exec) {
  BandSettings settings = given;
  settings.limits.floats = floats_for(*recipe, target.extension().string());
  if (exec.choices) {  // only chooses
    const PictureFacts facts = PictureRows(source, settings.limits, settings.region).facts();
    const PictureKind seen = recipe->seen(kind_of(facts));
    const Space space = exec.devices.empty() ? Space::host : Space::device;
    for (Choice& choice : recipes::plan_of(recipe->steps(seen), facts.size, seen.type,
                                           seen.channels, space, recipes::execs_of(exec)))
      exec.choices->push_back(std::move(choice));
    return {};
  }
  const std::string why = needs_whole(source, settings, *recipe);
  if (why.empty()) return run_bands(source, target, settings, band_works(recipe, exec));
  return run_whole(source, target, settings, *recipe, exec);
}

namespace {

constexpr double label_scratch_bytes = 6;  // a pixel: gray levels, the mask, its runs

// Finds the components of a band's rows.
std::function<LabelBands::Found(const LabelBands&, ConstAnyView)> finder(
    const LabelFile& what, const PictureFacts& facts, const std::shared_ptr<RoundTrip>& gpu,
    const Exec& exec) {
  const recipes::LabelRecipe recipe(what.options, what.limit);
  return [gpu, mask_of = maker(recipe.mask(kind_of(facts)), exec), exec = on(gpu, exec)](
             const LabelBands& labels, ConstAnyView rows) {
    LabelBands::Found found;
    on_copy(gpu, mask_of(rows), {},
            [&](ConstAnyView there, AnyView) { found = labels.find(there, exec); });
    return found;
  };
}

}  // namespace

int64_t io::label_bytes(const PictureFacts& facts) {
  return facts.size.height * (facts.row_bytes() + int64_t(facts.size.width * label_scratch_bytes));
}

std::vector<Component> io::label_picture(ConstAnyView picture, const PictureKind& kind,
                                         const LabelFile& what, const Exec& exec) {
  const recipes::LabelRecipe recipe(what.options, what.limit);
  const auto mask_of = maker(recipe.mask(kind), exec);  // which holds the mask
  std::vector<Component> components;
  const auto gpu = Ways(exec.devices).next();
  on_copy(gpu, mask_of(picture), {},
          [&](ConstAnyView there, AnyView) { components = recipe.find(there, on(gpu, exec)); });
  return components;
}

LabelFileResult io::label_bands(const std::filesystem::path& source, const BandSettings& settings,
                                const LabelFile& what, const Exec& exec) {
  std::optional<LabelBands> labels;
  Ways ways(settings.devices);
  const FileResult read =
      read_bands(source, settings, label_scratch_bytes, [&](const PictureFacts& facts) {
        if (!labels) labels.emplace(facts.size.width, what.options);
        return [&labels, find = finder(what, facts, ways.next(), exec)](
                   ConstAnyView rows) -> std::function<void()> {
          return [&labels, found = find(*labels, rows)] { labels->add(found); };
        };
      });
  return {read.size, labels->join(), read.bands};
}

io::LabelMaker::LabelMaker(const std::filesystem::path& source, const BandSettings& settings,
                           const LabelFile& what, const Exec& exec)
    : rows_(source, settings),
      labels_(rows_.facts().size.width, what.options),
      find_(finder(what, rows_.facts(), nullptr, exec)) {}

int32_t io::LabelMaker::band_rows() const { return rows_.band_rows(label_scratch_bytes); }

LabelBands::Found io::LabelMaker::find(int32_t first, int32_t end) {
  return find_(labels_, rows_.take(first, end));
}

LabelFileResult label_file(const std::filesystem::path& source, const LabelFile& what,
                           const BandOptions& options, const Exec& exec) {
  return io::label_bands(source, io::band_settings(options, exec), what, exec);
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
