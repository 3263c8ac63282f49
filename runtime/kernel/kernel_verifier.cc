#include "runtime/kernel/kernel_verifier.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc::kernel {
namespace {

int Arity(Op op) {
  if (op == Op::kWhere) return 3;
  return Info(op).category == OpCategory::kBinary ? 2 : 1;
}

bool BelongsInKernels(Op op) { return IsElementwise(op) || op == Op::kCast || op == Op::kWhere; }

absl::Status Wrong(const Kernel& kernel, int value, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("kernel ", kernel.name, ": v", value, ": ", what));
}

// The dtype that operand `position` of a step must have.
DType OperandDType(const KernelStep& step, int position) {
  return step.op == Op::kWhere && position == 0 ? DType::kBool : step.dtype;
}

absl::Status VerifyOperands(const Kernel& kernel, const KernelStep& step, int value) {
  const int operands[] = {step.a, step.b, step.c};
  for (int i = 0; i < 3; ++i) {
    if (i >= Arity(step.op)) {
      if (operands[i] != -1) return Wrong(kernel, value, "too many operands");
      continue;
    }
    if (operands[i] < 0 || operands[i] >= value) {
      return Wrong(kernel, value, absl::StrCat("operand ", i, " is not an earlier value"));
    }
    if (kernel.DTypeOf(operands[i]) != OperandDType(step, i)) {
      return Wrong(
          kernel, value,
          absl::StrCat("operand ", i, " has dtype ", Info(kernel.DTypeOf(operands[i])).text));
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyResult(const Kernel& kernel, const KernelStep& step, int value) {
  if (step.op == Op::kCast) return absl::OkStatus();
  const DType expected = ResultOf(step.op, step.dtype);
  if (step.result == expected) return absl::OkStatus();
  return Wrong(kernel, value, absl::StrCat("result should be ", Info(expected).text));
}

}  // namespace

absl::Status VerifyKernel(const Kernel& kernel) {
  const int num_inputs = static_cast<int>(kernel.inputs.size());
  int value = num_inputs;
  for (const KernelStep& step : kernel.steps) {
    if (!BelongsInKernels(step.op)) {
      return Wrong(kernel, value, absl::StrCat(Info(step.op).text, " cannot be in a kernel"));
    }
    DYNACC_RETURN_IF_ERROR(VerifyOperands(kernel, step, value));
    DYNACC_RETURN_IF_ERROR(VerifyResult(kernel, step, value));
    ++value;
  }
  for (const int output : kernel.outputs) {
    if (output < num_inputs || output >= value) {
      return Wrong(kernel, output, "an output must be the value of a step");
    }
  }
  return absl::OkStatus();
}

}  // namespace dynacc::kernel
