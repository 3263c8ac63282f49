// CodeRecord: what DynaCC knows of one code object. Lives and dies with it (co_extra).
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "frontend/bytecode/decoded_code.h"

namespace dynacc::cache {

struct FunctionOptions;

enum class FrameMode : uint8_t {
  kUndecided,  // the handler is asked at every frame
  kCapture,    // the handler is asked at every frame; it found something worth it
  kPlain,      // left to CPython, with the evaluator off for the frame's extent
  kImport,     // the same of importlib's frames, with traps asleep, too (osr_entries.h)
};

// The segments of a code object; frontend/cache/segment.h derives from it.
class SegmentSetBase {
 public:
  virtual ~SegmentSetBase() = default;
  int running = 0;  // frames that are running these segments
};

// All access under the GIL.
struct CodeRecord {
  uint32_t calls = 0;  // frames that the evaluator saw
  FrameMode mode = FrameMode::kUndecided;
  bool marked_compiled = false;  // dynacc.compile named it: capture, whatever the policy
  bool marked_disabled = false;  // dynacc.disable named it
  std::unique_ptr<SegmentSetBase> segments;
  std::shared_ptr<const FunctionOptions> options;        // null: the defaults
  std::shared_ptr<const bytecode::DecodedCode> decoded;  // null until DecodedOf

  CodeRecord();
  ~CodeRecord();
  CodeRecord(const CodeRecord&) = delete;
  CodeRecord& operator=(const CodeRecord&) = delete;
};

// The record of `code`, made at the first call for it. Null, with an exception set, if there is no
// memory or no slot for one.
CodeRecord* GetCodeRecord(PyCodeObject* code);

// The same, but null (and no exception) if there is none yet.
CodeRecord* FindCodeRecord(PyCodeObject* code);

// Calls `visit` with each record that there is; it makes and frees none.
void ForEachCodeRecord(absl::FunctionRef<void(CodeRecord&)> visit);

// Forgets the segments of all code objects but those that a frame (of a daemon thread, at exit) is
// running. Runs finalisers of what only they kept alive.
void DropAllSegments();

// The decoded bytecode of `code`, whose record is `record`; decoded at the first call.
const std::shared_ptr<const bytecode::DecodedCode>& DecodedOf(PyCodeObject* code,
                                                              CodeRecord& record);

}  // namespace dynacc::cache
