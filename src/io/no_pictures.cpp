// Picture files of a build without libvips.
#if !defined(CUESTA_HAS_PICTURES)
#include "cuesta/error.hpp"
#include "cuesta/io/picture.hpp"
#include "io/bands.hpp"

namespace cuesta::io {
namespace {
[[noreturn]] void throw_no_pictures(const std::string& name) {
  throw Error(ErrorCode::unsupported,
              name + ": this build of Cuesta has no picture files; build it with libvips", name);
}
}  // namespace

Metadata Metadata::of_result(int32_t, int32_t, bool) const { return *this; }
Picture read_picture(const std::filesystem::path& path, const ReadLimits&) {
  throw_no_pictures(path.string());
}
Picture read_picture(std::span<const uint8_t>, const std::string& name, const ReadLimits&) {
  throw_no_pictures(name);
}
bool is_picture(const std::filesystem::path& path) {
  return is_picture_extension(path.extension().string());
}
bool is_picture(std::span<const uint8_t>) { return false; }
Pages pages_of(const std::filesystem::path&) { return {}; }
Pages pages_of(std::span<const uint8_t>) { return {}; }
void write_picture(const std::filesystem::path& path, ConstAnyView, const WriteOptions&) {
  throw_no_pictures(path.string());
}

struct PictureRows::State {};
PictureRows::PictureRows(const std::filesystem::path& path, const ReadLimits&,
                         const std::optional<Rect>&) {
  throw_no_pictures(path.string());
}
PictureRows::~PictureRows() = default;
const PictureFacts& PictureRows::facts() const {
  static const PictureFacts none;  // no object lives
  return none;
}
int64_t whole_bytes(const PictureFacts&, const BandWork&) { return 0; }
FileResult run_bands(const std::filesystem::path& source, const std::filesystem::path&,
                     const BandSettings&, const std::function<BandWork(const PictureFacts&)>&) {
  throw_no_pictures(source.string());
}
FileResult read_bands(const std::filesystem::path& source, const BandSettings&, double,
                      const std::function<BandStep(const PictureFacts&)>&) {
  throw_no_pictures(source.string());
}

struct BandRows::State {
  PictureFacts facts{};
};
BandRows::BandRows(const std::filesystem::path& source, const BandSettings&) {
  throw_no_pictures(source.string());
}
BandRows::~BandRows() = default;
const PictureFacts& BandRows::facts() const { return state_->facts; }
int32_t BandRows::band_rows(double) const { return 0; }
ConstAnyView BandRows::take(int32_t, int32_t) { return {}; }

std::vector<uint8_t> encode_picture(std::string_view extension, ConstAnyView, const WriteOptions&) {
  throw_no_pictures(std::string(extension));
}

}  // namespace cuesta::io
#endif
