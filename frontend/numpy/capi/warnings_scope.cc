#include "frontend/numpy/capi/warnings_scope.h"

namespace dynacc::numpy {

WarningsAs::WarningsAs(const char* action) {
  PyObject* module = PyDict_GetItemString(PyImport_GetModuleDict(), "warnings");
  PyObject* filters = module != nullptr && PyModule_Check(module)
                          ? PyDict_GetItemString(PyModule_GetDict(module), "filters")
                          : nullptr;
  if (filters == nullptr || !PyList_CheckExact(filters)) return;
  filter_ = Ref::Steal(Py_BuildValue("(sOOOi)", action, Py_None, PyExc_Warning, Py_None, 0));
  if (filter_ && PyList_Insert(filters, 0, filter_.get()) == 0) filters_ = Ref::New(filters);
  PyErr_Clear();
}

WarningsAs::~WarningsAs() {
  for (Py_ssize_t i = 0; filters_ && i < PyList_GET_SIZE(filters_.get()); ++i) {
    if (PyList_GET_ITEM(filters_.get(), i) != filter_.get()) continue;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyList_SetSlice(filters_.get(), i, i + 1, nullptr);
    PyErr_Restore(type, value, traceback);
    return;
  }
}

}  // namespace dynacc::numpy
