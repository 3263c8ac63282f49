// Golden files: sections of text in, text out. With DYNACC_UPDATE_GOLDENS=1 the expected parts are
// rewritten instead of compared (tools/update_goldens.py).
//
//   ### title
//   passes: algebra, dead_code
//   --- input
//   graph { ... }
//   --- expected
//   graph { ... }
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

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

// Runs every section of the folder's files through `transform`, which gives its output.
inline void CheckGoldenFolder(
    const std::filesystem::path& folder,
    absl::FunctionRef<absl::StatusOr<std::string>(const GoldenSection&)> transform) {
  const bool update = std::getenv("DYNACC_UPDATE_GOLDENS") != nullptr;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    std::vector<GoldenSection> sections = ParseGoldenSections(text.str());
    ASSERT_FALSE(sections.empty()) << entry.path();
    for (GoldenSection& section : sections) {
      SCOPED_TRACE(entry.path().filename().string() + ": " + section.title);
      const absl::StatusOr<std::string> actual = transform(section);
      ASSERT_TRUE(actual.ok()) << actual.status();
      if (!update) EXPECT_EQ(*actual, section.expected);
      section.expected = *actual;
    }
    if (update) std::ofstream(entry.path()) << PrintGoldenSections(sections);
  }
}

}  // namespace dynacc::passes
