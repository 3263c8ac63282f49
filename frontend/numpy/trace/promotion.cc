#include "frontend/numpy/trace/promotion.h"

#include <array>

#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/capi/scalar_class.h"
#include "frontend/numpy/trace/weak_numbers.h"
#include "frontend/symbolic/trace_context.h"
#include "runtime/base/check.h"

namespace dynacc::numpy {
namespace {

using Varies = PromotionOperand::Varies;

// `array` in `dtype`; an empty Ref without memory.
Ref CastTo(DType dtype, const Ref& array) {
  PyArray_Descr* descr = Descr(dtype);
  Py_INCREF(descr);  // PyArray_CastToType takes it
  return Ref::Steal(PyArray_CastToType(AsArray(array.get()), descr, 0));
}

template <typename T>
Ref Rank0(T value, DType dtype) {
  Ref array = Ref::Steal(PyArray_SimpleNew(0, nullptr, TypeNum(dtype)));
  DYNACC_CHECK(array) << "no memory for a scalar";
  *static_cast<T*>(PyArray_DATA(AsArray(array.get()))) = value;
  return array;
}

Ref Int(int64_t value) { return Rank0(value, DType::kInt64); }
Ref Float(double value) { return Rank0(value, DType::kFloat64); }

// Whether every value of an int class is one of `dtype`: limits of classes are limits of dtypes.
bool Holds(DType dtype, const ScalarClassRange& range) {
  const int bits = 8 * ItemSize(dtype);
  if (Info(dtype).kind == DTypeKind::kUnsigned) {
    return range.lo.i >= 0 && (bits == 64 || range.hi.i < (int64_t{1} << bits));
  }
  const int64_t max = bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1;
  return range.lo.i >= -max - 1 && range.hi.i <= max;
}

// One value of each class that a number of `dtype` can have.
std::vector<Ref> MakeExamples(DType dtype) {
  std::vector<Ref> examples;
  if (IsShortFloat(dtype)) {
    examples.push_back(CastTo(dtype, Float(0.0)));
  } else if (IsComplex(dtype)) {
    examples.push_back(CastTo(dtype, Float(0.0)));
    if (dtype == DType::kComplex128) {
      examples.push_back(CastTo(dtype, Float(FloatClasses().back().hi.f)));
    }
  } else if (IsFloat(dtype)) {
    const int wide = dtype == DType::kFloat64 ? 0 : 1;  // the outermost classes are beyond float32
    for (int i = wide; i < static_cast<int>(FloatClasses().size()) - wide; ++i) {
      // A limit might round into the next class.
      const ScalarClassRange& range = FloatClasses()[i];
      const bool has_zero = range.lo.f <= 0 && range.hi.f >= 0;
      examples.push_back(CastTo(dtype, Float(has_zero ? 0.0 : range.lo.f)));
    }
  } else if (IsInteger(dtype)) {
    for (const ScalarClassRange& range : IntClasses()) {
      if (Holds(dtype, range)) examples.push_back(CastTo(dtype, Int(range.lo.i)));
    }
    if (dtype == DType::kUInt64) examples.push_back(Rank0<uint64_t>(UINT64_MAX, dtype));
  } else {
    examples.push_back(Rank0(true, dtype));
  }
  return examples;
}

// Asks for one choice of examples.
std::vector<int> Ask(const Resolver& resolve, absl::Span<const PromotionOperand> operands,
                     absl::Span<const int> choice) {
  std::vector<PyObject*> examples;
  for (size_t i = 0; i < operands.size(); ++i) {
    examples.push_back(operands[i].examples[choice[i]].get());
  }
  return resolve(examples);
}

// Whether `types` is the answer for every choice within the operands' classes.
bool HoldsForAll(const Resolver& resolve, absl::Span<const PromotionOperand> operands,
                 const std::vector<int>& types) {
  std::vector<int> choice;
  for (const PromotionOperand& operand : operands) choice.push_back(operand.first);
  for (;;) {
    if (Ask(resolve, operands, choice) != types) return false;
    size_t i = 0;
    while (i < operands.size() && choice[i] == operands[i].last) {
      choice[i] = operands[i].first;
      ++i;
    }
    if (i == operands.size()) return true;
    ++choice[i];
  }
}

// Widens operand `i`'s classes around the present one as far as the answer stays, the others being
// as they are now.
void WidenClasses(const Resolver& resolve, absl::Span<PromotionOperand> operands, size_t i,
                  std::vector<int> choice, const std::vector<int>& types) {
  PromotionOperand& operand = operands[i];
  const auto holds = [&](int candidate) {
    choice[i] = candidate;
    return Ask(resolve, operands, choice) == types;
  };
  const int end = static_cast<int>(operand.examples.size());
  while (operand.first > 0 && holds(operand.first - 1)) --operand.first;
  while (operand.last + 1 < end && holds(operand.last + 1)) ++operand.last;
  if (operand.varies == Varies::kExactly && operand.restricted()) {
    operand.first = operand.last = operand.now;
  }
}

PromotionOperand Single(Ref example) {
  PromotionOperand operand;
  operand.examples.push_back(std::move(example));
  return operand;
}

// Whether NumPy still goes by the rules that ImportNumpyApi found: a private setting changes them.
bool PromotesAsUsual() {
  // Not as an attribute, for which NumPy's __getattr__ would run and let other threads in.
  BorrowedRef numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  BorrowedRef ask = numpy != nullptr && PyModule_Check(numpy)
                        ? PyDict_GetItemString(PyModule_GetDict(numpy), "_get_promotion_state")
                        : nullptr;
  if (ask == nullptr) return true;  // an older NumPy, or a newer one, which have one way
  Ref state = Ref::Steal(PyObject_CallNoArgs(ask));
  if (!state) PyErr_Clear();
  return state && PyUnicode_Check(state.get()) &&
         PyUnicode_CompareWithASCIIString(state.get(), HasWeakNumbers() ? "weak" : "legacy") == 0;
}

bool IsOfRun(const PromotionOperand& operand) {
  return operand.varies == Varies::kChecked || operand.varies == Varies::kUnknown;
}

PromotionOperand WeakOperand(PyTypeObject* type) {
  return Single(Ref::New(reinterpret_cast<PyObject*>(type)));
}

}  // namespace

PromotionOperand ArrayOperand(DType dtype) {
  static std::array<PyObject*, kNumDTypes> arrays;  // kept for the life of the process
  PyObject*& array = arrays[static_cast<int>(dtype)];
  npy_intp one = 1;
  if (array == nullptr) array = PyArray_ZEROS(1, &one, TypeNum(dtype), 0);
  DYNACC_CHECK(array != nullptr) << "no memory for an example array";
  return Single(Ref::New(array));
}

absl::StatusOr<PromotionOperand> KnownOperand(BorrowedRef object) {
  if (HasWeakNumbers() && IsWeakNumber(object)) return WeakOperand(Py_TYPE(object));
  Ref array = Ref::Steal(PyArray_FromAny(object, nullptr, 0, 0, 0, nullptr));
  if (!array) {
    PyErr_Clear();
    return symbolic::GraphBreak("a number that NumPy has no dtype for");
  }
  return Single(std::move(array));
}

PromotionOperand UnknownOperand(DType dtype) {
  if (HasWeakNumbers()) return ArrayOperand(dtype);
  PromotionOperand operand;
  const bool has_classes = dtype == DType::kFloat64 || dtype == DType::kInt64;
  operand.varies = has_classes ? Varies::kChecked : Varies::kUnknown;
  operand.examples = MakeExamples(dtype);
  operand.last = static_cast<int>(operand.examples.size()) - 1;
  if (has_classes) operand.now = dtype == DType::kInt64 ? IntClassOf(0) : FloatClassOf(0);
  return operand;
}

PromotionOperand ExactOperand(DType dtype, BorrowedRef object) {
  if (HasWeakNumbers()) return ArrayOperand(dtype);
  PromotionOperand operand;
  operand.varies = Varies::kExactly;
  operand.examples = MakeExamples(dtype);
  const int now = ScalarClassOf(object);
  for (size_t i = 0; i < operand.examples.size(); ++i) {
    if (ScalarClassOf(operand.examples[i].get()) == now) operand.now = static_cast<int>(i);
  }
  operand.first = operand.last = operand.now;
  return operand;
}

PromotionOperand DynamicInt(int64_t now) {
  if (HasWeakNumbers()) return WeakOperand(&PyLong_Type);
  PromotionOperand operand;
  operand.varies = Varies::kInClasses;
  operand.examples = MakeExamples(DType::kInt64);
  operand.now = operand.first = operand.last = IntClassOf(now);
  return operand;
}

PromotionOperand DynamicFloat(double now) {
  if (HasWeakNumbers()) return WeakOperand(&PyFloat_Type);
  PromotionOperand operand;
  operand.varies = Varies::kInClasses;
  operand.examples = MakeExamples(DType::kFloat64);
  operand.now = operand.first = operand.last = FloatClassOf(now);
  return operand;
}

PromotionOperand DynamicBool() { return Single(Rank0(true, DType::kBool)); }

absl::StatusOr<std::vector<int>> Promote(const Resolver& resolve,
                                         absl::Span<PromotionOperand> operands) {
  if (!PromotesAsUsual())
    return symbolic::GraphBreak("promotion by other rules (NPY_PROMOTION_STATE)");
  std::vector<int> now;
  bool settled = true;
  for (const PromotionOperand& operand : operands) {
    now.push_back(operand.now);
    settled = settled && operand.examples.size() == 1;
  }
  std::vector<int> types = Ask(resolve, operands, now);
  if (types.empty()) return symbolic::GraphBreak("types that NumPy does not take");
  if (settled) return types;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (IsOfRun(operands[i])) continue;
    WidenClasses(resolve, operands, i, now, types);
  }
  if (HoldsForAll(resolve, operands, types)) return types;
  for (PromotionOperand& operand : operands) {
    if (!IsOfRun(operand)) operand.first = operand.last = operand.now;
  }
  if (HoldsForAll(resolve, operands, types)) return types;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].varies != Varies::kChecked) continue;
    operands[i].first = operands[i].last = operands[i].now;
    WidenClasses(resolve, operands, i, now, types);
  }
  if (HoldsForAll(resolve, operands, types)) return types;
  return symbolic::GraphBreak("value-based promotion on a computed scalar");
}

}  // namespace dynacc::numpy
