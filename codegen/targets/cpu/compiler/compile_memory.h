// Memory for LLVM, which ends the process where an allocation fails: its code has no way back.
//
// A compile begins only if a reserve can be mapped, and holds it. Where malloc of this library
// finds no memory (the linker's --wrap sends all calls here, those of operator new, too), it gives
// a piece of the reserve back and tries again. If nothing is left of it, the compile is abandoned
// where it stands: its memory is lost, and so are locks that it may hold, so that it was the last.
// The library's initialisers, which run before anything can be asked of it, have a reserve as well.
#pragma once

#include <cstddef>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace dynacc::cpu {

enum class CompileMemory {
  kEnough,
  kShort,  // nothing has been done, for want of a reserve
  kLost,   // abandoned in the middle, or never begun after another was; there will be no other
};

// Runs `compile` on this thread with a reserve of `bytes` bytes, which are mapped but not touched.
// After kLost nothing that it had begun to change may be used.
CompileMemory WithMemoryReserve(size_t bytes, llvm::function_ref<void()> compile);

// Ends the reserve of the initialisers. On the thread that has loaded the library.
void EndReserveOfLoading();

}  // namespace dynacc::cpu
