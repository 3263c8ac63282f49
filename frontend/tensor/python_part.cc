#include "frontend/tensor/python_part.h"

#include <vector>

namespace dynacc::tensor {
namespace {

Ref Function(const char* name) {
  Ref module = Ref::Steal(PyImport_ImportModule("dynacc._tensor_methods"));
  return module ? Ref::Steal(PyObject_GetAttrString(module.get(), name)) : Ref();
}

}  // namespace

Ref CallPythonPart(const char* name, std::initializer_list<BorrowedRef> arguments) {
  Ref function = Function(name);
  if (!function) return Ref();
  return Ref::Steal(
      PyObject_Vectorcall(function.get(), arguments.begin(), arguments.size(), nullptr));
}

Ref CallPythonPart(const char* name, BorrowedRef self, PyObject* const* arguments, Py_ssize_t count,
                   BorrowedRef keyword_names) {
  Ref function = Function(name);
  if (!function) return Ref();
  const Py_ssize_t keywords = keyword_names == nullptr ? 0 : PyTuple_GET_SIZE(keyword_names);
  std::vector<PyObject*> all = {self};
  all.insert(all.end(), arguments, arguments + count + keywords);
  return Ref::Steal(PyObject_Vectorcall(function.get(), all.data(), static_cast<size_t>(count + 1),
                                        keyword_names));
}

}  // namespace dynacc::tensor
