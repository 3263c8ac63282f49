#include "codegen/targets/cpu/compiler/compile_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>

namespace dynacc::cpu {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

std::atomic<bool> is_lost{false};

// Of the compile on this thread. Not on its stack: a jump leaves what lies there unspecified.
struct Reserve {
  bool may_abandon = false;
  char* start = nullptr;
  size_t bytes = 0;
  std::jmp_buf abandoned;
};
thread_local Reserve reserve;

// Mapped memory counts for limits of the address space and of data as if it were touched.
bool Hold(size_t bytes) {
  void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return false;
  reserve.start = static_cast<char*>(start);
  reserve.bytes = bytes;
  return true;
}

// The last `bytes` of it, or what is left.
void GiveBack(size_t bytes) {
  bytes = std::min(bytes, reserve.bytes);
  reserve.bytes -= bytes;
  if (bytes > 0) munmap(reserve.start + reserve.bytes, bytes);
}

// After an allocation of `bytes` that has failed: true if there may be memory for it now. False
// outside a compile, as in destructors at the process's end.
bool MakeRoom(size_t bytes) {
  if (reserve.bytes > 0) {
    GiveBack(bytes + kPieceBytes - bytes % kPieceBytes);
    return true;
  }
  if (!reserve.may_abandon) return false;
  is_lost.store(true, std::memory_order_relaxed);
  std::longjmp(reserve.abandoned, 1);
}

// Before all other initialisers of this library.
__attribute__((constructor(101))) void BeginReserveOfLoading() {
  constexpr size_t kBytes = size_t{24} << 20;
  Hold(kBytes);
}

}  // namespace

CompileMemory WithMemoryReserve(size_t bytes, llvm::function_ref<void()> compile) {
  if (is_lost.load(std::memory_order_relaxed)) return CompileMemory::kLost;
  if (!Hold((bytes + kPieceBytes - 1) / kPieceBytes * kPieceBytes)) return CompileMemory::kShort;
  CompileMemory outcome = CompileMemory::kLost;
  if (setjmp(reserve.abandoned) == 0) {
    reserve.may_abandon = true;
    compile();
    outcome = CompileMemory::kEnough;
  }
  reserve.may_abandon = false;
  GiveBack(reserve.bytes);
  return outcome;
}

void EndReserveOfLoading() { GiveBack(reserve.bytes); }

}  // namespace dynacc::cpu

// What the linker puts in the place of the C library's functions, which it calls __real_.
extern "C" {

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* block, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void** block, size_t alignment, size_t size);

void* __wrap_malloc(size_t size) {
  for (;;) {
    void* const block = __real_malloc(size);
    if (block != nullptr || size == 0 || !dynacc::cpu::MakeRoom(size)) return block;
  }
}

void* __wrap_calloc(size_t count, size_t size) {
  for (;;) {
    void* const block = __real_calloc(count, size);
    if (block != nullptr || count == 0 || size == 0 || !dynacc::cpu::MakeRoom(count * size))
      return block;
  }
}

void* __wrap_realloc(void* old, size_t size) {
  for (;;) {
    void* const block = __real_realloc(old, size);
    if (block != nullptr || size == 0 || !dynacc::cpu::MakeRoom(size)) return block;
  }
}

void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  for (;;) {
    void* const block = __real_aligned_alloc(alignment, size);
    if (block != nullptr || size == 0 || !dynacc::cpu::MakeRoom(size + alignment)) return block;
  }
}

int __wrap_posix_memalign(void** block, size_t alignment, size_t size) {
  for (;;) {
    const int error = __real_posix_memalign(block, alignment, size);
    if (error == 0 || !dynacc::cpu::MakeRoom(size + alignment)) return error;
  }
}

}  // extern "C"
