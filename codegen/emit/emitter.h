// The emitter: kernels to the C++ source of one module, in a target's dialect.
//
// The source is made to be read: values are named v0, v1, ... as in the kernel's text, and each
// step says which of the user's lines it comes from.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "codegen/emit/dialect.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::emit {

// The source of `kernels`, whose names are distinct. INTERNAL if a step has neither an expression
// in the dialect nor a library loop, or uses a value before its definition: a bug of the caller.
absl::StatusOr<std::string> EmitModule(absl::Span<const kernel::Kernel> kernels,
                                       const Dialect& dialect);

// What a module of `kernels` starts with: the macros that their types ask for, and the preamble.
std::string ModuleHead(absl::Span<const kernel::Kernel> kernels, const Dialect& dialect);

// The bytes of the widest element of a value of the kernels, halves counted as the floats that they
// are computed in: what the dialect's width_line is asked for.
int WidestValue(absl::Span<const kernel::Kernel> kernels);

// The function of one kernel, as in its module.
absl::StatusOr<std::string> EmitKernel(const kernel::Kernel& kernel, const Dialect& dialect);

// The same with other functions around its steps than the dialect's: `emit` appends them.
absl::StatusOr<std::string> EmitKernelAs(const kernel::Kernel& kernel, const Dialect& dialect,
                                         absl::FunctionRef<void(std::string& out)> emit);

// `kernel` under fast_math, with the library steps for which the dialect has an expression of its
// own made emitted ones; other kernels are returned as they are. For callers of EmitModule.
kernel::Kernel WithFastForms(kernel::Kernel kernel, const Dialect& dialect);

// The expression that `dialect` has for a step, with a, b, c and T still to be replaced; "" if it
// has none.
absl::string_view Spelling(const kernel::KernelStep& step, const Dialect& dialect, bool fast_math);

// One step as a statement: `const F64 v2 = v0 + v1;  // add, prog.py:12`.
std::string EmitStep(const kernel::Kernel& kernel, int step, const Dialect& dialect);

// "// exp, prog.py:12": the op and the user's line. One line, whatever the file is called.
std::string StepComment(const kernel::KernelStep& step);

// `source` without comments and blank lines: what two sources that compile alike have in common.
std::string WithoutComments(absl::string_view source);

}  // namespace dynacc::emit
