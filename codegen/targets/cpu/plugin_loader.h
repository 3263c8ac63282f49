// Opening and calling the compiler plug-in (compiler/compiler_api.h).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace dynacc::cpu {

// Compiles a module that includes the CPU prelude to an ELF object. The first call opens the
// plug-in: beside the file that holds this code (library or executable), in its folder
// `dynacc` (a wheel), in the folder above it, or in `lib` beside that. Thread-safe; compiles run
// side by side. Errors: UNAVAILABLE (no plug-in, one of another version, or one that has run out of
// memory in the middle), RESOURCE_EXHAUSTED (too little memory now), INTERNAL (the source does not
// compile: a bug; the message has the diagnostics).
absl::StatusOr<std::string> CompileObject(absl::string_view name, absl::string_view source);

// The same for the CPU that -march names so, instead of the one that kernels are compiled for here.
absl::StatusOr<std::string> CompileObjectFor(absl::string_view cpu, absl::string_view name,
                                             absl::string_view source);

// The same for code of scalars and control flow, with a header of its own.
absl::StatusOr<std::string> CompileScalarObject(absl::string_view source,
                                                absl::string_view header_name,
                                                absl::string_view header);

// Where the plug-in is, without opening it. UNAVAILABLE, naming the places looked at, if nowhere.
absl::StatusOr<std::string> FindCompilerPlugin();

// The version of LLVM that the plug-in must have been built with; "" without a plug-in in this
// build.
absl::string_view CompilerVersion();

// Whether the plug-in has been opened in this process.
bool IsCompilerLoaded();

}  // namespace dynacc::cpu
