// WindowRows: windows of an array as the left operand of a product, read where they lie.
//
// In the windows of an array most elements stand several times: as a matrix they are nine times the
// array for windows of 3 x 3. Two tables say instead where each row begins and where each run of
// neighbours lies in it (M. Dukhan, "The Indirect Convolution Algorithm", 2019).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/cpu/matmul/product.h"
#include "runtime/tensor/strided_view.h"

namespace dynacc::cpu {

class WindowRows {
 public:
  // The elements of `windows` in C order as a matrix of rows of `inner` elements. Nothing if no
  // axis begins where a row does, or if runs are so short that a copy is worth its time.
  static std::optional<WindowRows> Of(const StridedView& windows, int64_t inner);

  // Makes them the left operand of `product`, which reads the tables as long as these rows live.
  void SetLeft(Product& product) const;

 private:
  const char* data_ = nullptr;
  std::vector<int64_t> rows_, runs_;  // bytes
  int64_t run_ = 0;                   // elements
};

}  // namespace dynacc::cpu
