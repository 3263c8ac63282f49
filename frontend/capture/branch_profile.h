// Which branches on arrays' values are met so often that both of their sides become part of the
// graph (frontend/tracer/both_sides.h). Each run of an entry that ends at one is a graph break
// there; after some of them the segment is traced anew. What is known of a branch stands in its
// code's record, for all compilations. Everything here needs the GIL.
#pragma once

#include "frontend/cache/segment.h"

namespace dynacc::capture {

// What tracer::TraceRoot::wants_both_sides asks.
bool WantsBothSides(const cache::FunctionOptions& options, const bytecode::DecodedCode& code,
                    int jump);

// A trace ended at `branch`: one that was tried, or wanted, is a graph break from then on.
void NoteEnd(const tracer::BranchPlace& branch);

// `entry` of `segment` has run up to a branch. Retires the segment when that was often enough.
void NoteBreakAtBranch(cache::SegmentSet& set, const cache::Segment& segment,
                       const cache::Entry& entry);

// `entry`, which holds branches, could not be run once more: where that is usual, the branches are
// graph breaks again, and the segment is retired.
void NoteFallbackRun(cache::SegmentSet& set, const cache::Segment& segment,
                     const cache::Entry& entry);

}  // namespace dynacc::capture
