#include "codegen/targets/reference/reference_tensor.h"

#include <algorithm>

namespace dynacc::reference {

int64_t ReferenceTensor::size() const {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  return count;
}

StridedView ReferenceTensor::View() {
  StridedView view;
  view.data = at(0);
  view.dtype = dtype;
  view.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), view.shape);
  SetContiguousStrides(view);
  return view;
}

ReferenceTensor MakeTensor(DType dtype, std::vector<int64_t> shape) {
  ReferenceTensor tensor{.dtype = dtype, .shape = std::move(shape), .storage = {}};
  const size_t bytes = static_cast<size_t>(tensor.size()) * ItemSize(dtype);
  tensor.storage.resize(bytes / sizeof(std::max_align_t) + 1);
  return tensor;
}

void NextIndex(absl::Span<const int64_t> shape, absl::Span<int64_t> index) {
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (++index[axis] < shape[axis]) return;
    index[axis] = 0;
  }
}

int64_t PositionOf(absl::Span<const int64_t> shape, absl::Span<const int64_t> index) {
  int64_t position = 0;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    position = position * shape[axis] + index[axis];
  return position;
}

}  // namespace dynacc::reference
