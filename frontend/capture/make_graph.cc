#include "frontend/capture/make_graph.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/ir/verifier.h"
#include "frontend/arrays/array_namespace.h"
#include "frontend/bytecode/decoded_code.h"
#include "frontend/capture/branch_values.h"
#include "frontend/capture/break_reports.h"
#include "frontend/capture/eval_hook.h"
#include "frontend/capture/input_values.h"
#include "frontend/cpython/describe.h"
#include "frontend/frame/source_line.h"
#include "frontend/polyfills/polyfills.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/tracer.h"
#include "runtime/base/status_macros.h"
#include "runtime/scalar/append_program.h"

namespace dynacc::capture {
namespace {

absl::Status PythonError() { return absl::UnknownError("a Python exception is set"); }

std::string ReprOf(BorrowedRef object) {
  const Ref text = Ref::Steal(PyObject_Repr(object));
  const char* const utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (utf8 == nullptr) PyErr_Clear();
  return utf8 == nullptr ? "?" : utf8;
}

// --- The call ----------------------------------------------------------------------------------

// A Python function, and the locals that a frame of it would start with.
struct BoundCall {
  Ref function;
  PyCodeObject* code = nullptr;  // the function's
  std::vector<Ref> locals;       // by index in localsplus; empty: unbound
};

// Where a trace of the call finds what it reads. `locals` is filled, and must stay.
sources::SourceRoots RootsOf(const BoundCall& call, std::vector<FrameSlot>& locals) {
  for (const Ref& local : call.locals) locals.emplace_back(local.get());
  auto* const of = reinterpret_cast<PyFunctionObject*>(call.function.get());
  // What a polyfill calls finds the program's builtins, and not the few that polyfills have.
  const bool is_polyfill = polyfills::IsPolyfillNamespace(of->func_globals);
  return {locals.data(), static_cast<int>(locals.size()), call.function.get(), of->func_globals,
          is_polyfill ? PyEval_GetBuiltins() : of->func_builtins};
}

// `callable` as a Python function and what comes before its arguments. What has no code to trace,
// or code that the array library's table stands for (np.sin, np.sum, a functools.partial), is
// called by a function that has.
absl::StatusOr<Ref> FunctionOf(BorrowedRef callable, const arrays::ArrayNamespace& arrays,
                               Ref& self) {
  if (PyCallable_Check(callable) && arrays.KnowsCallable(callable)) {
    self = Ref::New(callable);
    return Ref::New(polyfills::Polyfill("call"));
  }
  Ref function = Ref::New(callable);
  if (!PyFunction_Check(callable) && !PyMethod_Check(callable)) {
    function = Ref::Steal(PyObject_GetAttrString(callable, "__call__"));
    if (!function) PyErr_Clear();
  }
  if (function && PyMethod_Check(function.get())) {
    self = Ref::New(PyMethod_GET_SELF(function.get()));
    function = Ref::New(PyMethod_GET_FUNCTION(function.get()));
  }
  if (function && PyFunction_Check(function.get())) return function;
  if (!PyCallable_Check(callable)) {
    return absl::InvalidArgumentError(absl::StrCat(ReprOf(callable), " is not callable"));
  }
  self = Ref::New(callable);
  return Ref::New(polyfills::Polyfill("call"));
}

// The arguments by parameter, defaults included: inspect.Signature.bind's.
Ref BindArguments(BorrowedRef function, BorrowedRef args, BorrowedRef kwargs) {
  const Ref inspect = Ref::Steal(PyImport_ImportModule("inspect"));
  const Ref signature =
      Ref::Steal(inspect ? PyObject_GetAttrString(inspect.get(), "signature") : nullptr);
  const Ref own = Ref::Steal(Py_BuildValue("{s:O}", "follow_wrapped", Py_False));
  const Ref one = Ref::Steal(PyTuple_Pack(1, function));
  if (!signature || !own || !one) return {};
  const Ref of = Ref::Steal(PyObject_Call(signature.get(), one.get(), own.get()));
  const Ref bind = Ref::Steal(of ? PyObject_GetAttrString(of.get(), "bind") : nullptr);
  const Ref bound = Ref::Steal(bind ? PyObject_Call(bind.get(), args, kwargs) : nullptr);
  if (!bound) return {};
  const Ref done = Ref::Steal(PyObject_CallMethod(bound.get(), "apply_defaults", nullptr));
  return Ref::Steal(done ? PyObject_GetAttrString(bound.get(), "arguments") : nullptr);
}

absl::StatusOr<BoundCall> Bind(BorrowedRef callable, const arrays::ArrayNamespace& arrays,
                               BorrowedRef args, BorrowedRef kwargs) {
  Ref self;
  BoundCall call;
  DYNACC_ASSIGN_OR_RETURN(call.function, FunctionOf(callable, arrays, self));
  call.code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(call.function.get()));
  if ((call.code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(ReprOf(callable), " is a generator or coroutine, which no graph can be"));
  }
  Ref positional = Ref::New(args);
  if (self) {
    const Ref first = Ref::Steal(PyTuple_Pack(1, self.get()));
    positional = Ref::Steal(first ? PySequence_Concat(first.get(), args) : nullptr);
  }
  const int flags = call.code->co_flags & (CO_VARARGS | CO_VARKEYWORDS);
  const bool is_plain = flags == 0 && call.code->co_kwonlyargcount == 0 &&
                        (kwargs == nullptr || PyDict_GET_SIZE(kwargs) == 0);
  if (is_plain && positional && PyTuple_GET_SIZE(positional.get()) == call.code->co_argcount) {
    for (int i = 0; i < call.code->co_argcount; ++i) {
      call.locals.push_back(Ref::New(PyTuple_GET_ITEM(positional.get(), i)));
    }
    call.locals.resize(call.code->co_nlocalsplus);
    return call;
  }
  const Ref by_name =
      positional ? BindArguments(call.function.get(), positional.get(), kwargs) : Ref();
  if (!by_name) return PythonError();
  call.locals.resize(call.code->co_nlocalsplus);
  const int parameters = call.code->co_argcount + call.code->co_kwonlyargcount +
                         ((call.code->co_flags & CO_VARARGS) != 0 ? 1 : 0) +
                         ((call.code->co_flags & CO_VARKEYWORDS) != 0 ? 1 : 0);
  for (int i = 0; i < parameters; ++i) {
    BorrowedRef name = PyTuple_GET_ITEM(call.code->co_localsplusnames, i);
    call.locals[i] = Ref::Steal(PyObject_GetItem(by_name.get(), name));
    if (!call.locals[i]) return PythonError();
  }
  return call;
}

// --- Arguments ---------------------------------------------------------------------------------

// The place among the arguments that a source names: "params['w'][0]"; nothing for another one.
std::optional<std::string> PathOf(const sources::Source& source,
                                  const sources::SourceRoots& roots) {
  if (source.kind == sources::SourceKind::kLocal) return source.ToString();
  if (source.parent == nullptr) return std::nullopt;
  std::optional<std::string> path = PathOf(*source.parent, roots);
  if (!path) return std::nullopt;
  if (source.kind == sources::SourceKind::kTupleItem)
    return absl::StrCat(*path, "[", source.index, "]");
  if (source.kind == sources::SourceKind::kListItem) {
    BorrowedRef list = sources::ResolveSource(*source.parent, roots);
    const bool from_end = source.index < 0 && list != nullptr && PyList_Check(list);
    return absl::StrCat(*path, "[", source.index + (from_end ? PyList_GET_SIZE(list) : 0), "]");
  }
  if (source.kind == sources::SourceKind::kDictItem ||
      source.kind == sources::SourceKind::kDictKeyItem) {
    return absl::StrCat(*path, "[", ReprOf(source.name.get()), "]");
  }
  return std::nullopt;
}

// The arrays among the arguments, in order, with their paths.
class ArgumentArrays {
 public:
  ArgumentArrays(const BoundCall& call, const arrays::ArrayNamespace& arrays) : arrays_(arrays) {
    for (size_t i = 0; i < call.locals.size(); ++i) {
      BorrowedRef name = PyTuple_GET_ITEM(call.code->co_localsplusnames, i);
      if (call.locals[i]) Visit(call.locals[i].get(), PyUnicode_AsUTF8(name), 0);
    }
  }

  // INVALID_ARGUMENT for containers that may lead back to themselves.
  absl::StatusOr<std::vector<GraphInput>> Take() {
    if (!too_deep_) return std::move(found_);
    return absl::InvalidArgumentError(
        absl::StrCat("arguments of lists, tuples and dicts in more than ", kMaxDepth, " levels"));
  }

 private:
  static constexpr int kMaxDepth = 32;

  void Visit(BorrowedRef object, const std::string& path, int depth) {
    if (arrays_.IsArray(object)) {
      found_.push_back({path, true, Ref::New(object)});
    } else if (depth == kMaxDepth) {
      too_deep_ |= PyTuple_Check(object) || PyList_CheckExact(object) || PyDict_CheckExact(object);
    } else if (PyTuple_Check(object) || PyList_CheckExact(object)) {
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
        Visit(PySequence_Fast_GET_ITEM(object, i), absl::StrCat(path, "[", i, "]"), depth + 1);
      }
    } else if (PyDict_CheckExact(object)) {
      PyObject *key, *value;
      for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &value) != 0;) {
        Visit(value, absl::StrCat(path, "[", ReprOf(key), "]"), depth + 1);
      }
    }
  }

  const arrays::ArrayNamespace& arrays_;
  std::vector<GraphInput> found_;
  bool too_deep_ = false;
};

bool IsDynamic(const MakeGraphOptions& options, const std::string& path, int axis) {
  return options.dynamic || absl::c_linear_search(options.dynamic_axes, std::pair(path, axis));
}

// What the options say is an input, everything else is a constant. A size of 0 or 1 decides what
// broadcasts, so that it is a constant, too.
class ArgumentMarks : public symbolic::DynamicMarks {
 public:
  ArgumentMarks(const sources::SourceRoots& roots, const arrays::ArrayNamespace& arrays,
                const MakeGraphOptions& options)
      : roots_(roots), arrays_(arrays), options_(options) {}

  bool IsDynamic(const sources::Source& source, symbolic::ScalarInput::From from,
                 int axis) const override {
    const std::optional<std::string> path = PathOf(source, roots_);
    if (from != symbolic::ScalarInput::From::kDim) return options_.dynamic && path;
    if (!path || !capture::IsDynamic(options_, *path, axis)) return false;
    BorrowedRef object = sources::ResolveSource(source, roots_);
    return object != nullptr && ReadView(arrays_, object).shape[axis] > 1;
  }

  bool HoldsValue(const sources::Source& source) const override {
    return !options_.scalars_vary || !PathOf(source, roots_);
  }

 private:
  const sources::SourceRoots roots_;
  const arrays::ArrayNamespace& arrays_;
  const MakeGraphOptions& options_;
};

}  // namespace

// --- Later calls -----------------------------------------------------------------------------

class CallRecord {
 public:
  sources::SourceTable sources;  // of all below
  std::vector<guards::Guard> guards;
  std::vector<symbolic::IdentityPair> identities;
  std::vector<const sources::Source*> arrays;  // of the graph's inputs; null: the trace read none
  std::vector<symbolic::ScalarInput> numbers;  // of the scalar program's inputs
  absl::flat_hash_map<int, int64_t> unread_sizes;  // of arrays that the trace did not read
  std::vector<symbolic::ScalarInput> constants;    // what the graph has as constants ...
  std::vector<ScalarValue> values;                 // ... and which

  bool Holds(const sources::SourceRoots& roots, const arrays::ArrayNamespace& arrays) const {
    const auto holds = [&](const guards::Guard& guard) {
      return guards::CheckGuard(guard, sources::ResolveSource(*guard.source, roots));
    };
    const auto is_same = [&](const symbolic::IdentityPair& pair) {
      BorrowedRef a = sources::ResolveSource(*pair.a, roots),
                  b = sources::ResolveSource(*pair.b, roots);
      return (a == b && a != nullptr) == pair.same;
    };
    if (!absl::c_all_of(guards, holds) || !absl::c_all_of(identities, is_same)) return false;
    for (size_t i = 0; i < constants.size(); ++i) {
      ScalarValue value;
      if (!ReadNumber(constants[i], roots, arrays, value) || value.i != values[i].i) return false;
    }
    return true;
  }
};

namespace {

// --- The result --------------------------------------------------------------------------------

// The traced graph made again with the arguments as inputs and the returned arrays as outputs.
class GraphMaker {
 public:
  GraphMaker(const tracer::TraceResult& trace, const sources::SourceRoots& roots,
             const arrays::ArrayNamespace& arrays, const MakeGraphOptions& options,
             std::vector<GraphInput> arguments)
      : trace_(trace),
        roots_(roots),
        arrays_(arrays),
        options_(options),
        graph_(std::make_shared<ir::Graph>()) {
    made_.inputs = std::move(arguments);
  }

  // `record`: of the trace; what it found is added.
  absl::StatusOr<MadeGraph> Make(std::shared_ptr<CallRecord> record,
                                 absl::Span<const std::pair<const ir::Node*, bool>> decisions) {
    record_ = std::move(record);
    FindInputs();
    DYNACC_RETURN_IF_ERROR(MakeScalars());
    MakeInputs();
    for (const ir::Node* node : trace_.graph->nodes()) nodes_.push_back(Copy(*node));
    for (const ir::Node* target : trace_.graph->targets()) targets_.push_back(target);
    DYNACC_ASSIGN_OR_RETURN(made_.result, Result(trace_.frame_state.returned));
    for (const auto& [condition, outcome] : decisions) {
      graph_->AddOutput(nodes_[condition->id]);
      made_.decisions.push_back(outcome);
    }
    for (size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i] == nullptr) continue;
      graph_->AddOutput(nodes_[trace_.graph->outputs()[i]->id], nodes_[targets_[i]->id]);
    }
    for (const ScalarId condition : trace_.conditions) AddCondition(condition);
    for (const ScalarId condition : trace_.graph->conditions()) AddCondition(condition);
    DYNACC_RETURN_IF_ERROR(ir::VerifyGraph(*graph_));
    made_.graph = std::move(graph_);
    record_->arrays.resize(made_.inputs.size());
    for (size_t i = 0; i < place_.size(); ++i) record_->arrays[place_[i]] = trace_.array_inputs[i];
    made_.record = std::move(record_);
    return std::move(made_);
  }

 private:
  // Where each input of the trace is among those of the result; arrays that are no arguments come
  // after these.
  void FindInputs() {
    for (size_t i = 0; i < made_.inputs.size(); ++i) by_path_[made_.inputs[i].path] = i;
    for (const sources::Source* source : trace_.array_inputs) place_.push_back(PlaceOf(*source));
  }

  size_t PlaceOf(const sources::Source& source) {
    const std::optional<std::string> path = PathOf(source, roots_);
    if (const auto found = path ? by_path_.find(*path) : by_path_.end(); found != by_path_.end()) {
      return found->second;
    }
    const std::string name = absl::StrCat("<captured> ", source.ToString());
    const auto [added, is_new] = by_path_.try_emplace(name, made_.inputs.size());
    if (is_new)
      made_.inputs.push_back({name, false, Ref::New(sources::ResolveSource(source, roots_))});
    return added->second;
  }

  // An input of the program that belongs to an argument stays one; another one is the constant that
  // it was.
  absl::StatusOr<ScalarId> MakeScalarInput(const symbolic::ScalarInput& input, ScalarType type) {
    ScalarProgram& program = graph_->scalars();
    const std::optional<std::string> path = PathOf(*input.source, roots_);
    BorrowedRef object = sources::ResolveSource(*input.source, roots_);
    if (object == nullptr) return absl::InternalError("a number of the trace is gone");
    const bool is_number = input.from == symbolic::ScalarInput::From::kInt ||
                           input.from == symbolic::ScalarInput::From::kFloat;
    if (input.from == symbolic::ScalarInput::From::kDim && path && by_path_.contains(*path)) {
      made_.numbers.push_back({static_cast<int>(by_path_[*path]), input.axis, *path});
      record_->numbers.push_back(input);
      const ScalarId id = program.AddInput(type);
      sizes_[{by_path_[*path], input.axis}] = id;
      return id;
    }
    if (is_number && path) {
      made_.numbers.push_back({-1, -1, *path, Ref::New(object)});
      record_->numbers.push_back(input);
      return program.AddInput(type);
    }
    ScalarValue value;
    if (!ReadNumber(input, roots_, arrays_, value)) {
      return absl::InternalError("a number of the trace is no number");
    }
    record_->constants.push_back(input);
    record_->values.push_back(value);
    return type == ScalarType::kFloat ? program.Float(value.f) : program.Int(value.i);
  }

  absl::Status MakeScalars() {
    ScalarProgram& program = graph_->scalars();
    absl::Status status;
    const auto leaf = [&](ScalarId, const ScalarExpr& expr) {
      if (expr.op == ScalarOp::kDataDependent) return program.AddDataDependent();
      const absl::StatusOr<ScalarId> made =
          MakeScalarInput(trace_.scalar_inputs[expr.value.i], expr.type);
      if (!made.ok()) status = made.status();
      return made.ok() ? *made : program.Int(0);
    };
    AppendProgram(trace_.graph->scalars(), program, leaf, scalars_);
    return status;
  }

  std::vector<ScalarId> Mapped(absl::Span<const ScalarId> ids) const {
    std::vector<ScalarId> mapped;
    for (const ScalarId id : ids) mapped.push_back(scalars_[id]);
    return mapped;
  }

  // Those that the trace did not read get sizes of their own.
  void MakeInputs() {
    std::vector<const ir::Node*> traced(made_.inputs.size(), nullptr);
    for (size_t i = place_.size(); i-- > 0;) traced[place_[i]] = trace_.graph->inputs()[i];
    for (size_t i = 0; i < made_.inputs.size(); ++i) {
      if (traced[i] != nullptr) {
        inputs_.push_back(graph_->AddInput(traced[i]->dtype, Mapped(traced[i]->shape)));
        continue;
      }
      const StridedView view = ReadView(arrays_, made_.inputs[i].object.get());
      std::vector<ScalarId> shape;
      for (int axis = 0; axis < view.rank; ++axis) shape.push_back(SizeOf(i, axis, view));
      inputs_.push_back(graph_->AddInput(view.dtype, shape));
    }
  }

  ScalarId SizeOf(size_t input, int axis, const StridedView& view) {
    ScalarProgram& program = graph_->scalars();
    const auto known = sizes_.find({input, axis});
    if (known != sizes_.end()) return known->second;
    const bool is_dynamic = IsDynamic(options_, made_.inputs[input].path, axis);
    if (!is_dynamic || view.shape[axis] < 2) return program.Int(view.shape[axis]);
    made_.numbers.push_back({static_cast<int>(input), axis, made_.inputs[input].path});
    record_->numbers.push_back({nullptr, symbolic::ScalarInput::From::kDim, axis});
    record_->unread_sizes[static_cast<int>(record_->numbers.size()) - 1] = view.shape[axis];
    return program.AddInput(ScalarType::kInt);
  }

  const ir::Node* Copy(const ir::Node& node) {
    if (node.op == Op::kInput) return inputs_[place_[node.attrs.ints[0]]];
    graph_->SetLocation(node.location.file, node.location.line);
    graph_->SetReported(trace_.graph->ReportedBy(&node));
    std::vector<const ir::Node*> operands;
    for (const ir::Node* operand : node.operands) operands.push_back(nodes_[operand->id]);
    const std::vector<ScalarId> scalars = Mapped(node.attrs.scalars);
    ir::NodeAttrs attrs = node.attrs;
    attrs.scalars = scalars;
    return graph_->Make(node.op, node.dtype, Mapped(node.shape), operands, attrs);
  }

  void AddCondition(ScalarId traced) {
    const ScalarId condition = scalars_[traced];
    if (graph_->scalars().expr(condition).op != ScalarOp::kConst) graph_->AddCondition(condition);
  }

  // --- What is returned, from the steps of the frame state ------------------------------------

  absl::StatusOr<ResultTree> Array(const ir::Node* node, ResultTree::Kind kind) {
    return ResultTree{.kind = kind, .index = graph_->AddOutput(node)};
  }

  // What the memory of the traced graph's input `node` holds at the end.
  const ir::Node* ContentOf(const ir::Node* node) {
    for (size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i] == node) return nodes_[trace_.graph->outputs()[i]->id];
    }
    return nodes_[node->id];
  }

  // The array of a step, if it has one: of an output, an array that existed, or a view of these.
  const ir::Node* ArrayOf(int index) {
    const frame_state::FrameStateStep& step = trace_.frame_state.steps[index];
    if (step.op == frame_state::FrameStateOp::kOutput)
      return nodes_[trace_.graph->outputs()[step.a]->id];
    if (step.op == frame_state::FrameStateOp::kLoad)
      return Existing(*trace_.frame_state.loads[step.a]);
    if (step.op != frame_state::FrameStateOp::kView) return nullptr;
    const ir::Node* const base = ArrayOf(step.items[0]);
    if (base == nullptr) return nullptr;
    const frame_state::ViewSpec& spec = trace_.frame_state.views[step.a];
    if (spec.part >= 0) return graph_->Unary(spec.part == 0 ? Op::kReal : Op::kImag, base);
    const std::vector<ScalarId> shape = Mapped(spec.shape);
    if (spec.reshape) return graph_->Reshape(base, shape);
    return graph_->View(base, shape, spec.axis, Mapped(spec.start), Mapped(spec.step));
  }

  const ir::Node* Existing(const sources::Source& source) {
    BorrowedRef object = sources::ResolveSource(source, roots_);
    if (object == nullptr || !arrays_.IsArray(object)) return nullptr;
    const std::optional<std::string> path = PathOf(source, roots_);
    for (size_t i = 0; i < place_.size(); ++i) {
      const bool is_this = trace_.array_inputs[i] == &source ||
                           sources::ResolveSource(*trace_.array_inputs[i], roots_) == object;
      if (is_this) return ContentOf(trace_.graph->inputs()[i]);
    }
    const auto found = path ? by_path_.find(*path) : by_path_.end();
    return found == by_path_.end() ? nullptr : inputs_[found->second];
  }

  absl::StatusOr<std::vector<ResultTree>> Items(const frame_state::FrameStateStep& step,
                                                size_t from = 0) {
    std::vector<ResultTree> items;
    for (size_t i = from; i < step.items.size(); ++i) {
      DYNACC_ASSIGN_OR_RETURN(ResultTree item, Result(step.items[i]));
      items.push_back(std::move(item));
    }
    return items;
  }

  absl::StatusOr<ResultTree> Container(ResultTree::Kind kind,
                                       const frame_state::FrameStateStep& step) {
    DYNACC_ASSIGN_OR_RETURN(std::vector<ResultTree> items, Items(step));
    return ResultTree{.kind = kind, .items = std::move(items)};
  }

  absl::StatusOr<ResultTree> Constant(BorrowedRef object) {
    if (object == nullptr) return absl::FailedPreconditionError("returns an object that is gone");
    return ResultTree{.object = Ref::New(object)};
  }

  // Of arrays and scalar objects of the library: nothing can be stored into these.
  static bool IsScalarObject(BorrowedRef object) {
    const PyMappingMethods* const mapping = Py_TYPE(object)->tp_as_mapping;
    return mapping == nullptr || mapping->mp_ass_subscript == nullptr;
  }

  bool IsScalarLoad(const frame_state::FrameStateStep& step) const {
    if (step.op != frame_state::FrameStateOp::kLoad) return false;
    return IsScalarObject(sources::ResolveSource(*trace_.frame_state.loads[step.a], roots_));
  }

  // An argument that is returned as it is, or a part of one: of its arrays, what they hold at the
  // end.
  absl::StatusOr<ResultTree> Argument(BorrowedRef object, const std::string& path) {
    if (const auto found = by_path_.find(path); found != by_path_.end()) {
      const auto traced = absl::c_find(place_, found->second);
      const ir::Node* const node = traced == place_.end()
                                       ? inputs_[found->second]
                                       : ContentOf(trace_.graph->inputs()[traced - place_.begin()]);
      return Array(node,
                   IsScalarObject(object) ? ResultTree::Kind::kScalar : ResultTree::Kind::kArray);
    }
    ResultTree tree;
    const bool is_dict = PyDict_CheckExact(object);
    if (!is_dict && !PyTuple_Check(object) && !PyList_CheckExact(object)) return Constant(object);
    const Ref items = is_dict ? Ref::Steal(PyDict_Items(object)) : Ref::New(object);
    for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
      std::string key = absl::StrCat(i);
      if (is_dict) {
        tree.items.push_back({.object = Ref::New(PyTuple_GET_ITEM(item, 0))});
        key = ReprOf(PyTuple_GET_ITEM(item, 0));
        item = PyTuple_GET_ITEM(item, 1);
      }
      DYNACC_ASSIGN_OR_RETURN(ResultTree part, Argument(item, absl::StrCat(path, "[", key, "]")));
      tree.items.push_back(std::move(part));
    }
    using Kind = ResultTree::Kind;
    const bool is_plain = is_dict || PyList_CheckExact(object) || PyTuple_CheckExact(object);
    tree.kind = is_dict                      ? Kind::kDict
                : PyList_CheckExact(object)  ? Kind::kList
                : PyTuple_CheckExact(object) ? Kind::kTuple
                                             : Kind::kTupleSubclass;
    if (!is_plain) tree.object = Ref::New(reinterpret_cast<PyObject*>(Py_TYPE(object)));
    return tree;
  }

  absl::StatusOr<ResultTree> Result(int index) {
    const frame_state::FrameState& state = trace_.frame_state;
    const frame_state::FrameStateStep& step = state.steps[index];
    if (const ir::Node* array = ArrayOf(index); array != nullptr) {
      const bool is_scalar = step.op == frame_state::FrameStateOp::kOutput
                                 ? trace_.output_is_scalar[step.a]
                                 : IsScalarLoad(step);
      return Array(array, is_scalar ? ResultTree::Kind::kScalar : ResultTree::Kind::kArray);
    }
    switch (step.op) {
      case frame_state::FrameStateOp::kLoad: {
        BorrowedRef object = sources::ResolveSource(*state.loads[step.a], roots_);
        const std::optional<std::string> path = PathOf(*state.loads[step.a], roots_);
        return path && object != nullptr ? Argument(object, *path) : Constant(object);
      }
      case frame_state::FrameStateOp::kConstant:
        return Constant(state.constants[step.a].get());
      case frame_state::FrameStateOp::kInt:
      case frame_state::FrameStateOp::kFloat:
      case frame_state::FrameStateOp::kBool:
        return ResultTree{.kind = ResultTree::Kind::kNumber, .index = scalars_[step.a]};
      case frame_state::FrameStateOp::kCall:
        return NumberOf(step);
      case frame_state::FrameStateOp::kTuple:
        return Container(ResultTree::Kind::kTuple, step);
      case frame_state::FrameStateOp::kList:
        return Container(ResultTree::Kind::kList, step);
      case frame_state::FrameStateOp::kDict:
        return Container(ResultTree::Kind::kDict, step);
      case frame_state::FrameStateOp::kTupleSubclass: {
        DYNACC_ASSIGN_OR_RETURN(ResultTree tuple, Result(step.items[1]));
        DYNACC_ASSIGN_OR_RETURN(const ResultTree cls, Result(step.items[0]));
        tuple.kind = ResultTree::Kind::kTupleSubclass;
        tuple.object = cls.object;
        return tuple;
      }
      default:
        return NoTree();
    }
  }

  static absl::Status NoTree() {
    return absl::FailedPreconditionError(
        "returns an object that is made of something else than arrays, numbers, tuples, lists and "
        "dicts");
  }

  // float(x), or another of Python's types, of an array's number, where that changes no value; or
  // x.item().
  absl::StatusOr<ResultTree> NumberOf(const frame_state::FrameStateStep& step) {
    const frame_state::FrameStateStep& callee = trace_.frame_state.steps[step.items[0]];
    const ir::Node* const array = step.items.size() == 2 ? ArrayOf(step.items[1]) : nullptr;
    if (array == nullptr || callee.op != frame_state::FrameStateOp::kConstant) return NoTree();
    BorrowedRef type = trace_.frame_state.constants[callee.a].get();  // or the method
    const PyTypeObject* const wanted = IsComplex(array->dtype)        ? &PyComplex_Type
                                       : IsFloat(array->dtype)        ? &PyFloat_Type
                                       : array->dtype == DType::kBool ? &PyBool_Type
                                                                      : &PyLong_Type;
    const bool keeps = type == reinterpret_cast<const PyObject*>(wanted);
    const bool is_item = Py_IS_TYPE(type, &PyMethodDescr_Type) &&
                         PyUnicode_CompareWithASCIIString(PyDescr_NAME(type), "item") == 0;
    if ((!keeps && !is_item) || array->rank() != 0) return NoTree();
    return Array(array, ResultTree::Kind::kItem);
  }

  const tracer::TraceResult& trace_;
  const sources::SourceRoots roots_;
  const arrays::ArrayNamespace& arrays_;
  const MakeGraphOptions& options_;
  std::shared_ptr<ir::Graph> graph_;
  MadeGraph made_;
  std::shared_ptr<CallRecord> record_;
  absl::flat_hash_map<std::string, size_t> by_path_;             // of made_.inputs
  absl::flat_hash_map<std::pair<size_t, int>, ScalarId> sizes_;  // of an input's axis
  std::vector<size_t> place_;             // in made_.inputs, of each input of the trace
  std::vector<ScalarId> scalars_;         // of the result, by the trace's ids
  std::vector<const ir::Node*> inputs_;   // of the result
  std::vector<const ir::Node*> nodes_;    // of the result, by the trace's ids
  std::vector<const ir::Node*> targets_;  // of the trace's outputs
};

absl::Status Refused(const BoundCall& call, absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat(frame::CodeLabel(call.code, call.code->co_firstlineno), " ", what));
}

// Whether an effect puts into a place what is there already, as `params["w"] -= step` does with an
// array that it has changed in place.
bool ChangesNothing(const frame_state::FrameState& state, const frame_state::Effect& effect) {
  const auto loaded = [&](size_t i) -> const sources::Source* {
    const frame_state::FrameStateStep& step = state.steps[effect.items[i]];
    return step.op == frame_state::FrameStateOp::kLoad ? state.loads[step.a] : nullptr;
  };
  const sources::Source* const container = loaded(0);
  const sources::Source* const value =
      effect.items.size() < 2 ? nullptr : loaded(effect.items.size() - 1);
  if (container == nullptr || value == nullptr || value->parent != container) return false;
  if (effect.op == frame_state::EffectOp::kSetListItem) {
    return value->kind == sources::SourceKind::kListItem && value->index == effect.a;
  }
  const bool is_item = effect.op == frame_state::EffectOp::kSetDictItem &&
                       value->kind == sources::SourceKind::kDictItem;
  const bool is_attribute = effect.op == frame_state::EffectOp::kSetAttribute &&
                            value->kind == sources::SourceKind::kInstanceAttr;
  const frame_state::FrameStateStep& name = state.steps[effect.items[1]];
  if ((!is_item && !is_attribute) || name.op != frame_state::FrameStateOp::kConstant) return false;
  BorrowedRef key = state.constants[name.a].get();
  return key != nullptr && PyUnicode_CheckExact(key) &&
         PyUnicode_Compare(key, value->name.get()) == 0;
}

// "prog.py:12": where random numbers are drawn first.
std::string PlaceOfDraw(const tracer::TraceResult& trace) {
  const ir::SourceLocation at = trace.draws[0]->location;
  return absl::StrCat(at.file, ":", at.line);
}

// Whether the trace is all that the function does.
absl::Status CheckIsWhole(const BoundCall& call, const tracer::TraceRoot& root,
                          const tracer::TraceResult& trace, bool may_draw) {
  if (!trace.end.returned) {
    return absl::UnimplementedError(DescribeEnd(*root.code, trace.end));
  }
  const bool changes =
      absl::c_any_of(trace.frame_state.effects, [&](const frame_state::Effect& effect) {
        return !ChangesNothing(trace.frame_state, effect);
      });
  if (changes) {
    return Refused(call, "changes objects that were there before it; a graph only gives results");
  }
  if (!trace.draws.empty() && (!may_draw || !trace.object_inputs.empty())) {
    return absl::FailedPreconditionError(
        absl::StrCat(PlaceOfDraw(trace), ": ", StrText(call.code->co_qualname),
                     " draws random numbers; a graph has no such effect (hint: draw before, and "
                     "pass the numbers "
                     "in as an argument)"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<MadeGraph> MakeGraph(BorrowedRef function, BorrowedRef args, BorrowedRef kwargs,
                                    const MakeGraphOptions& options) {
  arrays::ArrayNamespace* const arrays = arrays::LoadedArrayNamespace();
  if (arrays == nullptr) return absl::FailedPreconditionError("numpy is not imported");
  DYNACC_ASSIGN_OR_RETURN(const BoundCall call, Bind(function, *arrays, args, kwargs));
  std::vector<FrameSlot> locals;
  const sources::SourceRoots roots = RootsOf(call, locals);
  DYNACC_ASSIGN_OR_RETURN(std::vector<GraphInput> arguments, ArgumentArrays(call, *arrays).Take());
  const HookBypass bypass;
  const auto record = std::make_shared<CallRecord>();
  sources::SourceTable& sources = record->sources;
  const ArgumentMarks marks(roots, *arrays, options);
  BranchValues branches(roots, *arrays);
  const tracer::TraceRoot root{.code = bytecode::DecodedCode::Decode(call.code),
                               .roots = roots,
                               .is_whole = true,
                               .inlines_compiled = true,
                               .branches = options.decides_branches ? &branches : nullptr,
                               .gradient_rules = options.gradient_rules,
                               .decompositions = options.decompositions};
  DYNACC_ASSIGN_OR_RETURN(
      const tracer::TraceResult trace,
      tracer::TraceSegment(tracer::kOpcodeHandlers, root, *arrays, sources, marks));
  DYNACC_RETURN_IF_ERROR(CheckIsWhole(call, root, trace, options.may_draw));
  record->guards = trace.guards;
  record->identities = trace.identities;
  absl::StatusOr<MadeGraph> made = GraphMaker(trace, roots, *arrays, options, std::move(arguments))
                                       .Make(record, branches.decisions());
  if (absl::IsFailedPrecondition(made.status())) return Refused(call, made.status().message());
  if (made.ok() && !trace.draws.empty()) made->draw = PlaceOfDraw(trace);
  return made;
}

namespace {

// Whether the graph's conditions hold that are known before a run.
bool Holds(const ir::Graph& graph, absl::Span<const ScalarValue> numbers) {
  const ScalarProgram& program = graph.scalars();
  std::vector<ScalarValue> values(program.size());
  if (!program.Evaluate(numbers, absl::MakeSpan(values))) return false;
  return absl::c_all_of(graph.conditions(), [&](ScalarId condition) {
    return program.Level(condition) > 0 || values[condition].i != 0;
  });
}

}  // namespace

absl::StatusOr<CallInputs> InputsOfCall(const MadeGraph& made, BorrowedRef function,
                                        BorrowedRef args, BorrowedRef kwargs) {
  arrays::ArrayNamespace* const arrays = arrays::LoadedArrayNamespace();
  if (arrays == nullptr) return absl::FailedPreconditionError("numpy is not imported");
  DYNACC_ASSIGN_OR_RETURN(const BoundCall call, Bind(function, *arrays, args, kwargs));
  std::vector<FrameSlot> locals;
  const sources::SourceRoots roots = RootsOf(call, locals);
  const CallRecord& record = *made.record;
  if (!record.Holds(roots, *arrays)) return absl::NotFoundError("the call is another one");
  CallInputs inputs;
  for (const sources::Source* source : record.arrays) {
    inputs.arrays.push_back(source == nullptr ? Ref()
                                              : Ref::New(sources::ResolveSource(*source, roots)));
  }
  for (size_t i = 0; i < record.numbers.size(); ++i) {
    ScalarValue value = {0};
    // A size of an array that the trace did not read is nobody's; that of the example does.
    const symbolic::ScalarInput& input = record.numbers[i];
    if (input.source == nullptr) {
      value.i = record.unread_sizes.at(static_cast<int>(i));
    } else if (!ReadNumber(input, roots, *arrays, value)) {
      return absl::NotFoundError("a number is another object");
    }
    inputs.numbers.push_back(value);
  }
  if (!Holds(*made.graph, inputs.numbers)) {
    return absl::NotFoundError("the graph requires other sizes or numbers");
  }
  return inputs;
}

Ref BuildResult(const ResultTree& tree, absl::Span<const Ref> outputs, const ScalarProgram& program,
                absl::Span<const ScalarValue> scalars) {
  using Kind = ResultTree::Kind;
  if (tree.kind == Kind::kArray) return outputs[tree.index];
  if (tree.kind == Kind::kScalar) {  // `array[()]`
    const Ref nothing = Ref::Steal(PyTuple_New(0));
    return Ref::Steal(nothing ? PyObject_GetItem(outputs[tree.index].get(), nothing.get())
                              : nullptr);
  }
  if (tree.kind == Kind::kItem) {
    return Ref::Steal(PyObject_CallMethod(outputs[tree.index].get(), "item", nullptr));
  }
  if (tree.kind == Kind::kConstant) return tree.object;
  if (tree.kind == Kind::kNumber) {
    const ScalarType type = program.expr(tree.index).type;
    const ScalarValue value = scalars[tree.index];
    if (type == ScalarType::kFloat) return Ref::Steal(PyFloat_FromDouble(value.f));
    return Ref::Steal(type == ScalarType::kBool ? PyBool_FromLong(value.i != 0)
                                                : PyLong_FromLongLong(value.i));
  }
  Ref items = Ref::Steal(PyList_New(0));
  for (const ResultTree& item : tree.items) {
    const Ref made = items ? BuildResult(item, outputs, program, scalars) : Ref();
    if (!made || PyList_Append(items.get(), made.get()) < 0) return {};
  }
  if (!items || tree.kind == Kind::kList) return items;
  if (tree.kind == Kind::kDict) {
    Ref dict = Ref::Steal(PyDict_New());
    for (Py_ssize_t i = 0; dict && i + 1 < PyList_GET_SIZE(items.get()); i += 2) {
      PyObject* const key = PyList_GET_ITEM(items.get(), i);
      if (PyDict_SetItem(dict.get(), key, PyList_GET_ITEM(items.get(), i + 1)) < 0) return {};
    }
    return dict;
  }
  Ref tuple = Ref::Steal(PyList_AsTuple(items.get()));
  if (!tuple || tree.kind == Kind::kTuple) return tuple;
  const Ref only = Ref::Steal(PyTuple_Pack(1, tuple.get()));
  auto* const cls = reinterpret_cast<PyTypeObject*>(tree.object.get());
  return only ? Ref::Steal(PyTuple_Type.tp_new(cls, only.get(), nullptr)) : Ref();
}

}  // namespace dynacc::capture
