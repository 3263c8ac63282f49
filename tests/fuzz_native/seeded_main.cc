// The program of a fuzz target without libFuzzer: inputs drawn from seeds, one after another.
//
//   X_fuzzer [--seed S] [--seconds N | --runs N] [--input FILE] [--save FOLDER]
//
// Runs the inputs of seeds S, S + 1, ... in a child process until N seconds have passed (default 5)
// or N inputs are done. --input runs the bytes of a file instead. A crash, an abort, an exit and an
// input that takes longer than a minute are findings: the seed and what reproduces it are printed,
// the input goes to FOLDER (default: the current one), and the status is 1. The last line is
// "executions: N".
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <random>
#include <string>

#include "tests/fuzz_native/fuzz_target.h"
#include "tests/fuzz_native/mutation.h"

namespace dynacc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLongest = 60;  // seconds of one input; sanitizers are slow

struct Arguments {
  uint64_t seed = 0;
  double seconds = 5;
  uint64_t runs = UINT64_MAX;
  std::string input;
  std::string save = ".";
};

// Shared by the child, which writes, and its parent.
struct Progress {
  std::atomic<uint64_t> done = 0;
  std::atomic<bool> is_over = false;
};

[[noreturn]] void Usage(const char* program) {
  std::fprintf(stderr,
               "usage: %s [--seed S] [--seconds N | --runs N] [--input FILE] [--save FOLDER]\n",
               program);
  std::exit(2);
}

Arguments Read(int argc, char** argv) {
  Arguments arguments;
  arguments.seed = std::random_device()();
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) Usage(argv[0]);
    const char* value = argv[i + 1];
    if (name == "--seed") {
      arguments.seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--seconds") {
      arguments.seconds = std::atof(value);
    } else if (name == "--runs") {
      arguments.runs = std::strtoull(value, nullptr, 10);
      arguments.seconds = 1e9;
    } else if (name == "--input") {
      arguments.input = value;
      arguments.runs = 1;
    } else if (name == "--save") {
      arguments.save = value;
    } else {
      Usage(argv[0]);
    }
  }
  return arguments;
}

std::string FileContent(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || !std::filesystem::is_regular_file(path)) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(2);
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// One input; a copy of exactly its size, so that a sanitizer sees a read beyond its end.
void RunOne(const std::string& input) {
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

[[noreturn]] void Work(const Arguments& arguments, Progress& progress) {
  // Not until here: starts may start an interpreter, which a fork does not survive.
  const std::vector<std::string> starts = StartInputs();
  const auto end = Clock::now() + std::chrono::duration<double>(arguments.seconds);
  for (uint64_t i = 0; i < arguments.runs && Clock::now() < end; ++i) {
    RunOne(arguments.input.empty() ? InputOfSeed(arguments.seed + i, starts)
                                   : FileContent(arguments.input));
    progress.done = i + 1;
  }
  progress.is_over = true;
  std::fflush(nullptr);
  _exit(0);
}

// Waits for the child; true if it has found nothing.
bool Watch(pid_t child, const Progress& progress, std::string& how) {
  uint64_t seen = UINT64_MAX;
  auto since = Clock::now();
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      if (WIFSIGNALED(status)) how = std::string("ended by ") + strsignal(WTERMSIG(status));
      if (WIFEXITED(status)) how = "exited with " + std::to_string(WEXITSTATUS(status));
      return progress.is_over && status == 0;
    }
    if (progress.done != seen) {
      seen = progress.done;
      since = Clock::now();
    } else if (Clock::now() - since > std::chrono::duration<double>(kLongest)) {
      how = "takes longer than a minute";
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    usleep(20'000);
  }
}

// Again in a child, as start inputs may need what a fork does not survive.
std::string Save(const Arguments& arguments, uint64_t seed) {
  const std::string path = arguments.save + "/finding-" + std::to_string(seed);
  const pid_t child = fork();
  if (child == 0) {
    const std::string input = InputOfSeed(seed, StartInputs());
    std::ofstream(path, std::ios::binary) << input;
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return path;
}

int Main(int argc, char** argv) {
  const Arguments arguments = Read(argc, argv);
  if (!arguments.input.empty()) FileContent(arguments.input);  // told of here, not as a finding
  void* memory =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& progress = *new (memory) Progress;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) Work(arguments, progress);
  std::string how;
  const bool is_clean = Watch(child, progress, how);
  if (!is_clean) {
    const uint64_t seed = arguments.seed + progress.done;
    if (arguments.input.empty()) {
      const std::string path = Save(arguments, seed);
      std::printf("FINDING: seed %llu %s\nreproduce: %s --seed %llu --runs 1   (its input: %s)\n",
                  static_cast<unsigned long long>(seed), how.c_str(), argv[0],
                  static_cast<unsigned long long>(seed), path.c_str());
    } else {
      std::printf("FINDING: %s %s\n", arguments.input.c_str(), how.c_str());
    }
  }
  std::printf("seed: %llu\nexecutions: %llu\n", static_cast<unsigned long long>(arguments.seed),
              static_cast<unsigned long long>(progress.done));
  return is_clean ? 0 : 1;
}

}  // namespace
}  // namespace dynacc

int main(int argc, char** argv) { return dynacc::Main(argc, argv); }
