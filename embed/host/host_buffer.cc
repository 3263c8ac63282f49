#include "embed/host/host_buffer.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "embed/host/array_struct.h"
#include "embed/host/element_types.h"
#include "embed/host/errors.h"
#include "runtime/base/status_macros.h"

namespace dynacc {
namespace {

struct HostBuffer {
  PyObject_HEAD TensorView view;  // constructed in place by MakeHostBuffer
  std::shared_ptr<void> owner;
};

bool IsAligned(const TensorView& view, int64_t alignment) {
  const auto misaligned = [alignment](int64_t bytes) { return bytes % alignment != 0; };
  return !misaligned(reinterpret_cast<intptr_t>(view.data)) &&
         std::none_of(view.strides.begin(), view.strides.end(), misaligned);
}

int FlagsOf(const TensorView& view, const ElementRow& row) {
  return kArrayNativeOrder | (view.writable ? kArrayWritable : 0) |
         (IsAligned(view, row.alignment) ? kArrayAligned : 0);
}

// The struct and, behind it in the capsule's context, what keeps its arrays alive.
struct Exported {
  ArrayStruct array;
  PyObject* buffer;
};

void DropExported(PyObject* capsule) {
  auto* exported = static_cast<Exported*>(PyCapsule_GetPointer(capsule, nullptr));
  Py_DECREF(exported->buffer);
  delete exported;
}

PyObject* GetArrayStruct(PyObject* self, void*) {
  TensorView& view = reinterpret_cast<HostBuffer*>(self)->view;
  const ElementRow& row = *RowOf(view.type);
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  auto* exported =
      new Exported{{2, static_cast<int>(view.shape.size()), row.kind, static_cast<int>(row.size),
                    FlagsOf(view, row), reinterpret_cast<Py_ssize_t*>(view.shape.data()),
                    reinterpret_cast<Py_ssize_t*>(view.strides.data()), view.data, nullptr},
                   self};
  PyObject* capsule = PyCapsule_New(exported, nullptr, DropExported);
  if (capsule == nullptr) {
    delete exported;
    return nullptr;
  }
  Py_INCREF(self);
  return capsule;
}

void Deallocate(PyObject* self) {
  auto* buffer = reinterpret_cast<HostBuffer*>(self);
  PyTypeObject* type = Py_TYPE(self);
  buffer->view.~TensorView();
  buffer->owner.~shared_ptr();
  type->tp_free(self);
  Py_DECREF(type);
}

PyTypeObject* HostBufferType() {
  static PyGetSetDef attributes[] = {
      {"__array_struct__", GetArrayStruct, nullptr, "The memory, for numpy.asarray.", nullptr}, {}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
      {Py_tp_getset, attributes},
      {Py_tp_doc, const_cast<char*>("Memory of the C++ program that hosts Python.")},
      {0, nullptr}};
  static PyType_Spec spec = {"dynacc.HostBuffer", sizeof(HostBuffer), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  static auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return type;
}

std::vector<int64_t> ContiguousStrides(const std::vector<int64_t>& shape, int64_t element_size) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = element_size;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = step;
    step *= std::max<int64_t>(shape[axis], 1);
  }
  return strides;
}

}  // namespace

absl::Status CheckView(const TensorView& view) {
  const auto wrong = [&view](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("an array of shape (", absl::StrJoin(view.shape, ", "), ") ", what));
  };
  if (RowOf(view.type) == nullptr) {
    return wrong(absl::StrCat("has the unknown element type ", static_cast<int>(view.type)));
  }
  int64_t elements = 1;
  for (const int64_t length : view.shape) {
    if (length < 0) return wrong("has a negative length");
    if (__builtin_mul_overflow(elements, length, &elements)) return wrong("is too large");
  }
  if (view.data == nullptr && elements > 0) return wrong("has no data");
  if (view.device < 0) return wrong(absl::StrCat("is on device ", view.device));
  if (!view.strides.empty() && view.strides.size() != view.shape.size()) {
    return wrong(absl::StrCat("has ", view.strides.size(), " strides"));
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorView> CompleteView(TensorView view) {
  DYNACC_RETURN_IF_ERROR(CheckView(view));
  if (view.strides.empty()) view.strides = ContiguousStrides(view.shape, RowOf(view.type)->size);
  return view;
}

absl::StatusOr<Ref> MakeHostBuffer(const TensorView& view, std::shared_ptr<void> owner) {
  DYNACC_ASSIGN_OR_RETURN(TensorView complete, CompleteView(view));
  PyTypeObject* type = HostBufferType();
  auto* buffer = type == nullptr ? nullptr : PyObject_New(HostBuffer, type);
  if (buffer == nullptr) return TakeException();
  new (&buffer->view) TensorView(std::move(complete));
  new (&buffer->owner) std::shared_ptr<void>(std::move(owner));
  return Ref::Steal(reinterpret_cast<PyObject*>(buffer));
}

}  // namespace dynacc
