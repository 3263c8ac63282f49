// A call of a compiled function without a frame.
//
// Where one entry covers the whole call (from the first instruction to a return, nothing left
// behind but the value) CPython's frame would only be made to be dropped: the guards read the
// arguments where the caller has them.
#pragma once

#include <Python.h>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/cache/compilation.h"
#include "frontend/cache/segment.h"

namespace dynacc::capture {

// Calls `function` so, in the compilation that was made for it, if it can be done; `*result` is
// then its value. False: nothing has happened, and the function is to be called. Arguments as of
// the vectorcall protocol.
bool CallDirectly(PyObject* function, const cache::Compilation& compilation, PyObject* const* args,
                  size_t nargsf, PyObject* kwnames, PyObject** result);

// A call whose guards an entry's fit.
struct WholeCall {
  BorrowedRef function;
  PyCodeObject* code;
  absl::Span<const BorrowedRef> slots;  // as the guard tree left them
  arrays::ArrayNamespace& arrays;
};

enum class WholeCallStep : uint8_t {
  kNext,   // this entry does not do: try another one
  kLeave,  // this call is not to be made so
  kDone,   // it is made, and counts
};

// Shows `visit` the entries that cover a whole call of `function` and whose guards hold, until it
// does not say kNext. True: it said kDone. In the compilation that was made for the function; by
// the default policy (null) once it is decided that running the entry is quicker than CPython. The
// entry is there until `visit` returns.
bool VisitWholeCall(BorrowedRef function, const cache::Compilation* compilation,
                    absl::Span<const BorrowedRef> arguments,
                    absl::FunctionRef<WholeCallStep(const WholeCall&, cache::Entry&)> visit);

}  // namespace dynacc::capture
