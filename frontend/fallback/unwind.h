// Unwinding: from an exception that a step raised to the handler of the same frame.
#pragma once

#include "frontend/bytecode/decoded_code.h"
#include "frontend/fallback/step_interpreter.h"
#include "frontend/frame/frame_view.h"

namespace dynacc::fallback {

// Does with the exception that is set what CPython's loop does when `unit`, the unit of an opcode,
// raises it: the frame joins the traceback (but not if it was raised again: kReraised), and if the
// code has a handler there, the stack is cut to the handler's depth and gets the exception, and
// `*next` is the handler. False if there is none: the exception leaves the frame. The frame is
// linked and stands where the exception was raised. Tools that trace get no event of it.
bool UnwindToHandler(frame::FrameView& frame, const bytecode::DecodedCode& code, int unit,
                     StepOutcome raised, int* next);

// The same for an exception that the poll of a jump back to `target` raised
// (StepOutcome::kInterrupted); the frame stands at the jump. Where CPython has jumped by then
// (jumps_before_polling) it looks for the handler at the unit before `target`, so that
// `try: while True: ...` does not catch it. The frame is in the traceback, also where there is no
// handler: then the exception leaves the frame.
bool UnwindFromJump(frame::FrameView& frame, const bytecode::DecodedCode& code, int target,
                    int* next);

}  // namespace dynacc::fallback
