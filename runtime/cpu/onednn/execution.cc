#include "runtime/cpu/onednn/execution.h"

#ifdef DYNACC_HAS_ONEDNN

#include <cstring>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cpu {
namespace {

struct StepRow {
  EpilogueKind kind;
  dnnl_alg_kind_t algorithm;
};
constexpr StepRow kSteps[] = {
#define DYNACC_EPILOGUE(name, text, form, exactness, algorithm) {EpilogueKind::k##name, algorithm},
#include "runtime/cpu/onednn/epilogue.def"
#undef DYNACC_EPILOGUE
};

// Calls may be made on any thread, and a stream is of one.
absl::StatusOr<dnnl_stream_t> StreamOfThread(const OneDnn& library) {
  // As many as there are threads; kept with them, as the library may be gone before they end.
  static thread_local dnnl_stream_t stream = nullptr;
  if (stream == nullptr) {
    DYNACC_RETURN_IF_ERROR(
        OneDnnError(library.stream_create(&stream, library.engine, dnnl_stream_default_flags),
                    "stream_create"));
  }
  return stream;
}

}  // namespace

absl::Status RequireFastCode(const OneDnn& library, dnnl_primitive_desc_t description) {
  const char* implementation = nullptr;
  DYNACC_RETURN_IF_ERROR(OneDnnError(
      library.primitive_desc_query(description, dnnl_query_impl_info_str, 0, &implementation),
      "primitive_desc_query"));
  if (!absl::StartsWith(implementation, "ref")) return absl::OkStatus();
  return absl::UnavailableError("oneDNN has only plain loops for a product");
}

void AddToKey(absl::Span<const FusedMatmulStep> epilogue, std::vector<int64_t>& key) {
  for (const FusedMatmulStep& step : epilogue) {
    uint32_t parameters[2];
    std::memcpy(&parameters[0], &step.alpha, sizeof(float));
    std::memcpy(&parameters[1], &step.beta, sizeof(float));
    key.insert(key.end(), {static_cast<int64_t>(step.kind), int64_t{step.is_row},
                           int64_t{parameters[0]}, int64_t{parameters[1]}});
  }
}

Attributes::~Attributes() {
  if (steps_ != nullptr) library_.post_ops_destroy(steps_);
  if (attributes_ != nullptr) library_.primitive_attr_destroy(attributes_);
}

absl::Status Attributes::Append(const FusedMatmulStep& step, const MemoryDescription& array) {
  if (steps_ == nullptr) {
    DYNACC_RETURN_IF_ERROR(OneDnnError(library_.post_ops_create(&steps_), "post_ops_create"));
  }
  const dnnl_alg_kind_t algorithm = kSteps[static_cast<int>(step.kind)].algorithm;
  if (Info(step.kind).form == EpilogueForm::kArray) {
    return OneDnnError(library_.post_ops_append_binary(steps_, algorithm, array.get()),
                       "post_ops_append_binary");
  }
  return AppendFunction(library_, steps_, algorithm, step.alpha, step.beta);
}

absl::Status Attributes::Finish() {
  DYNACC_RETURN_IF_ERROR(
      OneDnnError(library_.primitive_attr_create(&attributes_), "primitive_attr_create"));
  if (steps_ != nullptr) {
    DYNACC_RETURN_IF_ERROR(
        OneDnnError(library_.primitive_attr_set_post_ops(attributes_, steps_), "set_post_ops"));
  }
  return OneDnnError(
      library_.primitive_attr_set_scratchpad_mode(attributes_, dnnl_scratchpad_mode_user),
      "set_scratchpad_mode");
}

Arguments::~Arguments() {
  for (const dnnl_exec_arg_t& argument : all_) library_.memory_destroy(argument.memory);
}

absl::Status Arguments::Add(int role, const MemoryDescription& what, const char* data) {
  dnnl_memory_t memory = nullptr;
  DYNACC_RETURN_IF_ERROR(OneDnnError(
      library_.memory_create(&memory, what.get(), library_.engine, const_cast<char*>(data)),
      "memory_create"));
  all_.push_back({role, memory});
  return absl::OkStatus();
}

absl::Status Arguments::AddSteps(absl::Span<const FusedMatmulStep> epilogue,
                                 absl::Span<const MemoryDescription> arrays) {
  for (size_t i = 0; i < epilogue.size(); ++i) {
    if (epilogue[i].data == nullptr) continue;
    const int role = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) | DNNL_ARG_SRC_1;
    DYNACC_RETURN_IF_ERROR(Add(role, arrays[i], epilogue[i].data));
  }
  return absl::OkStatus();
}

absl::Status Arguments::Execute(dnnl_primitive_t primitive) const {
  DYNACC_ASSIGN_OR_RETURN(dnnl_stream_t stream, StreamOfThread(library_));
  return OneDnnError(
      library_.primitive_execute(primitive, stream, static_cast<int>(all_.size()), all_.data()),
      "primitive_execute");
}

absl::StatusOr<dnnl_primitive_t> MakeReorder(const OneDnn& library, const MemoryDescription& from,
                                             const MemoryDescription& to) {
  dnnl_primitive_desc_t description = nullptr;
  DYNACC_RETURN_IF_ERROR(
      OneDnnError(library.reorder_primitive_desc_create(&description, from.get(), library.engine,
                                                        to.get(), library.engine, nullptr),
                  "reorder_primitive_desc_create"));
  const absl::Cleanup destroy_description = [&] { library.primitive_desc_destroy(description); };
  dnnl_primitive_t code = nullptr;
  DYNACC_RETURN_IF_ERROR(
      OneDnnError(library.primitive_create(&code, description), "primitive_create"));
  return code;
}

absl::Status Reorder(const OneDnn& library, dnnl_primitive_t code, const MemoryDescription& from,
                     const char* data, const MemoryDescription& to, char* result) {
  Arguments arguments(library);
  DYNACC_RETURN_IF_ERROR(arguments.Add(DNNL_ARG_FROM, from, data));
  DYNACC_RETURN_IF_ERROR(arguments.Add(DNNL_ARG_TO, to, result));
  return arguments.Execute(code);
}

}  // namespace dynacc::cpu

#endif  // DYNACC_HAS_ONEDNN
