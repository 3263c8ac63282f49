#include "runtime/kernel/kernel_text.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "runtime/base/status_macros.h"
#include "runtime/kernel/kernel_verifier.h"

namespace dynacc::kernel {
namespace {

std::string ValueText(int value) { return absl::StrCat("v", value); }

std::string TypedText(const Kernel& kernel, int value) {
  return absl::StrCat("v", value, ": ", Info(kernel.DTypeOf(value)).text);
}

std::string StepText(const Kernel& kernel, int index) {
  const KernelStep& step = kernel.steps[index];
  std::vector<std::string> operands;
  for (const int operand : {step.a, step.b, step.c}) {
    if (operand >= 0) operands.push_back(ValueText(operand));
  }
  const int value = static_cast<int>(kernel.inputs.size()) + index;
  std::string text = absl::StrCat("  ", TypedText(kernel, value), " = ", Info(step.op).text, "(",
                                  absl::StrJoin(operands, ", "), ")");
  if (step.library) absl::StrAppend(&text, " library");
  if (step.form != 0) absl::StrAppend(&text, " form ", step.form);
  return absl::StrCat(text, "\n");
}

// Takes what comes before `separator` off the front of `text`; false if it is not there.
bool TakeUntil(absl::string_view separator, absl::string_view& text, absl::string_view& taken) {
  const size_t at = text.find(separator);
  if (at == absl::string_view::npos) return false;
  taken = text.substr(0, at);
  text.remove_prefix(at + separator.size());
  return true;
}

bool ParseValue(absl::string_view text, int& value) {
  return absl::ConsumePrefix(&text, "v") && absl::SimpleAtoi(text, &value);
}

// "v0, v1"
bool ParseValues(absl::string_view text, std::vector<int>& values) {
  for (absl::string_view word : absl::StrSplit(text, ", ", absl::SkipEmpty())) {
    if (!ParseValue(word, values.emplace_back())) return false;
  }
  return true;
}

// "v0: f64"
bool ParseTyped(absl::string_view text, int expected_value, DType& dtype) {
  absl::string_view value_text;
  int value;
  if (!TakeUntil(": ", text, value_text) || !ParseValue(value_text, value)) return false;
  const auto parsed = ParseDType(text);
  if (value != expected_value || !parsed.has_value()) return false;
  dtype = *parsed;
  return true;
}

std::string TuningText(const Kernel& kernel) {
  return absl::StrCat(kernel.tile > 0 ? absl::StrCat(" tile ", kernel.tile) : "",
                      kernel.unroll > 0 ? absl::StrCat(" unroll ", kernel.unroll) : "");
}

// Takes " tile 256 unroll 4", or a part of it, off the end.
void ParseTuning(absl::string_view& line, Kernel& kernel) {
  for (const auto& [name, value] :
       {std::pair(" unroll ", &kernel.unroll), {" tile ", &kernel.tile}}) {
    const size_t at = line.rfind(name);
    if (at == absl::string_view::npos) continue;
    if (absl::SimpleAtoi(line.substr(at + std::strlen(name)), value)) line = line.substr(0, at);
  }
}

bool ParseHeader(absl::string_view line, Kernel& kernel) {
  absl::string_view name, inputs;
  ParseTuning(line, kernel);
  kernel.folds = absl::ConsumeSuffix(&line, " folds");
  kernel.non_temporal = absl::ConsumeSuffix(&line, " non_temporal");
  if (!absl::ConsumePrefix(&line, "kernel ") || !TakeUntil("(", line, name) ||
      !TakeUntil(") -> (", line, inputs) || !absl::ConsumeSuffix(&line, ")")) {
    return false;
  }
  kernel.name = std::string(name);
  int value = 0;
  for (absl::string_view input : absl::StrSplit(inputs, ", ", absl::SkipEmpty())) {
    if (!ParseTyped(input, value++, kernel.inputs.emplace_back())) return false;
  }
  return ParseValues(line, kernel.outputs);
}

bool ParseStep(absl::string_view line, Kernel& kernel) {
  KernelStep step;
  absl::string_view defined, op_text, operands_text;
  const int value = kernel.num_operands() - static_cast<int>(kernel.outputs.size()) +
                    static_cast<int>(kernel.steps.size());
  if (!absl::ConsumePrefix(&line, "  ") || !TakeUntil(" = ", line, defined) ||
      !ParseTyped(defined, value, step.result) || !TakeUntil("(", line, op_text) ||
      !TakeUntil(")", line, operands_text)) {
    return false;
  }
  const auto op = ParseOp(op_text);
  std::vector<int> operands;
  if (!op.has_value() || !ParseValues(operands_text, operands)) return false;
  if (operands.empty() || operands.size() > 3) return false;
  operands.resize(3, -1);
  step.op = *op;
  step.a = operands[0];
  step.b = operands[1];
  step.c = operands[2];
  step.library = absl::ConsumePrefix(&line, " library");
  if (step.library && absl::ConsumePrefix(&line, " form ")) {
    if (!absl::SimpleAtoi(line, &step.form) || step.form < 1) return false;
    line = "";
  }
  const int typed = step.op == Op::kWhere ? step.b : step.a;
  if (typed < 0 || typed >= value || !line.empty()) return false;
  step.dtype = kernel.DTypeOf(typed);
  kernel.steps.push_back(step);
  return true;
}

}  // namespace

std::string KernelText(const Kernel& kernel) {
  std::vector<std::string> inputs;
  for (size_t i = 0; i < kernel.inputs.size(); ++i) {
    inputs.push_back(TypedText(kernel, static_cast<int>(i)));
  }
  std::vector<std::string> outputs;
  for (const int output : kernel.outputs) outputs.push_back(ValueText(output));
  std::string text =
      absl::StrCat("kernel ", kernel.name, "(", absl::StrJoin(inputs, ", "), ") -> (",
                   absl::StrJoin(outputs, ", "), ")", kernel.non_temporal ? " non_temporal" : "",
                   kernel.folds ? " folds" : "", TuningText(kernel), "\n");
  for (size_t i = 0; i < kernel.steps.size(); ++i) {
    absl::StrAppend(&text, StepText(kernel, static_cast<int>(i)));
  }
  return text;
}

absl::StatusOr<Kernel> ParseKernel(absl::string_view text) {
  Kernel kernel;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    const bool ok = number++ == 0 ? ParseHeader(line, kernel) : ParseStep(line, kernel);
    if (!ok) {
      return absl::InvalidArgumentError(absl::StrCat("kernel text, line ", number, ": ", line));
    }
  }
  DYNACC_RETURN_IF_ERROR(VerifyKernel(kernel));
  return kernel;
}

}  // namespace dynacc::kernel
