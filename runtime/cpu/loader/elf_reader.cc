#include "runtime/cpu/loader/elf_reader.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"

namespace dynacc::cpu {
namespace {

absl::Status Broken(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("broken object: ", what));
}

bool IsWithin(uint64_t offset, uint64_t size, uint64_t limit) {
  return offset <= limit && size <= limit - offset;
}

// `bytes` as an array of T; its size must be a multiple of T's.
template <typename T>
absl::StatusOr<std::vector<T>> Table(absl::string_view bytes, absl::string_view what) {
  if (bytes.size() % sizeof(T) != 0) return Broken(absl::StrCat("size of ", what));
  std::vector<T> rows(bytes.size() / sizeof(T));
  if (!rows.empty()) std::memcpy(rows.data(), bytes.data(), bytes.size());
  return rows;
}

absl::Status CheckHeader(const Elf64_Ehdr& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Broken("not ELF");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_type != ET_REL || header.e_machine != EM_X86_64 || header.e_version != EV_CURRENT) {
    return Broken("not an x86-64 relocatable object");
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return Broken("section header size");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ElfReader> ElfReader::Open(absl::string_view bytes) {
  ElfReader reader(bytes);
  DYNACC_RETURN_IF_ERROR(reader.ReadSections());
  DYNACC_RETURN_IF_ERROR(reader.ReadSymbols());
  return reader;
}

absl::Status ElfReader::ReadSections() {
  Elf64_Ehdr header;
  if (bytes_.size() < sizeof(header)) return Broken("too short");
  std::memcpy(&header, bytes_.data(), sizeof(header));
  DYNACC_RETURN_IF_ERROR(CheckHeader(header));
  const uint64_t table_size = uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  if (!IsWithin(header.e_shoff, table_size, bytes_.size())) return Broken("section table");
  DYNACC_ASSIGN_OR_RETURN(
      sections_, Table<Elf64_Shdr>(bytes_.substr(header.e_shoff, table_size), "section table"));
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_NOBITS &&
        !IsWithin(section.sh_offset, section.sh_size, bytes_.size())) {
      return Broken("section beyond the end");
    }
  }
  return absl::OkStatus();
}

absl::Status ElfReader::ReadSymbols() {
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_SYMTAB) continue;
    if (!symbols_.empty()) return Broken("two symbol tables");
    if (section.sh_link >= sections_.size() || sections_[section.sh_link].sh_type != SHT_STRTAB) {
      return Broken("symbol names");
    }
    symbol_names_ = Contents(sections_[section.sh_link]);
    DYNACC_ASSIGN_OR_RETURN(symbols_, Table<Elf64_Sym>(Contents(section), "symbol table"));
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::string_view> ElfReader::Name(const Elf64_Sym& symbol) const {
  if (symbol.st_name >= symbol_names_.size()) return Broken("symbol name");
  const absl::string_view rest = symbol_names_.substr(symbol.st_name);
  const size_t length = rest.find('\0');
  if (length == absl::string_view::npos) return Broken("symbol name without an end");
  return rest.substr(0, length);
}

absl::StatusOr<std::vector<Elf64_Rela>> ElfReader::Relocations(const Elf64_Shdr& section) const {
  return Table<Elf64_Rela>(Contents(section), "relocations");
}

}  // namespace dynacc::cpu
