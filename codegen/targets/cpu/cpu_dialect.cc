#include "codegen/targets/cpu/cpu_dialect.h"

#include "codegen/emit/tiled_loop.h"

namespace dynacc {
namespace {

// The prelude's vector types.
const char* TypeName(DType dtype) {
  static constexpr const char* kNames[] = {"Bool", "I8",  "I16", "I32", "I64", "U8",
                                           "U16",  "U32", "U64", "F32", "F64"};
  static_assert(std::size(kNames) == kNumDTypes);
  return kNames[static_cast<int>(dtype)];
}

// Orderings must be quiet on NaN (prelude/compare.h), which the plain operators are not.
constexpr OpSpelling kSpellings[] = {
    {Op::kCast, "Cast<T>(a)"},    {Op::kWhere, "Where(a, b, c)"},
    {Op::kLess, "Less(a, b)"},    {Op::kLessEqual, "LessEqual(a, b)"},
    {Op::kGreater, "Less(b, a)"}, {Op::kGreaterEqual, "LessEqual(b, a)"},
};

// prelude/fast_math.h has the error bounds.
constexpr OpSpelling kFastSpellings[] = {
    {Op::kExp, "FastExp(a)"},
    {Op::kLog, "FastLog(a)"},
    {Op::kTanh, "FastTanh(a)"},
};

}  // namespace

const Dialect& CpuDialect() {
  static constexpr Dialect kDialect = {
      .name = "cpu",
      .preamble = "#include \"dynacc_prelude.h\"\n",
      .type_name = TypeName,
      .spellings = kSpellings,
      .fast_spellings = kFastSpellings,
      .calls_library_loops = true,
      .make_bool = "MakeBool",
      .fast_math_pragma = "#pragma clang fp contract(fast)",
      .emit_function = EmitTiledFunction,
  };
  return kDialect;
}

}  // namespace dynacc
