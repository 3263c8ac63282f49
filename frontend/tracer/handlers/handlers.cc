#include "frontend/tracer/handlers/handlers.h"

#include <opcode.h>

#include <array>

#include "absl/strings/str_cat.h"

namespace dynacc {
namespace {

absl::Status NotTraced(Tracer&, const Instruction& instruction) {
  return GraphBreak(absl::StrCat("opcode ", OpcodeName(instruction.opcode)));
}

constexpr std::array<OpcodeHandler, 256> MakeTable() {
  std::array<OpcodeHandler, 256> table{};
  for (OpcodeHandler& handler : table) handler = NotTraced;
#define DYNACC_HANDLER(opcode, function) table[opcode] = handlers::function;
#include "frontend/tracer/handlers/handlers.def"
#undef DYNACC_HANDLER
  return table;
}

constexpr std::array<OpcodeHandler, 256> kHandlers = MakeTable();

}  // namespace

OpcodeHandler HandlerFor(int opcode) { return kHandlers[opcode]; }

bool IsTraced(int opcode) { return kHandlers[opcode] != NotTraced; }

}  // namespace dynacc
