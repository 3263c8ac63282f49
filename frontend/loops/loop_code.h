// LoopCode: a code object as LoopBuilder translates it: that of the loop, or of a function that is
// called in it.
#pragma once

#include <memory>
#include <vector>

#include "frontend/bytecode/decoded_code.h"
#include "frontend/frame/loop_map.h"
#include "frontend/loops/loop_variables.h"

namespace dynacc::loops {

struct LoopCode {
  // `loop`: the part that is translated, null: all of it. Registers of its own begin at `base`.
  LoopCode(const bytecode::DecodedCode& decoded, const frame::Loop* loop, const LoopVariables& of,
           uint16_t base);

  bool Contains(int offset) const { return loop == nullptr || loop->Contains(offset); }

  // Where values are when control passes from block to block.
  uint16_t OfVariable(int variable) const { return static_cast<uint16_t>(base + variable); }
  uint16_t OfStack(int position) const {
    return static_cast<uint16_t>(base + variables.count() + position);
  }
  uint16_t OfIterator(int position) const {
    return static_cast<uint16_t>(OfStack(max_stack) + kIteratorRegisters * position);
  }
  // Of a variable that is a complex: its imaginary part. The real one is where a float would be.
  uint16_t OfImaginary(int variable) const {
    return static_cast<uint16_t>(OfIterator(max_stack) + variable);
  }
  // Of a variable that may not be stored to yet: whether it is.
  uint16_t OfStoredFlag(int variable) const {
    return static_cast<uint16_t>(OfImaginary(variables.count()) + variable);
  }
  uint16_t end() const { return OfStoredFlag(variables.count()); }
  // For all that is in an iterator or a tuple at most.
  static constexpr int kIteratorRegisters = 8;

  const bytecode::DecodedCode& code;
  const frame::Loop* loop;
  LoopVariables variables;
  int max_stack;
  uint16_t base;
  std::vector<bool> is_target;     // by offset: some jump goes there
  std::vector<bool> is_passed_by;  // by offset: not every round comes by, it seems
  std::vector<bool> is_set;        // by local variable: some instruction of the part stores it
  std::shared_ptr<const bytecode::DecodedCode> kept;  // a function's

 private:
  void FindWhatIsPassedBy();
};

}  // namespace dynacc::loops
