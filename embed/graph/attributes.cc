// Attributes of nodes as dicts: one row a form.
#include "codegen/ir/attr_form.h"
#include "codegen/ir/matmul_attrs.h"
#include "embed/graph/attribute_forms.h"
#include "runtime/executor/library_call_text.h"

namespace dynacc {
namespace {

// A form's names, what a node has there, and what is made of them.
struct Form {
  std::vector<const char*> names;
  bool (*write)(PyObject* graph, const ir::EditableNode& node, const Ref& dict);
  bool (*read)(const Reading& reading);
};

bool WriteNothing(PyObject*, const ir::EditableNode&, const Ref&) { return true; }
bool ReadNothing(const Reading&) { return true; }

bool WriteIndex(PyObject*, const ir::EditableNode& node, const Ref& dict) {
  return Set(dict, "index", Int(node.attrs.ints[0]));
}

bool WriteDefined(PyObject* graph, const ir::EditableNode& node, const Ref& dict) {
  const bool defines = !node.attrs.scalars.empty();
  if (!Set(dict, "defines",
           defines ? NumberHandle(graph, node.attrs.scalars[0]) : Ref::New(Py_None))) {
    return false;
  }
  if (node.op != Op::kLibraryCall) return true;
  return Set(dict, "call", Int(node.attrs.call)) && Set(dict, "function", CallText(node));
}

// Which input, or call, a node is does not change.
bool Refuse(const Reading& reading) {
  RaiseGraphError(absl::StrCat("the attributes of '", Info(reading.op).text, "' cannot be set"));
  return false;
}

bool ReadIndex(const Reading& reading) {
  if (reading.op == Op::kInput) return Refuse(reading);
  PyObject* const given = reading.Get("index");
  if (given == nullptr) return reading.Missing("index");
  reading.values.ints.push_back(PyLong_AsLongLong(given));
  return PyErr_Occurred() == nullptr;
}

bool WriteNumber(PyObject* graph, const ir::EditableNode& node, const Ref& dict) {
  Ref real = NumberHandle(graph, node.attrs.scalars[0]);
  if (node.attrs.scalars.size() == 1) return Set(dict, "value", real);
  const Ref imag = NumberHandle(graph, node.attrs.scalars[1]);
  return real && imag && Set(dict, "value", Ref::Steal(PyTuple_Pack(2, real.get(), imag.get())));
}

bool ReadNumber(const Reading& reading) {
  PyObject* const given = reading.Get("value");
  if (given == nullptr) return reading.Missing("value");
  std::vector<Ref> parts;
  if (PyComplex_Check(given)) {
    parts.push_back(Ref::Steal(PyFloat_FromDouble(PyComplex_RealAsDouble(given))));
    parts.push_back(Ref::Steal(PyFloat_FromDouble(PyComplex_ImagAsDouble(given))));
  } else if (PyTuple_Check(given) && PyTuple_GET_SIZE(given) == 2) {
    for (int i : {0, 1}) parts.push_back(Ref::New(PyTuple_GET_ITEM(given, i)));
  } else {
    parts.push_back(Ref::New(given));
  }
  for (const Ref& part : parts) {
    reading.values.scalars.push_back(NumberFrom(reading.graph, part.get()));
  }
  return PyErr_Occurred() == nullptr;
}

bool WriteView(PyObject* graph, const ir::EditableNode& node, const Ref& dict) {
  const size_t starts = node.operands[0]->shape.size();
  return Set(dict, "axis", Ints(node.attrs.ints)) &&
         Set(dict, "start", ShapeHandle(graph, node.attrs.scalars.subspan(0, starts))) &&
         Set(dict, "step", ShapeHandle(graph, node.attrs.scalars.subspan(starts)));
}

bool ReadView(const Reading& reading) {
  return reading.ReadInts("axis") && reading.ReadScalars("start") && reading.ReadScalars("step");
}

bool WriteShifts(PyObject* graph, const ir::EditableNode& node, const Ref& dict) {
  return Set(dict, "shifts", ShapeHandle(graph, node.attrs.scalars));
}

bool ReadShifts(const Reading& reading) { return reading.ReadScalars("shifts"); }

bool WriteAxis(PyObject*, const ir::EditableNode& node, const Ref& dict) {
  return Set(dict, "axis", Int(node.attrs.ints[0]));
}

bool ReadAxis(const Reading& reading) {
  PyObject* const given = reading.Get("axis");
  if (given == nullptr) return reading.Missing("axis");
  reading.values.ints.push_back(PyLong_AsLongLong(given));
  return PyErr_Occurred() == nullptr;
}

bool WriteAxes(PyObject*, const ir::EditableNode& node, const Ref& dict) {
  return Set(dict, "axes", Ints(node.attrs.ints)) &&
         Set(dict, "keepdims", Bool(node.attrs.keepdims));
}

bool ReadAxes(const Reading& reading) {
  PyObject* const keeps = reading.Get("keepdims");
  reading.values.keepdims = keeps != nullptr && PyObject_IsTrue(keeps) == 1;
  return reading.ReadInts("axes");
}

constexpr struct {
  const char* name;
  int64_t bit;
} kMatmulBits[] = {{"apart", ir::kMatmulApart},
                   {"any_order", ir::kMatmulAnyOrder},
                   {"low_precision", ir::kMatmulLowPrecision},
                   {"windows", ir::kMatmulWindows}};

bool WriteMatmul(PyObject*, const ir::EditableNode& node, const Ref& dict) {
  for (const auto& [name, bit] : kMatmulBits) {
    if (!Set(dict, name, Bool(ir::MatmulHas(&node, bit)))) return false;
  }
  return true;
}

bool ReadMatmul(const Reading& reading) {
  int64_t bits = 0;
  for (const auto& [name, bit] : kMatmulBits) {
    PyObject* const given = reading.Get(name);
    if (given != nullptr && PyObject_IsTrue(given) == 1) bits |= bit;
  }
  if (bits != 0) reading.values.ints.push_back(bits);
  return PyErr_Occurred() == nullptr;
}

// In the order of enum AttrForm.
const Form& FormOf(Op op) {
  static const auto& forms = *new std::vector<Form>{
      {{}, WriteNothing, ReadNothing},
      {{"index"}, WriteIndex, ReadIndex},
      {{"value"}, WriteNumber, ReadNumber},
      {{"axis", "start", "step"}, WriteView, ReadView},
      {{"shifts"}, WriteShifts, ReadShifts},
      {{"axes", "keepdims"}, WriteAxes, ReadAxes},
      {{"axis"}, WriteAxis, ReadAxis},
      {{"at", "along", "c_order", "base", "value", "combine"}, WritePlaces, ReadPlaces},
      {{"call", "defines", "function"}, WriteDefined, Refuse},
      {{"operator", "operands"}, WriteOperator, ReadOperator},
      {{"graphs", "numbers"}, WriteBranches, ReadBranches},
      {{"graphs", "numbers", "constants", "carries", "slices", "length", "counted", "reverse"},
       WriteLoop,
       ReadLoop},
      {{"apart", "any_order", "low_precision", "windows"}, WriteMatmul, ReadMatmul},
  };
  return forms[static_cast<int>(ir::AttrFormOf(op))];
}

bool CheckNames(Op op, PyObject* dict) {
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value) != 0;) {
    const char* const name = PyUnicode_AsUTF8(key);
    bool known = false;
    for (const char* one : FormOf(op).names)
      known = known || (name != nullptr && name == std::string(one));
    if (known) continue;
    if (name != nullptr) {
      RaiseGraphError(absl::StrCat("'", Info(op).text, "' has no attribute '", name, "'"));
    }
    return false;
  }
  return true;
}

}  // namespace

Ref AttrsHandle(PyObject* graph, const ir::EditableNode& node) {
  Ref dict = Ref::Steal(PyDict_New());
  return dict && FormOf(node.op).write(graph, node, dict) ? dict : Ref();
}

bool AttrsFrom(PyObject* graph, Op op, PyObject* object, AttrValues& values) {
  PyObject* const dict = object == nullptr || object == Py_None ? nullptr : object;
  if (dict != nullptr && !PyDict_Check(dict)) {
    PyErr_SetString(PyExc_TypeError, "attributes are a dict");
    return false;
  }
  if (dict != nullptr && !CheckNames(op, dict)) return false;
  return FormOf(op).read({graph, op, dict, values});
}

Ref CallText(const ir::EditableNode& node) {
  if (!MakesCall(node)) return Ref::New(Py_None);
  const std::optional<std::string> text = executor::FindCallText(node.attrs.call);
  return Ref::Steal(
      PyUnicode_FromString(text.value_or(absl::StrCat("call ", node.attrs.call)).c_str()));
}

}  // namespace dynacc
