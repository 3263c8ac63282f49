#include "frontend/cpython/code_copy.h"

#include "frontend/cpython/layout.h"

namespace dynacc {

Ref CopyCode(PyCodeObject* code) {
  Ref bytecode = Ref::Steal(PyCode_GetCode(code));
  Ref locals = Ref::Steal(PyCode_GetVarnames(code));
  Ref free = Ref::Steal(PyCode_GetFreevars(code));
  Ref cells = Ref::Steal(PyCode_GetCellvars(code));
  if (!bytecode || !locals || !free || !cells) return Ref();
  PyCodeObject* copy = PyCode_NewWithPosOnlyArgs(
      code->co_argcount, code->co_posonlyargcount, code->co_kwonlyargcount, code->co_nlocals,
      code->co_stacksize, code->co_flags, bytecode.get(), code->co_consts, code->co_names,
      locals.get(), free.get(), cells.get(), code->co_filename, code->co_name, code->co_qualname,
      code->co_firstlineno, code->co_linetable, code->co_exceptiontable);
  Ref owner = Ref::Steal(reinterpret_cast<PyObject*>(copy));
  // From now on what it shows is cached.
  Ref shown = owner ? Ref::Steal(PyCode_GetCode(copy)) : Ref();
  return shown ? owner : Ref();
}

}  // namespace dynacc
