#include "frontend/tracer/names.h"

#include <cstring>

#include "frontend/symbolic/trace_context.h"

namespace dynacc::tracer {

absl::StatusOr<std::string> NameText(BorrowedRef name) {
  Py_ssize_t size;
  const char* const text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) PyErr_Clear();
  if (text == nullptr || std::strlen(text) != static_cast<size_t>(size)) {
    return symbolic::GraphBreak("a name that is no text");
  }
  return std::string(text);
}

}  // namespace dynacc::tracer
