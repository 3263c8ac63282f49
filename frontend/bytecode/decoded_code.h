// DecodedCode: a code object's instructions as the tracer and the step interpreter read them.
//
// Decoded from the de-specialised bytecode to DynaCC's instruction set
// (frontend/cpython/opcodes.def). Every instruction keeps its code unit offsets, which are what
// frames and segments are addressed by.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/cpython/bytecode_format.h"
#include "frontend/cpython/ref.h"

namespace dynacc::bytecode {

using dynacc::Instruction;
using dynacc::OpcodeName;

// One row of the exception table, in code units.
struct HandlerRange {
  int start, end, target, depth;
  bool push_lasti;
};

// Does not own the code object: the code object's own record keeps its DecodedCode (an owner would
// be a cycle that nothing collects). Who else keeps one keeps the code object too.
class DecodedCode {
 public:
  static std::shared_ptr<const DecodedCode> Decode(PyCodeObject* code);

  PyCodeObject* code() const { return code_; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  // The instruction whose `start` or `offset` is `offset`.
  const Instruction& At(int offset) const { return instructions_[index_at_[offset]]; }
  int num_units() const { return static_cast<int>(index_at_.size()); }
  int IndexAt(int offset) const { return index_at_[offset]; }

  const std::vector<HandlerRange>& handlers() const { return handlers_; }
  // Whether a handler of the program's is there.
  bool InHandlerRange(int offset) const;

  // Locals (indices into localsplus) that may be read at or after the instruction at `offset`.
  // Cells count as always live. One bit a local.
  const std::vector<bool>& LiveLocals(int offset) const { return live_[index_at_[offset]]; }

  // Value stack depth (entries above the locals) before the instruction at `offset`, or -1 if it is
  // unreachable.
  int StackDepth(int offset) const { return depth_[index_at_[offset]]; }

  // Whether a call, after which CPython polls, lies in [start, end).
  bool CallsBetween(int start, int end) const;
  // Whether some instruction jumps backward.
  bool HasLoop() const { return has_loop_; }

 private:
  void DecodeInstructions(BorrowedRef bytecode);
  void DecodeLines();
  void DecodeHandlers();

  PyCodeObject* code_ = nullptr;
  std::vector<Instruction> instructions_;
  std::vector<int> index_at_;
  std::vector<HandlerRange> handlers_;
  std::vector<std::vector<bool>> live_;
  std::vector<int> depth_;
  bool has_loop_ = false;
};

}  // namespace dynacc::bytecode
