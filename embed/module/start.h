// What every process that hosts DynaCC does once the interpreter runs.
#pragma once

#include "absl/status/status.h"
#include "frontend/capture/capture.h"

namespace dynacc {

// What the host of the interpreter promises.
struct HostDuties {
  bool stops = false;              // it calls StopCapture before the interpreter is finalised
  bool main_body_is_next = false;  // it starts us before the main module's body is entered
};

// Obeys the environment options: prints a warning line for each value that is wrong, sets up logs,
// starts capture with DYNACC_POLICY (else `default_policy`) unless DYNACC_DISABLE=1, and arranges
// that capture stops when the interpreter finalises and DYNACC_STATS is written. The first call
// does all that; later ones do nothing until EndInProcess. FailedPrecondition, each time, without
// capture, if the interpreter's structs are not those that DynaCC was compiled with. Needs the GIL.
absl::Status StartFromEnvironment(capture::Policy default_policy, HostDuties host = {});

// Ends what StartFromEnvironment began, in a process whose interpreter lives on: stops capture and
// writes DYNACC_STATS. StartFromEnvironment may then be called again. Needs the GIL.
void EndInProcess();

}  // namespace dynacc
