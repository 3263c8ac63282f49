// The exported functions of the simulated driver, by the names and forms of libcuda.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/cuda_sim/faults.h"
#include "tests/cuda_sim/simulator.h"

#define SIM_EXPORT extern "C" __attribute__((visibility("default")))
// Every function starts so: the lock, the fault that was ordered for it, the lost context.
#define SIM_ENTER(name)                                                      \
  Simulator& simulator = Simulator::Get();                                   \
  const std::lock_guard lock(simulator.mutex);                               \
  if (const Result result = Enter(#name); result != kSuccess) return result; \
  static_cast<void>(simulator)

using namespace dynacc::cuda;  // NOLINT: the table's signatures are written with its names
using namespace dynacc::sim;   // NOLINT

namespace {

constexpr int kMaxParameters = 64;
constexpr Result kInvalidValue = 1, kNotInitialized = 3, kInvalidDevice = 101,
                 kInvalidContext = 201, kCooperativeLaunchTooLarge = 720;

// The loss of a context shows at the call that was ordered to fail, and at every later one.
Result Enter(const char* function) {
  const Context context = CurrentContext();
  if (context != nullptr && context->lost != kSuccess) return context->lost;
  const Result fault = FaultOf(function);
  constexpr int kFirstLoss = 700;
  const bool loses = fault >= kFirstLoss && fault < 800;
  if (loses && context != nullptr) context->lost = fault;
  return fault;
}

struct ErrorRow {
  Result result;
  const char* name;
  const char* text;
};
constexpr ErrorRow kErrors[] = {
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {kNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {kCooperativeLaunchTooLarge, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
     "too many blocks in cooperative launch"},
    {kSystemDriverMismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
};

// What a launch may ask for without more ado, on any device.
constexpr unsigned kMaxSharedBytes = 48 << 10;
constexpr int kMultiprocessors = 3;
constexpr int kResidentThreads = 1024;  // of a multiprocessor

// Whether all blocks are resident at once, if the launch asks for that.
bool FitsCooperatively(const LaunchConfig& config) {
  bool is_cooperative = false;
  for (unsigned i = 0; i < config.num_attributes; ++i) {
    const LaunchAttribute& attribute = config.attributes[i];
    if (attribute.id != kLaunchAttributeCooperative) continue;
    int value = 0;
    std::memcpy(&value, attribute.value, sizeof(value));
    is_cooperative = value != 0;
  }
  const uint64_t blocks = uint64_t{config.grid_x} * config.grid_y * config.grid_z;
  const unsigned threads = config.block_x * config.block_y * config.block_z;
  return !is_cooperative || blocks <= uint64_t{kMultiprocessors} * (kResidentThreads / threads);
}

const ErrorRow* FindError(Result result) {
  for (const ErrorRow& row : kErrors) {
    if (row.result == result) return &row;
  }
  return nullptr;
}

// The handles 0, 1 and 2 are streams that every context has.
Stream NamedStream(Stream stream, Context context) {
  const auto handle = reinterpret_cast<uint64_t>(stream);
  if (handle > kPerThreadStream) return stream;
  Stream& made = Simulator::Get().named_streams[{context, handle == 0 ? kLegacyStream : handle}];
  if (made == nullptr) {
    made = new StreamOf;
    made->context = context;
    Simulator::Get().streams.insert(made);
  }
  return made;
}

Result NeedContext(Stream& stream) {
  const Context context = CurrentContext();
  if (context == nullptr) return kInvalidContext;
  stream = NamedStream(stream, context);
  if (!Simulator::Get().streams.contains(stream) || stream->context != context) {
    return kInvalidHandle;
  }
  return kSuccess;
}

}  // namespace

// A stream that was destroyed, or never was one, gives an error here; a real driver may do worse.
SIM_EXPORT Result cuStreamGetCtx(Stream stream, Context* context) {
  SIM_ENTER(cuStreamGetCtx);
  if (CurrentContext() == nullptr) return kInvalidContext;
  stream = NamedStream(stream, CurrentContext());
  if (!simulator.streams.contains(stream)) return kInvalidHandle;
  *context = stream->context;
  return kSuccess;
}

SIM_EXPORT Result cuPointerGetAttribute(void* value, PointerAttribute attribute,
                                        DevicePointer pointer) {
  SIM_ENTER(cuPointerGetAttribute);
  for (auto& [device, memory] : simulator.memories) {
    if (memory.Find(pointer, 1) == nullptr) continue;
    const int found = attribute == kPointerMemoryType ? kMemoryTypeDevice : device;
    std::memcpy(value, &found, sizeof(found));
    return kSuccess;
  }
  return kInvalidValue;
}

SIM_EXPORT Result cuDriverGetVersion(int* version) {
  *version = 13000;
  return kSuccess;
}

SIM_EXPORT Result cuGetErrorName(Result error, const char** name) {
  const ErrorRow* row = FindError(error);
  *name = row == nullptr ? nullptr : row->name;
  return row == nullptr ? kInvalidValue : kSuccess;
}

SIM_EXPORT Result cuGetErrorString(Result error, const char** text) {
  const ErrorRow* row = FindError(error);
  *text = row == nullptr ? nullptr : row->text;
  return row == nullptr ? kInvalidValue : kSuccess;
}

SIM_EXPORT Result cuInit(unsigned) {
  SIM_ENTER(cuInit);
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && *visible == '\0') return kNoDevice;
  simulator.started = true;
  return kSuccess;
}

SIM_EXPORT Result cuDeviceGetCount(int* count) {
  SIM_ENTER(cuDeviceGetCount);
  if (!simulator.started) return kNotInitialized;
  *count = TheSettings().devices;
  return kSuccess;
}

SIM_EXPORT Result cuDeviceGet(Device* device, int ordinal) {
  SIM_ENTER(cuDeviceGet);
  if (ordinal < 0 || ordinal >= TheSettings().devices) return kInvalidDevice;
  *device = ordinal;
  return kSuccess;
}

SIM_EXPORT Result cuDeviceGetName(char* name, int size, Device) {
  SIM_ENTER(cuDeviceGetName);
  std::strncpy(name, "simulated device", size);
  return kSuccess;
}

SIM_EXPORT Result cuDeviceGetAttribute(int* value, DeviceAttribute attribute, Device) {
  SIM_ENTER(cuDeviceGetAttribute);
  switch (attribute) {
    case kMaxThreadsPerBlock:
      *value = 1024;
      break;
    case kWarpSize:
      *value = 32;
      break;
    case kMultiprocessorCount:
      *value = kMultiprocessors;
      break;
    case kComputeCapabilityMajor:
      *value = 9;
      break;
    case kComputeCapabilityMinor:
      *value = 0;
      break;
    case kMemoryPoolsSupported:
      *value = 1;
      break;
    default:
      return kInvalidValue;
  }
  return kSuccess;
}

SIM_EXPORT Result cuDeviceTotalMem(size_t* bytes, Device) {
  SIM_ENTER(cuDeviceTotalMem);
  *bytes = TheSettings().memory;
  return kSuccess;
}

SIM_EXPORT Result cuDevicePrimaryCtxRetain(Context* context, Device device) {
  SIM_ENTER(cuDevicePrimaryCtxRetain);
  ContextOf& made = simulator.contexts[device];
  made.device = device;
  *context = &made;
  return kSuccess;
}

SIM_EXPORT Result cuCtxPushCurrent(Context context) {
  SIM_ENTER(cuCtxPushCurrent);
  ContextStack().push_back(context);
  return kSuccess;
}

SIM_EXPORT Result cuCtxPopCurrent(Context* context) {
  if (ContextStack().empty()) return kInvalidContext;
  *context = ContextStack().back();
  ContextStack().pop_back();
  return kSuccess;
}

SIM_EXPORT Result cuStreamCreate(Stream* stream, unsigned) {
  SIM_ENTER(cuStreamCreate);
  if (CurrentContext() == nullptr) return kInvalidContext;
  *stream = new StreamOf;
  (*stream)->context = CurrentContext();
  simulator.streams.insert(*stream);
  return kSuccess;
}

SIM_EXPORT Result cuStreamDestroy(Stream stream) {
  SIM_ENTER(cuStreamDestroy);
  if (simulator.streams.erase(stream) == 0) return kInvalidHandle;
  const Result result = simulator.Drain(stream);
  delete stream;
  return result;
}

SIM_EXPORT Result cuStreamSynchronize(Stream stream) {
  SIM_ENTER(cuStreamSynchronize);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  if (stream->captures) return kCaptureUnsupported;
  return simulator.Drain(stream);
}

// An event is where its stream's queue ended.
SIM_EXPORT Result cuEventCreate(Event* event, unsigned) {
  SIM_ENTER(cuEventCreate);
  *event = *simulator.events.insert(new EventOf).first;
  return kSuccess;
}

SIM_EXPORT Result cuEventDestroy(Event event) {
  SIM_ENTER(cuEventDestroy);
  if (simulator.events.erase(event) == 0) return kInvalidHandle;
  delete event;
  return kSuccess;
}

SIM_EXPORT Result cuEventRecord(Event event, Stream stream) {
  SIM_ENTER(cuEventRecord);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  if (stream->captures) return kCaptureUnsupported;
  event->recorded_in = stream;
  event->place = stream->given();
  return kSuccess;
}

SIM_EXPORT Result cuEventSynchronize(Event event) {
  SIM_ENTER(cuEventSynchronize);
  if (event->recorded_in == nullptr) return kSuccess;
  return simulator.Drain(event->recorded_in, event->place);
}

// The simulated device is no measure of time.
SIM_EXPORT Result cuEventElapsedTime(float* milliseconds, Event start, Event end) {
  SIM_ENTER(cuEventElapsedTime);
  if (start->recorded_in == nullptr || end->recorded_in == nullptr) return kInvalidHandle;
  *milliseconds = 1;
  return kSuccess;
}

SIM_EXPORT Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  SIM_ENTER(cuStreamWaitEvent);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  const Stream other = event->recorded_in;
  if (other == nullptr || other == stream) return kSuccess;
  simulator.Push(stream, [&simulator, other, place = event->place] {
    return simulator.streams.contains(other) ? simulator.Drain(other, place) : kSuccess;
  });
  return kSuccess;
}

SIM_EXPORT Result cuStreamBeginCapture(Stream stream, int mode) {
  SIM_ENTER(cuStreamBeginCapture);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  if (mode < 0 || mode > 2 || stream->captures) return kInvalidValue;
  stream->captures = true;
  return kSuccess;
}

SIM_EXPORT Result cuStreamEndCapture(Stream stream, Graph* graph) {
  SIM_ENTER(cuStreamEndCapture);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  *graph = nullptr;
  if (!stream->captures) return kInvalidValue;
  stream->captures = false;
  *graph = *simulator.graphs.insert(new GraphOf{std::move(stream->captured)}).first;
  stream->captured.clear();
  return kSuccess;
}

SIM_EXPORT Result cuGraphInstantiateWithFlags(GraphExec* made, Graph graph, unsigned long long) {
  SIM_ENTER(cuGraphInstantiateWithFlags);
  if (!simulator.graphs.contains(graph)) return kInvalidHandle;
  *made = *simulator.graph_execs.insert(new GraphExecOf{graph->work}).first;
  return kSuccess;
}

SIM_EXPORT Result cuGraphLaunch(GraphExec graph, Stream stream) {
  SIM_ENTER(cuGraphLaunch);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  if (!simulator.graph_execs.contains(graph)) return kInvalidHandle;
  for (const std::function<Result()>& work : graph->work) simulator.Push(stream, work);
  return kSuccess;
}

SIM_EXPORT Result cuGraphDestroy(Graph graph) {
  SIM_ENTER(cuGraphDestroy);
  if (simulator.graphs.erase(graph) == 0) return kInvalidHandle;
  delete graph;
  return kSuccess;
}

SIM_EXPORT Result cuGraphExecDestroy(GraphExec graph) {
  SIM_ENTER(cuGraphExecDestroy);
  if (simulator.graph_execs.erase(graph) == 0) return kInvalidHandle;
  delete graph;
  return kSuccess;
}

SIM_EXPORT Result cuMemPoolCreate(MemoryPool* pool, const MemoryPoolProperties* properties) {
  SIM_ENTER(cuMemPoolCreate);
  if (properties->allocation_type != 1 || properties->location_type != 1) return kInvalidValue;
  *pool = *simulator.pools.insert(new MemoryPoolOf).first;
  (*pool)->device = properties->location_id;
  if (properties->max_size != 0) (*pool)->most = properties->max_size;
  return kSuccess;
}

SIM_EXPORT Result cuMemPoolTrimTo(MemoryPool pool, size_t bytes_to_keep) {
  SIM_ENTER(cuMemPoolTrimTo);
  while (!pool->cached.empty() && pool->reserved > bytes_to_keep) {
    pool->reserved -= *pool->cached.begin();
    pool->cached.erase(pool->cached.begin());
  }
  return kSuccess;
}

SIM_EXPORT Result cuMemPoolSetAttribute(MemoryPool pool, MemoryPoolAttribute attribute,
                                        void* value) {
  SIM_ENTER(cuMemPoolSetAttribute);
  if (attribute != kReleaseThreshold) return kInvalidValue;
  std::memcpy(&pool->threshold, value, sizeof(uint64_t));
  return kSuccess;
}

SIM_EXPORT Result cuMemPoolGetAttribute(MemoryPool pool, MemoryPoolAttribute attribute,
                                        void* value) {
  SIM_ENTER(cuMemPoolGetAttribute);
  const uint64_t values[] = {pool->threshold, pool->reserved, pool->reserved_high, pool->used,
                             pool->used_high};
  if (attribute < kReleaseThreshold || attribute > kUsedHigh) return kInvalidValue;
  std::memcpy(value, &values[attribute - kReleaseThreshold], sizeof(uint64_t));
  return kSuccess;
}

// A pool hands a cached block out again only for the very same size, so that running out of memory
// while blocks are cached is common, as fragmentation makes it on a real device.
SIM_EXPORT Result cuMemAllocFromPoolAsync(DevicePointer* pointer, size_t bytes, MemoryPool pool,
                                          Stream stream) {
  SIM_ENTER(cuMemAllocFromPoolAsync);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  if (stream->captures) return kCaptureUnsupported;  // not simulated
  const auto cached = pool->cached.find(bytes);
  if (cached != pool->cached.end()) {
    pool->cached.erase(cached);
  } else {
    if (pool->reserved + bytes > std::min(TheSettings().memory, pool->most)) return kOutOfMemory;
    pool->reserved += bytes;
  }
  pool->used += bytes;
  pool->used_high = std::max(pool->used_high, pool->used);
  pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
  *pointer = simulator.memories[pool->device].Allocate(bytes);
  simulator.blocks[*pointer] = {pool, bytes};
  return kSuccess;
}

SIM_EXPORT Result cuMemFreeAsync(DevicePointer pointer, Stream stream) {
  SIM_ENTER(cuMemFreeAsync);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  if (!simulator.blocks.contains(pointer)) return kInvalidValue;
  simulator.Push(stream, [&simulator, pointer] {
    const auto it = simulator.blocks.find(pointer);
    if (it == simulator.blocks.end()) return kInvalidValue;
    MemoryPoolOf& pool = *it->second.pool;
    pool.used -= it->second.bytes;
    pool.cached.insert(it->second.bytes);
    simulator.memories[pool.device].Free(pointer);
    simulator.blocks.erase(it);
    return kSuccess;
  });
  return kSuccess;
}

SIM_EXPORT Result cuMemHostAlloc(void** pointer, size_t bytes, unsigned) {
  SIM_ENTER(cuMemHostAlloc);
  *pointer = std::malloc(bytes);
  simulator.pinned[static_cast<char*>(*pointer)] = bytes;
  return kSuccess;
}

SIM_EXPORT Result cuMemFreeHost(void* pointer) {
  SIM_ENTER(cuMemFreeHost);
  if (simulator.pinned.erase(static_cast<char*>(pointer)) == 0) return kInvalidValue;
  std::free(pointer);
  return kSuccess;
}

SIM_EXPORT Result cuMemcpyHtoDAsync(DevicePointer to, const void* from, size_t bytes,
                                    Stream stream) {
  SIM_ENTER(cuMemcpyHtoDAsync);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  std::shared_ptr<std::string> taken;
  if (!simulator.IsPinned(from, bytes)) {
    taken = std::make_shared<std::string>(static_cast<const char*>(from), bytes);
  }
  simulator.Push(stream, [&simulator, to, from, bytes, taken] {
    char* const at = simulator.Find(to, bytes);
    if (at == nullptr) return kIllegalAddress;
    std::memcpy(at, taken == nullptr ? from : taken->data(), bytes);
    return kSuccess;
  });
  return kSuccess;
}

SIM_EXPORT Result cuMemcpyDtoHAsync(void* to, DevicePointer from, size_t bytes, Stream stream) {
  SIM_ENTER(cuMemcpyDtoHAsync);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  simulator.Push(stream, [&simulator, to, from, bytes] {
    const char* const at = simulator.Find(from, bytes);
    if (at == nullptr) return kIllegalAddress;
    std::memcpy(to, at, bytes);
    return kSuccess;
  });
  return simulator.IsPinned(to, bytes) ? kSuccess : simulator.Drain(stream);
}

SIM_EXPORT Result cuMemcpyDtoDAsync(DevicePointer to, DevicePointer from, size_t bytes,
                                    Stream stream) {
  SIM_ENTER(cuMemcpyDtoDAsync);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  simulator.Push(stream, [&simulator, to, from, bytes] {
    char* const destination = simulator.Find(to, bytes);
    const char* const source = simulator.Find(from, bytes);
    if (destination == nullptr || source == nullptr) return kIllegalAddress;
    std::memmove(destination, source, bytes);
    return kSuccess;
  });
  return kSuccess;
}

SIM_EXPORT Result cuMemsetD8Async(DevicePointer to, unsigned char value, size_t bytes,
                                  Stream stream) {
  SIM_ENTER(cuMemsetD8Async);
  if (const Result result = NeedContext(stream); result != kSuccess) return result;
  simulator.Push(stream, [&simulator, to, value, bytes] {
    char* const at = simulator.Find(to, bytes);
    if (at == nullptr) return kIllegalAddress;
    std::memset(at, value, bytes);
    return kSuccess;
  });
  return kSuccess;
}

SIM_EXPORT Result cuMemcpyPeerAsync(DevicePointer to, Context, DevicePointer from, Context,
                                    size_t bytes, Stream stream) {
  return cuMemcpyDtoDAsync(to, from, bytes, stream);
}

SIM_EXPORT Result cuModuleLoadData(Module* module, const void* data) {
  SIM_ENTER(cuModuleLoadData);
  if (CurrentContext() == nullptr) return kInvalidContext;
  Image image;
  if (!ReadImage(static_cast<const char*>(data), image)) return kInvalidImage;
  auto object = dynacc::cpu::LoadObject(image.object);
  if (!object.ok()) return kInvalidImage;
  auto made = std::make_unique<ModuleOf>();
  made->object = *std::move(object);
  const auto start =
      reinterpret_cast<void (*)(SimApi*)>(made->object->FindFunction("dynacc_sim_start"));
  for (const std::string& name : image.kernels) {
    GridKernel& kernel = made->functions[name].kernel;
    kernel.name = name;
    kernel.start = start;
    kernel.call =
        reinterpret_cast<void (*)(void**)>(made->object->FindFunction("dynacc_sim_call_" + name));
    const auto sizes = reinterpret_cast<unsigned long (*)(unsigned long*)>(
        made->object->FindFunction("dynacc_sim_sizes_" + name));
    unsigned long bytes[kMaxParameters];
    made->functions[name].sizes.assign(bytes, bytes + sizes(bytes));
  }
  *module = *simulator.modules.insert(made.release()).first;
  return kSuccess;
}

SIM_EXPORT Result cuModuleUnload(Module module) {
  SIM_ENTER(cuModuleUnload);
  if (simulator.modules.erase(module) == 0) return kInvalidHandle;
  delete module;
  return kSuccess;
}

SIM_EXPORT Result cuModuleGetFunction(Function* function, Module module, const char* name) {
  SIM_ENTER(cuModuleGetFunction);
  const auto it = module->functions.find(name);
  if (it == module->functions.end()) return kNotFound;
  *function = &it->second;
  return kSuccess;
}

SIM_EXPORT Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function,
                                                              int block_threads, size_t) {
  SIM_ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  *blocks = kResidentThreads / block_threads;
  return kSuccess;
}

// The parameters are copied at the call, as by the real driver.
SIM_EXPORT Result cuLaunchKernelEx(const LaunchConfig* config, Function function, void** parameters,
                                   void**) {
  SIM_ENTER(cuLaunchKernelEx);
  LaunchConfig launch = *config;
  if (const Result result = NeedContext(launch.stream); result != kSuccess) return result;
  const unsigned threads = config->block_x * config->block_y * config->block_z;
  if (threads == 0 || threads > 1024) return kInvalidValue;
  if (config->grid_x == 0 || config->grid_y == 0 || config->grid_z == 0) return kInvalidValue;
  if (config->shared_bytes > kMaxSharedBytes) return kInvalidValue;
  if (config->grid_y > 65535 || config->grid_z > 65535) return kInvalidValue;
  if (!FitsCooperatively(*config)) return kCooperativeLaunchTooLarge;
  auto copies = std::make_shared<std::vector<std::string>>();
  for (size_t i = 0; i < function->sizes.size(); ++i) {
    copies->emplace_back(static_cast<const char*>(parameters[i]), function->sizes[i]);
  }
  const GridKernel kernel = function->kernel;
  const int device = launch.stream->context->device;
  simulator.Push(launch.stream, [&simulator, launch, kernel, copies, device] {
    std::vector<void*> arguments;
    for (std::string& copy : *copies) arguments.push_back(copy.data());
    const GridShape shape = {{launch.grid_x, launch.grid_y, launch.grid_z},
                             {launch.block_x, launch.block_y, launch.block_z},
                             launch.shared_bytes};
    const std::string error = RunGrid(kernel, shape, arguments.data(), simulator.memories[device]);
    if (error.empty()) return kSuccess;
    std::fprintf(stderr, "simulated device: %s\n", error.c_str());
    return kIllegalAddress;
  });
  return kSuccess;
}

namespace {

struct EntryPoint {
  const char* name;
  int version;
  void* function;
};

const EntryPoint kEntryPoints[] = {
#define DYNACC_CUDA_FUNCTION(name, version, parameters) \
  {#name, version, reinterpret_cast<void*>(&name)},
#include "runtime/cuda/driver_functions.def"
#undef DYNACC_CUDA_FUNCTION
};

}  // namespace

SIM_EXPORT Result cuGetProcAddress_v2(const char* symbol, void** function, int version, uint64_t,
                                      int*) {
  for (const EntryPoint& entry : kEntryPoints) {
    if (std::strcmp(entry.name, symbol) != 0 || entry.version > version) continue;
    if (IsLacking(symbol)) break;
    *function = entry.function;
    return kSuccess;
  }
  *function = nullptr;
  return kNotFound;
}
