// A graph compiled into a program (runtime/program): its plan, and its kernels' code for several
// levels of CPUs.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/ir/graph.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/program/program_file.h"

namespace dynacc::compile {

struct ExportOptions {
  bool fast_math = false;
  std::vector<std::string> levels;  // of CPUs: "x86-64-v3"
  std::string label;                // as CompileOptions::label
  // Is asked whether functions of our own have the bits of the array library's. Null: they have
  // not.
  executor::LibraryCaller* library = nullptr;
  // The LAPACK that linear algebra calls (cpu::Lapack); empty: there is none.
  std::string lapack_name = {};
  std::vector<std::string> inputs = {};  // the inputs' names, for messages
};

// The contents without the signature and the constants: graph, plan, kernels, code. `graph` must
// verify. UNIMPLEMENTED, with a line for each place in the program, if it needs what only the array
// library can do, or does so with its bits; otherwise CompileGraph's errors, and INVALID_ARGUMENT
// for a level that is none.
absl::StatusOr<program::ProgramContents> ExportGraph(const ir::Graph& graph,
                                                     const ExportOptions& options);

}  // namespace dynacc::compile
