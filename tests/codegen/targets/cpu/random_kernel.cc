#include "tests/codegen/targets/cpu/random_kernel.h"

#include <vector>

#include "tests/runtime/kernel/kernel_builder.h"

namespace dynacc::cpu {
namespace {

struct Choice {
  Op op;
  int operands;
  bool floats, integers, bools;
};

constexpr Choice kChoices[] = {
    {Op::kAdd, 2, true, true, true},        {Op::kSubtract, 2, true, true, false},
    {Op::kMultiply, 2, true, true, true},   {Op::kSquare, 1, true, true, false},
    {Op::kNegative, 1, true, true, false},  {Op::kDivide, 2, true, false, false},
    {Op::kSqrt, 1, true, false, false},     {Op::kFloor, 1, true, false, false},
    {Op::kRint, 1, true, false, false},     {Op::kCopysign, 2, true, false, false},
    {Op::kIsNan, 1, true, false, false},    {Op::kMaximum, 2, true, true, true},
    {Op::kMinimum, 2, true, true, true},    {Op::kLess, 2, true, true, true},
    {Op::kLessEqual, 2, true, true, true},  {Op::kEqual, 2, true, true, true},
    {Op::kNotEqual, 2, true, true, true},   {Op::kLogicalAnd, 2, true, true, true},
    {Op::kLogicalNot, 1, true, true, true}, {Op::kBitwiseXor, 2, false, true, true},
};

class Maker {
 public:
  Maker(const std::string& name, std::mt19937_64& random, int widest)
      : builder_(name), random_(random), widest_(widest) {}

  kernel::Kernel Make() {
    for (size_t i = Below(4) + 1; i > 0; --i) AddValue(RandomDType(), true);
    for (size_t i = Below(24) + 1; i > 0; --i) AddStep();
    std::vector<int> outputs;
    for (size_t i = Below(3) + 1; i > 0; --i) outputs.push_back(AnyValue());
    outputs.push_back(static_cast<int>(dtypes_.size()) - 1);
    return builder_.Build(outputs);
  }

 private:
  size_t Below(size_t limit) { return random_() % limit; }
  int AnyValue() { return static_cast<int>(Below(dtypes_.size())); }
  int ValueOf(DType dtype) {
    for (int tries = 0; tries < 8; ++tries) {
      const int value = AnyValue();
      if (dtypes_[value] == dtype) return value;
    }
    return AddValue(dtype, false);
  }
  int AddValue(DType dtype, bool is_input) {
    const int value = is_input ? builder_.Input(dtype) : CastTo(dtype);
    dtypes_.push_back(dtype);
    return value;
  }
  // Halves and complex numbers, of which the plain interpreter knows nothing, have tests of their
  // own.
  DType RandomDType() {
    for (;;) {
      const auto dtype = static_cast<DType>(Below(static_cast<int>(DType::kFloat16)));
      if (ItemSize(dtype) <= widest_) return dtype;
    }
  }
  // Unsigned integers are not made of floats, which C++ leaves open; they come from integers.
  int CastTo(DType dtype) {
    int from = AnyValue();
    if (dynacc::Info(dtype).kind == DTypeKind::kUnsigned && IsFloat(dtypes_[from])) {
      from = builder_.Cast(from, DType::kInt64);
      dtypes_.push_back(DType::kInt64);
    }
    return builder_.Cast(from, dtype);
  }
  void AddStep() {
    const size_t kind = Below(10);
    if (kind == 0) {
      AddValue(RandomDType(), false);
    } else if (kind == 1) {
      const int a = AnyValue(), b = ValueOf(dtypes_[a]), condition = ValueOf(DType::kBool);
      dtypes_.push_back(dtypes_[a]);
      builder_.Step(Op::kWhere, condition, a, b);
    } else if (kind == 2 && widest_ == 8) {
      const int a = ValueOf(DType::kFloat64), b = ValueOf(DType::kFloat64);
      dtypes_.push_back(DType::kFloat64);
      if (Below(2))
        builder_.Library(Op::kExp, a);
      else
        builder_.Library(Op::kArctan2, a, b);
    } else {
      AddElementwise();
    }
  }
  void AddElementwise() {
    const int a = AnyValue();
    const DType dtype = dtypes_[a];
    const Choice& choice = kChoices[Below(std::size(kChoices))];
    const bool fits =
        IsFloat(dtype) ? choice.floats : (IsInteger(dtype) ? choice.integers : choice.bools);
    if (!fits) return;
    const int b = choice.operands == 2 ? ValueOf(dtype) : -1;
    dtypes_.push_back(ResultOf(choice.op, dtype));
    builder_.Step(choice.op, a, b);
  }

  kernel::KernelBuilder builder_;
  std::mt19937_64& random_;
  const int widest_;
  std::vector<DType> dtypes_;  // by value
};

}  // namespace

kernel::Kernel RandomKernel(const std::string& name, std::mt19937_64& random, int widest) {
  return Maker(name, random, widest).Make();
}

}  // namespace dynacc::cpu
