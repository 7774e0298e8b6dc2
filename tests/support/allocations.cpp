// Global operator new, replaced by one that counts.
#include "support/allocations.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> count{0};

void* counted(size_t bytes, size_t alignment) {
  count.fetch_add(1, std::memory_order_relaxed);
  // aligned_alloc wants a multiple of the alignment.
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(bytes ? bytes : 1)
                     : std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  return memory;
}
void* counted_or_throw(size_t bytes, size_t alignment) {
  if (void* memory = counted(bytes, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

namespace cuesta::test {
int64_t allocations() { return count.load(std::memory_order_relaxed); }
}  // namespace cuesta::test

void* operator new(size_t n) { return counted_or_throw(n, 1); }
void* operator new[](size_t n) { return counted_or_throw(n, 1); }
void* operator new(size_t n, const std::nothrow_t&) noexcept { return counted(n, 1); }
void* operator new[](size_t n, const std::nothrow_t&) noexcept { return counted(n, 1); }
void* operator new(size_t n, std::align_val_t a) { return counted_or_throw(n, size_t(a)); }
void* operator new[](size_t n, std::align_val_t a) { return counted_or_throw(n, size_t(a)); }
void* operator new(size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return counted(n, size_t(a));
}
void* operator new[](size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return counted(n, size_t(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }
