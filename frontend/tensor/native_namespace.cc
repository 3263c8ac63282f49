#include "frontend/tensor/native_namespace.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/ir/input_dependence.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/guards/array_checks.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/exchange.h"
#include "frontend/numpy/trace/gather.h"
#include "frontend/numpy/trace/in_place.h"
#include "frontend/numpy/trace/matmul.h"
#include "frontend/numpy/trace/numpy_namespace.h"
#include "frontend/numpy/trace/scatter.h"
#include "frontend/numpy/trace/storage.h"
#include "frontend/numpy/trace/stores.h"
#include "frontend/numpy/trace/subscript.h"
#include "frontend/numpy/trace/views.h"
#include "frontend/tensor/device_tensor.h"
#include "frontend/tensor/dtype_object.h"
#include "frontend/tensor/elementwise.h"
#include "frontend/tensor/low_precision.h"
#include "frontend/tensor/native_functions.h"
#include "frontend/tensor/numpy_calls.h"
#include "frontend/tensor/promotion.h"
#include "frontend/tensor/tensor_object.h"
#include "frontend/tensor/value_mapping.h"
#include "runtime/base/status_macros.h"
#include "runtime/executor/offload.h"

namespace dynacc::tensor {
namespace {

bool IsReadableTensor(BorrowedRef object) {
  return IsAnyTensor(object) && AsTensor(object)->rank() <= kMaxRank;
}

// --- Guards ----------------------------------------------------------------------------------

const guards::ArrayChecks* numpy_checks = nullptr;

// The rank and the device of a guard as one number.
int64_t PlaceOf(TensorObject* tensor) {
  return tensor->rank() + int64_t{kMaxTensorRank + 1} * tensor->device;
}

bool CheckTensor(BorrowedRef value, DType dtype, int place) {
  return IsAnyTensor(value) && AsTensor(value)->dtype == dtype && PlaceOf(AsTensor(value)) == place;
}

int64_t Dim(BorrowedRef value, int axis) {
  if (!IsAnyTensor(value)) return numpy_checks->dim(value, axis);
  return axis < AsTensor(value)->rank() ? AsTensor(value)->shape()[axis] : -1;
}

bool IsContiguous(BorrowedRef value) {
  return IsAnyTensor(value) ? AsTensor(value)->contiguous : numpy_checks->is_contiguous(value);
}

bool IsWritable(BorrowedRef value) {
  return IsAnyTensor(value) ? !AsTensor(value)->read_only : numpy_checks->is_writable(value);
}

bool ReadArray(BorrowedRef value, ReadSet& reads) {
  return !IsAnyTensor(value) && numpy_checks->read_array(value, reads);
}

std::string Describe(BorrowedRef value) {
  if (!IsAnyTensor(value)) return numpy_checks->describe(value);
  TensorObject* tensor = AsTensor(value);
  return absl::StrCat(Info(tensor->dtype).text, " tensor of rank ", tensor->rank(), ", shape (",
                      absl::StrJoin(tensor->sizes(), ", "), ")",
                      tensor->device == 0 ? "" : absl::StrCat(" on cuda:", tensor->device - 1));
}

void RegisterChecks() {
  static guards::ArrayChecks checks;
  numpy_checks = &guards::RegisteredArrayChecks();
  checks = *numpy_checks;
  checks.check_tensor = CheckTensor;
  checks.read_array = ReadArray;
  checks.dim = Dim;
  checks.is_contiguous = IsContiguous;
  checks.is_writable = IsWritable;
  checks.describe = Describe;
  checks.device_of = [](BorrowedRef value) {
    return IsDeviceTensor(value) ? AsTensor(value)->device : 0;
  };
  guards::RegisterArrayChecks(&checks);
}

// --- Values ----------------------------------------------------------------------------------

// Whether a tensor is among the arguments, in sequences too.
bool HasNative(const arrays::CallArgs& args) {
  return std::any_of(args.positional.begin(), args.positional.end(),
                     [](symbolic::Value* value) { return tensor::HasNative(value); }) ||
         std::any_of(args.keywords.begin(), args.keywords.end(),
                     [](const auto& keyword) { return tensor::HasNative(keyword.second); });
}

// Whether a tensor of rank 0, which NumPy takes for a number, is in a key.
bool HasNumberAmong(symbolic::Value* key) {
  if (const numpy::NumpyTensor* tensor = AsNative(key)) return tensor->node->rank() == 0;
  auto* const tuple = symbolic::As<symbolic::TupleValue>(key);
  return tuple != nullptr && std::any_of(tuple->items.begin(), tuple->items.end(), HasNumberAmong);
}

// Whether a list, which NumPy takes for an array, is in a key.
bool HasListAmong(symbolic::Value* key) {
  auto* const tuple = symbolic::As<symbolic::TupleValue>(key);
  if (tuple == nullptr) return symbolic::As<symbolic::ListValue>(key) != nullptr;
  return std::any_of(tuple->items.begin(), tuple->items.end(), HasListAmong);
}

bool IsNumberOrNative(symbolic::Value* value) {
  return AsNative(value) != nullptr || symbolic::As<symbolic::TensorValue>(value) == nullptr;
}

// Whether a tensor deals with the operands itself. A NumPy scalar on its right is a number to it if
// it is Python's, too; any other one, and one on its left, leaves the operator to NumPy.
bool AreTensorsOwn(symbolic::Value* a, symbolic::Value* b) {
  const bool is_right_number = AsNative(a) != nullptr && KindOfScalar(b).has_value();
  return IsNumberOrNative(a) && (IsNumberOrNative(b) || is_right_number);
}

bool HasMaskIn(symbolic::Value* key) {
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(key))
    return tensor->node->dtype == DType::kBool;
  auto* tuple = symbolic::As<symbolic::TupleValue>(key);
  return tuple != nullptr && std::any_of(tuple->items.begin(), tuple->items.end(), HasMaskIn);
}

// `a[key] = value` on a device, where tensors of integers are in the key.
absl::Status StoreAtIndices(symbolic::TraceContext& trace, numpy::NumpyTensor* a,
                            symbolic::Value* key, symbolic::Value* value) {
  if (HasMaskIn(key))
    return symbolic::GraphBreak("a write to a part that a mask and others choose");
  const numpy::NumpyTensor* const from = AsNative(value);
  if (from != nullptr && from->node->dtype != a->node->dtype) {
    return symbolic::GraphBreak("a tensor of another dtype stored through indices");
  }
  DYNACC_RETURN_IF_ERROR(numpy::RequireWritable(trace, a));
  return numpy::StoreThroughIndices(trace, a, key, value);
}

// The tensor of rank 0 of a NumPy scalar that is stored in the tensor `a`.
absl::StatusOr<symbolic::Value*> AsStored(symbolic::TraceContext& trace,
                                          const numpy::NumpyTensor* a,
                                          symbolic::TensorValue* scalar) {
  const DType dtype = a->node->dtype;
  if (KindOfScalar(scalar) && !IsInexact(dtype)) {
    return symbolic::GraphBreak("a float stored in a tensor of integers");
  }
  if (IsComplex(scalar->node->dtype) && !IsComplex(dtype)) {
    return symbolic::RaisingBreak("a complex number stored in a tensor of real ones");
  }
  symbolic::Value* const arguments[] = {scalar};
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * tensor, TraceFromNumpy(trace, arguments));
  const bool converts = !IsInexact(scalar->node->dtype) || IsInexact(dtype);
  return converts ? CopyIn(trace, AsNative(tensor), dtype) : tensor;
}

Elementwise FunctionOf(int nb_op) {
  switch (nb_op) {
#define DYNACC_BINARY_OPERATOR(nb, slot, function, name, ufunc, tensor, ...) \
  case NB_##nb:                                                              \
    return Elementwise::k_##tensor;
#define DYNACC_OTHER_OPERATOR(...)
#include "frontend/symbolic/binary_operators.def"
#undef DYNACC_BINARY_OPERATOR
#undef DYNACC_OTHER_OPERATOR
    default:
      return Elementwise::k_pow;
  }
}

absl::StatusOr<numpy::NumpyTensor*> OutOfPlace(symbolic::TraceContext& trace, int nb_op,
                                               symbolic::Value* a, symbolic::Value* b) {
  symbolic::Value* const operands[] = {a, b};
  if (nb_op == NB_MATRIX_MULTIPLY) {
    if (AsNative(a) == nullptr || AsNative(b) == nullptr) {
      return symbolic::RaisingBreak("a matrix product with a number");
    }
    return TraceNativeProduct(trace, AsNative(a), AsNative(b));
  }
  return TraceElementwise(trace, Row(FunctionOf(nb_op)), operands);
}

absl::StatusOr<symbolic::Value*> DeviceOf(symbolic::TraceContext& trace,
                                          symbolic::TensorValue* self) {
  const BorrowedRef object = DeviceObject(TracedDevice(trace, self));
  if (object != nullptr) return trace.New<symbolic::ConstantValue>(Ref::New(object));
  PyErr_Clear();
  return symbolic::GraphBreak("a tensor's device");
}

// The result must have the dtype and shape that the tensor has.
absl::Status Update(symbolic::TraceContext& trace, numpy::NumpyTensor* target,
                    numpy::NumpyTensor* result) {
  if (target->node->dtype != result->node->dtype) {
    return symbolic::RaisingBreak("an update in place with a result of another dtype");
  }
  return numpy::UpdateInPlace(trace, target, result);
}

}  // namespace

NativeNamespace::NativeNamespace(arrays::ArrayNamespace& numpy) : numpy_(numpy) {
  RegisterChecks();
}

bool NativeNamespace::IsArray(BorrowedRef object) const {
  return IsAnyTensor(object) ? IsReadableTensor(object) : numpy_.IsArray(object);
}

arrays::ArrayNamespace& NativeNamespace::Numpy(symbolic::TraceContext& trace) {
  trace.NoteReportsErrors();
  return numpy_;
}

absl::StatusOr<symbolic::TensorValue*> NativeNamespace::Wrap(symbolic::TraceContext& trace,
                                                             BorrowedRef object,
                                                             const sources::Source* source) {
  if (!IsReadableTensor(object)) return numpy_.Wrap(trace, object, source);
  TensorObject* from = AsTensor(object);
  trace.AddGuard(guards::GuardKind::kTensor, source, nullptr, PlaceOf(from),
                 static_cast<int64_t>(from->dtype));
  std::vector<ScalarId> shape;
  for (int axis = 0; axis < from->rank(); ++axis) {
    shape.push_back(trace.Dim(source, axis, from->shape()[axis]));
  }
  auto* tensor = trace.New<numpy::NumpyTensor>(
      trace.ArrayInput(source, from->dtype, shape), /*is_scalar=*/false,
      std::vector<int64_t>(from->sizes().begin(), from->sizes().end()), source);
  if (from->contiguous) tensor->c_order = std::vector<const sources::Source*>{source};
  tensor->is_native = true;
  tensor->input = tensor->node;
  // Its memory, as the storage of arrays looks at it.
  tensor->memory = AddressView(from);
  tensor->device = from->device;
  PyErr_Clear();
  if (!tensor->memory) return symbolic::GraphBreak("no memory for a view");
  DYNACC_RETURN_IF_ERROR(numpy::CheckApartFromWritten(trace, tensor));
  trace.NoteExisting(tensor, object);
  return tensor;
}

PyTypeObject* NativeNamespace::TypeOf(const symbolic::TensorValue& tensor) const {
  if (!tensor.is_native) return numpy_.TypeOf(tensor);
  // A result may be on a device, too; nothing asks of those.
  return static_cast<const numpy::NumpyTensor&>(tensor).device != 0 ? DeviceTensorType()
                                                                    : TensorType();
}

bool NativeNamespace::KnowsCallable(BorrowedRef callable) const {
  // A dtype is used by identity, as functions are.
  return IsNativeFunction(callable) || AsDType(callable).has_value() ||
         numpy_.KnowsCallable(callable);
}

bool NativeNamespace::OwnsModule(BorrowedRef object) const {
  if (numpy_.OwnsModule(object)) return true;
  if (!PyModule_Check(object) || TensorType() == nullptr) return false;
  PyObject* name = PyDict_GetItemString(PyModule_GetDict(object), "__name__");
  return name != nullptr && PyUnicode_Check(name) &&
         (OwnsModuleName(name) || PyUnicode_CompareWithASCIIString(name, "dynacc") == 0);
}

bool NativeNamespace::OwnsModuleName(BorrowedRef name) const {
  if (numpy_.OwnsModuleName(name)) return true;
  const char* text = PyUnicode_CheckExact(name) ? PyUnicode_AsUTF8(name) : nullptr;
  if (text == nullptr) PyErr_Clear();
  return text != nullptr && absl::StartsWith(text, "dynacc.");
}

Ref NativeNamespace::CallableAttribute(BorrowedRef callable, absl::string_view name) const {
  if (const std::optional<DType> dtype = AsDType(callable); dtype && name == "dtype") {
    if (Info(*dtype).numpy == 0) return Ref();
    return Ref::New(reinterpret_cast<PyObject*>(numpy::Descr(*dtype)));
  }
  return numpy_.CallableAttribute(callable, name);
}

absl::StatusOr<symbolic::Value*> NativeNamespace::CallOnNumbers(
    symbolic::TraceContext& trace, BorrowedRef function, absl::Span<symbolic::Value* const> args) {
  std::vector<symbolic::Value*> numbers(args.begin(), args.end());
  for (symbolic::Value*& number : numbers) {  // NumPy has no narrow ones
    numpy::NumpyTensor* const tensor = AsNative(number);
    if (tensor == nullptr || !IsLowPrecision(tensor->node->dtype)) continue;
    number = CopyIn(trace, tensor, DType::kFloat32);
  }
  return numpy_.CallOnNumbers(trace, function, numbers);
}

absl::StatusOr<symbolic::Value*> NativeNamespace::Call(symbolic::TraceContext& trace,
                                                       BorrowedRef callable,
                                                       const arrays::CallArgs& args) {
  if (AsDType(callable)) return symbolic::RaisingBreak("a call of a dtype");
  if (IsNativeFunction(callable)) {
    if (!args.keywords.empty())
      return symbolic::RaisingBreak("keywords that a function does not take");
    return CallNativeFunction(trace, callable, args.positional);
  }
  if (!HasNative(args)) return Numpy(trace).Call(trace, callable, args);
  if (!IsHandedOver(callable, args)) return symbolic::GraphBreak("a NumPy function of a tensor");
  return CallWithArrays(trace, Numpy(trace), callable, args);
}

absl::StatusOr<symbolic::Value*> NativeNamespace::CallMethod(symbolic::TraceContext& trace,
                                                             symbolic::TensorValue* self,
                                                             absl::string_view name,
                                                             const arrays::CallArgs& args) {
  if (!self->is_native) {
    if (HasNative(args)) return symbolic::GraphBreak("a NumPy method with a tensor");
    return Numpy(trace).CallMethod(trace, self, name, args);
  }
  if (name != "__abs__") return symbolic::GraphBreak(absl::StrCat("tensor method ", name));
  DYNACC_ASSIGN_OR_RETURN(
      numpy::NumpyTensor * result,
      TraceElementwise(trace, Row(Elementwise::k_abs), {static_cast<symbolic::Value*>(self)}));
  return result;
}

absl::StatusOr<symbolic::Value*> NativeNamespace::Attribute(symbolic::TraceContext& trace,
                                                            symbolic::TensorValue* self,
                                                            absl::string_view name) {
  if (!self->is_native) return numpy_.Attribute(trace, self, name);
  if (name == "shape" || name == "ndim" || name == "size") {
    return numpy_.Attribute(trace, self, name);
  }
  if (name == "dtype") {
    return trace.New<symbolic::ConstantValue>(Ref::New(DTypeObject(self->node->dtype)));
  }
  if (name == "device") return DeviceOf(trace, self);
  const int rank = self->node->rank();
  if (name == "mT" || name == "T") {
    if (rank < 2 || (name == "T" && rank != 2))
      return symbolic::RaisingBreak("a transpose of other ranks");
    std::vector<int64_t> axes;
    for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
    std::swap(axes[rank - 2], axes[rank - 1]);
    return MakeNative(numpy::TransposedView(trace, numpy::AsNumpy(self), axes));
  }
  return symbolic::GraphBreak(absl::StrCat("tensor attribute ", name));
}

absl::StatusOr<symbolic::Value*> NativeNamespace::Binary(symbolic::TraceContext& trace, int nb_op,
                                                         bool in_place, symbolic::Value* a,
                                                         symbolic::Value* b) {
  if (AsNative(a) == nullptr && AsNative(b) == nullptr) {
    return Numpy(trace).Binary(trace, nb_op, in_place, a, b);
  }
  if (!AreTensorsOwn(a, b)) {
    return BinaryWithArray(trace, Numpy(trace), nb_op, in_place, a, b);
  }
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * result, OutOfPlace(trace, nb_op, a, b));
  numpy::NumpyTensor* const target = AsNative(a);
  if (!in_place || target == nullptr) return result;
  if (nb_op == NB_MATRIX_MULTIPLY) return symbolic::GraphBreak("in-place matrix product");
  DYNACC_RETURN_IF_ERROR(Update(trace, target, result));
  return target;
}

absl::StatusOr<symbolic::Value*> NativeNamespace::Compare(symbolic::TraceContext& trace,
                                                          int compare_op, symbolic::Value* a,
                                                          symbolic::Value* b) {
  if (AsNative(a) == nullptr && AsNative(b) == nullptr) {
    return Numpy(trace).Compare(trace, compare_op, a, b);
  }
  if (!AreTensorsOwn(a, b)) {
    return CompareWithArray(trace, Numpy(trace), compare_op, a, b);
  }
  static constexpr Elementwise kFunctions[] = {
      Elementwise::k_less,      Elementwise::k_less_equal, Elementwise::k_equal,
      Elementwise::k_not_equal, Elementwise::k_greater,    Elementwise::k_greater_equal};
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * result,
                          TraceElementwise(trace, Row(kFunctions[compare_op]), {a, b}));
  return result;
}

absl::StatusOr<symbolic::Value*> NativeNamespace::Unary(symbolic::TraceContext& trace, int opcode,
                                                        symbolic::TensorValue* a) {
  if (!a->is_native) return Numpy(trace).Unary(trace, opcode, a);
  const Elementwise function = opcode == UNARY_NEGATIVE   ? Elementwise::k_negative
                               : opcode == UNARY_POSITIVE ? Elementwise::k_positive
                                                          : Elementwise::k_bitwise_invert;
  DYNACC_ASSIGN_OR_RETURN(
      numpy::NumpyTensor * result,
      TraceElementwise(trace, Row(function), {static_cast<symbolic::Value*>(a)}));
  return result;
}

absl::StatusOr<symbolic::Value*> NativeNamespace::Subscript(symbolic::TraceContext& trace,
                                                            symbolic::TensorValue* a,
                                                            symbolic::Value* key) {
  if (!a->is_native) {
    if (HasNumberAmong(key)) return symbolic::GraphBreak("an array indexed by a tensor of rank 0");
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * plain, WithArrays(trace, key));
    return Numpy(trace).Subscript(trace, a, plain);
  }
  if (HasNative(key) || HasListAmong(key)) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * gathered,
                            numpy::Gather(trace, numpy::AsNumpy(a), key));
    auto* const elements = numpy::AsNumpy(symbolic::As<symbolic::TensorValue>(gathered));
    if (elements->node->rank() == 0)
      return symbolic::GraphBreak("an element that a tensor chooses");
    return MakeNative(elements);
  }
  DYNACC_ASSIGN_OR_RETURN(const numpy::SubscriptedPart part,
                          numpy::PartAt(trace, numpy::AsNumpy(a), key));
  return MakeNative(
      numpy::NewViewTensor(trace, numpy::AsNumpy(a), part.node, part.shape, part.c_order));
}

absl::Status NativeNamespace::StoreInArray(symbolic::TraceContext& trace, numpy::NumpyTensor* a,
                                           symbolic::Value* key, symbolic::Value* value) {
  if (HasNumberAmong(key)) return symbolic::GraphBreak("an array indexed by a tensor of rank 0");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * plain_key, WithArrays(trace, key));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * plain, WithArrays(trace, value));
  return Numpy(trace).StoreSubscript(trace, a, plain_key, plain);
}

absl::Status NativeNamespace::StoreSubscript(symbolic::TraceContext& trace,
                                             symbolic::TensorValue* a, symbolic::Value* key,
                                             symbolic::Value* value) {
  if (!a->is_native) return StoreInArray(trace, numpy::AsNumpy(a), key, value);
  if (auto* const array = symbolic::As<symbolic::TensorValue>(value);
      array != nullptr && array->is_scalar) {
    DYNACC_ASSIGN_OR_RETURN(value, AsStored(trace, numpy::AsNumpy(a), array));
  }
  auto* const mask = symbolic::As<symbolic::TensorValue>(key);
  if (!HasNative(key) || (mask != nullptr && mask->node->dtype == DType::kBool)) {
    return numpy_.StoreSubscript(trace, a, key, value);
  }
  if (TracedDevice(trace, a) != 0) {
    if (!IsNumberOrNative(value))
      return symbolic::GraphBreak("an array stored in a tensor on a device");
    return StoreAtIndices(trace, numpy::AsNumpy(a), key, value);
  }
  // As the eager function does it: on arrays over the memory.
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * target, WithArrays(trace, a));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * plain_key, WithArrays(trace, key));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * plain, WithArrays(trace, value));
  return numpy_.StoreSubscript(trace, symbolic::As<symbolic::TensorValue>(target), plain_key,
                               plain);
}

void NativeNamespace::Read(BorrowedRef object, StridedView* view, void* storage) const {
  if (!IsAnyTensor(object)) return numpy_.Read(object, view, storage);
  ReadTensor(AsTensor(object), view);  // guarded to be of a rank that kernels take
}

// The memory of tensors is always kept.
PyObject* NativeNamespace::NewArray(StridedView& view, bool is_native, bool keeps_memory) const {
  if (!is_native) return numpy_.NewArray(view, false, keeps_memory);
  const auto rank = static_cast<size_t>(view.rank);
  Ref tensor = NewTensor(view.dtype, {view.shape, rank}, {view.strides, rank});
  if (tensor) view.data = AsTensor(tensor)->data;
  return tensor.Release();
}

PyObject* NativeNamespace::NewView(BorrowedRef base, const StridedView& view,
                                   bool is_native) const {
  const auto rank = static_cast<size_t>(view.rank);
  const absl::Span<const int64_t> shape(view.shape, rank);
  const absl::Span<const int64_t> strides(view.strides, rank);
  if (!IsAnyTensor(base)) {
    if (!is_native) return numpy_.NewView(base, view, false);
    const bool read_only = !numpy::MemoryOf(base).writable;
    return NewTensorOver(Ref::New(base), view.data, view.dtype, shape, strides, read_only)
        .Release();
  }
  TensorObject* tensor = AsTensor(base);
  if (!is_native && tensor->device != 0) {
    RaiseNotOnHost(tensor->device);
    return nullptr;
  }
  if (is_native) return NewTensorView(tensor, view.data, view.dtype, shape, strides).Release();
  return numpy::NumpyOver(
             base, {view.data, view.dtype, view.rank, view.shape, view.strides, !tensor->read_only})
      .Release();
}

Ref NativeNamespace::ObjectOf(const executor::LibraryCallResult& result, bool is_native) const {
  if (const auto* on_device = dynamic_cast<const executor::DeviceResult*>(&result)) {
    Ref tensor = TensorOfResult(on_device->view, on_device->memory, on_device->device);
    if (!tensor) PyErr_Clear();
    return tensor;
  }
  Ref object = numpy_.ObjectOf(result, false);
  if (!is_native) return object;
  Ref tensor = TensorOverNumpy(object.get());
  const DType dtype = result.view.dtype;
  if (tensor && IsLowPrecision(dtype)) tensor = LowPrecisionOfBits(AsTensor(tensor), dtype);
  if (!tensor) PyErr_Clear();
  return tensor;
}

absl::Status CheckNative() { return absl::OkStatus(); }

arrays::ArrayNamespace* LoadNativeNamespace() {
  static NativeNamespace* loaded = nullptr;  // lives as long as the process, as NumPy does
  if (loaded == nullptr) {
    arrays::ArrayNamespace* numpy = numpy::LoadNumpyNamespace();
    if (numpy != nullptr) loaded = new NativeNamespace(*numpy);
  }
  return loaded;
}

}  // namespace dynacc::tensor
