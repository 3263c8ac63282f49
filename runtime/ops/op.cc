#include "runtime/ops/op.h"

#include "runtime/ops/registered_ops.h"

namespace dynacc {
namespace {

constexpr OpCategory kLeaf = OpCategory::kLeaf;
constexpr OpCategory kStructural = OpCategory::kStructural;
constexpr OpCategory kUnary = OpCategory::kUnary;
constexpr OpCategory kBinary = OpCategory::kBinary;
constexpr OpCategory kReduction = OpCategory::kReduction;
constexpr OpCategory kLibraryCall = OpCategory::kLibraryCall;

constexpr OpInfo kOps[] = {
#define DYNACC_OP(name, text, category, traits, dtype_rule, c_expr, numpy, cuda) \
  {text, category, static_cast<uint32_t>(traits), DTypeRule::dtype_rule, c_expr, numpy, cuda},
#include "runtime/ops/ops.def"
#undef DYNACC_OP
};

constexpr int kNumOps = sizeof(kOps) / sizeof(kOps[0]);

// The traits of which any means that c_expr serves operands of `dtype`.
uint32_t EmittedTraits(DType dtype) {
  if (IsShortFloat(dtype)) return kEmittedHalf;
  if (IsComplex(dtype)) return kEmittedComplex;
  return kEmitted | (IsFloat(dtype) ? kEmittedFloat : kEmittedInt);
}

}  // namespace

const OpInfo& Info(Op op) {
  const int row = static_cast<int>(op);
  return row < kNumOps ? kOps[row] : RegisteredRow(row - kNumOps);
}

int NumOps() { return kNumOps; }

bool IsEmitted(Op op, DType dtype) {
  if (IsLowPrecision(dtype) && Info(op).category != OpCategory::kStructural) return false;
  return (Info(op).traits & EmittedTraits(dtype)) != 0;
}

bool RaisesFlags(Op op, DType dtype) {
  return HasTrait(op, kRaisesFlags) || (IsComplex(dtype) && HasTrait(op, kRaisesIfComplex));
}

bool ConversionRaisesFlags(DType from, DType to) {
  if (IsInexact(from)) return true;
  return to == DType::kFloat16 && (ItemSize(from) > 2 || from == DType::kUInt16);
}

DType ResultOf(Op op, DType dtype) {
  if (Info(op).dtype_rule == DTypeRule::kBool) return DType::kBool;
  return Info(op).dtype_rule == DTypeRule::kReal ? RealOf(dtype) : dtype;
}

std::optional<Op> ParseOp(absl::string_view text) {
  for (int i = 0; i < kNumOps; ++i) {
    if (text == kOps[i].text) return static_cast<Op>(i);
  }
  for (int i = 0; i < NumRegisteredOps(); ++i) {
    if (text == RegisteredRow(i).text) return static_cast<Op>(kNumOps + i);
  }
  return std::nullopt;
}

}  // namespace dynacc
