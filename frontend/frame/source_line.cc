#include "frontend/frame/source_line.h"

#include <fstream>

#include "absl/strings/ascii.h"

namespace dynacc {

std::string SourceLine(const std::string& path, int line) {
  std::ifstream file(path);
  std::string text;
  for (int number = 0; number < line; ++number) {
    if (!std::getline(file, text)) return "";
  }
  return std::string(absl::StripAsciiWhitespace(text));
}

}  // namespace dynacc
