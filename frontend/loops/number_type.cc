#include "frontend/loops/number_type.h"

#include <array>
#include <cstring>

#include "absl/container/flat_hash_map.h"
#include "frontend/cpython/complex_rules.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/numpy/capi/array_runtime.h"
#include "frontend/numpy/capi/warnings_scope.h"
#include "frontend/symbolic/binary_operator.h"
#include "runtime/loops/loop_math.h"

namespace dynacc::loops {
namespace {

using Answer = std::optional<NumberType>;

constexpr DType kDTypes[] = {DType::kBool,    DType::kInt8,    DType::kInt16,     DType::kInt32,
                             DType::kInt64,   DType::kUInt8,   DType::kUInt16,    DType::kUInt32,
                             DType::kFloat32, DType::kFloat64, DType::kComplex128};

StridedView ViewOf(DType dtype, void* data) {
  StridedView view;
  view.dtype = dtype;
  view.data = static_cast<char*>(data);
  return view;
}

// Calls visit(T) with the C++ type of the elements of a NumPy number type.
template <typename Visit>
void WithElementType(NumberType type, Visit visit) {
  switch (DTypeOf(type)) {
#define DYNACC_LOOP_OP(name, result, left, right, step)
#define DYNACC_LOOP_MEMORY(name, kind, ctype) \
  case DType::k##name:                        \
    visit(ctype());                           \
    return;
#include "runtime/loops/loop_ops.def"
#undef DYNACC_LOOP_OP
#undef DYNACC_LOOP_MEMORY
    default:
      return;
  }
}

Ref One(NumberType type) {
  if (IsComplex(type)) return BoxComplex(1, 0, type);
  LoopSlot slot;
  if (IsFloat(type)) {
    slot.f = 1;
  } else {
    slot.i = 1;
  }
  return Box(slot, type);
}

// The type of `result`, which an operation has given; null: it has raised.
Answer TypeOfResult(PyObject* result) {
  const Ref owned = Ref::Steal(result);
  if (!owned) {
    PyErr_Clear();
    return std::nullopt;
  }
  const Answer type = TypeOfComplex(owned.get());
  return type ? type : TypeOfNumber(owned.get());
}

// The dtype of a scalar of NumPy's.
DType DTypeOfScalar(BorrowedRef scalar) {
  StridedView view;
  alignas(16) char storage[16];
  numpy::ReadNumpy(scalar, &view, storage);
  return view.dtype;
}

PyObject* Operate(int opcode, BorrowedRef a) {
  switch (opcode) {
    case UNARY_NEGATIVE:
      return PyNumber_Negative(a);
    case UNARY_POSITIVE:
      return PyNumber_Positive(a);
    case UNARY_INVERT:
      return PyNumber_Invert(a);
    default:
      PyErr_SetString(PyExc_TypeError, "not an operator of numbers");
      return nullptr;
  }
}

// Remembers answers by a small key. What warns (`+np.bool_(1)`) has none, and is Python's to do.
template <typename Ask>
Answer Remembered(int key, Ask ask) {
  static auto& answers = *new absl::flat_hash_map<int, Answer>;
  const auto found = answers.find(key);
  if (found != answers.end()) return found->second;
  const numpy::WarningsAs warnings("error");
  const Answer answer = ask();
  answers.emplace(key, answer);
  return answer;
}

int Key(int kind, int operation, NumberType a, NumberType b) {
  return ((kind * 256 + operation) * kNumNumberTypes + static_cast<int>(a)) * kNumNumberTypes +
         static_cast<int>(b);
}

}  // namespace

std::optional<NumberType> ElementType(DType dtype) {
  for (size_t i = 0; i < std::size(kDTypes); ++i) {
    if (kDTypes[i] == dtype) {
      return static_cast<NumberType>(static_cast<int>(NumberType::kBool) + static_cast<int>(i));
    }
  }
  return std::nullopt;
}

NumberType PythonTypeOf(NumberType type) {
  if (IsComplex(type)) return NumberType::kPyComplex;
  if (IsBool(type)) return NumberType::kPyBool;
  return IsFloat(type) ? NumberType::kPyFloat : NumberType::kPyInt;
}

DType DTypeOf(NumberType type) {
  return kDTypes[static_cast<int>(type) - static_cast<int>(NumberType::kBool)];
}

BorrowedRef DTypeObjectOf(NumberType type) {
  const Ref one = IsComplex(type) ? BoxComplex(1, 0, type) : One(type);
  const Ref dtype = one ? Ref::Steal(PyObject_GetAttrString(one.get(), "dtype")) : Ref();
  PyErr_Clear();
  return dtype.get();
}

std::optional<NumberType> TypeOfNumber(BorrowedRef object) {
  if (PyFloat_CheckExact(object)) return NumberType::kPyFloat;
  if (PyBool_Check(object)) return NumberType::kPyBool;
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) return std::nullopt;
    return NumberType::kPyInt;
  }
  if (!numpy::IsNumpyScalar(object)) return std::nullopt;
  const Answer type = ElementType(DTypeOfScalar(object));
  return type && !IsComplex(*type) ? type : std::nullopt;
}

std::optional<NumberType> TypeOfComplex(BorrowedRef object) {
  if (PyComplex_CheckExact(object)) {
    return kComplexTakesRealsAsComplex ? Answer(NumberType::kPyComplex) : std::nullopt;
  }
  const bool is_numpys =
      numpy::IsNumpyScalar(object) && DTypeOfScalar(object) == DType::kComplex128;
  return is_numpys ? Answer(NumberType::kComplex128) : std::nullopt;
}

Ref BoxComplex(double real, double imag, NumberType type) {
  if (type == NumberType::kPyComplex) return Ref::Steal(PyComplex_FromDoubles(real, imag));
  double parts[] = {real, imag};
  return Ref::Steal(numpy::NewNumpyScalar(ViewOf(DType::kComplex128, parts)));
}

std::optional<NumberType> NumberOfClass(BorrowedRef type) {
  for (int i = static_cast<int>(NumberType::kBool); i < kNumRegisterTypes; ++i) {
    const Ref one = One(static_cast<NumberType>(i));
    if (one && reinterpret_cast<PyObject*>(Py_TYPE(one.get())) == type) {
      return static_cast<NumberType>(i);
    }
    PyErr_Clear();
  }
  return std::nullopt;
}

LoopSlot Unbox(BorrowedRef number, NumberType type) {
  LoopSlot slot = {};
  if (type == NumberType::kPyFloat) {
    slot.f = PyFloat_AS_DOUBLE(number);
  } else if (type == NumberType::kPyInt) {
    slot.i = PyLong_AsLongLong(number);
  } else if (type == NumberType::kPyBool) {
    slot.i = number == Py_True ? 1 : 0;
  } else {
    StridedView view;
    alignas(16) char storage[16];
    numpy::ReadNumpy(number, &view, storage);
    WithElementType(type, [&](auto value) {
      std::memcpy(&value, storage, sizeof(value));
      if (IsFloat(type)) {
        slot.f = static_cast<double>(loop_math::InRegister(value));
      } else {
        slot.i = static_cast<int64_t>(value);
      }
    });
  }
  return slot;
}

Ref Box(LoopSlot value, NumberType type) {
  if (type == NumberType::kPyFloat) return Ref::Steal(PyFloat_FromDouble(value.f));
  if (type == NumberType::kPyInt) return Ref::Steal(PyLong_FromLongLong(value.i));
  if (type == NumberType::kPyBool) return Ref::New(value.i != 0 ? Py_True : Py_False);
  Ref result;
  WithElementType(type, [&](auto element) {
    using Element = decltype(element);
    element = IsFloat(type) ? loop_math::AsElement<Element>(value.f)
                            : loop_math::AsElement<Element>(value.i);
    result = Ref::Steal(numpy::NewNumpyScalar(ViewOf(DTypeOf(type), &element)));
  });
  return result;
}

std::optional<NumberType> TypeOfBinary(int nb_op, NumberType left, NumberType right) {
  return Remembered(Key(0, nb_op, left, right), [&] {
    const Ref a = One(left);
    const Ref b = One(right);
    return a && b ? TypeOfResult(symbolic::OperatorOf(nb_op).apply(a.get(), b.get()))
                  : TypeOfResult(nullptr);
  });
}

std::optional<NumberType> TypeOfComparison(NumberType left, NumberType right) {
  return Remembered(Key(1, 0, left, right), [&] {
    const Ref a = One(left);
    const Ref b = One(right);
    return a && b ? TypeOfResult(PyObject_RichCompare(a.get(), b.get(), Py_EQ))
                  : TypeOfResult(nullptr);
  });
}

std::optional<NumberType> TypeOfUnary(int opcode, NumberType type) {
  return Remembered(Key(2, opcode, type, type), [&] {
    const Ref a = One(type);
    return a ? TypeOfResult(Operate(opcode, a.get())) : TypeOfResult(nullptr);
  });
}

std::optional<NumberType> TypeOfCall(BorrowedRef function, const std::vector<NumberType>& types) {
  const numpy::WarningsAs warnings("error");
  std::vector<Ref> ones;
  std::vector<PyObject*> args;
  for (const NumberType type : types) {
    ones.push_back(One(type));
    if (!ones.back()) return TypeOfResult(nullptr);
    args.push_back(ones.back().get());
  }
  return TypeOfResult(PyObject_Vectorcall(function, args.data(), args.size(), nullptr));
}

}  // namespace dynacc::loops
