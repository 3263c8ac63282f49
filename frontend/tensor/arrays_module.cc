#include "frontend/tensor/arrays_module.h"

#include <algorithm>
#include <string>

#include "frontend/arrays/array_namespace.h"
#include "frontend/numpy/trace/callables.h"
#include "frontend/numpy/trace/exchange.h"
#include "frontend/tensor/constant.h"
#include "frontend/tensor/custom_operators.h"
#include "frontend/tensor/device_tensor.h"
#include "frontend/tensor/dlpack.h"
#include "frontend/tensor/dtype_object.h"
#include "frontend/tensor/elementwise.h"
#include "frontend/tensor/low_precision.h"
#include "frontend/tensor/native_functions.h"
#include "frontend/tensor/numbers.h"
#include "frontend/tensor/product.h"
#include "frontend/tensor/promotion.h"
#include "frontend/tensor/tensor_type.h"
#include "frontend/tensor/views.h"
#include "runtime/tensor/memory_overlap.h"

namespace dynacc::tensor {
namespace {

// --- Arguments -------------------------------------------------------------------------------

bool HasCount(Py_ssize_t count, Py_ssize_t wanted, const char* name) {
  if (count == wanted) return true;
  PyErr_Format(PyExc_TypeError, "%s() takes %zd positional arguments but %zd were given", name,
               wanted, count);
  return false;
}

TensorObject* RequireTensor(BorrowedRef object) {
  if (IsAnyTensor(object)) return AsTensor(object);
  PyErr_Format(PyExc_TypeError, "expected a dynacc.Tensor, not %.200s", Py_TYPE(object)->tp_name);
  return nullptr;
}

// Sizes or axes: an integer or a sequence of them.
struct Integers {
  int64_t values[kMaxTensorRank];
  size_t count = 0;

  absl::Span<const int64_t> span() const { return {values, count}; }
  bool Append(BorrowedRef item) {
    if (count == kMaxTensorRank) {
      PyErr_Format(PyExc_ValueError, "a tensor has at most %d dimensions", kMaxTensorRank);
      return false;
    }
    const Py_ssize_t value = PyNumber_AsSsize_t(item, PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred()) return false;
    values[count++] = value;
    return true;
  }
  bool Read(BorrowedRef object) {
    if (PyIndex_Check(object)) return Append(object);
    Ref items = Ref::Steal(PySequence_Fast(object, "expected an int or a tuple of ints"));
    if (!items) return false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
      if (!Append(PySequence_Fast_GET_ITEM(items.get(), i))) return false;
    }
    return true;
  }
};

// --- Functions -------------------------------------------------------------------------------

// NotImplemented is for operators; a function says what it does not take.
PyObject* OrTypeError(Ref result, const char* name) {
  if (result.get() != Py_NotImplemented) return result.Release();
  PyErr_Format(PyExc_TypeError, "%s() takes tensors and Python numbers", name);
  return nullptr;
}

template <Elementwise kFunction>
PyObject* CallElementwise(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  const ElementwiseRow& row = Row(kFunction);
  if (!HasCount(count, row.arity, row.name)) return nullptr;
  return OrTypeError(RunElementwise(row, {arguments, static_cast<size_t>(count)}), row.name);
}

PyObject* Where(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!HasCount(count, 3, "where")) return nullptr;
  return RunWhere(arguments[0], arguments[1], arguments[2]).Release();
}

PyObject* Cast(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!HasCount(count, 2, "cast")) return nullptr;
  TensorObject* tensor = RequireTensor(arguments[0]);
  if (tensor == nullptr) return nullptr;
  const std::optional<DType> dtype = RequireDType(arguments[1]);
  return dtype ? CastTensor(tensor, *dtype).Release() : nullptr;
}

PyObject* Product(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!HasCount(count, 2, "product")) return nullptr;
  TensorObject* a = RequireTensor(arguments[0]);
  TensorObject* b = a == nullptr ? nullptr : RequireTensor(arguments[1]);
  return b == nullptr ? nullptr : MultiplyTensors(a, b).Release();
}

PyObject* Convolve(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  Integers shape, strides, dilations;
  if (!HasCount(count, 5, "convolve")) return nullptr;
  TensorObject* images = RequireTensor(arguments[0]);
  TensorObject* matrix = images == nullptr ? nullptr : RequireTensor(arguments[1]);
  if (matrix == nullptr || !shape.Read(arguments[2]) || !strides.Read(arguments[3]) ||
      !dilations.Read(arguments[4])) {
    return nullptr;
  }
  return ConvolveTensors(images, matrix, shape.span(), strides.span(), dilations.span()).Release();
}

PyObject* Permute(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  Integers axes;
  if (!HasCount(count, 2, "permute")) return nullptr;
  TensorObject* tensor = RequireTensor(arguments[0]);
  if (tensor == nullptr || !axes.Read(arguments[1])) return nullptr;
  return PermuteDims(tensor, axes.span()).Release();
}

PyObject* ReshapeTo(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  Integers shape;
  if (!HasCount(count, 3, "reshape")) return nullptr;
  TensorObject* tensor = RequireTensor(arguments[0]);
  if (tensor == nullptr || !shape.Read(arguments[1])) return nullptr;
  std::optional<bool> copy;
  if (arguments[2] != Py_None) copy = PyObject_IsTrue(arguments[2]) == 1;
  return Reshape(tensor, shape.span(), copy).Release();
}

PyObject* Broadcast(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  Integers shape;
  if (!HasCount(count, 2, "broadcast_to")) return nullptr;
  TensorObject* tensor = RequireTensor(arguments[0]);
  if (tensor == nullptr || !shape.Read(arguments[1])) return nullptr;
  return BroadcastTo(tensor, shape.span()).Release();
}

PyObject* Empty(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  Integers shape;
  if (!HasCount(count, 2, "empty") || !shape.Read(arguments[0])) return nullptr;
  const std::optional<DType> dtype = RequireDType(arguments[1]);
  return dtype ? NewTensor(*dtype, shape.span()).Release() : nullptr;
}

PyObject* Full(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  Integers shape;
  if (!HasCount(count, 3, "full") || !shape.Read(arguments[0])) return nullptr;
  const std::optional<DType> dtype = RequireDType(arguments[1]);
  if (!dtype) return nullptr;
  const std::optional<NumberKind> kind = KindOfNumber(arguments[2]);
  if (!kind || (*kind == NumberKind::kComplex && !IsComplex(*dtype))) {
    PyErr_Format(PyExc_TypeError, "a tensor of %s cannot be filled with %R", DTypeName(*dtype),
                 arguments[2]);
    return nullptr;
  }
  alignas(Complex128) char element[kMaxItemSize];
  if (!StoreNumber(arguments[2], *kind, *dtype, element)) return nullptr;
  Ref tensor = NewTensor(*dtype, shape.span());
  if (!tensor) return nullptr;
  FillWith(AsTensor(tensor), element);
  return PyErr_Occurred() ? nullptr : tensor.Release();
}

PyObject* ToNumpy(PyObject*, PyObject* object) {
  TensorObject* tensor = RequireTensor(object);
  return tensor == nullptr ? nullptr : NumpyView(tensor).Release();
}

PyObject* FromNumpy(PyObject*, PyObject* object) {
  if (numpy::IsNumpyObject(object)) return TensorOverNumpy(object).Release();
  PyErr_Format(PyExc_TypeError, "expected a NumPy array, not %.200s", Py_TYPE(object)->tp_name);
  return nullptr;
}

PyObject* ToCapsule(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!HasCount(count, 3, "to_dlpack")) return nullptr;
  TensorObject* tensor = RequireTensor(arguments[0]);
  if (tensor == nullptr) return nullptr;
  return ExportDlpack(tensor, arguments[1] == Py_True, arguments[2] == Py_True).Release();
}

PyObject* FromCapsule(PyObject*, PyObject* capsule) { return ImportDlpack(capsule).Release(); }

PyObject* OwnsMemory(PyObject*, PyObject* object) {
  TensorObject* tensor = RequireTensor(object);
  return tensor == nullptr ? nullptr : PyBool_FromLong(tensor->owner == nullptr);
}

PyObject* RequireWritableTensor(PyObject*, PyObject* object) {
  TensorObject* tensor = RequireTensor(object);
  if (tensor == nullptr || !RequireWritable(tensor)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* ConstantOver(PyObject*, PyObject* object) {
  return RequireTensor(object) == nullptr ? nullptr : MakeConstant(Ref::New(object)).Release();
}

PyObject* IsConstantTensor(PyObject*, PyObject* object) {
  TensorObject* tensor = RequireTensor(object);
  return tensor == nullptr ? nullptr : PyBool_FromLong(IsConstant(tensor));
}

PyObject* IsReadOnly(PyObject*, PyObject* object) {
  TensorObject* tensor = RequireTensor(object);
  return tensor == nullptr ? nullptr : PyBool_FromLong(tensor->read_only);
}

// The dtype of tensors, dtypes and Python numbers together.
PyObject* ResultType(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  std::optional<DType> promoted;
  std::optional<NumberKind> number;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const BorrowedRef argument = arguments[i];
    if (const std::optional<NumberKind> kind = KindOfNumber(argument)) {
      number = number ? std::max(*number, *kind) : *kind;
      continue;
    }
    const std::optional<DType> dtype =
        IsAnyTensor(argument) ? AsTensor(argument)->dtype : RequireDType(argument);
    if (!dtype) return nullptr;
    promoted = promoted ? Promote(*promoted, *dtype) : *dtype;
  }
  if (promoted && number) promoted = PromoteNumber(*promoted, *number);
  if (!promoted && number) promoted = DefaultDType(*number);
  if (promoted) return Py_NewRef(DTypeObject(*promoted));
  PyErr_SetString(PyExc_ValueError, "result_type() needs at least one argument");
  return nullptr;
}

PyObject* NumpyDTypeOf(PyObject*, PyObject* object) {
  const std::optional<DType> dtype = RequireDType(object);
  if (!dtype) return nullptr;
  if (Info(*dtype).numpy != 0) return Py_NewRef(numpy::NumpyDType(*dtype));
  PyErr_Format(PyExc_TypeError, "NumPy has no %s", DTypeName(*dtype));
  return nullptr;
}

PyObject* IsOfKindNamed(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!HasCount(count, 2, "is_of_kind")) return nullptr;
  const std::optional<DType> dtype = RequireDType(arguments[0]);
  const char* letters = dtype ? PyUnicode_AsUTF8(arguments[1]) : nullptr;
  return letters == nullptr ? nullptr : PyBool_FromLong(IsOfKind(*dtype, letters));
}

PyObject* FirstOf(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count > 0) return Py_NewRef(arguments[0]);
  PyErr_SetString(PyExc_TypeError, "there is no value");
  return nullptr;
}

// --- Narrow floats ---------------------------------------------------------------------------

PyObject* FindAmong(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!HasCount(count, 2, "low_precision_among")) return nullptr;
  return ObjectOf(FindLowPrecision(arguments[0], arguments[1])).Release();
}

PyObject* WithFloat32(PyObject*, PyObject* value) { return InFloat32(value).Release(); }

PyObject* WithLowPrecision(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!HasCount(count, 2, "rounded")) return nullptr;
  const std::optional<DType> dtype = RequireDType(arguments[1]);
  return dtype ? Rounded(arguments[0], *dtype).Release() : nullptr;
}

PyObject* ToBits(PyObject*, PyObject* object) {
  TensorObject* tensor = RequireTensor(object);
  return tensor == nullptr ? nullptr : BitsOfLowPrecision(tensor).Release();
}

PyObject* OfBits(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!HasCount(count, 2, "of_bits")) return nullptr;
  TensorObject* tensor = RequireTensor(arguments[0]);
  const std::optional<DType> dtype = tensor == nullptr ? std::nullopt : RequireDType(arguments[1]);
  return dtype ? LowPrecisionOfBits(tensor, *dtype).Release() : nullptr;
}

PyObject* ErrorsOff(PyObject*, PyObject*) { return numpy::SwitchErrorsOff().Release(); }

PyObject* ErrorsBack(PyObject*, PyObject* before) {
  if (!numpy::SwitchErrorsBack(before)) return nullptr;
  Py_RETURN_NONE;
}

// --- Devices ---------------------------------------------------------------------------------

// Tensor, number of the device (0: the host): a copy there.
PyObject* CopyTo(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!HasCount(count, 2, "copy_to")) return nullptr;
  TensorObject* tensor = RequireTensor(arguments[0]);
  if (tensor == nullptr) return nullptr;
  const auto device = static_cast<int>(PyLong_AsLong(arguments[1]));
  if (PyErr_Occurred()) return nullptr;
  if (device == 0)
    return (tensor->device == 0 ? CastTensor(tensor, tensor->dtype) : CopyToHost(tensor)).Release();
  if (tensor->device == 0) return CopyToDevice(tensor, device).Release();
  Ref copy = CopyBetweenDevices(tensor, device);
  if (copy || PyErr_Occurred()) return copy.Release();
  Ref host = CopyToHost(tensor);
  return host ? CopyToDevice(AsTensor(host), device).Release() : nullptr;
}

PyObject* DeviceNumber(PyObject*, PyObject* object) {
  TensorObject* tensor = RequireTensor(object);
  return tensor == nullptr ? nullptr : PyLong_FromLong(tensor->device);
}

PyObject* OverlapOf(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!HasCount(count, 2, "may_overlap")) return nullptr;
  StridedView views[2];
  for (int i = 0; i < 2; ++i) {
    TensorObject* tensor = RequireTensor(arguments[i]);
    if (tensor == nullptr) return nullptr;
    if (!ReadTensor(tensor, &views[i])) Py_RETURN_TRUE;
  }
  return PyBool_FromLong(MayOverlap(views[0], views[1]));
}

PyObject* CountDevices(PyObject*, PyObject*) { return PyLong_FromLong(DeviceCount()); }

PyObject* RaiseFailure(PyObject*, PyObject*) {
  if (RaiseDeviceFailure()) return nullptr;
  Py_RETURN_NONE;
}

template <bool (*kFunction)(int, uint64_t)>
PyObject* WithStream(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (!HasCount(count, 2, "with_stream")) return nullptr;
  const auto device = static_cast<int>(PyLong_AsLong(arguments[0]));
  const uint64_t stream = PyLong_AsUnsignedLongLong(arguments[1]);
  if (PyErr_Occurred() || !kFunction(device, stream)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* StreamOf(PyObject*, PyObject* number) {
  const auto device = static_cast<int>(PyLong_AsLong(number));
  const uint64_t handle = PyErr_Occurred() ? 0 : TensorStreamHandle(device);
  return handle == 0 ? nullptr : PyLong_FromUnsignedLongLong(handle);
}

PyObject* AddressOf(PyObject*, PyObject* object) {
  TensorObject* tensor = RequireTensor(object);
  if (tensor == nullptr) return nullptr;
  Ref strides = ShapeTuple({tensor->strides(), static_cast<size_t>(tensor->rank())});
  if (!strides) return nullptr;
  return Py_BuildValue("(KOO)", reinterpret_cast<unsigned long long>(tensor->data),
                       tensor->contiguous ? Py_None : strides.get(),
                       tensor->read_only ? Py_True : Py_False);
}

// Owner, address, dtype, shape, strides (None: C order), read_only, device (0: the address's own).
PyObject* OverDeviceMemory(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  Integers shape, strides;
  if (!HasCount(count, 7, "over_device_memory") || !shape.Read(arguments[3])) return nullptr;
  const uint64_t address = PyLong_AsUnsignedLongLong(arguments[1]);
  const std::optional<DType> dtype = RequireDType(arguments[2]);
  auto device = static_cast<int>(PyLong_AsLong(arguments[6]));
  if (PyErr_Occurred() || !dtype) return nullptr;
  if (arguments[4] != Py_None) {
    if (!strides.Read(arguments[4])) return nullptr;
  } else {
    strides.count = shape.count;
    FillCOrder(shape.span(), ItemSize(*dtype), strides.values);
  }
  if (strides.count != shape.count) {
    PyErr_SetString(PyExc_ValueError, "as many strides as sizes are needed");
    return nullptr;
  }
  if (device == 0) device = DeviceOfAddress(address);
  if (device == 0) return nullptr;
  return TensorOverDeviceMemory(Ref::New(arguments[0]), reinterpret_cast<char*>(address), *dtype,
                                shape.span(), strides.span(), arguments[5] == Py_True, device)
      .Release();
}

#define DYNACC_FASTCALL(function) \
  reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), METH_FASTCALL
#define DYNACC_PARAMETERS_1 "($module, x, /)\n--\n\n"
#define DYNACC_PARAMETERS_2 "($module, x1, x2, /)\n--\n\n"

// The functions that make subgraphs exist in a trace alone.
PyObject* OnlyTraced(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_RuntimeError, "a part of control flow is called outside of a trace");
  return nullptr;
}

// trace_as(function, form): where captured code calls the function, a Python function of the same
// arguments is traced.
PyObject* TraceAs(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 2 || !PyCallable_Check(args[0]) || !PyFunction_Check(args[1])) {
    PyErr_SetString(PyExc_TypeError, "trace_as takes a function, and one written in Python");
    return nullptr;
  }
  numpy::LearnCallable(args[0]).inlined = Ref::New(args[1]);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
#define DYNACC_ELEMENTWISE(name, arity, op, rule, meaning)         \
  {#name, DYNACC_FASTCALL(CallElementwise<Elementwise::k_##name>), \
   #name DYNACC_PARAMETERS_##arity "Element by element: " meaning "."},
#include "frontend/tensor/elementwise.def"
#undef DYNACC_ELEMENTWISE
    {"where", DYNACC_FASTCALL(Where),
     "where($module, condition, x1, x2, /)\n--\n\nx1 where condition is true, else x2."},
    {"result_type", DYNACC_FASTCALL(ResultType),
     "result_type($module, /, *arrays_and_dtypes)\n--\n\nThe dtype that these have together."},
    {"product", DYNACC_FASTCALL(Product),
     "The matrix product of large tensors of float32 or bfloat16; None: it is NumPy's."},
    {"cast", DYNACC_FASTCALL(Cast), "A copy in another dtype."},
    {"convolve", DYNACC_FASTCALL(Convolve),
     "The product of windows of images by a matrix; None: NumPy's, of copied windows."},
    {"trace_as", DYNACC_FASTCALL(TraceAs),
     "trace_as(function, form): calls of the function are traced as calls of the form."},
    {"permute", DYNACC_FASTCALL(Permute), "A view with the axes in another order."},
    {"reshape", DYNACC_FASTCALL(ReshapeTo), "Tensor, shape, copy: the elements in that shape."},
    {"broadcast_to", DYNACC_FASTCALL(Broadcast), "A read-only view of that shape."},
    {"empty", DYNACC_FASTCALL(Empty), "Shape, dtype: a tensor of unspecified contents."},
    {"full", DYNACC_FASTCALL(Full), "Shape, dtype, number: a tensor of that number."},
    {"low_precision_among", DYNACC_FASTCALL(FindAmong),
     "Args, kwargs: None without low-precision floats, a dtype if results of float32 are to be "
     "rounded to "
     "it, else True."},
    {"in_float32", WithFloat32, METH_O,
     "The value with float32 for the low-precision floats in it."},
    {"rounded", DYNACC_FASTCALL(WithLowPrecision),
     "Value, dtype: with that for the float32 in it."},
    {"bits", ToBits, METH_O, "A view of a tensor of low-precision floats as unsigned integers."},
    {"of_bits", DYNACC_FASTCALL(OfBits),
     "Tensor of such integers, dtype: a view as low-precision floats."},
    {"to_numpy", ToNumpy, METH_O, "A NumPy array over the tensor's memory."},
    {"from_numpy", FromNumpy, METH_O, "A tensor over a NumPy array's memory."},
    {"to_dlpack", DYNACC_FASTCALL(ToCapsule), "Tensor, versioned, is_copy: a DLPack capsule."},
    {"from_dlpack", FromCapsule, METH_O, "A tensor over the memory of a DLPack capsule."},
    {"copy_to", DYNACC_FASTCALL(CopyTo), "Tensor, number of a device: a copy there."},
    {"device_number", DeviceNumber, METH_O, "0: host memory; n: CUDA device n - 1."},
    {"may_overlap", DYNACC_FASTCALL(OverlapOf), "Whether two tensors may share memory."},
    {"device_count", CountDevices, METH_NOARGS, "How many CUDA devices there are."},
    {"raise_failure", RaiseFailure, METH_NOARGS, "Raises why the last run on a device failed."},
    {"let_stream_wait", DYNACC_FASTCALL(WithStream<LetStreamWait>),
     "Device, stream: its later work starts after the tensors' so far."},
    {"wait_for_stream", DYNACC_FASTCALL(WithStream<WaitForStream>),
     "Device, stream: later work of tensors starts after its so far."},
    {"stream_of", StreamOf, METH_O, "The handle of a device's stream for tensors."},
    {"address_of", AddressOf, METH_O, "Address, strides (None: C order), whether it is read-only."},
    {"over_device_memory", DYNACC_FASTCALL(OverDeviceMemory),
     "A tensor over device memory that another object owns."},
    {"numpy_dtype", NumpyDTypeOf, METH_O, "The numpy.dtype of the same elements."},
    {"is_of_kind", DYNACC_FASTCALL(IsOfKindNamed), "Dtype, letters of biufc: whether it is one."},
    {"stop_gradient", [](PyObject*, PyObject* value) { return Py_NewRef(value); }, METH_O,
     "The value, a constant for derivatives of what it is captured in."},
    {"checkpoint", [](PyObject*, PyObject* value) { return Py_NewRef(value); }, METH_O,
     "The value; what is captured of it is computed again for derivatives."},
    {"end_checkpoint", [](PyObject*, PyObject* value) { return Py_NewRef(value); }, METH_O,
     "The value; what is captured of it is not computed again."},
    {"cotangent", [](PyObject*, PyObject* value) { return Py_NewRef(value); }, METH_O,
     "The value; where captured, the cotangent that arrives at it."},
    {"custom_gradient", DYNACC_FASTCALL(FirstOf),
     "Value, its cotangent, number of arguments, these, gradients by them: the value."},
    {"is_traced", [](PyObject*, PyObject*) { return Py_NewRef(Py_False); }, METH_NOARGS,
     "Whether the call is captured."},
    {"errors_off", ErrorsOff, METH_NOARGS, "NumPy reports no floating-point errors from now on."},
    {"errors_back", ErrorsBack, METH_O, "Sets what errors_off gave."},
    {"begin_derivatives", [](PyObject*, PyObject*) { return Py_NewRef(Py_None); }, METH_NOARGS,
     "From here on what is captured has the gradients of dynacc._gradient_rules."},
    {"end_derivatives", [](PyObject*, PyObject*) { return Py_NewRef(Py_None); }, METH_NOARGS,
     "Ends what begin_derivatives began."},
    {"begin_subgraph", [](PyObject*, PyObject*) { return Py_NewRef(Py_None); }, METH_NOARGS,
     "Begins the trace of a graph of its own; None where nothing is traced."},
    {"parameter", OnlyTraced, METH_VARARGS,
     "Subgraph, array, whether its first axis goes: an array of it, of any value."},
    {"end_subgraph", OnlyTraced, METH_VARARGS, "Subgraph, *what it gives: ends the trace."},
    {"cond_of", OnlyTraced, METH_VARARGS, "Condition, two subgraphs: what one of them gives."},
    {"loop_of", OnlyTraced, METH_VARARGS,
     "Body, condition or None, number of carries, length or None, reverse, *carries, *arrays of "
     "slices: the last carries and arrays of slices."},
    {"batch_of", OnlyTraced, METH_VARARGS,
     "Subgraph, size, *for each parameter an array with that axis in front, or None: (results, "
     "whether each has the axis)."},
    {"refuse", OnlyTraced, METH_VARARGS, "Text: why what is traced is no graph."},
    {"derivatives_of", OnlyTraced, METH_VARARGS,
     "Subgraph, mode, numbers of its parameters, numbers of its results, *its arguments, "
     "*cotangents "
     "or tangents: results and derivatives."},
    {"owns_memory", OwnsMemory, METH_O, "Whether the tensor is no view."},
    {"require_writable", RequireWritableTensor, METH_O, "ValueError if the tensor is read-only."},
    {"constant_over", ConstantOver, METH_O,
     "A constant over the tensor's memory, which nobody else may have."},
    {"is_constant", IsConstantTensor, METH_O, "Whether the tensor is a constant or a view of one."},
    {"is_read_only", IsReadOnly, METH_O, "Whether the tensor refuses to be written to."},
    {nullptr, nullptr, 0, nullptr},
};

bool RequireNumpy() {
  Ref numpy = Ref::Steal(PyImport_ImportModule("numpy"));
  if (!numpy) return false;
  if (arrays::LoadedArrayNamespace() != nullptr) return true;
  const absl::Status status = arrays::CheckArrayLibraries();
  const std::string why(status.ok() ? "it was not loaded" : status.message());
  PyErr_SetString(PyExc_ImportError,
                  ("dynacc's tensors compute with NumPy 1.23 to 2.5: " + why).c_str());
  return false;
}

bool AddTypes(BorrowedRef module) {
  if (!MakeDTypeObjects() || !MakeTensorType() || !MakeDeviceTensorType()) return false;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (PyModule_AddObjectRef(module, DTypeName(dtype), DTypeObject(dtype)) < 0) return false;
  }
  auto* const tensor = reinterpret_cast<PyObject*>(TensorType());
  auto* const dtype = reinterpret_cast<PyObject*>(DTypeType());
  auto* const on_device = reinterpret_cast<PyObject*>(DeviceTensorType());
  return PyModule_AddObjectRef(module, "Tensor", tensor) == 0 &&
         PyModule_AddObjectRef(module, "DeviceTensor", on_device) == 0 &&
         PyModule_AddObjectRef(module, "DType", dtype) == 0;
}

}  // namespace

Ref ArraysModule() {
  static PyObject* made = nullptr;  // under the GIL; lives as long as the process
  if (made != nullptr) return Ref::New(made);
  if (!RequireNumpy()) return Ref();
  // Named as the package, by which its functions and dtypes are pickled.
  Ref module = Ref::Steal(PyModule_New("dynacc"));
  if (!module || PyModule_AddFunctions(module.get(), functions) < 0 ||
      PyModule_AddFunctions(module.get(), OperatorFunctions()) < 0 || !AddTypes(module.get())) {
    return Ref();
  }
  LearnNativeFunctions(module.get());
  made = Py_NewRef(module.get());
  return module;
}

}  // namespace dynacc::tensor
