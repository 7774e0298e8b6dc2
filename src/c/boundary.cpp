#include "c/boundary.hpp"

#include <new>
#include <string>

#include "cuesta/version.hpp"

namespace cuesta::c {
namespace {

// The numbers of cuesta.h are those of the enumerations.
static_assert(int(PixelType::u8) == CUESTA_U8 && int(PixelType::u16) == CUESTA_U16 &&
              int(PixelType::s16) == CUESTA_S16 && int(PixelType::s32) == CUESTA_S32 &&
              int(PixelType::f32) == CUESTA_F32 && int(PixelType::bit) == CUESTA_BIT);
static_assert(int(ErrorCode::invalid_argument) + 1 == CUESTA_INVALID_ARGUMENT &&
              int(ErrorCode::unsupported) + 1 == CUESTA_UNSUPPORTED &&
              int(ErrorCode::input) + 1 == CUESTA_INPUT &&
              int(ErrorCode::output) + 1 == CUESTA_OUTPUT &&
              int(ErrorCode::device) + 1 == CUESTA_DEVICE &&
              int(ErrorCode::out_of_memory) + 1 == CUESTA_OUT_OF_MEMORY);

struct Failure {
  std::string text, value;
};
thread_local Failure last;

cuesta_status keep(cuesta_status status, const char* text, const char* value) noexcept {
  try {
    last = {text, value};
  } catch (...) {
    last.text.clear();  // no memory for the sentence: the status has to do
    last.value.clear();
  }
  return status;
}

}  // namespace

cuesta_status failed() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return keep(int32_t(error.code()) + 1, error.what(), error.value().c_str());
  } catch (const std::bad_alloc&) {
    return keep(CUESTA_OUT_OF_MEMORY, "out of host memory", "");
  } catch (const std::exception& error) {
    return keep(CUESTA_INTERNAL, error.what(), "");
  } catch (...) {
    return keep(CUESTA_INTERNAL, "an exception that is none of the library's", "");
  }
}

bool flag(int32_t value, std::string_view what) {
  if (value != 0 && value != 1)
    refuse(fmt::format("{} {}", what, value), "{} is {}; it must be 0 to 1", what, value);
  return value != 0;
}

AnyView picture(const cuesta_view& view, std::string_view what) {
  if (view.data == nullptr) return {};
  if (view.type < CUESTA_U8 || view.type > CUESTA_BIT) {
    refuse(fmt::format("type {}", view.type),
           "{}.type is {}; it must be {} (CUESTA_U8) to {} (CUESTA_BIT)", what, view.type,
           int(CUESTA_U8), int(CUESTA_BIT));
  }
  const auto space = enumerator<Space>(view.space, fmt::format("{}.space", what));
  const auto type = static_cast<PixelType>(view.type);
  int64_t stride = view.stride_bytes;
  if (stride == 0) {
    stride = type == PixelType::bit ? (int64_t(view.width) + 63) / 64 * 8
                                    : int64_t(view.width) * view.channels * bytes_per_sample(type);
  }
  return {view.data, view.width, view.height, view.channels, ptrdiff_t(stride), type, space};
}

AnyView picture(const cuesta_view* view, std::string_view what) {
  return picture(given(view, what), what);
}

cuesta_view plain(ConstAnyView view) {
  return {const_cast<void*>(view.data),
          view.width,
          view.height,
          view.channels,
          int32_t(view.type),
          number_of(view.space),
          view.stride_bytes};
}

Border border_of(const cuesta_border& border, std::string_view what) {
  return {enumerator<BorderMode>(border.mode, fmt::format("{}: border.mode", what)), border.value};
}

cuesta_border plain(const Border& border) { return {number_of(border.mode), border.value}; }

Stencil stencil_of(const cuesta_stencil* stencil, std::string_view what) {
  const cuesta_stencil& of = given(stencil, what);
  const int forms = (of.text != nullptr) + (of.integers != nullptr) + (of.floats != nullptr);
  if (forms != 1) {
    refuse(std::to_string(forms), "{}: {} of text, integers and floats are set; set exactly one",
           what, forms);
  }
  if (of.text != nullptr) return Stencil::parse(of.text);
  // Looked at before the taps are counted, so that nothing is read past a size that cannot be.
  if (of.width < 1 || of.width > Stencil::max_size || of.height < 1 ||
      of.height > Stencil::max_size) {
    refuse(fmt::format("{} x {}", of.width, of.height), "{} is {} x {}; both sides must be 1 to {}",
           what, of.width, of.height, Stencil::max_size);
  }
  const auto count = size_t(of.width) * size_t(of.height);
  if (of.integers != nullptr) {
    return Stencil::integers(of.width, of.height, {of.integers, count},
                             of.divisor == 0 ? 1 : of.divisor);
  }
  return Stencil::floats(of.width, of.height, {of.floats, count});
}

StructuringElement element_of(const cuesta_element& element, std::string_view what) {
  if ((element.text != nullptr) == (element.cells != nullptr))
    refuse("", "{}: text and cells are both set or both empty; set exactly one", what);
  if (element.text != nullptr) return StructuringElement::parse(element.text);
  if (element.width < 1 || element.width > 255 || element.height < 1 || element.height > 255) {
    refuse(fmt::format("{} x {}", element.width, element.height),
           "{} is {} x {}; both sides must be 1 to 255", what, element.width, element.height);
  }
  return {element.width,
          element.height,
          {element.cells, size_t(element.width) * size_t(element.height)}};
}

Exec exec_of(cuesta_context* context) {
  if (context == nullptr) return {};
  Exec exec = context->exec;
  exec.workspace = &context->workspace;
  return exec;
}

}  // namespace cuesta::c

using namespace cuesta::c;

int32_t cuesta_abi_version() { return CUESTA_ABI_VERSION; }
const char* cuesta_version() { return CUESTA_VERSION; }
const char* cuesta_error_text() { return last.text.c_str(); }
const char* cuesta_error_value() { return last.value.c_str(); }

cuesta_context* cuesta_context_new() {
  cuesta_context* made = nullptr;
  guarded([&] { made = new cuesta_context; });
  return made;
}

void cuesta_context_free(cuesta_context* context) { delete context; }

cuesta_status cuesta_context_set_threads(cuesta_context* context, int32_t threads) {
  return guarded([&] {
    auto& of = given(context, "context");
    if (threads < 0 || threads > 4096)
      refuse(std::to_string(threads), "threads is {}; it must be 0 (every core) to 4096", threads);
    of.exec.threads = threads;
  });
}

cuesta_status cuesta_context_set_stream(cuesta_context* context, void* stream) {
  return guarded([&] { given(context, "context").exec.stream = stream; });
}

cuesta_status cuesta_context_set_strategy(cuesta_context* context, const char* name) {
  return guarded([&] {
    auto& exec = given(context, "context").exec;
    exec.strategy = name == nullptr ? "" : name;
    exec.parameters.clear();
  });
}

cuesta_status cuesta_context_set_parameter(cuesta_context* context, const char* name,
                                           const char* value) {
  return guarded([&] {
    auto& parameters = given(context, "context").exec.parameters;
    const std::string of = &given(name, "name"), to = &given(value, "value");
    for (auto& known : parameters) {
      if (known.first == of) {
        known.second = to;
        return;
      }
    }
    parameters.emplace_back(of, to);
  });
}

size_t cuesta_context_bytes(const cuesta_context* context, int32_t space) {
  if (context == nullptr) return 0;
  return context->workspace.bytes(space == CUESTA_ON_DEVICE ? cuesta::Space::device
                                                            : cuesta::Space::host);
}

void cuesta_context_release_memory(cuesta_context* context) {
  guarded([&] {
    if (context == nullptr)
      cuesta::release_memory();
    else
      context->workspace.release_memory();
  });
}
