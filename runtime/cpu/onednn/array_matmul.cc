#include "runtime/cpu/onednn/array_matmul.h"

#include <memory>
#include <vector>

#include "absl/algorithm/container.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/onednn/dense_copies.h"
#include "runtime/cpu/onednn/fused_matmul.h"
#include "runtime/cpu/onednn/matmul_work.h"
#include "runtime/cpu/onednn/packed_weights.h"
#include "runtime/executor/copy_step.h"

namespace dynacc::cpu {
namespace {

// The axes before the last two, as one: how many matrices there are, and whether one stride leads
// from each to the next.
struct Leading {
  int64_t count = 1;
  int64_t stride = 0;  // bytes
  bool is_regular = true;
};

Leading LeadingAxes(const StridedView& view) {
  Leading leading;
  for (int axis = view.rank - 3; axis >= 0; --axis) {
    if (view.shape[axis] == 1) continue;
    if (leading.count == 1) leading.stride = view.strides[axis];
    leading.is_regular &= view.strides[axis] == leading.stride * leading.count;
    leading.count *= view.shape[axis];
  }
  return leading;
}

// `view` with the leading axes of `model`, which it is broadcast to.
StridedView WithLeadingAxesOf(const StridedView& view, const StridedView& model) {
  StridedView result = view;
  result.rank = model.rank;
  const int missing = model.rank - view.rank;
  for (int axis = 0; axis < model.rank; ++axis) {
    const bool is_own = axis >= missing;
    result.strides[axis] = is_own ? view.strides[axis - missing] : 0;
    result.shape[axis] = is_own ? view.shape[axis - missing] : 1;
    if (axis >= model.rank - 2 || result.shape[axis] == model.shape[axis]) continue;
    result.shape[axis] = model.shape[axis];
    result.strides[axis] = 0;
  }
  return result;
}

bool IsDense(const StridedView& view) {
  const int64_t item = ItemSize(view.dtype);
  const int64_t rows = view.shape[view.rank - 2], columns = view.shape[view.rank - 1];
  const int64_t row = view.strides[view.rank - 2], column = view.strides[view.rank - 1];
  return (column == item && row == columns * item) || (row == item && column == rows * item);
}

class ArrayMatmul {
 public:
  explicit ArrayMatmul(absl::Span<const ArrayStep> steps) : steps_(steps) {}

  absl::Status Run(const StridedView& a, const StridedView& b, const StridedView& out) {
    product_.dtype = out.dtype;
    product_.operands = a.dtype;
    product_.rows = out.shape[out.rank - 2];
    product_.columns = out.shape[out.rank - 1];
    product_.inner = a.shape[a.rank - 1];
    DYNACC_RETURN_IF_ERROR(SetOperands(a, b, out));
    DYNACC_RETURN_IF_ERROR(SetEpilogue());
    StridedView dense = out;
    SetContiguousStrides(dense);
    const bool in_place = absl::c_equal(absl::MakeSpan(dense.strides, dense.rank),
                                        absl::MakeSpan(out.strides, out.rank));
    if (!in_place) {
      DYNACC_ASSIGN_OR_RETURN(dense.data, copies_.Allocate(out.size() * ItemSize(out.dtype)));
    }
    product_.c = dense.data;
    DYNACC_RETURN_IF_ERROR(Multiply(b));
    if (!in_place) executor::CopyElements(dense, out);
    return absl::OkStatus();
  }

 private:
  absl::Status SetOperands(const StridedView& a, const StridedView& b, const StridedView& out) {
    const bool is_one_b = LeadingAxes(b).count == 1;
    const StridedView all_a = WithLeadingAxesOf(a, out);
    product_.stack = LeadingAxes(all_a).count;
    if (is_one_b && product_.stack > 1) return SetOneProduct(all_a, b);
    DYNACC_RETURN_IF_ERROR(SetOperand(all_a, product_.a));
    return is_one_b ? SetWeights(b) : SetOperand(WithLeadingAxesOf(b, out), product_.b);
  }

  // All matrices of `a` one below the other.
  absl::Status SetOneProduct(const StridedView& a, const StridedView& b) {
    DYNACC_ASSIGN_OR_RETURN(product_.a.data, copies_.Dense(a));
    product_.a.row = product_.inner;
    product_.a.column = 1;
    product_.rows *= product_.stack;
    product_.stack = 1;
    return SetWeights(b);
  }

  // One matrix for all products.
  absl::Status SetWeights(const StridedView& b) {
    packed_ = FindPackedWeights(b);
    if (packed_ == nullptr) return SetOperand(b, product_.b);
    product_.b.data = packed_->data();
    product_.b.packed = packed_.get();
    return absl::OkStatus();
  }

  absl::Status Multiply(const StridedView& b) {
    absl::Status done = MultiplyFused(product_);
    if (packed_ == nullptr || !absl::IsUnavailable(done)) return done;
    // There is code for these weights as they lie.
    product_.b = {};
    DYNACC_RETURN_IF_ERROR(SetOperand(b, product_.b));
    return MultiplyFused(product_);
  }

  absl::Status SetOperand(const StridedView& view, MatrixStack& matrices) {
    const int64_t item = ItemSize(view.dtype);
    const int64_t rows = view.shape[view.rank - 2], columns = view.shape[view.rank - 1];
    const Leading leading = LeadingAxes(view);
    const bool in_place = leading.is_regular && leading.stride >= 0 && leading.stride % item == 0 &&
                          (leading.count == 1 || leading.stride > 0) && CanRead(view);
    if (in_place) {
      matrices = {view.data, leading.stride / item, view.strides[view.rank - 2] / item,
                  view.strides[view.rank - 1] / item};
    } else {
      DYNACC_ASSIGN_OR_RETURN(const char* dense, copies_.Dense(view));
      matrices = {dense, leading.count == 1 ? 0 : rows * columns, columns, 1};
    }
    // Of one row or column any stride will do; one that oneDNN knows is better.
    if (rows == 1 && matrices.column == 1) matrices.row = columns;
    if (columns == 1 && matrices.row == 1) matrices.column = rows;
    return absl::OkStatus();
  }

  // With an epilogue oneDNN has quick code for matrices without gaps only.
  bool CanRead(const StridedView& view) const {
    return steps_.empty() ? IsReadable(view) : IsDense(view);
  }

  absl::Status SetEpilogue() {
    DYNACC_RETURN_IF_ERROR(copies_.Steps(steps_, epilogue_));
    product_.epilogue = epilogue_;
    return absl::OkStatus();
  }

  const absl::Span<const ArrayStep> steps_;
  FusedMatmul product_;
  std::vector<FusedMatmulStep> epilogue_;
  DenseCopies copies_;
  std::shared_ptr<const PackedWeights> packed_;
};

}  // namespace

bool IsWorthOneDnn(DType operands, const MatmulWork& work) {
  return IsWorthLibrary(work) && HasFusedMatmuls(operands);
}

absl::Status MultiplyArrays(const StridedView& a, const StridedView& b,
                            absl::Span<const ArrayStep> epilogue, const StridedView& out) {
  return ArrayMatmul(epilogue).Run(a, b, out);
}

}  // namespace dynacc::cpu
