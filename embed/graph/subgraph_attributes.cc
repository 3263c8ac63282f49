// The attributes of 'cond' and 'loop': graphs, their numbers, and what a loop's operands are.
#include <memory>

#include "codegen/ir/control_flow.h"
#include "embed/graph/attribute_forms.h"

namespace dynacc {
namespace {

// A copy, of the type that `like` has; null with an exception set.
Ref CopiedGraph(PyObject* like, const ir::Graph& graph) {
  PyTypeObject* const type = Py_TYPE(like);
  Ref self = Ref::Steal(type->tp_alloc(type, 0));
  if (!self) return {};
  reinterpret_cast<GraphObject*>(self.get())->graph = new ir::EditableGraph(graph);
  return self;
}

bool WriteGraphs(PyObject* graph, const ir::EditableNode& node, const Ref& dict) {
  const auto count = static_cast<Py_ssize_t>(node.attrs.subgraphs.size());
  const Ref graphs = Ref::Steal(PyTuple_New(count));
  for (Py_ssize_t i = 0; graphs && i < count; ++i) {
    Ref copy = CopiedGraph(graph, *node.attrs.subgraphs[i]);
    if (!copy) return false;
    PyTuple_SET_ITEM(graphs.get(), i, copy.Release());
  }
  return Set(dict, "graphs", graphs);
}

bool ReadGraphs(const Reading& reading) {
  PyObject* const given = reading.Get("graphs");
  if (given == nullptr) return reading.Missing("graphs");
  const Ref items = Ref::Steal(PySequence_Fast(given, "a sequence of graphs"));
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject* const item = PySequence_Fast_GET_ITEM(items.get(), i);
    const int is_graph = PyObject_IsInstance(item, TheGraphTypes().graph);
    if (is_graph == 0) PyErr_SetString(PyExc_TypeError, "the graphs are a sequence of Graphs");
    if (is_graph != 1) return false;
    auto built = GraphOf(item).Build();
    if (!built.ok()) {
      RaiseGraphError(built.status());
      return false;
    }
    reading.values.graphs.emplace_back(*std::move(built));
    reading.values.subgraphs.push_back(reading.values.graphs.back().get());
  }
  return PyErr_Occurred() == nullptr;
}

bool ReadNumbers(const Reading& reading) {
  return reading.Get("numbers") == nullptr || reading.ReadScalars("numbers");
}

// The loop's number of that name; 0 if it is not given.
bool ReadCount(const Reading& reading, const char* name, int64_t& count) {
  PyObject* const given = reading.Get(name);
  count = given == nullptr ? 0 : PyLong_AsLongLong(given);
  return PyErr_Occurred() == nullptr;
}

}  // namespace

bool WriteBranches(PyObject* graph, const ir::EditableNode& node, const Ref& dict) {
  return WriteGraphs(graph, node, dict) &&
         Set(dict, "numbers", ShapeHandle(graph, node.attrs.scalars));
}

bool ReadBranches(const Reading& reading) { return ReadGraphs(reading) && ReadNumbers(reading); }

bool WriteLoop(PyObject* graph, const ir::EditableNode& node, const Ref& dict) {
  const ir::LoopAttrs loop = *ir::LoopAttrsOf(node.attrs);
  const bool is_limited = loop.length != kNoScalar;
  const Ref length = is_limited ? NumberHandle(graph, loop.length) : Ref::New(Py_None);
  return WriteGraphs(graph, node, dict) &&
         Set(dict, "numbers", ShapeHandle(graph, node.attrs.scalars.subspan(is_limited ? 1 : 0))) &&
         Set(dict, "constants", Int(loop.constants)) && Set(dict, "carries", Int(loop.carries)) &&
         Set(dict, "slices", Int(loop.slices)) && Set(dict, "length", length) &&
         Set(dict, "counted", Bool(loop.counted)) && Set(dict, "reverse", Bool(loop.reverse));
}

bool ReadLoop(const Reading& reading) {
  ir::LoopAttrs loop;
  PyObject* const length = reading.Get("length");
  if (length != nullptr && length != Py_None) {
    loop.length = SizeFrom(reading.graph, length);
    if (loop.length == kNoScalar) return false;
    reading.values.scalars.push_back(loop.length);
  }
  const auto is_true = [&](const char* name) {
    PyObject* const given = reading.Get(name);
    return given != nullptr && PyObject_IsTrue(given) == 1;
  };
  loop.counted = is_true("counted");
  loop.reverse = is_true("reverse");
  const bool read = ReadCount(reading, "constants", loop.constants) &&
                    ReadCount(reading, "carries", loop.carries) &&
                    ReadCount(reading, "slices", loop.slices);
  reading.values.ints = ir::EncodeLoop(loop);
  return read && ReadGraphs(reading) && ReadNumbers(reading);
}

}  // namespace dynacc
