#include "frontend/numpy/trace/matmul.h"

#include "codegen/ir/matmul_attrs.h"
#include "frontend/numpy/capi/descriptors.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/function_table.h"
#include "frontend/numpy/trace/storage.h"
#include "frontend/numpy/trace/strides.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/matmul/ordered_matmul.h"
#include "runtime/kernel/library_loops.h"

namespace dynacc::numpy {
namespace {

// The batch axes of an operand: all but its matrix.
Shape BatchOf(const Shape& shape) {
  Shape batch;
  for (int i = 0; i + 2 < shape.rank(); ++i) batch.push_back(shape.at(i));
  return batch;
}

// A node that has the axes `axes` of `node`, -1 for a new one of size 1, of the shape `shape`.
const ir::Node* WithAxes(symbolic::TraceContext& trace, const ir::Node* node,
                         absl::Span<const int64_t> axes, const Shape& shape) {
  ScalarProgram& scalars = trace.graph().scalars();
  std::vector<ScalarId> steps;
  for (int64_t axis : axes) steps.push_back(scalars.Int(axis < 0 ? 0 : 1));
  const std::vector<ScalarId> starts(node->rank(), scalars.Int(0));
  return trace.graph().View(node, shape.ids, axes, starts, steps);
}

// A vector as a matrix of one row or one column, which is how NumPy hands it to the inner loop.
const ir::Node* AsMatrix(symbolic::TraceContext& trace, const symbolic::TensorValue* operand,
                         bool is_row) {
  if (operand->node->rank() > 1) return operand->node;
  Shape shape;
  shape.push_back(SizeOf(operand, 0));
  const Size one = ConstantSize(trace, 1);
  shape.ids.insert(is_row ? shape.ids.begin() : shape.ids.end(), one.id);
  shape.hints.insert(is_row ? shape.hints.begin() : shape.hints.end(), one.hint);
  const int64_t row[] = {-1, 0};
  const int64_t column[] = {0, -1};
  return WithAxes(trace, operand->node, is_row ? row : column, shape);
}

// The product in all its axes, and then without those that the vectors were given.
const ir::Node* Multiply(symbolic::TraceContext& trace, symbolic::TensorValue* left,
                         symbolic::TensorValue* right, const Shape& batch, int64_t free,
                         Shape* shape) {
  const Size one = ConstantSize(trace, 1);
  Shape full = batch;
  std::vector<int64_t> kept;
  for (int i = 0; i < batch.rank(); ++i) kept.push_back(i);
  *shape = batch;
  for (const symbolic::TensorValue* operand : {left, right}) {
    const int rank = operand->node->rank();
    const int axis = full.rank() == batch.rank() ? rank - 2 : rank - 1;  // rows, then columns
    full.push_back(rank > 1 ? SizeOf(operand, axis) : one);
    if (rank == 1) continue;
    kept.push_back(full.rank() - 1);
    shape->push_back(full.at(full.rank() - 1));
  }
  const int64_t bits[] = {(AreApart(left, right) ? ir::kMatmulApart : 0) | free};
  ir::NodeAttrs attrs;
  if (bits[0] != 0) attrs.ints = bits;
  const ir::Node* const operands[] = {AsMatrix(trace, left, true), AsMatrix(trace, right, false)};
  const ir::Node* node =
      trace.graph().Make(Op::kMatmul, operands[0]->dtype, full.ids, operands, attrs);
  return shape->rank() == full.rank() ? node : WithAxes(trace, node, kept, *shape);
}

// The dtype in which NumPy multiplies. Of two dtypes it casts one operand into memory that we do
// not know, which only products in order do not see.
absl::StatusOr<DType> ProductDType(DType left, DType right) {
  if (left == right) {
    if (left != DType::kBool && kernel::FindLibraryLoop(static_cast<int>(Op::kMatmul), left))
      return left;
    return symbolic::GraphBreak("matmul of bools");
  }
  Ref common =
      Ref::Steal(reinterpret_cast<PyObject*>(PyArray_PromoteTypes(Descr(left), Descr(right))));
  PyErr_Clear();
  const std::optional<DType> dtype =
      common ? FromDescr(reinterpret_cast<PyArray_Descr*>(common.get())) : std::nullopt;
  if (dtype && cpu::ProductsAreInOrder(*dtype)) return *dtype;
  return symbolic::GraphBreak("matmul of two dtypes");
}

symbolic::TensorValue* AsDType(symbolic::TraceContext& trace, symbolic::TensorValue* operand,
                               DType dtype) {
  if (operand->node->dtype == dtype) return operand;
  const ir::Node* node = trace.graph().Cast(dtype, operand->node);
  return NewTensor(trace, node, ShapeOf(operand), AsNumpy(operand)->c_order);
}

}  // namespace

absl::StatusOr<NumpyTensor*> NumpyMatmul(symbolic::TraceContext& trace, symbolic::Value* a,
                                         symbolic::Value* b, int64_t free) {
  auto* left = symbolic::As<symbolic::TensorValue>(a);
  auto* right = symbolic::As<symbolic::TensorValue>(b);
  if (left == nullptr || right == nullptr || left->node->rank() == 0 || right->node->rank() == 0) {
    return symbolic::GraphBreak("matmul of a scalar");
  }
  DYNACC_ASSIGN_OR_RETURN(const DType dtype, ProductDType(left->node->dtype, right->node->dtype));
  DYNACC_RETURN_IF_ERROR(CheckHandable(trace, left));
  DYNACC_RETURN_IF_ERROR(CheckHandable(trace, right));
  left = AsDType(trace, left, dtype);
  right = AsDType(trace, right, dtype);
  const Shape left_shape = ShapeOf(left);
  const Shape right_shape = ShapeOf(right);
  const int inner = right_shape.rank() == 1 ? 0 : right_shape.rank() - 2;
  if (!IsEqual(trace, left_shape.at(left_shape.rank() - 1), right_shape.at(inner))) {
    return symbolic::RaisingBreak("shapes that do not fit a matrix product");
  }
  DYNACC_ASSIGN_OR_RETURN(const Shape batch,
                          BroadcastShapes(trace, {BatchOf(left_shape), BatchOf(right_shape)}));
  Shape shape;
  const ir::Node* node =
      Multiply(trace, left, right, batch, dtype == DType::kFloat32 ? free : 0, &shape);
  // Of several batch axes the result has the operands' order.
  COrder c_order = batch.rank() <= 1 ? COrder(std::in_place)
                                     : Combine(AsNumpy(left)->c_order, AsNumpy(right)->c_order);
  NumpyTensor* const both[] = {AsNumpy(left), AsNumpy(right)};
  if (!c_order && GiveCOrder(trace, both, /*core=*/2, batch.rank())) c_order.emplace();
  return NewTensor(trace, node, shape, c_order);
}

absl::StatusOr<symbolic::Value*> TraceMatmul(symbolic::TraceContext& trace, const BoundArgs& args,
                                             Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * a, args.Required("x1"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * b, args.Required("x2"));
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, NumpyMatmul(trace, a, b));
  return result;
}

namespace {

bool IsSingle(symbolic::TraceContext& trace, symbolic::TensorValue* tensor) {
  for (int axis = 0; axis < tensor->node->rank(); ++axis) {
    if (!IsEqual(trace, SizeOf(tensor, axis), ConstantSize(trace, 1))) return false;
  }
  return true;
}

}  // namespace

// Of vectors and matrices np.dot gives what matmul does, by other functions of the library: the
// same bits if all its products are in order. (It reports no floating-point errors: where there are
// some, a run of the graph comes to nothing and NumPy's own follows.)
absl::StatusOr<symbolic::Value*> TraceDot(symbolic::TraceContext& trace, const BoundArgs& args,
                                          Op) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * a, args.Tensor("a"));
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * b, args.Tensor("b"));
  if (a->node->rank() > 2 || b->node->rank() > 2)
    return symbolic::GraphBreak("dot of more than two axes");
  if (!cpu::ProductsAreInOrder(a->node->dtype) || !cpu::ProductsAreInOrder(b->node->dtype)) {
    return symbolic::GraphBreak("dot of these dtypes");
  }
  // Of which NumPy adds the product to nothing: -0.0 stays what it is.
  if (IsSingle(trace, a) && IsSingle(trace, b))
    return symbolic::GraphBreak("dot of single elements");
  DYNACC_ASSIGN_OR_RETURN(NumpyTensor * result, NumpyMatmul(trace, a, b));
  return result;
}

}  // namespace dynacc::numpy
