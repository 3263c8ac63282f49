// Apart from the reader: libdynacc_program, which is to be small, writes none.
#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "runtime/program/safetensors.h"

namespace dynacc::program {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kAlignment = 64;

}  // namespace

std::string WriteSafeTensors(const std::vector<NamedArray>& arrays) {
  // The format allows no gaps: with the largest elements first, all are aligned.
  std::vector<const NamedArray*> ordered;
  for (const NamedArray& array : arrays) ordered.push_back(&array);
  std::stable_sort(ordered.begin(), ordered.end(), [](const NamedArray* a, const NamedArray* b) {
    return ItemSize(a->dtype) > ItemSize(b->dtype);
  });
  Json header = Json::object();
  uint64_t end = 0;
  for (const NamedArray* pointer : ordered) {
    const NamedArray& array = *pointer;
    header[array.name] = {{"dtype", SafeName(array.dtype)},
                          {"shape", array.shape},
                          {"data_offsets", {end, end + array.bytes.size()}}};
    end += array.bytes.size();
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((sizeof(uint64_t) + text.size() + kAlignment - 1) / kAlignment * kAlignment -
                  sizeof(uint64_t),
              ' ');
  const uint64_t size = text.size();
  std::string file(reinterpret_cast<const char*>(&size), sizeof size);
  file += text;
  for (const NamedArray* array : ordered) absl::StrAppend(&file, array->bytes);
  return file;
}

}  // namespace dynacc::program
