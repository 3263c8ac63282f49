// KernelBuilder: kernels for tests, step by step.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/kernel/kernel.h"

namespace dynacc::kernel {

class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name) { kernel_.name = std::move(name); }

  int Input(DType dtype) {
    kernel_.inputs.push_back(dtype);
    return static_cast<int>(kernel_.inputs.size()) - 1;
  }

  // A step whose result follows from the op's row. Inputs must all be there already.
  int Step(Op op, int a, int b = -1, int c = -1) {
    const DType dtype = kernel_.DTypeOf(op == Op::kWhere ? b : a);
    const DType result = ResultOf(op, dtype);
    return Add({op, dtype, result, a, b, c});
  }
  int Cast(int a, DType result) { return Add({Op::kCast, kernel_.DTypeOf(a), result, a}); }
  int Library(Op op, int a, int b = -1) {
    KernelStep step{op, kernel_.DTypeOf(a), kernel_.DTypeOf(a), a, b};
    step.library = true;
    return Add(step);
  }

  // The user's line of the steps that follow.
  KernelBuilder& At(const char* file, int line) {
    file_ = file;
    line_ = line;
    return *this;
  }

  Kernel Build(std::vector<int> outputs) {
    kernel_.outputs = std::move(outputs);
    return kernel_;
  }

 private:
  int Add(KernelStep step) {
    step.file = file_;
    step.line = line_;
    kernel_.steps.push_back(step);
    return static_cast<int>(kernel_.inputs.size() + kernel_.steps.size()) - 1;
  }

  Kernel kernel_;
  const char* file_ = "";
  int line_ = 0;
};

}  // namespace dynacc::kernel
