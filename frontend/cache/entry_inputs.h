// What one run of an entry starts from, read off the guarded objects.
#pragma once

#include <array>

#include "absl/types/span.h"
#include "boost/container/small_vector.hpp"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cache/segment.h"

namespace dynacc::cache {

// Stays where it was filled in: views of array scalars look into `storage`.
struct EntryInputs {
  EntryInputs() = default;
  EntryInputs(const EntryInputs&) = delete;
  EntryInputs& operator=(const EntryInputs&) = delete;

  boost::container::small_vector<StridedView, 6> views;  // by Entry::array_slots
  boost::container::small_vector<std::array<char, 16>, 6> storage;
  boost::container::small_vector<ScalarValue, 32> scalars;  // the entry's scalar program
};

// Evaluates the numbers and sizes that the entry works with. False if it does not fit the values:
// one of its conditions, or of its identities, does not hold. `slots` are the guard tree's.
bool EvaluateEntry(const Entry& entry, absl::Span<const BorrowedRef> slots,
                   const arrays::ArrayNamespace& arrays, EntryInputs& inputs);

// Finds the memory of the entry's arrays. False if what the entry writes into shares memory with
// another of its inputs (storage.h says why that matters).
bool ReadArrays(const Entry& entry, absl::Span<const BorrowedRef> slots,
                const arrays::ArrayNamespace& arrays, EntryInputs& inputs);

}  // namespace dynacc::cache
