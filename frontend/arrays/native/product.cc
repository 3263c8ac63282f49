#include "frontend/arrays/native/product.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "codegen/targets/cpu/onednn/array_product.h"
#include "frontend/arrays/native/elementwise.h"
#include "runtime/device/fp_flags.h"

namespace dynacc {
namespace {

using Sizes = absl::InlinedVector<int64_t, kMaxRank>;

bool IsLibrarys(TensorObject* tensor) {
  return tensor->device == 0 && tensor->rank() >= 2 && tensor->rank() <= kMaxRank;
}

// The product's sizes; none if the operands' do not fit.
Sizes ProductSizes(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  if (a[a.size() - 1] != b[b.size() - 2]) return {};
  Sizes sizes(std::max(a.size(), b.size()), 1);
  for (const absl::Span<const int64_t> operand : {a, b}) {
    const size_t missing = sizes.size() - operand.size();
    for (size_t axis = missing; axis + 2 < sizes.size(); ++axis) {
      const int64_t size = operand[axis - missing];
      if (size != 1 && sizes[axis] != 1 && sizes[axis] != size) return {};
      if (size != 1) sizes[axis] = size;
    }
  }
  sizes[sizes.size() - 2] = a[a.size() - 2];
  sizes[sizes.size() - 1] = b[b.size() - 1];
  return sizes;
}

}  // namespace

Ref MultiplyTensors(TensorObject* a, TensorObject* b) {
  if (!IsLibrarys(a) || !IsLibrarys(b) || a->dtype != b->dtype) return Ref::New(Py_None);
  const Sizes sizes = ProductSizes(a->sizes(), b->sizes());
  double multiplications = sizes.empty() ? 0 : static_cast<double>(a->sizes().back());
  for (const int64_t size : sizes) multiplications *= static_cast<double>(size);
  if (!IsWorthOneDnn(a->dtype, multiplications)) return Ref::New(Py_None);
  Ref result = NewTensor(DType::kFloat32, sizes);
  if (!result) return result;
  StridedView left, right, out;
  ReadTensor(a, &left);
  ReadTensor(b, &right);
  ReadTensor(AsTensor(result), &out);
  absl::Status status;
  Py_BEGIN_ALLOW_THREADS;
  const ScopedFpFlags flags;
  status = MultiplyArrays(left, right, {}, out);
  Py_END_ALLOW_THREADS;
  if (!status.ok()) return Ref::New(Py_None);
  return a->dtype == DType::kFloat32 ? std::move(result) : CastTensor(AsTensor(result), a->dtype);
}

}  // namespace dynacc
