// LoadObject: an x86-64 ELF relocatable object, in memory, made callable.
//
// A small linker for what LLVM writes for a kernel module, so that a cached kernel runs without
// LLVM in the process. It treats its input as untrusted: every offset, size, index and relocation
// is checked, and anything that it does not know is an error, never a guess. (What the code then
// does is another matter: only objects from the compiler or a verified cache may be given.)
//
// Memory: one reservation of three runs of whole pages: code (readable, executable), constants and
// the table of outside addresses (read-only), variables (writable). No page is ever writable and
// executable at once; everything is unmapped by the destructor.
//
// Known: R_X86_64_64, PC32, PLT32, GOTPCREL, GOTPCRELX, REX_GOTPCRELX, 32, 32S, PC64. Outside
// symbols: those of loader_symbols.def, and AddressSanitizer's in a build with it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace dynacc::cpu {

class LoadedObject {
 public:
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  // The global function of that name, or null. Valid as long as this object.
  void* FindFunction(absl::string_view name) const;
  // Its code; empty if there is no such function, or if the object does not say its size.
  absl::Span<const char> FunctionCode(absl::string_view name) const;

  // Bytes of memory mapped.
  size_t mapped_size() const { return size_; }

 private:
  friend class ObjectLinker;
  LoadedObject(void* base, size_t size) : base_(base), size_(size) {}

  void* base_;
  size_t size_;
  struct Function {
    void* address;
    size_t size;
  };
  absl::flat_hash_map<std::string, Function> functions_;
};

// INVALID_ARGUMENT: not an object that this loader takes, with the reason. RESOURCE_EXHAUSTED: no
// memory. `object` is not needed afterwards.
absl::StatusOr<std::unique_ptr<LoadedObject>> LoadObject(absl::string_view object);

}  // namespace dynacc::cpu
