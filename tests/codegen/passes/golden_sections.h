// Golden files of graph passes: sections of text in, text out.
//
//   ### title
//   passes: algebra, dead_code
//   --- input
//   graph { ... }
//   --- expected
//   graph { ... }
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace dynacc::passes {

struct GoldenSection {
  std::string title;
  std::vector<std::string> passes;
  std::string input;
  std::string expected;
};

inline std::vector<GoldenSection> ParseGoldenSections(const std::string& text) {
  std::vector<GoldenSection> sections;
  std::string* body = nullptr;
  for (const absl::string_view piece : absl::StrSplit(text, '\n')) {
    const std::string line(piece);
    if (line.rfind("### ", 0) == 0) {
      sections.push_back({.title = line.substr(4), .passes = {}, .input = {}, .expected = {}});
      body = nullptr;
    } else if (sections.empty()) {
      continue;  // remarks above the first section
    } else if (line.rfind("passes: ", 0) == 0) {
      sections.back().passes = absl::StrSplit(line.substr(8), ", ");
    } else if (line == "--- input") {
      body = &sections.back().input;
    } else if (line == "--- expected") {
      body = &sections.back().expected;
    } else if (body != nullptr && !line.empty()) {
      absl::StrAppend(body, line, "\n");
    }
  }
  return sections;
}

inline std::string PrintGoldenSections(const std::vector<GoldenSection>& sections) {
  std::vector<std::string> texts;
  for (const GoldenSection& s : sections) {
    texts.push_back(absl::StrCat("### ", s.title, "\npasses: ", absl::StrJoin(s.passes, ", "),
                                 "\n--- input\n", s.input, "--- expected\n", s.expected));
  }
  return absl::StrJoin(texts, "\n");
}

}  // namespace dynacc::passes
