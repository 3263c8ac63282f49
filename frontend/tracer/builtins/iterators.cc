// Builtins and itertools that make iterators.

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "frontend/cpython/opcodes.h"
#include "frontend/tracer/attributes.h"
#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/dict_parts.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/objects.h"
#include "frontend/tracer/operators.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

using Values = std::vector<symbolic::Value*>;

absl::StatusOr<symbolic::Value*> NewIterator(Tracer& tracer,
                                             symbolic::LazyIteratorValue::Next next) {
  if (!tracer.limits().allow_iterators) return symbolic::GraphBreak("an iterator that is kept");
  return tracer.trace().New<symbolic::LazyIteratorValue>(std::move(next));
}

absl::StatusOr<symbolic::Value*> KnownIterator(Tracer& tracer, Values items) {
  if (!tracer.limits().allow_iterators) return symbolic::GraphBreak("an iterator that is kept");
  return tracer.trace().New<symbolic::IteratorValue>(std::move(items));
}

absl::StatusOr<Values> IterateAll(Tracer& tracer, const std::vector<symbolic::Value*>& iterables,
                                  size_t first = 0) {
  Values iterators;
  for (size_t i = first; i < iterables.size(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, iterables[i]));
    iterators.push_back(iterator);
  }
  return iterators;
}

// One item of each; empty when the first of them ends.
absl::StatusOr<Values> NextRow(Tracer& tracer, const Values& iterators) {
  Values row;
  for (symbolic::Value* iterator : iterators) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NextItem(tracer, iterator));
    if (item == nullptr) return Values();
    row.push_back(item);
  }
  return row;
}

symbolic::Value* NewTuple(Tracer& tracer, Values items) {
  return tracer.trace().New<symbolic::TupleValue>(std::move(items));
}

// A small constant int argument of itertools; `fallback` for None, where that may be given.
absl::StatusOr<int64_t> Count(Tracer& tracer, symbolic::Value* value,
                              std::optional<int64_t> fallback = std::nullopt) {
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (IsNone(value)) {
    return fallback.has_value() ? absl::StatusOr<int64_t>(*fallback)
                                : symbolic::RaisingBreak("an itertools argument that is no int");
  }
  if (constant == nullptr) return symbolic::GraphBreak("an itertools argument that may change");
  DYNACC_ASSIGN_OR_RETURN(const int64_t count, tracer.trace().ConstantInt(constant));
  return count < 0 ? symbolic::RaisingBreak("a negative itertools argument")
                   : absl::StatusOr<int64_t>(count);
}

// An argument that None stands for the lack of: then null.
absl::StatusOr<symbolic::Value*> Given(Tracer& tracer, symbolic::Value* value) {
  if (value == nullptr) return nullptr;
  DYNACC_ASSIGN_OR_RETURN(value, tracer.Materialize(value));
  return IsNone(value) ? nullptr : value;
}

// Whether itertools.count begins with it, and goes on by it, as it is: not with a bool.
bool IsCountable(symbolic::Value* value) {
  auto* constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant == nullptr) return false;
  BorrowedRef object = constant->object.get();
  return PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyComplex_CheckExact(object);
}

// As list_reverseiterator: it reads the list as it is then.
absl::StatusOr<symbolic::Value*> ReversedList(Tracer& tracer, symbolic::ListValue* list) {
  DYNACC_RETURN_IF_ERROR(KnowItems(tracer, list));
  return NewIterator(
      tracer, [list, left = list->items.size()]() mutable -> absl::StatusOr<symbolic::Value*> {
        if (left == 0 || left > list->items.size()) {
          left = 0;
          return nullptr;
        }
        return list->items[--left];
      });
}

// iter(function, sentinel).
absl::StatusOr<symbolic::Value*> CallUntil(Tracer& tracer, symbolic::Value* function,
                                           symbolic::Value* sentinel) {
  auto* sentinels = tracer.trace().New<symbolic::TupleValue>(Values{sentinel});
  return NewIterator(
      tracer,
      [&tracer, function, sentinels, ended = false]() mutable -> absl::StatusOr<symbolic::Value*> {
        if (ended) return nullptr;
        DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, tracer.CallNow(function, {}));
        DYNACC_ASSIGN_OR_RETURN(ended, ContainedIn(tracer, item, sentinels));
        return ended ? nullptr : item;
      });
}

// StopIteration, with what the generator (null: there is none) has returned.
absl::Status RaiseStop(Tracer& tracer, symbolic::GeneratorValue* generator) {
  auto* stop = tracer.trace().New<symbolic::InstanceValue>(tracer.Constant(PyExc_StopIteration));
  Values args;
  if (generator != nullptr && generator->returned != nullptr) {
    if (!IsNone(generator->returned)) args.push_back(generator->returned);
    generator->returned = nullptr;
  }
  stop->args = tracer.trace().New<symbolic::TupleValue>(std::move(args));
  return tracer.Raise(stop, "next() at the end of an iterator");
}

}  // namespace

namespace builtins {

absl::StatusOr<symbolic::Value*> Iter(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 2));
  if (!tracer.limits().allow_iterators) return symbolic::GraphBreak("an iterator that is kept");
  if (call.args.size() == 2) return CallUntil(tracer, call.args[0], call.args[1]);
  return Iterate(tracer, call.args[0]);
}

absl::StatusOr<symbolic::Value*> Next(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 2));
  // Without a default an object's StopIteration, with what it has in it, is the caller's.
  if (call.args.size() == 1 && HasAttributes(call.args[0])) {
    return NextByMethod(tracer, call.args[0]);
  }
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NextItem(tracer, call.args[0]));
  if (item != nullptr) return item;
  if (call.args.size() == 2) return call.args[1];
  return RaiseStop(tracer, symbolic::As<symbolic::GeneratorValue>(call.args[0]));
}

absl::StatusOr<symbolic::Value*> GeneratorSend(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  auto* generator = symbolic::As<symbolic::GeneratorValue>(call.args[0]);
  if (generator == nullptr) return symbolic::GraphBreak("a method of a generator that is kept");
  const bool sends = !IsNone(call.args[1]);
  const bool has_started = generator->frame == nullptr || generator->yielded != nullptr;
  if (sends && !has_started)
    return symbolic::RaisingBreak("a value sent to a generator that has not started");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, tracer.Resume(generator, call.args[1]));
  return item != nullptr ? absl::StatusOr<symbolic::Value*>(item) : RaiseStop(tracer, generator);
}

// Where no code of the generator's runs at its end.
absl::StatusOr<symbolic::Value*> GeneratorClose(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  auto* generator = symbolic::As<symbolic::GeneratorValue>(call.args[0]);
  if (generator == nullptr) return symbolic::GraphBreak("a method of a generator that is kept");
  if (tracer.IsRunning(generator)) return symbolic::RaisingBreak("a generator that closes itself");
  const auto& frame = generator->frame;
  if (frame != nullptr && frame->code->InHandlerRange(frame->at)) {
    return symbolic::GraphBreak("the end of a generator that handles it");
  }
  if (frame != nullptr && DelegateOf(*frame) != nullptr) {
    return symbolic::GraphBreak("the end of a generator that delegates");
  }
  generator->frame = nullptr;
  return tracer.None();
}

// throw(exception), throw(class) and the older throw(class, exception, traceback).
absl::StatusOr<symbolic::Value*> GeneratorThrow(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 4));
  auto* generator = symbolic::As<symbolic::GeneratorValue>(call.args[0]);
  if (generator == nullptr) return symbolic::GraphBreak("a method of a generator that is kept");
  const bool has_value = call.args.size() > 2 && !IsNone(call.args[2]);
  symbolic::Value* const given = call.args[has_value ? 2 : 1];
  DYNACC_ASSIGN_OR_RETURN(symbolic::InstanceValue * exception, ExceptionOf(tracer, given));
  auto* cls = symbolic::As<symbolic::ConstantValue>(call.args[1]);
  const bool is_its_class = cls != nullptr && cls->object.get() == exception->cls->object.get();
  if (has_value && (given != exception || !is_its_class)) {
    return symbolic::GraphBreak("a throw with such arguments");
  }
  const bool has_traceback = call.args.size() > 3 && call.args[3] != tracer.Null();
  if (has_traceback && !IsNone(call.args[3]))
    return symbolic::GraphBreak("a throw with a traceback");
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, tracer.Throw(generator, exception));
  return item != nullptr ? absl::StatusOr<symbolic::Value*>(item) : RaiseStop(tracer, generator);
}

absl::StatusOr<symbolic::Value*> Enumerate(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 2, {"start"}));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, call.args[0]));
  symbolic::Value* start = call.args.size() == 2 ? call.args[1] : call.Keyword("start");
  int64_t first = 0;
  if (start != nullptr) {
    if (!symbolic::As<symbolic::ConstantValue>(start))
      return symbolic::GraphBreak("enumerate from a changing start");
    DYNACC_ASSIGN_OR_RETURN(first, tracer.trace().ConstantInt(start));
  }
  return NewIterator(
      tracer, [&tracer, iterator, first]() mutable -> absl::StatusOr<symbolic::Value*> {
        DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NextItem(tracer, iterator));
        if (item == nullptr) return nullptr;
        return NewTuple(tracer, {tracer.ConstantSteal(PyLong_FromLongLong(first++)), item});
      });
}

// With strict=True a difference in lengths is an error, which Python reports.
absl::StatusOr<symbolic::Value*> Zip(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 64, {"strict"}));
  bool strict = false;
  if (symbolic::Value* value = call.Keyword("strict")) {
    DYNACC_ASSIGN_OR_RETURN(strict, tracer.Truth(value));
  }
  DYNACC_ASSIGN_OR_RETURN(Values iterators, IterateAll(tracer, call.args));
  return NewIterator(tracer, [&tracer, iterators, strict]() -> absl::StatusOr<symbolic::Value*> {
    if (iterators.empty()) return nullptr;
    Values row;
    for (symbolic::Value* iterator : iterators) {
      DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NextItem(tracer, iterator));
      if (item != nullptr) {
        row.push_back(item);
        continue;
      }
      if (!strict) return nullptr;
      if (!row.empty()) return symbolic::RaisingBreak("zip of different lengths");
      for (size_t i = 1; i < iterators.size(); ++i) {
        DYNACC_ASSIGN_OR_RETURN(symbolic::Value * more, NextItem(tracer, iterators[i]));
        if (more != nullptr) return symbolic::RaisingBreak("zip of different lengths");
      }
      return nullptr;
    }
    return NewTuple(tracer, std::move(row));
  });
}

absl::StatusOr<symbolic::Value*> Map(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 64));
  DYNACC_ASSIGN_OR_RETURN(Values iterators, IterateAll(tracer, call.args, 1));
  symbolic::Value* function = call.args[0];
  return NewIterator(tracer, [&tracer, iterators, function]() -> absl::StatusOr<symbolic::Value*> {
    DYNACC_ASSIGN_OR_RETURN(Values row, NextRow(tracer, iterators));
    if (row.empty()) return nullptr;
    return tracer.CallNow(function, std::move(row));
  });
}

absl::StatusOr<symbolic::Value*> StarMap(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, call.args[1]));
  symbolic::Value* function = call.args[0];
  return NewIterator(tracer, [&tracer, iterator, function]() -> absl::StatusOr<symbolic::Value*> {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * row, NextItem(tracer, iterator));
    if (row == nullptr) return nullptr;
    DYNACC_ASSIGN_OR_RETURN(Values args, DrainAsList(tracer, row));
    return tracer.CallNow(function, std::move(args));
  });
}

absl::StatusOr<symbolic::Value*> Filter(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, call.args[1]));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * function, Given(tracer, call.args[0]));
  return NewIterator(tracer, [&tracer, iterator, function]() -> absl::StatusOr<symbolic::Value*> {
    for (;;) {
      DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NextItem(tracer, iterator));
      if (item == nullptr) return nullptr;
      symbolic::Value* verdict = item;
      if (function != nullptr) {
        DYNACC_ASSIGN_OR_RETURN(verdict, tracer.CallNow(function, {item}));
      }
      DYNACC_ASSIGN_OR_RETURN(const bool keep, tracer.Truth(verdict));
      if (keep) return item;
    }
  });
}

absl::StatusOr<symbolic::Value*> Reversed(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1));
  auto* constant = symbolic::As<symbolic::ConstantValue>(call.args[0]);
  if (auto* list = symbolic::As<symbolic::ListValue>(call.args[0]))
    return ReversedList(tracer, list);
  constexpr auto kKeys = symbolic::DictViewValue::Part::kKeys;
  if (auto* dict = symbolic::As<symbolic::DictValue>(call.args[0]))
    return IterateDict(tracer, dict, kKeys, /*reversed=*/true);
  if (auto* view = symbolic::As<symbolic::DictViewValue>(call.args[0]))
    return IterateDict(tracer, view->dict, view->part, /*reversed=*/true);
  DYNACC_ASSIGN_OR_RETURN(symbolic::DictValue * entries,
                          EntriesBy(tracer, call.args[0], "__reversed__"));
  if (entries != nullptr) return IterateDict(tracer, entries, kKeys, /*reversed=*/true);
  if (!IsSequence(call.args[0]) &&
      (constant == nullptr || !PyRange_Check(constant->object.get()))) {
    return symbolic::GraphBreak("reversed");
  }
  DYNACC_ASSIGN_OR_RETURN(Values items, Drain(tracer, call.args[0]));
  std::reverse(items.begin(), items.end());
  return KnownIterator(tracer, std::move(items));
}

absl::StatusOr<symbolic::Value*> Chain(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 64));
  return NewIterator(
      tracer,
      [&tracer, iterables = call.args, current = static_cast<symbolic::Value*>(nullptr),
       at = size_t{0}]() mutable -> absl::StatusOr<symbolic::Value*> {
        for (;;) {
          if (current == nullptr) {
            if (at == iterables.size()) return nullptr;
            // An __iter__ that raises is the end of it.
            const size_t place = std::exchange(at, iterables.size());
            DYNACC_ASSIGN_OR_RETURN(current, Iterate(tracer, iterables[place]));
            at = place + 1;
          }
          DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NextItem(tracer, current));
          if (item != nullptr) return item;
          current = nullptr;
        }
      });
}

absl::StatusOr<symbolic::Value*> CountFrom(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 2));
  symbolic::Value* start =
      call.args.empty() ? tracer.ConstantSteal(PyLong_FromLong(0)) : call.args[0];
  symbolic::Value* step =
      call.args.size() == 2 ? call.args[1] : tracer.ConstantSteal(PyLong_FromLong(1));
  if (!IsCountable(start) || !IsCountable(step)) {
    return symbolic::GraphBreak("an itertools argument that may change");
  }
  return NewIterator(tracer,
                     [&tracer, next = start, step]() mutable -> absl::StatusOr<symbolic::Value*> {
                       symbolic::Value* item = next;
                       DYNACC_ASSIGN_OR_RETURN(next, BinaryOperation(tracer, NB_ADD, next, step));
                       return item;
                     });
}

absl::StatusOr<symbolic::Value*> Repeat(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 2));
  int64_t left = INT64_MAX;
  if (call.args.size() == 2) {
    DYNACC_ASSIGN_OR_RETURN(left, Count(tracer, call.args[1]));
  }
  return NewIterator(tracer,
                     [item = call.args[0], left]() mutable -> absl::StatusOr<symbolic::Value*> {
                       return left-- > 0 ? item : nullptr;
                     });
}

absl::StatusOr<symbolic::Value*> Slice(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 4));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, call.args[0]));
  int64_t start = 0, stop, step = 1;
  DYNACC_ASSIGN_OR_RETURN(stop, Count(tracer, call.args[call.args.size() == 2 ? 1 : 2], INT64_MAX));
  if (call.args.size() > 2) {
    DYNACC_ASSIGN_OR_RETURN(start, Count(tracer, call.args[1], 0));
  }
  if (call.args.size() > 3) {
    DYNACC_ASSIGN_OR_RETURN(step, Count(tracer, call.args[3], 1));
  }
  if (step == 0) return symbolic::RaisingBreak("a slice that raises");
  auto slice = [&tracer, iterator, count = int64_t{0}, next = start, stop, step,
                ended = false]() mutable -> absl::StatusOr<symbolic::Value*> {
    if (ended) return nullptr;
    if (next - count > static_cast<int64_t>(tracer.max_drained())) {
      return symbolic::GraphBreak("an iterable of many items");
    }
    // As itertools' islice_next, which at its end has taken all items before `stop`. An error is an
    // end, too.
    ended = true;
    symbolic::Value* item = nullptr;
    for (; count < next; ++count) {
      DYNACC_ASSIGN_OR_RETURN(item, NextItem(tracer, iterator));
      if (item == nullptr) return nullptr;
    }
    if (count >= stop) return nullptr;
    DYNACC_ASSIGN_OR_RETURN(item, NextItem(tracer, iterator));
    ended = item == nullptr;
    ++count;
    next = step > stop - next ? stop : next + step;
    return item;
  };
  return NewIterator(tracer, std::move(slice));
}

absl::StatusOr<symbolic::Value*> Product(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 8, {"repeat"}));
  int64_t repeat = 1;
  if (symbolic::Value* value = call.Keyword("repeat")) {
    DYNACC_ASSIGN_OR_RETURN(repeat, Count(tracer, value));
  }
  std::vector<Values> pools;
  for (symbolic::Value* iterable : call.args) {
    DYNACC_ASSIGN_OR_RETURN(Values items, DrainAsList(tracer, iterable));
    pools.push_back(std::move(items));
  }
  const size_t once = pools.size();
  if (once == 0) repeat = 0;
  if (repeat > 16) return symbolic::GraphBreak("an iterable of many items");
  std::vector<Values> rows = {{}};
  for (size_t i = 0; i < once * static_cast<size_t>(repeat); ++i) {
    const Values& items = pools[i % once];
    std::vector<Values> longer;
    for (const Values& row : rows) {
      for (symbolic::Value* item : items) {
        longer.push_back(row);
        longer.back().push_back(item);
      }
    }
    if (longer.size() > tracer.max_drained())
      return symbolic::GraphBreak("an iterable of many items");
    rows = std::move(longer);
  }
  Values tuples;
  for (Values& row : rows) tuples.push_back(NewTuple(tracer, std::move(row)));
  return KnownIterator(tracer, std::move(tuples));
}

absl::StatusOr<symbolic::Value*> Combinations(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(2, 2));
  DYNACC_ASSIGN_OR_RETURN(const Values items, DrainAsList(tracer, call.args[0]));
  DYNACC_ASSIGN_OR_RETURN(const int64_t size, Count(tracer, call.args[1]));
  // Choices as masks over the items, in lexicographic order of the places.
  std::vector<bool> chosen(items.size(), false);
  Values tuples;
  if (size > static_cast<int64_t>(items.size())) return KnownIterator(tracer, {});
  std::fill(chosen.begin(), chosen.begin() + size, true);
  do {
    Values row;
    for (size_t i = 0; i < items.size(); ++i) {
      if (chosen[i]) row.push_back(items[i]);
    }
    if (tuples.size() == tracer.max_drained())
      return symbolic::GraphBreak("an iterable of many items");
    tuples.push_back(NewTuple(tracer, std::move(row)));
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return KnownIterator(tracer, std::move(tuples));
}

absl::StatusOr<symbolic::Value*> Accumulate(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 2, {"initial"}));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * iterator, Iterate(tracer, call.args[0]));
  // None stands for what is not given.
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * function,
                          Given(tracer, call.args.size() == 2 ? call.args[1] : nullptr));
  DYNACC_ASSIGN_OR_RETURN(symbolic::Value * initial, Given(tracer, call.Keyword("initial")));
  return NewIterator(
      tracer,
      [&tracer, iterator, function, initial,
       total =
           static_cast<symbolic::Value*>(nullptr)]() mutable -> absl::StatusOr<symbolic::Value*> {
        if (initial != nullptr) return total = std::exchange(initial, nullptr);
        DYNACC_ASSIGN_OR_RETURN(symbolic::Value * item, NextItem(tracer, iterator));
        if (item == nullptr) return nullptr;
        if (total == nullptr) return total = item;
        if (function != nullptr) {
          DYNACC_ASSIGN_OR_RETURN(total, tracer.CallNow(function, {total, item}));
        } else {
          DYNACC_ASSIGN_OR_RETURN(total, BinaryOperation(tracer, NB_ADD, total, item));
        }
        return total;
      });
}

absl::StatusOr<symbolic::Value*> ZipLongest(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(0, 64, {"fillvalue"}));
  symbolic::Value* fill = call.Keyword("fillvalue");
  if (fill == nullptr) fill = tracer.None();
  DYNACC_ASSIGN_OR_RETURN(Values iterators, IterateAll(tracer, call.args));
  return NewIterator(tracer,
                     [&tracer, iterators, fill]() mutable -> absl::StatusOr<symbolic::Value*> {
                       Values row;
                       bool any = false;
                       for (symbolic::Value*& iterator : iterators) {
                         symbolic::Value* item = nullptr;
                         if (iterator != nullptr) {
                           absl::StatusOr<symbolic::Value*> taken = NextItem(tracer, iterator);
                           if (!taken.ok()) absl::c_fill(iterators, nullptr);  // the end of all
                           DYNACC_RETURN_IF_ERROR(taken.status());
                           item = *taken;
                         }
                         if (item == nullptr) iterator = nullptr;
                         any = any || item != nullptr;
                         row.push_back(item == nullptr ? fill : item);
                       }
                       return any ? NewTuple(tracer, std::move(row)) : nullptr;
                     });
}

}  // namespace builtins
}  // namespace dynacc::tracer
