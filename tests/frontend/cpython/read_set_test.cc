#include "frontend/cpython/read_set.h"

#include "gtest/gtest.h"

namespace dynacc {
namespace {

TEST(ReadSetTest, TellsWhoseReadHasChanged) {
  int64_t word = 1;
  int32_t half = 2;
  char text[] = "thirteen bytes";
  ReadSet reads;
  reads.set_owner(3);
  reads.Add(&word);
  reads.set_owner(5);
  reads.Add(&half);
  reads.Add(text, sizeof(text));
  reads.Finish();
  EXPECT_EQ(reads.FindChange(), ReadSet::kUnchanged);
  text[12] = '!';
  EXPECT_EQ(reads.FindChange(), 5);
  word = 7;
  EXPECT_EQ(reads.FindChange(), 3);
  word = 1;
  text[12] = 'e';
  EXPECT_EQ(reads.FindChange(), ReadSet::kUnchanged);
  half = -2;
  EXPECT_EQ(reads.FindChange(), 5);
}

// Words and blocks of all sizes in turn: each byte of each counts, and none beside them.
TEST(ReadSetTest, SeesEachByteOfEachSize) {
  constexpr int kSizes = 150;
  char memory[kSizes + 1][kSizes + 2] = {};
  int64_t words[kSizes + 1] = {};
  ReadSet reads;
  for (int size = 1; size <= kSizes; ++size) {
    reads.set_owner(size);
    reads.Add(memory[size] + 1, size);
    reads.set_owner(1000 + size);
    if (size % 3 == 0) reads.Add(&words[size]);
  }
  reads.Finish();
  for (int size = 1; size <= kSizes; ++size) {
    for (int at = 0; at < kSizes + 2; ++at) {
      memory[size][at] ^= 1;
      const bool inside = at >= 1 && at <= size;
      EXPECT_EQ(reads.FindChange(), inside ? size : ReadSet::kUnchanged) << size << " " << at;
      memory[size][at] ^= 1;
    }
    words[size] = 1;
    EXPECT_EQ(reads.FindChange(), size % 3 == 0 ? 1000 + size : ReadSet::kUnchanged) << size;
    words[size] = 0;
  }
}

TEST(ReadSetTest, AnEmptyPlaceIsNone) {
  ReadSet reads;
  reads.Add(nullptr, 0);
  EXPECT_EQ(reads.size(), 0);
  reads.Finish();
  EXPECT_EQ(reads.FindChange(), ReadSet::kUnchanged);
}

// A place behind one that has changed may be gone.
TEST(ReadSetTest, LooksAtNothingAfterTheFirstChange) {
  auto* behind = new int64_t(4);
  int64_t* pointer = behind;
  ReadSet reads;
  reads.Add(&pointer);
  reads.Add(behind);
  reads.Finish();
  EXPECT_EQ(reads.FindChange(), ReadSet::kUnchanged);
  pointer = nullptr;
  delete behind;  // AddressSanitizer would tell of a look at it
  EXPECT_EQ(reads.FindChange(), 0);
}

TEST(ReadSetTest, ReadsOnceWhatIsReadTwice) {
  int64_t word = 1;
  ReadSet reads;
  reads.Add(&word);
  reads.Add(&word);
  EXPECT_EQ(reads.size(), 1);
}

TEST(ReadSetTest, TakesReadsBack) {
  int64_t first = 1, second = 2;
  ReadSet reads;
  reads.Add(&first);
  reads.set_owner(9);
  reads.Add(&second);
  reads.Truncate(1);
  EXPECT_EQ(reads.size(), 1);
  reads.Add(&second);
  reads.Finish();
  EXPECT_EQ(reads.FindChange(), ReadSet::kUnchanged);
  second = 4;
  EXPECT_EQ(reads.FindChange(), 9);
}

}  // namespace
}  // namespace dynacc
