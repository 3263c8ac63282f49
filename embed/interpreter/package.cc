#include "embed/interpreter/package.h"

#include "embed/interpreter/frozen_package.h"
#include "embed/module/module.h"

namespace dynacc {

absl::Status RegisterPackage() {
  static _frozen table[2];
  table[0] = _frozen{kFrozenPackage.name, kFrozenPackage.code, kFrozenPackage.size,
                     /*is_package=*/false, /*get_code=*/nullptr};
  if (PyImport_FrozenModules != nullptr) {
    return absl::FailedPreconditionError("the host already set PyImport_FrozenModules");
  }
  PyImport_FrozenModules = table;
  if (PyImport_AppendInittab("_dynacc", PyInit__dynacc) != 0) {
    return absl::ResourceExhaustedError("no memory for the table of built-in modules");
  }
  return absl::OkStatus();
}

}  // namespace dynacc
