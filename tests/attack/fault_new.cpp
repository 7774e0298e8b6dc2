// Kind "new" of fault_shim.c: the allocations of C++ alone, whose libraries are ours and oneTBB.
#include <cstdlib>
#include <new>

extern "C" int cuesta_fault(int which);
extern "C" void* __libc_malloc(size_t);

namespace {
constexpr int kind_new = 9;

void* made(size_t size) {
  void* memory = cuesta_fault(kind_new) ? nullptr : __libc_malloc(size);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void* made(size_t size, std::align_val_t alignment) {
  void* memory = nullptr;
  if (cuesta_fault(kind_new) || posix_memalign(&memory, size_t(alignment), size) != 0)
    throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(size_t size) { return made(size); }
void* operator new[](size_t size) { return made(size); }
void* operator new(size_t size, std::align_val_t alignment) { return made(size, alignment); }
void* operator new[](size_t size, std::align_val_t alignment) { return made(size, alignment); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
