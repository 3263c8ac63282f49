#include "frontend/tensor/views.h"

#include <algorithm>
#include <utility>

#include "frontend/tensor/elementwise.h"

namespace dynacc::tensor {
namespace {

using Sizes = absl::Span<const int64_t>;

// The axis counted from 0; -1 with an exception set if there is none.
int64_t WrapAxis(int64_t axis, int rank) {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  PyErr_Format(PyExc_IndexError, "axis %lld is out of bounds for a tensor of dimension %d",
               static_cast<long long>(axis), rank);
  return -1;
}

Ref CannotReshape(TensorObject* tensor, Sizes shape) {
  Ref tuple = ShapeTuple(shape);
  if (tuple) {
    PyErr_Format(PyExc_ValueError, "cannot reshape a tensor of size %lld into shape %R",
                 static_cast<long long>(tensor->size()), tuple.get());
  }
  return Ref();
}

// Puts the missing size in the place of -1; false if the shape cannot hold `size` elements.
bool Complete(int64_t size, int64_t* shape, size_t rank) {
  int64_t known = 1;
  int64_t* missing = nullptr;
  for (size_t i = 0; i < rank; ++i) {
    if (shape[i] == -1 && missing == nullptr) {
      missing = &shape[i];
    } else if (shape[i] < 0 || __builtin_mul_overflow(known, shape[i], &known)) {
      return false;
    }
  }
  if (missing == nullptr) return known == size;
  if (known == 0 || size % known != 0) return false;
  *missing = size / known;
  return true;
}

// A run of axes that are walked as one in the old shape and in the new one.
struct AxisRun {
  size_t begin;
  size_t end;
};

// Whether the axes of the run lie in memory as one axis of C order.
bool IsOneAxis(Sizes shape, Sizes strides, AxisRun run) {
  for (size_t i = run.begin; i + 1 < run.end; ++i) {
    if (strides[i] != shape[i + 1] * strides[i + 1]) return false;
  }
  return true;
}

// Strides with which the elements (some, none of the old sizes is 1) lie in the new shape; false
// if there are none. As NumPy's _attempt_nocopy_reshape: runs of old and new axes that hold the
// same number of elements are taken together.
bool StridesWithoutCopy(Sizes old_shape, Sizes old_strides, Sizes shape, int64_t* strides) {
  AxisRun from = {0, 0};
  AxisRun to = {0, 0};
  int64_t last_stride = 0;
  while (from.begin < old_shape.size() && to.begin < shape.size()) {
    int64_t held = old_shape[from.begin];
    int64_t wanted = shape[to.begin];
    from.end = from.begin + 1;
    to.end = to.begin + 1;
    while (held != wanted) {
      if (wanted < held) {
        wanted *= shape[to.end++];
      } else {
        held *= old_shape[from.end++];
      }
    }
    if (!IsOneAxis(old_shape, old_strides, from)) return false;
    strides[to.end - 1] = old_strides[from.end - 1];
    for (size_t i = to.end - 1; i > to.begin; --i) strides[i - 1] = strides[i] * shape[i];
    last_stride = strides[to.end - 1];
    from.begin = from.end;
    to.begin = to.end;
  }
  for (size_t i = to.begin; i < shape.size(); ++i) strides[i] = last_stride;  // sizes of 1
  return true;
}

bool FindStrides(TensorObject* tensor, Sizes shape, int64_t* strides) {
  if (tensor->contiguous || tensor->size() == 0) {
    FillCOrder(shape, ItemSize(tensor->dtype), strides);
    return true;
  }
  int64_t old_shape[kMaxTensorRank];
  int64_t old_strides[kMaxTensorRank];
  size_t count = 0;
  for (int i = 0; i < tensor->rank(); ++i) {
    if (tensor->shape()[i] == 1) continue;
    old_shape[count] = tensor->shape()[i];
    old_strides[count++] = tensor->strides()[i];
  }
  return StridesWithoutCopy({old_shape, count}, {old_strides, count}, shape, strides);
}

}  // namespace

Ref PermuteDims(TensorObject* tensor, Sizes axes) {
  const int rank = tensor->rank();
  if (axes.size() != static_cast<size_t>(rank)) {
    PyErr_Format(PyExc_ValueError, "axes don't match the tensor: %zu axes for %d dimensions",
                 axes.size(), rank);
    return Ref();
  }
  int64_t shape[kMaxTensorRank];
  int64_t strides[kMaxTensorRank];
  uint64_t seen = 0;
  for (int i = 0; i < rank; ++i) {
    const int64_t axis = WrapAxis(axes[i], rank);
    if (axis < 0) return Ref();
    seen |= uint64_t{1} << axis;
    shape[i] = tensor->shape()[axis];
    strides[i] = tensor->strides()[axis];
  }
  if (seen != (uint64_t{1} << rank) - 1) {
    PyErr_SetString(PyExc_ValueError, "repeated axis in axes");
    return Ref();
  }
  const auto count = static_cast<size_t>(rank);
  return NewTensorView(tensor, tensor->data, tensor->dtype, {shape, count}, {strides, count});
}

Ref SwapLastAxes(TensorObject* tensor) {
  const int rank = tensor->rank();
  if (rank < 2) {
    PyErr_Format(PyExc_ValueError, "a matrix transpose needs 2 dimensions or more, not %d", rank);
    return Ref();
  }
  int64_t axes[kMaxTensorRank];
  for (int i = 0; i < rank; ++i) axes[i] = i;
  std::swap(axes[rank - 2], axes[rank - 1]);
  return PermuteDims(tensor, {axes, static_cast<size_t>(rank)});
}

Ref Reshape(TensorObject* tensor, Sizes wanted, std::optional<bool> copy) {
  if (wanted.size() > kMaxTensorRank) return NewTensor(tensor->dtype, wanted);  // sets the error
  int64_t shape_memory[kMaxTensorRank];
  int64_t strides[kMaxTensorRank];
  std::copy(wanted.begin(), wanted.end(), shape_memory);
  if (!Complete(tensor->size(), shape_memory, wanted.size())) return CannotReshape(tensor, wanted);
  const Sizes shape(shape_memory, wanted.size());
  if (!copy.value_or(false) && FindStrides(tensor, shape, strides)) {
    return NewTensorView(tensor, tensor->data, tensor->dtype, shape, {strides, shape.size()});
  }
  if (copy.has_value() && !*copy) {
    PyErr_SetString(PyExc_ValueError, "this reshape takes a copy, which copy=False forbids");
    return Ref();
  }
  Ref copied = CastTensor(tensor, tensor->dtype);
  if (!copied) return Ref();
  FillCOrder(shape, ItemSize(tensor->dtype), strides);
  return NewTensorView(AsTensor(copied), AsTensor(copied)->data, tensor->dtype, shape,
                       {strides, shape.size()});
}

Ref BroadcastTo(TensorObject* tensor, Sizes shape) {
  const int extra = static_cast<int>(shape.size()) - tensor->rank();
  int64_t strides[kMaxTensorRank] = {};
  bool fits = extra >= 0 && shape.size() <= kMaxTensorRank;
  for (int i = 0; fits && i < tensor->rank(); ++i) {
    const int64_t size = tensor->shape()[i];
    fits = size == shape[extra + i] || size == 1;
    strides[extra + i] = size == 1 ? 0 : tensor->strides()[i];
  }
  for (const int64_t size : shape) fits = fits && size >= 0;
  if (!fits) {
    Ref from = ShapeTuple(tensor->sizes());
    Ref to = ShapeTuple(shape);
    if (from && to) {
      PyErr_Format(PyExc_ValueError, "a tensor of shape %R cannot be broadcast to %R", from.get(),
                   to.get());
    }
    return Ref();
  }
  Ref view = NewTensorView(tensor, tensor->data, tensor->dtype, shape, {strides, shape.size()});
  if (view) AsTensor(view)->read_only = true;
  return view;
}

}  // namespace dynacc::tensor
