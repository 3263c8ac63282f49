#include "frontend/guards/guard.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/name_lookup.h"
#include "frontend/guards/checks.h"

namespace dynacc::guards {
namespace {

constexpr const char* kForms[] = {
#define DYNACC_GUARD(kind, form, doc) form,
#include "frontend/guards/guards.def"
#undef DYNACC_GUARD
};

std::string DTypeText(int64_t dtype) {
  return dtype >= 0 && dtype < kNumDTypes ? kDTypeInfo[dtype].text : "?";
}

}  // namespace

std::string Guard::ObjectText() const {
  return object ? DescribeObject(object.get()) : "what is gone";
}

std::string Guard::ToString() const {
  return absl::StrReplaceAll(kForms[static_cast<int>(kind)], {{"$s", source->ToString()},
                                                              {"$o", ObjectText()},
                                                              {"$a", absl::StrCat(a)},
                                                              {"$b", absl::StrCat(b)},
                                                              {"$d", DTypeText(b)}});
}

bool CheckGuard(const Guard& guard, BorrowedRef value) {
  if (value == Unreadable()) return false;
  return VisitCheck(guard.kind, [&]<typename Check>() { return Check::Check(guard, value); });
}

std::string ExplainGuard(const Guard& guard, BorrowedRef value) {
  if (value == Unreadable()) return "only Python code could tell";
  return VisitCheck(guard.kind, [&]<typename Check>() { return Check::Explain(guard, value); });
}

}  // namespace dynacc::guards
