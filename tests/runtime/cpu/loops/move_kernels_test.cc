// The loops that move elements, of every level of this machine, against one element at a time.
#include "runtime/cpu/loops/move_kernels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/runtime/cpu/loops/every_level.h"

namespace dynacc::cpu {
namespace {

std::vector<MoveFns> AllLevels() {
  return testing::EveryLevel(kMoveFnsBase, kMoveFnsV3, kMoveFnsV4);
}

// Bytes that differ from their neighbours near and far.
std::vector<char> Pattern(int64_t bytes) {
  std::vector<char> pattern(bytes);
  for (int64_t i = 0; i < bytes; ++i) pattern[i] = static_cast<char>(i * 37 + (i >> 8) * 11);
  return pattern;
}

TEST(MoveKernelsTest, GathersAnyStride) {
  for (const MoveFns& fns : AllLevels()) {
    for (const int64_t size : {1, 2, 4, 8, 16}) {
      for (const int64_t stride : {size, 2 * size, 3 * size, 4 * size, 5 * size, -size, -2 * size,
                                   size + 1, 3 * size - 1, int64_t{0}}) {
        for (const int64_t count : {0, 1, 7, 16, 33, 100}) {
          // Not one byte more than what is read.
          const int64_t bytes = count == 0 ? 0 : std::abs(stride) * (count - 1) + size;
          const std::vector<char> from = Pattern(bytes);
          const bool is_backwards = stride < 0 && count > 0;
          const char* const first = from.data() + (is_backwards ? -stride * (count - 1) : 0);
          std::vector<char> to(count * size + 8, 'x'), expected = to;
          for (int64_t i = 0; i < count; ++i) {
            std::memcpy(expected.data() + i * size, first + i * stride, size);
          }
          fns.gather[SizeClass(size)](to.data(), first, stride, count);
          ASSERT_EQ(to, expected) << size << " bytes, stride " << stride << ", " << count;
        }
      }
    }
  }
}

TEST(MoveKernelsTest, RepeatsElements) {
  for (const MoveFns& fns : AllLevels()) {
    for (const int64_t size : {1, 2, 4, 8, 16}) {
      for (const int64_t bytes : {16, 32, 64, 128, 256}) {
        const std::vector<char> element = Pattern(size);
        std::vector<char> to((bytes + 63) / 64 * 64 + 8, 'x');
        fns.repeat[SizeClass(size)](to.data(), element.data(), bytes);
        for (int64_t i = 0; i < bytes; ++i) ASSERT_EQ(to[i], element[i % size]) << size;
        EXPECT_EQ(std::vector<char>(to.end() - 8, to.end()), std::vector<char>(8, 'x'));
      }
    }
  }
}

TEST(MoveKernelsTest, TransposesBlocks) {
  for (const MoveFns& fns : AllLevels()) {
    for (const int64_t size : {1, 2, 4, 8, 16}) {
      for (const int64_t rows : {1, 7, 16, 19, 64}) {
        for (const int64_t columns : {1, 8, 15, 16, 50}) {
          const int64_t from_stride = rows * size + 5, to_stride = columns * size + 3;
          const std::vector<char> from = Pattern((columns - 1) * from_stride + rows * size);
          std::vector<char> to(rows * to_stride, 'x'), expected = to;
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < columns; ++c) {
              std::memcpy(&expected[r * to_stride + c * size], &from[c * from_stride + r * size],
                          size);
            }
          }
          fns.transpose[SizeClass(size)](to.data(), to_stride, from.data(), from_stride, rows,
                                         columns);
          ASSERT_EQ(to, expected) << size << " bytes, " << rows << " x " << columns;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dynacc::cpu
