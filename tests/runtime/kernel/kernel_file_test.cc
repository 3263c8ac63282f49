#include "runtime/kernel/kernel_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "tests/runtime/kernel/scratch_directory.h"

namespace dynacc {
namespace {

const ContentHash kKey = HashContent("a key");

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class KernelFileTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = KernelDirectory::Open(scratch_.path() + "/a/b");
    ASSERT_TRUE(opened.ok()) << opened.status();
    directory_ = *std::move(opened);
    ASSERT_TRUE(directory_->Store(kKey, binary_, "source").ok());
  }
  std::string File() const { return scratch_.path() + "/a/b/" + KernelDirectory::FileName(kKey); }

  ScratchDirectory scratch_;
  std::string binary_ = std::string("\0binary\xff", 8) + std::string(5000, 'x');
  std::unique_ptr<KernelDirectory> directory_;
};

TEST_F(KernelFileTest, FindsWhatWasStored) {
  EXPECT_EQ(directory_->Find(kKey), binary_);
  EXPECT_EQ(directory_->Find(HashContent("another key")), std::nullopt);
  EXPECT_EQ(ReadFile(scratch_.path() + "/a/b/" + kKey.Hex() + ".cc"), "source");
}

TEST_F(KernelFileTest, LeavesNoOtherFiles) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.path() + "/a/b")) {
    ++files;
    struct stat info;
    ASSERT_EQ(stat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u) << entry.path();
  }
  EXPECT_EQ(files, 2);
}

TEST_F(KernelFileTest, IgnoresEveryTruncationAndExtension) {
  const std::string whole = ReadFile(File());
  for (size_t size = 0; size < whole.size(); size += size < 100 ? 1 : 97) {
    WriteFile(File(), whole.substr(0, size));
    EXPECT_EQ(directory_->Find(kKey), std::nullopt) << size;
  }
  WriteFile(File(), whole + "x");
  EXPECT_EQ(directory_->Find(kKey), std::nullopt);
  WriteFile(File(), whole);
  EXPECT_EQ(directory_->Find(kKey), binary_);
}

TEST_F(KernelFileTest, IgnoresAFlippedBit) {
  const std::string whole = ReadFile(File());
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  for (int i = 0; i < 264; ++i) {
    std::string changed = whole;
    // In every byte of the header, then anywhere.
    const size_t bit = i < 64 ? i * 8 + random() % 8 : random() % (whole.size() * 8);
    changed[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    WriteFile(File(), changed);
    ASSERT_EQ(directory_->Find(kKey), std::nullopt) << "bit " << bit << ", seed " << seed;
  }
}

TEST_F(KernelFileTest, IsReplacedByTheNextStore) {
  WriteFile(File(), "damaged");
  ASSERT_TRUE(directory_->Store(kKey, binary_, "source").ok());
  EXPECT_EQ(directory_->Find(kKey), binary_);
}

TEST_F(KernelFileTest, IgnoresAFileThatOthersMayWrite) {
  for (const mode_t mode : {0620, 0602}) {
    ASSERT_EQ(chmod(File().c_str(), mode), 0);
    EXPECT_EQ(directory_->Find(kKey), std::nullopt);
  }
  ASSERT_EQ(chmod(File().c_str(), 0644), 0);
  EXPECT_EQ(directory_->Find(kKey), binary_);
}

TEST_F(KernelFileTest, IgnoresWhatIsNoRegularFile) {
  const std::string moved = scratch_.path() + "/moved";
  ASSERT_EQ(rename(File().c_str(), moved.c_str()), 0);
  ASSERT_EQ(symlink(moved.c_str(), File().c_str()), 0);
  EXPECT_EQ(directory_->Find(kKey), std::nullopt) << "symbolic link";
  ASSERT_EQ(unlink(File().c_str()), 0);
  ASSERT_EQ(mkfifo(File().c_str(), 0600), 0);
  EXPECT_EQ(directory_->Find(kKey), std::nullopt) << "pipe";
  ASSERT_EQ(unlink(File().c_str()), 0);
  ASSERT_EQ(mkdir(File().c_str(), 0700), 0);
  EXPECT_EQ(directory_->Find(kKey), std::nullopt) << "directory";
}

TEST_F(KernelFileTest, IgnoresAnotherUsersFile) {
  if (geteuid() != 0) GTEST_SKIP() << "needs to be root to give a file away";
  ASSERT_EQ(chown(File().c_str(), 12345, 12345), 0);
  EXPECT_EQ(directory_->Find(kKey), std::nullopt);
}

TEST(KernelDirectory, RefusesADirectoryThatOthersMayWrite) {
  const ScratchDirectory scratch;
  for (const mode_t mode : {0770, 0707}) {
    ASSERT_EQ(chmod(scratch.path().c_str(), mode), 0);
    EXPECT_EQ(KernelDirectory::Open(scratch.path()).status().code(),
              absl::StatusCode::kPermissionDenied);
  }
}

TEST(KernelDirectory, SaysWhyItCannotBeOpened) {
  const ScratchDirectory scratch;
  WriteFile(scratch.path() + "/file", "");
  EXPECT_FALSE(KernelDirectory::Open(scratch.path() + "/file").ok());
  EXPECT_FALSE(KernelDirectory::Open(scratch.path() + "/file/below").ok());
}

TEST(KernelDirectoryPath, FollowsOptionThenXdgThenHome) {
  EXPECT_EQ(KernelDirectoryPath("/o", "/x", "/h"), "/o");
  EXPECT_EQ(KernelDirectoryPath("", "/x", "/h"), "/x/dynacc");
  EXPECT_EQ(KernelDirectoryPath("", "relative", "/h"), "/h/.cache/dynacc");
  EXPECT_EQ(KernelDirectoryPath("", nullptr, "/h"), "/h/.cache/dynacc");
  EXPECT_EQ(KernelDirectoryPath("", nullptr, nullptr), "");
}

}  // namespace
}  // namespace dynacc
