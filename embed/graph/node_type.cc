// Node: one node of a graph, as dynacc.graph shows it.
#include "absl/strings/str_cat.h"
#include "codegen/ir/graph_text.h"
#include "embed/graph/graph_objects.h"

namespace dynacc {
namespace {

NodeObject* Cast(PyObject* self) { return reinterpret_cast<NodeObject*>(self); }

Ref TupleOf(PyObject* graph, absl::Span<ir::EditableNode* const> nodes) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(nodes.size())));
  for (size_t i = 0; tuple && i < nodes.size(); ++i) {
    Ref node = NodeHandle(graph, nodes[i]);
    if (!node) return {};
    PyTuple_SET_ITEM(tuple.get(), i, node.Release());
  }
  return tuple;
}

std::vector<ir::EditableNode*> OperandsOf(const ir::EditableNode& node) {
  std::vector<ir::EditableNode*> operands;
  for (size_t i = 0; i < node.operands.size(); ++i) operands.push_back(node.operand(i));
  return operands;
}

PyObject* OpName(PyObject* self, void*) {
  return PyUnicode_InternFromString(Info(NodeOf(self).op).text);
}

PyObject* Args(PyObject* self, void*) {
  return TupleOf(Cast(self)->owner, OperandsOf(NodeOf(self))).Release();
}

// Whether the node may still be changed.
bool IsThere(PyObject* self) {
  if (!NodeOf(self).erased) return true;
  RaiseGraphError("the node is erased");
  return false;
}

int SetArgs(PyObject* self, PyObject* value, void*) {
  PyObject* const graph = Cast(self)->owner;
  const Ref items = Ref::Steal(
      value == nullptr ? nullptr : PySequence_Fast(value, "arguments are a sequence of nodes"));
  if (value == nullptr) PyErr_SetString(PyExc_AttributeError, "arguments cannot be deleted");
  if (!items || !IsThere(self)) return -1;
  std::vector<ir::EditableNode*> operands;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    operands.push_back(NodeFrom(graph, PySequence_Fast_GET_ITEM(items.get(), i)));
    if (operands.back() == nullptr) return -1;
  }
  const absl::Status status = GraphOf(graph).SetOperands(NodeOf(self), operands);
  if (!status.ok()) RaiseGraphError(status);
  return status.ok() ? 0 : -1;
}

PyObject* Attrs(PyObject* self, void*) {
  return AttrsHandle(Cast(self)->owner, NodeOf(self)).Release();
}

int SetAttrs(PyObject* self, PyObject* value, void*) {
  ir::EditableNode& node = NodeOf(self);
  AttrValues values;
  if (!IsThere(self) || !AttrsFrom(Cast(self)->owner, node.op, value, values)) return -1;
  ir::GivenType given;
  if (Info(node.op).dtype_rule == DTypeRule::kAttr) given.dtype = node.dtype;
  if (ir::HasGivenShape(node.op)) given.shape = node.shape;
  const absl::Status status = OwnerOf(self).SetAttrs(node, values.view(), given);
  if (!status.ok()) RaiseGraphError(status);
  return status.ok() ? 0 : -1;
}

PyObject* Call(PyObject* self, void*) { return CallText(NodeOf(self)).Release(); }

PyObject* DTypeText(PyObject* self, void*) {
  return PyUnicode_InternFromString(Info(NodeOf(self).dtype).text);
}

PyObject* Shape(PyObject* self, void*) {
  return ShapeHandle(Cast(self)->owner, NodeOf(self).shape).Release();
}

PyObject* Users(PyObject* self, void*) {
  return TupleOf(Cast(self)->owner, OwnerOf(self).UsersOf(NodeOf(self))).Release();
}

PyObject* Origin(PyObject* self, void*) {
  const ir::SourceLocation& location = NodeOf(self).location;
  if (location.line <= 0) Py_RETURN_NONE;
  return PyUnicode_FromFormat("%s:%d", location.file, location.line);
}

PyObject* Owner(PyObject* self, void*) { return Py_NewRef(Cast(self)->owner); }

PyObject* Next(PyObject* self, void*) {
  return NodeHandle(Cast(self)->owner, NodeOf(self).next).Release();
}

PyObject* Previous(PyObject* self, void*) {
  return NodeHandle(Cast(self)->owner, NodeOf(self).previous).Release();
}

PyObject* Erased(PyObject* self, void*) { return PyBool_FromLong(NodeOf(self).erased ? 1 : 0); }

PyObject* IsOutput(PyObject* self, void*) {
  return PyBool_FromLong(OwnerOf(self).IsOutput(NodeOf(self)) ? 1 : 0);
}

PyObject* ReplaceAllUsesWith(PyObject* self, PyObject* other) {
  ir::EditableNode* const with = NodeFrom(Cast(self)->owner, other);
  if (with == nullptr || !IsThere(self)) return nullptr;
  const auto users = OwnerOf(self).ReplaceAllUses(NodeOf(self), *with);
  if (!users.ok()) return RaiseGraphError(users.status());
  const Ref tuple = TupleOf(Cast(self)->owner, *users);
  return tuple ? PySequence_List(tuple.get()) : nullptr;
}

PyObject* ReplaceInputWith(PyObject* self, PyObject* args) {
  PyObject *old_input, *new_input;
  if (!PyArg_ParseTuple(args, "OO:replace_input_with", &old_input, &new_input)) return nullptr;
  ir::EditableNode* const before = NodeFrom(Cast(self)->owner, old_input);
  ir::EditableNode* const after = before ? NodeFrom(Cast(self)->owner, new_input) : nullptr;
  if (after == nullptr || !IsThere(self)) return nullptr;
  std::vector<ir::EditableNode*> operands = OperandsOf(NodeOf(self));
  for (ir::EditableNode*& operand : operands) operand = operand == before ? after : operand;
  const absl::Status status = OwnerOf(self).SetOperands(NodeOf(self), operands);
  if (!status.ok()) return RaiseGraphError(status);
  Py_RETURN_NONE;
}

PyObject* Repr(PyObject* self) {
  if (NodeOf(self).erased) return PyUnicode_FromString("<erased node>");
  OwnerOf(self).Number();
  return PyUnicode_FromString(ir::PrintNode(OwnerOf(self).scalars(), NodeOf(self)).c_str());
}

PyObject* Compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((Cast(a)->node == Cast(b)->node) == (op == Py_EQ) ? 1 : 0);
}

Py_hash_t Hash(PyObject* self) {
  return static_cast<Py_hash_t>(reinterpret_cast<uintptr_t>(Cast(self)->node) >> 4);
}

// A graph may lead back to its handles through attributes of its own.
int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(Cast(self)->owner);
  return 0;
}

void Dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (NodeOf(self).handle == self) NodeOf(self).handle = nullptr;
  PyObject* const owner = Cast(self)->owner;
  type->tp_free(self);
  Py_DECREF(owner);
  Py_DECREF(type);
}

PyGetSetDef properties[] = {
    {"op", OpName, nullptr, "The op's name: a row of ops.def.", nullptr},
    {"args", Args, SetArgs, "The nodes that it is computed from, as a tuple; can be set.", nullptr},
    {"attrs", Attrs, SetAttrs, "Its attributes, as a new dict; can be set.", nullptr},
    {"dtype", DTypeText, nullptr, "The elements' dtype as graphs print it: 'f64'.", nullptr},
    {"shape", Shape, nullptr, "A tuple of sizes, each an int or a Size.", nullptr},
    {"call", Call, nullptr,
     "The array library's call that computes it where no step of ours does, as text; or None.",
     nullptr},
    {"users", Users, nullptr, "The nodes that are computed from it, each once.", nullptr},
    {"origin", Origin, nullptr, "'file:line' in the program that was traced, or None.", nullptr},
    {"graph", Owner, nullptr, "The graph that it belongs to.", nullptr},
    {"next", Next, nullptr, "The node after it, or None.", nullptr},
    {"prev", Previous, nullptr, "The node before it, or None.", nullptr},
    {"is_erased", Erased, nullptr, "Whether it was erased.", nullptr},
    {"is_output", IsOutput, nullptr, "Whether it is an output, or the target of one.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"replace_all_uses_with", ReplaceAllUsesWith, METH_O,
     "replace_all_uses_with($self, replacement, /)\n--\n\nHas `replacement` used wherever this "
     "node is used, but by `replacement` itself.\n\nReturns the users that were changed. "
     "GraphError if it has another dtype or shape."},
    {"replace_input_with", ReplaceInputWith, METH_VARARGS,
     "replace_input_with($self, old_input, new_input, /)\n--\n\nHas `new_input` in the place of "
     "`old_input` among the arguments.\n\nGraphError if the op does not take it."},
    {nullptr, nullptr, 0, nullptr},
};

template <typename Pointer>
void* Slot(Pointer pointer) {
  return reinterpret_cast<void*>(pointer);
}

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>("One node of a Graph: an op on earlier nodes, with a dtype and a "
                                  "shape. Made by the graph's methods.")},
    {Py_tp_richcompare, Slot(Compare)},
    {Py_tp_hash, Slot(Hash)},
    {Py_tp_repr, Slot(Repr)},
    {Py_tp_traverse, Slot(Traverse)},
    {Py_tp_dealloc, Slot(Dealloc)},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, nullptr},
};

PyType_Spec spec = {"_dynacc.Node", sizeof(NodeObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

Ref MakeNodeType(BorrowedRef module) {
  return Ref::Steal(PyType_FromModuleAndSpec(module, &spec, nullptr));
}

Ref NodeHandle(PyObject* graph, ir::EditableNode* node) {
  if (node == nullptr) return Ref::New(Py_None);
  if (node->handle != nullptr) return Ref::New(static_cast<PyObject*>(node->handle));
  auto* const type = reinterpret_cast<PyTypeObject*>(TheGraphTypes().node);
  PyObject* const self = type->tp_alloc(type, 0);
  if (self == nullptr) return {};
  Cast(self)->owner = Py_NewRef(graph);
  Cast(self)->node = node;
  node->handle = self;
  return Ref::Steal(self);
}

ir::EditableNode* NodeFrom(PyObject* graph, PyObject* object) {
  if (Py_TYPE(object) != reinterpret_cast<PyTypeObject*>(TheGraphTypes().node)) {
    PyErr_Format(PyExc_TypeError, "a node of the graph is wanted, not %R", object);
    return nullptr;
  }
  if (Cast(object)->owner != graph) {
    RaiseGraphError("the node belongs to another graph: copy_into or node_copy bring it here");
    return nullptr;
  }
  return IsThere(object) ? Cast(object)->node : nullptr;
}

}  // namespace dynacc
