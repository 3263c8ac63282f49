// Makes entries: traces a segment from a live frame and compiles what it captured.
#pragma once

#include "frontend/arrays/array_namespace.h"
#include "frontend/cache/function_options.h"
#include "frontend/cache/segment.h"
#include "frontend/frame/frame_view.h"

namespace dynacc::capture {

enum class CompileOutcome {
  kEntry,    // segment.entries has a new last entry, whose guards hold now
  kNothing,  // nothing here is worth an entry: step on
  kRaised,   // a Python exception is set: fullgraph was asked and the graph breaks, or a backend
             // raised it
};

// Traces from the frame's instruction `segment.offset` and adds an entry. Logs and counts.
CompileOutcome CompileSegment(frame::FrameView& frame,
                              std::shared_ptr<const bytecode::DecodedCode> code,
                              cache::SegmentSet& set, cache::Segment& segment,
                              arrays::ArrayNamespace& arrays, const cache::FunctionOptions& options,
                              bool any_size);

// For an entry that is not final, after a run: queues its compile by the final target when it is
// due, and puts the outcome in place when it is there.
void TierUpStep(cache::Entry& entry, const bytecode::DecodedCode& code,
                const cache::FunctionOptions& options);

}  // namespace dynacc::capture
