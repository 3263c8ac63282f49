// The layout and the numbers of dynacc.h as version 0 fixed them. A change that fails here breaks
// programs that are compiled already: append to a struct and raise its size instead.
#include <cstddef>

#include "absl/status/status.h"
#include "embed/include/dynacc/dynacc.h"
#include "embed/include/dynacc/tensor.h"

static_assert(sizeof(dynacc_array) == 56);
static_assert(offsetof(dynacc_array, data) == 8);
static_assert(offsetof(dynacc_array, element) == 16);
static_assert(offsetof(dynacc_array, rank) == 20);
static_assert(offsetof(dynacc_array, shape) == 24);
static_assert(offsetof(dynacc_array, strides) == 32);
static_assert(offsetof(dynacc_array, read_only) == 40);
static_assert(offsetof(dynacc_array, device) == 48);  // where the first version ended
static_assert(sizeof(dynacc_call_options) == 48);
static_assert(offsetof(dynacc_call_options, timeout_nanoseconds) == 32);
static_assert(offsetof(dynacc_call_options, cancellation) == 40);
static_assert(sizeof(dynacc_runtime_options) == 160);
static_assert(offsetof(dynacc_runtime_options, isolated) == 56);
static_assert(offsetof(dynacc_runtime_options, policy) == 64);
static_assert(offsetof(dynacc_runtime_options, cache_folder) == 88);
static_assert(offsetof(dynacc_runtime_options, log_sink) == 104);
static_assert(offsetof(dynacc_runtime_options, devices) == 120);
static_assert(offsetof(dynacc_runtime_options, most_calls) == 136);  // where 0.1 ended
static_assert(offsetof(dynacc_runtime_options, executor) == 144);
static_assert(sizeof(dynacc_request) == 16);
static_assert(sizeof(dynacc_function_counters) == 32);
static_assert(sizeof(dynacc_dynamic_axis) == 32);
static_assert(sizeof(dynacc_freeze_options) == 72);

static_assert(DYNACC_ELEMENT_COMPLEX128 == static_cast<int>(dynacc::ElementType::kComplex128));
static_assert(DYNACC_ELEMENT_BFLOAT16 == static_cast<int>(dynacc::ElementType::kBfloat16));
static_assert(DYNACC_ELEMENT_FLOAT8E5M2 == static_cast<int>(dynacc::ElementType::kFloat8E5m2));
static_assert(DYNACC_ELEMENT_FLOAT16 == static_cast<int>(dynacc::ElementType::kFloat16));
static_assert(DYNACC_CANCELLED == static_cast<int>(absl::StatusCode::kCancelled));
static_assert(DYNACC_DEADLINE_EXCEEDED == static_cast<int>(absl::StatusCode::kDeadlineExceeded));
static_assert(DYNACC_FAILED_PRECONDITION ==
              static_cast<int>(absl::StatusCode::kFailedPrecondition));
static_assert(DYNACC_OUT_OF_RANGE == static_cast<int>(absl::StatusCode::kOutOfRange));
static_assert(DYNACC_INTERNAL == static_cast<int>(absl::StatusCode::kInternal));
