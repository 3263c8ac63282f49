// Keyword arguments of a call.
#pragma once

#include <Python.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "frontend/cpython/ref.h"

namespace dynacc::symbolic {

class Value;

// The name of a keyword argument: its text, and the string that the caller gives, which becomes a
// key of the callee's **kwargs.
class KeywordName {
 public:
  // A name as code writes it: CPython interns those.
  KeywordName(
      const char* text)  // NOLINT(google-explicit-constructor): call("f", {{"axis", value}})
      : text_(text), object_(Ref::Steal(PyUnicode_InternFromString(text))) {}
  // `object`: a str whose UTF-8 is `text`.
  KeywordName(std::string text, BorrowedRef object)
      : text_(std::move(text)), object_(Ref::New(object)) {}

  const std::string& text() const { return text_; }
  BorrowedRef object() const { return object_.get(); }

  friend bool operator==(const KeywordName& name, absl::string_view text) {
    return name.text_ == text;
  }
  friend bool operator==(const KeywordName& name, const char* text) { return name.text_ == text; }

 private:
  std::string text_;
  Ref object_;
};

using Keywords = std::vector<std::pair<KeywordName, Value*>>;

// Those of `first`, in their order, with the values of `second` where both have a name, then the
// others of `second`: what functools.partial makes of its own keywords and those of a call.
inline Keywords MergeKeywords(Keywords first, const Keywords& second) {
  for (const auto& [name, value] : second) {
    auto found = std::find_if(first.begin(), first.end(),
                              [&](const auto& keyword) { return keyword.first == name.text(); });
    if (found == first.end()) {
      first.emplace_back(name, value);
    } else {
      found->second = value;
    }
  }
  return first;
}

}  // namespace dynacc::symbolic
