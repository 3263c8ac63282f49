#include "frontend/frame/elements/loop_value.h"

#include "absl/strings/str_cat.h"

namespace dynacc {
namespace {

void AppendKey(const LoopValue& value, std::string& key) {
  absl::StrAppend(&key, static_cast<int>(value.kind), ",");
  switch (value.kind) {
    case LoopValue::Kind::kNumber:
      absl::StrAppend(&key, static_cast<int>(value.type));
      break;
    case LoopValue::Kind::kArray:
    case LoopValue::Kind::kView:
    case LoopValue::Kind::kItems:
      absl::StrAppend(&key, value.slot, ",", value.consumed);
      break;
    case LoopValue::Kind::kList:
    case LoopValue::Kind::kListItems:
      AppendKey(*value.element, key);
      break;
    case LoopValue::Kind::kEnumerate:
    case LoopValue::Kind::kZip:
      absl::StrAppend(&key, "(");
      for (const LoopValue& item : value.items) AppendKey(item, key);
      absl::StrAppend(&key, ")");
      break;
    case LoopValue::Kind::kTupleItems:
      absl::StrAppend(&key, value.slot);
      break;
    case LoopValue::Kind::kObject:
      absl::StrAppend(&key, reinterpret_cast<uintptr_t>(value.object));
      break;
    default:
      break;
  }
  key += ';';
}

}  // namespace

std::string LoopState::Key(int offset) const {
  std::string key = absl::StrCat(offset, ":");
  for (const LoopValue& value : variables) AppendKey(value, key);
  key += '|';
  for (const LoopValue& value : stack) AppendKey(value, key);
  return key;
}

}  // namespace dynacc
