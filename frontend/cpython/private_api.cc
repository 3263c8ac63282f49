#include "frontend/cpython/private_api.h"

#include "frontend/cpython/layout.h"

namespace dynacc {

Ref FindAttribute(BorrowedRef object, BorrowedRef name) { return LookupAttribute(object, name); }

bool KnowsImportErrors() { return kRaisesPlainImportErrors; }

bool ClassMethodsAskDescriptors() { return kClassMethodsAskDescriptors; }

bool UnpackingTellsSizes() { return kUnpackingTellsSizes; }

bool TuplesAskLengths() { return kTuplesAskLengths; }

bool RunsOfSortHoldEquals() { return kRunsOfSortHoldEquals; }

Ref ArgumentsOfRaised(BorrowedRef fetched) { return RaisedArguments(fetched); }

PyObject** PlaceOfAnnotate(BorrowedRef function) { return AnnotatePlace(function); }

BorrowedRef CommonConstant(int number) { return CommonConstantAt(number); }

bool HasCallOfItsOwn(const PyThreadState* thread, BorrowedRef callable) {
  const auto& known = thread->interp->callable_cache;
  return callable == known.len || callable == known.isinstance || callable == known.list_append;
}

}  // namespace dynacc
