#include "runtime/loops/loop_program.h"

#include "absl/strings/str_cat.h"

namespace dynacc::loops {
namespace {

constexpr const char* kNames[] = {
#define DYNACC_LOOP_OP(name, result, left, right, step) #name,
#define DYNACC_LOOP_MEMORY(name, kind, type) "Load" #name, "Store" #name,
#include "runtime/loops/loop_ops.def"
#undef DYNACC_LOOP_OP
#undef DYNACC_LOOP_MEMORY
    "Index", "Dim",  "Slice",  "Item",      "Offset",   "Address",    "Slice1d",   "Call1",
    "Call2", "Jump", "JumpIf", "JumpIfNot", "BackEdge", "RangeStart", "RangeNext", "Exit",
};

}  // namespace

const char* LoopOpName(LoopOpCode code) { return kNames[static_cast<int>(code)]; }

std::string PrintLoop(const LoopProgram& program) {
  std::string text;
  int number = 0;
  for (const LoopOp& op : program.ops) {
    absl::StrAppend(&text, number++, "  ", LoopOpName(op.code), " r", op.d, " = r", op.a, ", r",
                    op.b, ", ", op.k, op.exit >= 0 ? absl::StrCat("  exit ", op.exit) : "", "\n");
  }
  return text;
}

double CallForOne(const kernel::LibraryLoop& loop, double a, double b, bool binary) {
  struct alignas(kernel::kLoopGap) Place {
    double value;
  };
  Place places[3] = {{a}, {b}, {0}};
  Place& result = places[2];
  const intptr_t steps[] = {sizeof(double), sizeof(double), sizeof(double)};
  const intptr_t one = 1;
  char* args[] = {reinterpret_cast<char*>(&places[0]), reinterpret_cast<char*>(&places[1]),
                  reinterpret_cast<char*>(&result)};
  if (!binary) args[1] = args[2];
  loop.fn(args, &one, steps, loop.data);
  return result.value;
}

}  // namespace dynacc::loops
