// The compressed tables of a code object. Formats: CPython 3.11's Objects/locations.md and
// Objects/exception_handling_notes.txt.
#pragma once

#include <cstddef>
#include <vector>

#include "frontend/bytecode/decoded_code.h"

namespace dynacc::bytecode {

// The line of each of `units` code units, 0 where there is none. `table` is co_linetable.
std::vector<int> DecodeLineTable(BorrowedRef table, int first_line, size_t units);

// `table` is co_exceptiontable. Rows are disjoint and in the order of their start.
std::vector<HandlerRange> DecodeExceptionTable(BorrowedRef table);

}  // namespace dynacc::bytecode
