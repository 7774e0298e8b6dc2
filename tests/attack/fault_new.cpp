// Kind "new" of fault_shim.c: the allocations of C++ alone, whose libraries are ours and oneTBB.
#include <cstdlib>
#include <new>

extern "C" int cuesta_fault_at(int which, const void* caller);
extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_memalign(size_t, size_t);

namespace {
constexpr int kind_new = 9;

void* made(size_t size, const void* caller) {
  void* memory = cuesta_fault_at(kind_new, caller) ? nullptr : __libc_malloc(size);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void* made(size_t size, std::align_val_t alignment, const void* caller) {
  void* memory =
      cuesta_fault_at(kind_new, caller) ? nullptr : __libc_memalign(size_t(alignment), size);
  if (!memory) throw std::bad_alloc();
  return memory;
}
}  // namespace

#define CALLER __builtin_return_address(0)
void* operator new(size_t size) { return made(size, CALLER); }
void* operator new[](size_t size) { return made(size, CALLER); }
void* operator new(size_t size, std::align_val_t to) { return made(size, to, CALLER); }
void* operator new[](size_t size, std::align_val_t to) { return made(size, to, CALLER); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
