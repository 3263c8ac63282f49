#include "codegen/emit/row_loop.h"

#include <algorithm>
#include <bit>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/emit/emitter.h"
#include "codegen/emit/grid_loop.h"

namespace dynacc::emit {
namespace {

// Bytes of a row that a thread may keep in registers: 32 of those, of 255 that it may have.
constexpr int kRegisterBytes = 128;
constexpr int kMaxElements = 16;  // that a thread has of a row in registers

// Something with an element for each of a row's: an operand that wide stages read, or a wide
// stage's output.
struct RowValue {
  int operand = -1;
  int stage = -1;
  int output = 0;
  DType dtype = DType::kFloat64;
  int first_pass = 0;  // that has it
  int last_pass = 0;   // that needs it
  bool is_kept() const { return last_pass > first_pass; }
};

// Passes over the rows: a stage is in the first pass after those that make the row's numbers which
// it needs, and not before the stages whose elements it reads.
class RowPasses {
 public:
  explicit RowPasses(const RowProgram& program) : program_(program) {
    for (const RowPart& stage : program.stages) {
      int pass = 0;
      for (const RowInput& input : stage.inputs) {
        if (input.stage < 0) continue;
        const bool is_number = !IsWideValue(input.stage);
        pass = std::max(pass, pass_of_[input.stage] + (is_number && stage.is_wide ? 1 : 0));
      }
      pass_of_.push_back(pass);
      count_ = std::max(count_, pass + 1);
    }
    FindValues();
  }

  int count() const { return count_; }
  // Of a narrow stage: the pass after which it is computed.
  int PassOf(int stage) const { return pass_of_[stage]; }
  bool IsWideValue(int stage) const {
    return program_.stages[stage].is_wide && !program_.stages[stage].reduction.has_value();
  }
  // Those that are not read again come first.
  const std::vector<RowValue>& values() const { return values_; }
  const RowValue* FindOperand(int operand) const {
    const auto it =
        absl::c_find_if(values_, [&](const RowValue& v) { return v.operand == operand; });
    return it == values_.end() ? nullptr : &*it;
  }

 private:
  void FindValues() {
    for (int s = 0; s < static_cast<int>(program_.stages.size()); ++s) {
      if (!IsWideValue(s)) continue;
      const kernel::Kernel& kernel = program_.stages[s].kernel;
      for (int k = 0; k < static_cast<int>(kernel.outputs.size()); ++k) {
        RowValue value;
        value.stage = s;
        value.output = k;
        value.dtype = kernel.DTypeOf(kernel.outputs[k]);
        value.first_pass = value.last_pass = pass_of_[s];
        values_.push_back(value);
      }
    }
    for (int s = 0; s < static_cast<int>(program_.stages.size()); ++s) {
      if (program_.stages[s].is_wide) NoteUses(s);
    }
  }

  void NoteUses(int s) {
    for (const RowInput& input : program_.stages[s].inputs) {
      auto it = absl::c_find_if(values_, [&](const RowValue& v) {
        return input.operand >= 0 ? v.operand == input.operand
                                  : v.stage == input.stage && v.output == input.output;
      });
      if (it == values_.end() && input.operand < 0) continue;  // a number
      if (it == values_.end()) {
        RowValue value;
        value.operand = input.operand;
        value.dtype = program_.operands[input.operand];
        value.first_pass = value.last_pass = pass_of_[s];
        it = values_.insert(it, value);
      }
      it->first_pass = std::min(it->first_pass, pass_of_[s]);
      it->last_pass = std::max(it->last_pass, pass_of_[s]);
    }
  }

  const RowProgram& program_;
  std::vector<int> pass_of_;
  std::vector<RowValue> values_;
  int count_ = 0;
};

class RowFunction {
 public:
  RowFunction(const RowProgram& program, const Dialect& dialect, std::string& out)
      : program_(program),
        dialect_(dialect),
        out_(out),
        passes_(program),
        plan_(PlanRows(program)) {}

  void Emit() {
    Line(0, "// ", program_.name, ": ", StageNames(), ", a row at a time");
    Line(0, "template <typename Team>");
    Line(0, "static __device__ __forceinline__ void ", program_.name, "_rows(const ", Operands(),
         "& operands, const Team& team) {");
    Line(1, "for (int64_t row = team.FirstRow(); row < operands.rows; row += team.RowStride()) {");
    Line(2, "const int64_t n = team.Length(operands, row);");
    Line(2, "const auto at = team.Place(operands, row);");
    EmitKept();
    for (int pass = 0; pass < passes_.count(); ++pass) EmitPass(pass);
    Line(1, "}");
    Line(0, "}");
    EmitKernels();
  }

 private:
  template <typename... Parts>
  void Line(int depth, const Parts&... parts) {
    absl::StrAppend(&out_, std::string(2 * depth, ' '), parts..., "\n");
  }
  const RowPart& stage(int s) const { return program_.stages[s]; }
  int num_stages() const { return static_cast<int>(program_.stages.size()); }
  std::string Operands() const {
    return absl::StrCat("RowOperands<", program_.operands.size(), ">");
  }
  const char* Type(DType dtype) const { return dialect_.type_name(dtype); }
  const char* TypeOf(int s, int output) const {
    return Type(stage(s).kernel.DTypeOf(stage(s).kernel.outputs[output]));
  }

  // "g0 reduce_max, g1 exp".
  std::string StageNames() const {
    return absl::StrJoin(program_.stages, ", ", [](std::string* out, const RowPart& stage) {
      const Op op = stage.reduction.value_or(
          stage.kernel.steps.empty() ? Op::kInput : stage.kernel.steps.back().op);
      absl::StrAppend(out, stage.kernel.name, " ", Info(op).text);
    });
  }

  std::string NameOf(const RowValue& value) const {
    return value.operand >= 0 ? absl::StrCat("x", value.operand)
                              : OutputName(value.stage, value.output);
  }
  std::string OutputName(int s, int output) const {
    return absl::StrCat(stage(s).kernel.name, "_y", output);
  }

  void EmitKept() {
    int before = 0;
    for (const RowValue& value : passes_.values()) {
      if (!value.is_kept()) continue;
      Line(2, "typename Team::template Kept<", Type(value.dtype), "> kept_", NameOf(value),
           "(team, n, ", before, ");");
      before += ItemSize(value.dtype);
    }
  }

  void EmitPass(int pass) {
    std::vector<int> wide, narrow;
    for (int s = 0; s < num_stages(); ++s) {
      if (passes_.PassOf(s) == pass) (stage(s).is_wide ? wide : narrow).push_back(s);
    }
    for (const int s : wide) {
      if (stage(s).reduction.has_value()) EmitStart(s);
    }
    if (!wide.empty()) EmitLoop(pass, wide);
    for (const int s : wide) {
      if (stage(s).reduction.has_value()) EmitEnd(s);
    }
    for (const int s : narrow) EmitLowPrecision(s);
  }

  void EmitStart(int s) {
    Line(2, "Accumulator<", TypeOf(s, 0), "> ", stage(s).kernel.name,
         "_all = ", ReductionName(*stage(s).reduction), "::First<Accumulator<", TypeOf(s, 0),
         ">>();");
  }

  void EmitEnd(int s) {
    Line(2, "const ", TypeOf(s, 0), " ", OutputName(s, 0), " = static_cast<", TypeOf(s, 0),
         ">(team.template Reduce<", ReductionName(*stage(s).reduction), ">(", stage(s).kernel.name,
         "_all));");
    EmitStoreNumber(s, 0);
  }

  void EmitStoreNumber(int s, int output) {
    if (stage(s).stores[output] < 0) return;
    Line(2, "if (team.Thread() == 0 && n > 0) operands.StoreNumber(", stage(s).stores[output],
         ", at, ", OutputName(s, output), ");");
  }

  void EmitLowPrecision(int s) {
    const int outputs = static_cast<int>(stage(s).kernel.outputs.size());
    for (int k = 0; k < outputs; ++k) Line(2, TypeOf(s, k), " ", OutputName(s, k), ";");
    std::vector<std::string> arguments;
    for (const RowInput& input : stage(s).inputs) {
      arguments.push_back(input.operand < 0 ? OutputName(input.stage, input.output)
                                            : absl::StrCat("operands.LoadNumber<",
                                                           Type(program_.operands[input.operand]),
                                                           ">(", input.operand, ", at)"));
    }
    for (int k = 0; k < outputs; ++k) arguments.push_back(OutputName(s, k));
    Line(2, stage(s).kernel.name, "_element(", absl::StrJoin(arguments, ", "), ");");
    for (int k = 0; k < outputs; ++k) EmitStoreNumber(s, k);
  }

  void EmitLoop(int pass, const std::vector<int>& wide) {
    Line(0, "#pragma unroll (Team::kChunks)");
    Line(2, "for (int j = 0; j < team.Chunks(n); ++j) {");
    Line(3, "const int64_t i = team.Index(j);");
    for (const RowValue& value : passes_.values()) EmitGet(value, pass, wide);
    for (const int s : wide) {
      if (!stage(s).reduction.has_value()) EmitVectors(s);
    }
    Line(3, "for (int lane = 0; lane < ", plan_.lanes, "; ++lane) {");
    for (const int s : wide) EmitElement(s);
    Line(3, "}");
    for (const RowValue& value : passes_.values()) {
      if (value.stage >= 0 && value.first_pass == pass) EmitPut(value);
    }
    Line(2, "}");
  }

  // What the pass reads of a value that an earlier pass, or memory, has.
  void EmitGet(const RowValue& value, int pass, const std::vector<int>& wide) {
    const bool is_read = absl::c_any_of(wide, [&](int s) {
      return absl::c_any_of(stage(s).inputs, [&](const RowInput& input) {
        return value.operand >= 0 ? input.operand == value.operand
                                  : input.stage == value.stage && input.output == value.output;
      });
    });
    if (!is_read) return;
    const std::string name = NameOf(value);
    const std::string load = absl::StrCat("operands.Load<", Type(value.dtype), ", ", plan_.lanes,
                                          ">(", value.operand, ", at, i, n)");
    if (value.operand >= 0 && value.first_pass == pass) {
      Line(3, "const auto ", name, " = ", load, ";");
      if (value.is_kept()) Line(3, "if (!Team::kReads) kept_", name, ".Put(j, ", name, ");");
    } else if (value.operand >= 0) {
      Line(3, "const auto ", name, " = Team::kReads ? ", load, " : kept_", name, ".Get(j);");
    } else if (value.first_pass < pass) {
      Line(3, "const auto ", name, " = kept_", name, ".Get(j);");
    }
  }

  void EmitVectors(int s) {
    for (size_t k = 0; k < stage(s).kernel.outputs.size(); ++k) {
      Line(3, "Vector<", TypeOf(s, static_cast<int>(k)), ", ", plan_.lanes, "> ",
           OutputName(s, static_cast<int>(k)), ";");
    }
  }

  void EmitElement(int s) {
    const std::string& name = stage(s).kernel.name;
    std::vector<std::string> arguments;
    for (const RowInput& input : stage(s).inputs) {
      if (input.operand >= 0) {
        arguments.push_back(absl::StrCat("x", input.operand, "[lane]"));
      } else {
        arguments.push_back(absl::StrCat(OutputName(input.stage, input.output),
                                         passes_.IsWideValue(input.stage) ? "[lane]" : ""));
      }
    }
    if (!stage(s).reduction.has_value()) {
      for (size_t k = 0; k < stage(s).kernel.outputs.size(); ++k) {
        arguments.push_back(absl::StrCat(OutputName(s, static_cast<int>(k)), "[lane]"));
      }
      return Line(4, name, "_element(", absl::StrJoin(arguments, ", "), ");");
    }
    arguments.push_back(absl::StrCat(name, "_one"));
    Line(4, TypeOf(s, 0), " ", name, "_one;");
    Line(4, name, "_element(", absl::StrJoin(arguments, ", "), ");");
    Line(4, "if (i + lane < n) ", name, "_all = ", ReductionName(*stage(s).reduction), "::Combine(",
         name, "_all, static_cast<Accumulator<", TypeOf(s, 0), ">>(", name, "_one));");
  }

  void EmitPut(const RowValue& value) {
    const std::string name = NameOf(value);
    if (value.is_kept()) Line(3, "kept_", name, ".Put(j, ", name, ");");
    const int operand = stage(value.stage).stores[value.output];
    if (operand >= 0) Line(3, "operands.Store(", operand, ", at, i, n, ", name, ");");
  }

  void EmitKernels() {
    const std::string lanes = absl::StrCat(plan_.lanes);
    const std::string chunks = absl::StrCat(lanes, ", ", plan_.chunks);
    const char* const bounds = "__launch_bounds__(kColumnBlockThreads) ";
    for (const auto& [suffix, team, arguments, attribute] :
         {std::tuple("_warp", "RowInWarp", chunks, ""),
          std::tuple("_block", "RowInRegisters", chunks, ""),
          std::tuple("_shared", "RowInShared", lanes, ""),
          std::tuple("_scratch", "RowInScratch", lanes, ""),
          std::tuple("_columns", "RowsSideBySide", chunks, bounds)}) {
      Line(0, "extern \"C\" __global__ void ", attribute, program_.name, suffix, "(const ",
           Operands(), " operands) {");
      Line(1, program_.name, "_rows(operands, ", team, "<", arguments, ">(operands));");
      Line(0, "}");
    }
  }

  const RowProgram& program_;
  const Dialect& dialect_;
  std::string& out_;
  const RowPasses passes_;
  const RowPlan plan_;
};

}  // namespace

RowPlan PlanRows(const RowProgram& program) {
  const RowPasses passes(program);
  RowPlan plan;
  for (const RowValue& value : passes.values()) {
    if (!value.is_kept()) continue;
    plan.kept_bytes += ItemSize(value.dtype);
    if (value.stage >= 0) plan.scratch_bytes += ItemSize(value.dtype);
  }
  plan.lanes = kMaxElements;
  for (const RowPart& stage : program.stages) {
    if (stage.is_wide) plan.lanes = std::min(plan.lanes, GridLanes(stage.kernel));
  }
  const unsigned each = std::max(plan.kept_bytes, kRegisterBytes / kMaxElements);
  const int elements = static_cast<int>(std::bit_floor(std::max(kRegisterBytes / each, 1u)));
  plan.chunks = std::max(elements / plan.lanes, 1);
  return plan;
}

void EmitRowKernel(const RowProgram& program, const Dialect& dialect, std::string& out) {
  RowFunction(program, dialect, out).Emit();
}

}  // namespace dynacc::emit
