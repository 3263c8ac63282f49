#include "tests/cuda_sim/fibre.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

// Saves the registers that a callee must keep (System V ABI), swaps stacks and restores them.
asm(R"(
.text
.local DynaccSimSwitch
.type DynaccSimSwitch, @function
DynaccSimSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.local DynaccSimEnter
.type DynaccSimEnter, @function
DynaccSimEnter:
  movq %r12, %rdi
  callq *%r13
  ud2
)");
extern "C" void DynaccSimSwitch(void** save, void* to);
extern "C" void DynaccSimEnter();

namespace dynacc::sim {
namespace {

constexpr size_t kStackBytes = 64 * 1024;

}  // namespace

Fibre::Fibre()
    : stack_(static_cast<char*>(mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0))) {
  if (stack_ == MAP_FAILED) std::abort();
}

Fibre::~Fibre() { munmap(stack_, kStackBytes); }

void Fibre::Start(std::function<void()> body) {
#ifdef __SANITIZE_ADDRESS__
  // Frames that were forgotten have left their marks.
  __asan_unpoison_memory_region(stack_, kStackBytes);
#endif
  body_ = std::move(body);
  done_ = false;
  // As DynaccSimSwitch leaves a stack: r15, r14, r13, r12, rbx, rbp, the return address.
  auto** top = reinterpret_cast<void**>(stack_ + kStackBytes) - 9;  // aligned as at a call
  top[2] = reinterpret_cast<void*>(&Fibre::Main);
  top[3] = this;
  top[6] = reinterpret_cast<void*>(&DynaccSimEnter);
  own_ = top;
}

bool Fibre::Resume() {
  DynaccSimSwitch(&caller_, own_);
  return done_;
}

void Fibre::Yield() { DynaccSimSwitch(&own_, caller_); }

void Fibre::Main(Fibre* self) {
  self->body_();
  self->done_ = true;
  self->Yield();
}

}  // namespace dynacc::sim
