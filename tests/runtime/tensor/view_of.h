// A vector's elements as an array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/tensor/strided_view.h"

namespace dynacc::testing {

// A view of C-ordered memory.
template <typename T>
StridedView ViewOf(std::vector<T>& data, DType dtype, std::vector<int64_t> shape) {
  StridedView view;
  view.data = reinterpret_cast<char*>(data.data());
  view.dtype = dtype;
  view.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), view.shape);
  SetContiguousStrides(view);
  return view;
}

}  // namespace dynacc::testing
