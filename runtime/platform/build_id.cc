#include "runtime/platform/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace dynacc::platform {
namespace {

// Sizes in notes are rounded up to words.
size_t Padded(size_t size) { return (size + 3) & ~size_t{3}; }

// The build ID among the notes [at, end); "" if there is none.
std::string FindInNotes(const char* at, const char* end) {
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const char* const name = at + sizeof note;
    const char* const bytes = name + Padded(note.n_namesz);
    if (bytes + note.n_descsz > end) break;
    const bool is_gnu = note.n_namesz == sizeof ELF_NOTE_GNU &&
                        std::memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID) return std::string(bytes, note.n_descsz);
    at = bytes + Padded(note.n_descsz);
  }
  return "";
}

// Of each file that is loaded, until it is ours: then its build ID is in `data`.
int Look(dl_phdr_info* file, size_t, void* data) {
  const auto ours = reinterpret_cast<uintptr_t>(&Look);
  bool is_ours = false;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = file->dlpi_phdr[i];
    const uintptr_t begin = file->dlpi_addr + part.p_vaddr;
    is_ours = is_ours || (part.p_type == PT_LOAD && ours - begin < part.p_memsz);
  }
  if (!is_ours) return 0;
  auto& id = *static_cast<std::string*>(data);
  for (int i = 0; i < file->dlpi_phnum && id.empty(); ++i) {
    const ElfW(Phdr)& part = file->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* const notes = reinterpret_cast<const char*>(file->dlpi_addr + part.p_vaddr);
    id = FindInNotes(notes, notes + part.p_memsz);
  }
  return 1;
}

}  // namespace

const std::string& BuildId() {
  static const std::string& id = *[] {
    auto* const found = new std::string;
    dl_iterate_phdr(Look, found);
    return found;
  }();
  return id;
}

}  // namespace dynacc::platform
