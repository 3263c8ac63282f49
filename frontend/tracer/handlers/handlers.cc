#include "frontend/tracer/handlers/handlers.h"

#include "absl/strings/str_cat.h"
#include "frontend/cpython/opcodes.h"

namespace dynacc::tracer {
namespace {

absl::Status NotTraced(Tracer&, const bytecode::Instruction& instruction) {
  return symbolic::GraphBreak(absl::StrCat("opcode ", bytecode::OpcodeName(instruction.opcode)));
}

constexpr OpcodeHandlers MakeTable() {
  OpcodeHandlers table{};
  for (OpcodeHandler& handler : table) handler = NotTraced;
#define DYNACC_HANDLER(opcode, function) table[opcode] = handlers::function;
#include "frontend/tracer/handlers/handlers.def"
#undef DYNACC_HANDLER
  return table;
}

}  // namespace

constexpr OpcodeHandlers kOpcodeHandlers = MakeTable();

}  // namespace dynacc::tracer
