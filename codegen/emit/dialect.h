// Dialect: how one target spells emitted kernels. Data only: what is not here is plain C++, the
// same for every target.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/kernel/kernel.h"

namespace dynacc::emit {

// The expression of an op: on operands a, b, c, of type T (of Cast: to type T).
struct OpSpelling {
  Op op;
  const char* expression;
};

// What the preamble has only where `macro` is defined: the functions that some expressions call.
struct PreamblePart {
  const char* macro;
  absl::Span<const absl::string_view> functions;
};

// The macro that asks the preamble for what a dtype's type needs; "" if it is always there. The
// parts that a module does not need are not even parsed.
const char* TypeMacro(DType dtype);

struct Dialect {
  const char* name;
  // Put before the kernels of a module: includes and the like.
  const char* preamble;
  // The type of a value of a dtype.
  const char* (*type_name)(DType dtype);
  // Parts that are there for expressions which call their functions; TypeMacro asks for others.
  absl::Span<const PreamblePart> parts = {};
  // The line that sets the width of the vectors of a module none of whose values has more bytes an
  // element; "" for the usual one.
  const char* (*width_line)(int widest);
  // Expressions that replace those of ops.def. Cast and Where must be here.
  absl::Span<const OpSpelling> spellings;
  // The same, under fast_math only; looked at first.
  absl::Span<const OpSpelling> fast_spellings;
  // Whether library steps call library loops; otherwise they too need an expression.
  bool calls_library_loops;
  // Function that makes a bool of a comparison's result; "" if it is one already.
  const char* make_bool;
  // Put at the start of the body of a kernel under fast_math.
  const char* fast_math_pragma;
  // Appends the function of one kernel: its signature and loops, with EmitStep for the rest.
  void (*emit_function)(const kernel::Kernel& kernel, const Dialect& dialect, std::string& out);
};

}  // namespace dynacc::emit
