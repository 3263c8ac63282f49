// The argument `out` of functions that NumPy itself runs.
//
// Such a function is called with a copy of the program's array as its `out`, which is then the
// array's new content: what the function makes of an output of that dtype, be it a loop of another
// dtype or a result that is rounded twice, is NumPy's own.
#pragma once

#include "absl/status/statusor.h"
#include "frontend/numpy/trace/library_call.h"
#include "frontend/numpy/trace/library_call_rules.h"

namespace dynacc::numpy {

// `args` without the argument `out`, which was given; where it stood among the positional ones is a
// None.
struct CallWithoutOut {
  std::vector<symbolic::Value*> positional;
  symbolic::Keywords keywords;
  int place = -1;  // of `out` among the positional arguments; -1: it was given by name

  arrays::CallArgs args() const;
};
CallWithoutOut WithoutOut(symbolic::TraceContext& trace, symbolic::Value* out,
                          const arrays::CallArgs& args);

// Whether no array among the values may share memory with the array `out`.
bool IsApartFromAll(symbolic::TraceContext& trace, symbolic::Value* out,
                    absl::Span<symbolic::Value* const> values);

// Makes `call`, taken apart of `callable` and a CallWithoutOut, fill `out`, which is given back as
// the call does. GraphBreak for what is no array in C order, and where the function reads what it
// has begun to write.
absl::StatusOr<symbolic::Value*> CallInto(symbolic::TraceContext& trace, absl::string_view name,
                                          symbolic::Value* out, const CallWithoutOut& rest,
                                          TracedCall call);

}  // namespace dynacc::numpy
