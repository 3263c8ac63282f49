// The table from opcodes to handlers, built from handlers.def.
#pragma once

#include "absl/status/status.h"
#include "frontend/bytecode/decoded_code.h"
#include "frontend/tracer/tracer.h"

namespace dynacc {

using OpcodeHandler = absl::Status (*)(Tracer& tracer, const Instruction& instruction);

// The handler of `opcode`; for opcodes that are not in the table one that breaks the graph.
OpcodeHandler HandlerFor(int opcode);

// Whether handlers.def has the opcode.
bool IsTraced(int opcode);

#define DYNACC_HANDLER(opcode, function) \
  absl::Status function(Tracer& tracer, const Instruction& instruction);
namespace handlers {
#include "frontend/tracer/handlers/handlers.def"
}  // namespace handlers
#undef DYNACC_HANDLER

}  // namespace dynacc
