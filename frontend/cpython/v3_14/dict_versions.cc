// Versions of dicts in CPython 3.14, which has none: the bits of a dict's watcher tag above those
// that CPython uses hold a number, and a watcher of ours changes it before each change of the dict.
#include "frontend/cpython/layout.h"

namespace dynacc {
namespace {

constexpr int kNumberShift = 12;  // above the watchers and CPython's count of changes

// Of the dict's own, and never that of another one, so that a dict at the address of one that is
// gone is told from it. 2^52 changes of watched dicts take years.
void GiveNumber(PyDictObject* dict) {
  static uint64_t last = 0;
  const uint64_t flags = dict->_ma_watcher_tag & ((uint64_t{1} << kNumberShift) - 1);
  dict->_ma_watcher_tag = ++last << kNumberShift | flags;
}

int OnChange(PyDict_WatchEvent, PyObject* dict, PyObject*, PyObject*) {
  GiveNumber(reinterpret_cast<PyDictObject*>(dict));
  return 0;
}

// -1 if the program's watchers have taken all.
int AddWatcher() {
  const int watcher = PyDict_AddWatcher(OnChange);
  if (watcher < 0) PyErr_Clear();
  return watcher;
}

// Of the running life of the interpreter, which its modules dict tells from others.
int Watcher() {
  static const PyObject* life = nullptr;
  static int watcher = -1;
  const PyObject* const modules = LoadedModules(PyInterpreterState_Get());
  if (modules != life) {
    life = modules;
    watcher = AddWatcher();
  }
  return watcher;
}

}  // namespace

bool KeepsVersion(PyDictObject* dict) {
  const int watcher = Watcher();
  if (watcher < 0) return false;
  if ((dict->_ma_watcher_tag >> watcher & 1) != 0) return true;
  if (PyDict_Watch(watcher, reinterpret_cast<PyObject*>(dict)) < 0) return PyErr_Clear(), false;
  GiveNumber(dict);
  return true;
}

}  // namespace dynacc
