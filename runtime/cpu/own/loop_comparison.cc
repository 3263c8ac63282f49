// FindForm: loops of our own beside the array library's.
#include <cstring>
#include <vector>

#include "runtime/cpu/elementary/exponential_kernels.h"
#include "runtime/cpu/matmul/ordered_matmul.h"
#include "runtime/cpu/own/own_loops.h"
#include "runtime/cpu/own/samples.h"
#include "runtime/platform/fp_flags.h"

namespace dynacc::cpu {
namespace {

constexpr int64_t kSamples = 4096;

// Elements with room around them (kernel::kLoopGap).
struct Elements {
  Elements(DType dtype, int64_t count) : memory(count * ItemSize(dtype) + 2 * kernel::kLoopGap) {}
  char* data() { return memory.data() + kernel::kLoopGap; }
  std::vector<char> memory;
};

bool SameElementwise(const kernel::LibraryLoop& ours, const kernel::LibraryLoop& library,
                     int inputs, DType dtype, DType result) {
  Elements a(dtype, kSamples), b(dtype, kSamples);
  FillSamples(dtype, a.data(), kSamples, 1);
  if (dtype == DType::kFloat32) {
    std::memcpy(a.data(), kRoundingSamples, sizeof kRoundingSamples);
  }
  FillSamples(dtype, b.data(), kSamples, 2);
  Elements expected(result, kSamples), found(result, kSamples);
  const intptr_t size = ItemSize(dtype), step = ItemSize(result);
  const intptr_t steps[] = {size, inputs == 1 ? step : size, step};
  const auto run = [&](const kernel::LibraryLoop& loop, Elements& to) {
    char* args[] = {a.data(), inputs == 1 ? to.data() : b.data(), to.data()};
    loop.fn(args, &kSamples, steps, loop.data);
  };
  run(library, expected);
  run(ours, found);
  for (int64_t i = 0; i < kSamples; ++i) {
    if (!AreSame(expected.data() + i * step, found.data() + i * step, result)) return false;
  }
  return true;
}

template <typename T>
void DropZeroSigns(char* data, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, data + i * sizeof(T), sizeof(T));
    value += T(0);
    std::memcpy(data + i * sizeof(T), &value, sizeof(T));
  }
}

// Runs of many lengths, with gaps and without, into one element; and rows added to rows. Which sign
// a zero has that is the greatest of zeros of both signs is not compared: it depends on the vectors
// of the library's loop.
bool SameReduction(const kernel::LibraryLoop& ours, const kernel::LibraryLoop& library, Op op,
                   DType dtype) {
  Elements data(dtype, kSamples);
  FillSamples(dtype, data.data(), kSamples, 3);
  if (op == Op::kReduceMax || op == Op::kReduceMin) {
    if (dtype == DType::kFloat32) DropZeroSigns<float>(data.data(), kSamples);
    if (dtype == DType::kFloat64) DropZeroSigns<double>(data.data(), kSamples);
  }
  const int64_t size = ItemSize(dtype);
  static constexpr intptr_t kLengths[] = {1,  2,   7,   8,   9,   15,   16,
                                          64, 127, 128, 129, 255, 1000, 2040};
  for (const intptr_t length : kLengths) {
    for (const intptr_t gap : {1, 2}) {
      for (intptr_t first = 0; first + length * gap < kSamples; first += length * gap + 61) {
        alignas(16) char expected[kMaxItemSize] = {}, found[kMaxItemSize] = {};
        std::memcpy(expected, data.data(), size);
        std::memcpy(found, data.data(), size);
        const intptr_t steps[] = {0, gap * size, 0};
        char* to_library[] = {expected, data.data() + first * size, expected};
        char* to_ours[] = {found, data.data() + first * size, found};
        library.fn(to_library, &length, steps, library.data);
        ours.fn(to_ours, &length, steps, ours.data);
        if (!AreSame(expected, found, dtype)) return false;
      }
    }
  }
  return SameElementwise(ours, library, 2, dtype, dtype);
}

bool HasBitsOf(const kernel::LibraryLoop& ours, const kernel::LibraryLoop& library, Op op,
               DType dtype) {
  if (ours.fn == library.fn && ours.data == library.data) return true;
  if (op == Op::kMatmul) return ProductsAreInOrder(dtype);
  const OpCategory category = Info(op).category;
  if (category == OpCategory::kReduction) return SameReduction(ours, library, op, dtype);
  return SameElementwise(ours, library, category == OpCategory::kUnary ? 1 : 2, dtype,
                         ResultOf(op, dtype));
}

}  // namespace

std::optional<int> FindForm(kernel::LibraryLoop library, Op op, DType dtype) {
  if (!library || dtype == DType::kFloat16 || IsLowPrecision(dtype)) return std::nullopt;
  const platform::ScopedFpFlags flags;
  for (int form = 0;; ++form) {
    const kernel::LibraryLoop ours = OwnLoop(op, dtype, form);
    if (!ours) return std::nullopt;
    if (HasBitsOf(ours, library, op, dtype)) return form;
  }
}

}  // namespace dynacc::cpu
