// CPython 3.14's instructions in terms of DynaCC's. Source: Python/bytecodes.c.
#include <iterator>

#include "frontend/cpython/bytecode_format.h"
#include "frontend/cpython/translation_rules.h"

namespace dynacc {
namespace {

constexpr BytecodeFormat::Rows MakeRows() {
  BytecodeFormat::Rows rows = {};
#define DYNACC_NATIVE_OPCODE(name, number, caches, jump, takes_argument) \
  rows[number] = {#name, caches, JumpKind::jump, takes_argument};
#include "frontend/cpython/v3_14/opcodes.def"
#undef DYNACC_NATIVE_OPCODE
  return rows;
}

constexpr BytecodeFormat::Rows kRows = MakeRows();

constexpr int kSubscript = 26;  // BINARY_OP's NB_SUBSCR

// Arguments of LOAD_SPECIAL (pycore_ceval.h).
constexpr int kEnter = 0;
constexpr int kExit = 1;
constexpr int kAsyncEnter = 2;
constexpr int kAsyncExit = 3;

// How a `with` begins: its context manager is on top of the stack. Between these a frame stands
// only while a method of the manager runs, and then not where DynaCC would go on with it.
constexpr struct {
  absl::string_view name;
  int arg, async_arg;
} kEnterWith[] = {{"COPY", 1, 1}, {"LOAD_SPECIAL", kExit, kAsyncExit},   {"SWAP", 2, 2},
                  {"SWAP", 3, 3}, {"LOAD_SPECIAL", kEnter, kAsyncEnter}, {"CALL", 0, 0}};
constexpr int kEnterWithCount = std::size(kEnterWith);

int Copy(const BytecodeFormat& format, const NativeCode& code, int index, Instruction* result) {
  bool is_with = true, is_async = true;
  for (int i = 0; i < kEnterWithCount && (is_with || is_async); ++i) {
    const bool same = translation::IsFollowedBy(format, code, index, i, kEnterWith[i].name);
    const int arg = same ? code.instructions[index + i].arg : -1;
    is_with = is_with && arg == kEnterWith[i].arg;
    is_async = is_async && arg == kEnterWith[i].async_arg;
  }
  if (!is_with && !is_async) return 1;
  result->opcode = is_with ? BEFORE_WITH : BEFORE_ASYNC_WITH;
  result->arg = kExitHasReceiver;
  return translation::Join(code, index, kEnterWithCount, result);
}

int WithExceptStart(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  result->arg = kExitHasReceiver;
  return 1;
}

// Keywords always have a place, which may hold a null.
int PushNull(const BytecodeFormat& format, const NativeCode& code, int index, Instruction* result) {
  if (!translation::IsFollowedBy(format, code, index, 1, "CALL_FUNCTION_EX")) return 1;
  result->opcode = CALL_FUNCTION_EX;
  result->arg = 0;
  return translation::Join(code, index, 2, result);
}

int CallFunctionEx(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  result->arg = 1;
  return 1;
}

int BinaryOp(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  if (result->arg != kSubscript) return 1;
  result->opcode = BINARY_SUBSCR;
  result->arg = 0;
  return 1;
}

// The argument says where the loop's SEND ends, for monitoring tools. It does not jump there.
int EndAsyncFor(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  result->arg = 0;
  result->target = -1;
  return 1;
}

int LoadFastBorrow(const BytecodeFormat& format, const NativeCode& code, int index,
                   Instruction* result) {
  result->borrows = true;
  return translation::LoadFast(format, code, index, result);
}

int LoadTwoFastBorrow(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  result->opcode = LOAD_FAST_LOAD_FAST;
  result->borrows = true;
  return 1;
}

constexpr translation::Row kRules[] = {
    {"LOAD_CONST", translation::LoadConst},
    {"LOAD_FAST", translation::LoadFast},
    {"LOAD_FAST_BORROW", LoadFastBorrow},
    {"LOAD_FAST_CHECK", translation::LoadFast},
    {"LOAD_FAST_BORROW_LOAD_FAST_BORROW", LoadTwoFastBorrow},
    {"LOAD_ATTR", translation::LoadAttr},
    {"BINARY_OP", BinaryOp},
    {"COMPARE_OP", translation::CompareOp},
    {"CONVERT_VALUE", translation::ConvertValue},
    {"FORMAT_SIMPLE", translation::As<FORMAT_VALUE>},
    {"FORMAT_WITH_SPEC", translation::FormatWithSpec},
    {"CALL_INTRINSIC_1", translation::CallIntrinsic1},
    {"PUSH_NULL", PushNull},
    {"CALL_FUNCTION_EX", CallFunctionEx},
    {"COPY", Copy},
    {"WITH_EXCEPT_START", WithExceptStart},
    {"NOT_TAKEN", translation::As<NOP>},
    {"POP_ITER", translation::As<POP_TOP>},
    {"RESUME", translation::Resume},
    {"FOR_ITER", translation::ForIter},
    {"SEND", translation::Send},
    {"END_ASYNC_FOR", EndAsyncFor},
};

int Translate(const BytecodeFormat& format, const NativeCode& code, int index,
              Instruction* result) {
  return translation::TranslateBy(kRules, format, code, index, result);
}

}  // namespace

const BytecodeFormat& BytecodeFormat314() {
  static const BytecodeFormat format("3.14", kRows, &Translate,
                                     {.pushes_null_first = false, .jumps_before_polling = false});
  return format;
}

}  // namespace dynacc
