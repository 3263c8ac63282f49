#include "frontend/fallback/step_interpreter.h"

#include <array>

#include "frontend/cpython/thread_end.h"
#include "frontend/fallback/step.h"

namespace dynacc::fallback {
namespace {

using StepTable = std::array<StepFunction, 256>;

StepTable BuildTable() {
  StepTable table{};
  for (absl::Span<const StepRow> family :
       {StackSteps(), VariableSteps(), AttributeSteps(), OperatorSteps(), ContainerSteps(),
        UnpackingSteps(), StringSteps(), JumpSteps(), CallSteps(), DefinitionSteps(), ImportSteps(),
        ExceptionSteps()})
    for (const StepRow& row : family) table[row.opcode] = row.function;
  return table;
}

const StepTable& Table() {
  static const StepTable table = BuildTable();
  return table;
}

}  // namespace

StepOutcome StepInstruction(frame::FrameView& frame, const bytecode::DecodedCode& code, int offset,
                            int* next, Ref* result) {
  const bytecode::Instruction& at = code.At(offset);
  const StepFunction function = Table()[at.opcode];
  if (function == nullptr) return StepOutcome::kUnhandled;
  frame.SetPosition(at.offset);
  Step step{frame, code, at, at.next, result};
  const StepOutcome outcome = UpToThreadEnd([&] { return function(step); });
  *next = step.next;
  return outcome;
}

bool CanStep(int opcode) { return Table()[opcode & 255] != nullptr; }

}  // namespace dynacc::fallback
