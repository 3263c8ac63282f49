#include "embed/module/compiled_function.h"

#include <structmember.h>

#include <cstddef>

#include "codegen/compile/compiler.h"
#include "frontend/capture/capture.h"

namespace dynacc {
namespace {

struct CompiledFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* function;    // the Python function that is called, owned
  PyObject* dictionary;  // __dict__, owned
  PyObject* weak_references;
};

CompiledFunction* Cast(PyObject* self) { return reinterpret_cast<CompiledFunction*>(self); }

PyObject* Call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  return capture::CallCompiled(Cast(self)->function, args, nargsf, kwnames);
}

// `dynamic` and `fast_math` are None (leave it to the environment), True or False.
int ParseTristate(PyObject* value, int& out) {
  out = value == Py_None ? -1 : PyObject_IsTrue(value);
  return value != Py_None && out < 0 ? -1 : 0;
}

// A callable, or a str: "" for DYNACC_TARGET, else the name of a target. ValueError or TypeError
// (set) and -1 for anything else.
int ParseBackend(PyObject* backend, cache::FunctionOptions& options) {
  if (PyCallable_Check(backend) != 0) {
    options.backend = Ref::New(backend);
    return 0;
  }
  const char* const name = PyUnicode_AsUTF8(backend);
  if (name == nullptr) return -1;
  const absl::Status status = *name == '\0' ? absl::OkStatus() : compile::CheckTargetName(name);
  if (!status.ok()) {
    PyErr_Format(PyExc_ValueError, "dynacc.compile: %s", std::string(status.message()).c_str());
    return -1;
  }
  options.target = name;
  return 0;
}

PyObject* New(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* function;
  int fullgraph;
  PyObject* dynamic;
  PyObject* fast_math;
  PyObject* backend;
  if (!PyArg_ParseTuple(args, "OpOOO:CompiledFunction", &function, &fullgraph, &dynamic, &fast_math,
                        &backend)) {
    return nullptr;
  }
  cache::FunctionOptions options;
  options.fullgraph = fullgraph != 0;
  if (ParseBackend(backend, options) < 0) return nullptr;
  if (ParseTristate(dynamic, options.dynamic) < 0) return nullptr;
  if (ParseTristate(fast_math, options.fast_math) < 0) return nullptr;
  if (!capture::MarkCompiled(function, options)) return nullptr;
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  Cast(self)->vectorcall = Call;
  Py_INCREF(function);
  Cast(self)->function = function;
  return self;
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(Cast(self)->function);
  Py_VISIT(Cast(self)->dictionary);
  return 0;
}

int Clear(PyObject* self) {
  Py_CLEAR(Cast(self)->function);
  Py_CLEAR(Cast(self)->dictionary);
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
  return PyUnicode_FromFormat("<dynacc.compile of %R>", Cast(self)->function);
}

// A string tells pickle to look the object up by module and qualified name, as for a function.
PyObject* Reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyMethodDef methods[] = {
    {"__reduce__", Reduce, METH_NOARGS, "Pickles by reference."},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CompiledFunction, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(CompiledFunction, dictionary), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CompiledFunction, weak_references), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

template <typename Pointer>
void* Slot(Pointer* pointer) {
  return reinterpret_cast<void*>(pointer);
}

PyType_Slot slots[] = {
    {Py_tp_new, Slot(New)},
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

PyType_Spec spec = {"_dynacc.CompiledFunction", sizeof(CompiledFunction), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_METHOD_DESCRIPTOR,
                    slots};

}  // namespace

Ref MakeCompiledFunctionType(BorrowedRef module) {
  return Ref::Steal(PyType_FromModuleAndSpec(module, &spec, nullptr));
}

BorrowedRef FunctionBehind(BorrowedRef callable) {
  return Py_TYPE(callable)->tp_dealloc == Dealloc ? Cast(callable)->function : nullptr;
}

}  // namespace dynacc
