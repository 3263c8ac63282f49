// Simulator: the state behind the simulated driver: contexts, streams, memory, modules.
//
// Work given to a stream waits in a queue until something waits for it, so that a program that
// reads results too early reads wrong ones; a copy from pageable memory takes the content at the
// call, one from pinned memory when it is run, as on a real device.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/cpu/loader/object_loader.h"
#include "runtime/cuda/driver_types.h"
#include "tests/cuda_sim/grid.h"
#include "tests/cuda_sim/memory.h"

namespace dynacc::cuda {

struct ContextOf {
  int device = 0;
  Result lost = kSuccess;  // the error that every later call gives
};

struct StreamOf {
  Context context = nullptr;
  std::deque<std::function<Result()>> work;
  uint64_t done = 0;  // pieces of work that are not in the queue any more
  bool captures = false;
  std::vector<std::function<Result()>> captured;  // since the capture began

  uint64_t given() const { return done + work.size(); }
};

struct EventOf {
  Stream recorded_in = nullptr;  // null: never recorded
  uint64_t place = 0;            // what the stream had been given then
};

struct GraphOf {
  std::vector<std::function<Result()>> work;
};

struct GraphExecOf {
  std::vector<std::function<Result()>> work;
};

struct MemoryPoolOf {
  int device = 0;
  uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0, threshold = 0;
  uint64_t most = UINT64_MAX;
  std::multiset<size_t> cached;  // sizes of blocks that nobody uses
};

struct FunctionOf {
  sim::GridKernel kernel;
  std::vector<size_t> sizes;  // of its parameters
};

struct ModuleOf {
  std::unique_ptr<cpu::LoadedObject> object;
  std::map<std::string, FunctionOf> functions;
};

}  // namespace dynacc::cuda

namespace dynacc::sim {

struct PooledBlock {
  cuda::MemoryPool pool = nullptr;
  size_t bytes = 0;
};

struct Simulator {
  std::recursive_mutex mutex;
  bool started = false;
  std::map<int, cuda::ContextOf> contexts;  // by device
  std::map<int, DeviceMemory> memories;     // by device
  std::map<uint64_t, PooledBlock> blocks;   // by address
  std::map<char*, size_t> pinned;
  std::set<cuda::Stream> streams;
  // What nobody destroys when a context is lost, or at the end of the process.
  std::set<cuda::Event> events;
  std::set<cuda::Module> modules;
  std::set<cuda::MemoryPool> pools;
  std::set<cuda::Graph> graphs;
  std::set<cuda::GraphExec> graph_execs;
  std::map<std::pair<cuda::Context, uint64_t>, cuda::Stream> named_streams;

  static Simulator& Get();

  // Does what waits in the stream, as far as `place`; the error of the first part that failed,
  // which is also the context's from then on.
  cuda::Result Drain(cuda::Stream stream, uint64_t place = UINT64_MAX);
  void Push(cuda::Stream stream, std::function<cuda::Result()> work);
  bool IsPinned(const void* pointer, size_t bytes) const;
  // Where device memory of any device is kept; null if that is no part of an allocation.
  char* Find(uint64_t address, size_t bytes);
};

// The context that is current on this thread, or null.
cuda::Context CurrentContext();
std::vector<cuda::Context>& ContextStack();

// What nvrtc.cc makes of a source and cuModuleLoadData takes.
struct Image {
  std::vector<std::string> kernels;
  std::string object;
};
std::string WriteImage(const Image& image);
bool ReadImage(const char* data, Image& image);

}  // namespace dynacc::sim
