// Size: a number of a graph that its run tells, as an array's size, with Python's arithmetic.
#include "absl/strings/str_cat.h"
#include "codegen/ir/size_range.h"
#include "embed/graph/graph_objects.h"

namespace dynacc {
namespace {

SizeObject* Cast(PyObject* self) { return reinterpret_cast<SizeObject*>(self); }

const ScalarProgram& ProgramOf(PyObject* self) { return GraphOf(Cast(self)->owner).scalars(); }

bool IsSize(PyObject* object) {
  return Py_TYPE(object) == reinterpret_cast<PyTypeObject*>(TheGraphTypes().size);
}

PyObject* Apply(ScalarOp op, PyObject* a, PyObject* b) {
  PyObject* const graph = Cast(IsSize(a) ? a : b)->owner;
  for (PyObject* operand : {a, b}) {
    if (!IsSize(operand) && !PyLong_Check(operand) && !PyFloat_Check(operand)) {
      Py_RETURN_NOTIMPLEMENTED;
    }
  }
  ScalarProgram& program = GraphOf(graph).scalars();
  ScalarId left = NumberFrom(graph, a);
  ScalarId right = left == kNoScalar ? kNoScalar : NumberFrom(graph, b);
  if (right == kNoScalar) return nullptr;
  const bool left_is_float = program.expr(left).type == ScalarType::kFloat;
  const bool right_is_float = program.expr(right).type == ScalarType::kFloat;
  if (left_is_float && !right_is_float) right = program.Apply(ScalarOp::kToFloat, right);
  if (right_is_float && !left_is_float) left = program.Apply(ScalarOp::kToFloat, left);
  if (!program.Accepts(op, left, right)) Py_RETURN_NOTIMPLEMENTED;
  return NumberHandle(graph, program.Apply(op, left, right)).Release();
}

template <ScalarOp kOp>
PyObject* Binary(PyObject* a, PyObject* b) {
  return Apply(kOp, a, b);
}

template <ScalarOp kOp>
PyObject* Unary(PyObject* self) {
  return NumberHandle(Cast(self)->owner,
                      GraphOf(Cast(self)->owner).scalars().Apply(kOp, Cast(self)->id))
      .Release();
}

ir::SizeRange RangeOfSize(PyObject* self) {
  const ir::EditableGraph& graph = GraphOf(Cast(self)->owner);
  std::vector<ScalarId> sizes;
  for (const ir::EditableNode* input : graph.inputs()) {
    sizes.insert(sizes.end(), input->shape.begin(), input->shape.end());
  }
  return ir::RangeOf(graph.scalars(), sizes, graph.conditions(), Cast(self)->id);
}

PyObject* Range(PyObject* self, void*) {
  const ir::SizeRange range = RangeOfSize(self);
  const Ref low = range.low == ir::SizeRange::kNoLow ? Ref::New(Py_None)
                                                     : Ref::Steal(PyLong_FromLongLong(range.low));
  const Ref high = range.high == ir::SizeRange::kNoHigh
                       ? Ref::New(Py_None)
                       : Ref::Steal(PyLong_FromLongLong(range.high));
  return low && high ? PyTuple_Pack(2, low.get(), high.get()) : nullptr;
}

PyObject* Name(PyObject* self, void*) {
  return PyUnicode_FromString(ProgramOf(self).Name(Cast(self)->id).c_str());
}

PyObject* Owner(PyObject* self, void*) { return Py_NewRef(Cast(self)->owner); }

// Whether a difference in this range answers `a op b`; -1: it does not.
int Decide(int op, ir::SizeRange difference) {
  switch (op) {
    case Py_LT:
      return difference.high < 0 ? 1 : difference.low >= 0 ? 0 : -1;
    case Py_LE:
      return difference.high <= 0 ? 1 : difference.low > 0 ? 0 : -1;
    case Py_GT:
      return difference.low > 0 ? 1 : difference.high <= 0 ? 0 : -1;
    default:
      return difference.low >= 0 ? 1 : difference.high < 0 ? 0 : -1;
  }
}

PyObject* Compare(PyObject* a, PyObject* b, int op) {
  if (op == Py_EQ || op == Py_NE) {  // of expressions: the same one, or not known to be
    if (!IsSize(b)) return PyBool_FromLong(op == Py_NE);
    const bool same = Cast(a)->owner == Cast(b)->owner && Cast(a)->id == Cast(b)->id;
    return PyBool_FromLong(same == (op == Py_EQ));
  }
  const Ref difference = Ref::Steal(Apply(ScalarOp::kSub, a, b));
  if (!difference || difference.get() == Py_NotImplemented) return Ref(difference).Release();
  ir::SizeRange range;
  if (IsSize(difference.get())) {
    range = RangeOfSize(difference.get());
  } else {
    range.low = range.high = PyLong_AsLongLong(difference.get());
  }
  const int decided = Decide(op, range);
  if (decided >= 0) return PyBool_FromLong(decided);
  PyErr_Format(PyExc_TypeError,
               "%R is known when the graph runs; Graph.require can demand what it must be", a);
  return nullptr;
}

Py_hash_t Hash(PyObject* self) {
  const Py_hash_t hash = Cast(self)->id ^ (reinterpret_cast<intptr_t>(Cast(self)->owner) >> 4);
  return hash == -1 ? -2 : hash;
}

PyObject* Repr(PyObject* self) {
  return PyUnicode_FromString(ProgramOf(self).ToString(Cast(self)->id).c_str());
}

int IsTrue(PyObject* self) {
  const ir::SizeRange range = RangeOfSize(self);
  if (range.low > 0 || range.high < 0) return 1;
  PyErr_Format(PyExc_TypeError, "whether %R is 0 is known when the graph runs", self);
  return -1;
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
  Py_XDECREF(Cast(self)->owner);
  type->tp_free(self);
  Py_DECREF(type);
}

PyGetSetDef properties[] = {
    {"range", Range, nullptr,
     "The least and the greatest value that it can have, as far as is known; None: no bound.",
     nullptr},
    {"name", Name, nullptr, "Its name in the graph's text: 's0'.", nullptr},
    {"graph", Owner, nullptr, "The graph whose number it is.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

template <typename Pointer>
void* Slot(Pointer pointer) {
  return reinterpret_cast<void*>(pointer);
}

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(
                    "A number of a graph that its run tells: an array's size, or an expression of "
                    "such. `+ - * // %` and unary `-` make expressions; `==` asks whether two are "
                    "the same expression; `<` and its like answer what the known ranges decide, "
                    "and raise TypeError otherwise.")},
    {Py_nb_add, Slot(Binary<ScalarOp::kAdd>)},
    {Py_nb_subtract, Slot(Binary<ScalarOp::kSub>)},
    {Py_nb_multiply, Slot(Binary<ScalarOp::kMul>)},
    {Py_nb_floor_divide, Slot(Binary<ScalarOp::kFloorDiv>)},
    {Py_nb_remainder, Slot(Binary<ScalarOp::kMod>)},
    {Py_nb_true_divide, Slot(Binary<ScalarOp::kTrueDiv>)},
    {Py_nb_negative, Slot(Unary<ScalarOp::kNeg>)},
    {Py_nb_absolute, Slot(Unary<ScalarOp::kAbs>)},
    {Py_nb_bool, Slot(IsTrue)},
    {Py_tp_richcompare, Slot(Compare)},
    {Py_tp_hash, Slot(Hash)},
    {Py_tp_repr, Slot(Repr)},
    {Py_tp_traverse, Slot(Traverse)},
    {Py_tp_dealloc, Slot(Dealloc)},
    {Py_tp_getset, properties},
    {0, nullptr},
};

PyType_Spec spec = {"_dynacc.Size", sizeof(SizeObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

Ref MakeSizeType(BorrowedRef module) {
  return Ref::Steal(PyType_FromModuleAndSpec(module, &spec, nullptr));
}

Ref NumberHandle(PyObject* graph, ScalarId id) {
  const ScalarExpr& expr = GraphOf(graph).scalars().expr(id);
  if (expr.op == ScalarOp::kConst) {
    if (expr.type == ScalarType::kFloat) return Ref::Steal(PyFloat_FromDouble(expr.value.f));
    return Ref::Steal(expr.type == ScalarType::kBool ? PyBool_FromLong(expr.value.i != 0)
                                                     : PyLong_FromLongLong(expr.value.i));
  }
  auto* const type = reinterpret_cast<PyTypeObject*>(TheGraphTypes().size);
  PyObject* const self = type->tp_alloc(type, 0);
  if (self == nullptr) return {};
  Cast(self)->owner = Py_NewRef(graph);
  Cast(self)->id = id;
  return Ref::Steal(self);
}

ScalarId NumberFrom(PyObject* graph, PyObject* object) {
  ScalarProgram& program = GraphOf(graph).scalars();
  if (IsSize(object)) {
    if (Cast(object)->owner == graph) return Cast(object)->id;
    RaiseGraphError(absl::StrCat("'", ProgramOf(object).ToString(Cast(object)->id),
                                 "' is a number of another graph"));
    return kNoScalar;
  }
  if (PyBool_Check(object)) return program.Bool(object == Py_True);
  if (PyFloat_Check(object)) return program.Float(PyFloat_AS_DOUBLE(object));
  const Ref index = Ref::Steal(PyNumber_Index(object));
  if (!index) return kNoScalar;
  const int64_t value = PyLong_AsLongLong(index.get());
  return value == -1 && PyErr_Occurred() != nullptr ? kNoScalar : program.Int(value);
}

ScalarId SizeFrom(PyObject* graph, PyObject* object) {
  if (!IsSize(object) && !PyIndex_Check(object)) {
    PyErr_Format(PyExc_TypeError, "a size is an int or a Size, not %R", object);
    return kNoScalar;
  }
  const ScalarId id = NumberFrom(graph, object);
  if (id == kNoScalar || GraphOf(graph).scalars().expr(id).type == ScalarType::kInt) return id;
  PyErr_Format(PyExc_TypeError, "a size is an int, not %R", object);
  return kNoScalar;
}

Ref ShapeHandle(PyObject* graph, absl::Span<const ScalarId> shape) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (size_t i = 0; tuple && i < shape.size(); ++i) {
    Ref size = NumberHandle(graph, shape[i]);
    if (!size) return {};
    PyTuple_SET_ITEM(tuple.get(), i, size.Release());
  }
  return tuple;
}

bool ShapeFrom(PyObject* graph, PyObject* object, ir::ShapeVector& shape) {
  const Ref items = Ref::Steal(PySequence_Fast(object, "a shape is a sequence of sizes"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    const ScalarId id = SizeFrom(graph, PySequence_Fast_GET_ITEM(items.get(), i));
    if (id == kNoScalar) return false;
    shape.push_back(id);
  }
  return static_cast<bool>(items);
}

}  // namespace dynacc
