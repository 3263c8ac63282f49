// BytecodeFormat: how one version of CPython writes the instructions of a code object, and what it
// makes of them in DynaCC's instruction set (opcodes.def).
//
// A format is data: it decodes the code of its version whatever CPython runs, or none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "frontend/cpython/opcodes.h"

namespace dynacc {

// An instruction of DynaCC's, which one or more of CPython's are. A frame stands at its `start` or
// at its `next`, not between.
struct Instruction {
  int offset;  // in code units; of the opcode itself, of the last one where there are several
  int start;   // in code units; of its first EXTENDED_ARG, or == offset
  int next;    // offset (start) of the instruction after it and its caches
  uint8_t opcode;
  int arg;            // 0 if the opcode takes none
  int target;         // start of the jump target, or -1
  int line;           // in the source file, or 0
  int keywords = -1;  // of CALL_KW: the constant that has the names
  // Of a load of locals: the entry on the stack is not counted, since the local holds the object
  // for as long. What counts references of the object can tell.
  bool borrows = false;

  // Whether it may go back and poll then, as what closes a loop does.
  bool JumpsBack() const;
};

// The value is the direction: the target is the next instruction's unit + direction * argument.
enum class JumpKind : int8_t { kBackward = -1, kNone = 0, kForward = 1 };

struct NativeOpcode {
  const char* name = nullptr;  // null: no such opcode
  uint8_t caches = 0;          // code units of inline cache that follow
  JumpKind jump = JumpKind::kNone;
  bool takes_argument = false;
};

// An instruction of CPython's, its EXTENDED_ARGs folded in. The places are as Instruction's.
struct NativeInstruction {
  int offset, start, next;
  uint8_t opcode;
  int arg;
  int target;
};

// All of a code object's, and what translating one needs to know of the others.
struct NativeCode {
  std::vector<NativeInstruction> instructions;
  std::vector<int> index_at;  // of the instruction that a code unit belongs to
  absl::Span<const char> local_kinds;

  const NativeInstruction& At(int unit) const { return instructions[index_at[unit]]; }
  bool IsCell(int local) const;  // of the function's own or of an outer one
};

class BytecodeFormat {
 public:
  using Rows = std::array<NativeOpcode, 256>;  // by number
  // Translates the instruction at `index`, whose places, name and argument `result` has already.
  // Returns how many of CPython's instructions it is, 1 or more.
  using Translate = int (*)(const BytecodeFormat& format, const NativeCode& code, int index,
                            Instruction* result);

  // What the instruction set leaves open, because it shows in a frame.
  struct Conventions {
    // The null that a call wants beside a callable without a receiver is below the callable, not
    // above it.
    bool pushes_null_first;
    // A jump back polls when it has jumped: what the poll raises is raised in front of the target.
    bool jumps_before_polling;
  };

  BytecodeFormat(const char* version, const Rows& rows, Translate translate,
                 Conventions conventions);

  const char* version() const { return version_; }  // "3.13"
  const Conventions& conventions() const { return conventions_; }
  const NativeOpcode& Row(uint8_t opcode) const { return rows_[opcode]; }
  bool Is(const NativeInstruction& at, absl::string_view name) const {
    return rows_[at.opcode].name == name;
  }

  // `bytecode` is co_code, `local_kinds` co_localspluskinds.
  NativeCode Read(absl::Span<const uint8_t> bytecode, absl::Span<const char> local_kinds) const;
  // The instructions without their lines.
  std::vector<Instruction> Decode(const NativeCode& code) const;

 private:
  const char* version_;
  const Rows& rows_;
  Translate translate_;
  Conventions conventions_;
  std::array<uint8_t, 256> same_name_;  // the opcode of DynaCC's that has the same name
};

// Of each version that DynaCC knows. A new one has a row here.
const BytecodeFormat& BytecodeFormat311();
const BytecodeFormat& BytecodeFormat313();
const BytecodeFormat& BytecodeFormat314();
std::vector<const BytecodeFormat*> AllBytecodeFormats();

// Of the CPython that DynaCC is built for.
const BytecodeFormat& RunningBytecodeFormat();

}  // namespace dynacc
