// What the library calls of graphs are, to people and to programs (runtime/program). Whoever
// registers a call says so, once. All are thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/cpu/own/own_functions.h"

namespace dynacc::executor {

// The text is like "numpy.sum(%0, axis=1)", where %0 stands for operand 0; it has no other '%', and
// each of its brackets is closed.
void SayCallReads(int64_t library_call_id, const std::string& text);
std::optional<std::string> FindCallText(int64_t library_call_id);

// The function of our own that makes the call where the array library is not there, if one does.
void SayCallIsOwn(int64_t library_call_id, cpu::OwnCall call);
std::optional<cpu::OwnCall> FindOwnCall(int64_t library_call_id);

}  // namespace dynacc::executor
