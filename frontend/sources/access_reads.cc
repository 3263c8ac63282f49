#include "frontend/sources/access_reads.h"

#include "frontend/sources/access.h"

namespace dynacc::sources {
namespace {

// --- Parts of several kinds: each reads what its namesake in access.h does -----------------------

void ReadTupleItem(BorrowedRef tuple, int64_t index, ReadSet& reads) {
  if (tuple == nullptr) return;
  ReadType(tuple, reads);
  if (!PyTuple_Check(tuple)) return;
  reads.Add(&reinterpret_cast<PyVarObject*>(tuple)->ob_size);
  if (index < 0 || index >= PyTuple_GET_SIZE(tuple)) return;
  reads.Add(&reinterpret_cast<PyTupleObject*>(tuple)->ob_item[index]);
}

void ReadCellContent(BorrowedRef cell, ReadSet& reads) {
  if (cell == nullptr) return;
  ReadType(cell, reads);
  if (PyCell_Check(cell)) reads.Add(&reinterpret_cast<PyCellObject*>(cell)->ob_ref);
}

// The function that `object` is, or null.
PyFunctionObject* ReadAsFunction(BorrowedRef object, ReadSet& reads) {
  if (object != nullptr) ReadType(object, reads);
  return access::AsFunction(object);
}

PyMethodObject* ReadAsMethod(BorrowedRef object, ReadSet& reads) {
  if (object == nullptr) return nullptr;
  ReadType(object, reads);
  return PyMethod_Check(object) ? reinterpret_cast<PyMethodObject*>(object) : nullptr;
}

bool ReadEntry(BorrowedRef dict, const Source& source, ReadSet& reads) {
  return dict == nullptr || ReadDictEntry(dict, source.name.get(), reads);
}

// --- Kinds ---------------------------------------------------------------------------------------

template <SourceKind kKind>
bool Reads(const Source&, BorrowedRef, const SourceRoots&, PathReads&) {
  return false;
}

// Defines the reads of one kind; the body sees source, parent, roots and reads.
#define DYNACC_READS(kind)                                                        \
  template <>                                                                     \
  bool Reads<SourceKind::k##kind>(                                                \
      [[maybe_unused]] const Source& source, [[maybe_unused]] BorrowedRef parent, \
      [[maybe_unused]] const SourceRoots& roots, [[maybe_unused]] PathReads& reads)

DYNACC_READS(Local) { return reads.ReadLocal(source.index, roots); }

DYNACC_READS(Stack) { return reads.ReadLocal(roots.num_localsplus + source.index, roots); }

DYNACC_READS(LocalCell) {
  if (!reads.ReadLocal(source.index, roots)) return false;
  ReadCellContent(access::LocalsPlus(roots, source.index), reads.memory);
  return true;
}

DYNACC_READS(Function) { return reads.ReadFunction(roots); }

DYNACC_READS(Globals) { return reads.ReadGlobals(roots); }

DYNACC_READS(Global) {
  if (source.parent != nullptr) {
    return parent == nullptr || ReadModuleEntry(parent, source.name.get(), reads.memory);
  }
  reads.ReadGlobals(roots);
  return ReadEntry(roots.globals, source, reads.memory);
}

DYNACC_READS(Builtin) {
  reads.ReadBuiltins(roots);
  return ReadEntry(roots.builtins, source, reads.memory);
}

DYNACC_READS(FunctionGlobal) {
  PyFunctionObject* function = ReadAsFunction(parent, reads.memory);
  if (function == nullptr) return true;
  reads.memory.Add(&function->func_globals);
  return ReadEntry(function->func_globals, source, reads.memory);
}

DYNACC_READS(FunctionKwDefault) {
  PyFunctionObject* function = ReadAsFunction(parent, reads.memory);
  if (function == nullptr) return true;
  reads.memory.Add(&function->func_kwdefaults);
  return ReadEntry(function->func_kwdefaults, source, reads.memory);
}

DYNACC_READS(FunctionCell) {
  PyFunctionObject* function = ReadAsFunction(parent, reads.memory);
  if (function == nullptr) return true;
  reads.memory.Add(&function->func_closure);
  ReadTupleItem(function->func_closure, source.index, reads.memory);
  return true;
}

DYNACC_READS(FunctionClosure) {
  Reads<SourceKind::kFunctionCell>(source, parent, roots, reads);
  PyFunctionObject* function = access::AsFunction(parent);
  if (function == nullptr) return true;
  ReadCellContent(access::TupleItem(function->func_closure, source.index), reads.memory);
  return true;
}

DYNACC_READS(FunctionGlobals) {
  PyFunctionObject* function = ReadAsFunction(parent, reads.memory);
  if (function != nullptr) reads.memory.Add(&function->func_globals);
  return true;
}

DYNACC_READS(FunctionDefault) {
  PyFunctionObject* function = ReadAsFunction(parent, reads.memory);
  if (function == nullptr) return true;
  reads.memory.Add(&function->func_defaults);
  BorrowedRef defaults = function->func_defaults;
  if (defaults == nullptr) return true;
  ReadTupleItem(defaults, PyTuple_GET_SIZE(defaults) + source.index, reads.memory);
  return true;
}

DYNACC_READS(FunctionCode) {
  PyFunctionObject* function = ReadAsFunction(parent, reads.memory);
  if (function == nullptr) return true;
  reads.ReadBuiltins(roots);
  reads.memory.Add(&function->func_builtins);
  reads.memory.Add(&function->func_code);
  return true;
}

DYNACC_READS(ModuleAttr) {
  return parent == nullptr || ReadModuleEntry(parent, source.name.get(), reads.memory);
}

DYNACC_READS(InstanceAttr) {
  return parent == nullptr || ReadInstanceEntry(parent, source.name.get(), reads.memory);
}

DYNACC_READS(InstanceDict) { return parent == nullptr || ReadDictOfInstance(parent, reads.memory); }

// A class in one state has the same member for good.
DYNACC_READS(SlotAttr) {
  if (parent == nullptr) return true;
  ReadType(parent, reads.memory);
  if (!ReadTypeState(Py_TYPE(parent), reads.memory)) return false;
  LookupCell cell;
  BorrowedRef value = access::Slot(parent, source.index, source.name.get(), cell);
  if (value == nullptr || value == Unreadable()) return false;
  reads.memory.Add(reinterpret_cast<const char*>(parent) + source.index, sizeof(value));
  return true;
}

DYNACC_READS(TypeAttr) {
  if (parent == nullptr) return true;
  ReadType(parent, reads.memory);
  return ReadTypeState(Py_TYPE(parent), reads.memory);
}

DYNACC_READS(ClassAttr) {
  if (parent == nullptr) return true;
  ReadType(parent, reads.memory);
  return !PyType_Check(parent) ||
         ReadTypeState(reinterpret_cast<PyTypeObject*>(parent), reads.memory);
}

DYNACC_READS(Type) {
  if (parent != nullptr) ReadType(parent, reads.memory);
  return true;
}

DYNACC_READS(TupleItem) {
  ReadTupleItem(parent, source.index, reads.memory);
  return true;
}

DYNACC_READS(ListItem) {
  if (parent == nullptr) return true;
  ReadType(parent, reads.memory);
  if (!PyList_CheckExact(parent)) return true;
  auto* const list = reinterpret_cast<PyListObject*>(parent);
  reads.memory.Add(&list->ob_base.ob_size);
  reads.memory.Add(&list->ob_item);
  const Py_ssize_t size = PyList_GET_SIZE(parent);
  const int64_t index = source.index < 0 ? source.index + size : source.index;
  if (index >= 0 && index < size) reads.memory.Add(&list->ob_item[index]);
  return true;
}

DYNACC_READS(DictItem) { return ReadEntry(parent, source, reads.memory); }

DYNACC_READS(MethodSelf) {
  PyMethodObject* method = ReadAsMethod(parent, reads.memory);
  if (method != nullptr) reads.memory.Add(&method->im_self);
  return true;
}

DYNACC_READS(MethodFunction) {
  PyMethodObject* method = ReadAsMethod(parent, reads.memory);
  if (method != nullptr) reads.memory.Add(&method->im_func);
  return true;
}

DYNACC_READS(Pinned) {
  if (source.index == 0) return true;
  reads.memory.Add(&reinterpret_cast<PyWeakReference*>(source.name.get())->wr_object);
  return true;
}

#undef DYNACC_READS

}  // namespace

BorrowedRef PathReads::At(int index, const SourceRoots& roots) {
  if (index >= 0) return roots.localsplus[index];
  if (index == kFunction) return roots.function;
  return index == kGlobals ? roots.globals : roots.builtins;
}

bool PathReads::AddRoot(int64_t index, const SourceRoots& roots) {
  for (const Root& root : roots_) {
    if (root.index == index) return true;
  }
  roots_.push_back({static_cast<int>(index), owner_, At(static_cast<int>(index), roots)});
  return true;
}

bool PathReads::ReadLocal(int64_t index, const SourceRoots& roots) {
  return roots.localsplus != nullptr && index >= 0 && AddRoot(index, roots);
}

int PathReads::FindChange(const SourceRoots& roots) const {
  for (const Root& root : roots_) {
    if (At(root.index, roots) != root.content) return root.owner;
  }
  return memory.FindChange();
}

bool ReadAccess(const Source& source, BorrowedRef parent, const SourceRoots& roots,
                PathReads& reads) {
  switch (source.kind) {
#define DYNACC_SOURCE(kind, form, doc) \
  case SourceKind::k##kind:            \
    return Reads<SourceKind::k##kind>(source, parent, roots, reads);
#include "frontend/sources/sources.def"
#undef DYNACC_SOURCE
  }
  __builtin_unreachable();  // every kind has its case
}

}  // namespace dynacc::sources
