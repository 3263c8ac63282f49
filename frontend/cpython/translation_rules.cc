#include "frontend/cpython/translation_rules.h"

namespace dynacc::translation {
namespace {

// Arguments of CALL_INTRINSIC_1 (pycore_intrinsics.h) for which there is an opcode.
constexpr int kIntrinsicUnaryPositive = 5;
constexpr int kIntrinsicListToTuple = 6;

constexpr int kCompareShift = 5;     // COMPARE_OP's operator is above its mask
constexpr int kCompareToBool = 16;   // and this bit says that the result is made a bool
constexpr int kResumePlaceMask = 3;  // RESUME's argument has flags above the place
constexpr int kFormatWithSpec = 4;   // of FORMAT_VALUE's argument

}  // namespace

int TranslateBy(absl::Span<const Row> rows, const BytecodeFormat& format, const NativeCode& code,
                int index, Instruction* result) {
  for (const Row& row : rows) {
    if (format.Is(code.instructions[index], row.name)) return row.rule(format, code, index, result);
  }
  return 1;
}

bool IsFollowedBy(const BytecodeFormat& format, const NativeCode& code, int index, int after,
                  absl::string_view name) {
  const size_t place = static_cast<size_t>(index) + after;
  return place < code.instructions.size() && format.Is(code.instructions[place], name);
}

int Join(const NativeCode& code, int index, int count, Instruction* result) {
  const NativeInstruction& last = code.instructions[index + count - 1];
  result->offset = last.offset;
  result->next = last.next;
  return count;
}

int LoadConst(const BytecodeFormat& format, const NativeCode& code, int index,
              Instruction* result) {
  if (!IsFollowedBy(format, code, index, 1, "CALL_KW")) return 1;
  result->opcode = CALL_KW;
  result->keywords = result->arg;
  result->arg = code.instructions[index + 1].arg;
  return Join(code, index, 2, result);
}

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

int ConvertValue(const BytecodeFormat& format, const NativeCode& code, int index,
                 Instruction* result) {
  if (!IsFollowedBy(format, code, index, 1, "FORMAT_SIMPLE")) return 1;
  result->opcode = FORMAT_VALUE;
  return Join(code, index, 2, result);
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

int ForIter(const BytecodeFormat&, const NativeCode& code, int, Instruction* result) {
  const NativeInstruction& end_for = code.At(result->target);
  result->target = code.At(end_for.next).next;
  return 1;
}

int Send(const BytecodeFormat& format, const NativeCode& code, int, Instruction* result) {
  const NativeInstruction& end = code.At(result->target);
  if (format.Is(end, "END_SEND")) result->target = end.next;
  return 1;
}

}  // namespace dynacc::translation
