// TraceContext: what symbolic execution builds, as handlers and array namespaces see it.
//
// It owns the graph, the sources, the guards and the values of one trace. A trace has no effect on
// the program: if anything in it fails, all of this is thrown away.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/ir/graph.h"
#include "frontend/guards/guard.h"
#include "frontend/symbolic/value.h"

namespace dynacc::symbolic {

// The expected outcome "not understood here": the segment ends before this instruction, which then
// runs on real objects. `reason` is what users see and count: short, stable, without values; put
// names in it ("call of numpy.linalg.solve"), never shapes or addresses.
absl::Status GraphBreak(absl::string_view reason);

// The same where the instruction is going to raise, as far as the tracer can tell: its traceback
// shows the frame's locals, so the segment keeps those too that the code does not read again.
absl::Status RaisingBreak(absl::string_view reason);
bool IsRaisingBreak(const absl::Status& status);

// The same of a call in whose place a decomposition is to be traced
// (TraceContext::RequireNoDecomposition).
bool IsDecompositionBreak(const absl::Status& status);

// Why a trace is made again with one value for each array object, however it is reached: one that
// is reached in two ways is written.
inline constexpr absl::string_view kSameArray = "a write to an array that has two names";

// How one number or size of an input enters the segment: the size of an axis, a Python int or
// float, the int in a scalar object of the array library; the stride of an axis, in bytes.
struct ScalarInput {
  enum class From : uint8_t { kDim, kInt, kFloat, kHeldInt, kStride };
  const sources::Source* source;
  From from;
  int axis = 0;  // kDim, kStride
};

// Two sources whose values must be the same object, or must not be.
struct IdentityPair {
  const sources::Source* a;
  const sources::Source* b;
  bool same;

  bool operator==(const IdentityPair&) const = default;
};

struct SizeBounds {
  int64_t min = 0;
  int64_t max = INT64_MAX;
};

// Which numbers and sizes have been seen to change, remembered by a segment over its entries.
class DynamicMarks {
 public:
  virtual ~DynamicMarks() = default;
  // Whether that size or number shall be an input instead of a constant.
  virtual bool IsDynamic(const sources::Source& source, ScalarInput::From from, int axis) const = 0;
  // Of a size that is an input: the least and the largest for which the trace shall hold.
  virtual SizeBounds BoundsOf(const sources::Source& /*source*/, int /*axis*/) const { return {}; }
  // Whether the trace may go by the value of the array scalar, or array without axes, at `source`.
  virtual bool HoldsValue(const sources::Source& /*source*/) const { return true; }
  // Whether sizes that only the run tells shall be part of the graph. Not where what is taken for
  // granted of them did not hold.
  virtual bool TakesDataDependentSizes() const { return true; }
};

class TraceContext {
 public:
  TraceContext(sources::SourceTable& sources, const DynamicMarks& marks)
      : sources_(sources), marks_(marks) {}

  ir::Graph& graph() { return *graph_; }
  sources::SourceTable& sources() { return sources_; }

  // Makes a value that lives as long as the trace.
  template <typename T, typename... Args>
  T* New(Args&&... args) {
    auto owned = std::make_unique<T>(std::forward<Args>(args)...);
    T* value = owned.get();
    values_.push_back(std::move(owned));
    return value;
  }

  // Adds a guard (once).
  void AddGuard(guards::GuardKind kind, const sources::Source* source, BorrowedRef object = nullptr,
                int64_t a = 0, int64_t b = 0);
  // Whether the int expression is an int input plus a constant; then where the input is found, and
  // the constant.
  bool IsInputPlus(ScalarId id, const sources::Source** input, int64_t* constant) const;
  // Requires at every call that the bool expression holds; it holds in this call. Of an expression
  // of data-dependent numbers it is taken for granted, and looked at by the run; not so that such a
  // number is just this or that one, which nobody knows: then there is a stop_reason().
  void RequireTrue(ScalarId condition);
  // Tells the graph which sizes are the same in every run, by what has been required.
  void KeepSizesThatAgree();

  // A number that only the run tells, the size of what a value decides: the node that defines it
  // must be made at once. All have this value while they are traced, one that no program is likely
  // to compare them with.
  static constexpr int64_t kDataDependentHint = 4093;
  bool HoldsValue(const sources::Source& source) const { return marks_.HoldsValue(source); }
  bool takes_data_dependent_sizes() const { return marks_.TakesDataDependentSizes(); }
  ScalarId AddDataDependent() { return graph_->scalars().AddDataDependent(); }
  bool IsDataDependent(ScalarId id) const { return graph_->scalars().Level(id) > 0; }

  // Takes it for granted that a data-dependent size is that known size; true.
  bool AssumeEqual(ScalarId data_dependent, ScalarId known);

  // Why the trace must end before this instruction, although its handler goes on; empty if it need
  // not. Reasons are literals.
  absl::string_view stop_reason() const { return stop_reason_; }
  void NoteStop(absl::string_view reason) { stop_reason_ = reason; }
  // The trace has asked what only the run can tell.
  void NoteUnknown() { NoteStop("a size that only the run tells"); }

  // Whether `a[mask]` is read as an array of a data-dependent size; else it is a SelectionValue.
  bool reads_selected() const { return reads_selected_; }
  void SetReadsSelected(bool reads) { reads_selected_ = reads; }
  // The selections that were read, as long as they are not stored back: NoteEscape's company.
  std::vector<SelectionValue*>& open_selections() { return open_selections_; }

  // The data-dependent number of elements that each mask of the trace selects, by the mask's node.
  absl::flat_hash_map<const ir::Node*, ScalarId>& selected_counts() { return selected_counts_; }

  // Requires at every call what holds in this one: that the two values are one object, or are not.
  void RequireIdentity(const sources::Source* a, const sources::Source* b, bool same);

  // The int that the array library's scalar object at `source` holds, whose type is guarded and has
  // no values beyond 64 bits with sign: a program input at once, as such ints seldom stay the same.
  ScalarId HeldInt(const sources::Source* source) {
    return InputId({source, ScalarInput::From::kHeldInt}, ScalarType::kInt);
  }

  // The stride of axis `axis` of the array at `source`, in bytes: a program input, too.
  ScalarId Stride(const sources::Source* source, int axis) {
    return InputId({source, ScalarInput::From::kStride, axis}, ScalarType::kInt);
  }

  // Size `axis` of the array at `source`, now `size`: a constant (guarded), or a program input if
  // it was seen to change.
  ScalarId Dim(const sources::Source* source, int axis, int64_t size);
  // The exact int, float or bool `object` at `source`, likewise: a ConstantValue or a NumberValue.
  Value* Number(const sources::Source* source, BorrowedRef object);

  // The next graph input, to be bound at every call to the array (or NumPy scalar) at `source`.
  const ir::Node* ArrayInput(const sources::Source* source, DType dtype,
                             absl::Span<const ScalarId> shape);

  // --- Calls that change what exists ---------------------------------------------------------

  // The place, among the objects of a run's RunScope, of the object at `source`.
  int ObjectInput(const sources::Source* source);
  const std::vector<const sources::Source*>& object_inputs() const { return object_inputs_; }
  // The graph's calls so far that must be made in their order; each has the one before it as an
  // operand.
  std::vector<const ir::Node*>& ordered_calls() { return ordered_calls_; }
  // Those of them that draw from a random generator, or seed one, that was there before the trace.
  void NoteDraw(const ir::Node* call) { draws_.push_back(call); }
  const std::vector<const ir::Node*>& draws() const { return draws_; }

  // --- Existing arrays and writes to them ---------------------------------------------------

  // Remembers the value of an existing array.
  void NoteExisting(TensorValue* tensor, BorrowedRef object);
  absl::Span<TensorValue* const> existing_arrays() const { return existing_arrays_; }
  // The value of the array `object`, reached through `source`, if it is known under another source
  // and counts as the same one: because it was written, or MergeSameArrays was called. The entry
  // then requires that both sources have the same object. Otherwise null.
  TensorValue* SameArray(BorrowedRef object, const sources::Source* source);
  void MergeSameArrays() { merge_same_arrays_ = true; }

  // Whether memory orders are nobody's concern (RunArguments::has_free_orders): in graphs that are
  // values, not segments. What lies in an order that the trace does not know then counts as a copy
  // in C order, which may change the last digits of what is computed of it.
  void LetOrdersBeFree() { has_free_orders_ = true; }
  bool has_free_orders() const { return has_free_orders_; }

  // Makes an existing array one whose memory gets its content at the segment's end.
  void NoteWrite(TensorValue* root);
  bool IsWritten(const TensorValue* root) const;
  absl::Span<TensorValue* const> written_arrays() const { return written_arrays_; }
  // Makes the content of what was written outputs of the graph. Once, after all other outputs.
  void AddWrites();

  // --- Subgraphs -------------------------------------------------------------------------------

  // Begins a region of the graph that will be a graph of its own; they nest. Its end: with what it
  // gives.
  SubgraphValue* BeginSubgraph();
  absl::Status EndSubgraph(SubgraphValue* subgraph, std::vector<TensorValue*> results);
  // After its end. GraphBreak that names `where` if random numbers are drawn in the region: whoever
  // runs it not just once, or perhaps, would draw other numbers than the program does.
  absl::Status RequireNoDraws(const SubgraphValue& subgraph, absl::string_view where) const;
  size_t num_open_subgraphs() const { return open_subgraphs_.size(); }
  // The value changes. In a region only what was made there may: the trace must end before.
  void NoteChangeOf(const Value* value);
  // Likewise of something that was surely there before: a global, a class.
  void NoteChangeOutside();
  // Whether the value was made in the region, which may have ended.
  bool IsMadeIn(const SubgraphValue& subgraph, const Value* value) const;

  // The object behind the value, which can change, is perhaps another value's: one side of a branch
  // gives what was there before. The trace must end before it changes, or its identity is asked.
  void NotePerhapsShared(const Value* value) { perhaps_shared_.insert(value); }
  bool IsPerhapsShared(const Value* value) const { return perhaps_shared_.contains(value); }

  // --- Floating-point errors ------------------------------------------------------------------

  // NumPy's functions report errors (np.errstate says how), dynacc's tensors none. A segment in
  // which no operation reports them need not look at the flags that it raised.
  void NoteReportsErrors() { reports_errors_ |= quiet_depth_ <= 0; }
  bool reports_errors() const { return reports_errors_; }
  // From here to the matching call with `quiet` false no operation reports errors.
  void SetQuiet(bool quiet) { quiet_depth_ += quiet ? 1 : -1; }
  bool is_quiet() const { return quiet_depth_ > 0; }

  // Between the two calls NumPy's own functions get gradients by these rules, a dict
  // (frontend/tracer/call_gradients.h).
  void BeginDerivatives(Ref rules) {
    gradient_rules_ = std::move(rules);
    ++derivatives_depth_;
  }
  void EndDerivatives() { --derivatives_depth_; }
  // Whether derivatives are taken of the whole trace, or of the part of it that is traced now. Then
  // an op that has a gradient is worth more than the last digit of the value beside it.
  void SetIsDifferentiated(bool is) { is_differentiated_ = is; }
  bool is_differentiated() const { return is_differentiated_ || gradient_rules() != nullptr; }
  BorrowedRef gradient_rules() const {
    return derivatives_depth_ > 0 ? gradient_rules_.get() : nullptr;
  }

  // Decompositions: a dict from functions of the array library, its methods included, to Python
  // functions that compute the same with calls which have ops. They are traced where the call
  // itself would be a node of op LibraryCall. Null: such calls stay.
  void SetDecompositions(BorrowedRef decompositions) { decompositions_ = decompositions; }
  // OK if the callable has none, or has one that is being traced: from a Begin to its End. Else a
  // break, and wanted_decomposition() is to be traced in the call's place.
  absl::Status RequireNoDecomposition(BorrowedRef callable);
  BorrowedRef wanted_decomposition() const { return wanted_decomposition_; }
  void BeginDecomposition(BorrowedRef function) { open_decompositions_.push_back(function); }
  void EndDecomposition() { open_decompositions_.pop_back(); }

  // The error state after the program has asked for it or set it: from then on it is known, as the
  // entry requires the one that it starts in. The array library numbers states, from 0.
  struct ErrorState {
    int at_start;
    int now;
    Ref getter, setter;  // the library's functions (effects.def)
  };
  const std::optional<ErrorState>& error_state() const { return error_state_; }
  // `reported`: FpFlags that are reported in `state`. Before the first SetErrorState.
  void KnowErrorState(int state, uint32_t reported, Ref getter, Ref setter);
  void SetErrorState(int state, uint32_t reported);
  // Those that are reported now, if the state is known.
  std::optional<uint32_t> reported_errors() const;

  // Sizes as one value: whether a == b, requiring it at every call if that is not certain.
  // `hint_a`, `hint_b` are the sizes in this call.
  bool SameSize(ScalarId a, int64_t hint_a, ScalarId b, int64_t hint_b);
  // A number as an int constant for this entry, guarding on its value if need be; breaks if it is
  // not an int or bool.
  absl::StatusOr<int64_t> ConstantInt(Value* value);

  // The program has used the object of `key`, which exists, as a key of a dict or a member of a
  // set: where it is kept it is found anew at each call. One that is also a constant of the code
  // stays that.
  void NoteKey(ConstantValue* key) {
    auto [known, fresh] = keys_.try_emplace(key->object.get(), key);
    if (!fresh && key->source() == nullptr) known->second = key;
  }
  // A key of a dict, or a member of a set, as a value.
  ConstantValue* KeyValue(BorrowedRef key) {
    const auto known = keys_.find(key);
    return known != keys_.end() ? known->second : New<ConstantValue>(Ref::New(key));
  }
  // The instruction of the trace at which a value was read that must not leave the segment.
  void NoteEscape(int64_t step) { escaped_at_ = step; }
  int64_t escaped_at() const { return escaped_at_; }

  const std::vector<guards::Guard>& guards() const { return guards_; }
  const std::vector<ScalarId>& conditions() const { return conditions_; }
  const std::vector<IdentityPair>& identities() const { return identities_; }
  const std::vector<ScalarInput>& scalar_inputs() const { return scalar_inputs_; }
  const std::vector<const sources::Source*>& array_inputs() const { return array_inputs_; }
  std::unique_ptr<ir::Graph> TakeGraph() { return std::move(graph_); }

 private:
  using GuardKey =
      std::tuple<guards::GuardKind, const sources::Source*, PyObject*, int64_t, int64_t>;

  // The expression of a program input, made at the first use.
  ScalarId InputId(const ScalarInput& input, ScalarType type);
  // Number, for an int that fits 64 bits and for a float.
  Value* IntNumber(const sources::Source* source, BorrowedRef object, int64_t value);
  Value* FloatNumber(const sources::Source* source, BorrowedRef object);

  sources::SourceTable& sources_;
  const DynamicMarks& marks_;
  std::unique_ptr<ir::Graph> graph_ = std::make_unique<ir::Graph>();
  std::deque<std::unique_ptr<Value>> values_;
  std::vector<guards::Guard> guards_;
  std::vector<ScalarId> conditions_;
  std::vector<IdentityPair> identities_;
  std::vector<ScalarInput> scalar_inputs_;
  std::vector<const sources::Source*> array_inputs_;
  std::vector<const sources::Source*> object_inputs_;
  std::vector<const ir::Node*> ordered_calls_;
  std::vector<const ir::Node*> draws_;
  bool reports_errors_ = false;
  int quiet_depth_ = 0;
  Ref gradient_rules_;
  bool is_differentiated_ = false;
  BorrowedRef decompositions_ = nullptr;
  BorrowedRef wanted_decomposition_ = nullptr;
  std::vector<BorrowedRef> open_decompositions_;
  int derivatives_depth_ = 0;
  std::optional<ErrorState> error_state_;
  uint32_t reported_errors_ = kAllFpFlags;
  std::vector<TensorValue*> existing_arrays_;
  std::vector<PyObject*> existing_objects_;  // of existing_arrays_, kept alive by their values
  std::vector<TensorValue*> written_arrays_;
  bool merge_same_arrays_ = false;
  bool has_free_orders_ = false;
  absl::string_view stop_reason_;
  bool reads_selected_ = false;
  std::vector<SelectionValue*> open_selections_;
  std::vector<SubgraphValue*> open_subgraphs_;  // the innermost last
  absl::flat_hash_set<const Value*> perhaps_shared_;
  absl::flat_hash_map<const ir::Node*, ScalarId> selected_counts_;
  int64_t escaped_at_ = 0;
  absl::flat_hash_map<PyObject*, ConstantValue*> keys_;  // NoteKey's
  std::vector<ScalarId> scalar_input_ids_;               // of scalar_inputs_, one by one
  absl::flat_hash_set<GuardKey> seen_guards_;
};

}  // namespace dynacc::symbolic
