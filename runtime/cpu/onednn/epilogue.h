// The kinds of epilogues: what oneDNN can do to each element of a matrix product before it stores
// it (epilogue.def). codegen/schedule/epilogue_matcher.h finds them in a graph.
#pragma once

#include <cstdint>

namespace dynacc::cpu {

enum class EpilogueKind : uint8_t {
#define DYNACC_EPILOGUE(name, text, form, exactness, algorithm) k##name,
#include "runtime/cpu/onednn/epilogue.def"
#undef DYNACC_EPILOGUE
};

enum class EpilogueForm : uint8_t { kArray, kFunction };
enum class Exactness : uint8_t { kExact, kClose };

struct EpilogueInfo {
  const char* text;
  EpilogueForm form;
  Exactness exactness;
};
const EpilogueInfo& Info(EpilogueKind kind);

}  // namespace dynacc::cpu
