#include "frontend/tensor/constant.h"

#include <memory>
#include <utility>

#include "runtime/tensor/constant_memory.h"

namespace dynacc::tensor {
namespace {

// What constants own: every view of one keeps it.
constexpr char kName[] = "dynacc.constant";

struct Owned {
  Owned(Ref all, const MemoryBounds& bounds)
      : tensor(std::move(all)), memory(bounds.begin, bounds.end - bounds.begin) {}

  Ref tensor;
  ConstantMemory memory;  // goes first
};

void DropOwned(PyObject* capsule) {
  delete static_cast<Owned*>(PyCapsule_GetPointer(capsule, kName));
}

// The bytes between the tensor's first and last element. Rank is up to kMaxTensorRank here.
MemoryBounds BoundsOf(TensorObject* tensor) {
  MemoryBounds bounds = {tensor->data, tensor->data + ItemSize(tensor->dtype)};
  for (int i = 0; i < tensor->rank(); ++i) {
    if (tensor->shape()[i] == 0) return {tensor->data, tensor->data};
    const int64_t extent = (tensor->shape()[i] - 1) * tensor->strides()[i];
    (extent < 0 ? bounds.begin : bounds.end) += extent;
  }
  return bounds;
}

}  // namespace

Ref MakeConstant(Ref tensor) {
  TensorObject* const from = AsTensor(tensor);
  auto owned = std::make_unique<Owned>(std::move(tensor), BoundsOf(from));
  Ref capsule = Ref::Steal(PyCapsule_New(owned.get(), kName, DropOwned));
  if (!capsule) return Ref();
  static_cast<void>(owned.release());  // the capsule's
  const auto rank = static_cast<size_t>(from->rank());
  return NewTensorOver(std::move(capsule), from->data, from->dtype, from->sizes(),
                       {from->strides(), rank}, /*read_only=*/true, from->device);
}

bool IsConstant(TensorObject* tensor) {
  return tensor->owner != nullptr && PyCapsule_IsValid(tensor->owner, kName) != 0;
}

bool RequireWritable(TensorObject* tensor, const char* message) {
  if (!tensor->read_only) return true;
  PyErr_SetString(PyExc_ValueError, IsConstant(tensor) ? "a constant cannot be changed: "
                                                         "dynacc.asarray(x, copy=True) is a tensor "
                                                         "of its elements that can"
                                                       : message);
  return false;
}

}  // namespace dynacc::tensor
