// ArrayNamespace: one array library as the tracer and the run time see it.
//
// The tracer asks it to recognise arrays and functions and to turn operations into graph nodes with
// that library's own semantics (promotion, broadcasting, views). The segment runner asks it for the
// memory of inputs and for result objects. NumPy's is in numpy/; others get a folder each.
//
// Tracing functions return a Value, or a GraphBreak status: then nothing has been changed but nodes
// and guards added to a trace that will be thrown away. NotFound means "not mine".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/symbolic/trace_context.h"
#include "frontend/symbolic/value.h"
#include "runtime/executor/compiled_graph.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::arrays {

// The arguments of a traced call.
struct CallArgs {
  absl::Span<symbolic::Value* const> positional;
  symbolic::Keywords keywords;
};

class ArrayNamespace {
 public:
  virtual ~ArrayNamespace() = default;

  // --- Recognising objects -----------------------------------------------------------------

  // Whether `object` is an array or array scalar that kernels handle (exact type, a dtype of
  // dtype.def in native byte order, aligned, rank <= kMaxRank).
  virtual bool IsArray(BorrowedRef object) const = 0;
  // The value of such an object at `source`, with its guards and graph input.
  virtual absl::StatusOr<symbolic::TensorValue*> Wrap(symbolic::TraceContext& trace,
                                                      BorrowedRef object,
                                                      const sources::Source* source) = 0;
  // The type of the object that the tensor stands for.
  virtual PyTypeObject* TypeOf(const symbolic::TensorValue& tensor) const = 0;
  // Whether `callable` is one of this library's functions, ufuncs or types that Call knows.
  virtual bool KnowsCallable(BorrowedRef callable) const = 0;
  // What `callable.name` is, if that is a callable that Call knows (as np.add.reduce), else null.
  virtual Ref CallableAttribute(BorrowedRef callable, absl::string_view name) const = 0;
  virtual bool KnowsMethod(absl::string_view name) const = 0;
  // Whether `object` is a module of this library, or `name` (a str) the name of one. Code of such
  // modules is called, never captured by itself.
  virtual bool OwnsModule(BorrowedRef object) const = 0;
  virtual bool OwnsModuleName(BorrowedRef name) const = 0;
  // Whether a module of this library has no such attribute, as it says when it is asked and without
  // a warning; then that AttributeError is set.
  virtual bool LacksAttribute(BorrowedRef module, BorrowedRef name) const = 0;

  // The function to trace where captured code calls `function`, one written in Python: itself, but
  // of the library's own code only those parts that are as good traced as called, perhaps in
  // another form. Null: it is called, on real arrays.
  virtual Ref Inlined(BorrowedRef function) const = 0;

  // --- Tracing operations ------------------------------------------------------------------

  virtual absl::StatusOr<symbolic::Value*> Call(symbolic::TraceContext& trace, BorrowedRef callable,
                                                const CallArgs& args) = 0;
  // function(*args) of single numbers, some of which are known only when the segment has run.
  // `function` is without effects and keeps nothing; what it gives is a float, an int or an array
  // scalar, always the same of these. It runs at its place in the graph.
  virtual absl::StatusOr<symbolic::Value*> CallOnNumbers(
      symbolic::TraceContext& trace, BorrowedRef function,
      absl::Span<symbolic::Value* const> args) = 0;
  virtual absl::StatusOr<symbolic::Value*> CallMethod(symbolic::TraceContext& trace,
                                                      symbolic::TensorValue* self,
                                                      absl::string_view name,
                                                      const CallArgs& args) = 0;
  // shape, ndim, dtype, size, T ...; NotFound for an attribute that it does not know.
  virtual absl::StatusOr<symbolic::Value*> Attribute(symbolic::TraceContext& trace,
                                                     symbolic::TensorValue* self,
                                                     absl::string_view name) = 0;
  // Operators are numbered as CPython does: NB_ADD... of BINARY_OP (opcode.h), Py_LT... of
  // COMPARE_OP. `a op b`: at least one of them is a tensor or a selection, which only a namespace
  // whose Subscript makes them need know. `in_place`: the augmented form.
  virtual absl::StatusOr<symbolic::Value*> Binary(symbolic::TraceContext& trace, int nb_op,
                                                  bool in_place, symbolic::Value* a,
                                                  symbolic::Value* b) = 0;
  virtual absl::StatusOr<symbolic::Value*> Compare(symbolic::TraceContext& trace, int compare_op,
                                                   symbolic::Value* a, symbolic::Value* b) = 0;
  // opcode: UNARY_NEGATIVE, UNARY_POSITIVE or UNARY_INVERT.
  // Whether it is an immutable object of the library's, of which there is one alone, as a dtype.
  virtual bool IsSingleton(BorrowedRef object) const = 0;
  // Whether two values are equal of which one is such an object: it may compare with what the other
  // one stands for, as a dtype does with "f8". Null if the library does not say.
  virtual Ref EqualToSingleton(symbolic::TraceContext& trace, symbolic::Value* a,
                               symbolic::Value* b) = 0;
  virtual absl::StatusOr<symbolic::Value*> Unary(symbolic::TraceContext& trace, int opcode,
                                                 symbolic::TensorValue* a) = 0;
  virtual absl::StatusOr<symbolic::Value*> UnaryOfSelection(symbolic::TraceContext& trace,
                                                            int opcode,
                                                            symbolic::SelectionValue* a) = 0;
  // `result`, an operator's, as it is where the library computes it in the memory of the left
  // operand, or as a commutative one in that of the `right`: another node if that changes any bit,
  // null if that may be so and no node does it.
  virtual const ir::Node* InOperandsMemory(const ir::Node* result, bool right,
                                           symbolic::TraceContext& trace) const = 0;
  // Whether it does so at all, in large temporaries.
  virtual bool ComputesInTemporaries() const = 0;
  // Whether it does so in the memory of the right operand at all, with `left` on the left.
  virtual bool TakesRightMemory(symbolic::Value* left) const = 0;
  virtual absl::StatusOr<symbolic::Value*> Subscript(symbolic::TraceContext& trace,
                                                     symbolic::TensorValue* a,
                                                     symbolic::Value* key) = 0;
  // `a[key] = value`.
  virtual absl::Status StoreSubscript(symbolic::TraceContext& trace, symbolic::TensorValue* a,
                                      symbolic::Value* key, symbolic::Value* value) = 0;

  // A number of Python's, known or the program's, as an array scalar of the dtype that holds it;
  // null if none does.
  virtual symbolic::TensorValue* NumberAsScalar(symbolic::TraceContext& /*trace*/,
                                                symbolic::Value* /*number*/) {
    return nullptr;
  }

  // For each result of `taken` what is that one where `condition`, of rank 0, holds, and the same
  // result of `other` where not. GraphBreak if two are not of one type, dtype and shape, or, unless
  // `are_values`, if an array's memory would tell that a branch gave it.
  virtual absl::StatusOr<std::vector<symbolic::Value*>> Branch(symbolic::TraceContext& /*trace*/,
                                                               symbolic::TensorValue* /*condition*/,
                                                               symbolic::SubgraphValue* /*taken*/,
                                                               symbolic::SubgraphValue* /*other*/,
                                                               bool /*are_values*/) {
    return symbolic::GraphBreak("branch on an array's value");
  }

  // For a branch or loop on what the run tells: whether `value`, of rank 0, is true, or if it is
  // not `wanted`, whether it is false.
  virtual symbolic::TensorValue* TruthOf(symbolic::TraceContext& /*trace*/,
                                         symbolic::TensorValue* /*value*/, bool /*wanted*/) {
    return nullptr;
  }
  // What stands in a loop's body for a value like `before`: an input of the subgraph.
  virtual symbolic::TensorValue* Carry(symbolic::TraceContext& /*trace*/,
                                       symbolic::SubgraphValue* /*body*/,
                                       symbolic::TensorValue* /*before*/) {
    return nullptr;
  }
  // What the results of `body` are after the last round. Its inputs are `before` in the first
  // round, and its results in the next; it goes on while the first of them, a bool, holds.
  // GraphBreak, with the place of the value, as of Branch.
  virtual absl::StatusOr<std::vector<symbolic::Value*>> Loop(
      symbolic::TraceContext& /*trace*/, absl::Span<symbolic::TensorValue* const> /*before*/,
      symbolic::SubgraphValue* /*body*/, bool /*are_values*/) {
    return symbolic::GraphBreak("a loop that ends by an array's value");
  }

  // --- Running -----------------------------------------------------------------------------

  // Memory of an object for which IsArray holds. For an array scalar, `storage` (16 bytes, owned by
  // the caller for as long as the view is used) receives its bytes.
  virtual void Read(BorrowedRef object, StridedView* view, void* storage) const = 0;
  // A fresh array owning its memory (a dynacc.Tensor if `is_native`), with `view`'s shape and
  // (dense) strides; sets view.data. `keeps_memory`: when it dies, whatever its size, its memory is
  // kept for later ones. Null with an exception set if there is no memory.
  virtual PyObject* NewArray(StridedView& view, bool is_native, bool keeps_memory) const = 0;
  // A scalar object of the library from a rank-0 view, or (if !is_scalar) the array itself.
  virtual PyObject* NewScalar(const StridedView& view) const = 0;
  // A view of `base`'s memory with the given place, shape and strides; same writability as base. It
  // is a dynacc.Tensor if `is_native`, whatever base is.
  virtual PyObject* NewView(BorrowedRef base, const StridedView& view, bool is_native) const = 0;
  // The FpFlags that the current error state would report in any way (warn, raise, call, print).
  virtual uint32_t ReportedFpFlags() const = 0;
  // Whether the library's buffers have the size that sums are cut by (ReduceStep).
  virtual bool HasUsualBuffers() const = 0;
  // Runs what no kernel does (graph nodes of op LibraryCall), and the object that such a call gave.
  virtual executor::LibraryCaller& library_calls() = 0;
  virtual Ref ObjectOf(const executor::LibraryCallResult& result, bool is_native) const = 0;
};

// An array library that DynaCC knows: a row of frontend/capture/array_libraries.def.
struct ArrayLibrary {
  const char* module;
  ArrayNamespace* (*load)();  // the library's namespace if the program has imported it, else null
  absl::Status (*check)();    // why a library that has been imported is not used
};

// The libraries that the functions below ask, in this order. `known` must outlive the process's
// use of them. Needs the GIL.
void SetArrayLibraries(absl::Span<const ArrayLibrary> known);

// The namespace that recognises arrays of the loaded libraries; null until NumPy is imported in the
// process. `import numpy` is never triggered by DynaCC. Cheap after the first success.
ArrayNamespace* LoadedArrayNamespace();

// FAILED_PRECONDITION, with the reason, if the program has imported a library that DynaCC knows in
// a version that it does not; then nothing is captured.
absl::Status CheckArrayLibraries();

// Whether `name` (a str) is a library that DynaCC knows, or a module of one. What imports the
// library by importlib.import_module passes no audit event, but the library's own import statements
// do.
bool IsArrayLibraryName(BorrowedRef name);

}  // namespace dynacc::arrays
