#include "frontend/numpy/trace/versioned_keywords.h"

#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/arguments.h"
#include "frontend/numpy/trace/bound_args.h"

namespace dynacc::numpy {
namespace {

struct Row {
  absl::string_view function;
  absl::string_view keyword;
  const char* parameter;
  int first;
  int last;
};

constexpr Row kRows[] = {
#define DYNACC_NUMPY_KEYWORD(function, keyword, parameter, first, last) \
  {function, keyword, parameter, first, last},
#include "frontend/numpy/trace/numpy_keywords.def"
#undef DYNACC_NUMPY_KEYWORD
};

const Row* FindRow(absl::string_view function, absl::string_view keyword) {
  for (const Row& row : kRows) {
    if (row.function == function && row.keyword == keyword) return &row;
  }
  return nullptr;
}

// None, or the name of NumPy's only device.
bool ChangesNothing(symbolic::Value* value) {
  auto* const constant = symbolic::As<symbolic::ConstantValue>(value);
  if (constant == nullptr) return false;
  BorrowedRef object = constant->object.get();
  return object == Py_None ||
         (PyUnicode_CheckExact(object) && PyUnicode_CompareWithASCIIString(object, "cpu") == 0);
}

}  // namespace

absl::StatusOr<arrays::CallArgs> AsRowKnows(absl::string_view name, const arrays::CallArgs& args) {
  arrays::CallArgs known = args;
  known.keywords.clear();
  for (const auto& [keyword, value] : args.keywords) {
    const Row* const row = FindRow(name, keyword.text());
    if (row == nullptr) {
      known.keywords.emplace_back(keyword, value);
      continue;
    }
    if (NumpyVersion() < row->first || NumpyVersion() > row->last) {
      return symbolic::RaisingBreak("a keyword that this version of NumPy lacks");
    }
    if (*row->parameter != '\0') {
      known.keywords.emplace_back(row->parameter, value);
    } else if (!ChangesNothing(value)) {
      return symbolic::GraphBreak("a keyword that changes what is done");
    }
  }
  return known;
}

}  // namespace dynacc::numpy
