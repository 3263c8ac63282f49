#include "codegen/emit/tiled_loop.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "runtime/cpu/tiles/tile_plan.h"

namespace dynacc::emit {
namespace {

// Names in the emitted source: x<k> input k's tile; y<k> output k's tile; t<v> the tile of value v,
// b<v> its buffer.
class TiledFunction {
 public:
  TiledFunction(const kernel::Kernel& kernel, const Dialect& dialect, std::string& out)
      : kernel_(kernel),
        dialect_(dialect),
        plan_(cpu::MakeTilePlan(kernel)),
        out_(out),
        num_inputs_(static_cast<int>(kernel.inputs.size())) {
    for (const kernel::KernelStep& step : kernel.steps) {
      loop_index_.push_back(num_loops_);
      num_loops_ += step.library;
    }
  }

  void Emit() {
    absl::StrAppend(&out_, "extern \"C\" void ", kernel_.name,
                    "(const Tile* tiles, int64_t count, const DynaccLoop* loops) {\n");
    if (kernel_.fast_math) Line(1, dialect_.fast_math_pragma);
    EmitInputs();
    EmitOutputs();
    EmitBuffers();
    for (size_t i = 0; i < plan_.phases.size(); ++i) EmitPhase(static_cast<int>(i));
    absl::StrAppend(&out_, "}\n");
  }

  // The eights that are left over after a block's full vectors are the second half of the vector
  // that ends with them, so that nothing after the block is read. A sum starts with -0, which
  // leaves all numbers as they are, an integer's with 0.
  void EmitFold() {
    const int result = kernel_.outputs[0];
    const std::string eight = absl::StrCat("Eight<", Type(result), ">");
    absl::StrAppend(&out_, "extern \"C\" void ", kernel_.name,
                    "_fold(const Tile* tiles, const FoldBlock* blocks, int64_t count, "
                    "char* sums) {\n");
    if (kernel_.fast_math) Line(1, dialect_.fast_math_pragma);
    EmitInputs();
    Line(1, "for (int64_t k = 0; k < count; ++k) {");
    Line(2, "const int64_t last = blocks[k].end - kLanes;");
    const char* const nothing = IsInteger(kernel_.DTypeOf(result)) ? "0" : "-0.0";
    Line(2, eight, " sum = ", nothing, ";");
    Line(2, "for (int64_t at = blocks[k].begin; at < blocks[k].end; at += kLanes) {");
    Line(3, "const int64_t i = at < last ? at : last;");
    available_.assign(plan_.phase.size(), false);
    depth_ = 3;
    for (const int step : plan_.phases[0].emitted) LoadOperands(step);
    EmitSteps(0);
    Line(3, "if (i == at) sum += v", result, ".lo;");
    Line(3, "sum += v", result, ".hi;");
    Line(2, "}");
    Line(2, "Vectors<", eight, ">::Store(sums + k * sizeof(", eight, "), sum);");
    Line(1, "}");
    absl::StrAppend(&out_, "}\n");
  }

 private:
  template <typename... Parts>
  void Line(int depth, const Parts&... parts) {
    absl::StrAppend(&out_, std::string(2 * depth, ' '), parts..., "\n");
  }
  const char* Type(int value) const { return dialect_.type_name(kernel_.DTypeOf(value)); }

  void EmitInputs() {
    for (int k = 0; k < num_inputs_; ++k) {
      if (!plan_.loaded[k]) continue;
      Line(1, "const Input<", Type(k), "> x", k, "{tiles[", k, "].data, tiles[", k, "].step};");
    }
  }

  void EmitOutputs() {
    for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
      Line(1, "const Output<", Type(kernel_.outputs[k]), "> y", k, "{tiles[", num_inputs_ + k,
           "].data};");
    }
  }

  void EmitBuffers() {
    for (size_t v = 0; v < plan_.buffered.size(); ++v) {
      if (!plan_.buffered[v]) continue;
      Line(1, "Buffer<", Type(v), ", ", plan_.tile, "> b", v, ";");
      Line(1, "const Output<", Type(v), "> t", v, "{b", v, ".bytes};");
    }
  }

  void EmitPhase(int phase) {
    for (const int step : plan_.phases[phase].calls) EmitCall(step);
    const bool is_last = phase + 1 == static_cast<int>(plan_.phases.size());
    const bool stores = is_last && absl::c_linear_search(plan_.stored_last, true);
    if (plan_.phases[phase].emitted.empty() && !stores) return;
    if (!stores || !kernel_.non_temporal) return EmitLoop(phase, 1, stores, "Store");
    // The tile after the operands' says whether to.
    Line(1, "if (tiles[", kernel_.num_operands() + num_inputs_, "].step != 0) {");
    EmitLoop(phase, 2, stores, "StoreNonTemporal");
    Line(1, "} else {");
    EmitLoop(phase, 2, stores, "Store");
    Line(1, "}");
  }

  // `store`: how the last loop stores.
  void EmitLoop(int phase, int depth, bool stores, const char* store) {
    available_.assign(plan_.phase.size(), false);
    if (kernel_.unroll > 0) Line(depth, "#pragma clang loop unroll_count(", kernel_.unroll, ")");
    Line(depth, "for (int64_t i = 0; i < count; i += kLanes) {");
    depth_ = depth + 1;
    for (const int step : plan_.phases[phase].emitted) LoadOperands(step);
    if (stores) LoadStoredLast();
    EmitSteps(phase);
    for (const int step : plan_.phases[phase].emitted) Keep(num_inputs_ + step);
    if (stores) EmitLastStores(store);
    Line(depth, "}");
  }

  void EmitSteps(int phase) {
    for (const int step : plan_.phases[phase].emitted) {
      Line(depth_, EmitStep(kernel_, step, dialect_));
      if (MayBeOptimizedAway(step)) Line(depth_, "MustBeComputed(v", num_inputs_ + step, ");");
    }
  }

  static bool RaisesFlags(const kernel::KernelStep& step) {
    if (step.op == Op::kCast) return ConversionRaisesFlags(step.dtype, step.result);
    return dynacc::RaisesFlags(step.op, step.dtype) && IsInexact(step.dtype);
  }

  // Whether the compiler might find that the step's result does not matter and drop it, with the
  // flags that it should raise: a square is never negative, and zero times a converted float is
  // zero. Float arithmetic on a result always needs it.
  bool MayBeOptimizedAway(int step) const {
    const int value = num_inputs_ + step;
    const bool is_kept = plan_.output[value] >= 0 || plan_.buffered[value];
    if (kernel_.fast_math || is_kept || !RaisesFlags(kernel_.steps[step])) return false;
    return absl::c_any_of(kernel_.steps, [value](const kernel::KernelStep& user) {
      const bool reads = user.a == value || user.b == value || user.c == value;
      const bool needs = RaisesFlags(user) && IsFloat(user.result);
      return reads && !needs;
    });
  }

  // Where a value that was stored before this loop is found.
  std::string Place(int value) const {
    if (value < num_inputs_) return absl::StrCat("x", value);
    if (plan_.output[value] >= 0) return absl::StrCat("y", plan_.output[value]);
    return absl::StrCat("t", value);
  }

  // Loads come before all stores, because an output may be the same memory as an input.
  void Load(int value) {
    if (value < 0 || available_[value]) return;
    available_[value] = true;
    Line(depth_, "const ", Type(value), " v", value, " = ", Place(value), ".Load(i);");
  }
  void LoadOperands(int step) {
    const kernel::KernelStep& row = kernel_.steps[step];
    for (const int value : {row.a, row.b, row.c}) Load(value);
    available_[num_inputs_ + step] = true;  // defined further down
  }
  void LoadStoredLast() {
    for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
      if (plan_.stored_last[k]) Load(kernel_.outputs[k]);
    }
  }
  void Keep(int value) {
    if (plan_.output[value] < 0 && !plan_.buffered[value]) return;
    Line(depth_, Place(value), ".Store(i, v", value, ");");
  }
  void EmitLastStores(const char* store) {
    for (size_t k = 0; k < kernel_.outputs.size(); ++k) {
      if (plan_.stored_last[k]) Line(depth_, "y", k, ".", store, "(i, v", kernel_.outputs[k], ");");
    }
  }

  std::string LoopOperand(int value) const {
    if (value < num_inputs_) {
      return absl::StrCat("tiles[", kernel_.num_operands() + value, "]");
    }
    const std::string place = Place(value);
    return absl::StrCat("{", place, ".data, ", place, ".step}");
  }
  void EmitCall(int step) {
    const kernel::KernelStep& row = kernel_.steps[step];
    const int result = num_inputs_ + step;
    std::string operands = LoopOperand(row.a);
    if (row.b >= 0) absl::StrAppend(&operands, ", ", LoopOperand(row.b));
    const char* call = dynacc::RaisesFlags(row.op, row.dtype) ? "Call" : "Call<false>";
    Line(1, call, "(loops[", loop_index_[step], "], count, ", operands, ", ", LoopOperand(result),
         ");  ", StepComment(row));
    if (plan_.reloaded[result]) Line(1, Place(result), ".Pad(count);");
  }

  const kernel::Kernel& kernel_;
  const Dialect& dialect_;
  const cpu::TilePlan plan_;
  std::string& out_;
  const int num_inputs_;
  int num_loops_ = 0;
  int depth_ = 2;                // of the lines of the loop being emitted
  std::vector<int> loop_index_;  // by step: which of `loops` it calls
  std::vector<bool> available_;  // by value: loaded or defined in the loop being emitted
};

}  // namespace

void EmitTiledFunction(const kernel::Kernel& kernel, const Dialect& dialect, std::string& out) {
  TiledFunction function(kernel, dialect, out);
  function.Emit();
  if (CanFold(kernel)) function.EmitFold();
}

bool CanFold(const kernel::Kernel& kernel) {
  return kernel.folds &&
         absl::c_none_of(kernel.steps, [](const kernel::KernelStep& step) { return step.library; });
}

}  // namespace dynacc::emit
