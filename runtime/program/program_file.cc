#include "runtime/program/program_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/file_descriptor.h"
#include "runtime/base/status_macros.h"
#include "runtime/cache/content_hash.h"
#include "runtime/program/archive.h"

namespace dynacc::program {
namespace {

// The first byte is none of ASCII, and the line end shows a transfer as text.
constexpr char kMagic[8] = {'\x89', 'D', 'Y', 'N', 'A', 'C', 'C', '\n'};
constexpr uint64_t kAlignment = 64;
constexpr uint32_t kMaxSections = 1 << 20;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t machine;  // EM_X86_64 of <elf.h>
  uint64_t size;     // of the file
  uint32_t sections;
  uint32_t reserved;
  uint64_t hash_low, hash_high;  // of everything but these two
  char padding[16];
};
static_assert(sizeof(Header) == 64);
constexpr size_t kHashAt = 32, kHashEnd = 48;

enum class SectionKind : uint32_t {
  kSignature = 1,
  kGraph = 2,
  kPlan = 3,
  kKernels = 4,
  kCode = 5,
  kConstant = 6,
  kWeights = 7,
  kSeal = 8,
  kPlaces = 9,
};
constexpr uint32_t kLastKind = 9;
constexpr const char* kSectionNames[] = {"",     "signature", "graph",   "plan", "kernels",
                                         "code", "constant",  "weights", "seal", "places"};

struct Section {
  uint32_t kind;
  uint32_t reserved;
  uint64_t offset, size;
};
static_assert(sizeof(Section) == 24);

cache::ContentHash HashOf(absl::string_view file) {
  return cache::HashParts({file.substr(0, kHashAt), file.substr(kHashEnd)});
}

// --- Fields, both ways.

void Ids(Archive& archive, std::vector<ScalarId>& ids) {
  archive.List(ids, [&](ScalarId& id) { archive.Number(id); });
}

void VisitSignature(Archive& archive, std::string& producer, Signature& signature) {
  archive.Text(producer);
  archive.Text(signature.function);
  archive.List(signature.inputs, [&](InputSpec& input) {
    archive.Text(input.name);
    archive.Type(input.dtype);
    Ids(archive, input.shape);
    archive.Number(input.constant);
  });
  archive.List(signature.numbers, [&](NumberSpec& number) {
    archive.Text(number.name);
    archive.Enum(number.type, ScalarType::kBool);
  });
  archive.List(signature.outputs, [&](OutputSpec& output) {
    archive.Text(output.name);
    archive.Type(output.dtype);
    Ids(archive, output.shape);
  });
  Ids(archive, signature.conditions);
  archive.Text(signature.python);
}

void VisitConstants(Archive& archive, std::vector<ConstantSpec>& constants) {
  archive.List(constants, [&](ConstantSpec& constant) {
    archive.Type(constant.dtype);
    archive.List(constant.shape, [&](int64_t& size) { archive.Number(size); });
  });
}

void VisitKernels(Archive& archive, std::vector<KernelSpec>& kernels) {
  archive.List(kernels, [&](KernelSpec& kernel) {
    archive.Text(kernel.text);
    archive.Within<int32_t>(kernel.lanes, 1, 4096, "vectors of a size that there is not");
    archive.Number(kernel.module);
  });
}

void VisitWeights(Archive& archive, std::vector<WeightSpec>& weights) {
  archive.List(weights, [&](WeightSpec& weight) {
    archive.Number(weight.constant);
    archive.Text(weight.name);
    bool has_hash = weight.hash.has_value();
    archive.Flag(has_hash);
    cache::ContentHash hash = weight.hash.value_or(cache::ContentHash());
    archive.Number(hash.low);
    archive.Number(hash.high);
    if (has_hash) weight.hash = hash;
  });
}

void VisitPlaces(Archive& archive, std::vector<StepPlace>& places) {
  archive.List(places, [&](StepPlace& place) {
    archive.Number(place.step);
    archive.Text(place.place);
  });
}

void VisitCode(Archive& archive, CodeSet& code) {
  archive.Text(code.level);
  archive.List(code.objects, [&](std::string& object) { archive.Text(object); });
}

// --- Writing.

class FileWriter {
 public:
  void Add(SectionKind kind, absl::string_view bytes) { parts_.emplace_back(kind, bytes); }

  std::string Finish() {
    std::string file(sizeof(Header) + parts_.size() * sizeof(Section), '\0');
    std::vector<Section> table;
    for (const auto& [kind, bytes] : parts_) {
      file.resize((file.size() + kAlignment - 1) / kAlignment * kAlignment, '\0');
      table.push_back({static_cast<uint32_t>(kind), 0, file.size(), bytes.size()});
      file.append(bytes.data(), bytes.size());
    }
    Header header = {};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.version = kFormatVersion;
    header.machine = EM_X86_64;
    header.size = file.size();
    header.sections = static_cast<uint32_t>(table.size());
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + sizeof header, table.data(), table.size() * sizeof(Section));
    const cache::ContentHash hash = HashOf(file);
    std::memcpy(file.data() + kHashAt, &hash.low, sizeof hash.low);
    std::memcpy(file.data() + kHashAt + sizeof hash.low, &hash.high, sizeof hash.high);
    return file;
  }

 private:
  std::vector<std::pair<SectionKind, absl::string_view>> parts_;
};

// --- Reading.

absl::StatusOr<std::vector<Section>> ReadTable(absl::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) {
    return absl::InvalidArgumentError("it is no program of DynaCC");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version > kFormatVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("it was written by a newer DynaCC, in format ", header.version,
                     "; this library reads formats up to ", kFormatVersion));
  }
  if (header.size != bytes.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it is cut off or longer than it was written: ", bytes.size(), " bytes of ", header.size));
  }
  const cache::ContentHash hash = HashOf(bytes);
  if (hash.low != header.hash_low || hash.high != header.hash_high) {
    return absl::InvalidArgumentError("it is damaged: its hash is another one");
  }
  if (header.machine != EM_X86_64) {
    return absl::InvalidArgumentError(
        absl::StrCat("it was made for another machine, number ", header.machine,
                     " of ELF; this one is x86-64, number ", EM_X86_64));
  }
  const size_t room = (bytes.size() - sizeof header) / sizeof(Section);
  if (header.sections > kMaxSections || header.sections > room) {
    return absl::InvalidArgumentError("it has more sections than bytes");
  }
  if (header.sections == 0) return absl::InvalidArgumentError("it has no sections");
  std::vector<Section> table(header.sections);
  std::memcpy(table.data(), bytes.data() + sizeof header, table.size() * sizeof(Section));
  for (const Section& section : table) {
    const bool fits = section.offset <= bytes.size() &&
                      section.size <= bytes.size() - section.offset &&
                      section.offset % kAlignment == 0;
    if (!fits) return absl::InvalidArgumentError("a section lies outside of it");
  }
  return table;
}

// The elements of a constant come to as many bytes as its section has; of one that is outside, to
// some number, and it has none. Strides are products of the sizes that are not 0.
absl::Status CheckConstant(const ConstantSpec& constant, bool is_outside) {
  int64_t bytes = ItemSize(constant.dtype);
  bool has_none = is_outside;
  bool fits = constant.shape.size() <= 8;
  for (const int64_t size : constant.shape) {
    has_none = has_none || size == 0;
    fits = fits && size >= 0 && (size == 0 || !__builtin_mul_overflow(bytes, size, &bytes));
  }
  const auto expected = static_cast<uint64_t>(has_none ? 0 : bytes);
  if (fits && constant.bytes.size() == expected) return absl::OkStatus();
  return absl::InvalidArgumentError("a constant of another size than it says");
}

class FileReader {
 public:
  FileReader(absl::string_view bytes, const std::vector<Section>& table)
      : bytes_(bytes), table_(table) {}

  absl::StatusOr<ProgramContents> Read() {
    ProgramContents contents;
    for (const Section& section : table_) {
      DYNACC_RETURN_IF_ERROR(ReadSection(section, contents));
    }
    if ((seen_ & kAllSeen) != kAllSeen) return absl::InvalidArgumentError("a section is missing");
    if (next_constant_ != contents.constants.size()) {
      return absl::InvalidArgumentError("a constant is missing");
    }
    DYNACC_RETURN_IF_ERROR(CheckConstants(contents));
    return contents;
  }

 private:
  // Of the kinds that come once.
  static constexpr uint32_t kAllSeen = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4;
  static constexpr uint32_t kOnce = kAllSeen | 1u << 7 | 1u << 8 | 1u << 9;  // or never

  absl::Status ReadSection(const Section& section, ProgramContents& contents) {
    const absl::string_view body = bytes_.substr(section.offset, section.size);
    if (section.kind < 1 || section.kind > kLastKind)
      return absl::OkStatus();  // of a later minor version
    const uint32_t kind = 1u << section.kind;
    if ((kOnce & seen_ & kind) != 0) {
      return absl::InvalidArgumentError("a section that is there twice");
    }
    seen_ |= kind;
    Archive archive(body);
    switch (static_cast<SectionKind>(section.kind)) {
      case SectionKind::kSignature:
        VisitSignature(archive, contents.producer, contents.signature);
        VisitConstants(archive, contents.constants);
        break;
      case SectionKind::kGraph:
        contents.graph = std::string(body);
        return absl::OkStatus();
      case SectionKind::kPlan:
        contents.plan = std::string(body);
        return absl::OkStatus();
      case SectionKind::kKernels:
        VisitKernels(archive, contents.kernels);
        break;
      case SectionKind::kCode:
        VisitCode(archive, contents.code.emplace_back());
        break;
      case SectionKind::kConstant:
        return AddConstant(body, contents);
      case SectionKind::kWeights:
        VisitWeights(archive, contents.weights);
        break;
      case SectionKind::kSeal:
        return absl::OkStatus();  // FindSeal
      case SectionKind::kPlaces:
        VisitPlaces(archive, contents.places);
        break;
    }
    archive.Require(archive.AtEnd(), "more bytes than it has fields");
    return Annotate(archive.status(), absl::StrCat("section ", kSectionNames[section.kind]));
  }

  absl::Status AddConstant(absl::string_view body, ProgramContents& contents) {
    if (next_constant_ >= contents.constants.size()) {
      return absl::InvalidArgumentError("a constant that nothing describes");
    }
    contents.constants[next_constant_++].bytes = body;
    return absl::OkStatus();
  }

  absl::Status CheckConstants(const ProgramContents& contents) const {
    std::vector<bool> is_outside(contents.constants.size());
    for (const WeightSpec& weight : contents.weights) {
      const auto number = static_cast<size_t>(weight.constant);
      if (number >= is_outside.size() || is_outside[number]) {
        return absl::InvalidArgumentError("a weight of no constant, or of one that has another");
      }
      is_outside[number] = true;
    }
    for (size_t i = 0; i < is_outside.size(); ++i) {
      DYNACC_RETURN_IF_ERROR(CheckConstant(contents.constants[i], is_outside[i]));
    }
    return absl::OkStatus();
  }

  absl::string_view bytes_;
  const std::vector<Section>& table_;
  uint32_t seen_ = 0;
  size_t next_constant_ = 0;
};

absl::Status ErrorOf(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(what, " ", path));
}

}  // namespace

std::string WriteProgram(const ProgramContents& contents) {
  Archive head, kernels;
  std::string producer = contents.producer;
  Signature signature = contents.signature;
  std::vector<ConstantSpec> constants = contents.constants;
  std::vector<KernelSpec> specs = contents.kernels;
  VisitSignature(head, producer, signature);
  VisitConstants(head, constants);
  VisitKernels(kernels, specs);
  std::vector<Archive> code(contents.code.size());
  for (size_t i = 0; i < code.size(); ++i) {
    CodeSet set = contents.code[i];
    VisitCode(code[i], set);
  }
  FileWriter writer;
  writer.Add(SectionKind::kSignature, head.written());
  writer.Add(SectionKind::kGraph, contents.graph);
  writer.Add(SectionKind::kPlan, contents.plan);
  writer.Add(SectionKind::kKernels, kernels.written());
  for (const Archive& set : code) writer.Add(SectionKind::kCode, set.written());
  for (const ConstantSpec& constant : contents.constants) {
    writer.Add(SectionKind::kConstant, constant.bytes);
  }
  Archive outside;
  std::vector<WeightSpec> weights = contents.weights;
  VisitWeights(outside, weights);
  if (!weights.empty()) writer.Add(SectionKind::kWeights, outside.written());
  Archive lines;
  std::vector<StepPlace> places = contents.places;
  VisitPlaces(lines, places);
  if (!places.empty()) writer.Add(SectionKind::kPlaces, lines.written());
  return writer.Finish();
}

absl::StatusOr<ProgramContents> ReadProgram(absl::string_view bytes) {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Section> table, ReadTable(bytes));
  return FileReader(bytes, table).Read();
}

absl::StatusOr<std::string> WithSeal(absl::string_view file, const Seal& seal) {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Section> table, ReadTable(file));
  FileWriter writer;
  for (const Section& section : table) {
    const auto kind = static_cast<SectionKind>(section.kind);
    if (kind != SectionKind::kSeal) writer.Add(kind, file.substr(section.offset, section.size));
  }
  writer.Add(SectionKind::kSeal, {reinterpret_cast<const char*>(&seal), sizeof seal});
  return writer.Finish();
}

absl::StatusOr<SealedFile> FindSeal(absl::string_view file) {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Section> table, ReadTable(file));
  SealedFile sealed;
  size_t signature_at = file.size(), behind = file.size();
  for (const Section& section : table) {
    if (static_cast<SectionKind>(section.kind) != SectionKind::kSeal) continue;
    if (section.size != sizeof(Seal) || sealed.seal || section.offset < kHashEnd) {
      return absl::InvalidArgumentError("a signature of another size, or more than one");
    }
    std::memcpy(&sealed.seal.emplace(), file.data() + section.offset, sizeof(Seal));
    signature_at = section.offset + offsetof(Seal, signature);
    behind = section.offset + sizeof(Seal);
  }
  sealed.signed_parts = {file.substr(0, kHashAt), file.substr(kHashEnd, signature_at - kHashEnd),
                         file.substr(behind)};
  return sealed;
}

absl::StatusOr<std::vector<SectionInfo>> SectionsOf(absl::string_view bytes) {
  DYNACC_ASSIGN_OR_RETURN(const std::vector<Section> table, ReadTable(bytes));
  std::vector<SectionInfo> sections;
  for (const Section& section : table) {
    const bool is_known = section.kind < std::size(kSectionNames);
    sections.push_back(
        {is_known ? kSectionNames[section.kind] : "unknown", section.offset, section.size});
  }
  return sections;
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view bytes) {
  static std::atomic<int> number = 0;
  const std::string part = absl::StrCat(path, ".", getpid(), ".", number++, ".part");
  const FileDescriptor file(open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) return ErrorOf("cannot make", part);
  const bool is_written = WriteAll(file.get(), bytes) && fsync(file.get()) == 0;
  absl::Status status = is_written ? absl::OkStatus() : ErrorOf("cannot write", path);
  if (status.ok() && rename(part.c_str(), path.c_str()) != 0) {
    status = ErrorOf("cannot make", path);
  }
  if (!status.ok()) unlink(part.c_str());
  return status;
}

}  // namespace dynacc::program
