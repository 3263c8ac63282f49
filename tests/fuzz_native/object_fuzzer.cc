// The loader of compiled objects (runtime/cpu/loader/object_loader.h) on arbitrary bytes.
//
// It loads or refuses, and touches nothing that is not its own. What loads has its functions within
// pages that can be executed and not written, and is unmapped again. Code is never run. The first
// byte of the input chooses: the rest is an object itself, or choices that one is made of
// (random_object.h).
#include <cinttypes>
#include <fstream>

#include "codegen/targets/cpu/plugin_loader.h"
#include "runtime/cpu/loader/object_loader.h"
#include "tests/fuzz_native/fuzz_target.h"
#include "tests/fuzz_native/random_object.h"

namespace dynacc {
namespace {

constexpr char kSource[] = R"(
#include "dynacc_prelude.h"
extern "C" double floor(double);
int64_t counter = 40;
int64_t zeroed[1000];
extern "C" const int64_t kTable[4] = {2, 3, 5, 7};
extern "C" [[gnu::noinline]] int64_t Twice(int64_t x) { return 2 * x; }
int64_t (*const kFunctions[])(int64_t) = {Twice};
extern "C" int64_t Kernel() { return ++counter + zeroed[999] + kTable[counter & 3]; }
extern "C" int64_t Apply(int64_t i, int64_t x) { return kFunctions[i](x); }
extern "C" double Floor(double x) { return floor(x); }
)";

// "r-xp" of the page at `address`; FUZZ_REQUIREs that no page is writable and executable.
std::string PermissionsAt(uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  std::string line, found = "none";
  while (std::getline(maps, line)) {
    uintptr_t start = 0, end = 0;
    char permissions[8] = "";
    std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %7s", &start, &end, permissions);
    FUZZ_REQUIRE_SAYING(std::strncmp(permissions, "rwx", 3) != 0, line);
    if (start <= address && address < end) found = permissions;
  }
  return found;
}

}  // namespace

// Without the compiler: made objects only.
std::vector<std::string> StartInputs() {
  std::vector<std::string> starts = {std::string(1, '\1') + std::string(300, 'a')};
  for (int seed = 0; seed < 8; ++seed) {
    std::string noise(1, '\1');
    for (int i = 0; i < 600; ++i) noise += static_cast<char>((i + 1) * (seed * 7919 + 104729) >> 5);
    starts.push_back(noise);
  }
  const auto compiled = cpu::CompileObject("fuzz.cc", kSource);
  if (compiled.ok()) starts.insert(starts.end(), 8, '\0' + *compiled);
  return starts;
}

}  // namespace dynacc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynacc;
  if (size == 0) return 0;
  Choices choices(data + 1, size - 1);
  const std::string object = data[0] % 2 == 1
                                 ? RandomObject(choices)
                                 : std::string(reinterpret_cast<const char*>(data) + 1, size - 1);
  static uint64_t loads = 0;
  auto loaded = cpu::LoadObject(object);
  if (!loaded.ok()) return 0;
  const bool looks = ++loads % 64 == 1;  // reading the maps takes a hundred times as long
  for (const char* name : {"Kernel", "Twice", "Apply", "Floor", "memcpy", ""}) {
    void* function = (*loaded)->FindFunction(name);
    if (function == nullptr) continue;
    if (looks) FUZZ_REQUIRE(PermissionsAt(reinterpret_cast<uintptr_t>(function)) == "r-xp");
    uint8_t sum = 0;  // all of its code can be read
    for (const char byte : (*loaded)->FunctionCode(name)) sum += static_cast<uint8_t>(byte);
    [[maybe_unused]] volatile uint8_t kept = sum;
  }
  return 0;
}
