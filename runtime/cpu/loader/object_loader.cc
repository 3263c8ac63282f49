#include "runtime/cpu/loader/object_loader.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/base/status_macros.h"
#include "runtime/cpu/loader/elf_reader.h"
#include "runtime/cpu/tiles/tile_loop.h"
#include "runtime/loops/loop_builtins.h"

namespace dynacc::cpu {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMaxImage = 256 << 20;  // more than any module; keeps sums far from overflow
constexpr uint64_t kEntrySize = 8;         // of a stub, and of a slot of the address table
constexpr uint32_t kKnownFlags =
    SHF_WRITE | SHF_ALLOC | SHF_EXECINSTR | SHF_MERGE | SHF_STRINGS | SHF_GROUP | SHF_INFO_LINK;

absl::Status Broken(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("broken object: ", what));
}

uint64_t RoundUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

// The address of an outside function, or 0 if kernels may not call it.
uint64_t OutsideAddress(absl::string_view name) {
#define DYNACC_LOADER_SYMBOL(symbol, type) \
  if (name == #symbol)                     \
    return reinterpret_cast<uint64_t>(static_cast<std::add_pointer_t<type>>(&::symbol));
#include "runtime/cpu/loader/loader_symbols.def"
#undef DYNACC_LOADER_SYMBOL
#ifdef DYNACC_CHECKED_KERNELS
  if (absl::StartsWith(name, "__asan_")) {
    return reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, std::string(name).c_str()));
  }
#endif
  return 0;
}

// The three runs of pages, in the order in which they lie in memory.
enum Segment { kCode, kConstants, kVariables, kNumSegments };

constexpr int kProtection[kNumSegments] = {PROT_READ | PROT_EXEC, PROT_READ,
                                           PROT_READ | PROT_WRITE};

// Where a section of the object lies in the image; size 0 if it is not loaded.
struct Placement {
  uint64_t offset = 0;
  uint64_t size = 0;
  Segment segment = kCode;
};

}  // namespace

// Links one object: Place, Map, Copy, Relocate, Protect, in this order.
class ObjectLinker {
 public:
  explicit ObjectLinker(const ElfReader& elf) : elf_(elf) {}

  absl::StatusOr<std::unique_ptr<LoadedObject>> Link() {
    DYNACC_RETURN_IF_ERROR(Place());
    DYNACC_RETURN_IF_ERROR(Map());
    Copy();
    DYNACC_RETURN_IF_ERROR(ResolveSymbols());
    DYNACC_RETURN_IF_ERROR(Relocate());
    DYNACC_RETURN_IF_ERROR(Protect());
    return std::move(object_);
  }

 private:
  static Segment SegmentOf(const Elf64_Shdr& section) {
    if (section.sh_flags & SHF_EXECINSTR) return kCode;
    return section.sh_flags & SHF_WRITE ? kVariables : kConstants;
  }

  absl::Status CheckSection(const Elf64_Shdr& section) const {
    if (section.sh_flags & ~uint64_t{kKnownFlags}) return Broken("section flags");
    if ((section.sh_flags & SHF_EXECINSTR) && (section.sh_flags & SHF_WRITE)) {
      return Broken("section both writable and executable");
    }
    if (section.sh_size > kMaxImage) return Broken("section size");
    const uint64_t alignment = section.sh_addralign;
    if (alignment > kPage || (alignment & (alignment - 1)) != 0) return Broken("alignment");
    return absl::OkStatus();
  }

  // Lays the sections out; behind the code come the stubs, behind the constants the slots: one
  // of each for every symbol, which is plenty and needs no counting.
  absl::Status Place() {
    placements_.resize(elf_.sections().size());
    const uint64_t entries = elf_.symbols().size() * kEntrySize;
    uint64_t at = 0;
    for (int segment = 0; segment < kNumSegments; ++segment) {
      segment_start_[segment] = at;
      for (size_t i = 0; i < placements_.size(); ++i) {
        const Elf64_Shdr& section = elf_.sections()[i];
        if (!(section.sh_flags & SHF_ALLOC) || SegmentOf(section) != segment) continue;
        DYNACC_RETURN_IF_ERROR(CheckSection(section));
        at = RoundUp(at, section.sh_addralign == 0 ? 1 : section.sh_addralign);
        placements_[i] = {at, section.sh_size, static_cast<Segment>(segment)};
        at += section.sh_size;
        if (at > kMaxImage) return Broken("image size");
      }
      at = RoundUp(at, kEntrySize);
      if (segment == kCode) stubs_ = at;
      if (segment == kConstants) slots_ = at;
      if (segment != kVariables) at += entries;
      if (at > kMaxImage) return Broken("image size");
      at = RoundUp(at, kPage);
    }
    segment_start_[kNumSegments] = at;
    return at == 0 ? Broken("nothing to load") : absl::OkStatus();
  }

  absl::Status Map() {
    const uint64_t size = segment_start_[kNumSegments];
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return absl::ResourceExhaustedError("no memory for a kernel module");
    base_ = static_cast<char*>(memory);
    object_.reset(new LoadedObject(memory, size));
    return absl::OkStatus();
  }

  void Copy() {
    for (size_t i = 0; i < placements_.size(); ++i) {
      const Elf64_Shdr& section = elf_.sections()[i];
      if (placements_[i].size == 0 || section.sh_type == SHT_NOBITS) continue;
      const absl::string_view contents = elf_.Contents(section);
      memcpy(base_ + placements_[i].offset, contents.data(), contents.size());
    }
  }

  uint64_t Address(uint64_t offset) const { return reinterpret_cast<uint64_t>(base_) + offset; }

  absl::Status ResolveSymbols() {
    addresses_.assign(elf_.symbols().size(), 0);
    is_outside_.assign(elf_.symbols().size(), false);
    for (size_t i = 1; i < addresses_.size(); ++i) {
      const Elf64_Sym& symbol = elf_.symbols()[i];
      if (symbol.st_shndx == SHN_UNDEF) {
        DYNACC_RETURN_IF_ERROR(ResolveOutside(i));
      } else if (symbol.st_shndx != SHN_ABS) {
        DYNACC_RETURN_IF_ERROR(ResolveInside(i));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ResolveOutside(size_t index) {
    DYNACC_ASSIGN_OR_RETURN(const absl::string_view name, elf_.Name(elf_.symbols()[index]));
    addresses_[index] = OutsideAddress(name);
    is_outside_[index] = true;
    if (addresses_[index] != 0) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("a kernel module calls ", name, ", which kernels may not"));
  }

  absl::Status ResolveInside(size_t index) {
    const Elf64_Sym& symbol = elf_.symbols()[index];
    if (symbol.st_shndx >= placements_.size()) return Broken("symbol's section");
    const Placement& place = placements_[symbol.st_shndx];
    if (place.size == 0) return absl::OkStatus();  // debug and metadata sections; never used
    if (symbol.st_value > place.size) return Broken("symbol beyond its section");
    addresses_[index] = Address(place.offset + symbol.st_value);
    const bool is_function = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
    if (is_function && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL && place.segment == kCode &&
        symbol.st_value < place.size) {
      DYNACC_ASSIGN_OR_RETURN(const absl::string_view name, elf_.Name(symbol));
      const uint64_t size = std::min<uint64_t>(symbol.st_size, place.size - symbol.st_value);
      object_->functions_[std::string(name)] = {reinterpret_cast<void*>(addresses_[index]), size};
    }
    return absl::OkStatus();
  }

  absl::Status Relocate() {
    for (const Elf64_Shdr& section : elf_.sections()) {
      if (section.sh_type == SHT_REL) return Broken("relocations without addends");
      if (section.sh_type != SHT_RELA) continue;
      if (section.sh_info >= placements_.size()) return Broken("relocated section");
      const Placement& place = placements_[section.sh_info];
      if (place.size == 0) continue;
      if (elf_.sections()[section.sh_info].sh_type == SHT_NOBITS) return Broken("relocated bss");
      DYNACC_ASSIGN_OR_RETURN(const std::vector<Elf64_Rela> rows, elf_.Relocations(section));
      for (const Elf64_Rela& row : rows) DYNACC_RETURN_IF_ERROR(Apply(row, place));
    }
    return absl::OkStatus();
  }

  // The slot that holds a symbol's address, for code that reads it from a table.
  uint64_t Slot(uint64_t index) {
    const uint64_t offset = slots_ + index * kEntrySize;
    memcpy(base_ + offset, &addresses_[index], kEntrySize);
    return Address(offset);
  }

  // A jump to an outside function, which may lie out of reach of a 32-bit displacement.
  uint64_t Stub(uint64_t index) {
    const uint64_t offset = stubs_ + index * kEntrySize;
    const auto displacement = static_cast<int32_t>(Slot(index) - Address(offset + 6));
    base_[offset] = '\xff';  // jmp *displacement(%rip)
    base_[offset + 1] = '\x25';
    memcpy(base_ + offset + 2, &displacement, sizeof(displacement));
    return Address(offset);
  }

  template <typename T>
  absl::Status Patch(const Elf64_Rela& row, const Placement& place, int64_t value) {
    if (row.r_offset > place.size || place.size - row.r_offset < sizeof(T)) {
      return Broken("relocation beyond its section");
    }
    if (value < std::numeric_limits<T>::min() ||
        (sizeof(T) < 8 && value > static_cast<int64_t>(std::numeric_limits<T>::max()))) {
      return Broken("relocation out of range");
    }
    const T narrow = static_cast<T>(value);
    memcpy(base_ + place.offset + row.r_offset, &narrow, sizeof(narrow));
    return absl::OkStatus();
  }

  absl::Status Apply(const Elf64_Rela& row, const Placement& place) {
    const uint64_t index = ELF64_R_SYM(row.r_info);
    if (index >= addresses_.size()) return Broken("relocation's symbol");
    // Sums wrap around; Patch checks that the result fits.
    const auto addend = static_cast<uint64_t>(row.r_addend);
    const uint64_t from = Address(place.offset + row.r_offset);
    auto relative = [&](uint64_t target) { return static_cast<int64_t>(target + addend - from); };
    const uint64_t symbol = addresses_[index];
    if (symbol == 0) return Broken("relocation against a symbol that is not loaded");
    switch (ELF64_R_TYPE(row.r_info)) {
      case R_X86_64_64:
        return Patch<int64_t>(row, place, static_cast<int64_t>(symbol + addend));
      case R_X86_64_PC64:
        return Patch<int64_t>(row, place, relative(symbol));
      case R_X86_64_32:
        return Patch<uint32_t>(row, place, static_cast<int64_t>(symbol + addend));
      case R_X86_64_32S:
        return Patch<int32_t>(row, place, static_cast<int64_t>(symbol + addend));
      case R_X86_64_PC32:
      case R_X86_64_PLT32:
        return Patch<int32_t>(row, place, relative(is_outside_[index] ? Stub(index) : symbol));
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX:
        return Patch<int32_t>(row, place, relative(Slot(index)));
      default:
        return Broken(absl::StrCat("relocation of type ", ELF64_R_TYPE(row.r_info)));
    }
  }

  absl::Status Protect() {
    for (int segment = 0; segment < kNumSegments; ++segment) {
      const uint64_t start = segment_start_[segment];
      const uint64_t size = segment_start_[segment + 1] - start;
      if (size != 0 && mprotect(base_ + start, size, kProtection[segment]) != 0) {
        return absl::ResourceExhaustedError("cannot protect a kernel module's pages");
      }
    }
    return absl::OkStatus();
  }

  const ElfReader& elf_;
  std::vector<Placement> placements_;              // by section
  uint64_t segment_start_[kNumSegments + 1] = {};  // offsets in the image
  uint64_t stubs_ = 0;
  uint64_t slots_ = 0;
  char* base_ = nullptr;
  std::vector<uint64_t> addresses_;  // by symbol; 0 if it has none
  std::vector<bool> is_outside_;     // by symbol
  std::unique_ptr<LoadedObject> object_;
};

LoadedObject::~LoadedObject() { munmap(base_, size_); }

void* LoadedObject::FindFunction(absl::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second.address;
}

absl::Span<const char> LoadedObject::FunctionCode(absl::string_view name) const {
  const auto found = functions_.find(name);
  if (found == functions_.end()) return {};
  return {static_cast<const char*>(found->second.address), found->second.size};
}

absl::StatusOr<std::unique_ptr<LoadedObject>> LoadObject(absl::string_view object) {
  DYNACC_ASSIGN_OR_RETURN(const ElfReader elf, ElfReader::Open(object));
  return ObjectLinker(elf).Link();
}

}  // namespace dynacc::cpu
