#include "frontend/sources/source.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "frontend/cpython/describe.h"
#include "frontend/sources/access.h"
#include "runtime/base/check.h"

namespace dynacc::sources {
namespace {

constexpr const char* kForms[] = {
#define DYNACC_SOURCE(kind, form, doc) form,
#include "frontend/sources/sources.def"
#undef DYNACC_SOURCE
};

// An exact, interned str with the characters of `name`, its hash computed.
Ref Interned(BorrowedRef name) {
  DYNACC_CHECK(PyUnicode_Check(name)) << "a source's name must be a str";
  PyObject* str = PyUnicode_FromObject(name);  // an exact one, of a subclass's instance too
  DYNACC_CHECK(str != nullptr) << "no memory for a name";
  PyUnicode_InternInPlace(&str);
  return Ref::Steal(str);
}

// Whether its name is a plain constant of any kind.
bool HasKeyForName(SourceKind kind) {
  return kind == SourceKind::kDictKeyItem || kind == SourceKind::kCachedResult;
}

// What a source of `kind` keeps as its name, but for Pinned.
Ref NameFor(SourceKind kind, BorrowedRef name) {
  if (name == nullptr) return Ref();
  return HasKeyForName(kind) ? Ref::New(name) : Interned(name);
}

std::string NameText(const Source& source) {
  if (!source.name) return "";
  if (HasKeyForName(source.kind)) return DescribeObject(source.name.get());
  if (source.kind != SourceKind::kPinned) return StrText(source.name.get());
  BorrowedRef object = AccessSource(source, nullptr, {});
  return object == nullptr ? "what is gone" : DescribeObject(object);
}

}  // namespace

std::string Source::ToString() const {
  return absl::StrReplaceAll(kForms[static_cast<int>(kind)],
                             {{"$p", parent == nullptr ? "" : parent->ToString()},
                              {"$o", other == nullptr ? "" : other->ToString()},
                              {"$i", absl::StrCat(index)},
                              {"$n", NameText(*this)}});
}

BorrowedRef AccessSource(const Source& source, BorrowedRef parent, const SourceRoots& roots) {
  LookupCell cell;
  BorrowedRef value = AccessWithCell(source, parent, roots, cell);
  return value == Unreadable() ? nullptr : value;
}

BorrowedRef ResolveSource(const Source& source, const SourceRoots& roots) {
  BorrowedRef parent = nullptr;
  if (source.parent != nullptr) {
    parent = ResolveSource(*source.parent, roots);
    if (parent == nullptr) return nullptr;
  }
  return AccessSource(source, parent, roots);
}

const Source* SourceTable::InternPinned(BorrowedRef object) {
  std::unique_ptr<Source>& source = sources_[Key(SourceKind::kPinned, nullptr, 0, object, nullptr)];
  if (source != nullptr && AccessSource(*source, nullptr, {}) != object) {
    gone_.push_back(std::move(source));
  }
  if (source == nullptr) {
    Ref weak = WeakRefTo(object);
    const int64_t is_weak = weak ? 1 : 0;
    Ref kept = weak ? std::move(weak) : Ref::New(object);
    source =
        std::make_unique<Source>(Source{SourceKind::kPinned, nullptr, is_weak, std::move(kept)});
  }
  return source.get();
}

const Source* SourceTable::Intern(SourceKind kind, const Source* parent, int64_t index,
                                  BorrowedRef name, const Source* other) {
  if (kind == SourceKind::kPinned) return InternPinned(name);
  Ref kept = NameFor(kind, name);
  std::unique_ptr<Source>& source = sources_[Key(kind, parent, index, kept.get(), other)];
  if (source == nullptr) {
    source = std::make_unique<Source>(Source{kind, parent, index, std::move(kept), other});
  }
  return source.get();
}

}  // namespace dynacc::sources
