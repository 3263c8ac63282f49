// The CPU target: kernels compiled by Clang in this process (or found in the kernel cache), with
// NumPy's bits.
#pragma once

#include "codegen/targets/target.h"
#include "runtime/cache/kernel_cache.h"

namespace dynacc::cpu {

// The target "cpu", on the kernel cache of the process. Errors of CompileKernels: UNAVAILABLE (not
// in the cache and no compiler plug-in), UNIMPLEMENTED (no library loop is registered for a
// library step), INTERNAL (a bug; with diagnostics).
const targets::Target* CpuTarget();

// The same on another cache, which must outlive it. For tests and benchmarks.
std::unique_ptr<targets::Target> MakeCpuTarget(cache::KernelCache& cache);

}  // namespace dynacc::cpu
