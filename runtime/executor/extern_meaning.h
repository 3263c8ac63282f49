// What an extern call computes, in words that a device, or a step of ours, can follow. Whoever
// registers a call may say so; the call stays what it is, and what a device does in its place gives
// the same but for the last digits of sums. Steps of the host's (take_step.h, scan_step.h) give the
// same bits.
#pragma once

#include <cstdint>
#include <optional>

namespace dynacc {

// A scan of the call's one operand along an axis: a cumulative sum or product. The result has the
// operand's dtype and shape.
struct ExternScan {
  bool multiplies = false;
  // Negative ones count from the last; none: over all elements, of an operand of rank 1.
  std::optional<int> axis;
};

// Rows of the call's first operand, as the indices of the second one name them: `a[at]`. The result
// is in C order if both operands are.
struct ExternTake {
  bool is_flat = false;  // the first operand must be of rank 1: its elements, whatever its rank
};

// Thread-safe. Said once of an id.
void SayExternIsScan(int64_t extern_id, const ExternScan& scan);
std::optional<ExternScan> FindExternScan(int64_t extern_id);
void SayExternIsTake(int64_t extern_id, const ExternTake& take);
std::optional<ExternTake> FindExternTake(int64_t extern_id);

}  // namespace dynacc
