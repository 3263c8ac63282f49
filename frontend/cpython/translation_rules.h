// Rules of translation that several versions of CPython share (their translation.cc).
//
// A rule says what the instruction at `index` of `code` is in DynaCC's instruction set; see
// BytecodeFormat::Translate. Source of all: Python/bytecodes.c of CPython 3.13 and 3.14.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "frontend/cpython/bytecode_format.h"

namespace dynacc::translation {

using Rule = int (*)(const BytecodeFormat& format, const NativeCode& code, int index,
                     Instruction* result);

struct Row {
  absl::string_view name;  // of CPython's instruction
  Rule rule;
};

// By the row of the instruction's name; what has none keeps its name and its argument.
int TranslateBy(absl::Span<const Row> rows, const BytecodeFormat& format, const NativeCode& code,
                int index, Instruction* result);

// The same instruction by another name.
template <Opcode kOpcode>
int As(const BytecodeFormat&, const NativeCode&, int, Instruction* result) {
  result->opcode = kOpcode;
  return 1;
}

// Whether the instruction `after` that at `index` is `name`.
bool IsFollowedBy(const BytecodeFormat& format, const NativeCode& code, int index, int after,
                  absl::string_view name);

// The instruction at `index` and those after it, `count` in all, are one.
int Join(const NativeCode& code, int index, int count, Instruction* result);

// --- Rules

// The names of a call's keywords are a constant, which is loaded right before it.
int LoadConst(const BytecodeFormat& format, const NativeCode& code, int index, Instruction* result);
// The compiler's LOAD_CLOSURE is a LOAD_FAST, too.
int LoadFast(const BytecodeFormat& format, const NativeCode& code, int index, Instruction* result);
int LoadAttr(const BytecodeFormat& format, const NativeCode& code, int index, Instruction* result);
int CompareOp(const BytecodeFormat& format, const NativeCode& code, int index, Instruction* result);
// !r and the like without a format: the text is what is formatted.
int ConvertValue(const BytecodeFormat& format, const NativeCode& code, int index,
                 Instruction* result);
int FormatWithSpec(const BytecodeFormat& format, const NativeCode& code, int index,
                   Instruction* result);
int CallIntrinsic1(const BytecodeFormat& format, const NativeCode& code, int index,
                   Instruction* result);
int Resume(const BytecodeFormat& format, const NativeCode& code, int index, Instruction* result);
// At the target are an END_FOR and what drops the iterator. DynaCC's instruction drops it itself.
int ForIter(const BytecodeFormat& format, const NativeCode& code, int index, Instruction* result);
// The END_SEND at the target drops the receiver.
int Send(const BytecodeFormat& format, const NativeCode& code, int index, Instruction* result);

}  // namespace dynacc::translation
