#include "codegen/targets/cuda/cuda_dialect.h"

#include "codegen/emit/grid_loop.h"

namespace dynacc::cuda {
namespace {

const char* TypeName(DType dtype) { return Info(dtype).c_name; }

constexpr emit::OpSpelling kSpellings[] = {
#define DYNACC_OP(name, text, category, traits, dtype_rule, c_expr, numpy, cuda) \
  {Op::k##name, cuda},
#include "runtime/ops/ops.def"
#undef DYNACC_OP
};

}  // namespace

const emit::Dialect& CudaDialect() {
  static constexpr emit::Dialect kDialect = {
      .name = "cuda",
      .preamble = "#include \"dynacc_cuda_prelude.h\"\n",
      .type_name = TypeName,
      .width_line = [](int) { return ""; },
      .spellings = kSpellings,
      .fast_spellings = {},
      .calls_library_loops = false,
      .make_bool = "",
      .fast_math_pragma = "",
      .emit_function = emit::EmitGridFunction,
  };
  return kDialect;
}

}  // namespace dynacc::cuda
