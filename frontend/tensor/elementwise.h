// The elementwise functions: promotion, broadcasting and one inner loop over the operands.
//
// Nothing is compiled: the loops are those that the kernels' tile target calls (library_loops.h),
// so eager results have the bits of captured ones. Large ones run on the thread pool.
#pragma once

#include "absl/types/span.h"
#include "frontend/cpython/ref.h"
#include "frontend/tensor/tensor_object.h"
#include "runtime/ops/op.h"

namespace dynacc::tensor {

enum class InputRule : uint8_t { kAsGiven, kFloating, kWhole, kBoolean, kReal, kPart };

struct ElementwiseRow {
  const char* name;
  int arity;
  Op op;
  InputRule rule;
  const char* meaning;
};

enum class Elementwise : uint8_t {
#define DYNACC_ELEMENTWISE(name, arity, op, rule, meaning) k_##name,
#include "frontend/tensor/elementwise.def"
#undef DYNACC_ELEMENTWISE
};

absl::Span<const ElementwiseRow> ElementwiseRows();
const ElementwiseRow& Row(Elementwise function);

// The function of tensors and Python numbers, at least one of them a tensor. With `out`, whose
// dtype and shape must be the result's, the result is written there (operands may overlap it) and
// `out` is returned. Null with an exception set; Py_NotImplemented, a new reference, if an operand
// is neither tensor nor number.
Ref RunElementwise(const ElementwiseRow& row, absl::Span<const BorrowedRef> operands,
                   TensorObject* out = nullptr);

// a where `condition`, a tensor, is true, else b; these are tensors or numbers.
Ref RunWhere(BorrowedRef condition, BorrowedRef a, BorrowedRef b);

// `tensor` in another dtype, in memory of its own.
Ref CastTensor(TensorObject* tensor, DType dtype);

// Copies `from`, broadcast and converted, into `to`. False with an exception set.
bool CopyInto(TensorObject* to, TensorObject* from);

// Sets each element to the element of the tensor's dtype at `value`.
void FillWith(TensorObject* to, const char* value);

// The dtype in which the function computes operands of these promoted dtypes.
DType ComputeDType(const ElementwiseRow& row, DType promoted);

// ndarray over the tensor's memory; NotOnHost (device_tensor.h) is raised for a tensor on a device,
// TypeError for a dtype that NumPy lacks.
Ref NumpyView(TensorObject* tensor);

// The same of any tensor, for comparing places of memory and moving elements: those on a device
// must not be touched, and those that NumPy lacks (low-precision floats) are seen as their bits.
Ref AddressView(TensorObject* tensor);

// A tensor over the memory of an ndarray or with the value of a NumPy scalar.
Ref TensorOverNumpy(BorrowedRef array);

}  // namespace dynacc::tensor
