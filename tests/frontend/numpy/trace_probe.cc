// trace_probe: a test-only extension module that traces one NumPy operation at a time and says what
// the result would be, and that exposes the running half of the namespace.
//
//   call(f, args, kwargs, dynamic)        f(*args, **kwargs)
//   method(a, name, args, kwargs, dynamic)
//   attribute(a, name, dynamic)
//   binary(nb_op, in_place, a, b, dynamic), compare(op, a, b, dynamic), unary(opcode, a, dynamic)
//   subscript(a, key, dynamic)
//
// Each returns ("break", reason), ("not found",), or a description of the result: ("tensor", dtype
// character, shape, is_scalar, is_view, index of the argument that it is or -1),
// ("constant", object), ("number", value), or ("tuple", "list" or (its values) "dict",
// [descriptions]).
// `dynamic` makes every size and number of the arguments an input; then the sizes and conditions of
// the trace are evaluated for the arguments, and must hold and agree with what was traced.
#include <Python.h>

#include <functional>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/capture/array_libraries.h"
#include "frontend/guards/guard.h"
#include "frontend/symbolic/trace_context.h"
#include "runtime/base/check.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/ops/op.h"

namespace dynacc::numpy {
namespace {

class Marks : public symbolic::DynamicMarks {
 public:
  explicit Marks(bool dynamic) : dynamic_(dynamic) {}
  bool IsDynamic(const sources::Source&, symbolic::ScalarInput::From, int) const override {
    return dynamic_;
  }

 private:
  bool dynamic_;
};

PyObject* None() { Py_RETURN_NONE; }

class Probe {
 public:
  explicit Probe(bool dynamic) : marks_(dynamic), trace_(sources_, marks_) {}

  symbolic::TraceContext& trace() { return trace_; }

  // Arrays and numbers are reached through sources, as locals of a frame would be.
  symbolic::Value* Convert(PyObject* object) {
    arrays::ArrayNamespace& arrays = *arrays::LoadedArrayNamespace();
    if (arrays.IsArray(object)) {
      const sources::Source* source = NewSource(object);
      absl::StatusOr<symbolic::TensorValue*> tensor = arrays.Wrap(trace_, object, source);
      DYNACC_CHECK(tensor.ok()) << tensor.status().ToString();
      arguments_.push_back(*tensor);
      return *tensor;
    }
    if (PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object)) {
      return trace_.Number(NewSource(object), object);
    }
    if (PyTuple_CheckExact(object)) {
      return trace_.New<symbolic::TupleValue>(ConvertAll(object));
    }
    if (PyList_CheckExact(object)) {
      Ref items = Ref::Steal(PyList_AsTuple(object));
      return trace_.New<symbolic::ListValue>(ConvertAll(items.get()));
    }
    if (PySlice_Check(object)) {
      auto* slice = reinterpret_cast<PySliceObject*>(object);
      symbolic::Value* start = Convert(slice->start);
      symbolic::Value* stop = Convert(slice->stop);
      return trace_.New<symbolic::SliceValue>(start, stop, Convert(slice->step));
    }
    return trace_.New<symbolic::ConstantValue>(Ref::New(object));
  }

  std::vector<symbolic::Value*> ConvertAll(PyObject* tuple) {
    std::vector<symbolic::Value*> values;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
      values.push_back(Convert(PyTuple_GET_ITEM(tuple, i)));
    }
    return values;
  }

  PyObject* Finish(const absl::StatusOr<symbolic::Value*>& result) {
    if (absl::IsNotFound(result.status())) return Py_BuildValue("(s)", "not found");
    if (!result.ok()) {
      return Py_BuildValue("(ss)", "break", std::string(result.status().message()).c_str());
    }
    if (!CheckTrace()) return nullptr;
    return Describe(*result);
  }

 private:
  const sources::Source* NewSource(PyObject* object) {
    objects_.push_back(object);
    return sources_.Intern(sources::SourceKind::kLocal, nullptr,
                           static_cast<int64_t>(objects_.size()) - 1);
  }

  ScalarValue ReadScalar(const symbolic::ScalarInput& input) {
    PyObject* object = objects_[input.source->index];
    if (input.from == symbolic::ScalarInput::From::kFloat) return {.f = PyFloat_AS_DOUBLE(object)};
    if (input.from == symbolic::ScalarInput::From::kInt) return {.i = PyLong_AsLongLong(object)};
    StridedView view;
    alignas(16) char storage[16];
    arrays::LoadedArrayNamespace()->Read(object, &view, storage);
    const bool is_stride = input.from == symbolic::ScalarInput::From::kStride;
    return {.i = is_stride ? view.strides[input.axis] : view.shape[input.axis]};
  }

  // Every condition and guard must hold for the arguments that were traced with.
  bool CheckTrace() {
    const ScalarProgram& scalars = trace_.graph().scalars();
    std::vector<ScalarValue> inputs;
    for (const symbolic::ScalarInput& input : trace_.scalar_inputs())
      inputs.push_back(ReadScalar(input));
    values_.resize(scalars.size());
    if (!scalars.Evaluate(inputs, absl::MakeSpan(values_))) return Fail("evaluation fails");
    for (ScalarId condition : trace_.conditions()) {
      if (values_[condition].i == 0) {
        return Fail(absl::StrCat("condition ", scalars.ToString(condition)));
      }
    }
    for (const guards::Guard& guard : trace_.guards()) {
      const bool of_object = guard.source->kind != sources::SourceKind::kPinned;
      BorrowedRef object = of_object ? objects_[guard.source->index] : BorrowedRef(nullptr);
      if (!guards::CheckGuard(guard, object)) return Fail(guard.ToString());
    }
    return true;
  }

  bool Fail(const std::string& what) {
    PyErr_SetString(PyExc_AssertionError, absl::StrCat("does not hold: ", what).c_str());
    return false;
  }

  PyObject* Describe(symbolic::Value* value) {
    if (auto* constant = symbolic::As<symbolic::ConstantValue>(value)) {
      return Py_BuildValue("(sO)", "constant", constant->object.get());
    }
    if (auto* number = symbolic::As<symbolic::NumberValue>(value)) return DescribeNumber(*number);
    if (auto* tuple = symbolic::As<symbolic::TupleValue>(value))
      return DescribeItems("tuple", tuple->items);
    if (auto* list = symbolic::As<symbolic::ListValue>(value))
      return DescribeItems("list", list->items);
    if (auto* dict = symbolic::As<symbolic::DictValue>(value)) {
      std::vector<symbolic::Value*> values;
      for (const auto& [key, item] : dict->items) values.push_back(item);
      return DescribeItems("dict", values);
    }
    if (auto* lazy = symbolic::As<symbolic::LazyValue>(value)) {
      return Py_BuildValue("(sO)", "deferred", lazy->type);
    }
    auto* tensor = symbolic::As<symbolic::TensorValue>(value);
    return tensor != nullptr ? DescribeTensor(tensor) : None();
  }

  PyObject* DescribeItems(const char* kind, const std::vector<symbolic::Value*>& values) {
    Ref items = Ref::Steal(PyList_New(0));
    for (symbolic::Value* item : values) {
      Ref described = Ref::Steal(Describe(item));
      if (!described || PyList_Append(items.get(), described.get()) < 0) return nullptr;
    }
    return Py_BuildValue("(sO)", kind, items.get());
  }

  PyObject* DescribeNumber(const symbolic::NumberValue& number) {
    if (number.type == ScalarType::kFloat) return Py_BuildValue("(sd)", "number", number.hint.f);
    if (values_[number.id].i != number.hint.i) {
      Fail("a number's hint");
      return nullptr;
    }
    return Py_BuildValue("(sL)", "number", static_cast<long long>(number.hint.i));
  }

  PyObject* DescribeTensor(symbolic::TensorValue* tensor) {
    Ref shape = Ref::Steal(PyTuple_New(tensor->node->rank()));
    for (int axis = 0; axis < tensor->node->rank(); ++axis) {
      // A data-dependent size, which only a run tells, is described as 0.
      const ScalarId id = tensor->node->shape[axis];
      const int64_t size = values_[id].i;
      if (!trace_.IsDataDependent(id) && size != tensor->hint_shape[axis]) {
        Fail("a size's hint");
        return nullptr;
      }
      PyTuple_SET_ITEM(shape.get(), axis, PyLong_FromLongLong(size));
    }
    int index = -1;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i] == tensor) index = static_cast<int>(i);
    }
    const char dtype[] = {Info(tensor->node->dtype).numpy, '\0'};
    return Py_BuildValue("(ssOOOi)", "tensor", dtype, shape.get(),
                         tensor->is_scalar ? Py_True : Py_False,
                         tensor->view_of != nullptr ? Py_True : Py_False, index);
  }

  Marks marks_;
  sources::SourceTable sources_;
  symbolic::TraceContext trace_;
  std::vector<PyObject*> objects_;  // by index of their source; borrowed from the caller
  std::vector<symbolic::TensorValue*> arguments_;
  std::vector<ScalarValue> values_;
};

symbolic::Keywords ConvertKeywords(Probe& probe, PyObject* kwargs) {
  symbolic::Keywords keywords;
  PyObject *name, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(kwargs, &position, &name, &value)) {
    keywords.emplace_back(symbolic::KeywordName(PyUnicode_AsUTF8(name), name),
                          probe.Convert(value));
  }
  return keywords;
}

PyObject* Call(PyObject*, PyObject* all) {
  PyObject *callable, *args, *kwargs;
  int dynamic;
  if (!PyArg_ParseTuple(all, "OO!O!p", &callable, &PyTuple_Type, &args, &PyDict_Type, &kwargs,
                        &dynamic)) {
    return nullptr;
  }
  Probe probe(dynamic);
  const std::vector<symbolic::Value*> positional = probe.ConvertAll(args);
  arrays::ArrayNamespace& arrays = *arrays::LoadedArrayNamespace();
  if (!arrays.KnowsCallable(callable)) return Py_BuildValue("(s)", "not found");
  return probe.Finish(
      arrays.Call(probe.trace(), callable, {positional, ConvertKeywords(probe, kwargs)}));
}

PyObject* Method(PyObject*, PyObject* all) {
  PyObject *self, *args, *kwargs;
  const char* name;
  int dynamic;
  if (!PyArg_ParseTuple(all, "OsO!O!p", &self, &name, &PyTuple_Type, &args, &PyDict_Type, &kwargs,
                        &dynamic)) {
    return nullptr;
  }
  Probe probe(dynamic);
  auto* tensor = symbolic::As<symbolic::TensorValue>(probe.Convert(self));
  const std::vector<symbolic::Value*> positional = probe.ConvertAll(args);
  return probe.Finish(arrays::LoadedArrayNamespace()->CallMethod(
      probe.trace(), tensor, name, {positional, ConvertKeywords(probe, kwargs)}));
}

PyObject* Attribute(PyObject*, PyObject* all) {
  PyObject* self;
  const char* name;
  int dynamic;
  if (!PyArg_ParseTuple(all, "Osp", &self, &name, &dynamic)) return nullptr;
  Probe probe(dynamic);
  auto* tensor = symbolic::As<symbolic::TensorValue>(probe.Convert(self));
  return probe.Finish(arrays::LoadedArrayNamespace()->Attribute(probe.trace(), tensor, name));
}

// In-place operators work on a copy made by the trace.
PyObject* Binary(PyObject*, PyObject* all) {
  int nb_op, in_place, dynamic;
  PyObject *a, *b;
  if (!PyArg_ParseTuple(all, "ipOOp", &nb_op, &in_place, &a, &b, &dynamic)) return nullptr;
  Probe probe(dynamic);
  arrays::ArrayNamespace& arrays = *arrays::LoadedArrayNamespace();
  symbolic::Value* left = probe.Convert(a);
  symbolic::Value* right = probe.Convert(b);
  if (in_place && left->kind() == symbolic::ValueKind::kTensor) {
    absl::StatusOr<symbolic::Value*> copy =
        arrays.CallMethod(probe.trace(), symbolic::As<symbolic::TensorValue>(left), "copy", {});
    if (!copy.ok()) return probe.Finish(copy);
    left = *copy;
  }
  return probe.Finish(arrays.Binary(probe.trace(), nb_op, in_place, left, right));
}

PyObject* Compare(PyObject*, PyObject* all) {
  int op, dynamic;
  PyObject *a, *b;
  if (!PyArg_ParseTuple(all, "iOOp", &op, &a, &b, &dynamic)) return nullptr;
  Probe probe(dynamic);
  symbolic::Value* left = probe.Convert(a);
  symbolic::Value* right = probe.Convert(b);
  return probe.Finish(arrays::LoadedArrayNamespace()->Compare(probe.trace(), op, left, right));
}

PyObject* Unary(PyObject*, PyObject* all) {
  int opcode, dynamic;
  PyObject* a;
  if (!PyArg_ParseTuple(all, "iOp", &opcode, &a, &dynamic)) return nullptr;
  Probe probe(dynamic);
  auto* tensor = symbolic::As<symbolic::TensorValue>(probe.Convert(a));
  return probe.Finish(arrays::LoadedArrayNamespace()->Unary(probe.trace(), opcode, tensor));
}

PyObject* Subscript(PyObject*, PyObject* all) {
  PyObject *a, *key;
  int dynamic;
  if (!PyArg_ParseTuple(all, "OOp", &a, &key, &dynamic)) return nullptr;
  Probe probe(dynamic);
  auto* tensor = symbolic::As<symbolic::TensorValue>(probe.Convert(a));
  symbolic::Value* index = probe.Convert(key);
  return probe.Finish(arrays::LoadedArrayNamespace()->Subscript(probe.trace(), tensor, index));
}

// {"add": "?bhilBHILfd", ...}: for each op of NumPy's the dtypes that have a loop.
PyObject* Loops(PyObject*, PyObject*) {
  Ref loops = Ref::Steal(PyDict_New());
  for (int i = 0; i < NumOps(); ++i) {
    const OpInfo& info = Info(static_cast<Op>(i));
    if (info.numpy[0] == '\0') continue;
    std::string dtypes;
    for (int d = 0; d < kNumDTypes; ++d) {
      if (kernel::FindLibraryLoop(i, static_cast<DType>(d))) dtypes += kDTypeInfo[d].numpy;
    }
    Ref text = Ref::Steal(PyUnicode_FromString(dtypes.c_str()));
    if (PyDict_SetItemString(loops.get(), info.text, text.get()) < 0) return nullptr;
  }
  return loops.Release();
}

PyObject* IsArray(PyObject*, PyObject* object) {
  return PyBool_FromLong(arrays::LoadedArrayNamespace()->IsArray(object));
}

// A new object of the same content: an array in the same (dense) memory order, or a scalar.
PyObject* Rebuild(PyObject*, PyObject* object) {
  arrays::ArrayNamespace& arrays = *arrays::LoadedArrayNamespace();
  StridedView from;
  alignas(16) char storage[16];
  arrays.Read(object, &from, storage);
  if (from.data == storage) return arrays.NewScalar(from);
  StridedView to = from;
  PyObject* array = arrays.NewArray(to, /*is_native=*/false, /*keeps_memory=*/false);
  if (array != nullptr) memcpy(to.data, from.data, from.size() * ItemSize(from.dtype));
  return array;
}

// The view of `base` that lies where `like`, another view of it, does.
PyObject* View(PyObject*, PyObject* all) {
  PyObject *base, *like;
  if (!PyArg_ParseTuple(all, "OO", &base, &like)) return nullptr;
  StridedView view;
  arrays::LoadedArrayNamespace()->Read(like, &view, nullptr);
  return arrays::LoadedArrayNamespace()->NewView(base, view, /*is_native=*/false);
}

PyObject* FpFlags(PyObject*, PyObject*) {
  return PyLong_FromLong(arrays::LoadedArrayNamespace()->ReportedFpFlags());
}

PyObject* IsLoaded(PyObject*, PyObject*) {
  return PyBool_FromLong(arrays::LoadedArrayNamespace() != nullptr);
}

PyMethodDef kMethods[] = {
    {"call", Call, METH_VARARGS, nullptr},           {"method", Method, METH_VARARGS, nullptr},
    {"attribute", Attribute, METH_VARARGS, nullptr}, {"binary", Binary, METH_VARARGS, nullptr},
    {"compare", Compare, METH_VARARGS, nullptr},     {"unary", Unary, METH_VARARGS, nullptr},
    {"subscript", Subscript, METH_VARARGS, nullptr}, {"loops", Loops, METH_NOARGS, nullptr},
    {"is_array", IsArray, METH_O, nullptr},          {"rebuild", Rebuild, METH_O, nullptr},
    {"view", View, METH_VARARGS, nullptr},           {"fp_flags", FpFlags, METH_NOARGS, nullptr},
    {"is_loaded", IsLoaded, METH_NOARGS, nullptr},   {nullptr, nullptr, 0, nullptr},
};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "trace_probe",
                       nullptr,
                       -1,
                       kMethods,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace
}  // namespace dynacc::numpy

PyMODINIT_FUNC PyInit_trace_probe() {
  dynacc::capture::RegisterArrayLibraries();
  return PyModule_Create(&dynacc::numpy::kModule);
}
