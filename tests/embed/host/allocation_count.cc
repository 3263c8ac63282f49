#include "tests/embed/host/allocation_count.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local int t_allocated = 0;

void* Allocate(size_t size, size_t alignment) {
  ++t_allocated;
  size = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, size == 0 ? alignment : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return Allocate(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace dynacc {

int TimesAllocated() { return t_allocated; }

}  // namespace dynacc
