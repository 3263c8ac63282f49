#include "frontend/tensor/product.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "boost/container/small_vector.hpp"
#include "frontend/cpython/thread_end.h"
#include "frontend/tensor/elementwise.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/matmul/ordered_matmul.h"
#include "runtime/cpu/onednn/array_matmul.h"
#include "runtime/cpu/onednn/packed_weights.h"
#include "runtime/cpu/onednn/window_matmul.h"
#include "runtime/executor/matmul_step.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/ops/op.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::tensor {
namespace {

using Sizes = boost::container::small_vector<int64_t, kMaxRank>;

bool IsLibrarys(TensorObject* tensor, int least_rank = 2) {
  return tensor->device == 0 && tensor->rank() >= least_rank && tensor->rank() <= kMaxRank;
}

// `view` with another axis of size 1, before its last one.
StridedView WithRow(StridedView view) {
  const int last = view.rank - 1;
  view.shape[view.rank] = view.shape[last];
  view.strides[view.rank] = view.strides[last];
  ++view.rank;
  view.shape[last] = 1;
  view.strides[last] *= view.shape[view.rank - 1];
  return view;
}

// The product's sizes, rank 2 and more; none if the operands' do not fit.
Sizes ProductSizes(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  Sizes sizes;
  if (a[a.size() - 1] != b[b.size() - 2]) return sizes;
  sizes.resize(std::max(a.size(), b.size()), 1);
  for (const absl::Span<const int64_t> operand : {a, b}) {
    const size_t missing = sizes.size() - operand.size();
    for (size_t axis = missing; axis + 2 < sizes.size(); ++axis) {
      const int64_t size = operand[axis - missing];
      if (size != 1 && sizes[axis] != 1 && sizes[axis] != size) {
        sizes.clear();
        return sizes;
      }
      if (size != 1) sizes[axis] = size;
    }
  }
  sizes[sizes.size() - 2] = a[a.size() - 2];
  sizes[sizes.size() - 1] = b[b.size() - 1];
  return sizes;
}

// What `compute` makes of the two tensors' memory, without the GIL; None where oneDNN refuses.
using Compute =
    absl::FunctionRef<absl::Status(const StridedView& a, const StridedView& b, StridedView& out)>;
Ref Computed(TensorObject* a, TensorObject* b, DType dtype, const Sizes& sizes, Compute compute) {
  Ref result = NewTensor(dtype, sizes);
  if (!result) return result;
  StridedView left, right, out;
  ReadTensor(a, &left);
  ReadTensor(b, &right);
  ReadTensor(AsTensor(result), &out);
  absl::Status status;
  PyThreadState* const state = PyEval_SaveThread();
  {
    const platform::ScopedFpFlags flags;
    status = compute(left, right, out);
  }
  UpToThreadEnd([state] { PyEval_RestoreThread(state); });
  return status.ok() ? std::move(result) : Ref::New(Py_None);
}

// Whether captured code multiplies by a loop whose bits depend on nothing but the operands'
// numbers, and gives a result in C order.
bool IsInOrder(DType dtype, const Sizes& sizes) {
  const bool is_empty = absl::c_linear_search(sizes, 0);
  const bool is_float = dtype == DType::kFloat32 || dtype == DType::kFloat64;
  return is_float && !is_empty && sizes.size() <= 3 && cpu::ProductsAreInOrder(dtype);
}

// `sizes`: of the result, a row at least.
cpu::MatmulWork WorkOf(absl::Span<const int64_t> sizes, int64_t inner) {
  double rows = 1;
  for (const int64_t size : sizes.subspan(0, sizes.size() - 1)) rows *= static_cast<double>(size);
  return {rows * static_cast<double>(inner) * static_cast<double>(sizes.back()), rows == 1};
}

cpu::MatmulWork WorkOf(TensorObject* a, TensorObject* b, absl::Span<const int64_t> sizes) {
  StridedView weights;
  ReadTensor(b, &weights);
  cpu::MatmulWork work = WorkOf(sizes, a->sizes().back());
  work.is_low_precision = a->dtype == DType::kBFloat16;
  work.has_constant_weights = cpu::AreConstantWeights(weights);
  return work;
}

// The windows of `images` of the given shape (ConvolveTensors), which overlap.
StridedView WindowsOf(const StridedView& images, absl::Span<const int64_t> axes,
                      absl::Span<const int64_t> shape, absl::Span<const int64_t> strides,
                      absl::Span<const int64_t> dilations) {
  const auto spatial = static_cast<int>(strides.size());
  StridedView windows = images;
  windows.rank = static_cast<int>(shape.size());
  for (int d = 0; d < windows.rank; ++d) {
    const bool is_place = d >= 1 && d <= spatial, is_filter = d > spatial && d <= 2 * spatial;
    const int64_t step = is_place ? strides[d - 1] : is_filter ? dilations[d - 1 - spatial] : 1;
    windows.shape[d] = shape[d];
    windows.strides[d] = images.strides[axes[d]] * step;
  }
  return windows;
}

}  // namespace

Ref MultiplyTensors(TensorObject* a, TensorObject* b) {
  if (!IsLibrarys(a, 1) || !IsLibrarys(b) || a->dtype != b->dtype) return Ref::New(Py_None);
  const bool is_vector = a->rank() == 1;
  const int64_t row[] = {1, a->sizes().back()};
  Sizes sizes = ProductSizes(is_vector ? absl::MakeConstSpan(row) : a->sizes(), b->sizes());
  if (sizes.empty()) return Ref::New(Py_None);
  const bool is_by_library = cpu::IsWorthOneDnn(a->dtype, WorkOf(a, b, sizes));
  if (!is_by_library && !IsInOrder(a->dtype, sizes)) return Ref::New(Py_None);
  const kernel::LibraryLoop loop = kernel::FindLibraryLoop(static_cast<int>(Op::kMatmul), a->dtype);
  if (is_vector) sizes.erase(sizes.end() - 2);
  const bool is_low_precision = is_by_library && a->dtype != DType::kFloat32;
  Ref result = Computed(
      a, b, is_low_precision ? DType::kFloat32 : a->dtype, sizes,
      [&](const StridedView& given, const StridedView& right, const StridedView& given_out) {
        const StridedView left = is_vector ? WithRow(given) : given;
        const StridedView out = is_vector ? WithRow(given_out) : given_out;
        if (is_by_library) return cpu::MultiplyArrays(left, right, {}, out);
        executor::MultiplyByLoop(loop, left, right, out);
        return absl::OkStatus();
      });
  if (!is_low_precision || !result || result.get() == Py_None) return result;
  return CastTensor(AsTensor(result), a->dtype);
}

std::vector<int64_t> WindowAxes(int spatial) {
  std::vector<int64_t> axes(1, 0);
  for (int twice = 0; twice < 2; ++twice) {
    for (int axis = 1; axis <= spatial; ++axis) axes.push_back(axis);
  }
  axes.push_back(spatial + 1);
  return axes;
}

Ref ConvolveTensors(TensorObject* images, TensorObject* filters, absl::Span<const int64_t> shape,
                    absl::Span<const int64_t> strides, absl::Span<const int64_t> dilations) {
  const auto spatial = static_cast<int>(strides.size());
  const bool fits = IsLibrarys(images) && IsLibrarys(filters) &&
                    shape.size() <= static_cast<size_t>(kMaxRank) &&
                    images->dtype == DType::kFloat32 && filters->dtype == DType::kFloat32;
  if (!fits) return Ref::New(Py_None);
  Sizes sizes(shape.begin(), shape.begin() + spatial + 1);
  const int64_t features = filters->sizes().back();
  sizes.push_back(features);
  int64_t inner = 1;
  for (const int64_t size : shape.subspan(spatial + 1)) inner *= size;
  if (!cpu::IsWorthOneDnn(DType::kFloat32, WorkOf(sizes, inner))) return Ref::New(Py_None);
  const std::vector<int64_t> axes = WindowAxes(spatial);
  return Computed(
      images, filters, DType::kFloat32, sizes,
      [&](const StridedView& source, const StridedView& right, StridedView& out) -> absl::Status {
        executor::ScratchBlock memory;
        DYNACC_ASSIGN_OR_RETURN(const StridedView matrix, cpu::AsMatrix(right, features, memory));
        return cpu::MultiplyWindows(WindowsOf(source, axes, shape, strides, dilations), axes,
                                    matrix, {}, out);
      });
}

}  // namespace dynacc::tensor
