#include "codegen/emit/emitter.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "codegen/emit/expression.h"
#include "runtime/base/status_macros.h"
#include "runtime/ops/registered_ops.h"

namespace dynacc::emit {

const char* TypeMacro(DType dtype) {
  if (dtype == DType::kFloat16) return "DYNACC_HALF";
  if (dtype == DType::kBFloat16) return "DYNACC_BFLOAT16";
  if (IsLowPrecision(dtype)) return "DYNACC_FLOAT8";
  return IsComplex(dtype) ? "DYNACC_COMPLEX" : "";
}

namespace {

// The printable part of a path, in one line: a file's name is the user's and may hold anything.
std::string Printable(absl::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (!absl::ascii_isprint(c) || c == '\\') c = '?';
  }
  return out;
}

absl::Status CheckOperands(const kernel::Kernel& kernel, int step) {
  const kernel::KernelStep& row = kernel.steps[step];
  const int defined = static_cast<int>(kernel.inputs.size()) + step;
  for (const int value : {row.a, row.b, row.c}) {
    if (value >= defined || value < -1) {
      return absl::InternalError(absl::StrCat("kernel ", kernel.name, ": step ", step, " (",
                                              Info(row.op).text, ") uses v", value));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckKernel(const kernel::Kernel& kernel, const Dialect& dialect) {
  for (int i = 0; i < static_cast<int>(kernel.steps.size()); ++i) {
    DYNACC_RETURN_IF_ERROR(CheckOperands(kernel, i));
    const kernel::KernelStep& step = kernel.steps[i];
    const bool is_expression = !(step.library && dialect.calls_library_loops);
    if (is_expression && Spelling(step, dialect, kernel.fast_math).empty()) {
      if (IsRegistered(step.op)) {
        return absl::UnimplementedError(
            absl::StrCat("the operator ", Info(step.op).text, " has no source for ", dialect.name));
      }
      return absl::InternalError(absl::StrCat("kernel ", kernel.name, ": ", dialect.name,
                                              " has no expression for ", Info(step.op).text));
    }
  }
  const int values = static_cast<int>(kernel.inputs.size() + kernel.steps.size());
  for (const int value : kernel.outputs) {
    if (value < 0 || value >= values) {
      return absl::InternalError(absl::StrCat("kernel ", kernel.name, " has no v", value));
    }
  }
  return absl::OkStatus();
}

// "k0(v0: f64, v1: f64) -> (v3: f64)".
std::string Signature(const kernel::Kernel& kernel) {
  auto name = [&](std::string* out, int value) {
    absl::StrAppend(out, "v", value, ": ", Info(kernel.DTypeOf(value)).text);
  };
  std::vector<int> inputs(kernel.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = static_cast<int>(i);
  return absl::StrCat(kernel.name, "(", absl::StrJoin(inputs, ", ", name), ") -> (",
                      absl::StrJoin(kernel.outputs, ", ", name), ")");
}

absl::string_view Find(absl::Span<const OpSpelling> spellings, Op op) {
  for (const OpSpelling& spelling : spellings) {
    if (spelling.op == op) return spelling.expression;
  }
  return "";
}

// Adds the macros of the parts whose functions the step's expression calls.
void AddPartsFor(const kernel::Kernel& kernel, const kernel::KernelStep& step,
                 const Dialect& dialect, std::set<absl::string_view>& macros) {
  if (step.library && dialect.calls_library_loops) return;
  const absl::string_view expression = Spelling(step, dialect, kernel.fast_math);
  for (const PreamblePart& part : dialect.parts) {
    for (const absl::string_view function : part.functions) {
      if (absl::StrContains(expression, function)) macros.insert(part.macro);
    }
  }
}

// "#define DYNACC_COMPLEX\n" for each of the macros that the kernels ask for.
std::string TypeMacros(absl::Span<const kernel::Kernel> kernels, const Dialect& dialect) {
  std::set<absl::string_view> macros;
  for (const kernel::Kernel& kernel : kernels) {
    const int values = static_cast<int>(kernel.inputs.size() + kernel.steps.size());
    for (int v = 0; v < values; ++v) macros.insert(TypeMacro(kernel.DTypeOf(v)));
  }
  for (const kernel::Kernel& kernel : kernels) {
    for (const kernel::KernelStep& step : kernel.steps) AddPartsFor(kernel, step, dialect, macros);
  }
  macros.erase("");
  std::string out = dialect.width_line(WidestValue(kernels));
  for (absl::string_view macro : macros) absl::StrAppend(&out, "#define ", macro, "\n");
  return out;
}

}  // namespace

int WidestValue(absl::Span<const kernel::Kernel> kernels) {
  int widest = 0;
  for (const kernel::Kernel& kernel : kernels) {
    const int values = static_cast<int>(kernel.inputs.size() + kernel.steps.size());
    for (int v = 0; v < values; ++v) {
      const DType dtype = kernel.DTypeOf(v);
      widest = std::max(widest, ItemSize(IsShortFloat(dtype) ? DType::kFloat32 : dtype));
    }
  }
  return widest;
}

kernel::Kernel WithFastForms(kernel::Kernel kernel, const Dialect& dialect) {
  if (!kernel.fast_math) return kernel;
  for (kernel::KernelStep& step : kernel.steps) {
    const bool is_native = IsFloat(step.dtype) && !IsShortFloat(step.dtype);
    if (is_native && !Find(dialect.fast_spellings, step.op).empty()) step.library = false;
  }
  return kernel;
}

absl::string_view Spelling(const kernel::KernelStep& step, const Dialect& dialect, bool fast_math) {
  absl::string_view expression;
  if (fast_math) expression = Find(dialect.fast_spellings, step.op);
  if (expression.empty()) expression = Find(dialect.spellings, step.op);
  if (!expression.empty()) return expression;
  const OpInfo& info = Info(step.op);
  const bool is_devices = IsRegistered(step.op) && !dialect.calls_library_loops;
  return is_devices && *info.cuda != '\0' ? info.cuda : info.c_expr;
}

std::string StepComment(const kernel::KernelStep& step) {
  std::string comment = absl::StrCat("// ", Info(step.op).text);
  if (*step.file != '\0') {
    absl::StrAppend(&comment, ", ", Printable(step.file), ":", step.line);
  }
  return comment;
}

std::string EmitStep(const kernel::Kernel& kernel, int step, const Dialect& dialect) {
  const kernel::KernelStep& row = kernel.steps[step];
  // Where and Cast are the two ops whose type is not that of their first operand.
  const DType type = row.op == Op::kCast || row.op == Op::kWhere ? row.result : row.dtype;
  const std::string expression = ExpandExpression(
      Spelling(row, dialect, kernel.fast_math),
      {absl::StrCat("v", row.a), absl::StrCat("v", row.b), absl::StrCat("v", row.c)},
      dialect.type_name(type));
  const bool is_mask = Info(row.op).dtype_rule == DTypeRule::kBool && *dialect.make_bool != '\0';
  const std::string value =
      is_mask ? absl::StrCat(dialect.make_bool, "(", expression, ")") : expression;
  return absl::StrCat("const ", dialect.type_name(row.result), " v", kernel.inputs.size() + step,
                      " = ", value, ";  ", StepComment(row));
}

absl::StatusOr<std::string> EmitKernelAs(const kernel::Kernel& kernel, const Dialect& dialect,
                                         absl::FunctionRef<void(std::string& out)> emit) {
  DYNACC_RETURN_IF_ERROR(CheckKernel(kernel, dialect));
  std::string out = absl::StrCat("// ", Signature(kernel), "\n");
  emit(out);
  return out;
}

absl::StatusOr<std::string> EmitKernel(const kernel::Kernel& kernel, const Dialect& dialect) {
  return EmitKernelAs(kernel, dialect,
                      [&](std::string& out) { dialect.emit_function(kernel, dialect, out); });
}

std::string ModuleHead(absl::Span<const kernel::Kernel> kernels, const Dialect& dialect) {
  return absl::StrCat(TypeMacros(kernels, dialect), dialect.preamble);
}

absl::StatusOr<std::string> EmitModule(absl::Span<const kernel::Kernel> kernels,
                                       const Dialect& dialect) {
  std::string out = ModuleHead(kernels, dialect);
  for (const kernel::Kernel& kernel : kernels) {
    DYNACC_ASSIGN_OR_RETURN(const std::string function, EmitKernel(kernel, dialect));
    absl::StrAppend(&out, "\n", function);
  }
  return out;
}

std::string WithoutComments(absl::string_view source) {
  std::string out;
  for (absl::string_view line : absl::StrSplit(source, '\n')) {
    line = absl::StripAsciiWhitespace(line.substr(0, line.find("//")));
    if (!line.empty()) absl::StrAppend(&out, line, "\n");
  }
  return out;
}

}  // namespace dynacc::emit
