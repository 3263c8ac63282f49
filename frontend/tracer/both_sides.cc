#include "frontend/tracer/both_sides.h"

#include <limits>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "frontend/bytecode/dataflow.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/tracer/lazy.h"
#include "frontend/tracer/looks_at_locals.h"
#include "frontend/tracer/references.h"
#include "frontend/tracer/while_loops.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

// A loop whose end arrays decide is a branch in each round, inside of the round before. More of
// them than this are taken for a loop that no graph of branches should hold.
constexpr size_t kMaxNested = 20;

// Where the trace need not be one graph: instructions and nodes of both sides together. A break
// costs some microseconds, which is little beside what more than this computes.
constexpr int64_t kMaxSmallWork = 500;
constexpr size_t kMaxSmallNodes = 150;
// Elements of an array that a side leaves. What comes after a branch is not fused with its sides,
// which costs nothing in the cache, and more than the break in memory. Measured for functions of
// three to six operations: 1.1 to 1.35 times as fast with up to 2000 elements, 0.9 to 1.1 with
// 4000, 0.7 to 1 with 20000.
constexpr int64_t kMaxSmallElements = 2048;
constexpr int64_t kUnlimited = std::numeric_limits<int32_t>::max();

// One side of a branch, traced: what the frame is at its end.
struct Side {
  symbolic::SubgraphValue* subgraph;
  Tracer::Place end = {};
  symbolic::Value* returned = nullptr;   // where the sides only meet at the function's end
  int jumped_by = -1;                    // the jump back to where they meet, if one leads there
  std::vector<size_t> items_taken = {};  // of the known items of each loop around the branch
};

const bytecode::Instruction& NextOf(const SymbolicFrame& frame) { return frame.code->At(frame.pc); }

// One that is taken by the jump itself, to `start`, or is what comes after it.
absl::StatusOr<Side> TraceSide(Tracer& tracer, const bytecode::Instruction& jump, int start,
                               int meeting) {
  Side side = {.subgraph = tracer.trace().BeginSubgraph()};
  tracer.open_branches().back().subgraphs = tracer.trace().num_open_subgraphs();
  tracer.open_branches().back().jumped_by = start <= jump.start ? jump.start : -1;
  symbolic::Value* const handled = tracer.handled();
  tracer.Jump(start);
  DYNACC_RETURN_IF_ERROR(tracer.RunTo(meeting));
  if (tracer.handled() != handled)
    return symbolic::GraphBreak("a branch that ends in an exception handler");
  side.jumped_by = tracer.open_branches().back().jumped_by;
  if (meeting < 0) {
    const bytecode::Instruction& next = NextOf(tracer.frame());
    PyObject* const constants = tracer.frame().raw_code()->co_consts;
    side.returned = next.opcode == RETURN_CONST
                        ? tracer.Constant(PyTuple_GET_ITEM(constants, next.arg))
                        : tracer.Peek(0);
  }
  side.end = tracer.Mark();
  for (const auto& [iterator, next] : tracer.open_branches().back().start->loops)
    side.items_taken.push_back(iterator->next);
  DYNACC_RETURN_IF_ERROR(tracer.trace().EndSubgraph(side.subgraph, {}));
  return side;
}

// Makes one value of what two sides of a branch leave in one place.
class Joiner {
 public:
  Joiner(Tracer& tracer, const Side& first, const Side& second)
      : tracer_(tracer), first_(*first.subgraph), second_(*second.subgraph) {}

  // Finds the arrays in what is left in a place, of which messages say `where`. Once for each
  // place, before Branch.
  absl::Status Add(symbolic::Value* a, symbolic::Value* b, const std::string& where) {
    if (a == b) return absl::OkStatus();
    DYNACC_ASSIGN_OR_RETURN(a, tracer_.Materialize(a));
    DYNACC_ASSIGN_OR_RETURN(b, tracer_.Materialize(b));
    if (a == b || IsSameConstant(a, b)) return absl::OkStatus();
    auto* const one = symbolic::As<symbolic::TensorValue>(a);
    auto* const other = symbolic::As<symbolic::TensorValue>(b);
    if (one != nullptr && other != nullptr) {
      AddPair(a, b, {one, other, nullptr});
      return absl::OkStatus();
    }
    if (AddNumbers(a, b)) return absl::OkStatus();
    auto* const items = symbolic::As<symbolic::TupleValue>(a);
    auto* const others = symbolic::As<symbolic::TupleValue>(b);
    const bool are_tuples = items != nullptr && others != nullptr && items->cls == nullptr &&
                            others->cls == nullptr && items->items.size() == others->items.size();
    if (!are_tuples) {
      const bool is_number = NumberTypeOf(a) != nullptr && NumberTypeOf(b) != nullptr;
      return symbolic::GraphBreak(absl::StrCat(
          is_number ? "a branch of numbers that leaves " : "a branch that leaves ", where, " as ",
          symbolic::DescribeValue(*a), " or as ", symbolic::DescribeValue(*b)));
    }
    for (size_t i = 0; i < items->items.size(); ++i)
      DYNACC_RETURN_IF_ERROR(Add(items->items[i], others->items[i], where));
    return absl::OkStatus();
  }

  absl::Status Branch(symbolic::TensorValue* condition) {
    for (symbolic::SubgraphValue* side : {&first_, &second_}) {
      for (const symbolic::TensorValue* result : side->results)
        side->region.outputs.push_back(result->node);
    }
    DYNACC_ASSIGN_OR_RETURN(joined_, tracer_.arrays().Branch(tracer_.trace(), condition, &first_,
                                                             &second_, tracer_.root().is_whole));
    return absl::OkStatus();
  }

  // The value of a place that was added.
  absl::StatusOr<symbolic::Value*> Get(symbolic::Value* a, symbolic::Value* b) {
    if (a == b) return a;
    DYNACC_ASSIGN_OR_RETURN(a, tracer_.Materialize(a));
    DYNACC_ASSIGN_OR_RETURN(b, tracer_.Materialize(b));
    if (a == b || IsSameConstant(a, b)) return a;
    if (const auto found = places_.find({a, b}); found != places_.end()) {
      const auto& [place, number] = found->second;
      return number == nullptr ? joined_[place] : NumberFor(tracer_, joined_[place], number);
    }
    std::vector<symbolic::Value*> items;
    for (size_t i = 0; i < symbolic::As<symbolic::TupleValue>(a)->items.size(); ++i) {
      DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item,
                              Get(symbolic::As<symbolic::TupleValue>(a)->items[i],
                                  symbolic::As<symbolic::TupleValue>(b)->items[i]));
      items.push_back(item);
    }
    return tracer_.trace().New<symbolic::TupleValue>(std::move(items));
  }

  // The frame has its joined values. An array that is not a side's own, but was there before or has
  // two names, is perhaps another value's: only a graph of values can hold that.
  absl::Status CheckSharing() {
    const std::vector<symbolic::Value*> roots = tracer_.Roots();
    for (const symbolic::SubgraphValue* side : {&first_, &second_}) {
      absl::flat_hash_map<symbolic::TensorValue*, int> names;
      for (symbolic::TensorValue* result : side->results) ++names[result->root()];
      for (size_t i = 0; i < side->results.size(); ++i) {
        symbolic::TensorValue* const root = side->results[i]->root();
        // A whole graph's numbers are values: whose object one is, nobody asks.
        if (side->results[i]->is_scalar && tracer_.root().inlines_compiled) continue;
        const bool is_own = tracer_.trace().IsMadeIn(*side, root) && names[root] == 1;
        const bool is_last = root == side->results[i] && root->source() == nullptr &&
                             names[root] == 1 && IsReached(root, roots) == Reached::kNo;
        if (is_own || is_last) continue;
        if (!tracer_.root().is_whole)
          return symbolic::GraphBreak(
              "a branch one side of which gives an array that was there before");
        tracer_.trace().NotePerhapsShared(root);
        tracer_.trace().NotePerhapsShared(joined_[i]);
      }
    }
    return absl::OkStatus();
  }

 private:
  static bool IsSameConstant(symbolic::Value* a, symbolic::Value* b) {
    auto* const one = symbolic::As<symbolic::ConstantValue>(a);
    auto* const other = symbolic::As<symbolic::ConstantValue>(b);
    return one != nullptr && other != nullptr && one->object.get() == other->object.get();
  }

  Tracer& tracer_;
  symbolic::SubgraphValue& first_;
  symbolic::SubgraphValue& second_;
  // A result of both sides, and the type of number that it stands for; null: for itself.
  struct Pair {
    symbolic::TensorValue* one;
    symbolic::TensorValue* other;
    PyTypeObject* number;
  };
  void AddPair(symbolic::Value* a, symbolic::Value* b, const Pair& pair) {
    const auto place = static_cast<int>(first_.results.size());
    if (!places_.try_emplace({a, b}, place, pair.number).second) return;
    first_.results.push_back(pair.one);
    second_.results.push_back(pair.other);
  }

  // Two numbers of Python's, of one type: whose object one is, nobody asks of a whole graph. False
  // if they are something else.
  bool AddNumbers(symbolic::Value* a, symbolic::Value* b) {
    if (!tracer_.root().inlines_compiled) return false;
    PyTypeObject* const type = NumberTypeOf(a);
    if (type == nullptr || NumberTypeOf(b) == nullptr) {
      return tracer_.root().is_whole && AddScalarAndNumber(a, b);
    }
    if (type != NumberTypeOf(b)) return false;
    symbolic::TensorValue* const one = ScalarFor(tracer_, a);
    symbolic::TensorValue* const other = ScalarFor(tracer_, b);
    if (one == nullptr || other == nullptr || one->node->dtype != other->node->dtype) return false;
    AddPair(a, b, {one, other, type});
    return true;
  }

  // NumPy's scalar of the type that holds the other side's float or int of Python's, and this: the
  // result is NumPy's.
  bool AddScalarAndNumber(symbolic::Value* a, symbolic::Value* b) {
    const auto scalar = [&](symbolic::Value* value) -> symbolic::TensorValue* {
      auto* const tensor = symbolic::As<symbolic::TensorValue>(value);
      if (tensor != nullptr) return tensor->is_scalar && !tensor->is_native ? tensor : nullptr;
      const PyTypeObject* const type = NumberTypeOf(value);
      return type == &PyFloat_Type || type == &PyLong_Type ? ScalarFor(tracer_, value) : nullptr;
    };
    const bool is_one = symbolic::As<symbolic::TensorValue>(a) != nullptr;
    if (is_one == (symbolic::As<symbolic::TensorValue>(b) != nullptr)) return false;
    symbolic::TensorValue *const one = scalar(a), *const other = scalar(b);
    if (one == nullptr || other == nullptr || one->node->dtype != other->node->dtype) return false;
    AddPair(a, b, {one, other, nullptr});
    return true;
  }

  absl::flat_hash_map<std::pair<symbolic::Value*, symbolic::Value*>, std::pair<int, PyTypeObject*>>
      places_;
  std::vector<symbolic::Value*> joined_;
};

// A place of the frame, and what the two sides leave there.
struct Left {
  int local;  // or the place on the stack, if `on_stack`
  bool on_stack;
  symbolic::Value* a;
  symbolic::Value* b;
};

std::string NameOf(const SymbolicFrame& frame, int local) {
  return StrText(PyTuple_GET_ITEM(frame.raw_code()->co_localsplusnames, local));
}

// What a local is at a side's end: where that has not touched it, what it was before.
symbolic::Value* LocalAt(Tracer& tracer, const Tracer::Place& before, const Side& side, int local) {
  const bool is_outermost = tracer.outermost();
  const bool was_changed = is_outermost && before.changed_locals[local];
  const bool is_changed = is_outermost ? side.end.changed_locals[local] && !was_changed
                                       : side.end.frame.locals[local] != before.frame.locals[local];
  if (is_changed || was_changed) return side.end.frame.locals[local];
  return tracer.Local(local);
}

// The places of the frame, which is as it was before, that are read where the sides meet. Others
// that a side has written are unbound there.
absl::StatusOr<std::vector<Left>> PlacesLeft(Tracer& tracer, const Tracer::Place& before,
                                             const Side& first, const Side& second, int meeting) {
  const SymbolicFrame& frame = tracer.frame();
  const bool all_live = MayLookAtLocals(*frame.code, frame.globals) || tracer.limits().stop.raises;
  const std::vector<bool>& live = frame.code->LiveLocals(meeting);
  std::vector<Left> left;
  for (int i = 0; i < static_cast<int>(frame.locals.size()); ++i) {
    symbolic::Value* const a = LocalAt(tracer, before, first, i);
    symbolic::Value* const b = LocalAt(tracer, before, second, i);
    if (a == b && a == tracer.Local(i)) continue;
    if (!live[i] && !all_live) {
      tracer.SetLocal(i, nullptr);
      continue;
    }
    if (a == nullptr || b == nullptr) {
      return symbolic::GraphBreak(
          absl::StrCat("a branch that sets '", NameOf(frame, i), "' on one side alone"));
    }
    left.push_back({i, false, a, b});
  }
  const std::vector<symbolic::Value*>& a = first.end.frame.stack;
  const std::vector<symbolic::Value*>& b = second.end.frame.stack;
  if (a.size() != b.size()) return absl::InternalError("the sides of a branch meet at two depths");
  for (size_t i = 0; i < a.size(); ++i) left.push_back({static_cast<int>(i), true, a[i], b[i]});
  return left;
}

// Lets the frame stand before a return of what both sides return.
void ReturnNext(Tracer& tracer, const Side& first, const Side& second, symbolic::Value* result) {
  for (size_t i = 0; i < tracer.frame().locals.size(); ++i)
    tracer.SetLocal(static_cast<int>(i), nullptr);
  tracer.PopMany(static_cast<int>(tracer.frame().stack.size()));
  tracer.Push(result);
  // One that returns a constant returns this one, if both sides do.
  const bool is_first = NextOf(first.end.frame).opcode == RETURN_VALUE;
  tracer.Jump((is_first ? first : second).end.frame.pc);
}

// What loops around the branch have given: the same on both sides, or what nobody asks again. The
// frame has its joined stack.
absl::Status JoinLoops(Tracer& tracer, const Tracer::Place& before, const Side& first,
                       const Side& second) {
  const std::vector<symbolic::Value*>& stack = tracer.frame().stack;
  const auto goes_on = [&](const symbolic::Value* iterator) {
    if (absl::c_linear_search(stack, iterator)) return true;
    return tracer.IsSharedIterator(iterator) && IsReached(iterator, tracer.Roots()) != Reached::kNo;
  };
  bool differs = false;
  for (size_t i = 0; i < before.loops.size(); ++i) {
    symbolic::IteratorValue* const iterator = before.loops[i].first;
    iterator->next = second.items_taken[i];
    differs |= first.items_taken[i] != second.items_taken[i] && goes_on(iterator);
  }
  // Of others it is not known how far they are.
  for (const auto& advanced : tracer.open_branches().back().advanced) {
    differs |= absl::c_any_of(advanced, [&](const symbolic::Value* iterator) {
      return iterator->kind() != symbolic::ValueKind::kIterator && goes_on(iterator);
    });
  }
  if (differs) return symbolic::GraphBreak("a branch that takes items of a loop around it");
  return absl::OkStatus();
}

// The branch is part of the graph: what it did counts for the one around it.
void CloseBranch(Tracer& tracer) {
  Tracer::OpenBranch branch = std::move(tracer.open_branches().back());
  tracer.open_branches().pop_back();
  tracer.NoteBothSides(branch.place);
  if (tracer.open_branches().empty()) return;
  Tracer::OpenBranch& around = tracer.open_branches().back();
  for (const auto& advanced : branch.advanced) {
    for (const symbolic::Value* iterator : advanced) {
      if (absl::c_linear_search(around.start->frame.stack, iterator))
        around.advanced[around.is_second ? 1 : 0].insert(iterator);
    }
  }
}

// Requires the arrays that the sides leave to be small at every call.
absl::Status RequireSmall(symbolic::TraceContext& trace, const Side& side) {
  ScalarProgram& scalars = trace.graph().scalars();
  for (const symbolic::TensorValue* result : side.subgraph->results) {
    ScalarId size = scalars.Int(1);
    int64_t hint = 1;
    for (int axis = 0; axis < result->node->rank() && hint <= kMaxSmallElements; ++axis) {
      size = scalars.Apply(ScalarOp::kMul, size, result->node->shape[axis]);
      hint *= result->hint_shape[axis];
    }
    if (hint > kMaxSmallElements) return symbolic::GraphBreak("a branch that leaves large arrays");
    trace.RequireTrue(scalars.Apply(ScalarOp::kLe, size, scalars.Int(kMaxSmallElements)));
  }
  return absl::OkStatus();
}

// Lets the frame stand where the sides meet, with what they leave there.
absl::Status Meet(Tracer& tracer, const Tracer::Place& before, const Side& first,
                  const Side& second, int meeting, symbolic::TensorValue* condition) {
  Joiner joiner(tracer, first, second);
  if (meeting < 0) {
    DYNACC_RETURN_IF_ERROR(joiner.Add(first.returned, second.returned, "the result"));
    DYNACC_RETURN_IF_ERROR(joiner.Branch(condition));
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * result, joiner.Get(first.returned, second.returned));
    ReturnNext(tracer, first, second, result);
  } else {
    DYNACC_ASSIGN_OR_RETURN(const std::vector<Left> left,
                            PlacesLeft(tracer, before, first, second, meeting));
    for (const Left& place : left) {
      const std::string where =
          place.on_stack ? "a value" : absl::StrCat("'", NameOf(tracer.frame(), place.local), "'");
      DYNACC_RETURN_IF_ERROR(joiner.Add(place.a, place.b, where));
    }
    DYNACC_RETURN_IF_ERROR(joiner.Branch(condition));
    std::vector<symbolic::Value*> stack = first.end.frame.stack;
    for (const Left& place : left) {
      DYNACC_ASSIGN_OR_RETURN(symbolic::Value * joined, joiner.Get(place.a, place.b));
      if (place.on_stack) {
        stack[place.local] = joined;
      } else {
        tracer.SetLocal(place.local, joined);
      }
    }
    tracer.frame().stack = std::move(stack);
    tracer.Jump(meeting);
  }
  DYNACC_RETURN_IF_ERROR(joiner.CheckSharing());
  if (!tracer.root().inlines_compiled) DYNACC_RETURN_IF_ERROR(RequireSmall(tracer.trace(), first));
  return JoinLoops(tracer, before, first, second);
}

}  // namespace

Tracer::OpenBranch OpenAt(const Tracer& tracer, const bytecode::Instruction& jump, int meeting,
                          const Tracer::Place& before) {
  Tracer::OpenBranch branch;
  branch.place = {before.frame.code, jump.start, true};
  branch.places = tracer.Places();
  branch.depth = static_cast<size_t>(tracer.depth());
  branch.meeting = meeting;
  branch.subgraphs = tracer.num_open_subgraphs();
  branch.start = &before;
  return branch;
}

absl::StatusOr<symbolic::TensorValue*> DataDependentCondition(Tracer& tracer,
                                                              symbolic::Value* value, int jump) {
  const TraceRoot& root = tracer.root();
  tracer.NoteBranch(-1);
  if (root.branches != nullptr) return nullptr;
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * known, tracer.Materialize(value));
  symbolic::TensorValue* const behind = ScalarBehind(known);
  auto* const tensor = behind != nullptr ? behind : symbolic::As<symbolic::TensorValue>(known);
  if (tensor == nullptr || tensor->node->rank() != 0) return nullptr;
  if (root.inlines_compiled) return tensor;
  // On a device a branch would run on the host.
  if (tensor->is_native || !root.wants_both_sides) return nullptr;
  tracer.NoteBranch(jump);
  const bool wanted =
      !tracer.open_branches().empty() || root.wants_both_sides(*tracer.frame().code, jump);
  return wanted ? tensor : nullptr;
}

absl::Status TraceBothSides(Tracer& tracer, const bytecode::Instruction& jump,
                            symbolic::TensorValue* condition, bool wanted) {
  if (tracer.trace().num_open_subgraphs() >= kMaxNested)
    return symbolic::GraphBreak("a loop that ends by an array's value");
  if (LeavesRound(tracer, jump)) return TraceFurtherCondition(tracer, jump, condition, wanted);
  if (tracer.root().inlines_compiled) {
    DYNACC_ASSIGN_OR_RETURN(const bool is_loop, TraceWhile(tracer, jump, condition, wanted));
    if (is_loop) return absl::OkStatus();
  }
  const int meeting = bytecode::ImmediatePostDominator(*tracer.frame().code, jump.start);
  const Tracer::Place before = tracer.Mark();
  const bool is_small = !tracer.root().inlines_compiled && tracer.open_branches().empty();
  const size_t nodes = tracer.trace().graph().nodes().size();
  const int64_t limit = tracer.LimitWork(is_small ? kMaxSmallWork : kUnlimited);
  tracer.open_branches().push_back(OpenAt(tracer, jump, meeting, before));
  DYNACC_ASSIGN_OR_RETURN(const Side first,
                          TraceSide(tracer, jump, wanted ? jump.target : jump.next, meeting));
  tracer.GoBack(before);
  tracer.open_branches().back().is_second = true;
  DYNACC_ASSIGN_OR_RETURN(const Side second,
                          TraceSide(tracer, jump, wanted ? jump.next : jump.target, meeting));
  tracer.GoBack(before);
  DYNACC_RETURN_IF_ERROR(Meet(tracer, before, first, second, meeting, condition));
  tracer.UndoLimit(limit);
  if (is_small && tracer.trace().graph().nodes().size() - nodes > kMaxSmallNodes)
    return symbolic::GraphBreak("a branch on an array's value with much to do on its sides");
  CloseBranch(tracer);
  if (meeting < 0 || meeting > jump.start) return absl::OkStatus();
  return tracer.JumpBack(meeting, first.jumped_by == second.jumped_by ? first.jumped_by : -1);
}

}  // namespace dynacc::tracer
