#include "embed/program/program_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace dynacc::program {
namespace {

std::vector<std::string> LinesOf(absl::string_view text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

const WeightSpec* WeightOf(const Program& program, int constant) {
  for (const WeightSpec& weight : program.contents().weights) {
    if (weight.constant == constant) return &weight;
  }
  return nullptr;
}

std::string Hex(const cache::ContentHash& hash) {
  return absl::StrCat(absl::Hex(hash.high, absl::kZeroPad16),
                      absl::Hex(hash.low, absl::kZeroPad16));
}

std::vector<std::string> InputLines(const Program& program) {
  std::vector<std::string> lines;
  for (const InputSpec& input : program.signature().inputs) {
    const char* const place = input.constant < 0 ? ""
                              : WeightOf(program, input.constant) != nullptr
                                  ? "  (a weight outside)"
                                  : "  (the program's own)";
    lines.push_back(
        absl::StrCat(input.name, ": ", program.TypeText(input.dtype, input.shape), place));
  }
  for (const NumberSpec& number : program.signature().numbers) {
    lines.push_back(absl::StrCat(number.name, ": ", ScalarTypeName(number.type)));
  }
  return lines;
}

std::vector<std::string> GuardLines(const Program& program) {
  std::vector<std::string> lines = program.SizeTexts();
  for (const ScalarId condition : program.signature().conditions) {
    lines.push_back(program.scalars().ToString(condition));
  }
  return lines;
}

// Each of the program's arrays, with the hash of its elements.
std::vector<std::string> ArrayLines(const Program& program) {
  std::vector<std::string> lines;
  const ProgramContents& contents = program.contents();
  for (const InputSpec& input : contents.signature.inputs) {
    if (input.constant < 0) continue;
    const ConstantSpec& constant = contents.constants[input.constant];
    const WeightSpec* const weight = WeightOf(program, input.constant);
    const std::string type =
        absl::StrCat(Info(constant.dtype).text, "[", absl::StrJoin(constant.shape, ", "), "]");
    const std::string elements = weight == nullptr ? Hex(cache::HashParts({constant.bytes}))
                                 : weight->hash
                                     ? absl::StrCat("outside, pinned, ", Hex(*weight->hash))
                                     : "outside";
    lines.push_back(absl::StrCat(input.name, ": ", type, "  ", elements));
  }
  return lines;
}

std::vector<std::string> SectionLines(const Program& program) {
  std::vector<std::string> lines;
  const auto sections = SectionsOf(program.bytes());
  for (const SectionInfo& section : *sections) {
    lines.push_back(absl::StrCat(section.name, ": ", section.size, " bytes at ", section.offset));
  }
  lines.push_back(absl::StrCat("all: ", program.size(), " bytes"));
  return lines;
}

}  // namespace

std::vector<TextPart> TextOf(const Program& program) {
  const ProgramContents& contents = program.contents();
  std::vector<TextPart> parts = {
      {"function", {absl::StrCat(contents.signature.function, ", by ", contents.producer)}},
      {"inputs", InputLines(program)},
      {"guards", GuardLines(program)},
      {"outputs", {}},
      {"graph", LinesOf(contents.graph)},
      {"kernels", {}},
      {"code", {}},
      {"arrays", ArrayLines(program)},
      {"sections", SectionLines(program)},
  };
  const auto lines_of = [&parts](absl::string_view title) -> std::vector<std::string>& {
    return std::find_if(parts.begin(), parts.end(),
                        [title](const TextPart& part) { return part.title == title; })
        ->lines;
  };
  for (const OutputSpec& output : contents.signature.outputs) {
    lines_of("outputs").push_back(
        absl::StrCat(output.name, ": ", program.TypeText(output.dtype, output.shape)));
  }
  for (const KernelSpec& kernel : contents.kernels) {
    for (std::string& line : LinesOf(kernel.text)) lines_of("kernels").push_back(std::move(line));
  }
  for (const CodeSet& set : contents.code) {
    lines_of("code").push_back(set.level);
  }
  return parts;
}

}  // namespace dynacc::program
