// NumpyExterns: functions of NumPy itself as graph nodes of op Extern.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "frontend/cpython/ref.h"
#include "runtime/executor/compiled_graph.h"

namespace dynacc {

// Calls a registered callable as f(*inputs) on arrays over the inputs' memory and copies what it
// returns (an array, or a tuple of them) into the outputs. The callable is one of NumPy's, without
// effects, and does not keep its arguments. An exception becomes an INTERNAL status and is
// cleared: the stretch is then run plainly, and raises it again.
class NumpyExterns : public ExternCaller {
 public:
  // The id of `callable`; the same for the same object. Needs the GIL.
  int64_t Register(BorrowedRef callable);

  absl::Status Call(int64_t extern_id, absl::Span<const StridedView> inputs,
                    absl::Span<StridedView> outputs) override;

 private:
  std::vector<Ref> callables_;
};

}  // namespace dynacc
