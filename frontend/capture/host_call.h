// HostCall: a call of a captured function by the host that holds the GIL for its guards only.
//
// Where one entry covers the whole call (as in direct_call.h) and makes nothing but what a HostPlan
// can say, no Python object is made at all: the guards look at the host's arrays where they are
// (LentArray), and the GIL is not needed for memory, kernels and results.
//
//   with the GIL:     call.Match(function, arguments, lent)
//   without it:       call.Run(stop), call.results()
//   with the GIL:     call.Drop(), if call.holds_objects()
//
// A call object is for one call at a time, of one thread. To use it again costs no memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "frontend/cache/compilation.h"
#include "frontend/cache/host_result.h"
#include "frontend/cpython/ref.h"
#include "frontend/numpy/trace/lent_array.h"

namespace dynacc::capture {

class HostCall {
 public:
  HostCall();  // needs no GIL
  ~HostCall();
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;

  // Finds what runs `function` (a Python function) in the compilation that was made for it (null:
  // by the default policy) of these positional arguments, of which those that are the object of one
  // of `lent` are not Python's. False: nothing has happened, and the function is to be called.
  // Needs the GIL.
  bool Match(BorrowedRef function, const cache::Compilation* compilation,
             absl::Span<const BorrowedRef> arguments, absl::Span<numpy::LentArray> lent);

  enum class Outcome : uint8_t {
    kDone,      // results() are there
    kStopped,   // `stop` said so
    kFallback,  // nothing has happened, and the function is to be called
  };
  // Runs what Match found; once. `stop` (may be null) is asked now and then, on this thread. Arrays
  // among the values (see values()) come to lie in `places`, which are the caller's, where that is
  // of their type and shape and in C order, and shares no memory with an argument; no results are
  // made of the list or tuple around them then. Needs no GIL.
  Outcome Run(bool (*stop)(), absl::Span<const StridedView> places = {});

  // By number; returned() is the value's.
  const std::vector<cache::HostResult>& results() const;
  int returned() const;
  // The numbers of the items of the list or tuple that is the value; or that of the value itself.
  absl::Span<const int> values() const;

  // Whether Match took references. Then Drop, with the GIL, must follow.
  bool holds_objects() const;
  void Drop();
  // Forgets the call, when nothing is held any more. Needs no GIL.
  void Clear();

 private:
  struct State;
  std::unique_ptr<State> state_;  // hidden, as it names what hosts' headers name, too
};

}  // namespace dynacc::capture
