#include "codegen/compile/targets.h"

#include "codegen/targets/cpu/cpu_target.h"
#include "codegen/targets/tile/tile_target.h"
#ifdef DYNACC_HAS_CUDA_TARGET
#include "codegen/targets/cuda/cuda_target.h"
#endif

namespace dynacc {
namespace {

struct TargetRow {
  const char* name;
  const Target* (*get)();
};

constexpr TargetRow kTargets[] = {
#define DYNACC_TARGET(function, name, doc) {name, function},
#include "codegen/compile/targets.def"
#undef DYNACC_TARGET
};

}  // namespace

const Target* FindTarget(absl::string_view name) {
  for (const TargetRow& row : kTargets) {
    if (name == row.name) return row.get();
  }
  return nullptr;
}

}  // namespace dynacc
