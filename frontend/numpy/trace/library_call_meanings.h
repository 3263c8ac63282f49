// Which calls of NumPy a device, or a step of ours, can do itself.
#pragma once

#include <optional>

#include "frontend/numpy/trace/library_calls.h"
#include "runtime/executor/library_call_meaning.h"

namespace dynacc::numpy {

// The scan that the call is: np.cumsum, np.cumprod, the arrays' methods of those names, and
// np.add.accumulate and np.multiply.accumulate, of one array and an axis that is known.
std::optional<executor::ScanCall> ScanOf(const LibraryCall& call);

// The places that the call finds: np.argmax, np.argmin and the arrays' methods of those names, of
// one array and an axis that is known.
std::optional<executor::ArgExtremeCall> ArgExtremeOf(const LibraryCall& call);

// The mean that the call is: np.mean and the arrays' method, of one array and axes that are known,
// with no dtype asked for.
std::optional<executor::MeanCall> MeanOf(const LibraryCall& call);

// The rows that the call takes: `a[at]` with one array of indices, np.take and the arrays' method
// of two arrays.
std::optional<executor::TakeCall> TakeOf(const LibraryCall& call);

// The same with any number of indices and axes: `a[i, j]`, `a[:, i]`, `a[..., i, 0]`, np.take and
// the arrays' method along an axis, np.take_along_axis.
std::optional<executor::GatherCall> GatherOf(const LibraryCall& call);

// The write to such places that the call is: that of StoreThroughIndices (scatter.h).
std::optional<executor::ScatterCall> ScatterOf(const LibraryCall& call);

// The operator on single numbers that the call is, if those that are known are ints: a function of
// the module `operator`.
std::optional<executor::IntOperationCall> IntOperationOf(const LibraryCall& call);

}  // namespace dynacc::numpy
