#include "serve/model/program_model.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "dynacc/program.h"
#include "runtime/base/file_descriptor.h"
#include "runtime/base/status_macros.h"
#include "runtime/program/program.h"
#include "runtime/signing/signing.h"

namespace dynacc::model {
namespace {

using protocol::DataType;
using protocol::Tensor;

absl::Status ToStatus(const ProgramStatus& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.code), status.message);
}

struct ElementPair {
  int32_t element;
  DataType type;
};
constexpr ElementPair kElements[] = {
#define DYNACC_DATA_TYPE(enumerator, name, type, element, c_element) \
  {DYNACC_ELEMENT_##c_element, DataType::enumerator},
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE
};

std::optional<DataType> TypeOf(int32_t element) {
  for (const ElementPair& pair : kElements) {
    if (pair.element == element) return pair.type;
  }
  return std::nullopt;
}

int32_t ElementOf(DataType type) {
  return std::find_if(std::begin(kElements), std::end(kElements),
                      [&](const ElementPair& pair) { return pair.type == type; })
      ->element;
}

using DescribeFunction = dynacc_program_error* (*)(const dynacc_program*, size_t,
                                                   dynacc_program_array*);

absl::StatusOr<TensorSpec> Describe(const Program& program, DescribeFunction describe, size_t index,
                                    std::string name) {
  dynacc_program_array array = {};
  array.struct_size = sizeof array;
  DYNACC_RETURN_IF_ERROR(ToStatus(ProgramStatus::From(describe(program.handle(), index, &array))));
  const std::optional<DataType> type = TypeOf(array.element);
  if (!type) {
    return absl::UnimplementedError(
        absl::StrCat("'", name, "' has elements that the protocol has no datatype for"));
  }
  return TensorSpec{std::move(name), *type, {array.shape, array.shape + array.rank}};
}

// "y" for "result['y']", the item of a dict; other results are named as the program names them.
std::string OutputName(absl::string_view name) {
  absl::string_view key = name;
  const bool is_item = absl::ConsumePrefix(&key, "result['") && absl::ConsumeSuffix(&key, "']");
  return std::string(is_item && key.find('\'') == key.npos ? key : name);
}

bool IsInCOrder(const ProgramArray& array, size_t element_size) {
  int64_t expected = static_cast<int64_t>(element_size);
  for (size_t i = array.shape().size(); i-- > 0;) {
    if (array.shape()[i] != 1 && array.strides()[i] != expected) return false;
    expected *= array.shape()[i];
  }
  return true;
}

absl::StatusOr<Tensor> ToTensor(const TensorSpec& spec, ProgramArray array) {
  if (!IsInCOrder(array, protocol::ElementSize(spec.type))) {
    return CopyOf(spec.name, spec.type, array.data(), array.shape(), array.strides());
  }
  DYNACC_ASSIGN_OR_RETURN(const size_t size, ByteSize(spec.type, array.shape()));
  const auto owner = std::make_shared<ProgramArray>(std::move(array));
  return Tensor{spec.name,
                spec.type,
                {owner->shape().begin(), owner->shape().end()},
                {static_cast<const char*>(owner->data()), size},
                owner};
}

class ProgramModel : public Model {
 public:
  ProgramModel(Signature signature, Program program)
      : Model(std::move(signature)), program_(std::move(program)) {}

  absl::StatusOr<std::vector<Tensor>> Run(absl::Span<const Tensor> inputs,
                                          Clock::time_point deadline) const override {
    std::vector<std::vector<int64_t>> strides;
    std::vector<StridedInput> strided;
    for (const Tensor& input : inputs) {
      std::vector<int64_t>& own = strides.emplace_back(input.shape.size());
      int64_t stride = static_cast<int64_t>(protocol::ElementSize(input.type));
      for (size_t i = own.size(); i-- > 0;) {
        own[i] = stride;
        stride *= std::max<int64_t>(input.shape[i], 1);
      }
      strided.push_back({input.type, input.bytes.data(), input.shape, own});
    }
    return RunStrided(strided, deadline);
  }

  absl::StatusOr<std::vector<Tensor>> RunStrided(absl::Span<const StridedInput> inputs,
                                                 Clock::time_point deadline) const override {
    std::vector<ProgramArray> arrays;
    for (const StridedInput& input : inputs) {
      if (input.shape.size() > DYNACC_PROGRAM_MAX_RANK) {
        return absl::InvalidArgumentError(absl::StrCat("input '",
                                                       signature().inputs[arrays.size()].name,
                                                       "' has ", input.shape.size(), " axes"));
      }
      dynacc_program_array array = {};
      array.struct_size = sizeof array;
      array.data = const_cast<void*>(input.data);
      array.element = ElementOf(input.type);
      array.rank = static_cast<int32_t>(input.shape.size());
      std::copy(input.shape.begin(), input.shape.end(), array.shape);
      std::copy(input.strides.begin(), input.strides.end(), array.strides);
      arrays.push_back(ProgramArray::Over(array));
    }
    ProgramRunOptions options;
    if (deadline != kNever) {
      const auto left = std::chrono::nanoseconds(deadline - Clock::now()).count();
      if (left <= 0) return absl::DeadlineExceededError("no time is left");
      options.timeout_nanoseconds = left;
    }
    std::vector<ProgramArray> results(signature().outputs.size());
    DYNACC_RETURN_IF_ERROR(ToStatus(program_.Run(arrays, results, options)));
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < results.size(); ++i) {
      DYNACC_ASSIGN_OR_RETURN(Tensor output,
                              ToTensor(signature().outputs[i], std::move(results[i])));
      outputs.push_back(std::move(output));
    }
    return outputs;
  }

 private:
  const Program program_;
};

absl::Status CheckSignature(const std::string& path, const std::string& key) {
  DYNACC_ASSIGN_OR_RETURN(const program::OwnedBytes file, program::MapFile(path));
  return signing::Verify(file.bytes, key);
}

}  // namespace

absl::Status CheckTrustedKey(const std::string& key) { return signing::CheckPublicKey(key); }

absl::StatusOr<std::unique_ptr<Model>> LoadProgram(const ModelFile& file,
                                                   const std::string& trusted_key) {
  const FileDescriptor open_file(open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
  // What is checked is what is loaded, whatever becomes of the name meanwhile.
  const std::string path = open_file.is_open() && !trusted_key.empty()
                               ? absl::StrCat("/proc/self/fd/", open_file.get())
                               : file.path;
  if (!trusted_key.empty()) DYNACC_RETURN_IF_ERROR(CheckSignature(path, trusted_key));
  const auto program = Program::Load(path, file.weights);
  if (!program.ok()) return ToStatus(program.status());
  Signature signature;
  signature.platform = "dynacc_program";
  if (dynacc_program_number_count(program->handle()) > 0) {
    return absl::UnimplementedError(
        absl::StrCat("it takes the number '", dynacc_program_number_name(program->handle(), 0),
                     "' besides arrays; export it with an array in its place"));
  }
  for (size_t i = 0; i < program->input_count(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(TensorSpec spec,
                            Describe(*program, &dynacc_program_input, i, program->input_name(i)),
                            "an input");
    signature.inputs.push_back(std::move(spec));
  }
  for (size_t i = 0; i < program->output_count(); ++i) {
    DYNACC_ASSIGN_OR_RETURN(
        TensorSpec spec,
        Describe(*program, &dynacc_program_output, i, OutputName(program->output_name(i))),
        "an output");
    signature.outputs.push_back(std::move(spec));
  }
  return std::make_unique<ProgramModel>(std::move(signature), *program);
}

}  // namespace dynacc::model
