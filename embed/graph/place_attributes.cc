// Attributes of gathers, scatters and operators on ints: which elements, as NumPy's indices say it.
//
// "at" is a tuple like an index of NumPy: slices, None for a new axis, ints, tuples of ints, and
// for an operand of the node the text "args[1]", which may be a slice's bound, too.
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "codegen/ir/gather_attrs.h"
#include "codegen/ir/int_operator_attrs.h"
#include "embed/graph/attribute_forms.h"

namespace dynacc {
namespace {

using ir::PlaceItem;
using Kind = PlaceItem::Kind;

Ref Text(const std::string& text) { return Ref::Steal(PyUnicode_FromString(text.c_str())); }
Ref Nothing() { return Ref::New(Py_None); }
Ref OperandText(int operand) { return Text(absl::StrCat("args[", operand, "]")); }

// The operand that "args[1]" names; nothing for another object.
std::optional<int> OperandFrom(PyObject* object) {
  if (!PyUnicode_Check(object)) return std::nullopt;
  const char* const text = PyUnicode_AsUTF8(object);
  absl::string_view number = text == nullptr ? "" : text;
  int operand = 0;
  const bool is_one = absl::ConsumePrefix(&number, "args[") && absl::ConsumeSuffix(&number, "]") &&
                      absl::SimpleAtoi(number, &operand) && operand >= 0;
  if (is_one) return operand;
  PyErr_Clear();
  return std::nullopt;
}

Ref TupleOf(const std::vector<Ref>& items) {
  Ref tuple = Ref::Steal(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
  for (size_t i = 0; tuple && i < items.size(); ++i) {
    if (!items[i]) return Ref();
    PyTuple_SET_ITEM(tuple.get(), i, Ref(items[i]).Release());
  }
  return tuple;
}

Ref BoundObject(const std::optional<PlaceItem::Bound>& bound) {
  if (!bound) return Nothing();
  return bound->operand < 0 ? Int(bound->number) : OperandText(bound->operand);
}

Ref ItemObject(const PlaceItem& item) {
  switch (item.kind) {
    case Kind::kWhole:
      return Ref::Steal(PySlice_New(nullptr, nullptr, nullptr));
    case Kind::kPart: {
      const Ref from = BoundObject(item.from), to = BoundObject(item.to);
      const Ref step = item.step == 1 ? Nothing() : Int(item.step);
      if (!from || !to || !step) return Ref();
      return Ref::Steal(PySlice_New(from.get(), to.get(), step.get()));
    }
    case Kind::kNew:
      return Nothing();
    case Kind::kOperand:
      return OperandText(item.operand);
    case Kind::kNumber:
      return Int(item.number);
    case Kind::kNumbers:
      break;
  }
  return Ints(item.numbers);
}

// Sets an exception if `object` is no int.
int64_t Integer(PyObject* object) {
  const Ref index = Ref::Steal(PyNumber_Index(object));
  return index ? PyLong_AsLongLong(index.get()) : -1;
}

std::optional<PlaceItem::Bound> BoundFrom(PyObject* object) {
  if (object == Py_None) return std::nullopt;
  if (const std::optional<int> operand = OperandFrom(object)) return PlaceItem::Bound{*operand, 0};
  return PlaceItem::Bound{-1, Integer(object)};
}

// Sets an exception if `object` is no place.
PlaceItem ItemFrom(PyObject* object) {
  PlaceItem item;
  if (PySlice_Check(object)) {
    const auto& slice = *reinterpret_cast<PySliceObject*>(object);
    item.from = BoundFrom(slice.start);
    item.to = BoundFrom(slice.stop);
    item.step = slice.step == Py_None ? 1 : Integer(slice.step);
    item.kind = item.from || item.to || item.step != 1 ? Kind::kPart : Kind::kWhole;
  } else if (object == Py_None) {
    item.kind = Kind::kNew;
  } else if (const std::optional<int> operand = OperandFrom(object)) {
    item.kind = Kind::kOperand;
    item.operand = *operand;
  } else if (PyTuple_Check(object)) {
    item.kind = Kind::kNumbers;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
      item.numbers.push_back(Integer(PyTuple_GET_ITEM(object, i)));
    }
  } else {
    item.kind = Kind::kNumber;
    item.number = Integer(object);
  }
  return item;
}

bool IsTrue(PyObject* object) { return object != nullptr && PyObject_IsTrue(object) == 1; }

bool WriteGather(const ir::GatherAttrs& places, const Ref& dict) {
  std::vector<Ref> items;
  for (const PlaceItem& item : places.items) items.push_back(ItemObject(item));
  return Set(dict, "at", TupleOf(items)) && Set(dict, "along", Bool(places.along)) &&
         Set(dict, "c_order", Bool(places.c_order));
}

}  // namespace

bool WritePlaces(PyObject* graph, const ir::EditableNode& node, const Ref& dict) {
  if (node.op == Op::kGather) {
    const std::optional<ir::GatherAttrs> places = ir::GatherAttrsOf(node);
    return !places || WriteGather(*places, dict);
  }
  const std::optional<ir::ScatterAttrs> attrs = ir::ScatterAttrsOf(node);
  if (!attrs) return true;
  const bool is_number = attrs->value < 0 && !node.attrs.scalars.empty();
  return WriteGather(attrs->places, dict) && Set(dict, "base", OperandText(attrs->base)) &&
         Set(dict, "value",
             is_number ? NumberHandle(graph, node.attrs.scalars[0]) : OperandText(attrs->value)) &&
         Set(dict, "combine", attrs->op ? Text(Info(*attrs->op).text) : Nothing());
}

bool ReadPlaces(const Reading& reading) {
  PyObject* const at = reading.Get("at");
  if (at == nullptr) return reading.Missing("at");
  ir::GatherAttrs places;
  const Ref items = Ref::Steal(PySequence_Tuple(at));
  for (Py_ssize_t i = 0; items && i < PyTuple_GET_SIZE(items.get()); ++i) {
    places.items.push_back(ItemFrom(PyTuple_GET_ITEM(items.get(), i)));
  }
  places.along = IsTrue(reading.Get("along"));
  places.c_order = IsTrue(reading.Get("c_order"));
  if (PyErr_Occurred() != nullptr) return false;
  if (reading.op == Op::kGather) {
    reading.values.ints = ir::EncodeGather(places);
    return true;
  }
  ir::ScatterAttrs attrs;
  attrs.places = std::move(places);
  PyObject* const base = reading.Get("base");
  PyObject* const value = reading.Get("value");
  PyObject* const combine = reading.Get("combine");
  if (value == nullptr) return reading.Missing("value");
  attrs.base = base == nullptr ? 0 : OperandFrom(base).value_or(-1);
  attrs.value = OperandFrom(value).value_or(-1);
  if (attrs.value < 0) reading.values.scalars.push_back(NumberFrom(reading.graph, value));
  if (combine != nullptr && combine != Py_None) {
    const char* const name = PyUnicode_AsUTF8(combine);
    attrs.op = name == nullptr ? std::nullopt : ParseOp(name);
    if (name != nullptr && !attrs.op) {
      RaiseGraphError(absl::StrCat("'scatter' combines by a binary op, not by '", name, "'"));
    }
  }
  reading.values.ints = ir::EncodeScatter(attrs);
  return PyErr_Occurred() == nullptr;
}

bool WriteOperator(PyObject*, const ir::EditableNode& node, const Ref& dict) {
  const std::optional<executor::IntOperation> operation = ir::IntOperationOf(node);
  if (!operation) return true;
  std::vector<Ref> operands;
  for (const auto& [operand, number] : operation->arguments) {
    operands.push_back(operand < 0 ? Int(number) : OperandText(operand));
  }
  return Set(dict, "operator", Text(executor::Info(operation->op).name)) &&
         Set(dict, "operands", TupleOf(operands));
}

bool ReadOperator(const Reading& reading) {
  PyObject* const given = reading.Get("operator");
  PyObject* const operands = reading.Get("operands");
  if (given == nullptr || operands == nullptr) {
    return reading.Missing(given == nullptr ? "operator" : "operands");
  }
  const char* const name = PyUnicode_AsUTF8(given);
  if (name == nullptr) return false;
  executor::IntOperation operation;
  int op = 0;
  while (op < executor::NumIntOperators() &&
         executor::Info(static_cast<executor::IntOperation::Operator>(op)).name !=
             std::string(name)) {
    ++op;
  }
  if (op == executor::NumIntOperators()) {
    RaiseGraphError(absl::StrCat("'int_operator' has no operator '", name, "'"));
    return false;
  }
  operation.op = static_cast<executor::IntOperation::Operator>(op);
  const Ref items = Ref::Steal(PySequence_Tuple(operands));
  for (Py_ssize_t i = 0; items && i < PyTuple_GET_SIZE(items.get()); ++i) {
    PyObject* const item = PyTuple_GET_ITEM(items.get(), i);
    const std::optional<int> operand = OperandFrom(item);
    operation.arguments.push_back({operand.value_or(-1), operand ? 0 : Integer(item)});
  }
  reading.values.ints = ir::EncodeIntOperation(operation);
  return PyErr_Occurred() == nullptr;
}

}  // namespace dynacc
