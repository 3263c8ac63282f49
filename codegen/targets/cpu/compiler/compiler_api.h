// The C interface of libdynacc_cpu_compiler.so, the plug-in that holds Clang and LLVM.
//
// The plug-in is opened by dlopen on the first kernel that no cache has, so a warm process never
// maps it. It knows nothing of DynaCC but this header; both sides are built from one tree, and
// the version below guards against a stale file beside a newer library.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Raised whenever a function or a struct here changes.
#define DYNACC_COMPILER_API_VERSION 4

// A named text. Nothing here is NUL-terminated.
struct DynaccText {
  const char* data;
  size_t size;
};

struct DynaccCompileRequest {
  struct DynaccText name;         // file name for diagnostics
  struct DynaccText source;       // C++
  struct DynaccText header_name;  // the one header that the source may include
  struct DynaccText header;
  int is_scalar;          // not 0: no vectors, but control flow for LLVM's own passes (-O2)
  struct DynaccText cpu;  // as Clang's -march names it: "x86-64-v3"; empty: this machine's own
};

// Receives a result; called once, or not at all, before the compile function returns.
typedef void (*DynaccResultSink)(void* context, const char* data, size_t size);

// To be asked first, by the thread that has opened the plug-in.
int DynaccCompilerApiVersion(void);

// "19.1.7": of the LLVM that is linked in; "19.1.7+asan" where it lets AddressSanitizer check what
// it compiles.
const char* DynaccCompilerLlvmVersion(void);

enum DynaccCompileStatus {
  DYNACC_COMPILED = 0,         // the result is an x86-64 ELF relocatable object
  DYNACC_NOT_COMPILED = 1,     // ... diagnostics as text (line and caret, as Clang prints them)
  DYNACC_MEMORY_IS_SHORT = 2,  // no result; there is too little memory for a compile now
  DYNACC_MEMORY_RAN_OUT = 3,   // no result, and no other compile in this process
};

// Compiles for `request->cpu`. May be called on several threads at once: each compile has its own
// LLVM context.
enum DynaccCompileStatus DynaccCompile(const struct DynaccCompileRequest* request,
                                       DynaccResultSink sink, void* context);

#ifdef __cplusplus
}
#endif
