#include "codegen/ops/op.h"

namespace dynacc {
namespace {

constexpr OpCategory kLeaf = OpCategory::kLeaf;
constexpr OpCategory kStructural = OpCategory::kStructural;
constexpr OpCategory kUnary = OpCategory::kUnary;
constexpr OpCategory kBinary = OpCategory::kBinary;
constexpr OpCategory kReduction = OpCategory::kReduction;
constexpr OpCategory kExtern = OpCategory::kExtern;

constexpr OpInfo kOps[] = {
#define DYNACC_OP(name, text, category, traits, dtype_rule, c_expr, numpy) \
  {text, category, static_cast<uint32_t>(traits), DTypeRule::dtype_rule, c_expr, numpy},
#include "codegen/ops/ops.def"
#undef DYNACC_OP
};

constexpr int kNumOps = sizeof(kOps) / sizeof(kOps[0]);

}  // namespace

const OpInfo& Info(Op op) { return kOps[static_cast<int>(op)]; }

int NumOps() { return kNumOps; }

std::optional<Op> ParseOp(absl::string_view text) {
  for (int i = 0; i < kNumOps; ++i) {
    if (text == kOps[i].text) return static_cast<Op>(i);
  }
  return std::nullopt;
}

}  // namespace dynacc
