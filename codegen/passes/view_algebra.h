// Views as affine maps: composing them, and recognising the simple ones.
#pragma once

#include "absl/types/span.h"
#include "codegen/ir/graph.h"
#include "codegen/ir/node_rules.h"

namespace dynacc::passes {

// The attributes of a View or Store node, by name; `shape` is that of what the View shows, or the
// Store stores.
struct ViewMap {
  absl::Span<const ScalarId> shape;
  absl::Span<const int64_t> axis;
  absl::Span<const ScalarId> start;
  absl::Span<const ScalarId> step;

  bool operator==(const ViewMap& other) const = default;
};

ViewMap MapOf(const ir::Node& node);

// What `outer` shows of what `first` shows, as one map but for the shape, which is outer's.
struct ComposedMap {
  boost::container::small_vector<int64_t, 8> axis;
  ir::ShapeVector start;
  ir::ShapeVector step;
};
ComposedMap ComposeMaps(ir::Graph& graph, const ViewMap& first, const ViewMap& outer);

// The simplest node with the elements of `a` seen through `map`: a view of what `a` views if `a` is
// a View, `a` itself if the map is the identity. A view of a Scalar or Full stays one: a Scalar has
// no say in the memory order of results, a Full is a C-ordered array, and its views are ordered so.
const ir::Node* MakeView(ir::Graph& graph, const ir::Node* a, const ViewMap& map);

// `a` with another axis of size 1, at `position` among the result's.
const ir::Node* InsertAxis(ir::Graph& graph, const ir::Node* a, int64_t position);

// The simplest node with the elements of `base`, but `value` where `map` looks: a part of a part
// becomes one part, and what is stored over is not stored before.
const ir::Node* MakeStore(ir::Graph& graph, const ir::Node* base, const ir::Node* value,
                          const ViewMap& map);

// The Scalar that every element of `node` is, if it is one or a view of one; otherwise null.
const ir::Node* RepeatedNumber(const ir::Node* node);

// Whether the map sees no element twice and in the operand's order along each axis: no broadcast
// axis (but of size 1), no axis used twice, steps known to be positive.
bool IsInjection(const ir::Graph& graph, const ir::Node& view);

// Whether it also sees every element: a permutation of axes, with or without axes of size 1.
bool IsBijection(const ir::Graph& graph, const ir::Node& view);

}  // namespace dynacc::passes
