#include "frontend/cpython/iterators.h"

#include "frontend/cpython/layout.h"

namespace dynacc {
namespace {

RangeIterator* AsRange(BorrowedRef iterator) { return reinterpret_cast<RangeIterator*>(iterator); }

}  // namespace

RangeRest RestOfRange(BorrowedRef iterator) {
  const RangeIterator* range = AsRange(iterator);
  return {static_cast<int64_t>(range->Next()), range->step, range->Rounds()};
}

void LeaveInRange(BorrowedRef iterator, int64_t rounds) { AsRange(iterator)->Leave(rounds); }

}  // namespace dynacc
