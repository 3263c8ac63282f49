#include "frontend/tensor/low_precision.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "frontend/tensor/device_tensor.h"
#include "frontend/tensor/dtype_object.h"
#include "frontend/tensor/elementwise.h"
#include "frontend/tensor/promotion.h"
#include "frontend/tensor/standard_loops.h"
#include "runtime/cpu/tiles/element_loops.h"

namespace dynacc::tensor {
namespace {

// --- Loops -----------------------------------------------------------------------------------

struct Widened {
  kernel::LibraryLoop loop;  // of float32
  DType narrow;
  int num_inputs;
  bool rounds;  // the result is a float
};

constexpr intptr_t kChunk = 256;
constexpr intptr_t kWideSize = sizeof(float);

void Convert(DType from_dtype, char* from, intptr_t from_step, DType to_dtype, char* to,
             intptr_t to_step, intptr_t count) {
  char* args[] = {from, to};
  const intptr_t steps[] = {from_step, to_step};
  const kernel::LibraryLoop loop = cpu::CastLoop(from_dtype, to_dtype);
  loop.fn(args, &count, steps, loop.data);
}

// A chunk at a time: the result may lie where an operand does.
void RunWidened(char** args, const intptr_t* dimensions, const intptr_t* steps, void* data) {
  const auto& widened = *static_cast<const Widened*>(data);
  alignas(64) char memory[3][kChunk * kWideSize + kernel::kLoopGap];
  const int result = widened.num_inputs;
  for (intptr_t begin = 0; begin < dimensions[0]; begin += kChunk) {
    const intptr_t count = std::min(kChunk, dimensions[0] - begin);
    char* wide[] = {memory[0], memory[1], memory[2]};
    intptr_t wide_steps[] = {kWideSize, kWideSize, kWideSize};
    for (int k = 0; k < result; ++k) {
      const bool one = steps[k] == 0;
      if (one) wide_steps[k] = 0;
      Convert(widened.narrow, args[k] + begin * steps[k], steps[k], DType::kFloat32, wide[k],
              kWideSize, one ? 1 : count);
    }
    char* const out = args[result] + begin * steps[result];
    if (!widened.rounds) {
      wide[result] = out;
      wide_steps[result] = steps[result];
    }
    widened.loop.fn(wide, &count, wide_steps, widened.loop.data);
    if (widened.rounds) {
      Convert(DType::kFloat32, wide[result], kWideSize, widened.narrow, out, steps[result], count);
    }
  }
}

// The neighbour of `a` towards `b`.
template <LowPrecisionType T>
T Neighbour(T a, T b) {
  using Word = decltype(T::bits);
  constexpr auto kSign = static_cast<Word>(1u << (8 * sizeof(Word) - 1));
  const float x = ToFloat(a), y = ToFloat(b);
  if (std::isnan(x) || std::isnan(y)) return ToLowPrecision<T>(x + y);
  if (x == y) return b;
  if (x == 0) return {static_cast<Word>((b.bits & kSign) | 1)};
  return {static_cast<Word>(a.bits + ((x < y) == (x > 0) ? 1 : -1))};
}

template <LowPrecisionType T>
void Neighbours(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    const auto& a = *reinterpret_cast<const T*>(args[0] + i * steps[0]);
    const auto& b = *reinterpret_cast<const T*>(args[1] + i * steps[1]);
    *reinterpret_cast<T*>(args[2] + i * steps[2]) = Neighbour(a, b);
  }
}

kernel::LibraryLoop NeighbourLoop(DType narrow) {
  if (narrow == DType::kFloat8E4M3FN) return {Neighbours<Float8E4M3FN>, nullptr};
  if (narrow == DType::kFloat8E5M2) return {Neighbours<Float8E5M2>, nullptr};
  return {Neighbours<BFloat16>, nullptr};
}

// --- Values ----------------------------------------------------------------------------------

// Visits the tensors and dtypes in `value`.
void Visit(BorrowedRef value, NarrowSearch& search) {
  if (IsAnyTensor(value)) return search.AddTensor(AsTensor(value)->dtype);
  if (const std::optional<DType> dtype = AsDType(value)) return search.AddDType(*dtype);
  if (PyTuple_Check(value) || PyList_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
      Visit(PySequence_Fast_GET_ITEM(value, i), search);
    }
  } else if (PyDict_CheckExact(value)) {
    Py_ssize_t position = 0;
    PyObject *key, *item;
    while (PyDict_Next(value, &position, &key, &item) != 0) Visit(item, search);
  }
}

using Change = absl::FunctionRef<Ref(BorrowedRef)>;

Ref Mapped(BorrowedRef value, Change change);

Ref MappedTuple(BorrowedRef value, Change change) {
  Ref items = Ref::Steal(PyTuple_New(PyTuple_GET_SIZE(value)));
  for (Py_ssize_t i = 0; items && i < PyTuple_GET_SIZE(value); ++i) {
    Ref item = Mapped(PyTuple_GET_ITEM(value, i), change);
    if (!item) return Ref();
    PyTuple_SET_ITEM(items.get(), i, item.Release());
  }
  if (!items || PyTuple_CheckExact(value)) return items;
  // A named tuple.
  return Ref::Steal(PyObject_CallObject(reinterpret_cast<PyObject*>(Py_TYPE(value)), items.get()));
}

Ref MappedList(BorrowedRef value, Change change) {
  Ref items = Ref::Steal(PyList_New(0));
  for (Py_ssize_t i = 0; items && i < PyList_GET_SIZE(value); ++i) {
    Ref item = Mapped(PyList_GET_ITEM(value, i), change);
    if (!item || PyList_Append(items.get(), item.get()) < 0) return Ref();
  }
  return items;
}

Ref MappedDict(BorrowedRef value, Change change) {
  Ref items = Ref::Steal(PyDict_New());
  Py_ssize_t position = 0;
  PyObject *key, *old;
  while (items && PyDict_Next(value, &position, &key, &old) != 0) {
    Ref item = Mapped(old, change);
    if (!item || PyDict_SetItem(items.get(), key, item.get()) < 0) return Ref();
  }
  return items;
}

// `value` with `change` made to the tensors and dtypes in it.
Ref Mapped(BorrowedRef value, Change change) {
  if (IsAnyTensor(value) || AsDType(value)) return change(value);
  if (PyTuple_Check(value)) return MappedTuple(value, change);
  if (PyList_CheckExact(value)) return MappedList(value, change);
  if (PyDict_CheckExact(value)) return MappedDict(value, change);
  return Ref::New(value);
}

Ref SeenAs(TensorObject* tensor, DType to) {
  const auto rank = static_cast<size_t>(tensor->rank());
  return NewTensorView(tensor, tensor->data, to, tensor->sizes(), {tensor->strides(), rank});
}

}  // namespace

kernel::LibraryLoop LowPrecisionLoop(Op op, DType narrow) {
  if (op == Op::kNextafter) return NeighbourLoop(narrow);
  const kernel::LibraryLoop loop = StandardLoop(op, DType::kFloat32);
  if (!loop) return {};
  static auto& made =
      *new absl::flat_hash_map<std::pair<Op, DType>, std::unique_ptr<Widened>>;  // under the GIL
  auto& widened = made[{op, narrow}];
  if (widened == nullptr) {
    const int num_inputs = Info(op).category == OpCategory::kUnary ? 1 : 2;
    const bool rounds = ResultOf(op, DType::kFloat32) == DType::kFloat32;
    widened = std::make_unique<Widened>(Widened{loop, narrow, num_inputs, rounds});
  }
  return {RunWidened, widened.get()};
}

void NarrowSearch::AddTensor(DType dtype) {
  found_ = found_ || IsLowPrecision(dtype);
  promoted_ = promoted_ ? Promote(*promoted_, dtype) : dtype;
}

void NarrowSearch::AddDType(DType dtype) {
  found_ = found_ || IsLowPrecision(dtype);
  given_ = dtype;
}

LowPrecisionAmong NarrowSearch::result() const {
  if (!found_) return {};
  const DType wanted = given_ ? *given_ : *promoted_;
  return {true, IsLowPrecision(wanted) ? std::optional(wanted) : std::nullopt};
}

LowPrecisionAmong FindLowPrecision(BorrowedRef args, BorrowedRef kwargs) {
  NarrowSearch search;
  Visit(args, search);
  Visit(kwargs, search);
  return search.result();
}

Ref ObjectOf(const LowPrecisionAmong& among) {
  if (!among.found) return Ref::New(Py_None);
  return Ref::New(among.rounds ? DTypeObject(*among.rounds) : Py_True);
}

Ref InFloat32(BorrowedRef value) {
  return Mapped(value, [](BorrowedRef one) {
    if (IsAnyTensor(one)) {
      TensorObject* tensor = AsTensor(one);
      return IsLowPrecision(tensor->dtype) ? CastTensor(tensor, DType::kFloat32) : Ref::New(one);
    }
    const std::optional<DType> dtype = AsDType(one);
    return Ref::New(dtype && IsLowPrecision(*dtype) ? DTypeObject(DType::kFloat32) : one);
  });
}

Ref Rounded(BorrowedRef value, DType narrow) {
  return Mapped(value, [narrow](BorrowedRef one) {
    const bool rounds = IsAnyTensor(one) && AsTensor(one)->dtype == DType::kFloat32;
    return rounds ? CastTensor(AsTensor(one), narrow) : Ref::New(one);
  });
}

Ref BitsOfLowPrecision(TensorObject* tensor) {
  if (IsLowPrecision(tensor->dtype)) return SeenAs(tensor, BitsDType(tensor->dtype));
  PyErr_Format(PyExc_TypeError, "NumPy has %s itself", DTypeName(tensor->dtype));
  return Ref();
}

Ref LowPrecisionOfBits(TensorObject* tensor, DType narrow) {
  if (IsLowPrecision(narrow) && tensor->dtype == BitsDType(narrow)) return SeenAs(tensor, narrow);
  PyErr_Format(PyExc_TypeError, "%s is not made of the bits of %s", DTypeName(narrow),
               DTypeName(tensor->dtype));
  return Ref();
}

}  // namespace dynacc::tensor
