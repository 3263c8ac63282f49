// GraphExecutor: a CompiledGraph as a list of steps over planned buffers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/executor/compiled_graph.h"
#include "runtime/executor/plan.h"
#include "runtime/executor/step.h"

namespace dynacc {

class GraphExecutor : public CompiledGraph {
 public:
  GraphExecutor(std::vector<BufferPlan> buffers, std::vector<std::unique_ptr<const Step>> steps,
                std::string description)
      : buffers_(std::move(buffers)),
        steps_(std::move(steps)),
        description_(std::move(description)) {}

  absl::StatusOr<uint32_t> Run(const RunArguments& arguments) const override;
  std::string Describe() const override { return description_; }

 private:
  std::vector<BufferPlan> buffers_;
  std::vector<std::unique_ptr<const Step>> steps_;
  std::string description_;
};

}  // namespace dynacc
