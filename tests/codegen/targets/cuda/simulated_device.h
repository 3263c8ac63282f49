// What tests on the simulated device (tests/cuda_sim) share: the fixture, tensors on the device,
// and runs of tensors. The tests define DYNACC_CUDA_SIM, the library.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "codegen/compile/compiler.h"
#include "codegen/ir/graph_text.h"
#include "runtime/base/options.h"
#include "runtime/cuda/cuda_memory.h"
#include "runtime/executor/offload.h"
#include "tests/codegen/mimic_loops.h"

namespace dynacc::testing {

// Replaces the device's settings and faults (tests/cuda_sim/faults.h).
inline void ConfigureSimulator(const std::string& settings) {
  static void* const library = dlopen(DYNACC_CUDA_SIM, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  reinterpret_cast<void (*)(const char*)>(dlsym(library, "DynaccSimConfigure"))(settings.c_str());
}

class SimulatedDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RegisterMimicLoops();
    ProcessOptions().cuda_driver = DYNACC_CUDA_SIM;
    ProcessOptions().nvrtc = DYNACC_CUDA_SIM;
    ConfigureSimulator("");
    ASSERT_TRUE(cuda::ProcessCudaDriver().ok()) << cuda::ProcessCudaDriver().status();
  }
};

inline cuda::CudaDevice& TheDevice() { return **cuda::ProcessCudaDevice(0); }

// A tensor on the device.
struct OnDevice {
  std::shared_ptr<cuda::CudaMemory> memory;
  StridedView view;
};

template <typename T>
OnDevice ToDevice(const std::vector<T>& values, DType dtype, std::vector<int64_t> shape) {
  OnDevice made;
  made.view.dtype = dtype;
  made.view.rank = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), made.view.shape);
  SetContiguousStrides(made.view);
  made.memory = *cuda::CudaMemory::Allocate(TheDevice(), values.size() * sizeof(T));
  made.view.data = reinterpret_cast<char*>(made.memory->pointer());
  EXPECT_TRUE(cuda::OnTensorStream(TheDevice(), [&](cuda::CudaStream& stream) {
                return stream.CopyToDevice(made.memory->pointer(),
                                           reinterpret_cast<const char*>(values.data()),
                                           values.size() * sizeof(T));
              }).ok());
  return made;
}

// The elements of a tensor in C order.
template <typename T = double>
std::vector<T> ToHost(const StridedView& view) {
  std::vector<T> values(view.size());
  EXPECT_TRUE(cuda::OnTensorStream(TheDevice(), [&](cuda::CudaStream& stream) {
                return stream.CopyToHost(reinterpret_cast<char*>(values.data()),
                                         reinterpret_cast<cuda::DevicePointer>(view.data),
                                         values.size() * sizeof(T));
              }).ok());
  return values;
}

// Bytes of the device's memory that are in use once all work is done.
inline uint64_t UsedOnDevice() {
  EXPECT_TRUE(cuda::OnTensorStream(TheDevice(), [](cuda::CudaStream& stream) {
                return stream.Synchronize();
              }).ok());
  return TheDevice().MemoryStats()->used;
}

// Keeps what it is given, without allocating.
class KeepingSink : public executor::OutputSink {
 public:
  absl::Status Allocate(int, StridedView&) override {
    return absl::InternalError("a result of a resident run in host memory");
  }
  bool Adopt(int index, const std::shared_ptr<executor::LibraryCallResult>& result) override {
    results[index] = result;
    return true;
  }
  bool MayWriteBack(uint32_t) override { return may_write; }

  bool may_write = true;
  std::shared_ptr<executor::LibraryCallResult> results[2];
};

// A graph of tensors that are on the device and stay there, compiled once.
class ResidentGraph {
 public:
  ResidentGraph(const std::string& text, std::vector<bool> outputs, bool cuda_graphs = false)
      : graph_(*ir::ParseGraph(text)) {
    compile::CompileOptions options;
    options.target = "cuda";
    options.label = "f (prog.py:3)";
    options.cuda_graphs = cuda_graphs;
    options.placement.device = 1;
    options.placement.outputs = std::move(outputs);
    auto compiled = compile::CompileGraph(*graph_, options);
    EXPECT_TRUE(compiled.ok()) << compiled.status();
    if (compiled.ok()) compiled_ = *compiled;
    scalars_.resize(graph_->scalars().size());
    EXPECT_TRUE(graph_->scalars().Evaluate({}, absl::MakeSpan(scalars_)));
  }

  absl::Status Run(absl::Span<const StridedView> inputs, KeepingSink& sink) const {
    executor::RunArguments arguments;
    arguments.inputs = inputs;
    arguments.scalars = scalars_;
    arguments.sink = &sink;
    return compiled_->Run(arguments).status();
  }

 private:
  std::unique_ptr<ir::Graph> graph_;
  std::shared_ptr<const executor::CompiledGraph> compiled_;
  std::vector<ScalarValue> scalars_;
};

}  // namespace dynacc::testing
