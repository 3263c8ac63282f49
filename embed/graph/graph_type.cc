// Graph: the EditableGraph of dynacc.graph. embed/python/dynacc/graph.py derives the public class.
#include <Python.h>
#include <structmember.h>

#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "codegen/ir/graph_text.h"
#include "embed/graph/graph_objects.h"

namespace dynacc {
namespace {

GraphObject* Cast(PyObject* self) { return reinterpret_cast<GraphObject*>(self); }

// Takes over `graph`; null with an exception set.
PyObject* Wrap(PyTypeObject* type, std::unique_ptr<ir::EditableGraph> graph) {
  PyObject* const self = type->tp_alloc(type, 0);
  if (self != nullptr) Cast(self)->graph = graph.release();
  return self;
}

PyObject* New(PyTypeObject* type, PyObject*, PyObject*) {
  return Wrap(type, std::make_unique<ir::EditableGraph>());
}

void Dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  if (Cast(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  delete Cast(self)->graph;
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* Parse(PyObject* type, PyObject* text) {
  Py_ssize_t size = 0;
  const char* const utf8 = PyUnicode_AsUTF8AndSize(text, &size);
  if (utf8 == nullptr) return nullptr;
  const auto parsed = ir::ParseGraph(absl::string_view(utf8, static_cast<size_t>(size)));
  if (!parsed.ok()) return RaiseGraphError(parsed.status());
  auto graph = std::make_unique<ir::EditableGraph>(**parsed);
  graph->MarkForeignCalls();
  return Wrap(reinterpret_cast<PyTypeObject*>(type), std::move(graph));
}

// --- Reading -------------------------------------------------------------------------------------

PyObject* Handles(PyObject* self, absl::Span<ir::EditableNode* const> nodes) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(nodes.size())));
  for (size_t i = 0; tuple && i < nodes.size(); ++i) {
    Ref node = NodeHandle(self, nodes[i]);
    if (!node) return nullptr;
    PyTuple_SET_ITEM(tuple.get(), i, node.Release());
  }
  return tuple.Release();
}

PyObject* Inputs(PyObject* self, void*) { return Handles(self, GraphOf(self).inputs()); }

PyObject* Outputs(PyObject* self, void*) {
  std::vector<ir::EditableNode*> nodes;
  for (const ir::EditableGraph::Output& output : GraphOf(self).outputs())
    nodes.push_back(output.node);
  return Handles(self, nodes);
}

PyObject* Targets(PyObject* self, void*) {
  std::vector<ir::EditableNode*> nodes;
  for (const ir::EditableGraph::Output& output : GraphOf(self).outputs()) {
    nodes.push_back(output.target);
  }
  return Handles(self, nodes);
}

PyObject* Nodes(PyObject* self, void*) {
  std::vector<ir::EditableNode*> nodes;
  nodes.reserve(GraphOf(self).size());
  for (ir::EditableNode* node = GraphOf(self).first(); node != nullptr; node = node->next) {
    nodes.push_back(node);
  }
  return Handles(self, nodes);
}

PyObject* Conditions(PyObject* self, void*) {
  return ShapeHandle(self, GraphOf(self).conditions()).Release();
}

Py_ssize_t Length(PyObject* self) { return static_cast<Py_ssize_t>(GraphOf(self).size()); }

// What does not verify prints, too.
std::string TextOf(const ir::EditableGraph& graph, absl::string_view problem) {
  graph.Number();
  std::string text = "graph {\n";
  for (const ir::EditableNode* node = graph.first(); node != nullptr; node = node->next) {
    absl::StrAppend(&text, "  ", ir::PrintNode(graph.scalars(), *node), "\n");
  }
  return absl::StrCat(text, "  # no legal graph: ", problem, "\n}\n");
}

PyObject* Str(PyObject* self) {
  const auto built = GraphOf(self).Build();
  const std::string text =
      built.ok() ? ir::PrintGraph(**built) : TextOf(GraphOf(self), built.status().message());
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

PyObject* Lint(PyObject* self, PyObject*) {
  const auto built = GraphOf(self).Build();
  if (!built.ok()) return RaiseGraphError(built.status());
  Py_RETURN_NONE;
}

// --- Building ------------------------------------------------------------------------------------

std::optional<Op> OpFrom(PyObject* object) {
  const char* const text = PyUnicode_AsUTF8(object);
  if (text == nullptr) return std::nullopt;
  const std::optional<Op> op = ParseOp(text);
  if (!op) RaiseGraphError(absl::StrCat("there is no op '", text, "'"));
  return op;
}

bool ReadGiven(PyObject* self, PyObject* dtype, PyObject* shape, ir::GivenType& given,
               ir::ShapeVector& sizes) {
  if (dtype != nullptr && dtype != Py_None) {
    given.dtype = DTypeFrom(dtype);
    if (!given.dtype) return false;
  }
  if (shape == nullptr || shape == Py_None) return true;
  if (!ShapeFrom(self, shape, sizes)) return false;
  given.shape = sizes;
  return true;
}

PyObject* Placeholder(PyObject* self, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"dtype", "shape", nullptr};
  PyObject* dtype;
  PyObject* shape = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O:placeholder", const_cast<char**>(names),
                                   &dtype, &shape)) {
    return nullptr;
  }
  ir::GivenType given;
  ir::ShapeVector sizes;
  if (!ReadGiven(self, dtype, shape, given, sizes)) return nullptr;
  if (!given.dtype) return RaiseGraphError("an input needs a dtype");
  return NodeHandle(self, GraphOf(self).AddInput(*given.dtype, sizes)).Release();
}

// The arguments of an elementwise op: numbers take the dtype of the nodes, and shapes broadcast.
class ElementwiseArguments {
 public:
  ElementwiseArguments(PyObject* self, Op op) : self_(self), first_(op == Op::kWhere ? 1 : 0) {}

  // False with an exception set.
  bool Complete(std::vector<ir::EditableNode*>& operands, const std::vector<PyObject*>& objects) {
    const ir::EditableNode* typed = nullptr;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == nullptr) continue;
      if (i >= first_ && typed == nullptr) typed = operands[i];
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] != nullptr) continue;
      if (typed == nullptr || i < first_) {
        PyErr_SetString(PyExc_TypeError, "an op takes nodes, and numbers beside them");
        return false;
      }
      operands[i] = Number(objects[i], typed->dtype);
      if (operands[i] == nullptr) return false;
    }
    return Broadcast(operands);
  }

 private:
  ir::EditableNode* Number(PyObject* object, DType dtype) {
    ir::ShapeVector parts;
    if (PyComplex_Check(object)) {
      parts.push_back(GraphOf(self_).scalars().Float(PyComplex_RealAsDouble(object)));
      parts.push_back(GraphOf(self_).scalars().Float(PyComplex_ImagAsDouble(object)));
    } else {
      parts.push_back(NumberFrom(self_, object));
      if (parts[0] == kNoScalar) return nullptr;
    }
    const auto made = GraphOf(self_).Create(Op::kScalar, {}, {.scalars = parts}, {.dtype = dtype});
    if (!made.ok()) RaiseGraphError(made.status());
    return made.ok() ? *made : nullptr;
  }

  // The common shape: of the highest rank, and on each axis the size that is not known to be 1.
  bool Broadcast(std::vector<ir::EditableNode*>& operands) {
    ir::ShapeVector shape;
    for (const ir::EditableNode* operand : operands) {
      if (operand->shape.size() > shape.size()) {
        shape.insert(shape.begin(), operand->shape.size() - shape.size(), kNoScalar);
      }
    }
    const ScalarId one = GraphOf(self_).scalars().Int(1);
    for (const ir::EditableNode* operand : operands) {
      const size_t added = shape.size() - operand->shape.size();
      for (size_t d = 0; d < operand->shape.size(); ++d) {
        ScalarId& size = shape[added + d];
        if (size == kNoScalar || size == one) size = operand->shape[d];
      }
    }
    for (ir::EditableNode*& operand : operands) {
      const auto made = GraphOf(self_).BroadcastTo(*operand, shape);
      if (!made.ok()) RaiseGraphError(made.status());
      if (!made.ok()) return false;
      operand = *made;
    }
    return true;
  }

  PyObject* const self_;
  const size_t first_;  // operand whose dtype counts
};

bool OperandsFrom(PyObject* self, Op op, PyObject* args, std::vector<ir::EditableNode*>& operands) {
  const Ref items = Ref::Steal(
      args == nullptr ? PyTuple_New(0)
                      : PySequence_Fast(args, "arguments are a sequence of nodes and numbers"));
  if (!items) return false;
  auto* const node_type = reinterpret_cast<PyTypeObject*>(TheGraphTypes().node);
  const bool elementwise = IsElementwise(op) || op == Op::kWhere;
  std::vector<PyObject*> objects;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(items.get(), i);
    objects.push_back(item);
    const bool is_number = elementwise && Py_TYPE(item) != node_type;
    operands.push_back(is_number ? nullptr : NodeFrom(self, item));
    if (!is_number && operands.back() == nullptr) return false;
  }
  const int arity = ir::ArityOf(op);
  if (!elementwise || arity != static_cast<int>(operands.size())) return true;
  return ElementwiseArguments(self, op).Complete(operands, objects);
}

PyObject* CallFunction(PyObject* self, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"op", "args", "attrs", "dtype", "shape", nullptr};
  PyObject *name, *arguments = nullptr, *attributes = nullptr, *dtype = nullptr, *shape = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OOOO:call_function",
                                   const_cast<char**>(names), &name, &arguments, &attributes,
                                   &dtype, &shape)) {
    return nullptr;
  }
  const std::optional<Op> op = OpFrom(name);
  if (!op) return nullptr;
  if (*op == Op::kInput) return RaiseGraphError("inputs are made by 'placeholder'");
  if (*op == Op::kLibraryCall) return RaiseGraphError("library calls are made by tracing alone");
  AttrValues values;
  ir::GivenType given;
  ir::ShapeVector sizes;
  std::vector<ir::EditableNode*> operands;
  if (!OperandsFrom(self, *op, arguments, operands) || !AttrsFrom(self, *op, attributes, values) ||
      !ReadGiven(self, dtype, shape, given, sizes)) {
    return nullptr;
  }
  const auto made = GraphOf(self).Create(*op, operands, values.view(), given);
  return made.ok() ? NodeHandle(self, *made).Release() : RaiseGraphError(made.status());
}

PyObject* SetOutputs(PyObject* self, PyObject* args) {
  PyObject *nodes, *targets;
  if (!PyArg_ParseTuple(args, "O!O!:_set_outputs", &PyTuple_Type, &nodes, &PyTuple_Type,
                        &targets)) {
    return nullptr;
  }
  std::vector<ir::EditableGraph::Output> outputs;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(nodes); ++i) {
    ir::EditableNode* const node = NodeFrom(self, PyTuple_GET_ITEM(nodes, i));
    if (node == nullptr) return nullptr;
    PyObject* const target = i < PyTuple_GET_SIZE(targets) ? PyTuple_GET_ITEM(targets, i) : Py_None;
    ir::EditableNode* const into = target == Py_None ? nullptr : NodeFrom(self, target);
    if (target != Py_None && into == nullptr) return nullptr;
    outputs.push_back({node, into});
  }
  const absl::Status status = GraphOf(self).SetOutputs(std::move(outputs));
  if (!status.ok()) return RaiseGraphError(status);
  Py_RETURN_NONE;
}

PyObject* EraseNode(PyObject* self, PyObject* object) {
  ir::EditableNode* const node = NodeFrom(self, object);
  if (node == nullptr) return nullptr;
  const absl::Status status = GraphOf(self).Erase(*node);
  if (!status.ok()) return RaiseGraphError(status);
  Py_RETURN_NONE;
}

PyObject* EliminateDeadCode(PyObject* self, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"keep_errors", nullptr};
  int keep = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|p:eliminate_dead_code",
                                   const_cast<char**>(names), &keep)) {
    return nullptr;
  }
  return PyLong_FromLong(GraphOf(self).EliminateDeadCode(keep != 0));
}

// New nodes come before `object`, a node or None; gives what was there before.
PyObject* InsertBefore(PyObject* self, PyObject* object) {
  ir::EditableNode* node = nullptr;
  if (object != Py_None) {
    node = NodeFrom(self, object);
    if (node == nullptr) return nullptr;
  }
  Ref before = NodeHandle(self, GraphOf(self).insertion_point());
  GraphOf(self).SetInsertionPoint(node);
  return before.Release();
}

PyObject* SetOrigin(PyObject* self, PyObject* origin) {
  if (origin == Py_None) {
    GraphOf(self).SetLocation("", 0);
    Py_RETURN_NONE;
  }
  const char* const text = PyUnicode_AsUTF8(origin);
  if (text == nullptr) return nullptr;
  const absl::string_view whole = text;
  const size_t colon = whole.rfind(':');
  int line = 0;
  if (colon == whole.npos || !absl::SimpleAtoi(whole.substr(colon + 1), &line)) {
    return RaiseGraphError("an origin is 'file:line'");
  }
  GraphOf(self).SetLocation(whole.substr(0, colon), line);
  Py_RETURN_NONE;
}

PyObject* NewSize(PyObject* self, PyObject*) {
  return NumberHandle(self, GraphOf(self).scalars().AddInput(ScalarType::kInt)).Release();
}

PyObject* Require(PyObject* self, PyObject* args) {
  static constexpr struct {
    const char* text;
    ScalarOp op;
    bool swapped;
  } kRows[] = {{"==", ScalarOp::kEq, false}, {"!=", ScalarOp::kNe, false},
               {"<", ScalarOp::kLt, false},  {"<=", ScalarOp::kLe, false},
               {">", ScalarOp::kLt, true},   {">=", ScalarOp::kLe, true}};
  PyObject *left, *right;
  const char* text;
  if (!PyArg_ParseTuple(args, "OsO:require", &left, &text, &right)) return nullptr;
  ScalarProgram& program = GraphOf(self).scalars();
  const ScalarId a = SizeFrom(self, left);
  const ScalarId b = a == kNoScalar ? kNoScalar : SizeFrom(self, right);
  if (b == kNoScalar) return nullptr;
  for (const auto& row : kRows) {
    if (absl::string_view(text) != row.text) continue;
    const ScalarId condition =
        row.swapped ? program.Apply(row.op, b, a) : program.Apply(row.op, a, b);
    const ScalarExpr& expr = program.expr(condition);
    if (expr.op == ScalarOp::kConst && expr.value.i == 0) {
      return RaiseGraphError("this can never hold");
    }
    if (expr.op != ScalarOp::kConst) GraphOf(self).AddCondition(condition);
    Py_RETURN_NONE;
  }
  return RaiseGraphError(absl::StrCat("no comparison '", text, "'"));
}

// --- From one graph to another
// ---------------------------------------------------------------------

// _copy_from(source, mapping, demands): whether the source's conditions are known to hold here.
// Where they are not, they are demanded, if `demands`.
PyObject* CopyFrom(PyObject* self, PyObject* args) {
  PyObject *source, *mapping;
  int demands;
  auto* const type = reinterpret_cast<PyTypeObject*>(TheGraphTypes().graph);
  if (!PyArg_ParseTuple(args, "O!O!p:_copy_from", type, &source, &PyDict_Type, &mapping,
                        &demands)) {
    return nullptr;
  }
  absl::flat_hash_map<const ir::EditableNode*, ir::EditableNode*> map;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(mapping, &at, &key, &value) != 0;) {
    const ir::EditableNode* const from = NodeFrom(source, key);
    ir::EditableNode* const to = from ? NodeFrom(self, value) : nullptr;
    if (to == nullptr) return nullptr;
    map[from] = to;
  }
  ir::NodeCopier copier(GraphOf(source), GraphOf(self));
  const absl::Status status = copier.CopyAll(map);
  if (!status.ok()) return RaiseGraphError(status);
  const bool known = copier.KnowsConditions();
  if (demands != 0) copier.CopyConditions();
  for (ir::EditableNode* node = GraphOf(source).first(); node != nullptr; node = node->next) {
    const Ref from = NodeHandle(source, node);
    const Ref to = NodeHandle(self, map[node]);
    if (!from || !to || PyDict_SetItem(mapping, from.get(), to.get()) < 0) return nullptr;
  }
  return PyBool_FromLong(known ? 1 : 0);
}

// specs: a list of (dtype, sizes or None for "as it is").
PyObject* Infer(PyObject* self, PyObject* specs) {
  const Ref items = Ref::Steal(PySequence_Fast(specs, "a sequence of (dtype, shape)"));
  std::vector<ir::EditableGraph::InputType> types;
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject *dtype, *shape;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "OO", &dtype, &shape)) {
      return nullptr;
    }
    const std::optional<DType> known = DTypeFrom(dtype);
    const Ref sizes = Ref::Steal(PySequence_Fast(shape, "a shape is a sequence"));
    if (!known || !sizes) return nullptr;
    ir::EditableGraph::InputType& type = types.emplace_back();
    type.dtype = *known;
    for (Py_ssize_t d = 0; d < PySequence_Fast_GET_SIZE(sizes.get()); ++d) {
      PyObject* const size = PySequence_Fast_GET_ITEM(sizes.get(), d);
      type.sizes.push_back(PyLong_Check(size) ? PyLong_AsLongLong(size)
                                              : ir::EditableGraph::InputType::kAnySize);
      if (PyErr_Occurred() != nullptr) return nullptr;
      if (PyLong_Check(size) && type.sizes.back() < 0) {
        return RaiseGraphError("a size is not negative");
      }
    }
  }
  if (!items) return nullptr;
  auto inferred = GraphOf(self).Infer(types);
  if (!inferred.ok()) return RaiseGraphError(inferred.status());
  const auto built = (*inferred)->Build();
  if (!built.ok()) return RaiseGraphError(built.status());
  if (GraphOf(self).has_foreign_calls()) (*inferred)->MarkForeignCalls();
  return Wrap(Py_TYPE(self), *std::move(inferred));
}

PyObject* Copy(PyObject* self, PyObject*) {
  const auto built = GraphOf(self).Build();
  if (!built.ok()) return RaiseGraphError(built.status());
  auto copy = std::make_unique<ir::EditableGraph>(**built);
  if (GraphOf(self).has_foreign_calls()) copy->MarkForeignCalls();
  return Wrap(Py_TYPE(self), std::move(copy));
}

template <typename Function>
PyCFunction Method(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyGetSetDef properties[] = {
    {"inputs", Inputs, nullptr, "The input nodes, as a tuple in the order of their indices.",
     nullptr},
    {"outputs", Outputs, nullptr, "The nodes that a run gives, as a tuple.", nullptr},
    {"targets", Targets, nullptr,
     "For each output the input that it is written into, or None for a fresh array.", nullptr},
    {"nodes", Nodes, nullptr, "All nodes in their order, as a tuple: a copy.", nullptr},
    {"conditions", Conditions, nullptr, "What must hold of the sizes, as a tuple of Sizes.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef methods[] = {
    {"parse", Parse, METH_O | METH_CLASS,
     "parse($type, text, /)\n--\n\nThe graph that `print` printed as that text.\n\nGraphError "
     "with the line if it is none."},
    {"lint", Lint, METH_NOARGS,
     "lint($self, /)\n--\n\nGraphError naming the first node that breaks a rule, and the rule."},
    {"placeholder", Method(Placeholder), METH_VARARGS | METH_KEYWORDS,
     "placeholder($self, dtype, shape=())\n--\n\nMakes the next input.\n\ndtype: 'f64', "
     "'float64' or a dtype object. shape: ints and Sizes of this graph."},
    {"call_function", Method(CallFunction), METH_VARARGS | METH_KEYWORDS,
     "call_function($self, op, args=(), attrs=None, dtype=None, shape=None)\n--\n\nMakes a node "
     "at the insertion point.\n\nop: the op's name, 'add'. args: nodes; of elementwise ops also "
     "numbers, which take the nodes' dtype, and shapes broadcast. attrs: as Node.attrs. dtype and "
     "shape: where they do not follow (scalar, full, cast, view, reshape). GraphError where the op "
     "does not take these."},
    {"erase_node", EraseNode, METH_O,
     "erase_node($self, node, /)\n--\n\nTakes the node out of the graph. GraphError while it is "
     "used."},
    {"eliminate_dead_code", Method(EliminateDeadCode), METH_VARARGS | METH_KEYWORDS,
     "eliminate_dead_code($self, keep_errors=False)\n--\n\nErases what no output needs, inputs "
     "apart. keep_errors: not what may raise a floating-point error, of which NumPy would warn. "
     "Returns how many nodes that were."},
    {"new_size", NewSize, METH_NOARGS,
     "new_size($self, /)\n--\n\nA new Size, for the shapes of placeholders: the arrays of a run "
     "say what it is."},
    {"require", Require, METH_VARARGS,
     "require($self, left, comparison, right, /)\n--\n\nDemands of every run that it holds of two "
     "sizes: require(n, '>=', 2). Known ranges follow from it."},
    {"copy", Copy, METH_NOARGS, "The same graph, with nodes of its own."},
    {"_copy_from", CopyFrom, METH_VARARGS, nullptr},
    {"_infer", Infer, METH_O, nullptr},
    {"_insert_before", InsertBefore, METH_O, nullptr},
    {"_set_origin", SetOrigin, METH_O, nullptr},
    {"_set_outputs", SetOutputs, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef* Members() {
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(GraphObject, weak_references), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  return members;
}

template <typename Pointer>
void* Slot(Pointer pointer) {
  return reinterpret_cast<void*>(pointer);
}

}  // namespace

Ref MakeGraphType(BorrowedRef module) {
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("The compiled half of dynacc.graph.Graph.")},
      {Py_tp_new, Slot(New)},
      {Py_tp_str, Slot(Str)},
      {Py_tp_dealloc, Slot(Dealloc)},
      {Py_sq_length, Slot(Length)},
      {Py_tp_getset, properties},
      {Py_tp_methods, methods},
      {Py_tp_members, Members()},
      {0, nullptr},
  };
  static PyType_Spec spec = {"_dynacc.Graph", sizeof(GraphObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return Ref::Steal(PyType_FromModuleAndSpec(module, &spec, nullptr));
}

PyObject* RaiseGraphError(const absl::Status& status) { return RaiseGraphError(status.message()); }

PyObject* RaiseGraphError(absl::string_view message) {
  if (PyErr_Occurred() == nullptr) {
    PyErr_SetString(TheGraphTypes().error, std::string(message).c_str());
  }
  return nullptr;
}

std::optional<DType> DTypeFrom(PyObject* object) {
  Ref name = Ref::New(object);
  if (!PyUnicode_Check(object)) {
    name = Ref::Steal(PyObject_GetAttrString(object, PyType_Check(object) ? "__name__" : "name"));
  }
  const char* const utf8 = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
  if (utf8 == nullptr) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "a dtype is wanted, not %R", object);
    return std::nullopt;
  }
  const absl::string_view text = utf8;
  if (const std::optional<DType> dtype = ParseDType(text)) return dtype;
  static constexpr struct {
    absl::string_view numpy, ours;
  } kPrefixes[] = {{"bool_", "bool"}, {"float", "f"},   {"int", "i"},     {"uint", "u"},
                   {"complex", "c"},  {"bfloat", "bf"}, {"float8_", "f8"}};
  for (const auto& row : kPrefixes) {
    absl::string_view rest = text;
    if (!absl::ConsumePrefix(&rest, row.numpy)) continue;
    if (const std::optional<DType> dtype = ParseDType(absl::StrCat(row.ours, rest))) return dtype;
  }
  RaiseGraphError(absl::StrCat("graphs have no dtype '", text, "'"));
  return std::nullopt;
}

}  // namespace dynacc
