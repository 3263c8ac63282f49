// CUDA C++ to machine code for a GPU, by NVRTC, which is opened at run time. Needs no GPU.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace dynacc::cuda {

struct NvrtcOptions {
  int architecture = 90;   // compute capability, major * 10 + minor
  bool fast_math = false;  // contraction and the hardware's approximate functions
  // Whether it compiles at all: PTX, with nothing optimised, in a tenth of the time. For tests.
  bool only_check = false;
};

// OK if NVRTC can be opened in this process; UNAVAILABLE, with the reason, if not.
absl::Status NvrtcStatus();

// "13.0": of the NVRTC that is in use.
absl::StatusOr<std::string> NvrtcVersion();

// Compiles a module emitted in the CUDA dialect to a cubin (an ELF file for the architecture), or,
// for an architecture that this NVRTC does not know, to PTX for the latest before it that it does
// know; the driver compiles that when it is loaded. Errors: UNAVAILABLE (no NVRTC), INTERNAL (does
// not compile; with NVRTC's log). Thread-safe.
absl::StatusOr<std::string> CompileCubin(const std::string& name, const std::string& source,
                                         const NvrtcOptions& options);

}  // namespace dynacc::cuda
