#include "codegen/loops/loop_source.h"

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "codegen/loops/loop_printer.h"
#include "codegen/loops/loop_unrolling.h"

namespace dynacc::loops {

extern const char kLoopPrelude[];  // embedded at build time

namespace {

constexpr char kParameters[] =
    "(LoopSlot* __restrict r, const char* __restrict arrays, const uint8_t* poll, const LoopHost* "
    "host, const char* callees, int64_t* rounds_out, int64_t most_rounds) ";

std::string ConditionOf(const std::vector<Assumption>& assumptions) {
  const auto append = [](std::string* text, const Assumption& one) {
    const size_t extent = ArrayOf(one.what) * sizeof(StridedView) + offsetof(StridedView, shape) +
                          AxisOf(one.what) * sizeof(int64_t);
    const std::string what = one.is_extent
                                 ? absl::StrCat("*(const int64_t*)(arrays + ", extent, ")")
                                 : absl::StrCat("r[", one.what, "].i");
    absl::StrAppend(text, what, " == ", one.value);
  };
  return absl::StrJoin(assumptions, " && ", append);
}

// The function that does one where its assumptions hold, and else the other.
std::string PrintBoth(const UnrolledLoop& special, const LoopProgram& usual) {
  const auto print = [](absl::string_view name, const LoopProgram& program) {
    return absl::StrCat("static int ", name, kParameters, LoopPrinter(program).Print());
  };
  const auto call = [](absl::string_view name) {
    return absl::StrCat("return ", name,
                        "(r, arrays, poll, host, callees, rounds_out, most_rounds);\n");
  };
  return absl::StrCat(print("Special", special.program), print("Usual", usual), "extern \"C\" int ",
                      kLoopFunctionName, kParameters, "{\nif (", ConditionOf(special.assumptions),
                      ") ", call("Special"), call("Usual"), "}\n");
}

}  // namespace

std::string PrintLoopSource(const LoopProgram& program, const LoopInputs& inputs) {
  const std::optional<UnrolledLoop> special = Unrolled(program, inputs);
  const std::optional<UnrolledLoop> always = Unrolled(program, {});
  const LoopProgram& usual = always ? always->program : program;
  const std::string text = special && !special->assumptions.empty()
                               ? PrintBoth(*special, usual)
                               : absl::StrCat("extern \"C\" int ", kLoopFunctionName, kParameters,
                                              LoopPrinter(usual).Print());
  return absl::StrCat("#include \"", kLoopHeaderName,
                      "\"\nusing namespace dynacc::loops;\nusing namespace "
                      "dynacc::loops::loop_math;\n",
                      text);
}

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
