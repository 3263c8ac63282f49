#include "runtime/cache/kernel_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "tests/runtime/base/scratch_directory.h"

namespace dynacc::cache {
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

// Numbers of open files are the program's: it may print them, or close all of them.
TEST_F(KernelFileTest, HoldsNothingOpen) {
  ASSERT_EQ(directory_->Find(kKey), binary_);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the iterator's own
    const std::string file = std::filesystem::read_symlink(entry.path(), gone).string();
    EXPECT_EQ(file.find(scratch_.path()), std::string::npos) << file;
  }
}

TEST_F(KernelFileTest, TrustsTheFolderAsItIsNow) {
  const std::string folder = scratch_.path() + "/a/b";
  ASSERT_EQ(chmod(folder.c_str(), 0770), 0);
  EXPECT_EQ(directory_->Find(kKey), std::nullopt);
  EXPECT_EQ(directory_->Store(kKey, binary_, "").code(), absl::StatusCode::kPermissionDenied);
  ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
  EXPECT_EQ(directory_->Find(kKey), binary_);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(directory_->Find(kKey), std::nullopt);
  EXPECT_EQ(directory_->Store(kKey, binary_, "").code(), absl::StatusCode::kNotFound);
}

TEST(KernelDirectory, IsFoundFromAnotherFolder) {
  const ScratchDirectory scratch;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path());
  auto directory = KernelDirectory::Open("relative");
  std::filesystem::current_path(before);
  ASSERT_TRUE(directory.ok()) << directory.status();
  ASSERT_TRUE((*directory)->Store(kKey, "binary", "source").ok());
  EXPECT_EQ((*directory)->Find(kKey), "binary");
  EXPECT_TRUE(std::filesystem::exists(scratch.path() + "/relative/" + kKey.Hex() + ".cc"));
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

// ---- The quota

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  return names;
}

uint64_t BytesIn(const std::string& folder) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) bytes += entry.file_size();
  return bytes;
}

void MakeOld(const std::string& path, time_t seconds) {
  const timespec when{time(nullptr) - seconds, 0};
  const timespec times[2] = {when, when};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0) << path;
}

TEST(KernelQuota, IsKeptByDeletingTheOldest) {
  const ScratchDirectory scratch;
  constexpr uint64_t kQuota = 1 << 20;
  auto directory = KernelDirectory::Open(scratch.path(), kQuota);
  ASSERT_TRUE(directory.ok());
  const std::string binary(50000, 'x');
  for (int i = 0; i < 100; ++i) {
    const ContentHash key = HashContent(std::to_string(i));
    ASSERT_TRUE((*directory)->Store(key, binary, "source").ok());
    ASSERT_LE(BytesIn(scratch.path()), kQuota + kQuota / 4) << i;
    EXPECT_TRUE((*directory)->Find(key).has_value()) << "what was just stored";
    for (const std::string& name : {KernelDirectory::FileName(key), key.Hex() + ".cc"}) {
      MakeOld(scratch.path() + "/" + name, 1000 - i);
    }
  }
  EXPECT_FALSE((*directory)->Find(HashContent("0")).has_value()) << "the oldest";
  EXPECT_TRUE((*directory)->Find(HashContent("98")).has_value());
  EXPECT_GT(BytesIn(scratch.path()), kQuota / 2) << "no more is deleted than need be";
}

// A large directory that is full loses a part of its files at a time, and the program little time.
TEST(KernelQuota, IsKeptInSmallSteps) {
  const ScratchDirectory scratch;
  constexpr uint64_t kBinary = 500'000, kQuota = 12 * kBytesBetweenLooks;
  auto directory = KernelDirectory::Open(scratch.path(), kQuota);
  ASSERT_TRUE(directory.ok());
  const std::string binary(kBinary, 'x');
  uint64_t before = 0;
  for (uint64_t i = 0; i * kBinary < 2 * kQuota; ++i) {
    ASSERT_TRUE((*directory)->Store(HashContent(std::to_string(i)), binary, "source").ok());
    const uint64_t now = BytesIn(scratch.path());
    ASSERT_LE(now, kQuota + kBytesBetweenLooks) << i;
    ASSERT_GT(now + 3 * kBytesBetweenLooks, before) << i;
    before = now;
  }
}

TEST(KernelQuota, KeepsWhatIsStillUsed) {
  const ScratchDirectory scratch;
  auto directory = KernelDirectory::Open(scratch.path());
  ASSERT_TRUE(directory.ok());
  ASSERT_TRUE((*directory)->Store(kKey, "binary", "source").ok());
  const std::string path = scratch.path() + "/" + KernelDirectory::FileName(kKey);
  MakeOld(path, 100 * 24 * 3600);
  EXPECT_TRUE((*directory)->Find(kKey).has_value());
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_LT(time(nullptr) - info.st_mtime, 3600);
}

TEST(KernelQuota, RefusesAModuleThatIsLargerThanAll) {
  const ScratchDirectory scratch;
  auto directory = KernelDirectory::Open(scratch.path(), 1000);
  ASSERT_TRUE(directory.ok());
  EXPECT_EQ((*directory)->Store(kKey, std::string(2000, 'x'), "").code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(NamesIn(scratch.path()), testing::IsEmpty());
}

// Other people's files, links and folders are nobody's business here, whatever they are called.
TEST(KernelQuota, LeavesEverythingElseAlone) {
  const ScratchDirectory scratch;
  const std::string digits(32, 'a'), outside = scratch.path() + "/outside";
  const std::string folder = scratch.path() + "/cache";
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  WriteFile(outside, std::string(5000, 'o'));
  WriteFile(folder + "/notes.txt", std::string(5000, 'n'));
  WriteFile(folder + "/" + digits + ".kernel.bak", std::string(5000, 'b'));
  WriteFile(folder + "/" + digits + ".cc.1.1.part", "being written");
  WriteFile(folder + "/" + digits + ".cc.2.1.part", "left behind");
  ASSERT_EQ(symlink(outside.c_str(), (folder + "/" + digits + ".kernel").c_str()), 0);
  for (const std::string& name : NamesIn(folder)) MakeOld(folder + "/" + name, 100000);
  MakeOld(folder + "/" + digits + ".cc.1.1.part", 10);
  auto directory = KernelDirectory::Open(folder, 4096);
  ASSERT_TRUE(directory.ok());
  const std::string large(2048, 'x');  // more than a quarter of the quota: a look is due
  ASSERT_TRUE((*directory)->Store(kKey, large, "source").ok());
  EXPECT_THAT(NamesIn(folder),
              testing::UnorderedElementsAre("notes.txt", digits + ".kernel.bak",
                                            digits + ".cc.1.1.part", digits + ".kernel",
                                            kKey.Hex() + ".cc", KernelDirectory::FileName(kKey)));
  EXPECT_EQ(ReadFile(outside).size(), 5000u);
}

// How many of `processes` that store `bytes` each look at the folder: one that does deletes what a
// dead writer has left.
int LooksOf(int processes, size_t bytes) {
  const ScratchDirectory scratch;
  const std::string left = scratch.path() + "/" + std::string(32, 'a') + ".cc.2.1.part";
  int looks = 0;
  for (int i = 0; i < processes; ++i) {
    if (!std::filesystem::exists(left)) WriteFile(left, "left behind");
    MakeOld(left, 100000);
    auto directory = KernelDirectory::Open(scratch.path(), 4 << 20);
    EXPECT_TRUE(directory.ok());
    EXPECT_TRUE((*directory)->Store(kKey, std::string(bytes, 'x'), "").ok());
    looks += std::filesystem::exists(left) ? 0 : 1;
  }
  return looks;
}

// To look at a full directory takes longer than many a program that stores one kernel.
TEST(KernelQuota, IsLookedAtAsOftenByManyProcessesAsByOne) {
  EXPECT_LT(LooksOf(300, 1000), 30) << "for 300 kB, where one is due every megabyte";
  EXPECT_GT(LooksOf(300, 100'000), 3) << "for 30 MB";
}

// ---- Links, races and disks

TEST_F(KernelFileTest, IsNeverWrittenThroughALink) {
  const std::string victim = scratch_.path() + "/victim";
  for (const bool is_hard : {false, true}) {
    WriteFile(victim, "precious");
    ASSERT_EQ(unlink(File().c_str()), 0);
    ASSERT_EQ(
        is_hard ? link(victim.c_str(), File().c_str()) : symlink(victim.c_str(), File().c_str()),
        0);
    EXPECT_EQ(directory_->Find(kKey), std::nullopt);
    ASSERT_TRUE(directory_->Store(kKey, binary_, "source").ok());
    EXPECT_EQ(ReadFile(victim), "precious");
    EXPECT_EQ(directory_->Find(kKey), binary_);
  }
}

// Processes store and find the same few keys at once: each find gives nothing or the whole binary.
TEST(KernelDirectory, IsSharedByRacingProcesses) {
  const ScratchDirectory scratch;
  const auto binary_of = [](int i) {
    return std::string(1000 + 37 * i, static_cast<char>('a' + i));
  };
  const auto race = [&](unsigned seed) {
    std::mt19937 random(seed);
    auto directory = KernelDirectory::Open(scratch.path() + "/new/cache", 64 << 10);
    if (!directory.ok()) return 1;
    for (int round = 0; round < 400; ++round) {
      const int i = static_cast<int>(random() % 8);
      const ContentHash key = HashContent(std::to_string(i));
      if (random() % 2 == 0) {
        if (!(*directory)->Store(key, binary_of(i), "source").ok()) return 2;
      } else if (const auto found = (*directory)->Find(key); found && *found != binary_of(i)) {
        return 3;
      }
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (unsigned seed = 0; seed < 4; ++seed) {
    const pid_t child = fork();
    if (child == 0) _exit(race(seed));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "1: not opened, 2: not stored, 3: another's or half a binary";
  }
  for (const std::string& name : NamesIn(scratch.path() + "/new/cache")) {
    EXPECT_THAT(name, testing::Not(testing::HasSubstr(".part")));
  }
}

// One process damages the file all the time while another reads it.
TEST_F(KernelFileTest, GivesOnlyVerifiedBytesWhileTheFileChanges) {
  const std::string whole = ReadFile(File());
  const pid_t child = fork();
  if (child == 0) {
    std::mt19937 random(1);
    for (;;) {
      std::fstream file(File(), std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(random() % whole.size()));
      file.put(static_cast<char>(random()));
      file.flush();
      if (random() % 4 == 0) WriteFile(File(), whole);
    }
  }
  int found = 0;
  for (int i = 0; i < 3000; ++i) {
    if (const auto binary = directory_->Find(kKey)) {
      ++found;
      ASSERT_EQ(*binary, binary_);
    }
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  RecordProperty("found", found);
}

// A file system of 64 kB that fills up, in a namespace of its own.
TEST(KernelDirectory, SurvivesAFullDisk) {
  const ScratchDirectory scratch;
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", "none", MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=64k,mode=700") != 0) {
      _exit(77);
    }
    auto directory = KernelDirectory::Open(scratch.path());
    const std::string binary(20000, 'x');
    int stored = 0, refused = 0;
    for (int i = 0; i < 10; ++i) {
      const absl::Status status =
          (*directory)->Store(HashContent(std::to_string(i)), binary, "source");
      if (status.ok()) {
        ++stored;
        if ((*directory)->Find(HashContent(std::to_string(i))) != binary) _exit(1);
      } else {
        ++refused;
        if ((*directory)->Find(HashContent(std::to_string(i)))) _exit(2);
      }
    }
    for (const std::string& name : NamesIn(scratch.path())) {
      if (name.ends_with(".part")) _exit(3);
    }
    _exit(stored >= 2 && refused >= 6 ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "may not mount a file system";
  EXPECT_EQ(status, 0);
}

TEST(KernelDirectory, SurvivesALimitOnFileSizes) {
  const ScratchDirectory scratch;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
    auto directory = KernelDirectory::Open(scratch.path());
    if ((*directory)->Store(kKey, std::string(5000, 'x'), "source").ok()) _exit(2);
    if ((*directory)->Find(kKey)) _exit(3);
    _exit((*directory)->Store(kKey, std::string(100, 'x'), "source").ok() ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(NamesIn(scratch.path()).size(), 2u);
}

}  // namespace
}  // namespace dynacc::cache
