// libdynacc_serve_python.so: Python models by libdynacc_embed. A server opens it when it meets the
// first one (serve/model/python_models.h).
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "dynacc/embed.h"
#include "runtime/base/status_macros.h"
#include "serve/log/log.h"
#include "serve/model/python_models.h"

namespace dynacc::python {
namespace {

using model::Clock;
using model::Settings;
using model::Signature;
using model::TensorSpec;
using protocol::DataType;

struct ElementPair {
  ElementType element;
  DataType type;
};
constexpr ElementPair kElements[] = {
#define DYNACC_DATA_TYPE(enumerator, name, type, element, c_element) \
  {ElementType::k##element, DataType::enumerator},
#include "serve/protocol/data_types.def"
#undef DYNACC_DATA_TYPE
};

absl::StatusOr<protocol::Tensor> ToOutput(const TensorSpec& spec, const Value& value) {
  const auto wrong = [&](auto... text) {
    return absl::InternalError(absl::StrCat("output '", spec.name, "' ", text...));
  };
  if (!value.Is<dynacc::Tensor>()) return wrong("is no array");
  const TensorView& view = value.tensor().view();
  if (view.device != 0) return wrong("is not in the host's memory");
  const auto* const pair = std::find_if(std::begin(kElements), std::end(kElements),
                                        [&](const auto& row) { return row.element == view.type; });
  if (pair == std::end(kElements) || pair->type != spec.type) {
    return wrong("has not the datatype ", protocol::DataTypeName(spec.type), " of model.json");
  }
  bool fits = view.shape.size() == spec.shape.size();
  for (size_t i = 0; fits && i < spec.shape.size(); ++i) {
    fits = spec.shape[i] < 0 || spec.shape[i] == view.shape[i];
  }
  if (!fits) return wrong("has not the shape of model.json");
  return CopyOf(spec.name, spec.type, view.data, view.shape, view.strides);
}

class PythonModel : public model::Model {
 public:
  PythonModel(Signature signature, Function function)
      : Model(std::move(signature)), function_(std::move(function)) {}

  absl::StatusOr<std::vector<protocol::Tensor>> Run(absl::Span<const protocol::Tensor> inputs,
                                                    Clock::time_point deadline) const override {
    std::vector<Value> arguments;
    for (const protocol::Tensor& input : inputs) {
      const auto* const pair =
          std::find_if(std::begin(kElements), std::end(kElements),
                       [&](const auto& row) { return row.type == input.type; });
      TensorView view = {
          const_cast<char*>(input.bytes.data()), pair->element, input.shape, {}, false};
      // The request's memory lives as long as Python wants it.
      arguments.emplace_back(dynacc::Tensor::Adopt(std::move(view), [owner = input.owner] {}));
    }
    CallOptions options;
    if (deadline != model::kNever) {
      options.deadline = absl::Now() + absl::FromChrono(deadline - Clock::now());
    }
    const absl::StatusOr<Value> result = function_.Call(arguments, options);
    if (!result.ok()) return Explained(result.status());
    std::vector<protocol::Tensor> outputs;
    for (size_t i = 0; i < signature().outputs.size(); ++i) {
      const TensorSpec& spec = signature().outputs[i];
      const Value* const value = Find(*result, spec.name, i);
      if (value == nullptr) {
        return absl::InternalError(absl::StrCat("the function gave no output '", spec.name, "'"));
      }
      DYNACC_ASSIGN_OR_RETURN(protocol::Tensor output, ToOutput(spec, *value));
      outputs.push_back(std::move(output));
    }
    return outputs;
  }

 private:
  // The array of a dict by name, of a tuple or list by place, or the result itself.
  const Value* Find(const Value& result, const std::string& name, size_t place) const {
    if (result.Is<Dict>()) {
      for (const auto& [key, value] : result.As<Dict>()) {
        if (key == name) return &value;
      }
      return nullptr;
    }
    if (result.Is<List>()) {
      const List& list = result.As<List>();
      return list.size() == signature().outputs.size() ? &list[place] : nullptr;
    }
    return signature().outputs.size() == 1 ? &result : nullptr;
  }

  // The client is told the exception, the log its traceback.
  static absl::Status Explained(const absl::Status& status) {
    const auto error = PythonErrorOf(status);
    if (!error || absl::IsDeadlineExceeded(status)) return status;
    log::Write(log::Level::kError, "Python model failed", {{"traceback", error->traceback}});
    const bool is_clients = absl::IsInvalidArgument(status);
    return absl::Status(is_clients ? status.code() : absl::StatusCode::kInternal,
                        absl::StrCat(error->type, ": ", error->message));
  }

  const Function function_;
};

class EmbeddedPython : public model::PythonModels {
 public:
  explicit EmbeddedPython(std::unique_ptr<Runtime> runtime) : runtime_(std::move(runtime)) {}

  absl::StatusOr<std::unique_ptr<model::Model>> Load(const std::string& file,
                                                     const Settings& settings) override {
    DYNACC_ASSIGN_OR_RETURN(const Module module, runtime_->LoadFile(file));
    DYNACC_ASSIGN_OR_RETURN(Function function, module.Get(settings.python_function));
    Signature signature = {"dynacc_python", settings.inputs, settings.outputs};
    return std::make_unique<PythonModel>(std::move(signature), std::move(function));
  }

 private:
  const std::unique_ptr<Runtime> runtime_;
};

}  // namespace

absl::StatusOr<model::PythonModels*> StartEmbedded() {
  RuntimeOptions options;
  options.log_sink = [](absl::string_view line) {
    log::Write(log::Level::kInfo, "Python", {{"line", std::string(line)}});
  };
  DYNACC_ASSIGN_OR_RETURN(std::unique_ptr<Runtime> runtime, Runtime::Start(options),
                          "starting Python");
  return new EmbeddedPython(std::move(runtime));  // for as long as the process lives
}

}  // namespace dynacc::python

extern "C" __attribute__((visibility("default"))) absl::StatusOr<dynacc::model::PythonModels*>
dynacc_serve_start_python_models() {
  return dynacc::python::StartEmbedded();
}
