// Where a trace broke, as who wrote the program sees it.
#pragma once

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "frontend/bytecode/decoded_code.h"
#include "frontend/frame/source_line.h"
#include "frontend/tracer/symbolic_frame.h"

namespace dynacc::tracer {

// The line of an instruction; of those that a compiler adds, which have none, the nearest before.
int LineAt(const bytecode::DecodedCode& code, int offset);

// Whether `frame` runs code of DynaCC that stands for a call of the program's: the line that the
// program's writer knows is that of the call.
bool IsTransparent(const SymbolicFrame& frame);

// The lines that `frames` (the outermost first) are at, the innermost first, without transparent
// ones, and without DynaCC's own that the program's innermost has called.
std::vector<frame::CodePlace> PlacesOf(const std::vector<std::shared_ptr<SymbolicFrame>>& frames);

// The line of the instruction at `offset`.
frame::CodePlace PlaceAt(const bytecode::DecodedCode& code, int offset);

// Whether the instruction at `offset`, where a trace broke for `reason`, makes an ordinary loop go
// on: it makes the iterator, of other iterators perhaps (`enumerate(zip(a, b))`), or takes the next
// item. The stretches on both sides of it are whole bodies, and nothing is lost there.
bool IsLoopStep(const bytecode::DecodedCode& code, int offset, absl::string_view reason);

}  // namespace dynacc::tracer
