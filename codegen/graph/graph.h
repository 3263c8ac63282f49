// Graph: the array computation of one captured segment.
//
// SEMANTICS. A graph is a list of immutable nodes in topological order. A node is a tensor: a
// dtype, a shape whose sizes are expressions of the graph's ScalarProgram, and an Op applied to
// earlier nodes. Nodes are pure values; there are no views of memory and no writes (the front end
// has turned those into values). They are hash-consed: two nodes with the same op, dtype, shape,
// operands and attributes are the same pointer, so common subexpressions cannot exist.
//
// Elementwise ops take operands of one dtype (dtype promotion is explicit Cast nodes) and of one
// shape, the node's own (broadcasting is explicit View nodes). Arithmetic is the array library's:
// integers wrap, floats are IEEE without contraction, NaN and signed zeros as in NumPy. A node
// whose op may raise a floating-point flag (kRaisesFlags, on a float dtype) is kept even if unused.
//
// The special ops:
//   Input     attrs.ints = {index}; read from memory at run time, with any strides.
//   Scalar    rank 0; attrs.scalars = {id}: that number, cast to dtype as NumPy's assignment does.
//   Full      attrs.scalars = {id}: every element is that number.
//   Cast      elementwise conversion to dtype, as ndarray.astype(dtype, casting="unsafe").
//   View      element [o0, o1, ...] is the operand's element at, for each operand axis s,
//             start[s] + sum over the output axes d with axis[d] == s of o_d * step[d];
//             attrs.ints = axis[d] for each output axis (-1: a new or broadcast axis);
//             attrs.scalars = start[s] for each operand axis, then step[d] for each output axis.
//             Slices, integer indices, transposes, flips, newaxis and broadcasting are all Views.
//             Bounds are the maker's duty.
//   Reshape   the operand's elements in C order under a new shape of the same size.
//   KeepOrder the operand's elements in an array of their own, as ndarray.astype and numpy.copy
//             lay it out.
//   COrder    the same in C order, as ndarray.copy.
//   Update    operand 0's elements, written into the fresh array that operand 1 was.
//   Where     operands: condition (bool), a, b.
//   reductions attrs.ints = reduced axes, ascending; attrs.keepdims: they stay with size 1.
//   Matmul    operands of rank >= 1 with NumPy's matmul rules already applied to rank 2 or more.
//   Extern    attrs.ints = {extern_id}: a function that the front end registered.
//
// MEMORY ORDER. NumPy's fresh results follow the memory order of the operands, and sums follow
// the memory order of what they add. The executor reproduces both at run time from the inputs'
// strides, by a program made of the graph as it was traced (layout_builder.h). KeepOrder, COrder
// and Update say no more than that; passes never see them (memory_order.h).
//
// A graph prints and parses (graph_text.h). Not thread-safe while built; immutable afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "boost/container/pmr/monotonic_buffer_resource.hpp"
#include "codegen/ops/op.h"
#include "runtime/scalar/scalar_program.h"
#include "runtime/tensor/dtype.h"

namespace dynacc {

// Where in the user's program a node comes from. `file` is owned by the graph.
struct SourceLocation {
  const char* file = "";
  int line = 0;
};

struct NodeAttrs {
  absl::Span<const int64_t> ints = {};
  absl::Span<const ScalarId> scalars = {};
  bool keepdims = false;
};

struct Node {
  int32_t id;  // position in Graph::nodes()
  Op op;
  DType dtype;
  absl::Span<const ScalarId> shape;
  absl::Span<const Node* const> operands;
  NodeAttrs attrs;
  SourceLocation location;  // of the first use; not part of the node's identity
  int32_t origin;           // the traced graph's node that this one is or stands for; as `location`

  int rank() const { return static_cast<int>(shape.size()); }
};

class Graph {
 public:
  Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  ScalarProgram& scalars() { return scalars_; }
  const ScalarProgram& scalars() const { return scalars_; }

  // The location given to nodes made from now on.
  void SetLocation(absl::string_view file, int line);

  // The origin given to nodes made from now on; -1: their own ids, as while a graph is traced.
  void SetOrigin(int32_t origin) { origin_ = origin; }

  // Leaves.
  const Node* AddInput(DType dtype, absl::Span<const ScalarId> shape);
  const Node* Scalar(DType dtype, ScalarId value);
  const Node* Full(DType dtype, ScalarId value, absl::Span<const ScalarId> shape);

  // Elementwise; dtype and shape follow from the op's row. Operands must agree (see SEMANTICS).
  const Node* Unary(Op op, const Node* a);
  const Node* Binary(Op op, const Node* a, const Node* b);
  const Node* Where(const Node* condition, const Node* a, const Node* b);
  const Node* Cast(DType dtype, const Node* a);  // `a` itself if it has that dtype

  // Structural. BroadcastTo follows NumPy: axes align at the end, sizes equal or 1 or new; whether
  // a size is 1 must be known statically (an int constant).
  const Node* View(const Node* a, absl::Span<const ScalarId> shape, absl::Span<const int64_t> axis,
                   absl::Span<const ScalarId> start, absl::Span<const ScalarId> step);
  const Node* BroadcastTo(const Node* a, absl::Span<const ScalarId> shape);
  const Node* Transpose(const Node* a, absl::Span<const int64_t> permutation);
  const Node* Reshape(const Node* a, absl::Span<const ScalarId> shape);

  // Memory order only.
  const Node* Copied(Op op, const Node* a);  // kKeepOrder or kCOrder
  const Node* Update(const Node* target, const Node* elements);

  const Node* Reduce(Op op, const Node* a, absl::Span<const int64_t> axes, bool keepdims);
  const Node* Matmul(const Node* a, const Node* b, absl::Span<const ScalarId> shape);
  const Node* Extern(int64_t extern_id, DType dtype, absl::Span<const ScalarId> shape,
                     absl::Span<const Node* const> operands);

  // Any node, from its parts: for the parser and for passes that rebuild a graph.
  const Node* Make(Op op, DType dtype, absl::Span<const ScalarId> shape,
                   absl::Span<const Node* const> operands, const NodeAttrs& attrs);

  // Marks `node` as the graph's next output; returns its index. One node may be several outputs.
  int AddOutput(const Node* node);

  absl::Span<const Node* const> nodes() const { return nodes_; }
  absl::Span<const Node* const> inputs() const { return inputs_; }
  absl::Span<const Node* const> outputs() const { return outputs_; }

 private:
  template <typename T>
  absl::Span<const T> Copy(absl::Span<const T> items);

  boost::container::pmr::monotonic_buffer_resource arena_;
  ScalarProgram scalars_;
  std::vector<const Node*> nodes_;
  std::vector<const Node*> inputs_;
  std::vector<const Node*> outputs_;
  absl::flat_hash_map<uint64_t, std::vector<const Node*>> by_hash_;
  SourceLocation location_;
  int32_t origin_ = -1;
};

}  // namespace dynacc
