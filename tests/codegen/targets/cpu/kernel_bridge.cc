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

namespace dynacc {
namespace {

using KernelId = std::tuple<int, int, int>;  // op, operand dtype, result dtype

std::vector<Kernel> requested;
std::map<KernelId, size_t> index_of;
std::vector<std::shared_ptr<const CompiledKernel>> compiled;

int NumOperands(Op op) {
  if (op == Op::kWhere) return 3;
  return Info(op).category == OpCategory::kBinary ? 2 : 1;
}

Kernel OneStep(Op op, DType dtype, DType result) {
  Kernel kernel;
  kernel.name = absl::StrCat("k", requested.size());
  KernelStep step{op, dtype, result};
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
}  // namespace dynacc

using dynacc::DType;
using dynacc::Op;

BRIDGE_EXPORT int BridgeNumOps() { return dynacc::NumOps(); }
BRIDGE_EXPORT const char* BridgeOpName(int op) { return Info(static_cast<Op>(op)).text; }
BRIDGE_EXPORT const char* BridgeOpNumpy(int op) { return Info(static_cast<Op>(op)).numpy; }
BRIDGE_EXPORT int BridgeIsElementwise(int op) { return IsElementwise(static_cast<Op>(op)); }
BRIDGE_EXPORT int BridgeNumOperands(int op) { return dynacc::NumOperands(static_cast<Op>(op)); }
BRIDGE_EXPORT int BridgeIsEmitted(int op, int dtype) {
  return dynacc::IsEmitted(static_cast<Op>(op), static_cast<DType>(dtype));
}
BRIDGE_EXPORT int BridgeNumDTypes() { return dynacc::kNumDTypes; }
BRIDGE_EXPORT char BridgeDTypeChar(int dtype) { return Info(static_cast<DType>(dtype)).numpy; }

BRIDGE_EXPORT void BridgeRegisterLoop(int op, int dtype, void* function, void* data) {
  dynacc::RegisterLibraryLoop(op, static_cast<DType>(dtype),
                              {reinterpret_cast<dynacc::LibraryLoopFn>(function), data});
}

// Asks for a kernel; BridgeCompile then compiles all that were asked for, as one module.
BRIDGE_EXPORT void BridgeRequest(int op, int dtype, int result) {
  dynacc::index_of[{op, dtype, result}] = dynacc::requested.size();
  dynacc::requested.push_back(
      dynacc::OneStep(static_cast<Op>(op), static_cast<DType>(dtype), static_cast<DType>(result)));
}

BRIDGE_EXPORT int BridgeCompile() {
  static dynacc::KernelCache cache("");
  auto kernels = dynacc::MakeCpuTarget(cache)->CompileKernels(dynacc::requested);
  if (!kernels.ok()) {
    std::fprintf(stderr, "%s\n", kernels.status().ToString().c_str());
    return 0;
  }
  dynacc::compiled = *std::move(kernels);
  return 1;
}

// Runs a kernel; returns the floating-point flags that it raised: 1 divide, 2 overflow,
// 4 underflow, 8 invalid.
BRIDGE_EXPORT int BridgeRun(int op, int dtype, int result, char* const* pointers,
                            const int64_t* strides, int64_t n) {
  std::feclearexcept(FE_ALL_EXCEPT);
  dynacc::compiled[dynacc::index_of.at({op, dtype, result})]->Run(pointers, strides, n);
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);
  return (raised & FE_DIVBYZERO ? 1 : 0) | (raised & FE_OVERFLOW ? 2 : 0) |
         (raised & FE_UNDERFLOW ? 4 : 0) | (raised & FE_INVALID ? 8 : 0);
}
