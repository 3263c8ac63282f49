// What the forms of attributes (attributes.cc, place_attributes.cc) are written and read with.
#pragma once

#include "absl/strings/str_cat.h"
#include "embed/graph/graph_objects.h"

namespace dynacc {

// False with an exception set.
inline bool Set(const Ref& dict, const char* name, const Ref& value) {
  return dict && value && PyDict_SetItemString(dict.get(), name, value.get()) == 0;
}

inline Ref Int(int64_t value) { return Ref::Steal(PyLong_FromLongLong(value)); }
inline Ref Bool(bool value) { return Ref::New(value ? Py_True : Py_False); }

inline Ref Ints(absl::Span<const int64_t> values) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; tuple && i < values.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, PyLong_FromLongLong(values[i]));
  }
  return tuple;
}

// What a reader is told.
struct Reading {
  PyObject* graph;
  Op op;
  PyObject* dict;  // or null
  AttrValues& values;

  // Borrowed; null for an attribute that is not given.
  PyObject* Get(const char* name) const {
    return dict == nullptr ? nullptr : PyDict_GetItemString(dict, name);
  }
  bool Missing(const char* name) const {
    RaiseGraphError(absl::StrCat("'", Info(op).text, "' needs the attribute '", name, "'"));
    return false;
  }
  bool ReadInts(const char* name) const {
    PyObject* const given = Get(name);
    if (given == nullptr) return Missing(name);
    const Ref items = Ref::Steal(PySequence_Fast(given, "a sequence of ints"));
    for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
      values.ints.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items.get(), i)));
    }
    return PyErr_Occurred() == nullptr;
  }
  bool ReadScalars(const char* name) const {
    PyObject* const given = Get(name);
    return given == nullptr ? Missing(name) : ShapeFrom(graph, given, values.scalars);
  }
};

// The forms kPlaces and kOperator (place_attributes.cc). An operand of the node is the text
// "args[1]".
bool WritePlaces(PyObject* graph, const ir::EditableNode& node, const Ref& dict);
bool ReadPlaces(const Reading& reading);
bool WriteOperator(PyObject* graph, const ir::EditableNode& node, const Ref& dict);
bool ReadOperator(const Reading& reading);

// The forms kBranches and kLoop (subgraph_attributes.cc).
bool WriteBranches(PyObject* graph, const ir::EditableNode& node, const Ref& dict);
bool ReadBranches(const Reading& reading);
bool WriteLoop(PyObject* graph, const ir::EditableNode& node, const Ref& dict);
bool ReadLoop(const Reading& reading);

}  // namespace dynacc
