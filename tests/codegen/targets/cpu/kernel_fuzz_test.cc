// Random kernels, compiled, against a plain interpreter: the same bytes for every length, layout
// and aliasing of operands.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "codegen/emit/emitter.h"
#include "codegen/targets/cpu/cpu_target.h"
#include "runtime/kernel/library_loops.h"
#include "tests/codegen/targets/cpu/random_kernel.h"
#include "tests/codegen/targets/cpu/scalar_interpreter.h"
#include "tests/fuzz_seeds.h"

namespace dynacc::cpu {
namespace {

void ExpLoop(char** args, const intptr_t* n, const intptr_t* steps, void*) {
  for (intptr_t i = 0; i < *n; ++i) {
    double x;
    std::memcpy(&x, args[0] + i * steps[0], sizeof(x));
    x = std::exp(x);
    std::memcpy(args[1] + i * steps[1], &x, sizeof(x));
  }
}

void Arctan2Loop(char** args, const intptr_t* n, const intptr_t* steps, void*) {
  for (intptr_t i = 0; i < *n; ++i) {
    double x, y;
    std::memcpy(&x, args[0] + i * steps[0], sizeof(x));
    std::memcpy(&y, args[1] + i * steps[1], sizeof(y));
    x = std::atan2(x, y);
    std::memcpy(args[2] + i * steps[2], &x, sizeof(x));
  }
}

// The memory of all operands of one run.
class Operands {
 public:
  Operands(const kernel::Kernel& kernel, int64_t n, std::mt19937_64& random) {
    for (int k = 0; k < kernel.num_operands(); ++k) {
      const bool is_input = k < static_cast<int>(kernel.inputs.size());
      const DType dtype =
          is_input ? kernel.inputs[k] : kernel.DTypeOf(kernel.outputs[k - kernel.inputs.size()]);
      AddOperand(dtype, n, is_input, random);
    }
  }

  // Makes output `k` the same memory as an input of its size, if there is one.
  void Alias(const kernel::Kernel& kernel, size_t output) {
    const size_t k = kernel.inputs.size() + output;
    for (size_t i = 0; i < kernel.inputs.size(); ++i) {
      if (item_sizes_[i] != item_sizes_[k] || strides_[i] == 0) continue;
      source_[k] = static_cast<int>(i);
      strides_[k] = strides_[i];
      start_[k] = start_[i];
      return;
    }
  }

  std::vector<char*> Pointers() {
    std::vector<char*> pointers;
    for (size_t k = 0; k < strides_.size(); ++k) {
      pointers.push_back(memory_[source_[k]].data() + start_[k]);
    }
    return pointers;
  }
  const int64_t* strides() const { return strides_.data(); }
  const std::vector<std::vector<char>>& memory() const { return memory_; }

 private:
  void AddOperand(DType dtype, int64_t n, bool is_input, std::mt19937_64& random) {
    static constexpr int64_t kFactors[] = {1, 1, 1, 0, 2, -1, 3};
    const int64_t size = ItemSize(dtype);
    int64_t factor = kFactors[random() % 7];
    if (!is_input && factor == 0) factor = 1;
    source_.push_back(static_cast<int>(memory_.size()));
    item_sizes_.push_back(size);
    strides_.push_back(factor * size);
    start_.push_back(factor < 0 ? (n - 1) * size : 0);
    std::vector<char> bytes((n * 3 + 1) * size);
    for (char& byte : bytes) byte = static_cast<char>(random());
    if (dtype == DType::kBool)
      for (char& byte : bytes) byte &= 1;
    if (IsFloat(dtype)) MakeFloats(dtype, bytes, random);
    memory_.push_back(std::move(bytes));
  }

  // Half random bits (without NaNs, whose payloads are nobody's business), half small numbers.
  template <typename T>
  static void MakeFloatsOf(std::vector<char>& bytes, std::mt19937_64& random) {
    for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, bytes.data() + at, sizeof(T));
      const bool keep = random() % 2 && !std::isnan(value);
      if (!keep) value = static_cast<T>(static_cast<int>(random() % 4001) - 2000) / T(8);
      std::memcpy(bytes.data() + at, &value, sizeof(T));
    }
  }
  static void MakeFloats(DType dtype, std::vector<char>& bytes, std::mt19937_64& random) {
    if (dtype == DType::kFloat32)
      MakeFloatsOf<float>(bytes, random);
    else
      MakeFloatsOf<double>(bytes, random);
  }

  std::vector<std::vector<char>> memory_;  // by operand
  std::vector<int> source_;                // by operand: whose memory it is in
  std::vector<int64_t> item_sizes_, strides_, start_;
};

// NaNs are equal whatever their sign and payload: x86 takes the first operand's, and compilers
// may swap operands.
template <typename T>
void HideNans(std::vector<char>& bytes) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    if (std::isnan(value)) std::memset(bytes.data() + at, 0x7f, sizeof(T));
  }
}

std::vector<std::vector<char>> Comparable(const kernel::Kernel& kernel, const Operands& operands) {
  std::vector<std::vector<char>> memory = operands.memory();
  for (size_t k = 0; k < memory.size(); ++k) {
    const DType dtype = k < kernel.inputs.size()
                            ? kernel.inputs[k]
                            : kernel.DTypeOf(kernel.outputs[k - kernel.inputs.size()]);
    if (dtype == DType::kFloat32) HideNans<float>(memory[k]);
    if (dtype == DType::kFloat64) HideNans<double>(memory[k]);
  }
  return memory;
}

class KernelFuzzTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kernel::RegisterLibraryLoop(static_cast<int>(Op::kExp), DType::kFloat64, {ExpLoop, nullptr});
    kernel::RegisterLibraryLoop(static_cast<int>(Op::kArctan2), DType::kFloat64,
                                {Arctan2Loop, nullptr});
  }

  void Compare(const kernel::Kernel& kernel, const kernel::CompiledKernel& compiled,
               std::mt19937_64& random) {
    static constexpr int64_t kLengths[] = {0, 1, 3, 15, 16, 17, 31, 48, 100, 1023, 1040, 2200};
    const int64_t n = kLengths[random() % std::size(kLengths)];
    Operands operands(kernel, n, random);
    if (random() % 2) operands.Alias(kernel, random() % kernel.outputs.size());
    Operands expected = operands;
    compiled.Run(operands.Pointers().data(), operands.strides(), n);
    // The interpreter reads all of an element before it writes, so aliasing is no matter to it.
    InterpretKernel(kernel, expected.Pointers().data(), expected.strides(), n);
    ASSERT_EQ(Comparable(kernel, operands) == Comparable(kernel, expected), true)
        << "n = " << n << "\n"
        << compiled.source();
  }
};

TEST_F(KernelFuzzTest, CompiledKernelsAgreeWithTheInterpreter) {
  cache::KernelCache cache("");
  const std::unique_ptr<targets::Target> target = MakeCpuTarget(cache);
  testing::ForEachSeed(1, 6, [&](uint64_t seed) {
    static constexpr int kWidest[] = {8, 8, 8, 4, 2, 1};
    std::mt19937_64 random(seed);
    std::vector<kernel::Kernel> kernels;
    for (int i = 0; i < 12; ++i) {
      const int widest = kWidest[seed % std::size(kWidest)];
      kernels.push_back(RandomKernel(absl::StrCat("k", i), random, widest));
    }
    const auto compiled = target->CompileKernels(kernels);
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    for (size_t i = 0; i < kernels.size(); ++i) {
      for (int run = 0; run < 20; ++run) {
        ASSERT_NO_FATAL_FAILURE(Compare(kernels[i], *(*compiled)[i], random));
      }
    }
  });
}

}  // namespace
}  // namespace dynacc::cpu
