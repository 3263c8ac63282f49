#include "frontend/numpy/trace/own_calls.h"

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "frontend/cpython/describe.h"
#include "frontend/numpy/capi/numpy_api.h"
#include "frontend/numpy/trace/library_call_rules.h"
#include "runtime/cpu/own/number_functions.h"
#include "runtime/cpu/own/order.h"

namespace dynacc::numpy {
namespace {

using Kind = LibraryCallArg::Kind;
using cpu::OwnCall;
using cpu::SortKind;

// The arguments by their names, as far as they are not None.
class Arguments {
 public:
  // Nothing if they are none of the signature's.
  static std::optional<Arguments> Bind(const LibraryCall& call, absl::string_view signature) {
    std::vector<absl::string_view> names = absl::StrSplit(signature, ' ');
    Arguments bound;
    for (size_t i = 0; i < call.positional.size(); ++i) {
      if (i >= names.size() || names[i] == "*") return std::nullopt;
      bound.Add(names[i], call.positional[i]);
    }
    for (const auto& [name, argument] : call.keywords) bound.Add(name, argument);
    return bound;
  }

  // Null if it is not given.
  const LibraryCallArg* Take(absl::string_view name) {
    for (Row& row : rows_) {
      if (row.name != name) continue;
      row.is_taken = true;
      return row.argument;
    }
    return nullptr;
  }

  bool AreAllTaken() const {
    return absl::c_all_of(rows_, [](const Row& row) { return row.is_taken; });
  }

 private:
  struct Row {
    std::string name;
    const LibraryCallArg* argument;
    bool is_taken = false;
  };

  void Add(absl::string_view name, const LibraryCallArg& argument) {
    const bool is_none = argument.kind == Kind::kConstant && argument.constant.get() == Py_None;
    // None asks for all elements, where it is an axis.
    if (!is_none || name == "axis") rows_.push_back({std::string(name), &argument});
  }

  std::vector<Row> rows_;
};

bool IsOperand(const LibraryCallArg* argument, int operand) {
  return argument != nullptr && argument->operand == operand &&
         (argument->kind == Kind::kArray || argument->kind == Kind::kScalar ||
          argument->kind == Kind::kNumber);
}

std::optional<int64_t> IntOf(const LibraryCallArg& argument) {
  if (argument.kind != Kind::kConstant || !PyLong_CheckExact(argument.constant.get())) {
    return std::nullopt;
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(argument.constant.get(), &overflow);
  return overflow != 0 ? std::nullopt : std::optional(value);
}

bool IsFlag(const LibraryCallArg* argument) {
  return argument == nullptr ||
         (argument->kind == Kind::kConstant && PyBool_Check(argument->constant.get()));
}

bool IsTrue(const LibraryCallArg* argument) {
  return argument != nullptr && argument->constant.get() == Py_True;
}

// The axis that is said, or `otherwise`.
std::optional<int64_t> AxisOf(Arguments& arguments, int64_t otherwise) {
  const LibraryCallArg* const axis = arguments.Take("axis");
  if (axis == nullptr) return otherwise;
  const bool is_none = axis->kind == Kind::kConstant && axis->constant.get() == Py_None;
  return is_none ? std::optional(cpu::kFlat) : IntOf(*axis);
}

// NumPy looks at the first letter alone.
std::optional<SortKind> KindOf(Arguments& arguments) {
  const LibraryCallArg* const stable = arguments.Take("stable");
  const LibraryCallArg* const kind = arguments.Take("kind");
  if (!IsFlag(stable)) return std::nullopt;
  if (kind == nullptr) return IsTrue(stable) ? SortKind::kStable : SortKind::kQuick;
  const bool is_text = kind->kind == Kind::kConstant && PyUnicode_Check(kind->constant.get());
  const std::string text = is_text ? StrText(kind->constant.get()) : "";
  switch (text.empty() ? '\0' : text[0]) {
    case 'q':
      return SortKind::kQuick;
    case 'h':
      return SortKind::kHeap;
    case 'm':
    case 's':
      return SortKind::kStable;
    default:
      return std::nullopt;
  }
}

// Each reads the numbers of one function; false if an argument is none that it takes.

bool ReadSort(Arguments& arguments, std::vector<int64_t>& numbers) {
  const std::optional<int64_t> axis = AxisOf(arguments, -1);
  const std::optional<SortKind> kind = KindOf(arguments);
  if (!IsOperand(arguments.Take("a"), 0) || !axis || !kind) return false;
  numbers = {*axis, static_cast<int64_t>(*kind)};
  return true;
}

bool ReadPartition(Arguments& arguments, std::vector<int64_t>& numbers) {
  const std::optional<int64_t> axis = AxisOf(arguments, -1);
  const LibraryCallArg* const places = arguments.Take("kth");
  if (!IsOperand(arguments.Take("a"), 0) || !axis || places == nullptr) return false;
  numbers = {*axis};
  const bool is_one = places->kind == Kind::kConstant;
  for (const LibraryCallArg& place :
       is_one ? std::vector<LibraryCallArg>{*places} : places->items) {
    const std::optional<int64_t> number = IntOf(place);
    if (!number) return false;
    numbers.push_back(*number);
  }
  return true;
}

bool ReadSearch(Arguments& arguments, std::vector<int64_t>& numbers) {
  const LibraryCallArg* const side = arguments.Take("side");
  const bool is_text =
      side == nullptr || (side->kind == Kind::kConstant && PyUnicode_Check(side->constant.get()));
  if (!IsOperand(arguments.Take("a"), 0) || !IsOperand(arguments.Take("v"), 1) || !is_text) {
    return false;
  }
  const std::string text = side == nullptr ? "left" : StrText(side->constant.get());
  numbers = {text == "right" ? 1 : 0};
  return text == "left" || text == "right";
}

bool ReadDigitize(Arguments& arguments, std::vector<int64_t>& numbers) {
  const LibraryCallArg* const right = arguments.Take("right");
  const bool are_arrays = IsOperand(arguments.Take("x"), 0) && IsOperand(arguments.Take("bins"), 1);
  if (!are_arrays || !IsFlag(right)) return false;
  numbers = {IsTrue(right) ? 1 : 0};
  return true;
}

// Whether NumPy's sums begin with 0, which this one's do if its sum of one -0.0 is 0.0.
bool SumsBeginWithZero() {
  static const bool begin = [] {
    const Ref add = Ref::Steal(PyObject_GetAttrString(CoreModule(), "add"));
    const Ref zero = Ref::Steal(Py_BuildValue("[d]", -0.0));
    const Ref sum =
        add && zero ? Ref::Steal(PyObject_CallMethod(add.get(), "reduce", "O", zero.get())) : Ref();
    const double value = sum ? PyFloat_AsDouble(sum.get()) : 0;
    PyErr_Clear();
    return !std::signbit(value);
  }();
  return begin;
}

bool ReadMedian(Arguments& arguments, std::vector<int64_t>& numbers) {
  const std::optional<int64_t> axis = AxisOf(arguments, cpu::kFlat);
  const bool are_flags =
      IsFlag(arguments.Take("keepdims")) && IsFlag(arguments.Take("overwrite_input"));
  if (!IsOperand(arguments.Take("a"), 0) || !axis || !are_flags) return false;
  numbers = {*axis, SumsBeginWithZero() ? 1 : 0};
  return true;
}

// `by`: what NumPy divides the number by, which makes a float of it; 1 is for no division, and then
// an int asks for another way of computing.
std::optional<double> FractionOf(const LibraryCallArg* argument, double by) {
  if (argument == nullptr || argument->kind != Kind::kConstant) return std::nullopt;
  PyObject* const number = argument->constant.get();
  if (PyFloat_CheckExact(number)) return PyFloat_AS_DOUBLE(number) / by;
  const std::optional<int64_t> integer = by == 1 ? std::nullopt : IntOf(*argument);
  return integer ? std::optional(static_cast<double>(*integer) / by) : std::nullopt;
}

bool ReadQuantileOf(Arguments& arguments, double by, std::vector<int64_t>& numbers) {
  const std::optional<int64_t> axis = AxisOf(arguments, cpu::kFlat);
  const std::optional<double> number = FractionOf(arguments.Take("q"), by);
  const LibraryCallArg* const method = arguments.Take("method");
  const bool is_linear = method == nullptr || (method->kind == Kind::kConstant &&
                                               PyUnicode_Check(method->constant.get()) &&
                                               StrText(method->constant.get()) == "linear");
  const bool are_flags =
      IsFlag(arguments.Take("keepdims")) && IsFlag(arguments.Take("overwrite_input"));
  if (!IsOperand(arguments.Take("a"), 0) || !axis || !number || !is_linear || !are_flags) {
    return false;
  }
  numbers = {*axis, std::bit_cast<int64_t>(*number)};
  return true;
}

bool ReadQuantile(Arguments& arguments, std::vector<int64_t>& numbers) {
  return ReadQuantileOf(arguments, 1, numbers);
}

bool ReadPercentile(Arguments& arguments, std::vector<int64_t>& numbers) {
  constexpr double kPercent = 100;
  return ReadQuantileOf(arguments, kPercent, numbers);
}

// Of as many operands, as positional arguments or not, and nothing else.
bool ReadMatrix(Arguments& arguments, std::vector<int64_t>&) {
  return IsOperand(arguments.Take("a"), 0);
}
bool ReadSystem(Arguments& arguments, std::vector<int64_t>&) {
  return IsOperand(arguments.Take("a"), 0) && IsOperand(arguments.Take("b"), 1);
}

// The labels of one array, behind their number; false if they are no letters.
bool AddLabels(absl::string_view text, std::vector<int64_t>& numbers) {
  numbers.push_back(static_cast<int64_t>(text.size()));
  numbers.insert(numbers.end(), text.begin(), text.end());
  return absl::c_all_of(text, [](char letter) { return absl::ascii_isalpha(letter); });
}

// Of arrays alone, and a text that says the result's labels ("ij,jk->ik"), as the decomposition of
// np.einsum writes it.
std::optional<OwnCall> EinsumCallOf(const LibraryCall& call) {
  const bool has_text = !call.positional.empty() && call.positional[0].kind == Kind::kConstant &&
                        PyUnicode_Check(call.positional[0].constant.get());
  if (!has_text || !call.keywords.empty()) return std::nullopt;
  const std::string text = StrText(call.positional[0].constant.get());
  const std::vector<std::string> sides = absl::StrSplit(text, "->");
  const std::vector<std::string> inputs = absl::StrSplit(sides[0], ',');
  if (sides.size() != 2 || inputs.size() + 1 != call.positional.size()) return std::nullopt;
  OwnCall own = {"einsum", {}};
  bool fits = AddLabels(sides[1], own.numbers);
  for (size_t i = 0; fits && i < inputs.size(); ++i) {
    fits = IsOperand(&call.positional[i + 1], static_cast<int>(i)) &&
           AddLabels(inputs[i], own.numbers);
  }
  return fits ? std::optional(std::move(own)) : std::nullopt;
}

struct OwnRow {
  absl::string_view numpy;  // a function of NumPy's, or an array's method
  absl::string_view own;
  bool (*read)(Arguments& arguments, std::vector<int64_t>& numbers);
};
constexpr OwnRow kRows[] = {
    {"sort", "sort", &ReadSort},
    {"argsort", "argsort", &ReadSort},
    {"partition", "partition", &ReadPartition},
    {"argpartition", "argpartition", &ReadPartition},
    {"searchsorted", "searchsorted", &ReadSearch},
    {"digitize", "digitize", &ReadDigitize},
    {"median", "median", &ReadMedian},
    {"quantile", "quantile", &ReadQuantile},
    {"percentile", "quantile", &ReadPercentile},
    {"linalg.solve", "linalg.solve", &ReadSystem},
    {"linalg.inv", "linalg.inv", &ReadMatrix},
    {"linalg.det", "linalg.det", &ReadMatrix},
    {"linalg.cholesky", "linalg.cholesky", &ReadMatrix},
};

// What the tables of functions and methods say of the one of that name; empty: nothing.
absl::string_view SignatureOf(absl::Span<const NumpyLibraryCallRow> rows, absl::string_view name) {
  const auto found =
      absl::c_find_if(rows, [name](const NumpyLibraryCallRow& row) { return row.name == name; });
  return found == rows.end() ? "" : found->signature;
}

// How an argument of a function of single numbers is given; false if it is none of such.
bool ReadNumber(const LibraryCallArg& argument, std::vector<int64_t>& numbers) {
  cpu::NumberArgument kind = cpu::NumberArgument::kOperand;
  int64_t value = 0;
  if (argument.kind == Kind::kConstant) {
    PyObject* const constant = argument.constant.get();
    const std::optional<int64_t> integer = IntOf(argument);
    if (!integer && !PyFloat_CheckExact(constant)) return false;
    kind = integer ? cpu::NumberArgument::kInt : cpu::NumberArgument::kFloat;
    value = integer ? *integer : std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(constant));
  } else if (argument.kind != Kind::kScalar && argument.kind != Kind::kNumber) {
    return false;
  }
  numbers.push_back(static_cast<int64_t>(kind));
  numbers.push_back(value);
  return true;
}

// Operands come in the order of the arguments, each once.
std::optional<OwnCall> NumberCallOf(const LibraryCall& call, absl::string_view name) {
  OwnCall own = {std::string(name), {call.gives_number ? 1 : 0}};
  const bool is_known = cpu::IsNumberFunction(name) || cpu::GivesPlace(own);
  if (!is_known || !call.keywords.empty()) return std::nullopt;
  int operand = 0;
  for (const LibraryCallArg& argument : call.positional) {
    if (!ReadNumber(argument, own.numbers)) return std::nullopt;
    if (argument.kind != Kind::kConstant && argument.operand != operand++) return std::nullopt;
  }
  return own;
}

}  // namespace

std::optional<OwnCall> OwnCallOf(const LibraryCall& call, absl::string_view name) {
  if (call.item >= 0 || call.draw != 0) return std::nullopt;
  if (auto own = NumberCallOf(call, name)) return own;
  if (call.gives_number || !absl::ConsumePrefix(&name, "numpy.")) return std::nullopt;
  if (name == "einsum") return EinsumCallOf(call);
  const bool is_method = absl::ConsumePrefix(&name, "ndarray.");
  const auto row = absl::c_find_if(kRows, [name](const OwnRow& one) { return one.numpy == name; });
  if (row == std::end(kRows)) return std::nullopt;
  std::optional<Arguments> arguments = Arguments::Bind(
      call, SignatureOf(is_method ? NumpyLibraryCallMethods() : NumpyLibraryCallFunctions(), name));
  OwnCall own = {std::string(row->own), {}};
  if (!arguments || !row->read(*arguments, own.numbers) || !arguments->AreAllTaken()) {
    return std::nullopt;
  }
  return own;
}

}  // namespace dynacc::numpy
