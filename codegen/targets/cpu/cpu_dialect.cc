#include "codegen/targets/cpu/cpu_dialect.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/ascii.h"
#include "codegen/emit/emitter.h"
#include "codegen/emit/tiled_loop.h"

namespace dynacc::cpu {
namespace {

// The prelude's vector types: F32 for f32.
const char* TypeName(DType dtype) {
  static const auto& names = *new std::array<std::string, kNumDTypes>([] {
    std::array<std::string, kNumDTypes> made;
    for (int i = 0; i < kNumDTypes; ++i) {
      made[i] = kDTypeInfo[i].text;
      made[i][0] = absl::ascii_toupper(made[i][0]);
    }
    return made;
  }());
  return names[static_cast<int>(dtype)].c_str();
}

// Vectors of 64 bytes, a register or several of every CPU, where those of 16 elements are smaller.
int LanesFor(int widest) { return std::max(16, 64 / std::max(1, widest)); }

const char* WidthLine(int widest) {
  switch (LanesFor(widest)) {
    case 64:
      return "#define DYNACC_LANES 64\n";
    case 32:
      return "#define DYNACC_LANES 32\n";
    default:
      return "";
  }
}

// Orderings must be quiet on NaN (prelude/compare.h), which the plain operators are not.
constexpr emit::OpSpelling kSpellings[] = {
    {Op::kCast, "Cast<T>(a)"},    {Op::kWhere, "Where(a, b, c)"},
    {Op::kLess, "Less(a, b)"},    {Op::kLessEqual, "LessEqual(a, b)"},
    {Op::kGreater, "Less(b, a)"}, {Op::kGreaterEqual, "LessEqual(b, a)"},
};

// prelude/fast_math.h has the error bounds.
constexpr emit::OpSpelling kFastSpellings[] = {
    {Op::kExp, "FastExp(a)"},
    {Op::kLog, "FastLog(a)"},
    {Op::kTanh, "FastTanh(a)"},
};

// prelude/compare.h, cast.h and fast_math.h.
constexpr absl::string_view kOrderFunctions[] = {"Less", "Maximum(", "Minimum(", "Sign("};
constexpr absl::string_view kCastFunctions[] = {"Cast<", "Where("};
constexpr absl::string_view kFastFunctions[] = {"Fast"};
constexpr emit::PreamblePart kParts[] = {{"DYNACC_ORDER", kOrderFunctions},
                                         {"DYNACC_CAST", kCastFunctions},
                                         {"DYNACC_FAST", kFastFunctions}};

}  // namespace

int VectorLanes(absl::Span<const kernel::Kernel> kernels) {
  return LanesFor(emit::WidestValue(kernels));
}

const emit::Dialect& CpuDialect() {
  static constexpr emit::Dialect kDialect = {
      .name = "cpu",
      .preamble = "#include \"dynacc_prelude.h\"\n",
      .type_name = TypeName,
      .parts = kParts,
      .width_line = WidthLine,
      .spellings = kSpellings,
      .fast_spellings = kFastSpellings,
      .calls_library_loops = true,
      .make_bool = "MakeBool",
      .fast_math_pragma = "#pragma clang fp contract(fast)",
      .emit_function = emit::EmitTiledFunction,
  };
  return kDialect;
}

}  // namespace dynacc::cpu
