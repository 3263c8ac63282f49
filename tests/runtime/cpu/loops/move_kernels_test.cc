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

TEST(MoveKernelsTest, GathersRows) {
  for (const MoveFns& fns : AllLevels()) {
    for (const int64_t size : {1, 2, 4, 8, 16}) {
      for (const int64_t length : {1, 2, 3, 4, 5, 16, 31}) {
        for (const int64_t stride : {size, int64_t{0}, 2 * size, 5 * size}) {
          for (const int64_t row_stride :
               {int64_t{0}, length * stride, length * stride + size, size}) {
            for (const int64_t count : {0, 1, 2, 3, 10, 150}) {
              // Not one byte more than what is read.
              const int64_t last = stride * (length - 1) + row_stride * (count - 1);
              const std::vector<char> from = Pattern(count == 0 ? 0 : last + size);
              std::vector<char> to(length * count * size + 8, 'x'), expected = to;
              for (int64_t i = 0; i < length * count; ++i) {
                const int64_t at = i / length * row_stride + i % length * stride;
                std::memcpy(expected.data() + i * size, from.data() + at, size);
              }
              fns.gather_rows[SizeClass(size)](to.data(), from.data(),
                                               {stride, length, row_stride, count});
              ASSERT_EQ(to, expected) << size << " bytes, " << count << " rows of " << length
                                      << ", strides " << stride << " and " << row_stride;
            }
          }
        }
      }
    }
  }
}

TEST(MoveKernelsTest, CopiesRows) {
  for (const MoveFns& fns : AllLevels()) {
    for (const int64_t size : {1, 2, 4, 8, 16}) {
      for (const int64_t length : {1, 2, 3, 5, 16, 70}) {
        for (const int64_t to_stride : {size, 3 * size}) {
          for (const int64_t from_stride : {size, int64_t{0}, 2 * size, -size}) {
            for (const int64_t gap : {int64_t{0}, size, 7 * size}) {
              const int64_t count = 4, span = length * std::abs(from_stride) + gap;
              const int64_t to_row = length * to_stride + gap;
              const std::vector<char> from = Pattern(count * span + size);
              const char* const first = from.data() + (from_stride < 0 ? (length - 1) * size : 0);
              std::vector<char> to(count * to_row + 8, 'x'), expected = to;
              for (int64_t i = 0; i < length * count; ++i) {
                std::memcpy(expected.data() + i / length * to_row + i % length * to_stride,
                            first + i / length * span + i % length * from_stride, size);
              }
              fns.copy_rows[SizeClass(size)](to.data(), first,
                                             {to_stride, to_row, from_stride, span, length, count});
              ASSERT_EQ(to, expected) << size << " bytes, rows of " << length << ", strides "
                                      << to_stride << " and " << from_stride << ", gap " << gap;
            }
          }
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
