// Store forwarding: what reads a part of an array that has just been stored into reads the stored
// value, if it is that very part, or the array before, if the two have nothing in common.
//
// A recurrence along an axis (`a[:, k] = b[:, k] - a[:, k - 1] * c; d = a[:, k] * e`) then needs no
// version of the whole array: only the parts that it has stored are written in the end.
#pragma once

#include <memory>

#include "codegen/ir/graph.h"

namespace dynacc {

// Reads by reductions and functions of the library stay: they see how their operand lies in memory.
// So do all reads of a version that must be there for any of them, in which each part is best
// computed where it is stored, and reads of what lies below Stores into a temporary, whose memory
// the Stores may take over.
std::unique_ptr<Graph> ForwardStores(const Graph& graph);

}  // namespace dynacc
