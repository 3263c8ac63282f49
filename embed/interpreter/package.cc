#include "embed/interpreter/package.h"

#include <new>

#include "embed/interpreter/frozen_package.h"

namespace dynacc {

const char* RegisterPackage(PyObject* (*init_module)()) {
  // A row without a name ends the table. Never freed: CPython looks at it until the process ends.
  static _frozen* const table = new (std::nothrow) _frozen[kNumFrozenModules + 1]();
  if (table == nullptr) return "no memory for the table of frozen modules";
  for (int i = 0; i < kNumFrozenModules; ++i) {
    const FrozenModule& module = kFrozenModules[i];
    table[i].name = module.name;
    table[i].code = module.code;
    table[i].size = module.size;
    table[i].is_package = module.is_package;
  }
  if (PyImport_FrozenModules != nullptr) return "the host already set PyImport_FrozenModules";
  PyImport_FrozenModules = table;
  if (PyImport_AppendInittab("_dynacc", init_module) != 0)
    return "no memory for the table of built-in modules";
  return nullptr;
}

}  // namespace dynacc
