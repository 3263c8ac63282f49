#include "codegen/loops/loop_source.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "codegen/loops/loop_printer.h"

namespace dynacc::loops {

extern const char kLoopPrelude[];  // embedded at build time

std::string PrintLoopSource(const LoopProgram& program) { return LoopPrinter(program).Print(); }

// In the compiler there is no other file to include.
std::string LoopHeader() {
  std::string header;
  for (const absl::string_view line : absl::StrSplit(kLoopPrelude, '\n')) {
    if (absl::StartsWith(line, "#include") || absl::StartsWith(line, "#pragma once")) continue;
    absl::StrAppend(&header, line, "\n");
  }
  return header;
}

}  // namespace dynacc::loops
