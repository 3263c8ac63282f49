// Registered ops: elementwise ops that are added to THE table (ops.def) while the program runs, for
// operators that users write and for ufuncs of other libraries.
//
// Such an op is a row like those of ops.def, behind them: it prints and parses, fuses, and is
// emitted by its expression or computed by its library loop (runtime/kernel/library_loops.h), which
// whoever registers the op has to register before the first kernel with it. Rows stay for the life
// of the process, and never change, so that an Op means one thing in every kernel and graph.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "runtime/ops/op.h"

namespace dynacc {

struct OpDescription {
  std::string text;                         // as graphs print it: words joined by '.'
  OpCategory category;                      // kUnary or kBinary
  uint32_t traits = kNone;                  // kEmitted...: c_expr serves these dtypes
  DTypeRule dtype_rule = DTypeRule::kSame;  // kSame, kBool or kReal
  std::string c_expr;                       // as in ops.def; "": a library loop alone
  std::string cuda;                         // as in ops.def; "": c_expr
};

// The op of that description, the same for an equal one. If the text is taken by an op of another
// description, the new op's text gets a number behind it, ".2" and so on: Info(op).text tells.
// INVALID_ARGUMENT for another category or a text that graphs cannot print; RESOURCE_EXHAUSTED if
// the table is full. Thread-safe.
absl::StatusOr<Op> RegisterOp(const OpDescription& description);

// How many there are: their values come right behind those of ops.def.
int NumRegisteredOps();
// The row of one of them, which Info gives.
const OpInfo& RegisteredRow(int index);

inline bool IsRegistered(Op op) { return static_cast<int>(op) >= NumOps(); }

}  // namespace dynacc
