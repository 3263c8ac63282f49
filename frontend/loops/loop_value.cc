#include "frontend/loops/loop_value.h"

#include "absl/strings/str_cat.h"

namespace dynacc::loops {
namespace {

void AppendConstant(const LoopValue& value, std::string& key);

void AppendKey(const LoopValue& value, std::string& key) {
  absl::StrAppend(&key, static_cast<int>(value.kind), ",");
  switch (value.kind) {
    case LoopValue::Kind::kNumber:
    case LoopValue::Kind::kComplex:
    case LoopValue::Kind::kEither:
      absl::StrAppend(&key, static_cast<int>(value.type));
      break;
    case LoopValue::Kind::kPerhaps:
      AppendKey(value.items[0], key);
      break;
    case LoopValue::Kind::kInstance:
    case LoopValue::Kind::kArray:
    case LoopValue::Kind::kView:
    case LoopValue::Kind::kItems:
    case LoopValue::Kind::kRowItems:
      absl::StrAppend(&key, value.slot, ",", value.consumed);
      break;
    case LoopValue::Kind::kSlice1d:
      absl::StrAppend(&key, value.slot, ",", value.reg, ",", value.owner, ",", value.is_based);
      break;
    case LoopValue::Kind::kWindow:
      absl::StrAppend(&key, value.slot, ",", value.reg, ",", value.consumed, ",", value.moves);
      break;
    case LoopValue::Kind::kList:
    case LoopValue::Kind::kListItems:
      AppendKey(*value.element, key);
      break;
    case LoopValue::Kind::kTuple:
      absl::StrAppend(&key, value.slot);
      [[fallthrough]];
    case LoopValue::Kind::kEnumerate:
    case LoopValue::Kind::kZip:
    case LoopValue::Kind::kSlice:
    case LoopValue::Kind::kDisplay:
    case LoopValue::Kind::kRange:
      absl::StrAppend(&key, "(");
      for (const LoopValue& item : value.items) AppendKey(item, key);
      absl::StrAppend(&key, ")");
      break;
    case LoopValue::Kind::kTupleItems:
      absl::StrAppend(&key, value.slot, "(");
      for (const LoopValue& item : value.items) AppendConstant(item, key);
      absl::StrAppend(&key, ")");
      break;
    case LoopValue::Kind::kObject:
      absl::StrAppend(&key, reinterpret_cast<uintptr_t>(value.object));
      break;
    default:
      break;
  }
  key += ';';
}

// Of constants it matters which they are.
void AppendConstant(const LoopValue& value, std::string& key) {
  absl::StrAppend(&key, static_cast<int>(value.kind), "@", value.reg, ":");
  if (value.items.empty()) AppendKey(value, key);
  for (const LoopValue& item : value.items) AppendConstant(item, key);
}

void AppendFields(const std::vector<LoopValue>& fields, std::string& key) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].is(LoopValue::Kind::kOpaque)) continue;
    absl::StrAppend(&key, ".", i, "=", fields[i].reg, ":");  // of two that it may be in
    AppendKey(fields[i], key);
  }
}

}  // namespace

std::string LoopState::Key(int offset) const {
  std::string key = absl::StrCat(offset, has_effect ? "!" : "", has_stores ? "+:" : ":");
  for (const LoopValue& value : variables) AppendKey(value, key);
  key += '|';
  for (const LoopValue& value : stack) AppendKey(value, key);
  AppendFields(fields, key);
  if (call != nullptr) absl::StrAppend(&key, "<", call->key);
  return key;
}

}  // namespace dynacc::loops
