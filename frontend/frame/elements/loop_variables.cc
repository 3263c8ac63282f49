#include "frontend/frame/elements/loop_variables.h"

#include "frontend/cpython/dict_access.h"

namespace dynacc {

BorrowedRef LoopVariables::Read(const FrameView& frame, int variable) const {
  if (!IsName(variable)) return frame.localsplus()[variable];
  BorrowedRef name = NameOf(frame, variable);
  BorrowedRef value = DictGetStr(frame.globals(), name);
  return value != nullptr ? value : DictGetStr(frame.builtins(), name);
}

}  // namespace dynacc
