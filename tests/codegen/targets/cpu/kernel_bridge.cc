// A C interface to the op table and to one-step kernels of the CPU target, for the Python test
// that compares them with NumPy (numpy_bits_test.py).
#include <cfenv>
#include <cstdio>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "codegen/targets/cpu/cpu_target.h"
#include "runtime/kernel/library_loops.h"

#define BRIDGE_EXPORT extern "C" __attribute__((visibility("default")))

namespace dynacc::cpu {
namespace {

using KernelId = std::tuple<int, int, int>;  // op, operand dtype, result dtype

std::vector<kernel::Kernel> requested;
std::map<KernelId, size_t> index_of;
std::vector<std::shared_ptr<const kernel::CompiledKernel>> compiled;

int NumOperands(Op op) {
  if (op == Op::kWhere) return 3;
  return dynacc::Info(op).category == OpCategory::kBinary ? 2 : 1;
}

kernel::Kernel OneStep(Op op, DType dtype, DType result) {
  kernel::Kernel kernel;
  kernel.name = absl::StrCat("k", requested.size());
  kernel::KernelStep step{op, dtype, result};
  kernel.inputs.assign(NumOperands(op), dtype);
  if (op == Op::kWhere) kernel.inputs[0] = DType::kBool;
  step.a = 0;
  if (NumOperands(op) > 1) step.b = 1;
  if (NumOperands(op) > 2) step.c = 2;
  step.library = !IsEmitted(op, dtype);
  kernel.outputs = {static_cast<int>(kernel.inputs.size())};
  kernel.steps = {step};
  return kernel;
}

}  // namespace
}  // namespace dynacc::cpu

using dynacc::DType;
using dynacc::Op;

BRIDGE_EXPORT int BridgeNumOps() { return dynacc::NumOps(); }
BRIDGE_EXPORT const char* BridgeOpName(int op) { return dynacc::Info(static_cast<Op>(op)).text; }
BRIDGE_EXPORT const char* BridgeOpNumpy(int op) { return dynacc::Info(static_cast<Op>(op)).numpy; }
BRIDGE_EXPORT int BridgeIsElementwise(int op) { return IsElementwise(static_cast<Op>(op)); }
BRIDGE_EXPORT int BridgeNumOperands(int op) {
  return dynacc::cpu::NumOperands(static_cast<Op>(op));
}
BRIDGE_EXPORT int BridgeIsEmitted(int op, int dtype) {
  return dynacc::IsEmitted(static_cast<Op>(op), static_cast<DType>(dtype));
}
BRIDGE_EXPORT int BridgeNumDTypes() { return dynacc::kNumDTypes; }
BRIDGE_EXPORT char BridgeDTypeChar(int dtype) {
  return dynacc::Info(static_cast<DType>(dtype)).numpy;
}

BRIDGE_EXPORT void BridgeRegisterLoop(int op, int dtype, void* function, void* data) {
  dynacc::kernel::RegisterLibraryLoop(
      op, static_cast<DType>(dtype),
      {reinterpret_cast<dynacc::kernel::LibraryLoopFn>(function), data});
}

// Asks for a kernel; BridgeCompile then compiles all that were asked for, as one module.
BRIDGE_EXPORT void BridgeRequest(int op, int dtype, int result) {
  dynacc::cpu::index_of[{op, dtype, result}] = dynacc::cpu::requested.size();
  dynacc::cpu::requested.push_back(dynacc::cpu::OneStep(
      static_cast<Op>(op), static_cast<DType>(dtype), static_cast<DType>(result)));
}

BRIDGE_EXPORT int BridgeCompile() {
  static dynacc::cache::KernelCache cache("");
  auto kernels = dynacc::cpu::MakeCpuTarget(cache)->CompileKernels(dynacc::cpu::requested);
  if (!kernels.ok()) {
    std::fprintf(stderr, "%s\n", kernels.status().ToString().c_str());
    return 0;
  }
  dynacc::cpu::compiled = *std::move(kernels);
  return 1;
}

// Runs a kernel; returns the floating-point flags that it raised: 1 divide, 2 overflow,
// 4 underflow, 8 invalid.
BRIDGE_EXPORT int BridgeRun(int op, int dtype, int result, char* const* pointers,
                            const int64_t* strides, int64_t n) {
  std::feclearexcept(FE_ALL_EXCEPT);
  dynacc::cpu::compiled[dynacc::cpu::index_of.at({op, dtype, result})]->Run(pointers, strides, n);
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);
  return (raised & FE_DIVBYZERO ? 1 : 0) | (raised & FE_OVERFLOW ? 2 : 0) |
         (raised & FE_UNDERFLOW ? 4 : 0) | (raised & FE_INVALID ? 8 : 0);
}
