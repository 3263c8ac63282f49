#include "embed/module/compiled_function.h"

#include <structmember.h>

#include <cstddef>
#include <utility>

#include "codegen/compile/compiler.h"
#include "embed/module/option_values.h"
#include "frontend/capture/capture.h"
#include "frontend/tracer/marked_callables.h"

namespace dynacc {
namespace {

// Either type's object.
struct WrappedFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;               // what is called, owned
  cache::Compilation* compilation;  // owned; null of a DisabledFunction
  PyObject* dictionary;             // __dict__, owned
  PyObject* weak_references;
};

WrappedFunction* Cast(PyObject* self) { return reinterpret_cast<WrappedFunction*>(self); }

// The garbage collector has taken it apart, and a finaliser still calls it.
PyObject* RaiseCollected() {
  PyErr_SetString(PyExc_ReferenceError, "the compiled function is being collected");
  return nullptr;
}

PyObject* CallCompiled(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  WrappedFunction& of = *Cast(self);
  if (of.compilation == nullptr) return RaiseCollected();
  return capture::CallCompiled(of.function, *of.compilation, args, nargsf, kwnames);
}

PyObject* CallDisabled(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  if (Cast(self)->function == nullptr) return RaiseCollected();
  const Ref kept = Ref::New(self);
  return capture::CallPlainly(Cast(self)->function, args, nargsf, kwnames);
}

// None, True or False.
int ParseTristate(PyObject* value, int& out) {
  out = value == Py_None ? -1 : PyObject_IsTrue(value);
  return value != Py_None && out < 0 ? -1 : 0;
}

// ValueError or TypeError (set) and false for what is neither None, a callable, nor a target's
// name.
bool ParseBackend(PyObject* backend, cache::FunctionOptions& options) {
  if (backend == Py_None) return true;
  if (PyCallable_Check(backend) != 0) {
    options.backend = Ref::New(backend);
    return true;
  }
  return ParseOption("target", backend, options.overrides);
}

// The callables among the settings; false for a name that is none of theirs.
Ref* CallbackOf(cache::FunctionOptions& options, absl::string_view name) {
  if (name == "on_graph_break") return &options.on_graph_break;
  if (name == "on_recompile") return &options.on_recompile;
  if (name == "guard_filter") return &options.guard_filter;
  return nullptr;
}

bool ParseSettings(PyObject* settings, cache::FunctionOptions& options) {
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(settings, &position, &key, &value) != 0) {
    const char* const name = PyUnicode_AsUTF8(key);
    if (name == nullptr) return false;
    if (Ref* const callback = CallbackOf(options, name)) {
      if (value != Py_None && PyCallable_Check(value) == 0) {
        PyErr_Format(PyExc_TypeError, "dynacc.compile: %s is a function, not %R", name, value);
        return false;
      }
      if (value != Py_None) *callback = Ref::New(value);
    } else if (!ParseOption(name, value, options.overrides)) {
      return false;
    }
  }
  return true;
}

PyObject* Make(PyTypeObject* type, PyObject* function, vectorcallfunc vectorcall) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  Cast(self)->vectorcall = vectorcall;
  Cast(self)->function = Py_NewRef(function);
  return self;
}

PyObject* MakeCompiled(PyTypeObject* type, PyObject* function, cache::FunctionOptions options) {
  PyObject* self = Make(type, function, CallCompiled);
  if (self != nullptr) Cast(self)->compilation = new cache::Compilation(std::move(options), self);
  return self;
}

PyObject* NewCompiled(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *function, *dynamic, *backend, *settings;
  int fullgraph;
  if (!PyArg_ParseTuple(args, "OpOOO!:CompiledFunction", &function, &fullgraph, &dynamic, &backend,
                        &PyDict_Type, &settings)) {
    return nullptr;
  }
  if (!PyFunction_Check(function)) {
    return PyErr_Format(PyExc_TypeError, "dynacc: expected a Python function, got %.100s",
                        Py_TYPE(function)->tp_name);
  }
  cache::FunctionOptions options;
  options.fullgraph = fullgraph != 0;
  if (!ParseSettings(settings, options) || !ParseBackend(backend, options) ||
      ParseTristate(dynamic, options.dynamic) < 0) {
    return nullptr;
  }
  return MakeCompiled(type, function, std::move(options));
}

PyObject* NewDisabled(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* function;
  if (!PyArg_ParseTuple(args, "O:DisabledFunction", &function)) return nullptr;
  if (PyCallable_Check(function) == 0 || PyType_Check(function)) {
    return PyErr_Format(PyExc_TypeError, "dynacc.disable: expected a function, got %.100s",
                        Py_TYPE(function)->tp_name);
  }
  return Make(type, function, CallDisabled);
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  const WrappedFunction& of = *Cast(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(of.function);
  Py_VISIT(of.dictionary);
  if (of.compilation == nullptr) return 0;
  const cache::FunctionOptions& options = of.compilation->options();
  for (const Ref* each :
       {&options.backend, &options.on_graph_break, &options.on_recompile, &options.guard_filter})
    Py_VISIT(each->get());
  return 0;
}

int Clear(PyObject* self) {
  WrappedFunction& of = *Cast(self);
  Py_CLEAR(of.function);
  Py_CLEAR(of.dictionary);
  delete std::exchange(of.compilation, nullptr);
  return 0;
}

void Dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (Cast(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  Clear(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* Get(PyObject* self, PyObject* instance, PyObject*) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, instance);
}

PyObject* Repr(PyObject* self) {
  const char* const maker = Cast(self)->compilation == nullptr ? "disable" : "compile";
  return PyUnicode_FromFormat("<dynacc.%s of %R>", maker, Cast(self)->function);
}

// A string tells pickle to look the object up by module and qualified name, as for a function.
PyObject* Reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyObject* Forget(PyObject* self, PyObject*) {
  if (Cast(self)->compilation == nullptr) return RaiseCollected();
  const Ref kept = Ref::New(self);
  Cast(self)->compilation->Forget();
  Py_RETURN_NONE;
}

PyObject* Stats(PyObject* self, PyObject*) {
  if (Cast(self)->compilation == nullptr) return RaiseCollected();
  const cache::Compilation& compilation = *Cast(self)->compilation;
  const capture::EntryCounts counts = capture::CountEntries(compilation);
  const cache::Compilation::Counters& counters = compilation.counters;
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  return Py_BuildValue("{s:K, s:K, s:K, s:K, s:K, s:K, s:K}", "traces", number(counters.traces),
                       "entries_made", number(counters.entries), "entries", number(counts.entries),
                       "hits", number(counts.hits), "recompiles", number(counters.recompiles),
                       "graph_breaks", number(counters.graph_breaks), "limits_reached",
                       number(counters.limits_reached));
}

PyObject* Fresh(PyObject* self, PyObject*) {
  if (Cast(self)->compilation == nullptr) return RaiseCollected();
  cache::FunctionOptions options = Cast(self)->compilation->options();
  options.at_once = true;
  return MakeCompiled(Py_TYPE(self), Cast(self)->function, std::move(options));
}

PyObject* Explain(PyObject* self, PyObject*) {
  if (Cast(self)->compilation == nullptr) return RaiseCollected();
  const Ref kept = Ref::New(self);
  return capture::ExplainFunction(Cast(self)->function, Cast(self)->compilation);
}

PyMethodDef disabled_methods[] = {
    {"__reduce__", Reduce, METH_NOARGS, "Pickles by reference."},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef compiled_methods[] = {
    {"__reduce__", Reduce, METH_NOARGS, "Pickles by reference."},
    {"forget", Forget, METH_NOARGS, "Forgets what was compiled: the next call traces again."},
    {"stats", Stats, METH_NOARGS, "What has happened in this compilation, as a dict of numbers."},
    {"_fresh", Fresh, METH_NOARGS, "The same compilation anew, for the target at once."},
    {"_explain", Explain, METH_NOARGS, "What is known of the function's segments, as a dict."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(WrappedFunction, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(WrappedFunction, dictionary), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(WrappedFunction, weak_references), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

// What the function has by the name that `name` points to. By these attributes tools know Python
// functions: inspect.getfullargspec, dis, profilers.
PyObject* OfFunction(PyObject* self, void* name) {
  PyObject* const function = Cast(self)->function;
  if (function == nullptr) return RaiseCollected();
  return PyObject_GetAttrString(function, static_cast<const char*>(name));
}

constexpr PyGetSetDef ReadOfFunction(const char* name) {
  return {name, OfFunction, nullptr, nullptr, const_cast<char*>(name)};
}

PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    ReadOfFunction("__code__"),
    ReadOfFunction("__globals__"),
    ReadOfFunction("__closure__"),
    ReadOfFunction("__defaults__"),
    ReadOfFunction("__kwdefaults__"),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

template <typename Pointer>
void* Slot(Pointer* pointer) {
  return reinterpret_cast<void*>(pointer);
}

Ref MakeType(PyObject* module, const char* name, newfunc make, PyMethodDef* methods) {
  PyType_Slot slots[] = {
      {Py_tp_new, Slot(make)},
      {Py_tp_call, Slot(PyVectorcall_Call)},
      {Py_tp_descr_get, Slot(Get)},
      {Py_tp_repr, Slot(Repr)},
      {Py_tp_traverse, Slot(Traverse)},
      {Py_tp_clear, Slot(Clear)},
      {Py_tp_dealloc, Slot(Dealloc)},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {Py_tp_getset, properties},
      {0, nullptr},
  };
  PyType_Spec spec = {name, sizeof(WrappedFunction), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                          Py_TPFLAGS_METHOD_DESCRIPTOR,
                      slots};
  return Ref::Steal(PyType_FromModuleAndSpec(module, &spec, nullptr));
}

bool IsWrapped(BorrowedRef object) { return Py_TYPE(object)->tp_dealloc == Dealloc; }

tracer::CallableMark MarkOf(BorrowedRef object) {
  if (!IsWrapped(object)) return tracer::CallableMark::kNone;
  return Cast(object)->compilation == nullptr ? tracer::CallableMark::kDisabled
                                              : tracer::CallableMark::kCompiled;
}

}  // namespace

bool AddFunctionTypes(PyObject* module) {
  tracer::SetCallableMarks(MarkOf);
  const Ref compiled = MakeType(module, "_dynacc.CompiledFunction", NewCompiled, compiled_methods);
  const Ref disabled = MakeType(module, "_dynacc.DisabledFunction", NewDisabled, disabled_methods);
  return compiled && disabled &&
         PyModule_AddObjectRef(module, "CompiledFunction", compiled.get()) == 0 &&
         PyModule_AddObjectRef(module, "DisabledFunction", disabled.get()) == 0;
}

CompiledCallable FunctionBehind(BorrowedRef callable) {
  if (!IsWrapped(callable) || Cast(callable)->compilation == nullptr) return {};
  return {Cast(callable)->function, Cast(callable)->compilation};
}

}  // namespace dynacc
