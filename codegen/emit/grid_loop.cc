#include "codegen/emit/grid_loop.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/emit/emitter.h"

namespace dynacc::emit {
namespace {

constexpr int kVectorBytes = 16;

class GridFunction {
 public:
  GridFunction(const kernel::Kernel& kernel, const Dialect& dialect, std::string& out)
      : kernel_(kernel),
        dialect_(dialect),
        out_(out),
        num_inputs_(static_cast<int>(kernel.inputs.size())),
        num_outputs_(static_cast<int>(kernel.outputs.size())) {}

  // The steps, once: results go to y0, y1, ...
  void EmitElement() {
    std::vector<std::string> parameters;
    for (int k = 0; k < num_inputs_; ++k) parameters.push_back(absl::StrCat(Type(k), " v", k));
    for (int k = 0; k < num_outputs_; ++k) {
      parameters.push_back(absl::StrCat(Type(kernel_.outputs[k]), "& y", k));
    }
    Line(0, "static __device__ __forceinline__ void ", kernel_.name, "_element(",
         absl::StrJoin(parameters, ", "), ") {");
    for (size_t i = 0; i < kernel_.steps.size(); ++i) {
      Line(1, EmitStep(kernel_, static_cast<int>(i), dialect_));
    }
    for (int k = 0; k < num_outputs_; ++k) Line(1, "y", k, " = v", kernel_.outputs[k], ";");
    Line(0, "}");
  }

  void EmitFlat() {
    const int lanes = GridLanes(kernel_);
    EmitHead("", "Operands", kernel_.num_operands(), ", int64_t n");
    Line(1, "for (int64_t i = ", lanes, " * FirstElement(); i < n; i += ", lanes,
         " * ElementStride()) {");
    for (int k = 0; k < num_inputs_; ++k) {
      Line(2, "const auto x", k, " = operands.Load<", Type(k), ", ", lanes, ">(", k, ", i, n);");
    }
    for (int k = 0; k < num_outputs_; ++k) {
      Line(2, "Vector<", Type(kernel_.outputs[k]), ", ", lanes, "> y", k, ";");
    }
    Line(2, "for (int lane = 0; lane < ", lanes, "; ++lane) {");
    Line(3, Call("x", "[lane]", "[lane]"));
    Line(2, "}");
    for (int k = 0; k < num_outputs_; ++k) {
      Line(2, "operands.Store(", num_inputs_ + k, ", i, n, y", k, ");");
    }
    Line(1, "}");
    Line(0, "}");
  }

  // Each element by its own offsets.
  void EmitStrided(const char* suffix = "_nd", const char* operands = "NdOperands") {
    EmitHead(suffix, operands, kernel_.num_operands(), ", int64_t n");
    Line(1, "for (int64_t i = FirstElement(); i < n; i += ElementStride()) {");
    Line(2, "const auto at = operands.At(i, n);");
    EmitLoads(2);
    for (int k = 0; k < num_outputs_; ++k) {
      Line(2, "operands.Store(", num_inputs_ + k, ", at, y", k, ");");
    }
    Line(1, "}");
    Line(0, "}");
  }

  void EmitTiled() {
    EmitHead("_tiled", "TileOperands", kernel_.num_operands(), "");
    Line(1, "for (int64_t tile = blockIdx.x; tile < operands.tiles; tile += gridDim.x) {");
    Line(2, "const auto place = operands.TileAt(tile);");
    Line(2, "__syncthreads();  // the tile before may still be read");
    for (int k = 0; k < num_inputs_; ++k) {
      Line(2, "operands.Turn<", Type(k), ">(", k, ", place);");
    }
    Line(2, "__syncthreads();");
    Line(2, "if (!operands.HasElement(place)) continue;");
    Line(2, "for (int line = operands.Line(); line < place.down; line += kTileLines) {");
    for (int k = 0; k < num_outputs_; ++k) Line(3, Type(kernel_.outputs[k]), " y", k, ";");
    for (int k = 0; k < num_inputs_; ++k) {
      Line(3, "const auto x", k, " = operands.Load<", Type(k), ">(", k, ", place, line);");
    }
    Line(3, Call("x", "", ""));
    for (int k = 0; k < num_outputs_; ++k) {
      Line(3, "operands.Store(", num_inputs_ + k, ", place, line, y", k, ");");
    }
    Line(2, "}");
    Line(1, "}");
    Line(0, "}");
  }

  void EmitReduction(const char* reduction) {
    const std::string operands = absl::StrCat("ReduceOperands<", num_inputs_ + 1, ">");
    const std::string types = absl::StrCat("<", reduction, ", ", Type(kernel_.outputs[0]), ">");
    Line(0, "struct ", kernel_.name, "_Element {");
    Line(1, "__device__ __forceinline__ ", Type(kernel_.outputs[0]), " operator()(const ", operands,
         "& operands, const Offsets<", num_inputs_ + 1, ">& at) const {");
    EmitLoads(2);
    Line(2, "return y0;");
    Line(1, "}");
    Line(0, "};");
    for (const auto& [suffix, function] :
         {std::pair("_rows", "ReduceRows"), std::pair("_columns", "ReduceColumns")}) {
      EmitHead(suffix, "ReduceOperands", num_inputs_ + 1, "");
      Line(1, function, types, "(operands, ", kernel_.name, "_Element());");
      Line(0, "}");
    }
    EmitHead("_combine", "ReduceOperands", num_inputs_ + 1, "");
    Line(1, "CombineParts", types, "(operands);");
    Line(0, "}");
  }

 private:
  template <typename... Parts>
  void Line(int depth, const Parts&... parts) {
    absl::StrAppend(&out_, std::string(2 * depth, ' '), parts..., "\n");
  }
  const char* Type(int value) const { return dialect_.type_name(kernel_.DTypeOf(value)); }

  void EmitHead(const char* suffix, const char* operands, int count, const char* more) {
    Line(0, "extern \"C\" __global__ void ", kernel_.name, suffix, "(const ", operands, "<", count,
         "> operands", more, ") {");
  }

  // The inputs of element `at`, and its outputs y0, ...
  void EmitLoads(int depth) {
    for (int k = 0; k < num_outputs_; ++k) Line(depth, Type(kernel_.outputs[k]), " y", k, ";");
    for (int k = 0; k < num_inputs_; ++k) {
      Line(depth, "const auto x", k, " = operands.Load<", Type(k), ">(", k, ", at);");
    }
    Line(depth, Call("x", "", ""));
  }

  std::string Call(const char* input, const char* after_input, const char* after_output) const {
    std::vector<std::string> arguments;
    for (int k = 0; k < num_inputs_; ++k) {
      arguments.push_back(absl::StrCat(input, k, after_input));
    }
    for (int k = 0; k < num_outputs_; ++k) arguments.push_back(absl::StrCat("y", k, after_output));
    return absl::StrCat(kernel_.name, "_element(", absl::StrJoin(arguments, ", "), ");");
  }

  const kernel::Kernel& kernel_;
  const Dialect& dialect_;
  std::string& out_;
  const int num_inputs_;
  const int num_outputs_;
};

}  // namespace

int GridLanes(const kernel::Kernel& kernel) {
  int widest = 1;
  for (const DType dtype : kernel.inputs) widest = std::max(widest, ItemSize(dtype));
  for (const int value : kernel.outputs) widest = std::max(widest, ItemSize(kernel.DTypeOf(value)));
  const bool is_long =
      absl::c_any_of(kernel.steps, [](const kernel::KernelStep& s) { return s.library; });
  return std::clamp(kVectorBytes / widest, 1, is_long ? 4 : 8);
}

void EmitStridedGridFunction(const kernel::Kernel& kernel, const Dialect& dialect,
                             std::string& out) {
  GridFunction function(kernel, dialect, out);
  function.EmitElement();
  function.EmitStrided();
}

void EmitGridFunction(const kernel::Kernel& kernel, const Dialect& dialect, std::string& out) {
  GridFunction function(kernel, dialect, out);
  function.EmitElement();
  function.EmitFlat();
  function.EmitStrided();
}

void EmitTiledGridFunction(const kernel::Kernel& kernel, const Dialect& dialect, std::string& out) {
  GridFunction(kernel, dialect, out).EmitTiled();
}

void EmitRolledGridFunction(const kernel::Kernel& kernel, const Dialect& dialect,
                            std::string& out) {
  GridFunction(kernel, dialect, out).EmitStrided("_rolled", "RolledOperands");
}

// The prelude's classes have the ops' names.
const char* ReductionName(Op reduction) {
  for (const auto& [op, type] :
       {std::pair(Op::kReduceSum, "ReduceSum"), std::pair(Op::kReduceProd, "ReduceProd"),
        std::pair(Op::kReduceMax, "ReduceMax"), std::pair(Op::kReduceMin, "ReduceMin"),
        std::pair(Op::kReduceAny, "ReduceAny"), std::pair(Op::kReduceAll, "ReduceAll")}) {
    if (op == reduction) return type;
  }
  return nullptr;
}

void EmitGridReduction(const kernel::Kernel& kernel, Op reduction, const Dialect& dialect,
                       std::string& out) {
  GridFunction function(kernel, dialect, out);
  function.EmitElement();
  function.EmitReduction(ReductionName(reduction));
}

}  // namespace dynacc::emit
