#include "frontend/frame/source_line.h"

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontend/cpython/describe.h"
#include "frontend/cpython/evaluator.h"
#include "frontend/cpython/ref.h"

namespace dynacc::frame {
namespace {

// What linecache has of a "file" that is none.
std::string CachedLine(const std::string& path, int line) {
  const HeldInterruptions held;
  const Ref name = Ref::Steal(PyUnicode_FromString("linecache"));
  const Ref module = Ref::Steal(name ? PyImport_GetModule(name.get()) : nullptr);
  const Ref text = Ref::Steal(
      module ? PyObject_CallMethod(module.get(), "getline", "si", path.c_str(), line) : nullptr);
  const bool is_text = text && PyUnicode_Check(text.get());
  std::string found = is_text ? StrText(text.get()) : "";
  PyErr_Clear();
  return found;
}

}  // namespace

std::string SourceLine(const std::string& path, int line) {
  std::ifstream file(path);
  std::string text;
  if (!file) text = CachedLine(path, line);
  for (int number = 0; file && number < line; ++number) {
    if (!std::getline(file, text)) return "";
  }
  return std::string(absl::StripAsciiWhitespace(text));
}

std::string CodeLabel(PyCodeObject* code, int line) {
  return absl::StrCat(StrText(code->co_qualname), " (", StrText(code->co_filename), ":", line, ")");
}

std::string DescribePlaces(absl::Span<const CodePlace> places, absl::string_view indent) {
  if (places.empty()) return "";
  std::string text;
  const std::string source = SourceLine(places[0].file, places[0].line);
  if (!source.empty()) absl::StrAppend(&text, "\n", indent, source);
  if (places.size() == 1) return text;
  absl::StrAppend(&text, "\n", indent, "in ", places[0].function, ", called by ");
  absl::StrAppend(
      &text,
      absl::StrJoin(places.subspan(1), ", by ", [](std::string* out, const CodePlace& place) {
        absl::StrAppend(out, place.function, " (", place.file, ":", place.line, ")");
      }));
  return text;
}

}  // namespace dynacc::frame
