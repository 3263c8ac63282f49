#include "runtime/base/trusted_path.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "runtime/base/shared_library.h"
#include "tests/runtime/base/scratch_directory.h"

namespace dynacc {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr uid_t kStranger = 12345;

class TrustedPath : public testing::Test {
 protected:
  std::string Below(const char* name) const { return absl::StrCat(scratch_.path(), "/", name); }
  std::string MakeFolder(const char* name, mode_t mode = 0700) const {
    const std::string path = Below(name);
    EXPECT_EQ(mkdir(path.c_str(), 0700), 0);
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }
  std::string MakeFile(const std::string& path, mode_t mode = 0600) const {
    std::ofstream(path) << "text";
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }

  ScratchDirectory scratch_;
};

std::string Why(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  return std::string(status.message());
}

std::string WhyNoFolder(const std::string& path) { return Why(OpenOwnFolder(path).status()); }

TEST_F(TrustedPath, MakesFoldersForThisUserAlone) {
  umask(0);
  const auto folder = OpenOwnFolder(Below("a/b//./c/"));
  ASSERT_TRUE(folder.ok()) << folder.status();
  struct stat info, same;
  ASSERT_EQ(fstat(folder->get(), &info), 0);
  ASSERT_EQ(stat(Below("a/b/c").c_str(), &same), 0);
  EXPECT_EQ(info.st_ino, same.st_ino);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
  EXPECT_TRUE(OpenOwnFolder(Below("a/b/c")).ok()) << "it is there now";
}

TEST_F(TrustedPath, RefusesAFolderThatOthersMayWrite) {
  for (const mode_t mode : {0770, 0707, 01777}) {
    const std::string path = MakeFolder("open", mode);
    EXPECT_THAT(WhyNoFolder(path), AllOf(HasSubstr(path), HasSubstr("may be written by others"),
                                         HasSubstr(absl::StrCat("chmod go-w ", path))));
    ASSERT_EQ(rmdir(path.c_str()), 0);
  }
}

TEST_F(TrustedPath, RefusesAFolderAboveThatOthersMayWrite) {
  const std::string above = MakeFolder("above", 0777);
  EXPECT_THAT(WhyNoFolder(above + "/below/deep"), HasSubstr(above + " may be written by others"));
  EXPECT_FALSE(std::filesystem::exists(above + "/below")) << "made in a folder of everybody's";
  ASSERT_EQ(chmod(above.c_str(), 01777), 0);
  EXPECT_TRUE(OpenOwnFolder(above + "/below/deep").ok()) << "the sticky bit keeps others out";
}

TEST_F(TrustedPath, FollowsLinksToTrustedPlacesOnly) {
  const std::string real = MakeFolder("real"), everybodys = MakeFolder("everybodys", 0777);
  ASSERT_EQ(symlink("real", Below("relative").c_str()), 0);
  ASSERT_EQ(symlink(real.c_str(), Below("absolute").c_str()), 0);
  ASSERT_EQ(symlink("./absolute/../relative", Below("chain").c_str()), 0);
  ASSERT_EQ(symlink("round", Below("round").c_str()), 0);
  ASSERT_EQ(symlink(everybodys.c_str(), Below("astray").c_str()), 0);
  for (const char* link : {"relative", "absolute", "chain"}) {
    EXPECT_TRUE(OpenOwnFolder(Below(link)).ok()) << link << OpenOwnFolder(Below(link)).status();
  }
  EXPECT_THAT(WhyNoFolder(Below("astray/x")), HasSubstr(everybodys));
  EXPECT_FALSE(OpenOwnFolder(Below("round")).ok());
}

TEST_F(TrustedPath, RefusesOthersFoldersAndLinks) {
  if (geteuid() != 0) GTEST_SKIP() << "needs to be root to give files away";
  const std::string foreign = MakeFolder("foreign");
  ASSERT_EQ(chown(foreign.c_str(), kStranger, kStranger), 0);
  EXPECT_THAT(WhyNoFolder(foreign), HasSubstr("belongs to another user"));
  EXPECT_THAT(WhyNoFolder(foreign + "/x"), HasSubstr("belongs to another user, number 12345"));
  MakeFolder("real");
  ASSERT_EQ(symlink("real", Below("link").c_str()), 0);
  ASSERT_EQ(lchown(Below("link").c_str(), kStranger, kStranger), 0);
  EXPECT_THAT(WhyNoFolder(Below("link")), HasSubstr("belongs to another user"));
}

// Run as another user, to whom root's folders are trusted ways, but no folder to keep things in.
TEST_F(TrustedPath, RefusesRootsFolderAsOnesOwn) {
  if (geteuid() != 0) GTEST_SKIP() << "needs to be root to become another user";
  const std::string folder = MakeFolder("roots", 0755), own = MakeFolder("own");
  ASSERT_EQ(chmod(scratch_.path().c_str(), 0755), 0);
  ASSERT_EQ(chown(own.c_str(), kStranger, kStranger), 0);
  ASSERT_EQ(seteuid(kStranger), 0);
  const absl::Status roots = OpenOwnFolder(folder).status(), mine = OpenOwnFolder(own).status();
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_THAT(Why(roots), HasSubstr("belongs to another user"));
  EXPECT_TRUE(mine.ok()) << mine;
}

TEST_F(TrustedPath, TakesRelativePaths) {
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(scratch_.path());
  const absl::Status made = OpenOwnFolder("relative/way").status();
  std::filesystem::current_path(before);
  EXPECT_TRUE(made.ok()) << made;
  EXPECT_TRUE(std::filesystem::is_directory(Below("relative/way")));
}

TEST_F(TrustedPath, SaysWhatTheSystemSays) {
  const std::string file = MakeFile(Below("file"));
  EXPECT_THAT(std::string(OpenOwnFolder(file).status().message()), HasSubstr("Not a directory"));
  EXPECT_THAT(std::string(OpenOwnFolder(file + "/x").status().message()),
              HasSubstr("Not a directory"));
  EXPECT_THAT(std::string(OpenOwnFolder("/proc/no").status().message()), HasSubstr("/proc/no"));
  EXPECT_FALSE(OpenOwnFolder(Below(std::string(300, 'x').c_str())).ok());
}

TEST_F(TrustedPath, ChecksFilesThatAreLoaded) {
  const std::string file = MakeFile(Below("library.so"));
  EXPECT_TRUE(CheckTrustedFile(file).ok()) << CheckTrustedFile(file);
  EXPECT_TRUE(CheckTrustedFile("/usr/bin/env").ok()) << "root's";
  EXPECT_EQ(CheckTrustedFile(Below("none")).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(CheckTrustedFile(scratch_.path()).code(), absl::StatusCode::kInvalidArgument);
  MakeFile(file, 0620);
  EXPECT_THAT(Why(CheckTrustedFile(file)), HasSubstr("may be written by others"));
  const std::string inside = MakeFile(MakeFolder("open", 0777) + "/library.so");
  EXPECT_THAT(Why(CheckTrustedFile(inside)), HasSubstr(Below("open") + " may be written"));
}

// Who can change the folder of DynaCC's own file can change DynaCC.
TEST_F(TrustedPath, TrustsWhoeverCouldChangeItsOwnFolder) {
  const std::string open = MakeFolder("open", 0777);
  const std::string file = MakeFile(open + "/library.so");
  ASSERT_EQ(mkdir((open + "/own").c_str(), 0755), 0);
  EXPECT_THAT(Why(CheckTrustedFile(file)), HasSubstr("may be written by others"));
  EXPECT_TRUE(CheckTrustedFile(file, open + "/own").ok());
  const std::string beside = MakeFile(MakeFolder("beside", 0777) + "/library.so");
  EXPECT_THAT(Why(CheckTrustedFile(beside, open + "/own")), HasSubstr("may be written by others"));
  EXPECT_TRUE(CheckTrustedFile("/usr/bin/env", "/no/such/folder").ok());
}

TEST_F(TrustedPath, TrustsTheOwnerOfItsOwnFolder) {
  if (geteuid() != 0) GTEST_SKIP() << "needs to be root to give files away";
  const std::string own = MakeFolder("own");
  const std::string file = MakeFile(Below("library.so"));
  ASSERT_EQ(chown(own.c_str(), kStranger, kStranger), 0);
  ASSERT_EQ(chown(file.c_str(), kStranger, kStranger), 0);
  EXPECT_THAT(Why(CheckTrustedFile(file)), HasSubstr("belongs to another user, number 12345"));
  EXPECT_TRUE(CheckTrustedFile(file, own).ok());
  ASSERT_EQ(chown(file.c_str(), kStranger + 1, 0), 0);
  EXPECT_THAT(Why(CheckTrustedFile(file, own)), HasSubstr("number 12346"));
}

TEST(SharedLibrary, IsOpenedByNameOrTrustedPath) {
  EXPECT_TRUE(OpenSharedLibrary("libm.so.6").ok());
  const absl::Status missing = OpenSharedLibrary("/no/such/lib.so").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("cannot open shared object file"));
  const ScratchDirectory scratch;
  const std::string library = scratch.path() + "/lib.so";
  std::filesystem::copy_file(std::filesystem::canonical("/lib/x86_64-linux-gnu/libm.so.6"),
                             library);
  EXPECT_TRUE(OpenSharedLibrary(library).ok());
  ASSERT_EQ(chmod(library.c_str(), 0666), 0);
  EXPECT_THAT(Why(OpenSharedLibrary(library).status()), HasSubstr("may be written by others"));
  EXPECT_TRUE(std::filesystem::exists(OwnFolder() + "/trusted_path_test")) << OwnFolder();
}

}  // namespace
}  // namespace dynacc
