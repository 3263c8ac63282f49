// The Python part of `import dynacc`, carried inside the binary as marshalled code.
//
// The launcher and libdynacc_embed need no installation and no PYTHONPATH: CPython's frozen
// importer finds the package in this table, before any directory of sys.path is looked at. A
// package installed for a stock python3 therefore never meets a launcher of another version. The
// table is generated from the files of embed/python/dynacc at build time (tools/freeze_module.py).
#pragma once

namespace dynacc {

struct FrozenModule {
  const char* name;
  const unsigned char* code;  // as marshal.dumps wrote it
  int size;
  bool is_package;
};

// The package and its modules.
extern const FrozenModule kFrozenModules[];
extern const int kNumFrozenModules;

}  // namespace dynacc
