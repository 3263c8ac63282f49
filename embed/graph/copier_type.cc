// NodeCopier: nodes of one graph made in another one, as dynacc.graph's Transformer does it.
#include "embed/graph/graph_objects.h"

namespace dynacc {
namespace {

struct CopierObject {
  PyObject_HEAD PyObject* from;  // GraphObjects, owned
  PyObject* to;
  ir::NodeCopier* copier;  // owned
};

CopierObject* Cast(PyObject* self) { return reinterpret_cast<CopierObject*>(self); }

PyObject* New(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *from, *to;
  auto* const graph = reinterpret_cast<PyTypeObject*>(TheGraphTypes().graph);
  if (!PyArg_ParseTuple(args, "O!O!:NodeCopier", graph, &from, graph, &to)) return nullptr;
  PyObject* const self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  Cast(self)->from = Py_NewRef(from);
  Cast(self)->to = Py_NewRef(to);
  Cast(self)->copier = new ir::NodeCopier(GraphOf(from), GraphOf(to));
  return self;
}

void Dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  delete Cast(self)->copier;
  Py_XDECREF(Cast(self)->from);
  Py_XDECREF(Cast(self)->to);
  type->tp_free(self);
  Py_DECREF(type);
}

// An input of the other graph, of the node's type.
PyObject* Input(PyObject* self, PyObject* object) {
  ir::EditableNode* const node = NodeFrom(Cast(self)->from, object);
  if (node == nullptr) return nullptr;
  return NodeHandle(Cast(self)->to, Cast(self)->copier->CopyInput(*node)).Release();
}

// copy(node, args): a node like it, on nodes of the other graph.
PyObject* Copy(PyObject* self, PyObject* args) {
  PyObject *object, *arguments;
  if (!PyArg_ParseTuple(args, "OO:copy", &object, &arguments)) return nullptr;
  ir::EditableNode* const node = NodeFrom(Cast(self)->from, object);
  const Ref items = Ref::Steal(node ? PySequence_Fast(arguments, "a sequence of nodes") : nullptr);
  if (!items) return nullptr;
  std::vector<ir::EditableNode*> operands;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    operands.push_back(NodeFrom(Cast(self)->to, PySequence_Fast_GET_ITEM(items.get(), i)));
    if (operands.back() == nullptr) return nullptr;
  }
  const auto copy = Cast(self)->copier->Copy(*node, operands);
  return copy.ok() ? NodeHandle(Cast(self)->to, *copy).Release() : RaiseGraphError(copy.status());
}

// The conditions of the graph, for the other one.
PyObject* CopyConditions(PyObject* self, PyObject*) {
  Cast(self)->copier->CopyConditions();
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"input", Input, METH_O, nullptr},
    {"copy", Copy, METH_VARARGS, nullptr},
    {"copy_conditions", CopyConditions, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

template <typename Pointer>
void* Slot(Pointer pointer) {
  return reinterpret_cast<void*>(pointer);
}

PyType_Slot slots[] = {
    {Py_tp_new, Slot(New)},
    {Py_tp_dealloc, Slot(Dealloc)},
    {Py_tp_methods, methods},
    {0, nullptr},
};

PyType_Spec spec = {"_dynacc.NodeCopier", sizeof(CopierObject), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

Ref MakeCopierType(BorrowedRef module) {
  return Ref::Steal(PyType_FromModuleAndSpec(module, &spec, nullptr));
}

}  // namespace dynacc
