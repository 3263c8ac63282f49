// ReferenceTensor: one node's elements, in C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"
#include "runtime/scalar/scalar_program.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::executor {
struct RunArguments;
}  // namespace dynacc::executor

namespace dynacc::reference {

struct ReferenceTensor {
  DType dtype = DType::kFloat64;
  std::vector<int64_t> shape;
  std::vector<std::max_align_t> storage;

  int64_t size() const;
  char* at(int64_t element) {
    return reinterpret_cast<char*>(storage.data()) + element * ItemSize(dtype);
  }
  const char* at(int64_t element) const { return const_cast<ReferenceTensor*>(this)->at(element); }

  // The tensor as the run time sees it; it may be written through.
  StridedView View();
};

// Of the given dtype and shape, all bytes zero.
ReferenceTensor MakeTensor(DType dtype, std::vector<int64_t> shape);

// Steps `index` to the next element in C order of `shape`.
void NextIndex(absl::Span<const int64_t> shape, absl::Span<int64_t> index);

// The position in C order of the element at `index`.
int64_t PositionOf(absl::Span<const int64_t> shape, absl::Span<const int64_t> index);

// What one node is computed from.
struct EvaluationContext {
  const ir::Graph& graph;
  const ir::Node& node;
  std::vector<ReferenceTensor*> operands;
  absl::Span<const ScalarValue> scalars;
  const executor::RunArguments& arguments;
  absl::Span<ReferenceTensor> tensors = {};  // of the graph's earlier nodes, by their ids
};

// Computes the node into `result`, which has its dtype and shape.
using Evaluation = absl::Status (*)(const EvaluationContext& context, ReferenceTensor& result);

// A Cond or Loop, or a Result of one: of a Result everything is computed anew.
absl::Status EvaluateControlFlow(const EvaluationContext& context, ReferenceTensor& result);

// Interprets the graph on `inputs`; its outputs, and the FpFlags that it raised in `flags`.
// `numbers` are the inputs of its scalar program.
absl::StatusOr<std::vector<ReferenceTensor>> RunReference(const ir::Graph& graph,
                                                          absl::Span<ReferenceTensor* const> inputs,
                                                          absl::Span<const ScalarValue> numbers,
                                                          const executor::RunArguments& arguments,
                                                          uint32_t& flags);

// The evaluation of an op: of every row of ops.def there is one. Of a node with a library call it
// is that.
Evaluation EvaluationOf(Op op);
Evaluation EvaluationOf(const ir::Node& node);

}  // namespace dynacc::reference
