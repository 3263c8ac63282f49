// The Python objects of dynacc.graph: Graph, Node and Size over an EditableGraph.
//
// A Graph owns the EditableGraph. Nodes and Sizes are handles: each keeps its Graph alive and is
// made when it is asked for. While a Node is alive there is one object for it, so `is` works; equal
// Sizes are several objects. embed/python/dynacc/graph.py has the public classes.
//
// Errors are Python's: GraphError, a ValueError, for what a graph cannot be, and GraphBreak, one of
// these, for code that is none; TypeError for objects of wrong types. All of it needs the GIL.
#pragma once

#include <Python.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "codegen/ir/editable_graph.h"
#include "frontend/cpython/ref.h"

namespace dynacc::capture {
struct ResultTree;
}

namespace dynacc {

struct GraphObject {
  PyObject_HEAD ir::EditableGraph* graph;  // owned
  PyObject* weak_references;
};

struct NodeObject {
  PyObject_HEAD PyObject* owner;  // the GraphObject, owned
  ir::EditableNode* node;
};

struct SizeObject {
  PyObject_HEAD PyObject* owner;  // the GraphObject, owned
  ScalarId id;
};

// The types, made anew whenever the module is, which keeps them.
struct GraphTypes {
  PyObject* graph;
  PyObject* node;
  PyObject* size;
  PyObject* copier;
  PyObject* compiled;
  PyObject* result_tree;
  PyObject* error;
  PyObject* graph_break;  // an error, too
};
GraphTypes& TheGraphTypes();

// One of each type; null with an exception set.
Ref MakeGraphType(BorrowedRef module);
Ref MakeNodeType(BorrowedRef module);
Ref MakeSizeType(BorrowedRef module);
Ref MakeCopierType(BorrowedRef module);

// Adds Graph, Node, Size, CompiledGraph, GraphError and make_graph to the module. -1 with an
// exception set.
int AddGraphTypes(BorrowedRef module);

inline ir::EditableGraph& GraphOf(PyObject* self) {
  return *reinterpret_cast<GraphObject*>(self)->graph;
}
inline ir::EditableNode& NodeOf(PyObject* self) {
  return *reinterpret_cast<NodeObject*>(self)->node;
}
inline ir::EditableGraph& OwnerOf(PyObject* node) {
  return GraphOf(reinterpret_cast<NodeObject*>(node)->owner);
}

// Null, with a GraphError set that says the status's message (unless an exception is set already).
PyObject* RaiseGraphError(const absl::Status& status);
PyObject* RaiseGraphError(absl::string_view message);

// The handle of a node of `graph`, a GraphObject; null with an exception set. None for null.
Ref NodeHandle(PyObject* graph, ir::EditableNode* node);

// The node that `object` is, if it is one of `graph` and not erased; else null with an exception.
ir::EditableNode* NodeFrom(PyObject* graph, PyObject* object);

// A scalar of `graph` as Python has it: an int, float or bool if it is constant, else a Size.
Ref NumberHandle(PyObject* graph, ScalarId id);
// The scalar for an int, float, bool or Size; kNoScalar with an exception set.
ScalarId NumberFrom(PyObject* graph, PyObject* object);
// The same for an int or a Size of an int.
ScalarId SizeFrom(PyObject* graph, PyObject* object);
Ref ShapeHandle(PyObject* graph, absl::Span<const ScalarId> shape);
// False with an exception set.
bool ShapeFrom(PyObject* graph, PyObject* object, ir::ShapeVector& shape);

// "f64" and the like, or NumPy's name of a dtype ("float64"), or a dtype object with such a name.
std::optional<DType> DTypeFrom(PyObject* object);

// How people read the library call of the node, "numpy.sum(%0, axis=1)", or else "call 7"; None if
// it has none.
Ref CallText(const ir::EditableNode& node);

// The tree of a handle that make_graph gave; null if `object` is none.
const capture::ResultTree* ResultTreeOf(PyObject* object);

// --- Attributes --------------------------------------------------------------------------------

struct AttrValues {
  std::vector<int64_t> ints;
  ir::ShapeVector scalars;
  bool keepdims = false;
  std::vector<std::shared_ptr<const ir::Graph>> graphs = {};
  std::vector<const ir::Graph*> subgraphs = {};  // `graphs`
  ir::NodeAttrs view() const {
    return {.ints = ints, .scalars = scalars, .keepdims = keepdims, .subgraphs = subgraphs};
  }
};

// A node's attributes as a new dict; names and meaning by form (codegen/ir/attr_form.h):
//   index    {"index": int}
//   number   {"value": number}, of a complex one a pair
//   view     {"axis", "start", "step"}
//   shifts   {"shifts"}
//   axes     {"axes", "keepdims"}
//   axis     {"axis"}
//   places   {"at", "along", "c_order"} (place_attributes.cc), of a scatter "base", "value" and
//            "combine", too: an operand, an operand or a number, a binary op or None
//   defines  {"defines": Size or None}, of a library call {"call": int, "function": str}, too
//   operator {"operator": name in Python's module operator, "operands"}
//   branches {"graphs", "numbers"}: a pair of Graphs, and the sizes that these take
//   loop     {"graphs", "numbers", "constants", "carries", "slices", "length", "counted",
//            "reverse"}
//   matmul   {"apart", "any_order", "low_precision", "windows"}, each a bool
// The call that an op may have besides is no attribute: Node.call.
Ref AttrsHandle(PyObject* graph, const ir::EditableNode& node);
// The reverse; `object` is a dict or None. False with an exception set.
bool AttrsFrom(PyObject* graph, Op op, PyObject* object, AttrValues& values);

// --- Lists -------------------------------------------------------------------------------------

// Appends a new object, which it takes over; either may be null. False with an exception set.
inline bool Append(const Ref& list, PyObject* item) {
  const Ref owned = Ref::Steal(item);
  return list && owned && PyList_Append(list.get(), owned.get()) == 0;
}

}  // namespace dynacc
