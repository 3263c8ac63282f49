// The file of a program: what is in it, to bytes and back. docs/program.md has every byte.
//
// Nothing of a file is looked at before its hash was compared, but for the header. What the hash
// cannot find (a file that somebody made on purpose) may be refused or not; to run a program is to
// run its code, so a program is to be trusted as a shared library is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/cache/content_hash.h"
#include "runtime/scalar/scalar_program.h"
#include "runtime/tensor/dtype.h"

namespace dynacc::program {

inline constexpr uint32_t kFormatVersion = 1;

// An array that the graph takes. `shape`: expressions of the plan's scalar program.
struct InputSpec {
  std::string name;  // as the function's author says it: "x", "params['w'][0]"
  DType dtype = DType::kFloat64;
  std::vector<ScalarId> shape;
  int constant = -1;  // the program's own array of this number; -1: the caller's
};

// A Python number that the graph takes from the caller: one of the scalar program's inputs.
struct NumberSpec {
  std::string name;
  ScalarType type = ScalarType::kInt;
};

struct OutputSpec {
  std::string name;  // "result", "result['rows']"
  DType dtype = DType::kFloat64;
  std::vector<ScalarId> shape;
};

struct Signature {
  std::string function;  // what was exported: "score (model.py:12)"
  std::vector<InputSpec> inputs;
  std::vector<NumberSpec> numbers;  // one for each input of the scalar program that no size gives
  std::vector<OutputSpec> outputs;
  std::vector<ScalarId> conditions;  // that must be true
  std::string python;  // the function's parameters and result as JSON, for dynacc.load_program
};

// A kernel: what it computes, and where its code is.
struct KernelSpec {
  std::string text;  // runtime/kernel/kernel_text.h
  int lanes = 0;     // of a vector in its module
  int module = 0;    // in each CodeSet
};

// The kernels' code for a level of x86-64 (runtime/platform/cpu_level.h).
struct CodeSet {
  std::string level;
  std::vector<std::string> objects;  // ELF relocatable objects, one for each module
};

struct ConstantSpec {
  DType dtype = DType::kFloat64;
  std::vector<int64_t> shape;
  absl::string_view bytes;  // in C order; in a file at a multiple of 64 bytes
};

// A constant whose elements are in another file, of the format safetensors (safetensors.h).
struct WeightSpec {
  int constant = 0;  // its bytes are empty
  std::string name;  // in that file
  // If it must be this very array: the hash of its bytes (HashParts).
  std::optional<cache::ContentHash> hash;
};

// Where in the user's program a step of the plan comes from: "score.py:12".
struct StepPlace {
  int step = 0;
  std::string place;
};

struct ProgramContents {
  std::string producer;  // "dynacc 0.1.0"
  Signature signature;
  std::string graph;  // as text, for people
  std::string plan;   // plan_archive.h
  std::vector<KernelSpec> kernels;
  std::vector<CodeSet> code;
  std::vector<ConstantSpec> constants;
  std::vector<WeightSpec> weights;  // of the constants, those that are outside
  std::vector<StepPlace> places;    // of the steps that may end a run
};

// The bytes of a file.
std::string WriteProgram(const ProgramContents& contents);

// The contents of a file; constants are views of `bytes`. INVALID_ARGUMENT with the reason: no
// program, cut off, damaged, from a newer version, for another machine.
absl::StatusOr<ProgramContents> ReadProgram(absl::string_view bytes);

// A signature by Ed25519 (runtime/signing makes and checks them), as a section has it.
struct Seal {
  char key[32];  // the public one
  char signature[64];
};

// The file with that seal in the place of any that it had, and with the hash of all of it.
absl::StatusOr<std::string> WithSeal(absl::string_view file, const Seal& seal);

// A file's seal, and what it signs, in order: everything but the file's hash and the signature.
struct SealedFile {
  std::optional<Seal> seal;
  std::vector<absl::string_view> signed_parts;
};
absl::StatusOr<SealedFile> FindSeal(absl::string_view file);

// A section of a file, for people.
struct SectionInfo {
  std::string name;
  uint64_t offset;
  uint64_t size;
};
absl::StatusOr<std::vector<SectionInfo>> SectionsOf(absl::string_view bytes);

// Writes `bytes` under another name beside `path`, and renames: `path` is whole at any time.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view bytes);

}  // namespace dynacc::program
