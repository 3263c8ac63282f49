// A library to preload: malloc and aligned_alloc, of which one call by DynaCC's own code fails.
//
//   FAIL_CALLER   part of the name of the file whose calls count: "_dynacc." for the core
//   FAIL_AT       which of them, from 1, gives null; 0: none, but they are counted
//   FAIL_REPEAT   so many after it fail, too
//   FAIL_COUNT    a file; at the process's end it holds how many calls there were
//
// The C++ library's operator new, of which the core has its own copy, calls them. Calls of CPython,
// NumPy and the C library come from other files.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* (*next_malloc)(size_t);
static atomic_ulong calls;
static unsigned long fail_at, fail_repeat;
static const char* caller;
static atomic_uintptr_t lowest, highest;  // of the caller's code, once it is loaded

static int find_caller(struct dl_phdr_info* info, size_t size, void* ignored) {
  (void)size, (void)ignored;
  if (strstr(info->dlpi_name, caller) == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
    atomic_store(&highest, info->dlpi_addr + part->p_vaddr + part->p_memsz);
    atomic_store(&lowest, info->dlpi_addr + part->p_vaddr);
  }
  return 1;
}

__attribute__((constructor)) static void start(void) {
  const char* at = getenv("FAIL_AT");
  const char* repeat = getenv("FAIL_REPEAT");
  fail_at = at == NULL ? 0 : strtoul(at, NULL, 10);
  fail_repeat = repeat == NULL ? 0 : strtoul(repeat, NULL, 10);
  caller = getenv("FAIL_CALLER");
  if (caller != NULL) dl_iterate_phdr(find_caller, NULL);
}

__attribute__((destructor)) static void finish(void) {
  const char* path = getenv("FAIL_COUNT");
  FILE* file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%lu\n", atomic_load(&calls));
  fclose(file);
}

// Whether this call, whose return address is `from`, is to fail.
static int fails(uintptr_t from) {
  // Until the file is there it is looked for now and then: that takes locks.
  static atomic_uint looked;
  if (caller != NULL && atomic_load_explicit(&lowest, memory_order_relaxed) == 0 &&
      atomic_fetch_add(&looked, 1) % 256 == 0) {
    dl_iterate_phdr(find_caller, NULL);
  }
  if (from < atomic_load_explicit(&lowest, memory_order_relaxed) ||
      from >= atomic_load_explicit(&highest, memory_order_relaxed)) {
    return 0;
  }
  const unsigned long call = atomic_fetch_add(&calls, 1) + 1;
  return fail_at != 0 && call >= fail_at && call - fail_at <= fail_repeat;
}

void* malloc(size_t size) {
  if (next_malloc == NULL) next_malloc = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
  return fails((uintptr_t)__builtin_return_address(0)) ? NULL : next_malloc(size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  static void* (*next)(size_t, size_t);
  if (next == NULL) next = (void* (*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
  return fails((uintptr_t)__builtin_return_address(0)) ? NULL : next(alignment, size);
}
