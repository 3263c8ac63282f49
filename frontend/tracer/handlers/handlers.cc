#include "frontend/tracer/handlers/handlers.h"

#include <opcode.h>

#include "absl/strings/str_cat.h"

namespace dynacc {
namespace {

absl::Status NotTraced(Tracer&, const Instruction& instruction) {
  return GraphBreak(absl::StrCat("opcode ", OpcodeName(instruction.opcode)));
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

}  // namespace dynacc
