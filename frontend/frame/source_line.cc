#include "frontend/frame/source_line.h"

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "frontend/cpython/describe.h"

namespace dynacc::frame {

std::string SourceLine(const std::string& path, int line) {
  std::ifstream file(path);
  std::string text;
  for (int number = 0; number < line; ++number) {
    if (!std::getline(file, text)) return "";
  }
  return std::string(absl::StripAsciiWhitespace(text));
}

std::string CodeLabel(PyCodeObject* code, int line) {
  return absl::StrCat(StrText(code->co_qualname), " (", StrText(code->co_filename), ":", line, ")");
}

}  // namespace dynacc::frame
