// CodeRecord: what DynaCC knows of one code object. Lives and dies with it (co_extra).
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "boost/container/small_vector.hpp"
#include "frontend/bytecode/decoded_code.h"

namespace dynacc::cache {

class Compilation;

enum class FrameMode : uint8_t {
  kUndecided,  // the handler is asked at every frame
  kPlain,      // left to CPython, with the evaluator off for the frame's extent, unless a
               // compilation was made for this very code
  kImport,     // the same of importlib's frames, with traps asleep, too (osr_entries.h)
};

// Whether both sides of a branch on an array's value are traced (frontend/tracer/both_sides.h).
enum class BranchSides : uint8_t {
  kWanted,   // it was met often
  kRefused,  // they were tried, and it stays a graph break
};

// The segments of a code object in one compilation; frontend/cache/segment.h derives from it.
class SegmentSetBase {
 public:
  virtual ~SegmentSetBase() = default;
  int running = 0;     // frames that are running these segments
  bool named = false;  // the compilation was made for this very code: captured whatever the policy
};

// All access under the GIL.
struct CodeRecord {
  uint32_t calls = 0;  // frames that the evaluator saw
  FrameMode mode = FrameMode::kUndecided;
  std::unique_ptr<SegmentSetBase> segments;  // of no compilation: the default policy's; may be null
  // Of compilations (compilation.h); seldom more than one.
  boost::container::small_vector<std::pair<Compilation*, std::unique_ptr<SegmentSetBase>>, 1>
      compiled;
  std::shared_ptr<const bytecode::DecodedCode> decoded;  // null until DecodedOf
  absl::flat_hash_map<int, BranchSides> branches;        // by the jump; few are there

  CodeRecord();
  ~CodeRecord();
  CodeRecord(const CodeRecord&) = delete;
  CodeRecord& operator=(const CodeRecord&) = delete;

  // The segments in that compilation (null: in none); null if there are none.
  SegmentSetBase* Find(const Compilation* compilation) const {
    if (compilation == nullptr) return segments.get();
    for (const auto& [of, set] : compiled) {
      if (of == compilation) return set.get();
    }
    return nullptr;
  }
  // The same, no longer this record's.
  std::unique_ptr<SegmentSetBase> TakeCompiled(const Compilation* compilation);
  // Shows `visit` all of them.
  void ForEachSet(absl::FunctionRef<void(SegmentSetBase&)> visit);
};

// The record of `code`, made at the first call for it. Null, with an exception set, if there is no
// memory or no slot for one.
CodeRecord* GetCodeRecord(PyCodeObject* code);

// The same, but null (and no exception) if there is none yet.
CodeRecord* FindCodeRecord(PyCodeObject* code);

// Calls `visit` with each record that there is; it makes and frees none.
void ForEachCodeRecord(absl::FunctionRef<void(CodeRecord&)> visit);

// The decoded bytecode of `code`, whose record is `record`; decoded at the first call.
const std::shared_ptr<const bytecode::DecodedCode>& DecodedOf(PyCodeObject* code,
                                                              CodeRecord& record);

}  // namespace dynacc::cache
