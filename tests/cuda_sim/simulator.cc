#include "tests/cuda_sim/simulator.h"

#include <cfenv>
#include <cstring>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/cuda_sim/faults.h"

namespace dynacc::sim {

Simulator& Simulator::Get() {
  static Simulator& simulator = *new Simulator;
  return simulator;
}

cuda::Result Simulator::Drain(cuda::Stream stream, uint64_t place) {
  std::fenv_t environment;  // a GPU does not touch the CPU's flags
  std::feholdexcept(&environment);
  cuda::ContextOf& context = *stream->context;
  while (!stream->work.empty() && stream->done < place) {
    const std::function<cuda::Result()> work = std::move(stream->work.front());
    stream->work.pop_front();
    ++stream->done;
    if (TheSettings().slow_microseconds > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(TheSettings().slow_microseconds));
    }
    const cuda::Result result = context.lost != cuda::kSuccess ? context.lost : work();
    if (result != cuda::kSuccess && context.lost == cuda::kSuccess) context.lost = result;
  }
  std::fesetenv(&environment);
  return context.lost;
}

void Simulator::Push(cuda::Stream stream, std::function<cuda::Result()> work) {
  if (stream->captures) return stream->captured.push_back(std::move(work));
  stream->work.push_back(std::move(work));
}

bool Simulator::IsPinned(const void* pointer, size_t bytes) const {
  auto* at = static_cast<char*>(const_cast<void*>(pointer));
  auto it = pinned.upper_bound(at);
  if (it == pinned.begin()) return false;
  --it;
  return at + bytes <= it->first + it->second;
}

char* Simulator::Find(uint64_t address, size_t bytes) {
  for (auto& [device, memory] : memories) {
    if (char* at = memory.Find(address, bytes)) return at;
  }
  return nullptr;
}

std::vector<cuda::Context>& ContextStack() {
  static thread_local std::vector<cuda::Context> stack;
  return stack;
}

cuda::Context CurrentContext() { return ContextStack().empty() ? nullptr : ContextStack().back(); }

namespace {

constexpr char kMagic[] = "simulated cubin";

}  // namespace

// The magic, the kernels' names and the object's size, each in a line; then the object.
std::string WriteImage(const Image& image) {
  return absl::StrCat(kMagic, "\n", absl::StrJoin(image.kernels, " "), "\n", image.object.size(),
                      "\n", image.object);
}

bool ReadImage(const char* data, Image& image) {
  if (std::strncmp(data, kMagic, sizeof(kMagic) - 1) != 0) return false;
  const char* names = std::strchr(data, '\n') + 1;
  const char* size = std::strchr(names, '\n') + 1;
  const char* object = std::strchr(size, '\n') + 1;
  image.kernels = absl::StrSplit(absl::string_view(names, size - names - 1), ' ');
  image.object.assign(object, std::strtoull(size, nullptr, 10));
  return true;
}

}  // namespace dynacc::sim

// Replaces the settings and faults (faults.h) and starts counting calls anew.
extern "C" __attribute__((visibility("default"))) void DynaccSimConfigure(const char* text) {
  dynacc::sim::Configure(text);
}
