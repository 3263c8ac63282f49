// Compiles every CUDA source of a folder with NVRTC, for one of the architectures in turn; with a
// SHARE of 1 for each of them.
//
// usage: compile_sources FOLDER SEED SHARE      exit status 77: there is no NVRTC
//
// One source in SHARE, drawn by SEED, is made into machine code; of the others it is only checked
// that they compile (optimising is nine tenths of NVRTC's time). SHARE 1: all.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "codegen/emit/emitter.h"
#include "codegen/targets/cuda/nvrtc_compiler.h"

namespace dynacc::cuda {
namespace {

constexpr int kArchitectures[] = {80, 90, 100};
constexpr int kSkipped = 77;

std::string ReadFile(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The folder's sources, one of those that differ in comments only.
std::vector<std::string> DistinctSources(const char* folder) {
  std::set<std::string> seen;
  std::vector<std::string> sources;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string source = ReadFile(entry.path());
    if (seen.insert(emit::WithoutComments(source)).second) sources.push_back(std::move(source));
  }
  return sources;
}

bool Compiles(const std::string& source, int architecture, bool only_check) {
  const auto cubin = CompileCubin("kernels.cu", source, {architecture, false, only_check});
  if (cubin.ok() && (only_check || cubin->compare(0, 4, "\177ELF") == 0)) return true;
  std::fprintf(stderr, "sm_%d: %s\n%s\n", architecture,
               cubin.ok() ? "no cubin" : std::string(cubin.status().message()).c_str(),
               source.c_str());
  return false;
}

// Sorted, so that a seed draws the same ones whatever order the folder has.
int CompileAll(const char* folder, unsigned seed, unsigned share) {
  std::vector<std::string> sources = DistinctSources(folder);
  std::sort(sources.begin(), sources.end());
  std::shuffle(sources.begin(), sources.end(), std::mt19937(seed));
  std::atomic<size_t> next = 0, failed = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back([&] {
      for (size_t at = next++; at < sources.size(); at = next++) {
        for (size_t k = 0; k < std::size(kArchitectures); ++k) {
          const bool is_its_turn = at / share % std::size(kArchitectures) == k;
          if (share > 1 && !is_its_turn) continue;
          if (!Compiles(sources[at], kArchitectures[k], at % share != 0)) ++failed;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%zu modules compiled, one in %u to machine code (seed %u), %zu failed\n",
              sources.size(), share, seed, failed.load());
  return failed != 0 || sources.empty() ? 1 : 0;
}

}  // namespace
}  // namespace dynacc::cuda

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  if (!dynacc::cuda::NvrtcStatus().ok()) return dynacc::cuda::kSkipped;
  const auto number = [&](int i) { return static_cast<unsigned>(std::max(1, std::atoi(argv[i]))); };
  return dynacc::cuda::CompileAll(argv[1], number(2), number(3));
}
