// The accesses behind sources: one Access<kind> a row of sources.def, inlined into the guard tree.
//
// Each gets the parent's value (null for a root kind, or if the parent is absent) and returns a
// borrowed value, null (absent, or a parent of another type), or Unreadable(). A kind without its
// Access fails the build. `cell` is the access's own memory from call to call (name_lookup.h).
#pragma once

#include "frontend/cpython/deque_access.h"
#include "frontend/cpython/iterators.h"
#include "frontend/cpython/loose_ref.h"
#include "frontend/cpython/lru_cache.h"
#include "frontend/cpython/name_lookup.h"
#include "frontend/sources/source.h"

namespace dynacc::sources {

template <SourceKind kKind>
struct Access;

namespace access {

inline BorrowedRef TupleItem(BorrowedRef tuple, int64_t index) {
  if (tuple == nullptr || !PyTuple_Check(tuple)) return nullptr;
  return index >= 0 && index < PyTuple_GET_SIZE(tuple) ? PyTuple_GET_ITEM(tuple, index) : nullptr;
}

inline BorrowedRef CellContent(BorrowedRef cell) {
  return cell != nullptr && PyCell_Check(cell) ? PyCell_GET(cell) : nullptr;
}

inline PyFunctionObject* AsFunction(BorrowedRef object) {
  return object != nullptr && PyFunction_Check(object) ? reinterpret_cast<PyFunctionObject*>(object)
                                                       : nullptr;
}

inline BorrowedRef LocalsPlus(const SourceRoots& roots, int64_t index) {
  return index >= 0 && index < roots.num_localsplus ? BorrowedRef(roots.localsplus[index])
                                                    : nullptr;
}

// Entry of a dict that Python code reads item by item: a subclass may answer differently.
inline BorrowedRef ExactDictItem(BorrowedRef dict, BorrowedRef name, LookupCell& cell) {
  if (dict == nullptr || !PyDict_Check(dict)) return nullptr;
  return PyDict_CheckExact(dict) ? LookupInDict(dict, name, cell) : Unreadable();
}

// A module may get a class of its own, which answers as it likes.
inline BorrowedRef ModuleItem(BorrowedRef module, BorrowedRef name, LookupCell& cell) {
  if (module == nullptr || !PyModule_CheckExact(module)) return nullptr;
  return LookupInDict(PyModule_GetDict(module), name, cell);
}

inline PyHeapTypeObject* AsHeapType(BorrowedRef object) {
  const bool is_one =
      object != nullptr && PyType_Check(object) &&
      PyType_HasFeature(reinterpret_cast<PyTypeObject*>(object), Py_TPFLAGS_HEAPTYPE);
  return is_one ? reinterpret_cast<PyHeapTypeObject*>(object) : nullptr;
}

// The item of a list or tuple at the place that source.other gives.
BorrowedRef ItemAt(BorrowedRef sequence, const Source& source, const SourceRoots& roots);

// The member of a slot, if the type still has one of that name at that offset.
BorrowedRef Slot(BorrowedRef object, int64_t offset, BorrowedRef name, LookupCell& cell);

}  // namespace access

// Defines the Access of one kind; the body sees source, parent, roots and cell.
#define DYNACC_ACCESS(kind)                                                                    \
  template <>                                                                                  \
  struct Access<SourceKind::k##kind> {                                                         \
    static BorrowedRef Get(const Source& source, BorrowedRef parent, const SourceRoots& roots, \
                           LookupCell& cell);                                                  \
  };                                                                                           \
  inline BorrowedRef Access<SourceKind::k##kind>::Get(                                         \
      [[maybe_unused]] const Source& source, [[maybe_unused]] BorrowedRef parent,              \
      [[maybe_unused]] const SourceRoots& roots, [[maybe_unused]] LookupCell& cell)

DYNACC_ACCESS(Local) { return access::LocalsPlus(roots, source.index); }

DYNACC_ACCESS(Stack) {
  return roots.localsplus == nullptr
             ? nullptr
             : BorrowedRef(roots.localsplus[roots.num_localsplus + source.index]);
}

DYNACC_ACCESS(LocalCell) { return access::CellContent(access::LocalsPlus(roots, source.index)); }

DYNACC_ACCESS(Function) { return roots.function; }

DYNACC_ACCESS(Global) {
  return source.parent == nullptr ? access::ExactDictItem(roots.globals, source.name.get(), cell)
                                  : access::ModuleItem(parent, source.name.get(), cell);
}

DYNACC_ACCESS(Builtin) { return access::ExactDictItem(roots.builtins, source.name.get(), cell); }

DYNACC_ACCESS(FunctionGlobal) {
  PyFunctionObject* function = access::AsFunction(parent);
  return function == nullptr
             ? nullptr
             : access::ExactDictItem(function->func_globals, source.name.get(), cell);
}

DYNACC_ACCESS(FunctionClosure) {
  PyFunctionObject* function = access::AsFunction(parent);
  return function == nullptr
             ? nullptr
             : access::CellContent(access::TupleItem(function->func_closure, source.index));
}

DYNACC_ACCESS(FunctionCell) {
  PyFunctionObject* function = access::AsFunction(parent);
  return function == nullptr ? nullptr : access::TupleItem(function->func_closure, source.index);
}

DYNACC_ACCESS(FunctionGlobals) {
  PyFunctionObject* function = access::AsFunction(parent);
  return function == nullptr ? nullptr : function->func_globals;
}

DYNACC_ACCESS(Globals) { return roots.globals; }

DYNACC_ACCESS(FunctionDefault) {
  PyFunctionObject* function = access::AsFunction(parent);
  if (function == nullptr || function->func_defaults == nullptr) return nullptr;
  return access::TupleItem(function->func_defaults,
                           PyTuple_GET_SIZE(function->func_defaults) + source.index);
}

DYNACC_ACCESS(FunctionKwDefault) {
  PyFunctionObject* function = access::AsFunction(parent);
  return function == nullptr ? nullptr
                             : LookupInDict(function->func_kwdefaults, source.name.get(), cell);
}

DYNACC_ACCESS(FunctionCode) {
  PyFunctionObject* function = access::AsFunction(parent);
  if (function == nullptr) return nullptr;
  const bool own_builtins = function->func_builtins != roots.builtins;
  return own_builtins == (source.index == 1) ? function->func_code : nullptr;
}

DYNACC_ACCESS(ModuleAttr) { return access::ModuleItem(parent, source.name.get(), cell); }

DYNACC_ACCESS(InstanceAttr) {
  return parent == nullptr ? nullptr : LookupInInstance(parent, source.name.get(), cell);
}

DYNACC_ACCESS(InstanceDict) { return parent == nullptr ? nullptr : DictOfInstance(parent); }

DYNACC_ACCESS(SlotAttr) {
  return parent == nullptr ? nullptr : access::Slot(parent, source.index, source.name.get(), cell);
}

DYNACC_ACCESS(TypeAttr) {
  return parent == nullptr ? nullptr : LookupInType(Py_TYPE(parent), source.name.get(), cell);
}

DYNACC_ACCESS(ClassAttr) {
  return parent == nullptr || !PyType_Check(parent)
             ? nullptr
             : LookupInType(reinterpret_cast<PyTypeObject*>(parent), source.name.get(), cell);
}

DYNACC_ACCESS(ClassName) {
  PyHeapTypeObject* type = access::AsHeapType(parent);
  return type == nullptr ? nullptr : type->ht_name;
}

DYNACC_ACCESS(ClassQualname) {
  PyHeapTypeObject* type = access::AsHeapType(parent);
  return type == nullptr ? nullptr : type->ht_qualname;
}

DYNACC_ACCESS(Type) {
  return parent == nullptr ? nullptr : reinterpret_cast<PyObject*>(Py_TYPE(parent));
}

DYNACC_ACCESS(TupleItem) { return access::TupleItem(parent, source.index); }

DYNACC_ACCESS(ListItem) {
  if (parent == nullptr || !PyList_CheckExact(parent)) return nullptr;
  const Py_ssize_t size = PyList_GET_SIZE(parent);
  const int64_t index = source.index < 0 ? source.index + size : source.index;
  return index >= 0 && index < size ? PyList_GET_ITEM(parent, index) : nullptr;
}

DYNACC_ACCESS(DequeItem) {
  return parent == nullptr || !IsDeque(parent) ? nullptr : DequeItem(parent, source.index);
}

DYNACC_ACCESS(SequenceItemAt) {
  return parent == nullptr ? nullptr : access::ItemAt(parent, source, roots);
}

DYNACC_ACCESS(DictItem) {
  return parent == nullptr || !PyDict_Check(parent) ? nullptr
                                                    : LookupInDict(parent, source.name.get(), cell);
}

DYNACC_ACCESS(DictKeyItem) {
  return parent == nullptr || !PyDict_Check(parent) ? nullptr
                                                    : LookupPlainKey(parent, source.name.get());
}

DYNACC_ACCESS(CachedResult) {
  return parent == nullptr || !IsLruCache(parent) ? nullptr
                                                  : CachedResult(parent, source.name.get());
}

DYNACC_ACCESS(IteratedSequence) {
  const SequenceIterator* iterator = parent == nullptr ? nullptr : AsItemIterator(parent);
  return iterator == nullptr ? nullptr : iterator->sequence;
}

DYNACC_ACCESS(IteratorItem) {
  const SequenceIterator* iterator = parent == nullptr ? nullptr : AsItemIterator(parent);
  if (iterator == nullptr) return nullptr;
  const Py_ssize_t place = iterator->index + source.index;
  return place < PySequence_Fast_GET_SIZE(iterator->sequence)
             ? PySequence_Fast_GET_ITEM(iterator->sequence, place)
             : nullptr;
}

DYNACC_ACCESS(ModuleDict) {
  return parent == nullptr || !PyModule_CheckExact(parent) ? nullptr : PyModule_GetDict(parent);
}

DYNACC_ACCESS(MethodSelf) {
  return parent != nullptr && PyMethod_Check(parent) ? PyMethod_GET_SELF(parent) : nullptr;
}

DYNACC_ACCESS(MethodFunction) {
  return parent != nullptr && PyMethod_Check(parent) ? PyMethod_GET_FUNCTION(parent) : nullptr;
}

DYNACC_ACCESS(Pinned) {
  return source.index == 0 ? source.name.get() : ReferentOf(source.name.get());
}

#undef DYNACC_ACCESS

// The access of `source`'s kind. Unlike AccessSource it may answer Unreadable(). Inlined by force:
// the guard tree's walk is mostly this.
[[gnu::always_inline]] inline BorrowedRef AccessWithCell(const Source& source, BorrowedRef parent,
                                                         const SourceRoots& roots,
                                                         LookupCell& cell) {
  switch (source.kind) {
#define DYNACC_SOURCE(kind, form, doc) \
  case SourceKind::k##kind:            \
    return Access<SourceKind::k##kind>::Get(source, parent, roots, cell);
#include "frontend/sources/sources.def"
#undef DYNACC_SOURCE
  }
  __builtin_unreachable();  // every kind has its case
}

}  // namespace dynacc::sources
