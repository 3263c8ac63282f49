// The CPU's dialect: kernels as C++ with Clang's vector extensions, on the prelude in prelude/.
#pragma once

#include "codegen/emit/dialect.h"

namespace dynacc::cpu {

const emit::Dialect& CpuDialect();

// The elements of a vector in a module of `kernels` (prelude/vectors.h).
int VectorLanes(absl::Span<const kernel::Kernel> kernels);

// The name under which emitted modules include the prelude.
inline constexpr char kCpuPreludeName[] = "dynacc_prelude.h";

// The prelude's text (embedded from prelude/*.h at build time).
extern const char kCpuPrelude[];

}  // namespace dynacc::cpu
