// MakeGraph: a Python function and example arguments made one graph, without a run of the function.
//
// The function's code is traced from its first instruction to its return, as a hot frame's would
// be, on the examples: their dtypes and ranks, and what Python asks of their values, hold for the
// graph. Nothing is compiled and no code of the user's runs.
//
// THE GRAPH IS A FUNCTION OF VALUES. Its inputs are every array among the arguments, in the order
// of the parameters and, inside lists, tuples and dicts, of their items, used or not; then arrays
// that the function reaches otherwise (globals, closures, attributes), which the result keeps. Its
// outputs are the arrays of the returned structure, in its order, then the new content of inputs
// that the function writes into, with these inputs as targets. What the function returns that is no
// array (numbers, strs, None) is in the result's tree. A function that does something else (prints,
// appends to a list of the caller's, draws random numbers from a generator that was there before)
// has no graph.
//
// All of it needs the GIL.
#pragma once

#include <Python.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"
#include "frontend/cpython/ref.h"

namespace dynacc::capture {

struct MakeGraphOptions {
  // Sizes of the arguments' arrays but 0 and 1, and ints and floats among the arguments, become
  // inputs of the graph's scalar program. Otherwise all are constants ...
  bool dynamic = false;
  // ... but the sizes, other than 0 and 1, of these axes of arrays: (GraphInput::path, axis).
  std::vector<std::pair<std::string, int>> dynamic_axes = {};
  // Rules that give gradients to calls which NumPy makes (frontend/tracer/call_gradients.h): a dict
  // that outlives the call. Null: they stay without.
  BorrowedRef gradient_rules = nullptr;
  // What stands for calls that NumPy would make (TraceContext::SetDecompositions): a dict that
  // outlives the call. Null: they stay.
  BorrowedRef decompositions = nullptr;
  // Single numbers of NumPy's among the arguments are inputs like arrays, of which the trace knows
  // no value. Otherwise InputsOfCall compares values that the trace went by.
  bool scalars_vary = false;
  // The graph is of the sides of branches that the examples take, where arrays' values decide.
  bool decides_branches = false;
  // The function may draw from the generator of NumPy's module (np.random.normal); each run of the
  // graph then does, too. A generator that is an object of the program's is refused in any case.
  bool may_draw = false;
};

// Where a graph input is found.
struct GraphInput {
  std::string path;          // in the user's terms: "x", "params['w'][0]", "<global> weights"
  bool is_argument = false;  // else the function reaches it otherwise, and `object` is what it was
  Ref object;                // the example, or that array
};

// Where an input of the graph's scalar program is found: an array's size, or a number.
struct GraphNumber {
  int input = -1;      // of this graph input ...
  int axis = -1;       // ... the size of this axis
  std::string path;    // input < 0: the number among the arguments ...
  Ref object = Ref();  // ... and the example
};

// How what the function returned is made again of the graph's outputs.
struct ResultTree {
  enum class Kind : uint8_t {
    kArray,          // output `index`
    kScalar,         // output `index`, of rank 0, as a scalar object of the array library
    kItem,           // output `index`, of rank 0, as a number of Python
    kNumber,         // expression `index` of the scalar program, as int, float or bool
    kConstant,       // `object`
    kTuple,          // of `items`
    kTupleSubclass,  // an instance of the class `object` with `items`
    kList,
    kDict,  // `items` are key, value, key, value ...
  };
  Kind kind = Kind::kConstant;
  int index = -1;
  Ref object = Ref();
  std::vector<ResultTree> items = {};
};

// What a trace took for granted, and where it found what its graph computes with.
class CallRecord;

struct MadeGraph {
  std::shared_ptr<const ir::Graph> graph;
  std::vector<GraphInput> inputs;    // one for each of the graph's inputs
  std::vector<GraphNumber> numbers;  // one for each of the scalar program's inputs
  ResultTree result;
  // With decides_branches: what the branches' conditions are in this call, in order. They are the
  // last outputs that have no target; the graph is a call's only if it computes the same ones.
  std::vector<bool> decisions;
  std::string draw;  // with may_draw: where the graph first draws random numbers, "prog.py:12"
  std::shared_ptr<const CallRecord> record;
};

// What a call gives a graph.
struct CallInputs {
  std::vector<Ref> arrays;           // one for each of its inputs; null where the trace read none
  std::vector<ScalarValue> numbers;  // one for each of the scalar program's inputs
};

// `args` is a tuple, `kwargs` a dict or null; `function` is a Python function, a bound method or an
// object whose class has a Python __call__. Errors: UNIMPLEMENTED with file, line, reason and hint
// where the trace ends in a graph break; FAILED_PRECONDITION saying what else the function does
// that no graph can; UNKNOWN with a Python exception set where the arguments do not fit the
// function; INVALID_ARGUMENT where it is no such callable.
absl::StatusOr<MadeGraph> MakeGraph(BorrowedRef function, BorrowedRef args, BorrowedRef kwargs,
                                    const MakeGraphOptions& options);

// What `made`'s graph computes with in another call of the function that it was made of, as
// MakeGraph takes them. NOT_FOUND if the trace would not be the same there: a guard or a condition
// of the graph does not hold, or a size or number that the graph has as a constant is another one.
// Other errors: MakeGraph's of the call. Runs no code of the user's.
absl::StatusOr<CallInputs> InputsOfCall(const MadeGraph& made, BorrowedRef function,
                                        BorrowedRef args, BorrowedRef kwargs);

// What the function returned, of the graph's outputs (array objects) and the values of its scalar
// program. A new reference, or null with an exception set.
Ref BuildResult(const ResultTree& tree, absl::Span<const Ref> outputs, const ScalarProgram& program,
                absl::Span<const ScalarValue> scalars);

}  // namespace dynacc::capture
