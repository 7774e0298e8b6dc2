// Components of picture files, and their measures: of the whole picture, or in bands of rows.
#include <fmt/format.h>

#include "core/check.hpp"
#include "cuesta/recipes/label.hpp"
#include "io/file_steps.hpp"

namespace cuesta {
namespace {

using io::BandSettings;
using io::PictureFacts;
using recipes::PictureKind;

// A pixel: gray levels, the mask, its runs. With measures also labels, and another picture's rows.
double scratch_bytes(const LabelFile& what) { return what.measure ? 20 : 6; }

// Finds the components of a band's rows.
std::function<LabelBands::Found(const LabelBands&, ConstAnyView)> finder(
    const LabelFile& what, const PictureFacts& facts, const std::shared_ptr<RoundTrip>& gpu,
    const Exec& exec) {
  const recipes::LabelRecipe recipe(what.options, what.limit);
  return [gpu, mask_of = io::maker(recipe.mask(io::kind_of(facts)), exec),
          exec = io::on(gpu, exec)](const LabelBands& labels, ConstAnyView rows) {
    LabelBands::Found found;
    on_copy(gpu, mask_of(rows), {},
            [&](ConstAnyView there, AnyView) { found = labels.find(there, exec); });
    return found;
  };
}

// The gray levels of rows whose intensities are measured; rows of one channel as they are.
std::function<ConstAnyView(ConstAnyView)> levels_of(const PictureKind& kind, const Exec& exec) {
  if (auto steps = recipes::LabelRecipe::levels(kind); !steps.empty())
    return io::maker(std::move(steps), exec);
  return [](ConstAnyView rows) { return rows; };
}

// Intensities in levels of the file.
std::vector<Measures> in_levels(std::vector<Measures> measures, double scale) {
  if (scale == 1) return measures;
  for (Measures& m : measures)
    for (double* value : {&m.mean, &m.min, &m.max}) *value /= scale;
  return measures;
}

io::PictureOf whole_of(const io::Picture& of) {
  return {of.view(), {of.pixels.type(), of.channels(), of.has_alpha, of.scale}};
}

void check_intensity(Size size, Size of_source, const std::string& name) {
  if (size == of_source) return;
  throw_invalid(name, "intensity {} is {} x {}; it must have the picture's size, {} x {}", name,
                size.width, size.height, of_source.width, of_source.height);
}

// Measures labels that come in bands. The last rows of a band wait for the next one, because
// outlines look at both.
class MeasureRows {
 public:
  MeasureRows(Size size, size_t count) : bands_(size.width, int32_t(count)), height_(size.height) {}

  void add(ConstAnyView labels, ConstAnyView levels, const Exec& exec) {
    append(labels_, labels);
    append(levels_, levels);
    end_ += labels.height;
    const bool last = end_ == height_;
    const int32_t past = last ? end_ : end_ - MeasureBands::reach();
    if (past <= done_) return;
    bands_.add(labels_, done_ - top_, past - top_, top_, levels_, exec);
    done_ = past;
    keep_from(std::max(0, done_ - MeasureBands::reach()));
  }
  std::vector<Measures> finish() const { return bands_.finish(); }

 private:
  static void append(AnyImage& rows, ConstAnyView more) {
    const int32_t before = rows.height();
    AnyImage all({more.width, before + more.height}, 1, more.type);
    if (before > 0) copy(rows, AnyView(all).region({0, 0, more.width, before}));
    copy(more, AnyView(all).region({0, before, more.width, more.height}));
    rows = std::move(all);
  }
  void keep_from(int32_t row) {
    for (AnyImage* rows : {&labels_, &levels_}) {
      AnyImage rest({rows->width(), end_ - row}, 1, rows->type());
      copy(AnyView(*rows).region({0, row - top_, rows->width(), end_ - row}), AnyView(rest));
      *rows = std::move(rest);
    }
    top_ = row;
  }

  MeasureBands bands_;
  int32_t height_, top_ = 0, done_ = 0, end_ = 0;  // rows of the picture
  AnyImage labels_{}, levels_{};                   // rows from top_ to end_
};

// The second pass: the file is read again in the bands that were labelled, one after the other, and
// its labels are measured.
std::vector<Measures> measure_bands(const std::filesystem::path& source,
                                    const BandSettings& settings, const LabelFile& what,
                                    const LabelBands& labels, std::optional<io::BandRows>& other,
                                    Size size, size_t count, const Exec& exec) {
  const recipes::LabelRecipe recipe(what.options, what.limit);
  const Exec plain{.threads = exec.threads};
  MeasureRows measured(size, count);
  int32_t band = 0, first = 0;
  io::read_bands(source, settings, scratch_bytes(what),
                 [&](const PictureFacts& facts) -> io::BandStep {
                   const PictureKind kind = io::kind_of(facts);
                   const auto mask_of = io::maker(recipe.mask(kind), plain);
                   const auto levels = levels_of(other ? io::kind_of(other->facts()) : kind, plain);
                   return [&, mask_of, levels](ConstAnyView rows) -> std::function<void()> {
                     AnyImage found(rows.size(), 1, PixelType::s32);
                     labels.resolve(band++, mask_of(rows), found, plain);
                     const int32_t end = first + rows.height;
                     measured.add(found, levels(other ? other->take(first, end) : rows), plain);
                     first = end;
                     return [] {};
                   };
                 });
  return measured.finish();
}

}  // namespace

int64_t io::label_bytes(const PictureFacts& facts, const LabelFile& what) {
  return facts.size.height * (facts.row_bytes() + int64_t(facts.size.width * scratch_bytes(what)));
}

LabelFileResult io::label_picture(const PictureOf& picture, const std::optional<PictureOf>& other,
                                  const LabelFile& what, const Exec& exec) {
  const recipes::LabelRecipe recipe(what.options, what.limit);
  const auto mask_of = maker(recipe.mask(picture.kind), exec);  // which holds the mask
  LabelFileResult result{.size = picture.view.size(), .bands = 1};
  if (other) check_intensity(other->view.size(), result.size, what.intensity.string());
  AnyImage labels;
  if (what.measure) labels.create(result.size, 1, PixelType::s32);
  const auto gpu = Ways(exec.devices).next();
  on_copy(gpu, mask_of(picture.view), what.measure ? AnyView(labels) : AnyView(),
          [&](ConstAnyView there, AnyView out) {
            result.components = recipe.find(there, out, on(gpu, exec));
          });
  if (!what.measure) return result;
  const PictureOf& measured = other ? *other : picture;
  const Exec plain{.threads = exec.threads};
  result.measures = in_levels(measure(labels, int32_t(result.components.size()),
                                      levels_of(measured.kind, plain)(measured.view), plain),
                              measured.kind.scale);
  return result;
}

LabelFileResult io::label_bands(const std::filesystem::path& source, const BandSettings& settings,
                                const LabelFile& what, const Exec& exec) {
  std::optional<LabelBands> labels;
  Ways ways(settings.devices);
  BandSettings again = settings;  // the second pass: on the CPU, in the same bands
  again.use({});
  std::optional<BandRows> other;
  if (what.measure && !what.intensity.empty()) other.emplace(what.intensity, again);
  again.bands.rows = 0;  // until the first band is there
  const FileResult read =
      read_bands(source, settings, scratch_bytes(what), [&](const PictureFacts& facts) {
        if (!labels) labels.emplace(facts.size.width, what.options);
        if (other) check_intensity(other->facts().size, facts.size, what.intensity.string());
        return [&labels, &again, find = finder(what, facts, ways.next(), exec)](
                   ConstAnyView rows) -> std::function<void()> {
          return [&labels, &again, found = find(*labels, rows)] {
            if (again.bands.rows == 0) again.bands.rows = found.rows;
            labels->add(found);
          };
        };
      });
  LabelFileResult result{
      .size = read.size, .components = labels->join(), .bands = read.bands, .measures = {}};
  if (what.measure) {
    result.measures = measure_bands(source, again, what, *labels, other, read.size,
                                    result.components.size(), exec);
  }
  return result;
}

io::LabelMaker::LabelMaker(const std::filesystem::path& source, const BandSettings& settings,
                           const LabelFile& what, const Exec& exec)
    : rows_(source, settings),
      labels_(rows_.facts().size.width, what.options),
      find_(finder(what, rows_.facts(), nullptr, exec)) {}

int32_t io::LabelMaker::band_rows() const { return rows_.band_rows(scratch_bytes({})); }

LabelBands::Found io::LabelMaker::find(int32_t first, int32_t end) {
  return find_(labels_, rows_.take(first, end));
}

LabelFileResult label_file(const std::filesystem::path& source, const LabelFile& what,
                           const BandOptions& options, const Exec& exec) {
  const io::BandSettings settings = io::band_settings(options, exec);
  const bool has_other = what.measure && !what.intensity.empty();
  std::string why = io::needs_whole(source, settings);
  if (why.empty() && has_other) why = io::needs_whole(what.intensity, settings);
  if (why.empty()) return io::label_bands(source, settings, what, exec);
  const io::Picture picture = io::read_whole(source, settings, why);
  std::optional<io::Picture> other;
  if (has_other) other = io::read_whole(what.intensity, settings, why);
  return io::label_picture(whole_of(picture),
                           other ? std::optional(whole_of(*other)) : std::nullopt, what, exec);
}

}  // namespace cuesta
