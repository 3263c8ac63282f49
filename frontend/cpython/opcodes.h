// DynaCC's instruction set (opcodes.def), and the numbers of the operators of BINARY_OP.
//
// The names are CPython's, so a source that includes this must not include CPython's opcode.h.
#pragma once

#include <cstdint>

namespace dynacc {

enum Opcode : uint8_t {
  UNKNOWN_OPCODE,  // nothing that CPython compiles a program to
#define DYNACC_OPCODE(name, ...) name,
#include "frontend/cpython/opcodes.def"
#undef DYNACC_OPCODE
  kNumOpcodes,
};

// Of COMPARE_OP's argument.
inline constexpr int kComparesToBool = 16;

// Of BEFORE_WITH's and WITH_EXCEPT_START's argument.
inline constexpr int kExitHasReceiver = 1;

// BINARY_OP's argument, the same in all CPythons from 3.11 on.
enum BinaryOperation : uint8_t {
  NB_ADD,
  NB_AND,
  NB_FLOOR_DIVIDE,
  NB_LSHIFT,
  NB_MATRIX_MULTIPLY,
  NB_MULTIPLY,
  NB_REMAINDER,
  NB_OR,
  NB_POWER,
  NB_RSHIFT,
  NB_SUBTRACT,
  NB_TRUE_DIVIDE,
  NB_XOR,
  NB_INPLACE_ADD,  // and the others in the same order
};

// What an instruction does to locals (indices into localsplus), in this order.
enum class LocalUse : uint8_t {
  kNone,
  kReads,           // local `arg`: its value matters, as it is loaded, or as an unbound one raises
  kWrites,          // its value is replaced
  kReadsAndWrites,  // both
  kReadsTwo,        // local arg >> 4, then local arg & 15
  kWritesAndReads,  // the first of them is written, the second one read
  kWritesTwo,
};

// Bits.
enum OpcodeTrait : uint8_t {
  kNoTrait = 0,
  kEndsBlock = 1,  // control never goes on to the next instruction
  kCalls = 2,      // a call, after which CPython polls
  kReturns = 4,    // from the frame
};

// "BINARY_OP", for logs and break reasons.
const char* OpcodeName(int opcode);

// The change of the stack's depth, on the way through or (`jump`) on the way to the jump's target.
int OpcodeStackEffect(int opcode, int arg, bool jump);

LocalUse LocalUseOf(int opcode);
bool OpcodeHas(int opcode, OpcodeTrait trait);

}  // namespace dynacc
