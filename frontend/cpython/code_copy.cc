#include "frontend/cpython/code_copy.h"

#include <cstring>

#include "frontend/cpython/layout.h"

namespace dynacc {

namespace {

// `bytecode` with empty units behind it.
Ref WithRoom(BorrowedRef bytecode, int units) {
  if (units == 0) return Ref::New(bytecode);
  constexpr int kUnitBytes = 2;
  const Py_ssize_t size = PyBytes_GET_SIZE(bytecode);
  Ref longer = Ref::Steal(PyBytes_FromStringAndSize(nullptr, size + kUnitBytes * units));
  if (!longer) return longer;
  char* const bytes = PyBytes_AS_STRING(longer.get());
  std::memcpy(bytes, PyBytes_AS_STRING(bytecode), size);
  std::memset(bytes + size, 0, kUnitBytes * units);
  return longer;
}

}  // namespace

Ref CopyCode(PyCodeObject* code, int room) {
  const Ref shown = Ref::Steal(PyCode_GetCode(code));
  Ref bytecode = shown ? WithRoom(shown.get(), room) : Ref();
  Ref locals = Ref::Steal(PyCode_GetVarnames(code));
  Ref free = Ref::Steal(PyCode_GetFreevars(code));
  Ref cells = Ref::Steal(PyCode_GetCellvars(code));
  if (!bytecode || !locals || !free || !cells) return Ref();
  PyCodeObject* copy = NewCode(code->co_argcount, code->co_posonlyargcount, code->co_kwonlyargcount,
                               code->co_nlocals, code->co_stacksize, code->co_flags, bytecode.get(),
                               code->co_consts, code->co_names, locals.get(), free.get(),
                               cells.get(), code->co_filename, code->co_name, code->co_qualname,
                               code->co_firstlineno, code->co_linetable, code->co_exceptiontable);
  Ref owner = Ref::Steal(reinterpret_cast<PyObject*>(copy));
  // From now on what it shows is cached.
  if (!owner || !Ref::Steal(PyCode_GetCode(copy))) return Ref();
  if (room > 0) ShowCode(copy, shown.get());
  return owner;
}

}  // namespace dynacc
