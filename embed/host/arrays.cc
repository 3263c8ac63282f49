#include "embed/host/arrays.h"

#include "embed/host/array_struct.h"
#include "embed/host/device_arrays.h"
#include "embed/host/element_types.h"
#include "embed/host/errors.h"
#include "embed/host/host_buffer.h"
#include "embed/host/object_handle.h"
#include "frontend/arrays/loaded_libraries.h"
#include "frontend/numpy/trace/exchange.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

// numpy.NAME, looked up once: the interpreter, and so NumPy, stays in the process.
BorrowedRef NumPyName(PyObject** slot, const char* name) {
  if (*slot == nullptr) {
    Ref numpy = Ref::Steal(PyImport_ImportModule("numpy"));
    if (numpy) *slot = PyObject_GetAttrString(numpy.get(), name);
  }
  return *slot;
}

// The `__array_struct__` of an object, as a capsule; empty without one.
Ref ArrayStructOf(BorrowedRef object) {
  Ref capsule = Ref::Steal(PyObject_GetAttrString(object, "__array_struct__"));
  if (!capsule) PyErr_Clear();
  return capsule && PyCapsule_CheckExact(capsule.get()) ? capsule : Ref();
}

// By NumPy's C API, which is several times as fast; needs a NumPy that DynaCC knows.
Ref DirectArrayOver(const TensorView& view, BorrowedRef owner) {
  return numpy::NumpyOver(owner, {static_cast<char*>(view.data), DTypeOf(view.type),
                                  static_cast<int>(view.shape.size()), view.shape.data(),
                                  view.strides.data(), view.writable});
}

Ref ArrayByProtocol(BorrowedRef buffer) {
  static PyObject* asarray = nullptr;
  if (NumPyName(&asarray, "asarray") == nullptr) return Ref();
  return Ref::Steal(PyObject_CallOneArg(asarray, buffer));
}

}  // namespace

absl::StatusOr<Ref> ArrayOver(const TensorView& view, std::shared_ptr<void> owner) {
  DYNACC_ASSIGN_OR_RETURN(TensorView complete, CompleteView(view));
  if (complete.device != 0 || IsLowPrecision(DTypeOf(complete.type))) {
    return NativeTensorOver(complete, std::move(owner));
  }
  const bool owned = owner != nullptr;
  Ref buffer;
  if (owned || !arrays::ArraysAreLoaded()) {
    DYNACC_ASSIGN_OR_RETURN(buffer, MakeHostBuffer(complete, std::move(owner)));
  }
  Ref array = arrays::ArraysAreLoaded() ? DirectArrayOver(complete, buffer.get())
                                        : ArrayByProtocol(buffer.get());
  if (!array) return TakeException();
  return array;
}

std::optional<Tensor> PlainTensorOf(BorrowedRef object) {
  if (!arrays::ArraysAreLoaded()) return std::nullopt;
  const std::optional<numpy::ArrayMemory> memory = numpy::PlainMemory(object);
  if (!memory) return std::nullopt;
  TensorView view{memory->data, ElementTypeOf(memory->dtype), {}, {}, memory->writable};
  view.shape.assign(memory->shape, memory->shape + memory->rank);
  view.strides.assign(memory->strides, memory->strides + memory->rank);
  return TensorAccess::Make(std::move(view), Share(Ref::New(object)));
}

absl::StatusOr<std::optional<Tensor>> TensorOf(BorrowedRef object) {
  const Ref capsule = ArrayStructOf(object);
  if (!capsule) return std::nullopt;
  const auto* array = static_cast<ArrayStruct*>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (array == nullptr) return TakeException();
  const std::optional<ElementType> type = ElementTypeOf(array->kind, array->element_size);
  if (!type.has_value() || !(array->flags & kArrayNativeOrder)) {
    return std::nullopt;
  }
  TensorView view{array->data, *type, {}, {}, (array->flags & kArrayWritable) != 0};
  view.shape.assign(array->shape, array->shape + array->rank);
  view.strides.assign(array->strides, array->strides + array->rank);
  return TensorAccess::Make(std::move(view), Share(Ref::New(object)));
}

bool IsArrayScalar(BorrowedRef object) {
  static PyObject* generic = nullptr;
  if (PyDict_GetItemString(PyImport_GetModuleDict(), "numpy") == nullptr) return false;
  BorrowedRef type = NumPyName(&generic, "generic");
  const int result = type == nullptr ? -1 : PyObject_IsInstance(object, type);
  if (result < 0) PyErr_Clear();
  return result > 0;
}

Tensor Tensor::Adopt(TensorView view, std::function<void()> release) {
  // The pointer only has to be there: the deleter is what counts.
  static char anchor;
  std::shared_ptr<void> owner(&anchor, [release = std::move(release)](void*) {
    if (release) release();
  });
  absl::StatusOr<TensorView> complete = CompleteView(view);
  // A view that is wrong is reported by the call that it is given to.
  return TensorAccess::Make(complete.ok() ? *std::move(complete) : std::move(view),
                            std::move(owner));
}

}  // namespace dynacc
