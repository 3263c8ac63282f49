#include "frontend/tensor/elementwise.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "boost/container/small_vector.hpp"
#include "frontend/cpython/thread_end.h"
#include "frontend/numpy/trace/exchange.h"
#include "frontend/tensor/constant.h"
#include "frontend/tensor/device_tensor.h"
#include "frontend/tensor/dtype_object.h"
#include "frontend/tensor/numbers.h"
#include "frontend/tensor/promotion.h"
#include "frontend/tensor/python_part.h"
#include "frontend/tensor/standard_loops.h"
#include "runtime/cpu/tiles/element_loops.h"
#include "runtime/executor/launch_step.h"
#include "runtime/executor/loop_nest.h"
#include "runtime/platform/fp_flags.h"
#include "runtime/platform/thread_pool.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::tensor {
namespace {

constexpr int kMaxArity = 3;

// Below so many elements letting go of the GIL costs more than it gives.
constexpr int64_t kElementsWorthTheGil = 4096;

// What an element costs, for the choice of threads: a sum's is bound by memory, a transcendental
// function's is some times that.
constexpr double kNanosecondsPerElement = 0.5;

constexpr ElementwiseRow kRows[] = {
#define DYNACC_ELEMENTWISE(name, arity, op, rule, meaning) \
  {#name, arity, Op::k##op, InputRule::rule, meaning},
#include "frontend/tensor/elementwise.def"
#undef DYNACC_ELEMENTWISE
};

// One operand: a tensor of the dtype that is computed in, or one element.
struct Operand {
  Ref tensor;  // null: a number
  alignas(Complex128) char number[kMaxItemSize];
};

struct Operands {
  int count = 0;
  Operand all[kMaxArity];
};

// The promoted dtype of all operands; false if one is neither tensor nor number.
bool PromoteAll(absl::Span<const BorrowedRef> operands, std::optional<DType>* promoted) {
  for (const BorrowedRef operand : operands) {
    if (!IsTensor(operand)) continue;
    const DType dtype = AsTensor(operand)->dtype;
    *promoted = promoted->has_value() ? Promote(**promoted, dtype) : dtype;
  }
  for (const BorrowedRef operand : operands) {
    if (IsTensor(operand)) continue;
    const std::optional<NumberKind> kind = KindOfNumber(operand);
    if (!kind) return false;
    if (promoted->has_value()) *promoted = PromoteNumber(**promoted, *kind);
  }
  return true;
}

bool Prepare(absl::Span<const BorrowedRef> from, DType dtype, Operands* operands) {
  for (const BorrowedRef object : from) {
    Operand& operand = operands->all[operands->count++];
    if (!IsTensor(object)) {
      if (!StoreNumber(object, *KindOfNumber(object), dtype, operand.number)) return false;
      continue;
    }
    TensorObject* tensor = AsTensor(object);
    operand.tensor = tensor->dtype == dtype ? Ref::New(object) : CastTensor(tensor, dtype);
    if (!operand.tensor) return false;
  }
  return true;
}

using Shape = boost::container::small_vector<int64_t, kMaxRank>;

bool BroadcastError(const Operands& operands) {
  Ref text = Ref::Steal(PyUnicode_FromString(""));
  for (int k = 0; text && k < operands.count; ++k) {
    if (!operands.all[k].tensor) continue;
    Ref shape = ShapeTuple(AsTensor(operands.all[k].tensor)->sizes());
    if (!shape) return false;
    text = Ref::Steal(PyUnicode_FromFormat("%U%R ", text.get(), shape.get()));
  }
  if (text) {
    PyErr_Format(PyExc_ValueError, "operands could not be broadcast together with shapes %U",
                 text.get());
  }
  return false;
}

bool BroadcastShape(const Operands& operands, Shape* shape) {
  for (int k = 0; k < operands.count; ++k) {
    if (!operands.all[k].tensor) continue;
    const absl::Span<const int64_t> sizes = AsTensor(operands.all[k].tensor)->sizes();
    if (sizes.size() > shape->size())
      shape->insert(shape->begin(), sizes.size() - shape->size(), 1);
    const size_t offset = shape->size() - sizes.size();
    for (size_t i = 0; i < sizes.size(); ++i) {
      int64_t& size = (*shape)[offset + i];
      if (size == 1) size = sizes[i];
      if (sizes[i] != 1 && sizes[i] != size) return BroadcastError(operands);
    }
  }
  return true;
}

// The strides of `tensor` for a walk over `rank` axes: 0 where it is broadcast.
void BroadcastStrides(TensorObject* tensor, int rank, int64_t* strides) {
  const int offset = rank - tensor->rank();
  std::fill_n(strides, offset, 0);
  for (int i = 0; i < tensor->rank(); ++i) {
    strides[offset + i] = tensor->shape()[i] == 1 ? 0 : tensor->strides()[i];
  }
}

void CallLoop(const kernel::LibraryLoop& loop, char* const* pointers, const int64_t* strides,
              int count, int64_t n) {
  static_assert(sizeof(intptr_t) == sizeof(int64_t));
  char* args[kMaxArity + 1];
  std::copy_n(pointers, count, args);
  loop.fn(args, &n, strides, loop.data);
}

// Runs the loop over the nest, on several threads where that is worth it, without the GIL if it
// takes long. Flags that it raises are dropped: eager tensors give no warnings.
void RunNest(const executor::LoopNest& nest, const kernel::LibraryLoop& loop) {
  const platform::ScopedFpFlags flags;
  const int64_t size = nest.size();
  const auto run = [&](const executor::LoopNest& part) {
    executor::ForEachRun(part, [&](char* const* pointers, const int64_t* strides, int64_t n) {
      CallLoop(loop, pointers, strides, nest.num_operands, n);
    });
  };
  if (size < kElementsWorthTheGil) return run(nest);
  PyThreadState* const state = PyEval_SaveThread();
  const int parts = executor::PartsFor(size, kNanosecondsPerElement);
  if (parts == 1) {
    run(nest);
  } else {
    const int axis = executor::SplitAxis(nest);
    platform::ParallelFor(parts,
                          [&](int part) { run(executor::SliceOf(nest, axis, part, parts)); });
  }
  UpToThreadEnd([state] { PyEval_RestoreThread(state); });
}

// Whether every operand has the whole shape in C order, or is one element.
bool IsFlat(const Operands& operands, absl::Span<const int64_t> shape) {
  for (int k = 0; k < operands.count; ++k) {
    if (!operands.all[k].tensor) continue;
    TensorObject* tensor = AsTensor(operands.all[k].tensor);
    if (tensor->rank() == 0) continue;
    if (!tensor->contiguous || tensor->sizes() != shape) return false;
  }
  return true;
}

char* DataOf(Operand& operand) {
  return operand.tensor ? AsTensor(operand.tensor)->data : operand.number;
}

// One row of elements for all operands and the result, which are in C order.
executor::LoopNest FlatNest(Operands& operands, TensorObject* out) {
  executor::LoopNest nest;
  const int64_t size = out->size();
  executor::StartNest(nest, 1, &size);
  const int64_t still = 0;
  for (int k = 0; k < operands.count; ++k) {
    Operand& operand = operands.all[k];
    const bool one = !operand.tensor || AsTensor(operand.tensor)->rank() == 0;
    const int64_t step = one ? 0 : ItemSize(AsTensor(operand.tensor)->dtype);
    executor::AddOperand(nest, DataOf(operand), one ? &still : &step);
  }
  const int64_t step = ItemSize(out->dtype);
  executor::AddOperand(nest, out->data, &step);
  return nest;
}

executor::LoopNest GeneralNest(Operands& operands, TensorObject* out) {
  executor::LoopNest nest;
  const int rank = out->rank();
  executor::StartNest(nest, rank, out->shape());
  for (int k = 0; k < operands.count; ++k) {
    int64_t strides[kMaxRank] = {};
    Operand& operand = operands.all[k];
    if (operand.tensor) BroadcastStrides(AsTensor(operand.tensor), rank, strides);
    executor::AddOperand(nest, DataOf(operand), strides);
  }
  executor::AddOperand(nest, out->data, out->strides());
  executor::OptimizeNest(nest);
  return nest;
}

// A fresh result; where no operand is in C order it follows their memory's order, as NumPy's do.
Ref NewResult(const Operands& operands, DType dtype, absl::Span<const int64_t> shape, bool flat) {
  if (flat) return NewTensor(dtype, shape);
  const int rank = static_cast<int>(shape.size());
  int64_t by_operand[kMaxArity][kMaxRank];
  const int64_t* strides[kMaxArity];
  size_t count = 0;
  for (int k = 0; k < operands.count; ++k) {
    if (!operands.all[k].tensor) continue;
    BroadcastStrides(AsTensor(operands.all[k].tensor), rank, by_operand[count]);
    strides[count] = by_operand[count];
    ++count;
  }
  StridedView view;
  view.dtype = dtype;
  view.rank = rank;
  std::copy(shape.begin(), shape.end(), view.shape);
  executor::SetDenseStrides(view, executor::FindAxisOrder(rank, {strides, count}));
  return NewTensor(dtype, shape, {view.strides, shape.size()});
}

// Whether writing `out` element by element in any order could change what is still to be read.
bool DisturbsOperand(TensorObject* out, TensorObject* operand) {
  StridedView a, b;
  if (!ReadTensor(out, &a) || !ReadTensor(operand, &b)) return true;
  if (!MayOverlap(a, b)) return false;
  const bool same = a.data == b.data && out->sizes() == operand->sizes() &&
                    std::equal(a.strides, a.strides + a.rank, b.strides) &&
                    ItemSize(a.dtype) == ItemSize(b.dtype);
  return !same;
}

// Operands that share `out`'s memory in another way are copied first.
bool KeepApart(Operands& operands, TensorObject* out) {
  for (int k = 0; k < operands.count; ++k) {
    Ref& tensor = operands.all[k].tensor;
    if (!tensor || !DisturbsOperand(out, AsTensor(tensor))) continue;
    tensor = CastTensor(AsTensor(tensor), AsTensor(tensor)->dtype);
    if (!tensor) return false;
  }
  return true;
}

// Whether `out` can hold the result; an exception if not.
bool Fits(const ElementwiseRow& row, TensorObject* out, DType dtype,
          absl::Span<const int64_t> shape) {
  if (!RequireWritable(out, "output array is read-only")) return false;
  if (out->dtype != dtype) {
    PyErr_Format(PyExc_TypeError, "%s in place: the result has dtype %s, the tensor %s", row.name,
                 DTypeName(dtype), DTypeName(out->dtype));
    return false;
  }
  if (out->sizes() == shape) return true;
  Ref has = ShapeTuple(out->sizes());
  Ref needs = ShapeTuple(shape);
  if (has && needs) {
    PyErr_Format(PyExc_ValueError,
                 "non-broadcastable output operand with shape %R doesn't match the broadcast shape "
                 "%R",
                 has.get(), needs.get());
  }
  return false;
}

Ref NumpyOperand(Operand& operand, DType dtype) {
  if (operand.tensor) return NumpyView(AsTensor(operand.tensor));
  Ref scalar = NewTensor(dtype, {});
  if (!scalar) return Ref();
  std::memcpy(AsTensor(scalar)->data, operand.number, ItemSize(dtype));
  return NumpyView(AsTensor(scalar));
}

// By NumPy's function: for what has no loop that can run by itself (signed powers, which raise).
Ref RunByNumpy(const ElementwiseRow& row, Operands& operands, DType dtype, TensorObject* out) {
  Ref arrays[kMaxArity];
  for (int k = 0; k < operands.count; ++k) {
    arrays[k] = NumpyOperand(operands.all[k], dtype);
    if (!arrays[k]) return Ref();
  }
  Ref target = out != nullptr ? NumpyView(out) : Ref();
  if (out != nullptr && !target) return Ref();
  Ref result = numpy::CallUfuncOf(row.op, arrays[0].get(), arrays[1].get(), target.get());
  if (!result) return Ref();
  if (out != nullptr) return Ref::New(reinterpret_cast<PyObject*>(out));
  return TensorOverNumpy(result.get());
}

// The part of what is not complex.
Ref PartOfReal(const ElementwiseRow& row, TensorObject* tensor) {
  if (row.op == Op::kReal) return CastTensor(tensor, tensor->dtype);
  Ref zeros = NewTensor(tensor->dtype, tensor->sizes());
  if (zeros) std::memset(AsTensor(zeros)->data, 0, AsTensor(zeros)->block_bytes);
  return zeros;
}

Ref NotDefined(const ElementwiseRow& row, DType dtype) {
  PyErr_Format(PyExc_TypeError, "%s is not defined for %s", row.name, DTypeName(dtype));
  return Ref();
}

// More axes than loops are nested for: every operand is brought to the whole shape in C order.
bool MakeFlat(Operands& operands, absl::Span<const int64_t> shape) {
  for (int k = 0; k < operands.count; ++k) {
    Ref& tensor = operands.all[k].tensor;
    if (!tensor) continue;
    Ref whole = NewTensor(AsTensor(tensor)->dtype, shape);
    if (!whole || !CopyInto(AsTensor(whole), AsTensor(tensor))) return false;
    tensor = std::move(whole);
  }
  return true;
}

// A fresh result of the loop.
Ref RunFresh(const kernel::LibraryLoop& loop, Operands& operands, DType dtype,
             absl::Span<const int64_t> shape) {
  if (shape.size() > kMaxRank && !MakeFlat(operands, shape)) return Ref();
  const bool flat = IsFlat(operands, shape);
  Ref result = NewResult(operands, dtype, shape, flat);
  if (!result) return Ref();
  TensorObject* const target = AsTensor(result);
  RunNest(flat ? FlatNest(operands, target) : GeneralNest(operands, target), loop);
  return result;
}

// The result written into `out`.
Ref RunInto(const kernel::LibraryLoop& loop, Operands& operands, TensorObject* out) {
  Ref result = Ref::New(reinterpret_cast<PyObject*>(out));
  if (out->rank() > kMaxRank) {
    Ref fresh = RunFresh(loop, operands, out->dtype, out->sizes());
    return fresh && CopyInto(out, AsTensor(fresh)) ? result : Ref();
  }
  if (!KeepApart(operands, out)) return Ref();
  const bool flat = out->contiguous && IsFlat(operands, out->sizes());
  RunNest(flat ? FlatNest(operands, out) : GeneralNest(operands, out), loop);
  return result;
}

bool IsAnyBackwards(const Operands& operands) {
  return std::any_of(operands.all, operands.all + operands.count, [](const Operand& operand) {
    if (!operand.tensor || AsTensor(operand.tensor)->contiguous) return false;
    TensorObject* const tensor = AsTensor(operand.tensor);
    return std::any_of(tensor->strides(), tensor->strides() + tensor->rank(),
                       [](int64_t stride) { return stride < 0; });
  });
}

Ref RunLoop(const ElementwiseRow& row, kernel::LibraryLoop loop, Operands& operands, DType dtype,
            TensorObject* out) {
  Shape shape;
  if (!BroadcastShape(operands, &shape)) return Ref();
  const DType result_dtype = ResultOf(row.op, dtype);
  if (out != nullptr && !Fits(row, out, result_dtype, shape)) return Ref();
  if (!loop) return RunByNumpy(row, operands, dtype, out);
  if (IsAnyBackwards(operands)) loop = ForwardLoop(row.op, dtype, loop);
  return out != nullptr ? RunInto(loop, operands, out)
                        : RunFresh(loop, operands, result_dtype, shape);
}

}  // namespace

absl::Span<const ElementwiseRow> ElementwiseRows() { return kRows; }

const ElementwiseRow& Row(Elementwise function) { return kRows[static_cast<int>(function)]; }

DType ComputeDType(const ElementwiseRow& row, DType promoted) {
  return row.rule == InputRule::kFloating && !IsInexact(promoted) ? DType::kFloat64 : promoted;
}

namespace {

bool IsAnyOnDevice(absl::Span<const BorrowedRef> operands) {
  return std::any_of(operands.begin(), operands.end(), IsDeviceTensor);
}

// By a kernel, compiled once for such operands (embed/python/dynacc/_devices.py).
Ref RunElementwiseOnDevice(const ElementwiseRow& row, absl::Span<const BorrowedRef> from,
                           TensorObject* out) {
  for (const BorrowedRef operand : from) {
    if (!IsAnyTensor(operand) && !KindOfNumber(operand)) return Ref::New(Py_NotImplemented);
  }
  Ref name = Ref::Steal(PyUnicode_InternFromString(row.name));
  if (!name) return Ref();
  Ref result = from.size() == 1 ? CallPythonPart("on_device", {name.get(), from[0]})
                                : CallPythonPart("on_device", {name.get(), from[0], from[1]});
  if (!result || out == nullptr) return result;
  if (!Fits(row, out, AsTensor(result)->dtype, AsTensor(result)->sizes())) return Ref();
  return CopyInto(out, AsTensor(result)) ? Ref::New(reinterpret_cast<PyObject*>(out)) : Ref();
}

}  // namespace

Ref RunElementwise(const ElementwiseRow& row, absl::Span<const BorrowedRef> from,
                   TensorObject* out) {
  if (IsAnyOnDevice(from)) return RunElementwiseOnDevice(row, from, out);
  std::optional<DType> promoted;
  if (!PromoteAll(from, &promoted)) return Ref::New(Py_NotImplemented);
  if (!promoted) {
    PyErr_Format(PyExc_TypeError, "%s needs a tensor; all arguments are numbers", row.name);
    return Ref();
  }
  const DType dtype = ComputeDType(row, *promoted);
  if (row.rule == InputRule::kReal && IsComplex(dtype)) return NotDefined(row, dtype);
  if (row.rule == InputRule::kWhole && !IsInexact(dtype)) {
    return CastTensor(AsTensor(from[0]), dtype);
  }
  if (row.rule == InputRule::kPart && !IsComplex(dtype)) {
    return PartOfReal(row, AsTensor(from[0]));
  }
  const kernel::LibraryLoop loop = StandardLoop(row.op, dtype);
  const bool raises = row.op == Op::kPower && Info(dtype).kind == DTypeKind::kSigned;
  if (!loop && !raises) return NotDefined(row, dtype);
  Operands operands;
  if (!Prepare(from, dtype, &operands)) return Ref();
  return RunLoop(row, loop, operands, dtype, out);
}

Ref RunWhere(BorrowedRef condition, BorrowedRef a, BorrowedRef b) {
  if (IsAnyOnDevice({{condition, a, b}})) {
    Ref name = Ref::Steal(PyUnicode_InternFromString("where"));
    return name ? CallPythonPart("on_device", {name.get(), condition, a, b}) : Ref();
  }
  const BorrowedRef values[] = {a, b};
  std::optional<DType> promoted;
  if (!IsTensor(condition) || !PromoteAll(values, &promoted)) {
    PyErr_SetString(PyExc_TypeError, "where: expected tensors, or Python numbers for x1 and x2");
    return Ref();
  }
  if (!promoted) promoted = Promote(DefaultDType(*KindOfNumber(a)), DefaultDType(*KindOfNumber(b)));
  Operands operands;
  Shape shape;
  if (!Prepare({&condition, 1}, DType::kBool, &operands) ||
      !Prepare(values, *promoted, &operands) || !BroadcastShape(operands, &shape)) {
    return Ref();
  }
  return RunFresh(cpu::WhereLoop(*promoted), operands, *promoted, shape);
}

namespace {

// Of more axes than loops are nested for, by way of copies in C order, as NumPy lacks one of the
// dtypes.
bool ConvertFlat(TensorObject* to, TensorObject* from) {
  Operands operands;
  operands.count = 1;
  operands.all[0].tensor = NewTensor(from->dtype, to->sizes());
  Ref converted = NewTensor(to->dtype, to->sizes());
  if (!operands.all[0].tensor || !converted) return false;
  if (!CopyInto(AsTensor(operands.all[0].tensor), from)) return false;
  RunNest(FlatNest(operands, AsTensor(converted)), cpu::CastLoop(from->dtype, to->dtype));
  return CopyInto(to, AsTensor(converted));
}

}  // namespace

Ref CastTensor(TensorObject* tensor, DType dtype) {
  if (tensor->device != 0) {
    Ref name = Ref::Steal(PyUnicode_InternFromString("cast"));
    const BorrowedRef self = reinterpret_cast<PyObject*>(tensor);
    return name ? CallPythonPart("on_device", {name.get(), self, DTypeObject(dtype)}) : Ref();
  }
  Ref result = NewTensor(dtype, tensor->sizes());
  if (!result || !CopyInto(AsTensor(result), tensor)) return Ref();
  return result;
}

bool CopyInto(TensorObject* to, TensorObject* from) {
  if (to->device != 0 || from->device != 0) {
    Ref done = CallPythonPart("assign",
                              {reinterpret_cast<PyObject*>(to), reinterpret_cast<PyObject*>(from)});
    return static_cast<bool>(done);
  }
  Operands operands;
  operands.count = 1;
  operands.all[0].tensor = Ref::New(reinterpret_cast<PyObject*>(from));
  Shape shape(to->sizes().begin(), to->sizes().end());
  if (!BroadcastShape(operands, &shape)) return false;
  if (to->sizes() != absl::Span<const int64_t>(shape)) return BroadcastError(operands);
  if (to->block == nullptr && !KeepApart(operands, to)) return false;
  if (to->rank() <= kMaxRank) {
    from = AsTensor(operands.all[0].tensor);
    const bool flat = to->contiguous && IsFlat(operands, shape);
    if (flat && to->dtype == from->dtype && from->rank() == to->rank()) {
      std::memcpy(to->data, from->data, to->size() * ItemSize(to->dtype));
      return true;
    }
    RunNest(flat ? FlatNest(operands, to) : GeneralNest(operands, to),
            cpu::CastLoop(from->dtype, to->dtype));
    return true;
  }
  const bool same = to->dtype == from->dtype;
  if (!same && (IsLowPrecision(to->dtype) || IsLowPrecision(from->dtype))) {
    return ConvertFlat(to, from);
  }
  Ref target = AddressView(to);
  Ref source = AddressView(AsTensor(operands.all[0].tensor));
  return target && source && PyObject_SetItem(target.get(), Py_Ellipsis, source.get()) == 0;
}

void FillWith(TensorObject* to, const char* value) {
  Ref one = NewTensor(to->dtype, {});
  if (!one) return;
  std::memcpy(AsTensor(one)->data, value, ItemSize(to->dtype));
  CopyInto(to, AsTensor(one));
}

Ref NumpyView(TensorObject* tensor) {
  if (tensor->device != 0) {
    RaiseNotOnHost(tensor->device);
    return Ref();
  }
  if (Info(tensor->dtype).numpy == 0) {
    PyErr_Format(PyExc_TypeError,
                 "NumPy has no %s: dynacc.astype(x, dynacc.float32) is a tensor that it can take",
                 DTypeName(tensor->dtype));
    return Ref();
  }
  return AddressView(tensor);
}

Ref AddressView(TensorObject* tensor) {
  return numpy::NumpyOver(reinterpret_cast<PyObject*>(tensor),
                          {tensor->data, tensor->dtype, tensor->rank(), tensor->shape(),
                           tensor->strides(), !tensor->read_only});
}

Ref TensorOverNumpy(BorrowedRef object) {
  Ref array = numpy::UsableArray(object);
  if (!array) return Ref();
  const numpy::ArrayMemory memory = numpy::MemoryOf(array.get());
  const auto rank = static_cast<size_t>(memory.rank);
  return NewTensorOver(array, memory.data, memory.dtype, {memory.shape, rank},
                       {memory.strides, rank}, !memory.writable);
}

}  // namespace dynacc::tensor
