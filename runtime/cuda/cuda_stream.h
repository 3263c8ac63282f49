// CudaStream: work for a device, in order: allocations, copies, launches.
//
// Thread-safe; what several threads give is done in the order in which their calls came.
// The device's CudaScope must be open around every call. Everything but CopyToHost and Synchronize
// returns before it is done; an error of a kernel shows at one of those two, and so does an index
// that was beyond its array (BeyondFlag).
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/cuda/cuda_device.h"

namespace dynacc::cuda {

struct CudaLaunch {
  cuda::Function function = nullptr;
  const char* name = "";  // for messages
  unsigned grid_x = 1, grid_y = 1;
  unsigned block_x = 1, block_y = 1;
  unsigned shared_bytes = 0;
  bool cooperative = false;  // all blocks are resident at once, or the launch fails
};

class CudaStream {
 public:
  static absl::StatusOr<std::unique_ptr<CudaStream>> Make(CudaDevice& device);
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  cuda::Stream handle() const { return stream_; }

  // Memory that work issued to this stream from now on may use, at a multiple of 256. Without
  // memory the pool's unused part is given back and the call tried once more; then
  // RESOURCE_EXHAUSTED, and all is as before.
  absl::StatusOr<cuda::DevicePointer> Allocate(size_t bytes);

  // What Allocate gave may be used by other work once what was issued before is done.
  void Free(cuda::DevicePointer pointer);

  // `from` may be changed as soon as this returns: it has been copied to pinned memory, piece by
  // piece, or further.
  absl::Status CopyToDevice(cuda::DevicePointer to, const char* from, size_t bytes);

  // Done when it returns, and with it everything issued before.
  absl::Status CopyToHost(char* to, cuda::DevicePointer from, size_t bytes);

  absl::Status CopyOnDevice(cuda::DevicePointer to, cuda::DevicePointer from, size_t bytes);

  // Zeros.
  absl::Status Clear(cuda::DevicePointer to, size_t bytes);

  // From memory of another device.
  absl::Status CopyFromPeer(cuda::DevicePointer to, CudaDevice& peer, cuda::DevicePointer from,
                            size_t bytes);

  // parameters[i] points to the value of the function's i-th parameter.
  absl::Status Launch(const CudaLaunch& launch, void** parameters);

  // A moment between what was given before and after, for MicrosecondsBetween. Given back to
  // DropMoment.
  absl::StatusOr<cuda::Event> MarkMoment();
  // Both have been reached.
  absl::StatusOr<double> MicrosecondsBetween(cuda::Event start, cuda::Event end);
  void DropMoment(cuda::Event event);

  // Later work of this stream starts after what `other`, of the same device, has been given so
  // far. INVALID_ARGUMENT: a stream of another device.
  absl::Status WaitFor(CudaStream& other);

  // The same for a stream of another device, of which no CudaScope need be open.
  absl::Status WaitForPeer(CudaStream& other);

  // The same for a stream of another library, by its handle, and the other way round: its later
  // work starts after what this stream has been given so far. INVALID_ARGUMENT: the stream belongs
  // to another device, or to none.
  absl::Status WaitForHandle(uint64_t handle);
  absl::Status LetHandleWait(uint64_t handle);

  // What is given from now on belongs to `label`, for messages: a kernel's error shows at a later
  // call, when nobody knows any more whose it was. `id`, not 0, is that label's alone: noting the
  // same again takes no lock.
  void NoteWork(const std::string& label, uint64_t id);
  // "f (prog.py:3), g (prog.py:9)": whose work may not have been waited for yet; the last few.
  std::string RecentWork();

  absl::Status Synchronize();

  // A word of pinned memory, at the same address for kernels, into which kernels of this stream
  // write 1 when an index is beyond its array. Whoever waits for the stream next (Synchronize,
  // CopyToHost) gets FAILED_PRECONDITION then, once.
  absl::StatusOr<char*> BeyondFlag();

 private:
  // A block of pinned memory, and the event after which it may be used again.
  struct Staging {
    char* memory = nullptr;
    cuda::Event event = nullptr;
  };

  explicit CudaStream(CudaDevice& device) : device_(device), driver_(device.driver()) {}
  absl::Status Start();
  absl::Status CheckHandle(uint64_t handle);
  absl::Status MakeStaging(Staging& staging) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Notes that a copy from or to the block was given to the stream.
  absl::Status MarkCopy(Staging& staging) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status TakeBeyond() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status TryAllocate(size_t bytes, cuda::DevicePointer& pointer);

  CudaDevice& device_;
  const CudaDriver& driver_;
  cuda::Stream stream_ = nullptr;
  absl::Mutex mutex_;
  // Recorded for streams that wait for this one, or that this one waits for.
  cuda::Event mark_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::array<Staging, 2> staging_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> labels_ ABSL_GUARDED_BY(mutex_);
  std::atomic<uint64_t> last_label_ = 0;  // its id; 0: none since the last wait
  volatile uint32_t* beyond_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace dynacc::cuda
