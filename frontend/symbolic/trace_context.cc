#include "frontend/symbolic/trace_context.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/check.h"

namespace dynacc::symbolic {
namespace {

bool IsConst(const ScalarExpr& expr) { return expr.op == ScalarOp::kConst; }

// Whether the exact int `object` fits 64 bits; then `*value` is it.
bool FitsInt64(BorrowedRef object, int64_t* value) {
  int overflow = 0;
  *value = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

}  // namespace

namespace {

constexpr char kRaisesUrl[] = "dynacc/raises";
constexpr char kDecompositionUrl[] = "dynacc/decomposition";

}  // namespace

absl::Status GraphBreak(absl::string_view reason) { return absl::UnimplementedError(reason); }

absl::Status RaisingBreak(absl::string_view reason) {
  absl::Status status = GraphBreak(reason);
  status.SetPayload(kRaisesUrl, absl::Cord());
  return status;
}

bool IsRaisingBreak(const absl::Status& status) {
  return status.GetPayload(kRaisesUrl).has_value();
}

bool IsDecompositionBreak(const absl::Status& status) {
  return status.GetPayload(kDecompositionUrl).has_value();
}

absl::Status TraceContext::RequireNoDecomposition(BorrowedRef callable) {
  if (decompositions_ == nullptr) return absl::OkStatus();
  BorrowedRef found = PyDict_GetItemWithError(decompositions_, callable);
  if (found == nullptr) PyErr_Clear();  // it is not hashable
  if (found == nullptr || absl::c_linear_search(open_decompositions_, found))
    return absl::OkStatus();
  wanted_decomposition_ = found;
  absl::Status status = GraphBreak("a call that has a decomposition");
  status.SetPayload(kDecompositionUrl, absl::Cord());
  return status;
}

void TraceContext::AddGuard(guards::GuardKind kind, const sources::Source* source,
                            BorrowedRef object, int64_t a, int64_t b) {
  if (!seen_guards_.emplace(kind, source, object, a, b).second) return;
  guards_.push_back(guards::Guard{kind, source, Ref::New(object), a, b});
}

void TraceContext::RequireTrue(ScalarId condition) {
  const ScalarExpr& expr = graph_->scalars().expr(condition);
  DYNACC_CHECK(expr.type == ScalarType::kBool) << "a condition must be a bool expression";
  if (IsConst(expr)) {
    DYNACC_CHECK(expr.value.i != 0) << "a condition must hold in the call that is traced";
    return;
  }
  if (IsDataDependent(condition)) {
    if (expr.op == ScalarOp::kEq && IsConst(graph_->scalars().expr(expr.b))) NoteUnknown();
    return graph_->AddCondition(condition);
  }
  if (std::find(conditions_.begin(), conditions_.end(), condition) == conditions_.end()) {
    conditions_.push_back(condition);
  }
}

void TraceContext::KeepSizesThatAgree() {
  const ScalarProgram& scalars = graph_->scalars();
  for (const ScalarId condition : conditions_) {
    const ScalarExpr& expr = scalars.expr(condition);
    if (expr.op != ScalarOp::kEq || scalars.expr(expr.a).type != ScalarType::kInt) continue;
    if (!IsConst(scalars.expr(expr.a)) && !IsConst(scalars.expr(expr.b))) {
      graph_->AddCondition(condition);
    }
  }
}

bool TraceContext::AssumeEqual(ScalarId data_dependent, ScalarId known) {
  graph_->AddCondition(graph_->scalars().Apply(ScalarOp::kEq, data_dependent, known));
  return true;
}

void TraceContext::RequireIdentity(const sources::Source* a, const sources::Source* b, bool same) {
  const IdentityPair pair{a, b, same};
  if (a != b && std::find(identities_.begin(), identities_.end(), pair) == identities_.end()) {
    identities_.push_back(pair);
  }
}

bool TraceContext::IsInputPlus(ScalarId id, const sources::Source** input,
                               int64_t* constant) const {
  const ScalarProgram& scalars = graph_->scalars();
  *constant = 0;
  if (scalars.expr(id).op == ScalarOp::kAdd && scalars.IsIntConst(scalars.expr(id).b, constant)) {
    id = scalars.expr(id).a;
  }
  const auto found = std::find(scalar_input_ids_.begin(), scalar_input_ids_.end(), id);
  if (found == scalar_input_ids_.end()) return false;
  const ScalarInput& known = scalar_inputs_[found - scalar_input_ids_.begin()];
  *input = known.source;
  return known.from == ScalarInput::From::kInt;
}

ScalarId TraceContext::InputId(const ScalarInput& input, ScalarType type) {
  for (size_t i = 0; i < scalar_inputs_.size(); ++i) {
    const ScalarInput& known = scalar_inputs_[i];
    if (known.source == input.source && known.from == input.from && known.axis == input.axis) {
      return scalar_input_ids_[i];
    }
  }
  scalar_inputs_.push_back(input);
  scalar_input_ids_.push_back(graph_->scalars().AddInput(type));
  return scalar_input_ids_.back();
}

ScalarId TraceContext::Dim(const sources::Source* source, int axis, int64_t size) {
  if (marks_.IsDynamic(*source, ScalarInput::From::kDim, axis)) {
    const ScalarId id = InputId({source, ScalarInput::From::kDim, axis}, ScalarType::kInt);
    const SizeBounds bounds = marks_.BoundsOf(*source, axis);
    ScalarProgram& scalars = graph_->scalars();
    if (bounds.min > 0) RequireTrue(scalars.Apply(ScalarOp::kLe, scalars.Int(bounds.min), id));
    if (bounds.max < INT64_MAX)
      RequireTrue(scalars.Apply(ScalarOp::kLe, id, scalars.Int(bounds.max)));
    return id;
  }
  AddGuard(guards::GuardKind::kDimEquals, source, nullptr, axis, size);
  return graph_->scalars().Int(size);
}

Value* TraceContext::IntNumber(const sources::Source* source, BorrowedRef object, int64_t value) {
  if (marks_.IsDynamic(*source, ScalarInput::From::kInt, 0)) {
    AddGuard(guards::GuardKind::kIntFits, source);
    const ScalarId id = InputId({source, ScalarInput::From::kInt}, ScalarType::kInt);
    return New<NumberValue>(id, ScalarType::kInt, ScalarValue{.i = value}, source);
  }
  AddGuard(guards::GuardKind::kIntEquals, source, nullptr, value);
  return New<ConstantValue>(Ref::New(object), source);
}

Value* TraceContext::FloatNumber(const sources::Source* source, BorrowedRef object) {
  if (marks_.IsDynamic(*source, ScalarInput::From::kFloat, 0)) {
    AddGuard(guards::GuardKind::kFloatAny, source);
    const ScalarId id = InputId({source, ScalarInput::From::kFloat}, ScalarType::kFloat);
    const ScalarValue hint{.f = PyFloat_AS_DOUBLE(object)};
    return New<NumberValue>(id, ScalarType::kFloat, hint, source);
  }
  AddGuard(guards::GuardKind::kFloatEquals, source, object);
  return New<ConstantValue>(Ref::New(object), source);
}

Value* TraceContext::Number(const sources::Source* source, BorrowedRef object) {
  if (PyFloat_CheckExact(object)) return FloatNumber(source, object);
  int64_t value = 0;
  if (PyBool_Check(object)) {
    AddGuard(guards::GuardKind::kIdentity, source, object);
  } else {
    DYNACC_CHECK(PyLong_CheckExact(object)) << "not a number: " << Py_TYPE(object)->tp_name;
    if (FitsInt64(object, &value)) return IntNumber(source, object, value);
    AddGuard(guards::GuardKind::kConstantEquals, source, object);
  }
  return New<ConstantValue>(Ref::New(object), source);
}

const ir::Node* TraceContext::ArrayInput(const sources::Source* source, DType dtype,
                                         absl::Span<const ScalarId> shape) {
  array_inputs_.push_back(source);
  return graph_->AddInput(dtype, shape);
}

int TraceContext::ObjectInput(const sources::Source* source) {
  NoteChangeOutside();
  const auto found = std::find(object_inputs_.begin(), object_inputs_.end(), source);
  const auto place = static_cast<int>(found - object_inputs_.begin());
  if (found == object_inputs_.end()) object_inputs_.push_back(source);
  return place;
}

void TraceContext::NoteExisting(TensorValue* tensor, BorrowedRef object) {
  existing_arrays_.push_back(tensor);
  existing_objects_.push_back(object);
}

TensorValue* TraceContext::SameArray(BorrowedRef object, const sources::Source* source) {
  for (size_t i = 0; i < existing_arrays_.size(); ++i) {
    TensorValue* const known = existing_arrays_[i];
    if (existing_objects_[i] != object || known->source() == source) continue;
    if (!merge_same_arrays_ && !IsWritten(known)) continue;
    RequireIdentity(known->source(), source, true);
    return known;
  }
  return nullptr;
}

void TraceContext::NoteWrite(TensorValue* root) {
  DYNACC_CHECK(root->input != nullptr) << "a write to what is no existing array";
  if (!IsWritten(root)) written_arrays_.push_back(root);
}

bool TraceContext::IsWritten(const TensorValue* root) const {
  return std::find(written_arrays_.begin(), written_arrays_.end(), root) != written_arrays_.end();
}

void TraceContext::AddWrites() {
  for (const TensorValue* root : written_arrays_) {
    if (root->node != root->input) graph_->AddOutput(root->node, root->input);
  }
}

SubgraphValue* TraceContext::BeginSubgraph() {
  graph_->BeginRegion();
  auto* const subgraph =
      New<SubgraphValue>(ir::Region{graph_.get(), graph_->open_regions(), {}, {}, {}});
  subgraph->first_value = values_.size();
  subgraph->num_data_dependent = graph_->scalars().num_data_dependent();
  subgraph->first_draw = draws_.size();
  subgraph->error_state = error_state_ ? error_state_->now : -1;
  open_subgraphs_.push_back(subgraph);
  return subgraph;
}

// " (model.py:12)", of the node's first use; empty if that is not known.
static std::string PlaceOf(const ir::Node& node) {
  if (node.location.line == 0) return "";
  return absl::StrCat(" (", node.location.file, ":", node.location.line, ")");
}

// Where the last array was made whose size depends on values.
static std::string PlaceOfLastSize(const ir::Graph& graph) {
  const auto nodes = graph.nodes();
  const auto last = std::find_if(nodes.rbegin(), nodes.rend(), [](const ir::Node* node) {
    return ir::DefinedBy(*node) != kNoScalar;
  });
  return last == nodes.rend() ? "" : PlaceOf(**last);
}

absl::Status TraceContext::RequireNoDraws(const SubgraphValue& subgraph,
                                          absl::string_view where) const {
  if (subgraph.first_draw == subgraph.end_draw) return absl::OkStatus();
  return GraphBreak(
      absl::StrCat("a draw of random numbers in ", where, PlaceOf(*draws_[subgraph.first_draw])));
}

absl::Status TraceContext::EndSubgraph(SubgraphValue* subgraph, std::vector<TensorValue*> results) {
  if (open_subgraphs_.empty() || open_subgraphs_.back() != subgraph) {
    return absl::InternalError("the end of a subgraph that is not the innermost");
  }
  subgraph->region.asked = graph_->EndRegion();
  open_subgraphs_.pop_back();
  subgraph->open = false;
  subgraph->end_value = values_.size();
  subgraph->end_draw = draws_.size();
  for (const TensorValue* result : results) subgraph->region.outputs.push_back(result->node);
  subgraph->results = std::move(results);
  if (graph_->scalars().num_data_dependent() != subgraph->num_data_dependent) {
    return GraphBreak(
        absl::StrCat("an array whose size depends on values, in a branch or the body of a loop",
                     PlaceOfLastSize(*graph_)));
  }
  const bool knows_state = error_state_ && subgraph->error_state >= 0;
  if (knows_state && error_state_->now != subgraph->error_state) {
    return GraphBreak("another floating-point error state after a branch or the body of a loop");
  }
  return absl::OkStatus();
}

bool TraceContext::IsMadeIn(const SubgraphValue& subgraph, const Value* value) const {
  const auto first = static_cast<int64_t>(subgraph.first_value);
  const auto end = subgraph.open ? values_.size() : subgraph.end_value;
  return value->source() == nullptr &&
         std::any_of(values_.begin() + first, values_.begin() + static_cast<int64_t>(end),
                     [value](const auto& made) { return made.get() == value; });
}

void TraceContext::NoteChangeOf(const Value* value) {
  if (IsPerhapsShared(value)) NoteStop("a change of what one side of a branch gave as it was");
  if (open_subgraphs_.empty()) return;
  if (!IsMadeIn(*open_subgraphs_.back(), value)) NoteChangeOutside();
}

void TraceContext::NoteChangeOutside() {
  if (open_subgraphs_.empty()) return;
  NoteStop(
      "a branch or the body of a loop changes what is outside of it; return new values instead");
}

bool TraceContext::SameSize(ScalarId a, int64_t hint_a, ScalarId b, int64_t hint_b) {
  if (a == b) return true;
  ScalarProgram& scalars = graph_->scalars();
  const bool same = hint_a == hint_b;
  if (IsConst(scalars.expr(a)) && IsConst(scalars.expr(b))) return same;
  const ScalarId condition = scalars.Apply(same ? ScalarOp::kEq : ScalarOp::kNe, a, b);
  const ScalarExpr& expr = scalars.expr(condition);
  if (IsConst(expr) && expr.value.i == 0)
    return !same;  // data-dependent sizes' hints may say anything
  RequireTrue(condition);
  return same;
}

absl::StatusOr<int64_t> TraceContext::ConstantInt(Value* value) {
  if (const auto* constant = As<ConstantValue>(value)) {
    PyObject* object = constant->object.get();
    int64_t integer = 0;
    if (!PyLong_CheckExact(object) && !PyBool_Check(object)) {
      return GraphBreak("a number that is not an int where an int is needed");
    }
    if (!FitsInt64(object, &integer)) return GraphBreak("an int beyond 64 bits");
    return integer;
  }
  const auto* number = As<NumberValue>(value);
  if (number == nullptr) return GraphBreak("a value that is not an int where an int is needed");
  if (number->type == ScalarType::kFloat) return GraphBreak("a float where an int is needed");
  ScalarProgram& scalars = graph_->scalars();
  const ScalarId hint = number->type == ScalarType::kBool ? scalars.Bool(number->hint.i != 0)
                                                          : scalars.Int(number->hint.i);
  RequireTrue(scalars.Apply(ScalarOp::kEq, number->id, hint));
  return number->hint.i;
}

void TraceContext::KnowErrorState(int state, uint32_t reported, Ref getter, Ref setter) {
  const sources::Source* source =
      sources_.Intern(sources::SourceKind::kPinned, nullptr, 0, getter.get());
  AddGuard(guards::GuardKind::kErrorState, source, nullptr, state);
  error_state_ = {state, state, std::move(getter), std::move(setter)};
  graph_->RestrictReported(reported);
  SetErrorState(state, reported);
}

void TraceContext::SetErrorState(int state, uint32_t reported) {
  error_state_->now = state;
  reported_errors_ = reported;
  graph_->SetReported(reported);
}

std::optional<uint32_t> TraceContext::reported_errors() const {
  if (!error_state_) return std::nullopt;
  return reported_errors_;
}

}  // namespace dynacc::symbolic
