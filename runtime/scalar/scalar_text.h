// The text of scalars: literals, and how an op is written.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "runtime/scalar/scalar_program.h"

namespace dynacc {

// "3", "2.5", "true"; floats keep their bits: "-0.0", "inf", "nan", or "nan:7ff8000000000001".
std::string PrintScalarLiteral(ScalarType type, ScalarValue value);

struct ScalarLiteral {
  ScalarType type;
  ScalarValue value;
};

// The inverse of PrintScalarLiteral; nothing if `text` is no literal.
std::optional<ScalarLiteral> ParseScalarLiteral(absl::string_view text);

// Whether the op is written between its operands ("+"), rather than as a call ("min").
bool IsScalarOperator(ScalarOp op);

// The op of scalar_ops.def written as `text`; nothing if there is none.
std::optional<ScalarOp> ParseScalarOp(absl::string_view text);

}  // namespace dynacc
