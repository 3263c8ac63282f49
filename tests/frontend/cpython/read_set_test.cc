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

// A place behind one that has changed may be gone.
TEST(ReadSetTest, LooksAtNothingAfterTheFirstChange) {
  auto* behind = new int64_t(4);
  int64_t* pointer = behind;
  ReadSet reads;
  reads.Add(&pointer);
  reads.Add(behind);
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
  second = 3;
  EXPECT_EQ(reads.FindChange(), ReadSet::kUnchanged);
  reads.Add(&second);
  second = 4;
  EXPECT_EQ(reads.FindChange(), 9);
}

}  // namespace
}  // namespace dynacc
