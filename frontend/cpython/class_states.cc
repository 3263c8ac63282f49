#include "frontend/cpython/class_states.h"

#include "absl/container/flat_hash_map.h"
#include "frontend/cpython/dict_access.h"
#include "frontend/cpython/layout.h"

namespace dynacc {
namespace {

// Of versions that are not the first of their state.
absl::flat_hash_map<uint32_t, uint32_t>& States() {
  static auto& states = *new absl::flat_hash_map<uint32_t, uint32_t>;
  return states;
}

// Names with a meaning of their own, as __doc__, start so.
bool IsPlainName(BorrowedRef name) {
  return PyUnicode_CheckExact(name) && PyUnicode_GET_LENGTH(name) > 0 &&
         (PyUnicode_READ_CHAR(name, 0) != '_' || PyUnicode_GET_LENGTH(name) < 2 ||
          PyUnicode_READ_CHAR(name, 1) != '_');
}

// `visit(cls)` for the class and all that are made from it.
template <typename Visit>
void VisitSubclasses(PyTypeObject* cls, const Visit& visit) {
  visit(cls);
  auto* const subclasses = static_cast<PyObject*>(cls->tp_subclasses);  // of a class of the heap
  if (subclasses == nullptr) return;
  PyObject *key, *reference;
  Py_ssize_t position = 0;
  while (PyDict_Next(subclasses, &position, &key, &reference)) {
    PyObject* derived = PyWeakref_GET_OBJECT(reference);
    if (derived != Py_None) VisitSubclasses(reinterpret_cast<PyTypeObject*>(derived), visit);
  }
}

}  // namespace

bool IsPlainData(BorrowedRef value) {
  if (value == nullptr) return false;
  PyTypeObject* type = Py_TYPE(value);
  return PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE) && type->tp_descr_get == nullptr &&
         type->tp_descr_set == nullptr;
}

bool HoldsPlainData(PyTypeObject* cls, BorrowedRef name) {
  PyTypeObject* meta = Py_TYPE(cls);
  return PyType_HasFeature(cls, Py_TPFLAGS_HEAPTYPE) &&
         !PyType_HasFeature(cls, Py_TPFLAGS_IMMUTABLETYPE) && TypeDict(cls) != nullptr &&
         meta->tp_setattro == PyType_Type.tp_setattro && IsPlainName(name) &&
         IsPlainData(DictGetStr(TypeDict(cls), name)) && TypeLookup(meta, name) == nullptr;
}

uint32_t StateOfVersion(uint32_t version) {
  const auto& states = States();
  if (states.empty()) return version;
  const auto found = states.find(version);
  return found == states.end() ? version : found->second;
}

ClassStore::ClassStore(BorrowedRef owner, BorrowedRef name, BorrowedRef value) {
  if (!PyType_Check(owner)) return;
  auto* const cls = reinterpret_cast<PyTypeObject*>(owner);
  if (!IsPlainData(value) || !HoldsPlainData(cls, name)) return;
  VisitSubclasses(cls, [this](PyTypeObject* changed) {
    if (changed->tp_version_tag != 0) classes_.emplace_back(changed, changed->tp_version_tag);
  });
}

void ClassStore::Keep() {
  for (const auto& [cls, old_version] : classes_) {
    const uint32_t state = StateOfVersion(old_version);
    States().erase(old_version);
    TypeVersion(cls);  // has it assign one
    if (cls->tp_version_tag != 0 && cls->tp_version_tag != state)
      States()[cls->tp_version_tag] = state;
  }
}

}  // namespace dynacc
