// Compilation: what one call of dynacc.compile owns.
//
// Its options, and the segments of each code object that it has met: those of the function that it
// was made for, and of functions that this one calls. So two compilations of one function, nested
// ones, and one beside the default policy do not touch each other. A thread runs one compilation at
// a time, the innermost; code that it runs meanwhile is that compilation's. All of it under the
// GIL.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "frontend/cache/code_record.h"
#include "frontend/cache/function_options.h"
#include "frontend/cpython/interpreter_frame.h"

namespace dynacc::cache {

class SegmentSet;

class Compilation {
 public:
  // `owner`: the Python object that it lives as long as; null: it lives for ever.
  Compilation(FunctionOptions options, BorrowedRef owner)
      : options_(std::move(options)), owner_(owner) {}
  // Drops what was compiled. No frame is running in it: who runs one keeps the owner.
  ~Compilation();
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  BorrowedRef owner() const { return owner_; }
  FunctionOptions& options() { return options_; }
  const FunctionOptions& options() const { return options_; }

  // Forgets what was compiled: the next calls trace again. What a frame is running stays allocated
  // until it has run. Runs finalisers of what only the entries kept alive.
  void Forget();

  // Shows `visit` the segments of each code object.
  void ForEachSet(absl::FunctionRef<void(SegmentSet&)> visit) const;

  // What has happened in it.
  struct Counters {
    uint64_t traces = 0;
    uint64_t entries = 0;  // made
    uint64_t recompiles = 0;
    uint64_t graph_breaks = 0;
    uint64_t limits_reached = 0;
  };
  Counters counters;

 private:
  friend SegmentSet& SegmentsOf(CodeRecord& record, Compilation* compilation);
  friend struct CodeRecord;

  FunctionOptions options_;
  const BorrowedRef owner_;
  absl::flat_hash_set<CodeRecord*> records_;  // those that have segments of it
};

// The segments of a code object in a compilation; null: in none, by the default policy.
SegmentSet* FindSegments(const CodeRecord& record, const Compilation* compilation);
// The same, made at the first call.
SegmentSet& SegmentsOf(CodeRecord& record, Compilation* compilation);

// The innermost compilation in whose scope `frame`, about to run (null: any), is; null: in none.
Compilation* CompilationOf(const InterpreterFrame* frame);

// What runs from construction to destruction, in this thread, runs in `compilation` (null: in none,
// by the default policy), whose owner is kept alive. A greenlet that is switched to meanwhile does
// not: its frames have other callers. Scopes of several greenlets may end in any order.
class CompilationScope {
 public:
  explicit CompilationScope(Compilation* compilation);
  ~CompilationScope();
  CompilationScope(const CompilationScope&) = delete;
  CompilationScope& operator=(const CompilationScope&) = delete;

 private:
  const Ref owner_;
  const uint64_t id_;
};

// The one in which nothing is captured: for dynacc.disable.
Compilation* NoCapture();

}  // namespace dynacc::cache
