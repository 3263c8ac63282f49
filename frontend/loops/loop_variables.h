// The variables of a loop, numbered: the frame's locals and cells, then the names of its code.
//
// In code outside functions, whose names are its globals, the names are variables to be written
// like locals; in functions they are only read.
#pragma once

#include "frontend/bytecode/decoded_code.h"
#include "frontend/frame/frame_view.h"

namespace dynacc::loops {

class LoopVariables {
 public:
  LoopVariables(const frame::FrameView& frame, const bytecode::DecodedCode& code)
      : num_locals_(frame.num_localsplus()),
        count_(num_locals_ + static_cast<int>(PyTuple_GET_SIZE(code.code()->co_names))),
        is_body_(frame.frame_locals() != nullptr && frame.frame_locals() == frame.globals()) {}

  // Of a function that the loop calls, which is no frame yet.
  explicit LoopVariables(PyCodeObject* code)
      : num_locals_(code->co_nlocalsplus),
        count_(num_locals_ + static_cast<int>(PyTuple_GET_SIZE(code->co_names))),
        is_body_(false) {}

  int count() const { return count_; }
  int OfName(int name) const { return num_locals_ + name; }
  bool IsName(int variable) const { return variable >= num_locals_; }
  bool is_body() const { return is_body_; }

  // Whether a local's place is one of a cell that has its value. A comprehension that is part of
  // its function may have a plain variable of the same name in the same place.
  static bool IsCell(const PyCodeObject* code, int variable);
  static bool IsCell(const frame::FrameView& frame, int variable) {
    return IsCell(frame.code(), variable);
  }

  // The object of a variable now, borrowed; null if it is unbound or only Python could tell.
  BorrowedRef Read(const frame::FrameView& frame, int variable) const;
  // The name of a variable that is one.
  BorrowedRef NameOf(const frame::FrameView& frame, int variable) const {
    return PyTuple_GET_ITEM(frame.code()->co_names, variable - num_locals_);
  }

 private:
  int num_locals_;
  int count_;
  bool is_body_;
};

}  // namespace dynacc::loops
