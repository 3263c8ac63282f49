#include "runtime/cpu/loader/object_loader.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/targets/cpu/plugin_loader.h"

namespace dynacc::cpu {
namespace {

using testing::HasSubstr;

// A module with code, constants, a variable, a table of addresses and outside calls.
constexpr char kSource[] = R"(
#include "dynacc_prelude.h"
extern "C" void* memcpy(void*, const void*, unsigned long);
extern "C" double floor(double);
int64_t counter = 40;
int64_t zeroed[1000];
extern "C" const int64_t kTable[4] = {2, 3, 5, 7};
extern "C" [[gnu::noinline]] int64_t Twice(int64_t x) { return 2 * x; }
extern "C" [[gnu::noinline]] int64_t Thrice(int64_t x) { return 3 * x; }
int64_t (*const kFunctions[])(int64_t) = {Twice, Thrice};
extern "C" int64_t Next() { return ++counter + zeroed[999]; }
extern "C" int64_t Prime(int64_t i) { return kTable[i]; }
extern "C" int64_t Apply(int64_t i, int64_t x) { return kFunctions[i](x); }
extern "C" void Copy(void* to, const void* from, unsigned long n) { memcpy(to, from, n); }
using Rounding = double (*)(double);
extern "C" Rounding AddressOfFloor() { return floor; }
)";

const std::string& Object() {
  static const std::string& object = *new std::string([] {
    auto compiled = CompileObject("loader_test.cc", kSource);
    EXPECT_TRUE(compiled.ok()) << compiled.status();
    return compiled.ok() ? *compiled : std::string();
  }());
  return object;
}

template <typename Function>
Function* Find(const LoadedObject& object, const char* name) {
  return reinterpret_cast<Function*>(object.FindFunction(name));
}

TEST(ObjectLoader, LinksCodeDataAndOutsideFunctions) {
  auto loaded = LoadObject(Object());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const LoadedObject& object = **loaded;
  EXPECT_EQ(Find<int64_t()>(object, "Next")(), 41);
  EXPECT_EQ(Find<int64_t()>(object, "Next")(), 42);
  EXPECT_EQ(Find<int64_t(int64_t)>(object, "Prime")(3), 7);
  EXPECT_EQ(Find<int64_t(int64_t, int64_t)>(object, "Apply")(0, 10), 20);
  EXPECT_EQ(Find<int64_t(int64_t, int64_t)>(object, "Apply")(1, 10), 30);
  char copy[6] = {};
  Find<void(void*, const void*, size_t)>(object, "Copy")(copy, "hello", 6);
  EXPECT_STREQ(copy, "hello");
  EXPECT_EQ(Find<double (*())(double)>(object, "AddressOfFloor")()(2.5), 2.0);
  EXPECT_EQ(object.FindFunction("Missing"), nullptr);
  EXPECT_EQ(object.FindFunction("kTable"), nullptr) << "not a function";
}

TEST(ObjectLoader, GivesEachLoadItsOwnVariables) {
  auto first = LoadObject(Object()), second = LoadObject(Object());
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(Find<int64_t()>(**first, "Next")(), 41);
  EXPECT_EQ(Find<int64_t()>(**second, "Next")(), 41);
}

// /proc/self/maps has no page that is writable and executable at once, and none left behind.
TEST(ObjectLoader, ProtectsItsPagesAndUnmapsThem) {
  auto loaded = LoadObject(Object());
  ASSERT_TRUE(loaded.ok());
  const auto address = reinterpret_cast<uintptr_t>((*loaded)->FindFunction("Next"));
  auto permissions = [&] {
    std::ifstream maps("/proc/self/maps");
    uintptr_t start, end;
    char dash;
    std::string flags, line;
    while (maps >> std::hex >> start >> dash >> end >> flags && std::getline(maps, line)) {
      EXPECT_THAT(flags, testing::Not(testing::StartsWith("rwx")));
      if (start <= address && address < end) return flags;
    }
    return std::string("unmapped");
  };
  EXPECT_EQ(permissions(), "r-xp");
  loaded->reset();
  EXPECT_EQ(permissions(), "unmapped");
}

TEST(ObjectLoader, NamesAnOutsideFunctionThatIsNotAllowed) {
  const auto object = CompileObject("system.cc",
                                    "extern \"C\" int system(const char*); extern \"C\" int Run() "
                                    "{ return system(\"true\"); }");
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_THAT(LoadObject(*object).status().message(), HasSubstr("system"));
}

#ifdef DYNACC_CHECKED_KERNELS
TEST(ObjectLoader, CompiledCodeIsChecked) {
  const auto object = CompileObject("beyond.cc",
                                    "extern \"C\" void Run(double* to, long n) "
                                    "{ for (long i = 0; i <= n; ++i) to[i] = 1; }");
  ASSERT_TRUE(object.ok()) << object.status();
  const auto loaded = LoadObject(*object);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const auto run = Find<void(double*, long)>(**loaded, "Run");
  std::vector<double> eight(8);
  run(eight.data(), 7);
  EXPECT_DEATH(run(eight.data(), 8), "heap-buffer-overflow");
}
#endif

TEST(ObjectLoader, RefusesWhatIsNoObject) {
  for (const absl::string_view bytes : {"", "x", "\177ELF", "#!/bin/sh\n"}) {
    EXPECT_EQ(LoadObject(bytes).status().code(), absl::StatusCode::kInvalidArgument);
  }
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string program(1 << 16, '\0');
  self.read(program.data(), static_cast<std::streamsize>(program.size()));
  EXPECT_FALSE(LoadObject(program).ok()) << "a program is not a relocatable object";
}

TEST(ObjectLoader, SurvivesEveryTruncation) {
  for (size_t size = 0; size < Object().size(); size += size < 256 ? 1 : 13) {
    (void)LoadObject(absl::string_view(Object()).substr(0, size));
  }
  EXPECT_FALSE(LoadObject(absl::string_view(Object()).substr(0, Object().size() - 1)).ok());
}

// Overwrites bytes anywhere, and then structured fields with extreme values; loads, never runs.
TEST(ObjectLoader, SurvivesDamage) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  constexpr uint64_t kExtremes[] = {0,
                                    1,
                                    0x7f,
                                    0xff,
                                    0xffff,
                                    0x7fffffff,
                                    0xffffffff,
                                    0x7fffffffffffffff,
                                    0xffffffffffffffff,
                                    0xfffffffffffff000};
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = Object();
    for (uint64_t i = random() % 4 + 1; i > 0; --i) {
      const size_t at = random() % (damaged.size() - 8);
      const uint64_t value = random() % 2 ? random() : kExtremes[random() % 10];
      std::memcpy(damaged.data() + at, &value, random() % 8 + 1);
    }
    (void)LoadObject(damaged);
  }
}

// Each row of loader_symbols.def can be called from a module.
TEST(ObjectLoader, KnowsEveryFunctionOfItsTable) {
  std::string source = "#include \"dynacc_prelude.h\"\n";
#define DYNACC_LOADER_SYMBOL(name, type)                                            \
  absl::StrAppend(&source, "extern \"C\" void Outside_" #name "() __asm__(\"" #name \
                           "\");\nextern \"C\" void* At_" #name                     \
                           "() { return (void*)Outside_" #name "; }\n");
#include "runtime/cpu/loader/loader_symbols.def"
#undef DYNACC_LOADER_SYMBOL
  const auto compiled = CompileObject("symbols_test.cc", source);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const auto loaded = LoadObject(*compiled);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
#define DYNACC_LOADER_SYMBOL(name, type) \
  EXPECT_NE(Find<void*()>(**loaded, "At_" #name)(), nullptr) << #name;
#include "runtime/cpu/loader/loader_symbols.def"
#undef DYNACC_LOADER_SYMBOL
}

// Damage to the headers and tables only, where each field steers the loader.
TEST(ObjectLoader, SurvivesDamagedTables) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  Elf64_Ehdr header;
  std::memcpy(&header, Object().data(), sizeof(header));
  const size_t table = header.e_shnum * sizeof(Elf64_Shdr);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = Object();
    const size_t at =
        round % 4 == 0 ? random() % sizeof(header) : header.e_shoff + random() % (table - 8);
    const uint64_t value = random() >> (random() % 64);
    std::memcpy(damaged.data() + at, &value, random() % 8 + 1);
    refused += !LoadObject(damaged).ok();
  }
  EXPECT_GT(refused, 1000) << "the damage does nothing";
}

}  // namespace
}  // namespace dynacc::cpu
