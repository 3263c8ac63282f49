#include "tests/fuzz_native/random_object.h"

#include <elf.h>

#include <algorithm>

namespace dynacc {
namespace {

// The first two may be called, and are defined nowhere.
constexpr const char* kNames[] = {"memcpy", "floor", "Kernel", "Twice", "system", ""};

template <typename T>
void Append(std::string& bytes, const T& row) {
  bytes.append(reinterpret_cast<const char*>(&row), sizeof(row));
}

class ObjectMaker {
 public:
  explicit ObjectMaker(Choices& choices)
      : choices_(choices), one_odd_in_(choices.Chance(4) ? 20 : 250) {}

  std::string Make() {
    bytes_.assign(sizeof(Elf64_Ehdr), '\0');
    AddSection({});  // the first is none
    const size_t contents = 1 + choices_.Pick(6);
    for (size_t i = 0; i < contents; ++i) AddContents();
    AddSymbols(contents);
    const size_t relocations = choices_.Pick(4);
    for (size_t i = 0; i < relocations; ++i) AddRelocations(contents);
    return Finish();
  }

 private:
  // Now and then a field has a number that nobody would write.
  template <typename T>
  T Field(uint64_t usual) {
    return static_cast<T>(IsOdd() ? choices_.OddNumber() : usual);
  }
  bool IsOdd() { return choices_.Chance(one_odd_in_); }

  void AddSection(Elf64_Shdr section) { sections_.push_back(section); }

  void AddContents() {
    constexpr uint64_t kFlags[] = {SHF_ALLOC | SHF_EXECINSTR, SHF_ALLOC, SHF_ALLOC | SHF_WRITE, 0};
    constexpr uint64_t kBoth = SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR;
    Elf64_Shdr section = {};
    const bool is_empty = choices_.Chance(4);
    section.sh_type = Field<uint32_t>(is_empty ? SHT_NOBITS : SHT_PROGBITS);
    section.sh_flags = Field<uint64_t>(IsOdd() ? kBoth : kFlags[choices_.Pick(4)]);
    section.sh_addralign = Field<uint64_t>(uint64_t{1} << choices_.Pick(7));
    section.sh_offset = Field<uint64_t>(bytes_.size());
    const size_t size = choices_.Pick(200);
    section.sh_size = Field<uint64_t>(size);
    if (!is_empty) bytes_.append(size, static_cast<char>(choices_.Byte()));
    AddSection(section);
  }

  void AddSymbols(size_t contents) {
    std::string names(1, '\0');
    std::vector<uint32_t> starts;
    for (const char* name : kNames) {
      starts.push_back(static_cast<uint32_t>(names.size()));
      names.append(name).append(1, '\0');
    }
    if (IsOdd()) names.pop_back();
    std::string rows(sizeof(Elf64_Sym), '\0');
    num_symbols_ = 1 + choices_.Pick(12);
    for (size_t i = 1; i < num_symbols_; ++i) {
      Elf64_Sym symbol = {};
      const size_t section = choices_.Pick(contents + 1);
      const size_t name =
          section == 0 && !IsOdd() ? choices_.Pick(2) : choices_.Pick(starts.size());
      symbol.st_name = Field<uint32_t>(starts[name]);
      symbol.st_info = ELF64_ST_INFO(choices_.Pick(3), choices_.Pick(5));
      symbol.st_shndx = Field<uint16_t>(section);
      symbol.st_value = Field<uint64_t>(choices_.Pick(SizeOf(section) + 1));
      symbol.st_size = Field<uint64_t>(choices_.Pick(100));
      Append(rows, symbol);
    }
    if (IsOdd()) rows.pop_back();
    AddTable(SHT_STRTAB, names, 0, 0);
    AddTable(SHT_SYMTAB, rows, sections_.size() - 1, 0);
  }

  void AddRelocations(size_t contents) {
    constexpr uint32_t kTypes[] = {R_X86_64_64,       R_X86_64_PC32,          R_X86_64_PLT32,
                                   R_X86_64_GOTPCREL, R_X86_64_REX_GOTPCRELX, R_X86_64_32,
                                   R_X86_64_32S,      R_X86_64_PC64,          R_X86_64_GOTPCRELX};
    std::string rows;
    const size_t section = 1 + choices_.Pick(contents);
    const size_t size = SizeOf(section);
    if (size < 8 && !IsOdd()) return;
    for (size_t i = size < 8 ? 0 : choices_.Pick(12); i > 0; --i) {
      Elf64_Rela row = {};
      row.r_offset = Field<uint64_t>(choices_.Pick(size - 7));
      row.r_info = ELF64_R_INFO(Field<uint32_t>(choices_.Pick(num_symbols_)),
                                Field<uint32_t>(kTypes[choices_.Pick(9)]));
      row.r_addend = Field<int64_t>(choices_.Pick(16));
      Append(rows, row);
    }
    AddTable(IsOdd() ? SHT_REL : SHT_RELA, rows, 0, section);
  }

  // Of a section with contents in the file; 0 of one without.
  size_t SizeOf(size_t section) const {
    const bool has_contents = sections_[section].sh_type == SHT_PROGBITS;
    return has_contents ? std::min<uint64_t>(sections_[section].sh_size, 200) : 0;
  }

  void AddTable(uint32_t type, const std::string& rows, uint64_t link, uint64_t info) {
    Elf64_Shdr section = {};
    section.sh_type = Field<uint32_t>(type);
    section.sh_offset = Field<uint64_t>(bytes_.size());
    section.sh_size = Field<uint64_t>(rows.size());
    section.sh_link = Field<uint32_t>(link);
    section.sh_info = Field<uint32_t>(info);
    bytes_ += rows;
    AddSection(section);
  }

  std::string Finish() {
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_shoff = Field<uint64_t>(bytes_.size());
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = Field<uint16_t>(sections_.size());
    std::memcpy(bytes_.data(), &header, sizeof(header));
    for (const Elf64_Shdr& section : sections_) Append(bytes_, section);
    return std::move(bytes_);
  }

  Choices& choices_;
  const int one_odd_in_;
  std::string bytes_;
  std::vector<Elf64_Shdr> sections_;
  size_t num_symbols_ = 0;
};

}  // namespace

std::string RandomObject(Choices& choices) { return ObjectMaker(choices).Make(); }

}  // namespace dynacc
