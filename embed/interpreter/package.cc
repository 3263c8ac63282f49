#include "embed/interpreter/package.h"

#include "embed/interpreter/frozen_package.h"

namespace dynacc {

const char* RegisterPackage(PyObject* (*init_module)()) {
  static _frozen table[2];
  table[0] = _frozen{kFrozenPackage.name, kFrozenPackage.code, kFrozenPackage.size,
                     /*is_package=*/false, /*get_code=*/nullptr};
  if (PyImport_FrozenModules != nullptr) return "the host already set PyImport_FrozenModules";
  PyImport_FrozenModules = table;
  if (PyImport_AppendInittab("_dynacc", init_module) != 0)
    return "no memory for the table of built-in modules";
  return nullptr;
}

}  // namespace dynacc
