// dynacc-program: what is in a program's file.
//
//   dynacc-program show FILE...     inputs, guards, graph, kernels, sizes
//   dynacc-program verify FILE...   whether each can be loaded here, and why not
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/program/program.h"

namespace dynacc::program {
namespace {

constexpr char kUsage[] =
    "usage: dynacc-program show FILE...     inputs, guards, graph, kernels, sizes\n"
    "       dynacc-program verify FILE...   whether each can be loaded on this machine\n";

// Text from a file, of which a terminal sees nothing but printable characters.
void Print(const std::string& text) {
  for (const char c : text) {
    const bool is_control = (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f;
    std::fputc(is_control ? '?' : c, stdout);
  }
}

void ShowSignature(const Program& program) {
  const Signature& signature = program.signature();
  Print("inputs\n");
  for (const InputSpec& input : signature.inputs) {
    Print(absl::StrCat("  ", input.name, ": ", program.TypeText(input.dtype, input.shape),
                       input.constant < 0 ? "" : "  (the program's own)", "\n"));
  }
  for (const NumberSpec& number : signature.numbers) {
    Print(absl::StrCat("  ", number.name, ": ", ScalarTypeName(number.type), "\n"));
  }
  Print("guards\n");
  for (const std::string& text : program.SizeTexts()) Print(absl::StrCat("  ", text, "\n"));
  for (const ScalarId condition : signature.conditions) {
    Print(absl::StrCat("  ", program.scalars().ToString(condition), "\n"));
  }
  Print("outputs\n");
  for (const OutputSpec& output : signature.outputs) {
    Print(
        absl::StrCat("  ", output.name, ": ", program.TypeText(output.dtype, output.shape), "\n"));
  }
}

void ShowCode(const Program& program) {
  Print(absl::StrCat("graph\n", program.contents().graph, "kernels\n"));
  for (const KernelSpec& kernel : program.contents().kernels) Print(kernel.text);
  Print("code\n");
  for (const CodeSet& set : program.contents().code) {
    Print(absl::StrCat("  ", set.level, set.level == program.level() ? "  (runs here)" : "", "\n"));
  }
  Print("sections\n");
  const auto sections = SectionsOf(program.bytes());
  for (const SectionInfo& section : *sections) {
    Print(absl::StrCat("  ", section.name, ": ", section.size, " bytes at ", section.offset, "\n"));
  }
  Print(absl::StrCat("size ", program.size(), " bytes\n"));
}

int Show(const std::string& path, const Program& program) {
  Print(absl::StrCat(path, ": ", program.signature().function, ", by ", program.contents().producer,
                     "\n"));
  ShowSignature(program);
  ShowCode(program);
  return 0;
}

int Verify(const std::string& path, const Program& program) {
  const std::string level = program.level().empty() ? "loops of the library" : program.level();
  Print(absl::StrCat(path, ": good, ", program.size(), " bytes, runs on ", level, "\n"));
  return 0;
}

int Main(int argc, char** argv) {
  int (*const run)(const std::string&, const Program&) =
      argc > 2 && std::strcmp(argv[1], "show") == 0     ? &Show
      : argc > 2 && std::strcmp(argv[1], "verify") == 0 ? &Verify
                                                        : nullptr;
  if (run == nullptr) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  int result = 0;
  for (int i = 2; i < argc; ++i) {
    const auto program = Program::Load(argv[i]);
    if (!program.ok()) {
      std::fprintf(stderr, "%s\n", std::string(program.status().message()).c_str());
      result = 1;
      continue;
    }
    run(argv[i], **program);
  }
  return result;
}

}  // namespace
}  // namespace dynacc::program

int main(int argc, char** argv) { return dynacc::program::Main(argc, argv); }
