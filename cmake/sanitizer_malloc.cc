// A gap after every block of memory in builds with ThreadSanitizer, whose allocator lays blocks of
// one size side by side, where glibc's and AddressSanitizer's have words between them. NumPy takes
// an operand and a result that touch for overlapping, and then computes arctan, log1p and the like
// by a loop that rounds otherwise: without a gap results depend on where arrays lie.
#ifdef __SANITIZE_THREAD__
#include <cstddef>

extern "C" {

void* __interceptor_malloc(size_t size);
void* __interceptor_calloc(size_t count, size_t size);
void* __interceptor_realloc(void* block, size_t size);

}  // extern "C"

namespace {

constexpr size_t kGap = 16;

// A size that is too large stays so.
size_t WithGap(size_t size) { return size + kGap < size ? size : size + kGap; }

}  // namespace

#define DYNACC_FOR_RUNTIME \
  extern "C" __attribute__((visibility("default"), used, no_sanitize("thread")))

DYNACC_FOR_RUNTIME void* malloc(size_t size) { return __interceptor_malloc(WithGap(size)); }

// A product that is too large is left to calloc, which says so.
DYNACC_FOR_RUNTIME void* calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return __interceptor_calloc(count, size);
  return __interceptor_calloc(WithGap(bytes), 1);
}

DYNACC_FOR_RUNTIME void* realloc(void* block, size_t size) {
  // To no bytes is to free it.
  return __interceptor_realloc(block, size == 0 ? 0 : WithGap(size));
}
#endif
