// ElementLoops: the loops of one code object as loops over elements, by their headers.
#pragma once

#include <memory>
#include <vector>

#include "frontend/bytecode/decoded_code.h"
#include "frontend/frame/balance.h"
#include "frontend/frame/elements/element_loop.h"
#include "frontend/frame/frame_view.h"
#include "frontend/frame/loop_map.h"

namespace dynacc {

// What is known of one loop.
struct ElementLoopRecord {
  Loop loop;
  uint32_t visits = 0;
  uint32_t refusals = 0;
  bool given_up = false;  // it is none, or its types change, or it brings nothing
  std::vector<std::unique_ptr<ElementLoop>> versions;
  Balance balance;
};

class ElementLoops {
 public:
  explicit ElementLoops(const DecodedCode& code);

  // Not with DYNACC_DISABLE_PASSES=element-loops.
  static bool AreOn();

  // Of the loop with this header; null if there is none, or it is given up.
  ElementLoopRecord* At(int header);

  // Translates the loop for the types in `frame`; false if it is given up.
  static bool Translate(ElementLoopRecord& record, const FrameView& frame, const DecodedCode& code);
  // Runs the first version that matches.
  static ElementLoop::Result Run(ElementLoopRecord& record, FrameView& frame, ElementLoop::End* end,
                                 int64_t* saving);

 private:
  std::vector<ElementLoopRecord> records_;
};

}  // namespace dynacc
