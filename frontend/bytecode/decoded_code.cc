#include "frontend/bytecode/decoded_code.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "frontend/bytecode/code_tables.h"
#include "frontend/bytecode/dataflow.h"
#include "frontend/cpython/opcodes.h"
#include "runtime/base/check.h"

namespace dynacc::bytecode {
namespace {

// CPython wraps the body of each generator in a handler that turns a StopIteration into an error.
// It is none of the program's.
constexpr int kStopIterationError = 3;  // CALL_INTRINSIC_1's argument

template <typename T>
absl::Span<const T> BytesOf(BorrowedRef bytes) {
  return {reinterpret_cast<const T*>(PyBytes_AS_STRING(bytes)),
          static_cast<size_t>(PyBytes_GET_SIZE(bytes))};
}

}  // namespace

std::shared_ptr<const DecodedCode> DecodedCode::Decode(PyCodeObject* code) {
  auto decoded = std::make_shared<DecodedCode>();
  decoded->code_ = code;
  Ref bytecode = Ref::Steal(PyCode_GetCode(code));
  DYNACC_CHECK(bytecode) << "no memory for a code object's bytecode";
  decoded->DecodeInstructions(bytecode.get());
  decoded->DecodeLines();
  decoded->DecodeHandlers();
  decoded->has_loop_ = absl::c_any_of(decoded->instructions_, [](const Instruction& instruction) {
    return instruction.target >= 0 && instruction.target <= instruction.start;
  });
  decoded->depth_ = ComputeStackDepths(*decoded);
  decoded->live_ = ComputeLiveLocals(*decoded);
  return decoded;
}

void DecodedCode::DecodeInstructions(BorrowedRef bytecode) {
  const BytecodeFormat& format = RunningBytecodeFormat();
  const NativeCode native =
      format.Read(BytesOf<uint8_t>(bytecode), BytesOf<char>(code_->co_localspluskinds));
  instructions_ = format.Decode(native);
  index_at_.resize(native.index_at.size());
  for (size_t i = 0; i < instructions_.size(); ++i) {
    const auto end = std::min<size_t>(instructions_[i].next, index_at_.size());
    for (size_t unit = instructions_[i].start; unit < end; ++unit)
      index_at_[unit] = static_cast<int>(i);
  }
}

void DecodedCode::DecodeLines() {
  const std::vector<int> lines =
      DecodeLineTable(code_->co_linetable, code_->co_firstlineno, index_at_.size());
  for (Instruction& instruction : instructions_) instruction.line = lines[instruction.offset];
}

void DecodedCode::DecodeHandlers() { handlers_ = DecodeExceptionTable(code_->co_exceptiontable); }

bool DecodedCode::InHandlerRange(int offset) const {
  for (const HandlerRange& range : handlers_) {
    const Instruction& handler = At(range.target);
    const bool own = handler.opcode != CALL_INTRINSIC_1 || handler.arg != kStopIterationError;
    if (own && offset >= range.start && offset < range.end) return true;
  }
  return false;
}

bool DecodedCode::CallsBetween(int start, int end) const {
  for (const Instruction& at : instructions_) {
    if (OpcodeHas(at.opcode, kCalls) && at.start >= start && at.start < end) return true;
  }
  return false;
}

}  // namespace dynacc::bytecode
