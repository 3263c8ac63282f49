// SymbolicFrame: one Python frame as the tracer sees it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/bytecode/decoded_code.h"
#include "frontend/sources/source.h"
#include "frontend/symbolic/value.h"

namespace dynacc::tracer {

struct SymbolicFrame {
  std::shared_ptr<const bytecode::DecodedCode> code;
  int pc = 0;                            // start of the instruction to execute next
  int at = 0;                            // offset of the one that is being executed
  std::vector<symbolic::Value*> locals;  // as localsplus without the stack; null: unbound
  std::vector<symbolic::Value*> stack;
  std::vector<symbolic::Value*> closure;          // inlined frames: what COPY_FREE_VARS copies
  symbolic::GeneratorValue* generator = nullptr;  // whose frame this is

  // Whose globals this frame sees: null for those of the outermost frame, else a function's source.
  const sources::Source* globals_of = nullptr;
  BorrowedRef globals = nullptr;
  BorrowedRef builtins = nullptr;

  // Iterations of each loop header that this frame has unrolled, by instruction index.
  std::vector<int> header_visits;

  PyCodeObject* raw_code() const { return code->code(); }
};

// What the suspended frame of a generator waits for in a `yield from`; null if it does not.
symbolic::Value* DelegateOf(const SymbolicFrame& frame);

}  // namespace dynacc::tracer
