// sorted and list.sort: the comparisons that CPython makes, in its order.
#include <algorithm>

#include "frontend/cpython/private_api.h"
#include "frontend/tracer/builtins/builtins.h"
#include "frontend/tracer/containers.h"
#include "frontend/tracer/iteration.h"
#include "frontend/tracer/numbers.h"
#include "frontend/tracer/operators.h"
#include "runtime/base/status_macros.h"

namespace dynacc::tracer {
namespace {

struct Row {
  symbolic::Value* key;
  symbolic::Value* item;
};
using Rows = std::vector<Row>;

// From this length on CPython merges runs (MAX_MINRUN in Objects/listobject.c).
constexpr size_t kMaxBinarySorted = 63;

// Sorts as list.sort does a list that is not longer than kMaxBinarySorted: count_run and binarysort
// of Objects/listobject.c. Other comparisons could raise, have other effects, and order what is not
// in order (NaNs) in another way.
class BinarySort {
 public:
  BinarySort(Tracer& tracer, Rows& rows) : tracer_(tracer), rows_(rows) {}

  absl::Status Sort() {
    if (rows_.size() < 2) return absl::OkStatus();
    DYNACC_ASSIGN_OR_RETURN(size_t start, CountRun());
    for (; start < rows_.size(); ++start) {
      DYNACC_RETURN_IF_ERROR(Insert(start));
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<bool> Less(symbolic::Value* a, symbolic::Value* b) {
    DYNACC_ASSIGN_OR_RETURN(symbolic::Value * less, CompareValues(tracer_, Py_LT, a, b));
    return tracer_.Truth(less);
  }

  // The length of the run at the start, which ascends afterwards.
  absl::StatusOr<size_t> CountRun() {
    DYNACC_ASSIGN_OR_RETURN(const bool descends, Less(rows_[1].key, rows_[0].key));
    size_t end = 2;
    for (; end < rows_.size(); ++end) {
      DYNACC_ASSIGN_OR_RETURN(const bool less, Less(rows_[end].key, rows_[end - 1].key));
      if (less != descends) break;
    }
    if (descends) std::reverse(rows_.begin(), rows_.begin() + static_cast<int64_t>(end));
    return end;
  }

  absl::Status Insert(size_t start) {
    const Row pivot = rows_[start];
    size_t left = 0, right = start;
    while (left < right) {
      const size_t middle = left + (right - left) / 2;
      DYNACC_ASSIGN_OR_RETURN(const bool before, Less(pivot.key, rows_[middle].key));
      if (before) {
        right = middle;
      } else {
        left = middle + 1;
      }
    }
    rows_.erase(rows_.begin() + static_cast<int64_t>(start));
    rows_.insert(rows_.begin() + static_cast<int64_t>(left), pivot);
    return absl::OkStatus();
  }

  Tracer& tracer_;
  Rows& rows_;
};

// Of keys that are all constants: by CPython's own sort.
absl::Status SortConstants(Tracer& tracer, Rows& rows) {
  Ref pairs = Ref::Steal(PyList_New(0));
  for (size_t i = 0; i < rows.size(); ++i) {
    BorrowedRef key = symbolic::As<symbolic::ConstantValue>(rows[i].key)->object.get();
    if (HasNan(key)) return symbolic::GraphBreak("the identity of a NaN");
    Ref pair = Ref::Steal(Py_BuildValue("(On)", key, static_cast<Py_ssize_t>(i)));
    PyList_Append(pairs.get(), pair.get());
  }
  // The places make equal keys keep their order. They are reached only by keys that are equal.
  if (PyList_Sort(pairs.get()) < 0) return tracer.RaiseCurrent("a sort that raises");
  Rows sorted;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(pairs.get()); ++i) {
    sorted.push_back(rows[PyLong_AsSize_t(PyTuple_GET_ITEM(PyList_GET_ITEM(pairs.get(), i), 1))]);
  }
  rows = std::move(sorted);
  return absl::OkStatus();
}

absl::Status SortRows(Tracer& tracer, Rows& rows) {
  if (rows.size() < 2) return absl::OkStatus();
  const bool is_short = rows.size() <= kMaxBinarySorted;
  if (is_short && KnowsComparisonsOfSort()) return BinarySort(tracer, rows).Sort();
  for (const Row& row : rows) {
    if (!IsPlainConstantValue(row.key)) {
      return symbolic::GraphBreak(is_short ? "a sort of values that may change"
                                           : "a sort of many values that may change");
    }
  }
  return SortConstants(tracer, rows);
}

// `items` sorted as the keywords of the call say.
absl::StatusOr<std::vector<symbolic::Value*>> Sort(Tracer& tracer, const BuiltinCall& call,
                                                   const std::vector<symbolic::Value*>& items) {
  bool reverse = false;
  if (symbolic::Value* value = call.Keyword("reverse")) {
    if (!IsNumberValue(value)) return symbolic::GraphBreak("a sort in such an order");
    DYNACC_ASSIGN_OR_RETURN(reverse, tracer.Truth(value));
  }
  symbolic::Value* function = call.Keyword("key");
  if (auto* none = symbolic::As<symbolic::ConstantValue>(function);
      none && none->object.get() == Py_None) {
    function = nullptr;
  }
  Rows rows;
  for (symbolic::Value* item : items) {
    DYNACC_ASSIGN_OR_RETURN(item, tracer.Materialize(item));
    symbolic::Value* key = item;
    if (function != nullptr) {
      DYNACC_ASSIGN_OR_RETURN(key, tracer.CallNow(function, {item}));
      DYNACC_ASSIGN_OR_RETURN(key, tracer.Materialize(key));
    }
    rows.push_back({key, item});
  }
  // Equal items keep their order in a reversed sort, too.
  if (reverse) std::reverse(rows.begin(), rows.end());
  DYNACC_RETURN_IF_ERROR(SortRows(tracer, rows));
  if (reverse) std::reverse(rows.begin(), rows.end());
  std::vector<symbolic::Value*> sorted;
  for (const Row& row : rows) sorted.push_back(row.item);
  return sorted;
}

}  // namespace

namespace builtins {

absl::StatusOr<symbolic::Value*> Sorted(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1, {"key", "reverse"}));
  DYNACC_ASSIGN_OR_RETURN(const std::vector<symbolic::Value*> items,
                          DrainAsList(tracer, call.args[0]));
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> sorted, Sort(tracer, call, items));
  return tracer.trace().New<symbolic::ListValue>(std::move(sorted));
}

// While it is sorted the list is empty to everybody else.
absl::StatusOr<symbolic::Value*> ListSort(Tracer& tracer, const BuiltinCall& call) {
  DYNACC_RETURN_IF_ERROR(call.Want(1, 1, {"key", "reverse"}));
  auto* list = symbolic::As<symbolic::ListValue>(call.args[0]);
  if (list == nullptr) return symbolic::GraphBreak("a list method of another object");
  DYNACC_ASSIGN_OR_RETURN(std::vector<symbolic::Value*> * items, ItemsToChange(tracer, list));
  const std::vector<symbolic::Value*> before = std::move(*items);
  items->clear();
  absl::StatusOr<std::vector<symbolic::Value*>> sorted = Sort(tracer, call, before);
  // The list gets its items back, in the order that they had been brought into.
  if (Tracer::IsRaised(sorted.status())) return symbolic::RaisingBreak("a sort that raises");
  DYNACC_RETURN_IF_ERROR(sorted.status());
  if (!items->empty()) return symbolic::RaisingBreak("a list that changes while it is sorted");
  *items = *std::move(sorted);
  return tracer.None();
}

}  // namespace builtins
}  // namespace dynacc::tracer
