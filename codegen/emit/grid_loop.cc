#include "codegen/emit/grid_loop.h"

#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"

namespace dynacc {

void EmitGridFunction(const Kernel& kernel, const Dialect& dialect, std::string& out) {
  absl::StrAppend(&out, "extern \"C\" __global__ void ", kernel.name, "(const Operands<",
                  kernel.num_operands(), "> operands, int64_t n) {\n",
                  "  for (int64_t i = FirstElement(); i < n; i += ElementStride()) {\n");
  for (size_t k = 0; k < kernel.inputs.size(); ++k) {
    const char* type = dialect.type_name(kernel.inputs[k]);
    absl::StrAppend(&out, "    const ", type, " v", k, " = operands.Load<", type, ">(", k,
                    ", i);\n");
  }
  for (size_t i = 0; i < kernel.steps.size(); ++i) {
    absl::StrAppend(&out, "    ", EmitStep(kernel, static_cast<int>(i), dialect), "\n");
  }
  for (size_t k = 0; k < kernel.outputs.size(); ++k) {
    absl::StrAppend(&out, "    operands.Store(", kernel.inputs.size() + k, ", i, v",
                    kernel.outputs[k], ");\n");
  }
  absl::StrAppend(&out, "  }\n}\n");
}

}  // namespace dynacc
