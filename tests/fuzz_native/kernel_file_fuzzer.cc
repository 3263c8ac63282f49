// The reader of cached kernels (runtime/cache/kernel_file.h) on arbitrary files.
//
// Whatever a file holds, Find gives nothing or bytes whose checksum the header has. The input is a
// whole file; its first byte says whether the header's sizes and checksum are mended first, so that
// inputs get further than the checksum.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "runtime/cache/kernel_file.h"
#include "tests/fuzz_native/fuzz_target.h"
#include "tests/runtime/base/scratch_directory.h"

namespace dynacc {
namespace {

// As kernel_file.cc writes them.
constexpr size_t kChecksumAt = 32;
constexpr size_t kSizeAt = 48;
constexpr size_t kHeaderSize = 56;

const cache::ContentHash kKey = cache::HashContent("a key");

struct Cache {
  ScratchDirectory scratch;
  std::unique_ptr<cache::KernelDirectory> directory = *cache::KernelDirectory::Open(scratch.path());
  std::string path = scratch.path() + "/" + cache::KernelDirectory::FileName(kKey);
};

Cache& TheCache() {
  static Cache& cache = *new Cache;
  return cache;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void Mend(std::string& file) {
  if (file.size() < kHeaderSize) return;
  const absl::string_view binary = absl::string_view(file).substr(kHeaderSize);
  const cache::ContentHash checksum = cache::HashContent(binary);
  const uint64_t size = binary.size();
  std::memcpy(file.data() + kChecksumAt, &checksum, sizeof(checksum));
  std::memcpy(file.data() + kSizeAt, &size, sizeof(size));
}

}  // namespace

std::vector<std::string> StartInputs() {
  std::vector<std::string> starts;
  for (const size_t size : {0, 1, 100, 5000}) {
    const absl::Status stored = TheCache().directory->Store(kKey, std::string(size, 'x'), "source");
    FUZZ_REQUIRE(stored.ok());
    for (const char mends : {'\0', '\1'}) starts.push_back(mends + ReadFile(TheCache().path));
  }
  return starts;
}

}  // namespace dynacc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynacc;
  if (size == 0) return 0;
  std::string file(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) Mend(file);
  Cache& cache = TheCache();
  std::ofstream(cache.path, std::ios::binary | std::ios::trunc) << file;
  chmod(cache.path.c_str(), 0600);
  const std::optional<std::string> binary = cache.directory->Find(kKey);
  if (!binary.has_value()) return 0;
  FUZZ_REQUIRE(file.size() == kHeaderSize + binary->size());
  FUZZ_REQUIRE(file.compare(kHeaderSize, std::string::npos, *binary) == 0);
  const cache::ContentHash checksum = cache::HashContent(*binary);
  FUZZ_REQUIRE(std::memcmp(file.data() + kChecksumAt, &checksum, sizeof(checksum)) == 0);
  return 0;
}
