// DecodedCode: a code object's instructions as the tracer and the step interpreter read them.
//
// Decoded from the de-specialised bytecode; EXTENDED_ARG and CACHE units are folded away, but every
// instruction keeps its code unit offset, which is what frames and segments are addressed by.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/cpython/ref.h"

namespace dynacc::bytecode {

struct Instruction {
  int offset;  // in code units; of the opcode itself (after its EXTENDED_ARGs)
  int start;   // in code units; of its first EXTENDED_ARG, or == offset
  int next;    // offset (start) of the instruction after it and its caches
  uint8_t opcode;
  int arg;     // 0 if the opcode takes none
  int target;  // start of the jump target, or -1
  int line;    // in the source file, or 0

  // Whether it may go back and poll then, as what closes a loop does.
  bool JumpsBack() const;
};

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
  int IndexAt(int offset) const { return index_at_[offset]; }

  const std::vector<HandlerRange>& handlers() const { return handlers_; }
  bool InHandlerRange(int offset) const;

  // Locals (indices into localsplus) that may be read at or after the instruction at `offset`.
  // Cells count as always live. One bit a local.
  const std::vector<bool>& LiveLocals(int offset) const { return live_[index_at_[offset]]; }

  // Value stack depth (entries above the locals) before the instruction at `offset`, or -1 if it is
  // unreachable.
  int StackDepth(int offset) const { return depth_[index_at_[offset]]; }

  // Whether some JUMP_BACKWARD targets this instruction: it is a loop header.
  bool IsLoopHeader(int offset) const { return loop_header_[index_at_[offset]]; }
  // Whether a CALL or CALL_FUNCTION_EX, after which CPython polls, lies in [start, end).
  bool CallsBetween(int start, int end) const;
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
  std::vector<bool> loop_header_;
  bool has_loop_ = false;
};

// "BINARY_OP", for logs and break reasons.
const char* OpcodeName(int opcode);

}  // namespace dynacc::bytecode
