// dynacc-program: what is in a program's file, whether it is good, who signed it, and in what two
// of them differ. docs/program.md, "Looking into a file".
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "embed/program/program_text.h"
#include "embed/program/text_diff.h"
#include "runtime/base/status_macros.h"
#include "runtime/program/program.h"
#include "runtime/signing/signing.h"

namespace dynacc::program {
namespace {

constexpr char kUsage[] =
    "usage: dynacc-program show FILE...                    inputs, guards, graph, kernels, sizes\n"
    "       dynacc-program verify [--weights W] FILE...    whether each can be loaded here\n"
    "       dynacc-program verify --key PUBLIC FILE...     and is signed by the owner of that key\n"
    "       dynacc-program sign --key PRIVATE FILE...      signs each, by Ed25519\n"
    "       dynacc-program diff A B                        in what they differ; 1 if they do\n"
    "Keys are PEM: openssl genpkey -algorithm ed25519 -out private.pem\n"
    "              openssl pkey -in private.pem -pubout -out public.pem\n";
constexpr int kSame = 0, kDiffer = 1, kTrouble = 2;

struct Arguments {
  std::string command, key, weights;  // key and weights: paths
  std::vector<std::string> files;
};

// Text from a file, of which a terminal sees nothing but printable characters.
void Print(const std::string& text) {
  for (const char c : text) {
    const bool is_control = (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f;
    std::fputc(is_control ? '?' : c, stdout);
  }
}

int Report(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return 1;
}

std::string PlaceOf(const Program& program) {
  return program.level().empty() ? "loops of the library" : program.level();
}

// Without its weights, if it needs any: to look at it.
absl::StatusOr<std::shared_ptr<const Program>> LoadToLookAt(const std::string& path) {
  DYNACC_ASSIGN_OR_RETURN(OwnedBytes file, MapFile(path));
  auto program = Program::FromBytes(std::move(file), {.may_lack_weights = true});
  if (!program.ok()) return Annotate(program.status(), path);
  return program;
}

int Show(const Arguments& arguments) {
  int result = 0;
  for (const std::string& path : arguments.files) {
    const auto program = LoadToLookAt(path);
    if (!program.ok()) {
      result = Report(program.status());
      continue;
    }
    Print(absl::StrCat(path, "\n"));
    Print(absl::StrCat("  runs here on ", PlaceOf(**program), "\n"));
    for (const TextPart& part : TextOf(**program)) {
      Print(absl::StrCat(part.title, "\n"));
      for (const std::string& line : part.lines) Print(absl::StrCat("  ", line, "\n"));
    }
  }
  return result;
}

// --- Signatures.

absl::StatusOr<std::string> TextOfFile(const std::string& path) {
  DYNACC_ASSIGN_OR_RETURN(const OwnedBytes file, MapFile(path));
  return std::string(file.bytes);
}

absl::Status SignFile(const std::string& path, const std::string& key) {
  DYNACC_ASSIGN_OR_RETURN(const std::string file, TextOfFile(path));
  DYNACC_ASSIGN_OR_RETURN(const std::string signed_file, signing::Sign(file, key));
  return WriteFileAtomically(path, signed_file);
}
int Sign(const Arguments& arguments) {
  const auto key = TextOfFile(arguments.key);
  if (!key.ok()) return Report(key.status());
  int result = 0;
  for (const std::string& path : arguments.files) {
    const absl::Status status = SignFile(path, *key);
    if (!status.ok()) result = Report(Annotate(status, path));
  }
  return result;
}

absl::Status VerifyOne(const Arguments& arguments, const std::string& path) {
  DYNACC_ASSIGN_OR_RETURN(const OwnedBytes file, MapFile(path));
  LoadOptions options = {.may_lack_weights = arguments.weights.empty()};
  if (!arguments.weights.empty()) {
    DYNACC_ASSIGN_OR_RETURN(options.weights, MapFile(arguments.weights));
  }
  DYNACC_ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                          Program::FromBytes(file, options));
  std::string is_signed;
  if (!arguments.key.empty()) {
    DYNACC_ASSIGN_OR_RETURN(const std::string key, TextOfFile(arguments.key));
    DYNACC_RETURN_IF_ERROR(signing::Verify(file.bytes, key));
    is_signed = ", signed";
  }
  Print(absl::StrCat(path, ": good", is_signed, ", ", program->size(), " bytes, runs on ",
                     PlaceOf(*program), "\n"));
  return absl::OkStatus();
}

int Verify(const Arguments& arguments) {
  int result = 0;
  for (const std::string& path : arguments.files) {
    const absl::Status status = VerifyOne(arguments, path);
    if (!status.ok()) result = Report(Annotate(status, path));
  }
  return result;
}

// --- Differences.

int Diff(const Arguments& arguments) {
  if (arguments.files.size() != 2) {
    std::fputs(kUsage, stderr);
    return kTrouble;
  }
  std::vector<std::vector<TextPart>> texts;
  for (const std::string& path : arguments.files) {
    const auto program = LoadToLookAt(path);
    if (!program.ok()) {
      Report(program.status());
      return kTrouble;
    }
    texts.push_back(TextOf(**program));
  }
  int result = kSame;
  for (size_t i = 0; i < texts[0].size(); ++i) {
    const std::vector<std::string> lines = DiffLines(texts[0][i].lines, texts[1][i].lines);
    if (lines.empty()) continue;
    result = kDiffer;
    Print(absl::StrCat(texts[0][i].title, "\n"));
    for (const std::string& line : lines) Print(absl::StrCat(line, "\n"));
  }
  return result;
}

struct Command {
  const char* name;
  int (*run)(const Arguments& arguments);
  bool needs_key;
  bool takes_options;
};
constexpr Command kCommands[] = {{"show", &Show, false, false},
                                 {"verify", &Verify, false, true},
                                 {"sign", &Sign, true, true},
                                 {"diff", &Diff, false, false}};

// False if they are none.
bool Read(int argc, char** argv, Arguments& arguments) {
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    std::string* const option = word == "--key"       ? &arguments.key
                                : word == "--weights" ? &arguments.weights
                                                      : nullptr;
    if (option == nullptr) {
      if (word.size() > 1 && word.substr(0, 2) == "--") return false;
      arguments.files.push_back(word);
      continue;
    }
    if (++i == argc) return false;
    *option = argv[i];
  }
  return !arguments.files.empty();
}

int Main(int argc, char** argv) {
  Arguments arguments;
  const std::string name = argc > 1 ? argv[1] : "";
  const bool is_read = Read(argc, argv, arguments);
  for (const Command& command : kCommands) {
    const bool has_options = !arguments.key.empty() || !arguments.weights.empty();
    const bool fits = is_read && (!command.needs_key || !arguments.key.empty()) &&
                      (command.takes_options || !has_options);
    if (name == command.name && fits) return command.run(arguments);
  }
  std::fputs(kUsage, stderr);
  return kTrouble;
}

}  // namespace
}  // namespace dynacc::program

int main(int argc, char** argv) { return dynacc::program::Main(argc, argv); }
