#include "frontend/loops/loop_variables.h"

#include "frontend/cpython/dict_access.h"

namespace dynacc::loops {

bool LoopVariables::IsCell(const PyCodeObject* code, int variable) {
  constexpr int kCellOrFree = 0x40 | 0x80;  // CO_FAST_CELL | CO_FAST_FREE
  const char* kinds = PyBytes_AS_STRING(code->co_localspluskinds);
  return (kinds[variable] & kCellOrFree) != 0;
}

BorrowedRef LoopVariables::Read(const frame::FrameView& frame, int variable) const {
  if (!IsName(variable)) {
    const BorrowedRef local = frame.localsplus()[variable];
    if (!IsCell(frame, variable)) return local;
    return local != nullptr && PyCell_Check(local) ? PyCell_GET(local) : nullptr;
  }
  BorrowedRef name = NameOf(frame, variable);
  BorrowedRef value = DictGetStr(frame.globals(), name);
  return value != nullptr ? value : DictGetStr(frame.builtins(), name);
}

}  // namespace dynacc::loops
