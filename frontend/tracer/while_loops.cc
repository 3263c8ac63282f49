#include "frontend/tracer/while_loops.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "frontend/bytecode/dataflow.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/tracer/both_sides.h"
#include "frontend/tracer/lazy.h"
#include "frontend/tracer/looks_at_locals.h"
#include "frontend/tracer/references.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

// A local variable that is a part of the loop's state.
struct Carried {
  int local;
  PyTypeObject* number;           // a number of Python's; null: an array or scalar
  symbolic::TensorValue* before;  // when the loop begins
};

class WhileTrace {
 public:
  WhileTrace(Tracer& tracer, const bytecode::Instruction& jump, const bytecode::WhileLoop& loop)
      : tracer_(tracer), jump_(jump), loop_(loop) {}

  absl::Status Run(symbolic::TensorValue* condition, bool wanted) {
    const bool goes_on_if = (loop_.body == jump_.target) == wanted;
    symbolic::TraceContext& trace = tracer_.trace();
    before_.push_back(tracer_.arrays().TruthOf(trace, condition, goes_on_if));
    DYNACC_RETURN_IF_ERROR(FindState());
    symbolic::SubgraphValue* const body = trace.BeginSubgraph();
    const Tracer::Place start = tracer_.Mark();
    DYNACC_RETURN_IF_ERROR(TraceRound(body, start, goes_on_if));
    tracer_.GoBack(start);
    DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> results,
                            tracer_.arrays().Loop(trace, before_, body, tracer_.root().is_whole));
    for (size_t i = 0; i < state_.size(); ++i) SetCarried(state_[i], results[i + 1]);
    tracer_.Jump(loop_.exit);
    return CheckSharing(*body, results);
  }

 private:
  std::string NameOf(int local) const {
    return StrText(PyTuple_GET_ITEM(tracer_.frame().raw_code()->co_localsplusnames, local));
  }

  // Python's number of a scalar, or the array itself.
  void SetCarried(const Carried& carried, symbolic::Value* value) {
    tracer_.SetLocal(carried.local,
                     carried.number == nullptr ? value : NumberFor(tracer_, value, carried.number));
  }

  // The array or scalar for what a local is; of Python's numbers `number` is the type.
  absl::StatusOr<symbolic::TensorValue*> StateOf(int local, PyTypeObject** number) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, tracer_.Materialize(tracer_.Local(local)));
    if (auto* const tensor = symbolic::As<symbolic::TensorValue>(value)) return tensor;
    *number = NumberTypeOf(value);
    symbolic::TensorValue* const scalar = *number != nullptr ? ScalarFor(tracer_, value) : nullptr;
    if (scalar != nullptr) return scalar;
    return symbolic::GraphBreak(absl::StrCat("a while loop that changes '", NameOf(local), "', ",
                                             symbolic::DescribeValue(*value)));
  }

  // What the loop writes and somebody reads, in it or after it. Of the rest nothing is left.
  absl::Status FindState() {
    const SymbolicFrame& frame = tracer_.frame();
    const bool all_live = MayLookAtLocals(*frame.code, frame.globals);
    const std::vector<bool>& inside = frame.code->LiveLocals(loop_.body);
    const std::vector<bool>& outside = frame.code->LiveLocals(loop_.exit);
    for (int i = 0; i < static_cast<int>(loop_.locals.size()); ++i) {
      if (!loop_.locals[i]) continue;
      if (!all_live && !inside[i] && !outside[i]) {
        tracer_.SetLocal(i, nullptr);
        continue;
      }
      if (tracer_.Local(i) == nullptr) {
        return symbolic::GraphBreak(
            absl::StrCat("a while loop that sets '", NameOf(i), "' for the first time"));
      }
      Carried carried = {i, nullptr, nullptr};
      DYNACC_ASSIGN_OR_RETURN(carried.before, StateOf(i, &carried.number));
      state_.push_back(carried);
      before_.push_back(carried.before);
    }
    return absl::OkStatus();
  }

  // One round, from the jump to the jump.
  absl::Status TraceRound(symbolic::SubgraphValue* body, const Tracer::Place& start,
                          bool goes_on_if) {
    symbolic::TraceContext& trace = tracer_.trace();
    tracer_.arrays().Carry(trace, body, before_[0]);
    for (const Carried& carried : state_) {
      symbolic::TensorValue* const input = tracer_.arrays().Carry(trace, body, carried.before);
      // It is the array before the loop, or one of a round.
      if (!input->is_scalar) trace.NotePerhapsShared(input);
      SetCarried(carried, input);
    }
    Tracer::OpenBranch open = OpenAt(tracer_, jump_, loop_.header, start);
    open.awaits = jump_.start;
    open.exit = loop_.exit;
    open.goes_on_if = goes_on_if;
    tracer_.open_branches().push_back(std::move(open));
    symbolic::Value* const handled = tracer_.handled();
    tracer_.Jump(loop_.body);
    DYNACC_RETURN_IF_ERROR(tracer_.RunTo(jump_.start));
    DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * computed,
                            DataDependentCondition(tracer_, tracer_.Pop(), jump_.start));
    if (computed == nullptr)
      return symbolic::GraphBreak("a while loop whose condition no array decides any more");
    if (tracer_.handled() != handled || tracer_.frame().stack != start.frame.stack)
      return symbolic::GraphBreak("a while loop that leaves something on the stack");
    std::vector<symbolic::TensorValue*> after = {
        tracer_.arrays().TruthOf(trace, computed, goes_on_if)};
    for (const Carried& carried : state_) {
      if (tracer_.Local(carried.local) == nullptr) {
        return symbolic::GraphBreak(
            absl::StrCat("a while loop that deletes '", NameOf(carried.local), "'"));
      }
      PyTypeObject* number = nullptr;
      DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * value, StateOf(carried.local, &number));
      if (number != carried.number) {
        return symbolic::GraphBreak(
            absl::StrCat("a while loop that changes the type of '", NameOf(carried.local), "'"));
      }
      after.push_back(value);
    }
    tracer_.open_branches().pop_back();
    return trace.EndSubgraph(body, std::move(after));
  }

  // Where the result is an object of the program's, nobody else may know the arrays that it was
  // made of: it could be any of them.
  absl::Status CheckSharing(const symbolic::SubgraphValue& body,
                            const std::vector<symbolic::Value*>& results) {
    const std::vector<symbolic::Value*> roots = tracer_.Roots();
    absl::flat_hash_map<symbolic::TensorValue*, int> names;
    for (size_t i = 0; i < before_.size(); ++i) {
      ++names[before_[i]->root()];
      ++names[body.results[i]->root()];
    }
    for (size_t i = 1; i < before_.size(); ++i) {
      if (before_[i]->is_scalar) continue;
      symbolic::TensorValue* const first = before_[i];
      symbolic::TensorValue* const last = body.results[i]->root();
      const bool is_own = first->root() == first && first->source() == nullptr &&
                          names[first] == 1 && IsReached(first, roots) == Reached::kNo &&
                          tracer_.trace().IsMadeIn(body, last) && names[last] == 1;
      if (is_own) continue;
      if (!tracer_.root().is_whole) {
        return symbolic::GraphBreak(absl::StrCat("a while loop that may leave '",
                                                 NameOf(state_[i - 1].local),
                                                 "' as an array that has another name"));
      }
      for (symbolic::Value* value : {static_cast<symbolic::Value*>(first->root()),
                                     static_cast<symbolic::Value*>(last), results[i]})
        tracer_.trace().NotePerhapsShared(value);
    }
    return absl::OkStatus();
  }

  Tracer& tracer_;
  const bytecode::Instruction& jump_;
  const bytecode::WhileLoop& loop_;
  std::vector<Carried> state_;
  std::vector<symbolic::TensorValue*> before_;  // whether it goes on, then `state_`'s
};

// The end of a loop: its own jump, and what it asks for.
struct LoopEnd {
  int jump;
  int exit;
  bool goes_on_if;  // what its operand is then
};

// Whether the frame has the same values. A local variable may have been read for the first time.
bool IsUnchanged(const Tracer::Place& before, const Tracer::Place& now) {
  const std::vector<symbolic::Value*>& was = before.frame.locals;
  for (size_t i = 0; i < was.size(); ++i) {
    const bool is_read = was[i] == nullptr && !now.changed_locals.empty() && !now.changed_locals[i];
    if (now.frame.locals[i] != was[i] && !is_read) return false;
  }
  return now.frame.stack == before.frame.stack;
}

// What the operand of the loop's own jump is, before which the frame then stands, after an earlier
// part of the condition: where that part ends the loop, it is what ends it there, too.
absl::StatusOr<symbolic::TensorValue*> JoinCondition(Tracer& tracer,
                                                     const bytecode::Instruction& jump,
                                                     symbolic::TensorValue* condition, bool wanted,
                                                     const LoopEnd& end) {
  symbolic::TraceContext& trace = tracer.trace();
  const Tracer::Place before = tracer.Mark();
  const bool leaves_if = (jump.target == end.exit) == wanted;
  symbolic::SubgraphValue* const goes_on = trace.BeginSubgraph();
  Tracer::OpenBranch open = OpenAt(tracer, jump, -1, before);
  open.awaits = end.jump;
  open.exit = end.exit;
  open.goes_on_if = end.goes_on_if;
  tracer.open_branches().push_back(std::move(open));
  tracer.Jump(jump.target == end.exit ? jump.next : jump.target);
  DYNACC_RETURN_IF_ERROR(tracer.RunTo(end.jump));
  symbolic::Value* const last = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * computed,
                          DataDependentCondition(tracer, last, end.jump));
  if (computed == nullptr) {
    DYNACC_ASSIGN_OR_RETURN(const bool known, tracer.Truth(last));
    computed = tracer.arrays().NumberAsScalar(trace, tracer.Constant(known ? Py_True : Py_False));
  }
  if (!IsUnchanged(before, tracer.Mark()))
    return symbolic::GraphBreak("a while loop whose condition changes variables");
  computed = tracer.arrays().TruthOf(trace, computed, true);
  tracer.open_branches().pop_back();
  DYNACC_RETURN_IF_ERROR(trace.EndSubgraph(goes_on, {computed}));
  symbolic::SubgraphValue* const leaves = trace.BeginSubgraph();
  symbolic::TensorValue* const is_over =
      tracer.arrays().NumberAsScalar(trace, tracer.Constant(end.goes_on_if ? Py_False : Py_True));
  DYNACC_RETURN_IF_ERROR(trace.EndSubgraph(leaves, {is_over}));
  DYNACC_ASSIGN_OR_RETURN(
      const std::vector<symbolic::Value*> joined,
      tracer.arrays().Branch(trace, condition, leaves_if ? leaves : goes_on,
                             leaves_if ? goes_on : leaves, /*are_values=*/true));
  tracer.Jump(end.jump);
  return symbolic::As<symbolic::TensorValue>(joined[0]);
}

}  // namespace

absl::StatusOr<bool> TraceWhile(Tracer& tracer, const bytecode::Instruction& jump,
                                symbolic::TensorValue* condition, bool wanted) {
  const bytecode::DecodedCode& code = *tracer.frame().code;
  bytecode::WhileLoop loop = bytecode::FindWhileLoop(code, jump.start);
  if (loop.body >= 0) {
    DYNACC_RETURN_IF_ERROR(WhileTrace(tracer, jump, loop).Run(condition, wanted));
    return true;
  }
  const int last = bytecode::LastCondition(code, jump.start);
  if (last < 0) return false;
  loop = bytecode::FindWhileLoop(code, last);
  const bytecode::Instruction& own = code.At(last);
  const bool wanted_last = own.opcode == POP_JUMP_IF_TRUE;
  const LoopEnd end = {last, loop.exit, (loop.body == own.target) == wanted_last};
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * joined,
                          JoinCondition(tracer, jump, condition, wanted, end));
  DYNACC_RETURN_IF_ERROR(WhileTrace(tracer, own, loop).Run(joined, wanted_last));
  return true;
}

bool LeavesRound(const Tracer& tracer, const bytecode::Instruction& jump) {
  if (tracer.open_branches().empty()) return false;
  const Tracer::OpenBranch& round = tracer.open_branches().back();
  return round.awaits >= 0 && round.depth == static_cast<size_t>(tracer.depth()) &&
         (jump.target == round.exit || jump.next == round.exit);
}

absl::Status TraceFurtherCondition(Tracer& tracer, const bytecode::Instruction& jump,
                                   symbolic::TensorValue* condition, bool wanted) {
  const Tracer::OpenBranch& round = tracer.open_branches().back();
  const LoopEnd end = {round.awaits, round.exit, round.goes_on_if};
  DYNACC_ASSIGN_OR_RETURN(symbolic::TensorValue * joined,
                          JoinCondition(tracer, jump, condition, wanted, end));
  tracer.Push(joined);
  return absl::OkStatus();
}

}  // namespace dynacc::tracer
