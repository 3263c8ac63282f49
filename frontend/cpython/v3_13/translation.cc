// CPython 3.13's instructions in terms of DynaCC's. Source: Python/bytecodes.c.
#include "frontend/cpython/bytecode_format.h"
#include "frontend/cpython/translation_rules.h"

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

constexpr translation::Row kRules[] = {
    {"LOAD_CONST", translation::LoadConst},
    {"LOAD_ASSERTION_ERROR", translation::As<LOAD_COMMON_CONSTANT>},
    {"LOAD_FAST", translation::LoadFast},
    {"LOAD_FAST_CHECK", translation::LoadFast},
    {"LOAD_ATTR", translation::LoadAttr},
    {"COMPARE_OP", translation::CompareOp},
    {"CONVERT_VALUE", translation::ConvertValue},
    {"FORMAT_SIMPLE", translation::As<FORMAT_VALUE>},
    {"FORMAT_WITH_SPEC", translation::FormatWithSpec},
    {"CALL_INTRINSIC_1", translation::CallIntrinsic1},
    {"RESUME", translation::Resume},
    {"FOR_ITER", translation::ForIter},
    {"SEND", translation::Send},
};

int Translate(const BytecodeFormat& format, const NativeCode& code, int index,
              Instruction* result) {
  return translation::TranslateBy(kRules, format, code, index, result);
}

}  // namespace

const BytecodeFormat& BytecodeFormat313() {
  static const BytecodeFormat format("3.13", kRows, &Translate,
                                     {.pushes_null_first = false, .jumps_before_polling = false});
  return format;
}

}  // namespace dynacc
