// The table from opcodes to handlers, built from handlers.def.
#pragma once

#include "absl/status/status.h"
#include "frontend/bytecode/decoded_code.h"
#include "frontend/tracer/tracer.h"

namespace dynacc::tracer {

// By opcode; for those that handlers.def does not have, one that breaks the graph.
extern const OpcodeHandlers kOpcodeHandlers;

#define DYNACC_HANDLER(opcode, function) \
  absl::Status function(Tracer& tracer, const bytecode::Instruction& instruction);
namespace handlers {
#include "frontend/tracer/handlers/handlers.def"
}  // namespace handlers
#undef DYNACC_HANDLER

}  // namespace dynacc::tracer
