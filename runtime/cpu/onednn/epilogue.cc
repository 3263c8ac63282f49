#include "runtime/cpu/onednn/epilogue.h"

namespace dynacc::cpu {
namespace {

constexpr EpilogueInfo kInfos[] = {
#define DYNACC_EPILOGUE(name, text, form, exactness, algorithm) \
  {text, EpilogueForm::form, Exactness::exactness},
#include "runtime/cpu/onednn/epilogue.def"
#undef DYNACC_EPILOGUE
};

}  // namespace

const EpilogueInfo& Info(EpilogueKind kind) { return kInfos[static_cast<int>(kind)]; }

}  // namespace dynacc::cpu
