// LoopVersions: the loops of one code object as loops over elements, by their headers.
#pragma once

#include <memory>
#include <vector>

#include "frontend/bytecode/decoded_code.h"
#include "frontend/frame/cost_ledger.h"
#include "frontend/frame/frame_view.h"
#include "frontend/frame/loop_map.h"
#include "frontend/loops/loop_version.h"

namespace dynacc::loops {

// What is known of one loop.
struct LoopVersionRecord {
  frame::Loop loop;
  uint32_t visits = 0;
  uint32_t refusals = 0;
  bool given_up = false;      // it is none, or its types change, or it brings nothing
  bool has_replaced = false;  // the last translation was for a version that has died
  std::vector<std::unique_ptr<LoopVersion>> versions;
  frame::CostLedger cost_ledger;
};

class LoopVersions {
 public:
  explicit LoopVersions(const bytecode::DecodedCode& code);

  // Not with DYNACC_DISABLE_PASSES=loop-compiler.
  static bool AreOn();

  const std::vector<LoopVersionRecord>& records() const { return records_; }
  // Of the loop with this header; null if there is none, or it is given up.
  LoopVersionRecord* At(int header);

  // Translates the loop for the types in `frame`; false if it is given up.
  static bool Translate(LoopVersionRecord& record, const frame::FrameView& frame,
                        const bytecode::DecodedCode& code);
  // Runs the first version that matches.
  static LoopVersion::Result Run(LoopVersionRecord& record, frame::FrameView& frame,
                                 LoopVersion::End* end, int64_t* saving);

 private:
  std::vector<LoopVersionRecord> records_;
};

}  // namespace dynacc::loops
