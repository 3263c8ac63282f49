// CPython 3.13's instructions in terms of DynaCC's. Source: Python/bytecodes.c.
#include "frontend/cpython/bytecode_format.h"

namespace dynacc {
namespace {

constexpr BytecodeFormat::Rows MakeRows() {
  BytecodeFormat::Rows rows = {};
#define DYNACC_NATIVE_OPCODE(name, number, caches, jump, takes_argument) \
  rows[number] = {#name, caches, JumpKind::jump, takes_argument};
#include "frontend/cpython/v3_13/opcodes.def"
#undef DYNACC_NATIVE_OPCODE
  return rows;
}

constexpr BytecodeFormat::Rows kRows = MakeRows();

// Arguments of CALL_INTRINSIC_1 (pycore_intrinsics.h) for which there is an opcode.
constexpr int kIntrinsicUnaryPositive = 5;
constexpr int kIntrinsicListToTuple = 6;

constexpr int kCompareShift = 5;     // COMPARE_OP's operator is above its mask
constexpr int kCompareToBool = 16;   // and this bit says that the result is made a bool
constexpr int kResumePlaceMask = 3;  // RESUME's argument has flags above the place
constexpr int kFormatWithSpec = 4;   // of FORMAT_VALUE's argument

// What a rule says of the instruction at `index`; see BytecodeFormat::Translate.
using Rule = int (*)(const BytecodeFormat& format, const NativeCode& code, int index,
                     Instruction* result);

template <Opcode kOpcode>
int As(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  result->opcode = kOpcode;
  return 1;
}

bool NextIs(const BytecodeFormat& format, const NativeCode& code, int index,
            absl::string_view name) {
  const size_t next = static_cast<size_t>(index) + 1;
  return next < code.instructions.size() && format.Is(code.instructions[next], name);
}

// The instruction and the one after it are one.
int WithNext(const NativeCode& code, int index, Instruction* result) {
  result->offset = code.instructions[index + 1].offset;
  result->next = code.instructions[index + 1].next;
  return 2;
}

// The names of a call's keywords are a constant, which is loaded right before it.
int LoadConst(const BytecodeFormat& format, const NativeCode& code, int index,
              Instruction* result) {
  if (!NextIs(format, code, index, "CALL_KW")) return 1;
  result->opcode = CALL_KW;
  result->keywords = result->arg;
  result->arg = code.instructions[index + 1].arg;
  return WithNext(code, index, result);
}

// The compiler's LOAD_CLOSURE is a LOAD_FAST, too.
int LoadFast(const BytecodeFormat&, const NativeCode& code, int, Instruction* result) {
  result->opcode = code.IsCell(result->arg) ? LOAD_CLOSURE : LOAD_FAST;
  return 1;
}

int LoadAttr(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  result->opcode = (result->arg & 1) != 0 ? LOAD_METHOD : LOAD_ATTR;
  result->arg >>= 1;
  return 1;
}

int CompareOp(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  const int to_bool = (result->arg & kCompareToBool) != 0 ? kComparesToBool : 0;
  result->arg = result->arg >> kCompareShift | to_bool;
  return 1;
}

// !r and the like without a format: the text is what is formatted.
int ConvertValue(const BytecodeFormat& format, const NativeCode& code, int index,
                 Instruction* result) {
  if (!NextIs(format, code, index, "FORMAT_SIMPLE")) return 1;
  result->opcode = FORMAT_VALUE;
  return WithNext(code, index, result);
}

int FormatWithSpec(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  result->opcode = FORMAT_VALUE;
  result->arg = kFormatWithSpec;
  return 1;
}

int CallIntrinsic1(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  if (result->arg == kIntrinsicUnaryPositive) result->opcode = UNARY_POSITIVE;
  if (result->arg == kIntrinsicListToTuple) result->opcode = LIST_TO_TUPLE;
  return 1;
}

int Resume(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  result->arg &= kResumePlaceMask;
  return 1;
}

// CPython drops the iterator itself and jumps past the END_FOR and the POP_TOP at the target, which
// are for generators that it runs in the same loop.
int ForIter(const BytecodeFormat&, const NativeCode& code, int, Instruction* result) {
  const NativeInstruction& end_for = code.At(result->target);
  result->target = code.At(end_for.next).next;
  return 1;
}

// The END_SEND at the target drops the receiver.
int Send(const BytecodeFormat& format, const NativeCode& code, int, Instruction* result) {
  const NativeInstruction& end = code.At(result->target);
  if (format.Is(end, "END_SEND")) result->target = end.next;
  return 1;
}

constexpr struct {
  absl::string_view name;
  Rule rule;
} kRules[] = {
    {"LOAD_CONST", LoadConst},
    {"LOAD_FAST", LoadFast},
    {"LOAD_FAST_CHECK", LoadFast},
    {"LOAD_ATTR", LoadAttr},
    {"COMPARE_OP", CompareOp},
    {"CONVERT_VALUE", ConvertValue},
    {"FORMAT_SIMPLE", As<FORMAT_VALUE>},
    {"FORMAT_WITH_SPEC", FormatWithSpec},
    {"CALL_INTRINSIC_1", CallIntrinsic1},
    {"RESUME", Resume},
    {"FOR_ITER", ForIter},
    {"SEND", Send},
};

int Translate(const BytecodeFormat& format, const NativeCode& code, int index,
              Instruction* result) {
  for (const auto& row : kRules) {
    if (format.Is(code.instructions[index], row.name)) return row.rule(format, code, index, result);
  }
  return 1;
}

}  // namespace

const BytecodeFormat& BytecodeFormat313() {
  static const BytecodeFormat format("3.13", kRows, &Translate,
                                     {.pushes_null_first = false, .jumps_before_polling = false});
  return format;
}

}  // namespace dynacc
