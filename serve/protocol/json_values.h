// The body of a JSON request, read in one pass: `data` of inputs goes into lists of numbers of
// eight bytes each, and only the rest becomes objects. So memory stays within some times the body's
// size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "serve/protocol/tensor.h"

namespace dynacc::protocol {

// What was found in a `data` array, nested or not.
class NumberList {
 public:
  void AddBool(bool value);
  void AddInteger(int64_t value);
  void AddUnsigned(uint64_t value);
  void AddFloat(double value);
  void AddOther() { has_other_ = true; }  // a text, an object or null
  void BeginArray();
  void EndArray();
  int depth() const { return static_cast<int>(counts_.size()); }

  // The elements of `tensor`, whose type and shape are set. INVALID_ARGUMENT says what is wrong.
  absl::Status Fill(Tensor& tensor) const;

 private:
  enum class Kind { kNone, kBool, kInteger, kUnsigned, kFloat };

  void Add(Kind kind, uint64_t bits);
  void BecomeFloat();
  absl::Status CheckShape(absl::Span<const int64_t> shape) const;
  template <typename T>
  absl::Status Convert(T* to) const;

  Kind kind_ = Kind::kNone;
  std::vector<uint64_t> bits_;  // int64, uint64 or double, as kind_ says
  bool has_negative_ = false;
  bool has_mixture_ = false;  // of bools and numbers
  bool has_other_ = false;
  bool is_ragged_ = false;
  std::vector<int64_t> counts_;   // items so far of the arrays that are open
  std::vector<int64_t> lengths_;  // by depth; -1: no array of that depth has ended
  int leaf_depth_ = -1;           // of the numbers
};

struct RequestJson {
  nlohmann::json root;           // without `data` of inputs
  std::vector<NumberList> data;  // of the inputs that have it
  // By input: the place in `data`, or -1.
  std::vector<int> data_of_input;
};

absl::StatusOr<RequestJson> ReadRequestJson(absl::string_view text);

}  // namespace dynacc::protocol
