// Memory for pictures, copies, and GPUs.
#include "c/boundary.hpp"
#include "cuesta/device.hpp"

using namespace cuesta::c;

cuesta_status cuesta_view_allocate(cuesta_view* view) {
  return guarded([&] {
    cuesta_view& of = given(view, "view");
    cuesta_view shape = of;
    shape.data = &shape;  // stands for the memory to come
    const cuesta::AnyView wanted = picture(shape, "view");
    of = plain(
        cuesta::detail::new_picture(wanted.size(), wanted.channels, wanted.type, wanted.space));
  });
}

void cuesta_view_free(cuesta_view* view) {
  if (view == nullptr || view->data == nullptr) return;
  guarded([&] { cuesta::detail::delete_picture(picture(*view, "view")); });
  view->data = nullptr;
}

cuesta_status cuesta_copy(const cuesta_view* src, const cuesta_view* dst, void* stream) {
  return guarded(
      [&] { cuesta::copy(picture(src, "copy: src"), picture(dst, "copy: dst"), stream); });
}

int32_t cuesta_device_count() {
  int32_t count = 0;
  guarded([&] { count = int32_t(cuesta::list_devices().size()); });
  return count;
}

cuesta_status cuesta_use_device(int32_t index) {
  return guarded([&] { cuesta::use_device(index); });
}

cuesta_status cuesta_wait(void* stream) {
  return guarded([&] { cuesta::wait(stream); });
}
