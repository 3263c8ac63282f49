// How people read the library calls of graphs. Whoever registers a call says so, once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dynacc::executor {

// The text is like "numpy.sum(%0, axis=1)", where %0 stands for operand 0; it has no other '%', and
// each of its brackets is closed. Both are thread-safe.
void SayCallReads(int64_t library_call_id, const std::string& text);
std::optional<std::string> FindCallText(int64_t library_call_id);

}  // namespace dynacc::executor
