// ElfReader: checked access to the parts of an ELF relocatable object.
//
// Nothing is read before its bounds are known to lie within the bytes given; structures are copied
// out, as the bytes need not be aligned.
#pragma once

#include <elf.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace dynacc::cpu {

class ElfReader {
 public:
  // The object's header and sections, checked: x86-64, relocatable, tables within the bytes.
  static absl::StatusOr<ElfReader> Open(absl::string_view bytes);

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  const std::vector<Elf64_Sym>& symbols() const { return symbols_; }

  // The contents of a section that has some (anything but SHT_NOBITS).
  absl::string_view Contents(const Elf64_Shdr& section) const {
    return bytes_.substr(section.sh_offset, section.sh_size);
  }
  // The name of a symbol; INVALID_ARGUMENT if it lies outside the string table.
  absl::StatusOr<absl::string_view> Name(const Elf64_Sym& symbol) const;

  // The entries of a relocation section (SHT_RELA).
  absl::StatusOr<std::vector<Elf64_Rela>> Relocations(const Elf64_Shdr& section) const;

 private:
  explicit ElfReader(absl::string_view bytes) : bytes_(bytes) {}
  absl::Status ReadSections();
  absl::Status ReadSymbols();

  absl::string_view bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Sym> symbols_;
  absl::string_view symbol_names_;
};

}  // namespace dynacc::cpu
