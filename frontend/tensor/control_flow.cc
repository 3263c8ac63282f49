// The primitives of control flow, traced: subgraphs, and the nodes that run them or are made of
// them (codegen/ir/subgraph.h). embed/python/dynacc/_control_flow.py is who calls them.
#include "codegen/ir/control_flow.h"

#include <numeric>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "codegen/autodiff/joint_graph.h"
#include "codegen/batching/batch_graph.h"
#include "codegen/ir/graph_text.h"
#include "frontend/numpy/trace/elementwise.h"
#include "frontend/numpy/trace/operand.h"
#include "frontend/numpy/trace/sizes.h"
#include "frontend/tensor/native_functions.h"
#include "frontend/tensor/native_namespace.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tensor {
namespace {

using Args = absl::Span<symbolic::Value* const>;

absl::StatusOr<symbolic::SubgraphValue*> SubgraphFrom(symbolic::Value* value) {
  if (auto* subgraph = symbolic::As<symbolic::SubgraphValue>(value)) return subgraph;
  return symbolic::GraphBreak("a part of control flow that is not known");
}

// An array or number as a tensor; numbers have NumPy's dtype for them, and rank 0.
absl::StatusOr<numpy::NumpyTensor*> TensorFrom(symbolic::TraceContext& trace,
                                               symbolic::Value* value) {
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(value)) return numpy::AsNumpy(tensor);
  const absl::StatusOr<numpy::Operand> operand = numpy::MakeOperand(trace, value);
  if (!operand.ok()) {
    return symbolic::GraphBreak(
        absl::StrCat("control flow with ", symbolic::DescribeValue(*value),
                     ": branches and loops take and give arrays and numbers"));
  }
  if (operand->tensor != nullptr) return operand->tensor;
  const ir::Node* const node = numpy::NodeOf(trace, *operand, operand->dtype);
  return numpy::NewTensor(trace, node, {}, numpy::COrder(std::in_place));
}

absl::StatusOr<std::vector<numpy::NumpyTensor*>> TensorsFrom(symbolic::TraceContext& trace,
                                                             Args values) {
  std::vector<numpy::NumpyTensor*> tensors;
  for (symbolic::Value* value : values) {
    DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor * tensor, TensorFrom(trace, value));
    tensors.push_back(tensor);
  }
  return tensors;
}

// After nodes were made that report other errors.
void RestoreReported(symbolic::TraceContext& trace) {
  trace.graph().SetReported(trace.reported_errors().value_or(kAllFpFlags));
}

std::vector<const ir::Node*> NodesOf(const std::vector<numpy::NumpyTensor*>& tensors) {
  std::vector<const ir::Node*> nodes;
  for (const numpy::NumpyTensor* tensor : tensors) nodes.push_back(tensor->node);
  return nodes;
}

// A result in C order with these sizes; a NumPy scalar if its rank is 0.
numpy::NumpyTensor* NewResult(symbolic::TraceContext& trace, const ir::Node* node,
                              std::vector<int64_t> hints, bool is_native) {
  const numpy::Shape shape = {{node->shape.begin(), node->shape.end()}, std::move(hints)};
  numpy::NumpyTensor* const result =
      numpy::NewTensor(trace, node, shape, numpy::COrder(std::in_place), !is_native);
  return is_native ? MakeNative(result) : result;
}

std::string TypeText(symbolic::TraceContext& trace, const symbolic::TensorValue* value) {
  return ir::PrintType(trace.graph().scalars(), value->node->dtype, value->node->shape);
}

// Whether two results are of one dtype and shape, which is required from then on.
bool AreAlike(symbolic::TraceContext& trace, const symbolic::TensorValue* a,
              const symbolic::TensorValue* b) {
  return a->node->dtype == b->node->dtype &&
         numpy::IsSameShape(trace, numpy::ShapeOf(a), numpy::ShapeOf(b));
}

// A tangent or cotangent of `like`: of its shape, and converted to its dtype. Null if it cannot be.
const ir::Node* DerivativeOf(symbolic::TraceContext& trace, const symbolic::TensorValue* value,
                             const symbolic::TensorValue* like) {
  const bool loses = IsComplex(value->node->dtype) && !IsComplex(like->node->dtype);
  const numpy::Shape from = numpy::ShapeOf(value);
  const numpy::Shape to = numpy::ShapeOf(like);
  if (loses || !numpy::IsSameShape(trace, from, to)) return nullptr;
  return numpy::Broadcast(trace, trace.graph().Cast(like->node->dtype, value->node), from, to);
}

absl::StatusOr<numpy::Size> LengthFrom(symbolic::TraceContext& trace, symbolic::Value* value) {
  if (auto* number = symbolic::As<symbolic::NumberValue>(value)) {
    if (number->type == ScalarType::kInt) return numpy::Size{number->id, number->hint.i};
  }
  DYNACC_ASSIGN_OR_RETURN(const int64_t length, trace.ConstantInt(value));
  return numpy::Size{trace.graph().scalars().Int(length), length};
}

absl::StatusOr<bool> FlagFrom(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant != nullptr && PyBool_Check(constant->object.get())) {
    return constant->object.get() == Py_True;
  }
  return symbolic::GraphBreak("a flag of control flow that is not known");
}

bool IsNone(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  return constant != nullptr && constant->object.get() == Py_None;
}

// The subgraphs of a node, with what they read of the world around them as their first inputs.
struct Made {
  std::vector<const ir::Node*> lifted;
  std::vector<ScalarId> numbers;
  std::vector<std::shared_ptr<ir::Graph>> graphs;
  std::vector<const ir::Graph*> subgraphs;
};

Made MakeSubgraphs(absl::Span<symbolic::SubgraphValue* const> values) {
  Made made;
  for (const symbolic::SubgraphValue* value : values) ir::FindLifted(value->region, made.lifted);
  for (const symbolic::SubgraphValue* value : values) {
    std::vector<const ir::Node*> inputs = made.lifted;
    absl::c_copy(value->region.parameters, std::back_inserter(inputs));
    made.graphs.push_back(ir::MakeSubgraph(value->region, inputs, made.numbers));
    made.subgraphs.push_back(made.graphs.back().get());
  }
  return made;
}

absl::Status RequireNoDraws(symbolic::TraceContext& trace,
                            absl::Span<symbolic::SubgraphValue* const> bodies) {
  for (const symbolic::SubgraphValue* body : bodies) {
    DYNACC_RETURN_IF_ERROR(trace.RequireNoDraws(*body, "a branch or the body of a loop"));
  }
  return absl::OkStatus();
}

// What is said of the node, its errors above all, is about the user's code in it.
void SetLocation(symbolic::TraceContext& trace, const symbolic::SubgraphValue& subgraph) {
  const ir::SourceLocation at = subgraph.results[0]->node->location;
  if (at.line > 0) trace.graph().SetLocation(at.file, at.line);
}

// Of all nodes' errors those count that are reported where they are, inside.
const ir::Node* MakeNode(symbolic::TraceContext& trace, Op op,
                         absl::Span<const ir::Node* const> operands, const ir::NodeAttrs& attrs) {
  trace.graph().SetReported(kAllFpFlags);
  const ir::Node* const node = ir::MakeControlFlow(trace.graph(), op, operands, attrs);
  RestoreReported(trace);
  return node;
}

// What the node is whose branches these are, in whose results all is alike.
std::vector<symbolic::Value*> MakeCond(symbolic::TraceContext& trace, const ir::Node* condition,
                                       symbolic::SubgraphValue* first,
                                       symbolic::SubgraphValue* second) {
  const Made made = MakeSubgraphs({first, second});
  SetLocation(trace, *first);
  std::vector<const ir::Node*> operands = {condition};
  absl::c_copy(made.lifted, std::back_inserter(operands));
  const ir::Node* const node =
      MakeNode(trace, Op::kCond, operands, {.scalars = made.numbers, .subgraphs = made.subgraphs});
  std::vector<symbolic::Value*> results;
  for (size_t i = 0; i < first->results.size(); ++i) {
    const symbolic::TensorValue* const like = first->results[i];
    results.push_back(NewResult(trace, ir::ResultOf(trace.graph(), node, static_cast<int64_t>(i)),
                                like->hint_shape, like->is_native));
  }
  return results;
}

absl::StatusOr<std::vector<int>> IndicesFrom(symbolic::TraceContext& trace,
                                             symbolic::Value* value) {
  std::vector<int> indices;
  auto* const constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant != nullptr && PyTuple_CheckExact(constant->object.get())) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constant->object.get()); ++i) {
      PyObject* const item = PyTuple_GET_ITEM(constant->object.get(), i);
      indices.push_back(static_cast<int>(PyLong_AsLong(item)));
    }
    return indices;
  }
  auto* const tuple = symbolic::As<symbolic::TupleValue>(value);
  if (tuple == nullptr) return symbolic::GraphBreak("places that are not known");
  for (symbolic::Value* item : tuple->items) {
    DYNACC_ASSIGN_OR_RETURN(const int64_t index, trace.ConstantInt(item));
    indices.push_back(static_cast<int>(index));
  }
  return indices;
}

// The next input of the subgraph: like the value, without the first `dropped` axes. It is known to
// lie in C order where the value is: a reshape of it is a view or a copy as one of the value.
numpy::NumpyTensor* NewParameter(symbolic::TraceContext& trace, symbolic::SubgraphValue& subgraph,
                                 const numpy::NumpyTensor& like, size_t dropped) {
  const ir::Node* const node =
      trace.graph().AddParameter(like.node->dtype, like.node->shape.subspan(dropped));
  subgraph.region.parameters.push_back(node);
  numpy::NumpyTensor* const parameter = NewResult(
      trace, node, {like.hint_shape.begin() + static_cast<int64_t>(dropped), like.hint_shape.end()},
      like.is_native);
  parameter->c_order = like.c_order;
  return parameter;
}

}  // namespace

absl::StatusOr<symbolic::Value*> TraceBeginSubgraph(symbolic::TraceContext& trace, Args) {
  return trace.BeginSubgraph();
}

absl::StatusOr<symbolic::Value*> TraceParameter(symbolic::TraceContext& trace, Args args) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::SubgraphValue * subgraph, SubgraphFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const numpy::NumpyTensor* like, TensorFrom(trace, args[1]));
  DYNACC_ASSIGN_OR_RETURN(const bool drops_axis, FlagFrom(args[2]));
  const size_t dropped = drops_axis ? 1 : 0;
  if (like->node->shape.size() < dropped) return symbolic::GraphBreak("slices of a number");
  return NewParameter(trace, *subgraph, *like, dropped);
}

absl::StatusOr<symbolic::Value*> TraceEndSubgraph(symbolic::TraceContext& trace, Args args) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::SubgraphValue * subgraph, SubgraphFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<numpy::NumpyTensor*> results,
                          TensorsFrom(trace, args.subspan(1)));
  DYNACC_RETURN_IF_ERROR(trace.EndSubgraph(subgraph, {results.begin(), results.end()}));
  return subgraph;
}

absl::StatusOr<symbolic::Value*> TraceCond(symbolic::TraceContext& trace, Args args) {
  DYNACC_ASSIGN_OR_RETURN(numpy::NumpyTensor* const condition, TensorFrom(trace, args[0]));
  DYNACC_ASSIGN_OR_RETURN(symbolic::SubgraphValue * first, SubgraphFrom(args[1]));
  DYNACC_ASSIGN_OR_RETURN(symbolic::SubgraphValue * second, SubgraphFrom(args[2]));
  if (condition->node->rank() != 0 || condition->node->dtype != DType::kBool) {
    return symbolic::GraphBreak(
        absl::StrCat("cond: the condition is ", TypeText(trace, condition), ", not one bool"));
  }
  for (size_t i = 0; i < first->results.size(); ++i) {
    if (AreAlike(trace, first->results[i], second->results[i])) continue;
    return symbolic::GraphBreak(absl::StrCat(
        "cond: the branches give different results: number ", i, " is ",
        TypeText(trace, first->results[i]), " of the true one, ",
        TypeText(trace, second->results[i]), " of the false one. Convert one of them"));
  }
  DYNACC_RETURN_IF_ERROR(RequireNoDraws(trace, {first, second}));
  if (first->results.empty())
    return trace.New<symbolic::TupleValue>(std::vector<symbolic::Value*>());
  return trace.New<symbolic::TupleValue>(MakeCond(trace, condition->node, first, second));
}

// Whether the array is in C order in memory of its own, as what a branch gives is.
bool IsPlainlyMade(symbolic::TraceContext& trace, symbolic::TensorValue* array) {
  const numpy::NumpyTensor* const tensor = numpy::AsNumpy(array);
  const bool is_view = tensor->view_of != nullptr || tensor->is_seen || tensor->may_be_view;
  return !is_view && numpy::RequireCOrder(trace, array);
}

symbolic::TensorValue* NativeNamespace::NumberAsScalar(symbolic::TraceContext& trace,
                                                       symbolic::Value* number) {
  const absl::StatusOr<numpy::Operand> operand = numpy::MakeOperand(trace, number);
  if (!operand.ok() || operand->tensor != nullptr) return nullptr;
  return numpy::NewTensor(trace, numpy::NodeOf(trace, *operand, operand->dtype), {},
                          numpy::COrder(std::in_place));
}

absl::StatusOr<std::vector<symbolic::Value*>> NativeNamespace::Branch(
    symbolic::TraceContext& trace, symbolic::TensorValue* condition, symbolic::SubgraphValue* taken,
    symbolic::SubgraphValue* other, bool are_values) {
  for (size_t i = 0; i < taken->results.size(); ++i) {
    symbolic::TensorValue* const a = taken->results[i];
    symbolic::TensorValue* const b = other->results[i];
    const bool is_one_type = TypeOf(*a) == TypeOf(*b) && AreAlike(trace, a, b);
    if (!is_one_type) {
      return symbolic::GraphBreak(absl::StrCat("a branch one side of which gives ",
                                               TypeText(trace, a), ", the other ",
                                               TypeText(trace, b), "; convert one of them"));
    }
    if (a->is_scalar) continue;
    const bool is_plain = are_values || (IsPlainlyMade(trace, a) && IsPlainlyMade(trace, b));
    if (a->node->rank() == 0 && !a->is_native)
      return symbolic::GraphBreak("a branch that gives an array without axes");
    if (!is_plain)
      return symbolic::GraphBreak("a branch that gives a view, or an array not in C order");
  }
  DYNACC_RETURN_IF_ERROR(RequireNoDraws(trace, {taken, other}));
  const bool is_silent = ir::IsEmpty(taken->region) && ir::IsEmpty(other->region);
  const bool gives_nothing = taken->results.empty();
  if (gives_nothing && is_silent) return std::vector<symbolic::Value*>();
  if (gives_nothing) {  // and may warn: the node has a result all the same
    symbolic::TensorValue* const none =
        NumberAsScalar(trace, trace.New<symbolic::ConstantValue>(Ref::New(Py_False)));
    for (symbolic::SubgraphValue* side : {taken, other}) {
      side->results.push_back(none);
      side->region.outputs.push_back(none->node);
    }
  }
  const ir::Node* const truth = trace.graph().Cast(DType::kBool, condition->node);
  std::vector<symbolic::Value*> results = MakeCond(trace, truth, taken, other);
  if (gives_nothing) results.clear();
  return results;
}

symbolic::TensorValue* NativeNamespace::TruthOf(symbolic::TraceContext& trace,
                                                symbolic::TensorValue* value, bool wanted) {
  const ir::Node* node = trace.graph().Cast(DType::kBool, value->node);
  if (!wanted) node = trace.graph().Unary(Op::kLogicalNot, node);
  return numpy::NewTensor(trace, node, {}, numpy::COrder(std::in_place));
}

symbolic::TensorValue* NativeNamespace::Carry(symbolic::TraceContext& trace,
                                              symbolic::SubgraphValue* body,
                                              symbolic::TensorValue* before) {
  return NewParameter(trace, *body, *numpy::AsNumpy(before), 0);
}

absl::StatusOr<std::vector<symbolic::Value*>> NativeNamespace::Loop(
    symbolic::TraceContext& trace, absl::Span<symbolic::TensorValue* const> before,
    symbolic::SubgraphValue* body, bool are_values) {
  for (size_t i = 0; i < before.size(); ++i) {
    symbolic::TensorValue* const a = before[i];
    symbolic::TensorValue* const b = body->results[i];
    if (TypeOf(*a) != TypeOf(*b) || !AreAlike(trace, a, b)) {
      return symbolic::GraphBreak(absl::StrCat("a while loop that makes ", TypeText(trace, b),
                                               " of ", TypeText(trace, a), "; convert it before"));
    }
    if (a->is_scalar) continue;
    if (a->node->rank() == 0 && !a->is_native)
      return symbolic::GraphBreak("a while loop with an array without axes");
    if (!are_values && !(IsPlainlyMade(trace, a) && IsPlainlyMade(trace, b)))
      return symbolic::GraphBreak("a while loop with a view, or an array not in C order");
  }
  DYNACC_RETURN_IF_ERROR(RequireNoDraws(trace, {body}));
  symbolic::SubgraphValue* const condition = trace.BeginSubgraph();
  std::vector<symbolic::TensorValue*> parameters;
  for (symbolic::TensorValue* value : before) parameters.push_back(Carry(trace, condition, value));
  DYNACC_RETURN_IF_ERROR(trace.EndSubgraph(condition, {parameters[0]}));
  const Made made = MakeSubgraphs({body, condition});
  std::vector<const ir::Node*> operands = made.lifted;
  for (const symbolic::TensorValue* value : before) operands.push_back(value->node);
  SetLocation(trace, *body);
  const std::vector<int64_t> ints =
      ir::EncodeLoop({.constants = static_cast<int64_t>(made.lifted.size()),
                      .carries = static_cast<int64_t>(before.size())});
  const ir::Node* const node =
      MakeNode(trace, Op::kLoop, operands,
               {.ints = ints, .scalars = made.numbers, .subgraphs = made.subgraphs});
  std::vector<symbolic::Value*> results;
  for (size_t i = 0; i < before.size(); ++i) {
    const symbolic::TensorValue* const like = before[i];
    results.push_back(NewResult(trace, ir::ResultOf(trace.graph(), node, static_cast<int64_t>(i)),
                                like->hint_shape, like->is_native));
  }
  return results;
}

absl::StatusOr<symbolic::Value*> TraceRefuse(symbolic::TraceContext&, Args args) {
  auto* const text = symbolic::As<symbolic::ConstantValue>(args[0]);
  const char* const utf8 = text != nullptr && PyUnicode_CheckExact(text->object.get())
                               ? PyUnicode_AsUTF8(text->object.get())
                               : nullptr;
  return symbolic::GraphBreak(utf8 != nullptr ? utf8 : "control flow of trees that do not fit");
}

// Body, condition or None, number of carries, length or None, reverse, *carries, *slices.
absl::StatusOr<symbolic::Value*> TraceLoop(symbolic::TraceContext& trace, Args args) {
  constexpr size_t kFirst = 5;
  if (args.size() < kFirst) return symbolic::GraphBreak("a loop of nothing");
  DYNACC_ASSIGN_OR_RETURN(symbolic::SubgraphValue * body, SubgraphFrom(args[0]));
  std::vector<symbolic::SubgraphValue*> graphs = {body};
  if (!IsNone(args[1])) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::SubgraphValue * condition, SubgraphFrom(args[1]));
    graphs.push_back(condition);
  }
  ir::LoopAttrs loop;
  DYNACC_ASSIGN_OR_RETURN(loop.carries, trace.ConstantInt(args[2]));
  std::optional<numpy::Size> length;
  if (!IsNone(args[3])) {
    DYNACC_ASSIGN_OR_RETURN(length, LengthFrom(trace, args[3]));
    loop.length = length->id;
  }
  DYNACC_ASSIGN_OR_RETURN(loop.reverse, FlagFrom(args[4]));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<numpy::NumpyTensor*> given,
                          TensorsFrom(trace, args.subspan(kFirst)));
  const auto num_carries = static_cast<size_t>(loop.carries);
  for (size_t i = 0; i < num_carries; ++i) {
    if (AreAlike(trace, given[i], body->results[i])) continue;
    return symbolic::GraphBreak(absl::StrCat(
        "a loop's carry changes: number ", i, " is ", TypeText(trace, given[i]),
        " before a round, ", TypeText(trace, body->results[i]), " after it. Convert one of them"));
  }
  DYNACC_RETURN_IF_ERROR(RequireNoDraws(trace, graphs));
  Made made = MakeSubgraphs(graphs);
  loop.constants = static_cast<int64_t>(made.lifted.size());
  loop.slices = static_cast<int64_t>(given.size() - num_carries);
  if (length) made.numbers.insert(made.numbers.begin(), length->id);
  std::vector<const ir::Node*> operands = made.lifted;
  absl::c_copy(NodesOf(given), std::back_inserter(operands));
  if (body->results.empty())
    return trace.New<symbolic::TupleValue>(std::vector<symbolic::Value*>());
  SetLocation(trace, *body);
  const std::vector<int64_t> ints = ir::EncodeLoop(loop);
  const ir::Node* const node =
      MakeNode(trace, Op::kLoop, operands,
               {.ints = ints, .scalars = made.numbers, .subgraphs = made.subgraphs});
  std::vector<symbolic::Value*> results;
  for (size_t i = 0; i < body->results.size(); ++i) {
    const symbolic::TensorValue* const like = body->results[i];
    std::vector<int64_t> hints = like->hint_shape;
    if (i >= num_carries) hints.insert(hints.begin(), length->hint);
    results.push_back(NewResult(trace, ir::ResultOf(trace.graph(), node, static_cast<int64_t>(i)),
                                std::move(hints), like->is_native));
  }
  return trace.New<symbolic::TupleValue>(std::move(results));
}

// Subgraph, size, *for each parameter an array that has an axis of that size in front.
absl::StatusOr<symbolic::Value*> TraceBatch(symbolic::TraceContext& trace, Args args) {
  if (args.size() < 2) return symbolic::GraphBreak("a batch of nothing");
  DYNACC_ASSIGN_OR_RETURN(symbolic::SubgraphValue * subgraph, SubgraphFrom(args[0]));
  DYNACC_ASSIGN_OR_RETURN(const numpy::Size size, LengthFrom(trace, args[1]));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<numpy::NumpyTensor*> given,
                          TensorsFrom(trace, args.subspan(2)));
  DYNACC_RETURN_IF_ERROR(trace.RequireNoDraws(*subgraph, "a function that vmap maps"));
  const Made made = MakeSubgraphs({subgraph});
  std::vector<batching::Batched> inputs;
  for (const ir::Node* node : made.lifted) inputs.push_back({node, false});
  for (const numpy::NumpyTensor* tensor : given) {
    const numpy::Shape own = numpy::ShapeOf(tensor);
    if (own.rank() == 0 || !numpy::IsEqual(trace, own.at(0), size)) {
      return symbolic::GraphBreak("vmap: arrays of different sizes along the mapped axis");
    }
    numpy::Shape batched = own;
    batched.ids[0] = size.id;
    inputs.push_back({numpy::Broadcast(trace, tensor->node, own, batched), true});
  }
  const absl::StatusOr<std::vector<batching::Batched>> outputs =
      batching::BatchInto(*made.graphs[0], trace.graph(), inputs, made.numbers, size.id);
  RestoreReported(trace);
  if (absl::IsUnimplemented(outputs.status())) {
    return symbolic::GraphBreak(absl::StrCat("vmap: ", outputs.status().message()));
  }
  if (!outputs.ok()) return outputs.status();
  std::vector<symbolic::Value*> results;
  for (size_t i = 0; i < outputs->size(); ++i) {
    const symbolic::TensorValue* const like = subgraph->results[i];
    std::vector<int64_t> hints = like->hint_shape;
    hints.insert(hints.begin(), size.hint);
    const ir::Node* const node = batching::WithBatchAxis(trace.graph(), (*outputs)[i], size.id);
    results.push_back(NewResult(trace, node, std::move(hints), like->is_native));
  }
  return trace.New<symbolic::TupleValue>(std::move(results));
}

// Subgraph, "joint" or "tangent", the parameters by which, and the results of which, *cotangents
// of these or tangents of those: the results, then the derivatives. "unit": a joint graph's, of
// cotangents that are 1. "values": the results alone, of a graph that has such derivatives.
absl::StatusOr<symbolic::Value*> TraceDerivatives(symbolic::TraceContext& trace, Args args) {
  constexpr size_t kFirst = 4;
  if (args.size() < kFirst) return symbolic::GraphBreak("a derivative of nothing");
  DYNACC_ASSIGN_OR_RETURN(symbolic::SubgraphValue * subgraph, SubgraphFrom(args[0]));
  auto* const mode = symbolic::As<symbolic::ConstantValue>(args[1]);
  const char* const name = mode != nullptr && PyUnicode_CheckExact(mode->object.get())
                               ? PyUnicode_AsUTF8(mode->object.get())
                               : "";
  DYNACC_ASSIGN_OR_RETURN(const std::vector<int> by, IndicesFrom(trace, args[2]));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<int> of, IndicesFrom(trace, args[3]));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<numpy::NumpyTensor*> given,
                          TensorsFrom(trace, args.subspan(kFirst)));
  const Made made = MakeSubgraphs({subgraph});
  autodiff::DerivativeOptions options;
  for (const int index : by) options.inputs.push_back(static_cast<int>(made.lifted.size()) + index);
  options.outputs = of;
  options.unit_cotangents = absl::string_view(name) == "unit";
  const bool is_tangent = absl::string_view(name) == "tangent";
  absl::StatusOr<std::unique_ptr<ir::Graph>> derived =
      is_tangent ? autodiff::BuildTangentGraph(*made.graphs[0], options)
                 : autodiff::BuildJointGraph(*made.graphs[0], options);
  if (derived.ok() && absl::string_view(name) == "values") {
    derived = autodiff::BuildJointGraph(*made.graphs[0], {});
  }
  if (absl::IsUnimplemented(derived.status()) || absl::IsInvalidArgument(derived.status())) {
    return symbolic::GraphBreak(derived.status().message());
  }
  if (!derived.ok()) return derived.status();
  // `given`: the parameters' own values, then cotangents or tangents.
  const size_t num_parameters = subgraph->region.parameters.size();
  std::vector<const ir::Node*> inputs = made.lifted;
  for (size_t i = 0; i < given.size(); ++i) {
    if (i < num_parameters) {
      inputs.push_back(given[i]->node);
      continue;
    }
    const size_t place = i - num_parameters;
    const symbolic::TensorValue* const like =
        is_tangent ? given[by[place]] : subgraph->results[of[place]];
    const ir::Node* const node = DerivativeOf(trace, given[i], like);
    if (node == nullptr) {
      return symbolic::GraphBreak(absl::StrCat("the ", is_tangent ? "tangent" : "cotangent", " of ",
                                               TypeText(trace, like), " is ",
                                               TypeText(trace, given[i])));
    }
    inputs.push_back(node);
  }
  const std::vector<const ir::Node*> outputs =
      ir::InlineGraph(**derived, trace.graph(), inputs, made.numbers);
  RestoreReported(trace);
  std::vector<symbolic::Value*> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const size_t num_results = subgraph->results.size();
    const symbolic::TensorValue* like = i < num_results ? subgraph->results[i]
                                        : is_tangent    ? subgraph->results[of[i - num_results]]
                                                        : given[by[i - num_results]];
    results.push_back(NewResult(trace, outputs[i], like->hint_shape, like->is_native));
  }
  return trace.New<symbolic::TupleValue>(std::move(results));
}

}  // namespace dynacc::tensor
