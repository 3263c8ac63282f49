// NumpyLibraryCaller: functions of NumPy itself as graph nodes of op LibraryCall.
//
// A node's number names a *call*: the function with all of its arguments, in which arrays and
// numbers that the graph computes are holes. The node's operands fill the holes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/cpython/ref.h"
#include "runtime/executor/compiled_graph.h"

namespace dynacc::numpy {

// One argument, as a tree.
struct LibraryCallArg {
  enum class Kind : uint8_t {
    kArray,     // operand `operand` as an array over its memory, read-only
    kScalar,    // ... of rank 0 as a NumPy scalar
    kNumber,    // ... of rank 0 as a Python int, float or bool
    kConstant,  // `constant`
    kTuple,     // of `items`
    kList,
    kSlice,   // of three items
    kObject,  // object input `operand` of the trace
    kMade,    // the object that an earlier call made under the number `operand`
  };
  Kind kind = Kind::kConstant;
  int operand = -1;
  Ref constant;
  std::vector<LibraryCallArg> items;

  bool operator==(const LibraryCallArg& other) const;
};

// A call with more operands is no product of matrices (LibraryCall::apart_from).
inline constexpr size_t kMaxOperandsApart = 64;

struct LibraryCall {
  Ref callable;  // keeps none of its arguments; without effects, unless `draw` is set
  std::vector<LibraryCallArg> positional;
  std::vector<std::pair<std::string, LibraryCallArg>> keywords;
  // For each operand (apart_from[i] of operand i): the earlier ones that are arrays of other memory
  // in the program, as bits. BLAS treats the two faces of one array in a way of their own.
  std::vector<uint64_t> apart_from;
  int item = -1;               // the result is this item of a tuple or list that it gives
  bool gives_scalar = false;   // a NumPy scalar, not an array
  bool gives_number = false;   // a Python float or int, of which a NumPy scalar is made
  bool gives_c_order = false;  // the graph relies on the result's being C-contiguous
  // Of draws of the module's functions, the generator; null: it is the object input among the
  // arguments.
  Ref generator;
  int view = 0;           // gives a view of memory that no other call of its trace sees, if not 0
  int draw = 0;           // draws random numbers, as such call number `draw` of its trace
  bool is_quiet = false;  // never looks at NumPy's error state
  std::optional<uint32_t>
      reported;                 // FpFlags that are errors; empty: the thread's error state says
  bool may_warn = false;        // of values, in Python: then the call is the program's
  bool may_raise = false;       // it is the program's own code: what it raises comes again there
  bool may_print = false;       // LAPACK's: prints of numbers that are not finite; then the same
  bool wants_writable = false;  // copies arrays that it could not write into, but writes into none

  bool operator==(const LibraryCall& other) const;
  bool SameArguments(const LibraryCall& other) const;  // and the same function
};

class Holes;

// Makes the objects that fill one call's holes; the caller owns the result. Null with an exception.
using FillHole = std::function<PyObject*(const LibraryCallArg& hole)>;
Ref MakeArgument(const LibraryCallArg& argument, const FillHole& fill);
// Calls it so. Null with an exception set.
Ref CallLibrary(const LibraryCall& call, const FillHole& fill);

// While it lives, NumPy reports floating-point errors to nobody but it: those that the program's
// errstate does not ignore, or (`reported` given) these. The segment's plain run, which follows an
// error, reports it as it should be. Nothing is raised, unless `raises`: NumPy's own Python code
// handles exceptions in ways that show, as `==` does, which warns in their place.
class WatchedErrorState {
 public:
  explicit WatchedErrorState(std::optional<uint32_t> reported, bool raises = false);
  ~WatchedErrorState();
  WatchedErrorState(const WatchedErrorState&) = delete;
  WatchedErrorState& operator=(const WatchedErrorState&) = delete;

  // Whether there was an error since the beginning.
  bool HasErrors() const;

 private:
  Ref saved_;  // null if NumPy's state cannot be set
  uint64_t errors_before_;
  bool raised_before_;
};

class NumpyLibraryCaller : public executor::LibraryCaller {
 public:
  // The id of `call`; the same for an equal one. Needs the GIL.
  int64_t Register(LibraryCall call);

  absl::StatusOr<std::shared_ptr<executor::LibraryCallResult>> Call(
      const executor::LibraryCallArguments& arguments) override;

  // What Call gave, as an object.
  static Ref ObjectOf(const executor::LibraryCallResult& result);

 private:
  struct Registered {
    std::shared_ptr<const LibraryCall> call;
    Ref kept;  // the result of a call without holes, which is always the same; unless it is large
  };

  // What a call gave that was made for its first item; the others are asked for next, in order.
  struct Items {
    std::shared_ptr<const LibraryCall> call;
    std::vector<const void*> inputs;
    Ref items;
    int next = 0;
  };

  // What the call gives, or the item of it that is asked for; null with an exception set.
  Ref Result(const std::shared_ptr<const LibraryCall>& call,
             const executor::LibraryCallArguments& arguments, Holes& holes);
  // Keeps the result of a call without holes.
  void Keep(int64_t id, const Ref& object);
  Ref NextItem(const LibraryCall& call, absl::Span<const StridedView> inputs);

  std::vector<Registered> calls_;
  int64_t kept_bytes_ = 0;  // of the results in calls_
  Items items_;
};

// The process's; under the GIL.
NumpyLibraryCaller& TheNumpyLibraryCaller();

}  // namespace dynacc::numpy
