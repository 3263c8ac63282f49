// Graph: the array computation of one captured segment.
//
// SEMANTICS. A graph is a list of immutable nodes in topological order. A node is a tensor: a
// dtype, a shape whose sizes are expressions of the graph's ScalarProgram, and an Op applied to
// earlier nodes. Nodes are pure values; there are no views of memory and no writes (the front end
// has turned those into values). What the program sees in the memory of an input after the run is
// an output that has this input as its target. Nodes are hash-consed: two with the same op, dtype,
// shape, operands and attributes are the same pointer, so common subexpressions cannot exist.
//
// Elementwise ops take operands of one dtype (dtype promotion is explicit Cast nodes) and of one
// shape, the node's own (broadcasting is explicit View nodes). Arithmetic is the array library's:
// integers wrap, floats are IEEE without contraction, NaN and signed zeros as in NumPy. A node
// whose op may raise a floating-point flag (kRaisesFlags, on a float dtype) is kept even if unused.
//
// The special ops:
//   Input     attrs.ints = {index}; read from memory at run time, with any strides.
//   Scalar    rank 0; attrs.scalars = {id}: that number, cast to dtype as NumPy's assignment does;
//             or, for a complex dtype, {real, imaginary}.
//   Full      attrs.scalars as Scalar's: every element is that number.
//   Empty     attrs.scalars = {0}: a Full of zeros, none of which is read before it is stored over.
//   Cast      elementwise conversion to dtype, as ndarray.astype(dtype, casting="unsafe").
//   View      element [o0, o1, ...] is the operand's element at, for each operand axis s,
//             start[s] + sum over the output axes d with axis[d] == s of o_d * step[d];
//             attrs.ints = axis[d] for each output axis (-1: a new or broadcast axis);
//             attrs.scalars = start[s] for each operand axis, then step[d] for each output axis.
//             Slices, integer indices, transposes, flips, newaxis and broadcasting are all Views.
//             Bounds are the maker's duty.
//   Reshape   the operand's elements in C order under a new shape of the same size.
//   KeepOrder the operand's elements, laid out in an array of their own as ndarray.astype does it.
//   COrder    the same in C order, as ndarray.copy.
//   Update    operand 0's elements, written into the fresh array that operand 1 was; with several
//             such operands, up to 3, into the array that one ufunc of them makes.
//   Store     operands: base, value. The base's elements, but for those that a View of it with the
//             same attributes shows: they are the value's. attrs as View's, with the base as the
//             operand and the value's axes as the output axes. No element is stored twice. The
//             result lies in memory as the base does.
//   Roll      element [i0, i1, ...] is the operand's [(i0 - s0) mod n0, (i1 - s1) mod n1, ...];
//             attrs.scalars = the shifts s, each from 0 to n - 1.
//   Concat    the operands, of one rank, one after the other along the axis attrs.ints = {axis}.
//             Memory order as numpy.concatenate's; passes never see it (memory_order.h).
//   Where     operands: condition (bool), a, b.
//   CustomGradient  operand 0, with derivatives that the program says: operand 1 is the Cotangent
//             of operand 0, and then come pairs of an operand x and the gradient by x. Gradients
//             are computed of operand 1, which stands for the cotangent that will arrive.
//   Checkpoint, EndCheckpoint, Cotangent  the operand. What depends on a Checkpoint, and not
//             through an EndCheckpoint, is computed again for derivatives instead of kept.
//   reductions attrs.ints = reduced axes, ascending; attrs.keepdims: they stay with size 1;
//             attrs.order.
//   Matmul    NumPy's matmul. attrs.ints = {bits of matmul_attrs.h} or nothing: whether its
//             operands are two arrays made apart, and whether its sums may be added in any order.
//   LibraryCall  attrs.call: a function the front end registered. With attrs.scalars = {number}
//             the result's size along the axes that have it is that data-dependent number, which
//             the call defines. Nodes that depend on a data-dependent number are made after the
//             node that defines it, and nodes define data-dependent numbers in their order.
//
// OPS WITH A CALL. Each of the following may have a library call, attrs.call, whose operands are
// the node's: it gives what the op says, in the array library's very bits, and is made where no
// step of ours fits. Without one (kNoCall) the node runs all the same, on the host, whatever its
// operands are and however they lie, and the run fails (ABORTED) where this says so. Their results
// lie in C order, if the call did not make them.
//   Cumsum, Cumprod  attrs.ints = {axis}. Element i along the axis is element i - 1 plus, or times,
//             the operand's element i: one after the other, rounded to the dtype each time.
//   ArgMax, ArgMin  attrs.ints = the axes searched, ascending: one of them, or all, which count as
//             one in C order; attrs.keepdims as of reductions. Where the first NaN is, or else the
//             first of the greatest (least) elements; a complex number is ordered by its real, then
//             its imaginary part. Fails where there is nothing along the axes.
//   Mean      attrs.ints, attrs.keepdims as of reductions, of an inexact dtype. A ReduceSum divided
//             by the number of elements, both in float32 if the dtype is a shorter float. The call
//             may add in another order.
//   Gather    elements of operand 0 at places (attrs.ints: gather_attrs.h) that the other operands
//             name: `a[i]`, `a[:, i]`, `a[i, j]`, `a[[0, 2], 1:n]`, np.take, np.take_along_axis.
//             The shape is NumPy's: the broadcast indices' axes come where the first of them is, or
//             first if other axes are between them. Negative indices count from the end. Fails
//             where an index is beyond its axis, or indices do not broadcast.
//   Scatter   a copy of its operand `base` in which the elements at such places are others
//             (attrs.ints: gather_attrs.h, ScatterAttrs): the value operand, which broadcasts to
//             them, or the number attrs.scalars = {id}. With a binary op an element becomes
//             op(element, value). Values are taken in C order of the places, one after the other:
//             of several for one place the last is stored, or all are combined in this order. Fails
//             as Gather does.
//   Compress  rows of operand 0 where operand 1, a mask of the shape of its first axes, is true.
//             The result's first size is their number; with attrs.scalars = {number} the node
//             defines that, else the run fails if it is another one.
//   IntOperator  one of Python's operators on single ints (attrs.ints: int_operator_attrs.h), of
//             operands of rank 0, whose exact result is cast to the dtype. Fails where that, or an
//             argument, does not fit the dtype, or Python would raise.
//
// CONTROL FLOW. A node of one of these ops runs graphs, its attrs.subgraphs, on its operands. It
// may have several results: it is the first of them itself, and a Result of it is another one. A
// subgraph writes into none of its inputs. Inputs of its scalar program are numbers of this graph
// (control_flow.h, which has the attributes). Results lie in C order. What a subgraph computes
// fails as the op that fails in it.
//   Cond      operands: a condition (bool, rank 0), then x...; two subgraphs that take x... and
//             give results of the same dtypes and shapes. The condition says which one runs.
//   Loop      operands: constants, carries, and arrays of slices, perhaps after a number of rounds;
//             subgraphs: a body and perhaps a condition. In each round the body takes the
//             constants, the carries and the round's slices, and gives the next carries and slices
//             of further results. These are the last carries, arrays of the slices (zeros of rounds
//             that did not run), and the number of rounds that did (int64, rank 0).
//   Result    attrs.ints = {index}: a result of its operand, a Cond or Loop, from 1 on.
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
#include "runtime/ops/op.h"
#include "runtime/scalar/scalar_program.h"
#include "runtime/tensor/dtype.h"
#include "runtime/tensor/fp_flag.h"

namespace dynacc::executor {
struct IntOperation;
}  // namespace dynacc::executor

namespace dynacc::ir {

// Where in the user's program a node comes from. `file` is owned by the graph.
struct SourceLocation {
  const char* file = "";
  int line = 0;
};

// Whether the op's value is its operand 0, and all else that it says is about derivatives. Passes
// never see such ops (memory_order.h).
inline bool IsGradientMarker(Op op) {
  return op == Op::kCheckpoint || op == Op::kEndCheckpoint || op == Op::kCotangent ||
         op == Op::kCustomGradient;
}

// The attribute `call` of a node without a library call. With one it is the call's id
// (LibraryCallArguments::library_call_id).
inline constexpr int64_t kNoCall = -1;

class Graph;

struct NodeAttrs {
  absl::Span<const int64_t> ints = {};
  absl::Span<const ScalarId> scalars = {};
  bool keepdims = false;
  // Of reductions of inexact numbers, whose bits depend on how their operand lay when it was
  // traced: tells those apart that read the same elements in several memory orders
  // (memory_order.h).
  int order = 0;
  int64_t call = kNoCall;
  // Graphs that the node runs. They are owned by shared pointers, and a graph that has such a node
  // keeps them. Equal are those that print the same.
  absl::Span<const Graph* const> subgraphs = {};
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

// What a Scalar or Full holds: a number, or the two parts of a complex one.
struct Number {
  // A real number is its expression.  NOLINTNEXTLINE(google-explicit-constructor)
  Number(ScalarId real, ScalarId imag = kNoScalar) : real(real), imag(imag) {}
  bool is_complex() const { return imag != kNoScalar; }
  ScalarId real;
  ScalarId imag;
};

// The number of a Scalar or Full.
inline Number NumberOf(const Node& node) {
  const absl::Span<const ScalarId> parts = node.attrs.scalars;
  return {parts[0], parts.size() > 1 ? parts[1] : kNoScalar};
}

// Whether the array library's own function may make the node: nobody knows how that lies in memory,
// and what it may warn of or raise.
inline bool MakesCall(const Node& node) { return node.attrs.call != kNoCall; }

// The data-dependent number that the node makes known; kNoScalar: none.
inline ScalarId DefinedBy(const Node& node) {
  const bool defines =
      (node.op == Op::kLibraryCall || node.op == Op::kCompress) && !node.attrs.scalars.empty();
  return defines ? node.attrs.scalars[0] : kNoScalar;
}

struct GatherAttrs;
struct ScatterAttrs;

class Graph : public std::enable_shared_from_this<Graph> {
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

  // Floating-point errors (FpFlags) that the program has reported where nodes made from now on are
  // computed: what np.errstate does not ignore. A node that is asked for in several places has what
  // is reported in any of them.
  void SetReported(uint32_t flags) { reported_now_ = flags; }
  uint32_t ReportedBy(const Node* node) const { return reported_[node->id]; }
  // Of the nodes made so far none has errors reported but `flags`.
  void RestrictReported(uint32_t flags);

  // Leaves.
  const Node* AddInput(DType dtype, absl::Span<const ScalarId> shape);
  const Node* Scalar(DType dtype, Number value);
  const Node* Full(DType dtype, Number value, absl::Span<const ScalarId> shape);
  const Node* Empty(DType dtype, absl::Span<const ScalarId> shape);

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
  // `base` with `value` stored where View(base, value->shape, axis, start, step) looks.
  const Node* Store(const Node* base, const Node* value, absl::Span<const int64_t> axis,
                    absl::Span<const ScalarId> start, absl::Span<const ScalarId> step);

  // `a` itself if all shifts are the constant 0.
  const Node* Roll(const Node* a, absl::Span<const ScalarId> shifts);
  // `shape`: the parts' own, but along `axis` the sum of their sizes.
  const Node* Concat(absl::Span<const Node* const> parts, int64_t axis,
                     absl::Span<const ScalarId> shape);

  const Node* Reduce(Op op, const Node* a, absl::Span<const int64_t> axes, bool keepdims);
  const Node* Matmul(const Node* a, const Node* b, absl::Span<const ScalarId> shape,
                     bool apart = false);
  const Node* LibraryCall(int64_t library_call_id, DType dtype, absl::Span<const ScalarId> shape,
                          absl::Span<const Node* const> operands, ScalarId defined = kNoScalar);

  // The ops that a library call may compute (OPS WITH A CALL); shapes follow from the operands'
  // unless they are given.
  const Node* Scan(Op op, const Node* a, int64_t axis, int64_t call = kNoCall);
  const Node* ArgExtreme(Op op, const Node* a, absl::Span<const int64_t> axes, bool keepdims,
                         int64_t call = kNoCall);
  const Node* Mean(const Node* a, absl::Span<const int64_t> axes, bool keepdims,
                   int64_t call = kNoCall);
  // Elements of operands[0] at places that the attributes say, of its axes and the operands.
  const Node* Gather(absl::Span<const Node* const> operands, const GatherAttrs& attrs,
                     absl::Span<const ScalarId> shape, int64_t call = kNoCall);
  // Rows of `a`, along its first axis, at an array of indices: `a[index]`.
  const Node* Take(const Node* a, const Node* index);
  // `number`: what is written, if no operand is.
  const Node* Scatter(absl::Span<const Node* const> operands, const ScatterAttrs& attrs,
                      ScalarId number = kNoScalar, int64_t call = kNoCall);
  // `size`: of the result's first axis; with `defines` the node makes it known.
  const Node* Compress(const Node* a, const Node* mask, ScalarId size, bool defines,
                       int64_t call = kNoCall);
  const Node* IntOperator(absl::Span<const Node* const> operands,
                          const executor::IntOperation& operation, DType dtype,
                          int64_t call = kNoCall);

  // Any node, from its parts: for the parser and for passes that rebuild a graph.
  const Node* Make(Op op, DType dtype, absl::Span<const ScalarId> shape,
                   absl::Span<const Node* const> operands, const NodeAttrs& attrs);

  // A leaf that stands for an input of a subgraph while its nodes are made in this graph
  // (subgraph.h). No graph that is done has one.
  const Node* AddParameter(DType dtype, absl::Span<const ScalarId> shape);

  // Nodes that are made from BeginRegion to EndRegion, which nest, stand for those of subgraphs:
  // of them DropRegions removes what no other node and no output needs. Ids change. Until then
  // the nodes are there like others. RegionsAround: in how many regions the node was made; of one
  // that is asked for several times the fewest. EndRegion gives the nodes that were asked for
  // while the region was the innermost, also those that were there already.
  void BeginRegion() { asked_.emplace_back(); }
  std::vector<const Node*> EndRegion();
  int open_regions() const { return static_cast<int>(asked_.size()); }
  int RegionsAround(const Node* node) const {
    return regions_around_.empty() ? 0 : regions_around_[node->id];
  }
  void DropRegions();

  // Marks `node` as the graph's next output; returns its index. One node may be several outputs.
  // With a target, an Input of its dtype and shape, it is no new array: it is written into that
  // input's memory, after everything has been computed. An input is the target of one output.
  int AddOutput(const Node* node, const Node* target = nullptr);

  // Requires of every run that the bool expression holds. Of data-dependent numbers: the run is
  // given up otherwise. Of others: whoever runs the graph has seen to it, and passes count on it.
  void AddCondition(ScalarId condition);
  absl::Span<const ScalarId> conditions() const { return conditions_; }

  absl::Span<const Node* const> nodes() const { return nodes_; }
  absl::Span<const Node* const> inputs() const { return inputs_; }
  absl::Span<const Node* const> outputs() const { return outputs_; }
  // One for each output: the Input that it is written into, or null.
  absl::Span<const Node* const> targets() const { return targets_; }

 private:
  const Node* Full(Op op, DType dtype, Number value, absl::Span<const ScalarId> shape);
  template <typename T>
  absl::Span<const T> Copy(absl::Span<const T> items);

  boost::container::pmr::monotonic_buffer_resource arena_;
  ScalarProgram scalars_;
  std::vector<const Node*> nodes_;
  std::vector<const Node*> inputs_;
  std::vector<const Node*> outputs_;
  std::vector<const Node*> targets_;
  std::vector<ScalarId> conditions_;
  absl::flat_hash_map<uint64_t, std::vector<const Node*>> by_hash_;
  SourceLocation location_;
  int32_t origin_ = -1;
  std::vector<uint8_t> reported_;  // of nodes_
  uint32_t reported_now_ = kAllFpFlags;
  std::vector<std::shared_ptr<const Graph>> subgraphs_;  // that nodes run
  std::vector<int> regions_around_;                      // of nodes_; empty: all are in none
  std::vector<std::vector<const Node*>> asked_;          // of each open region, outermost first
  int64_t num_parameters_ = 0;
};

}  // namespace dynacc::ir
