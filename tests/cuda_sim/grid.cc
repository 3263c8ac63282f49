#include "tests/cuda_sim/grid.h"

#include <cmath>
#include <memory>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/tensor/element_types.h"
#include "tests/cuda_sim/fibre.h"
#include "tests/cuda_sim/memory.h"
#include "tests/cuda_sim/simulator.h"

namespace dynacc::sim {
namespace {

constexpr int kWarp = 32;
// On both sides of the shared memory of a launch: as far as a wrong index is likely to go.
constexpr size_t kGuardBytes = size_t{64} << 10;

struct alignas(16) SharedUnit {
  char bytes[16];
};

enum class Wait { kNothing, kBarrier, kWarp, kDone };

struct Thread {
  SimIndex index;
  std::unique_ptr<Fibre> fibre;
  Wait wait = Wait::kNothing;
  unsigned mask = 0;             // of a warp's function
  unsigned long long value = 0;  // that it gives to its warp ...
  unsigned long long given = 0;  // ... and had given at the last exchange, until the next one
};

// The one grid that runs; kernels reach it through the functions of SimApi.
class Grid {
 public:
  Grid(const GridKernel& kernel, const GridShape& shape, void** arguments, DeviceMemory& memory)
      : kernel_(kernel),
        grid_(shape.grid),
        block_(shape.block),
        arguments_(arguments),
        memory_(memory),
        shared_bytes_(shape.shared_bytes),
        launch_shared_((shape.shared_bytes + 2 * kGuardBytes) / sizeof(SharedUnit) + 1) {}

  std::string Run();

  char* Access(const void* pointer, size_t bytes, size_t alignment, bool writes) {
    char* at = nullptr;
    const std::string error =
        memory_.Access(reinterpret_cast<uint64_t>(pointer), bytes, alignment, writes, now_, at);
    if (!error.empty()) Fail(error);
    return at;
  }
  char* Common(const void* pointer, size_t bytes) {
    const auto address = reinterpret_cast<uint64_t>(pointer);
    if (char* at = memory_.Find(address, bytes)) return at;
    if (!Simulator::Get().IsPinned(pointer, bytes)) {
      Fail(absl::StrCat("touches ", bytes, " bytes at 0x", absl::Hex(address),
                        ", which is outside of all allocations"));
    }
    return static_cast<char*>(const_cast<void*>(pointer));
  }
  void Shared(const void* pointer, size_t bytes, bool writes) {
    const auto* byte = static_cast<const char*>(pointer);
    if (IsBesideLaunchShared(byte, bytes)) {
      return Fail("touches shared memory outside of what the launch asked for");
    }
    for (size_t i = 0; i < bytes; ++i) {
      if (Races(shared_[byte + i], now_, writes)) {
        Fail("touches shared memory that another thread touches, with no barrier between");
      }
    }
  }
  void Barrier() { WaitFor(Wait::kBarrier, 0, 0); }
  unsigned long long Shuffle(unsigned mask, unsigned long long value, int source) {
    WaitFor(Wait::kWarp, mask, value);
    return LaneOf(source).given;
  }
  unsigned Ballot(unsigned mask, bool predicate) {
    WaitFor(Wait::kWarp, mask, predicate);
    unsigned votes = 0;
    for (int lane = 0; lane < kWarp; ++lane) {
      if ((mask >> lane & 1) && LaneOf(lane).given != 0) votes |= 1u << lane;
    }
    return votes;
  }

 private:
  char* launch_shared() { return reinterpret_cast<char*>(launch_shared_.data()) + kGuardBytes; }
  bool IsBesideLaunchShared(const char* byte, size_t bytes) {
    const char* const begin = launch_shared();
    const bool is_near = byte >= begin - kGuardBytes && byte < begin + shared_bytes_ + kGuardBytes;
    return is_near && (byte < begin || byte + bytes > begin + shared_bytes_);
  }
  void RunBlock();
  void RunThread(Thread& thread);
  bool Release();
  bool ReleaseBarrier();
  bool ReleaseWarp(size_t first);
  Thread& LaneOf(int lane) { return threads_[current_ / kWarp * kWarp + lane]; }

  // Of the running thread: waits for others, and goes on when they have come.
  void WaitFor(Wait wait, unsigned mask, unsigned long long value) {
    Thread& thread = threads_[current_];
    thread.wait = wait;
    thread.mask = mask;
    thread.value = value;
    thread.fibre->Yield();
  }
  // Ends the kernel: the running thread never goes on.
  void Fail(const std::string& what) {
    error_ = absl::StrCat("kernel ", kernel_.name, ", block ", now_.block, ", thread ", now_.thread,
                          " ", what);
    threads_[current_].fibre->Yield();
  }

  const GridKernel& kernel_;
  const SimIndex grid_;
  const SimIndex block_;
  void** const arguments_;
  DeviceMemory& memory_;
  SimApi* api_ = nullptr;
  std::vector<Thread> threads_;
  size_t current_ = 0;
  Moment now_;
  std::unordered_map<const char*, Shadow> shared_;
  const size_t shared_bytes_;
  std::vector<SharedUnit> launch_shared_;  // with a guard on both sides
  std::string error_;
};

Grid* running = nullptr;

void FillMath(SimApi& api) {
#define SIM_FILL(name)                                 \
  api.name##_f = [](float a) { return std::name(a); }; \
  api.name##_d = [](double a) { return std::name(a); };
  SIM_UNARY_MATH(SIM_FILL)
#undef SIM_FILL
#define SIM_FILL(name)                                             \
  api.name##_f = [](float a, float b) { return std::name(a, b); }; \
  api.name##_d = [](double a, double b) { return std::name(a, b); };
  SIM_BINARY_MATH(SIM_FILL)
#undef SIM_FILL
  api.exp2_f = [](float a) { return std::exp2(a); };
  api.fma_f = [](float a, float b, float c) { return std::fma(a, b, c); };
  api.fma_d = [](double a, double b, double c) { return std::fma(a, b, c); };
}

SimApi& TheApi() {
  static SimApi& api = *[] {
    auto* made = new SimApi();
    made->access = [](const void* pointer, unsigned long bytes, unsigned long alignment,
                      bool writes) { return running->Access(pointer, bytes, alignment, writes); };
    made->shared = [](const void* pointer, unsigned long bytes, bool writes) {
      running->Shared(pointer, bytes, writes);
    };
    made->common = [](const void* pointer, unsigned long bytes) {
      return running->Common(pointer, bytes);
    };
    made->barrier = [] { running->Barrier(); };
    made->shuffle = [](unsigned mask, unsigned long long value, int source) {
      return running->Shuffle(mask, value, source);
    };
    made->ballot = [](unsigned mask, bool predicate) { return running->Ballot(mask, predicate); };
    made->half_of_float = [](float value) { return ToHalf(value).bits; };
    made->half_of_double = [](double value) { return ToHalf(value).bits; };
    made->float_of_half = [](unsigned short bits) { return ToFloat(Half{bits}); };
    FillMath(*made);
    return made;
  }();
  return api;
}

std::string Grid::Run() {
  static uint32_t launches = 0;
  now_.launch = ++launches;
  api_ = &TheApi();
  api_->block_dim = block_;
  api_->grid_dim = grid_;
  api_->launch_shared = launch_shared();
  kernel_.start(api_);
  threads_.resize(size_t{block_.x} * block_.y * block_.z);
  for (size_t i = 0; i < threads_.size(); ++i) {
    const auto at = static_cast<unsigned>(i);
    threads_[i].index = {at % block_.x, at / block_.x % block_.y, at / block_.x / block_.y};
    threads_[i].fibre = std::make_unique<Fibre>();
  }
  for (unsigned z = 0; z < grid_.z; ++z) {
    for (unsigned y = 0; y < grid_.y; ++y) {
      for (unsigned x = 0; x < grid_.x && error_.empty(); ++x) {
        api_->block = {x, y, z};
        now_.block = x + grid_.x * (y + grid_.y * z);
        RunBlock();
      }
    }
  }
  return error_;
}

void Grid::RunBlock() {
  now_.epoch = 0;
  shared_.clear();
  for (Thread& thread : threads_) {
    thread.wait = Wait::kNothing;
    thread.fibre->Start([this] { kernel_.call(arguments_); });
  }
  do {
    for (current_ = 0; current_ < threads_.size() && error_.empty(); ++current_) {
      if (threads_[current_].wait == Wait::kNothing) RunThread(threads_[current_]);
    }
  } while (error_.empty() && Release());
}

void Grid::RunThread(Thread& thread) {
  api_->thread = thread.index;
  now_.thread = static_cast<uint32_t>(current_);
  if (thread.fibre->Resume()) thread.wait = Wait::kDone;
}

// Lets threads go on whose wait is over; false if all are done, or, with an error, if none can.
bool Grid::Release() {
  bool released = ReleaseBarrier();
  bool done = true;
  for (size_t first = 0; first < threads_.size(); first += kWarp) released |= ReleaseWarp(first);
  for (const Thread& thread : threads_) done &= thread.wait == Wait::kDone;
  if (!released && !done) {
    error_ = absl::StrCat("kernel ", kernel_.name, ", block ", now_.block,
                          ": threads wait for others that never come");
  }
  return released;
}

bool Grid::ReleaseBarrier() {
  bool any = false;
  for (const Thread& thread : threads_) {
    if (thread.wait == Wait::kWarp) return false;
    any |= thread.wait == Wait::kBarrier;
  }
  if (!any) return false;
  for (Thread& thread : threads_) {
    if (thread.wait == Wait::kBarrier) thread.wait = Wait::kNothing;
  }
  ++now_.epoch;
  return true;
}

// All lanes of a mask must have come, and each must name the same mask.
bool Grid::ReleaseWarp(size_t first) {
  for (int lane = 0; lane < kWarp && first + lane < threads_.size(); ++lane) {
    Thread& thread = threads_[first + lane];
    if (thread.wait != Wait::kWarp) continue;
    const unsigned mask = thread.mask;
    bool complete = (mask >> lane & 1) != 0;
    for (int other = 0; other < kWarp; ++other) {
      if (!(mask >> other & 1)) continue;
      const bool there = first + other < threads_.size();
      complete &= there && threads_[first + other].wait == Wait::kWarp &&
                  threads_[first + other].mask == mask;
    }
    if (!complete) continue;
    for (int other = 0; other < kWarp; ++other) {
      if (!(mask >> other & 1)) continue;
      threads_[first + other].wait = Wait::kNothing;
      threads_[first + other].given = threads_[first + other].value;
    }
    return true;
  }
  return false;
}

}  // namespace

std::string RunGrid(const GridKernel& kernel, const GridShape& shape, void** arguments,
                    DeviceMemory& memory) {
  Grid run(kernel, shape, arguments, memory);
  running = &run;
  std::string error = run.Run();
  running = nullptr;
  return error;
}

}  // namespace dynacc::sim
