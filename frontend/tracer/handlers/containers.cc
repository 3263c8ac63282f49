// Handlers that build and unpack tuples, lists, dicts, sets, slices and strings, and that iterate.
#include "frontend/tracer/containers.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/private_api.h"
#include "frontend/tracer/handlers/handlers.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/lazy.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/sets.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

template <typename T>
absl::StatusOr<T*> Accumulator(Tracer& tracer, int from_top) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, tracer.Materialize(tracer.Peek(from_top)));
  if (auto* container = symbolic::As<T>(value)) return container;
  return symbolic::GraphBreak("a display whose container is not known");
}

// The items of what is unpacked.
absl::StatusOr<std::vector<symbolic::Value*>> Unpacked(Tracer& tracer, symbolic::Value* value,
                                                       decltype(&Drain) drain = &Drain) {
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  if (auto* tensor = symbolic::As<symbolic::TensorValue>(value)) {
    const bool too_long = tensor->node->rank() > 0 && tensor->hint_shape[0] > tracer.max_unroll();
    if (too_long) return symbolic::GraphBreak("unpacking of a long array");
  }
  return drain(tracer, value);
}

// Dict entries of `from`, which is a dict, put into `into`.
absl::Status MergeInto(Tracer& tracer, symbolic::DictValue* into, symbolic::Value* from,
                       bool duplicates_raise) {
  DYNACC_ASSIGN_OR_RETURN(from, tracer.Materialize(from));
  auto* dict = symbolic::As<symbolic::DictValue>(from);
  if (dict == nullptr) return symbolic::GraphBreak("a mapping whose items are not known");
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, dict));
  const auto entries = dict->items;
  for (auto& [key, item] : entries) {
    if (duplicates_raise) {
      DYNACC_ASSIGN_OR_RETURN(symbolic::Value * known, DictItem(tracer, into, key.get()));
      if (known != nullptr) return symbolic::RaisingBreak("a keyword argument given twice");
    }
    DYNACC_RETURN_IF_ERROR(SetDictItem(tracer, into, key.get(), item));
  }
  return absl::OkStatus();
}

// str(value) or format(value, spec).
absl::StatusOr<symbolic::Value*> Formatted(Tracer& tracer, symbolic::Value* value, int conversion,
                                           BorrowedRef spec) {
  if (!IsPlainConstantValue(value)) return DeferFormat(tracer, value, conversion, spec);
  Ref object = symbolic::As<symbolic::ConstantValue>(value)->object;
  // A program may change what these give.
  if (HasLimitedDigits(object.get()) || (spec != nullptr && absl::EndsWith(StrView(spec), "n")))
    return DeferFormat(tracer, value, conversion, spec);
  constexpr PyObject* (*kConversions[])(PyObject*) = {nullptr, PyObject_Str, PyObject_Repr,
                                                      PyObject_ASCII};
  if (conversion != 0) object = Ref::Steal(kConversions[conversion](object.get()));
  Ref text = object ? Ref::Steal(PyObject_Format(object.get(), spec)) : Ref();
  if (!text) return tracer.RaiseCurrent("string formatting that raises");
  return tracer.ConstantSteal(text.Release());
}

}  // namespace

namespace handlers {

absl::Status BuildTuple(Tracer& tracer, const bytecode::Instruction& instruction) {
  tracer.Push(tracer.trace().New<symbolic::TupleValue>(tracer.PopMany(instruction.arg)));
  return absl::OkStatus();
}

absl::Status BuildList(Tracer& tracer, const bytecode::Instruction& instruction) {
  tracer.Push(tracer.trace().New<symbolic::ListValue>(tracer.PopMany(instruction.arg)));
  return absl::OkStatus();
}

absl::Status BuildSet(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::SetValue* set = NewSet(tracer);
  for (symbolic::Value* member : tracer.PopMany(instruction.arg)) {
    DYNACC_RETURN_IF_ERROR(AddToSet(tracer, set, member));
  }
  tracer.Push(set);
  return absl::OkStatus();
}

absl::Status BuildMap(Tracer& tracer, const bytecode::Instruction& instruction) {
  const std::vector<symbolic::Value*> flat = tracer.PopMany(2 * instruction.arg);
  auto* dict = tracer.trace().New<symbolic::DictValue>();
  for (size_t i = 0; i < flat.size(); i += 2) {
    DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, flat[i]));
    DYNACC_RETURN_IF_ERROR(SetDictItem(tracer, dict, key, flat[i + 1]));
  }
  tracer.Push(dict);
  return absl::OkStatus();
}

absl::Status BuildConstKeyMap(Tracer& tracer, const bytecode::Instruction& instruction) {
  auto* keys = symbolic::As<symbolic::ConstantValue>(tracer.Pop());
  if (keys == nullptr) return symbolic::GraphBreak("a dict display whose keys are not constant");
  const std::vector<symbolic::Value*> values = tracer.PopMany(instruction.arg);
  auto* dict = tracer.trace().New<symbolic::DictValue>();
  for (int i = 0; i < instruction.arg; ++i) {
    symbolic::Value* name = tracer.Constant(PyTuple_GET_ITEM(keys->object.get(), i));
    DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, name));
    DYNACC_RETURN_IF_ERROR(SetDictItem(tracer, dict, key, values[i]));
  }
  tracer.Push(dict);
  return absl::OkStatus();
}

absl::Status BuildSlice(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* step = instruction.arg == 3 ? tracer.Pop() : tracer.None();
  symbolic::Value* stop = tracer.Pop();
  symbolic::Value* start = tracer.Pop();
  tracer.Push(tracer.trace().New<symbolic::SliceValue>(start, stop, step));
  return absl::OkStatus();
}

absl::Status BuildString(Tracer& tracer, const bytecode::Instruction& instruction) {
  std::vector<symbolic::Value*> pieces = tracer.PopMany(instruction.arg);
  if (!std::all_of(pieces.begin(), pieces.end(), IsPlainConstantValue)) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * text, DeferJoin(tracer, std::move(pieces)));
    tracer.Push(text);
    return absl::OkStatus();
  }
  Ref text = Ref::Steal(PyUnicode_New(0, 127));
  for (symbolic::Value* piece : pieces) {
    text = Ref::Steal(
        PyUnicode_Concat(text.get(), symbolic::As<symbolic::ConstantValue>(piece)->object.get()));
    if (!text) {
      PyErr_Clear();
      return symbolic::GraphBreak("a string that cannot be built");
    }
  }
  tracer.Push(tracer.ConstantSteal(text.Release()));
  return absl::OkStatus();
}

absl::Status FormatValue(Tracer& tracer, const bytecode::Instruction& instruction) {
  constexpr int kHasSpec = 4, kConversion = 3;
  Ref spec;
  if (instruction.arg & kHasSpec) {
    auto* constant = symbolic::As<symbolic::ConstantValue>(tracer.Pop());
    if (constant == nullptr)
      return symbolic::GraphBreak("string formatting with a changing format");
    spec = constant->object;
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, tracer.Materialize(tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(value, tracer.AsConstant(value));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * text,
                          Formatted(tracer, value, instruction.arg & kConversion, spec.get()));
  tracer.Push(text);
  return absl::OkStatus();
}

absl::Status ConvertValue(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, tracer.Materialize(tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(value, tracer.AsConstant(value));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * text,
                          Formatted(tracer, value, instruction.arg, nullptr));
  tracer.Push(text);
  return absl::OkStatus();
}

absl::Status ListAppend(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* item = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(symbolic::ListValue * list,
                          Accumulator<symbolic::ListValue>(tracer, instruction.arg - 1));
  AppendToList(tracer, list, item);
  return absl::OkStatus();
}

absl::Status ListExtend(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items,
                          DrainAsList(tracer, tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(symbolic::ListValue * list,
                          Accumulator<symbolic::ListValue>(tracer, instruction.arg - 1));
  for (symbolic::Value* item : items) AppendToList(tracer, list, item);
  return absl::OkStatus();
}

absl::Status ListToTuple(Tracer& tracer, const bytecode::Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> items, SequenceItems(tracer, tracer.Pop()));
  tracer.Push(tracer.trace().New<symbolic::TupleValue>(std::move(items)));
  return absl::OkStatus();
}

absl::Status SetAdd(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* member = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(symbolic::SetValue * set,
                          Accumulator<symbolic::SetValue>(tracer, instruction.arg - 1));
  return AddToSet(tracer, set, member);
}

absl::Status SetUpdate(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(const Ref items, RealIterable(tracer, tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(symbolic::SetValue * set,
                          Accumulator<symbolic::SetValue>(tracer, instruction.arg - 1));
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef now, TableOf(tracer, set));
  tracer.NoteChange(set);
  if (_PySet_Update(now, items.get()) == 0) return absl::OkStatus();
  return tracer.RaiseCurrent("a set display that raises");
}

absl::Status MapAdd(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* item = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(BorrowedRef key, DictKey(tracer, tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * dict,
                          Accumulator<symbolic::DictValue>(tracer, instruction.arg - 1));
  return SetDictItem(tracer, dict, key, item);
}

absl::Status DictMerge(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* from = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * into,
                          Accumulator<symbolic::DictValue>(tracer, instruction.arg - 1));
  return MergeInto(tracer, into, from, /*duplicates_raise=*/true);
}

absl::Status DictUpdate(Tracer& tracer, const bytecode::Instruction& instruction) {
  symbolic::Value* from = tracer.Pop();
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * into,
                          Accumulator<symbolic::DictValue>(tracer, instruction.arg - 1));
  return MergeInto(tracer, into, from, /*duplicates_raise=*/false);
}

absl::Status UnpackSequence(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items,
                          Unpacked(tracer, tracer.Pop()));
  if (static_cast<int>(items.size()) != instruction.arg) {
    return symbolic::RaisingBreak("unpacking of another number of items");
  }
  for (auto item = items.rbegin(); item != items.rend(); ++item) tracer.Push(*item);
  return absl::OkStatus();
}

// `a, *b, c = items`: the low byte counts the targets before the star, the rest those after it.
absl::Status UnpackEx(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items,
                          Unpacked(tracer, tracer.Pop(), &DrainIterator));
  const size_t before = instruction.arg & 255, after = instruction.arg >> 8;
  if (items.size() < before + after) return symbolic::RaisingBreak("unpacking of too few items");
  const size_t rest_end = items.size() - after;
  for (size_t i = items.size(); i > rest_end; --i) tracer.Push(items[i - 1]);
  tracer.Push(tracer.trace().New<symbolic::ListValue>(
      std::vector<symbolic::Value*>(items.begin() + before, items.begin() + rest_end)));
  for (size_t i = before; i > 0; --i) tracer.Push(items[i - 1]);
  return absl::OkStatus();
}

absl::Status GetLen(Tracer& tracer, const bytecode::Instruction&) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, tracer.Materialize(tracer.Peek(0)));
  DYNACC_ASSIGN_OR_RETURN(const int64_t length, KnownLength(tracer, value));
  if (length < 0) return symbolic::GraphBreak("len of an object");
  tracer.Push(tracer.ConstantSteal(PyLong_FromLongLong(length)));
  return absl::OkStatus();
}

// Long iterables of the outermost frame are left to Python's own iterators: each round of the loop
// is then a segment. So are loops that have a program of their own, however few rounds they make:
// an unrolled one would compute each element by a kernel.
absl::Status GetIter(Tracer& tracer, const bytecode::Instruction& instruction) {
  if (tracer.outermost() && !tracer.root().is_whole &&
      absl::c_linear_search(tracer.root().element_loops, instruction.next)) {
    return symbolic::GraphBreak("a loop over elements");
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * value, tracer.Materialize(tracer.Pop()));
  DYNACC_ASSIGN_OR_RETURN(const int64_t length, KnownLength(tracer, value));
  const int most = tracer.outermost() ? tracer.max_unroll() : MaxRounds(tracer, tracer.frame());
  if (length > most) return symbolic::GraphBreak("a loop too long to unroll");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, value));
  tracer.Push(iterator);
  return absl::OkStatus();
}

absl::Status ForIter(Tracer& tracer, const bytecode::Instruction& instruction) {
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NextItem(tracer, tracer.Peek(0)));
  if (item != nullptr) {
    tracer.Push(item);
    return absl::OkStatus();
  }
  tracer.Pop();
  tracer.Jump(instruction.target);
  return absl::OkStatus();
}

}  // namespace handlers
}  // namespace dynacc::tracer
