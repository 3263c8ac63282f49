// The C interface (embed/include/dynacc/dynacc.h), called in any order with anything that it
// allows.
//
// The input is a sequence of calls: which function, which of the handles that are there, null, a
// handle of another type or a pointer to other memory, and odd numbers, texts and arrays. What
// dynacc.h promises is checked after each call: errors have a code and a message and give no
// result, readers agree with a value's kind, the context of a host function is freed once at most.
// Handles that were freed are not used again: dynacc.h does not promise anything for these.
#include <cmath>
#include <fstream>
#include <memory>

#include "embed/include/dynacc/dynacc.h"
#include "tests/fuzz_native/fuzz_target.h"

namespace dynacc {
namespace {

constexpr int kMostCalls = 120;
constexpr size_t kMostHandles = 16;  // of a type; then the oldest goes
constexpr size_t kArrayBytes = 4096;

const char* const kFunctions[] = {"echo",   "keep",         "total",  "change",
                                  "nested", "call",         "odd",    "make_function",
                                  "fails",  "no_such_name", "__doc__"};

struct Context {
  int freed = 0;
};

// One input's session. What lives longer: the interpreter, and memory that Python may still look
// at.
class Session {
 public:
  Session(const uint8_t* data, size_t size) : choices_(data, size) {}
  ~Session();

  void Run() {
    for (int i = 0; i < kMostCalls && !choices_.is_empty(); ++i) Step();
  }

 private:
  template <typename Handle>
  using Pool = std::vector<Handle*>;

  void Step();
  void MakeValue();
  void MakeCollection();
  void MakeArray();
  void ReadValue();
  void ReadItems();
  void UseRuntime();
  void RestartRuntime();
  void UseModule();
  void CallFunction();
  void MakeHostFunction();
  void UseCancellation();
  void UseStatus();
  void FreeSomething();

  // One of `pool`, or at times null, another type's handle, or memory that is no handle.
  template <typename Handle>
  Handle* Any(const Pool<Handle>& pool) {
    switch (choices_.Pick(16)) {
      case 0:
        return nullptr;
      case 1:
        return reinterpret_cast<Handle*>(foreign_);
      case 2:
        return values_.empty() ? nullptr : OfAnotherType(pool);
      default:
        return pool.empty() ? nullptr : pool[choices_.Pick(pool.size())];
    }
  }
  template <typename Handle>
  Handle* OfAnotherType(const Pool<Handle>&) {
    return reinterpret_cast<Handle*>(values_[choices_.Pick(values_.size())]);
  }
  dynacc_value* OfAnotherType(const Pool<dynacc_value>&) {
    return modules_.empty() ? nullptr : reinterpret_cast<dynacc_value*>(modules_[0]);
  }

  template <typename Handle>
  void Keep(Pool<Handle>& pool, Handle* handle) {
    if (handle != nullptr) pool.push_back(handle);
  }
  void Keep(dynacc_value* value) { Keep(values_, value); }
  void Keep(dynacc_module* module) { Keep(modules_, module); }
  void Keep(dynacc_function* function) { Keep(functions_, function); }

  // Between steps, as a step may go on using what it has.
  template <typename Handle>
  static void FreeOldest(Pool<Handle>& pool, void (*free_handle)(Handle*)) {
    for (; pool.size() > kMostHandles; pool.erase(pool.begin())) free_handle(pool.front());
  }

  // Looks at an error and frees it; true for success.
  bool Passed(dynacc_status* status);
  // The same of a call that gives a handle, which was set to something else before. By reference,
  // as an argument beside the call would else be copied before it.
  template <typename Handle>
  void Take(dynacc_status* status, Handle*& result) {
    const bool passed = Passed(status);
    FUZZ_REQUIRE(passed == (result != nullptr));
    Keep(result);
  }

  template <typename Handle>
  static void FreeOne(Choices& choices, Pool<Handle>& pool, void (*free_handle)(Handle*)) {
    if (pool.empty()) return free_handle(nullptr);
    const size_t chosen = choices.Pick(pool.size());
    free_handle(pool[chosen]);
    pool.erase(pool.begin() + static_cast<std::ptrdiff_t>(chosen));
  }

  const char* Name() { return choices_.Chance(16) ? nullptr : kFunctions[choices_.Pick(11)]; }
  std::vector<const dynacc_value*> SomeValues(size_t most) {
    std::vector<const dynacc_value*> some(choices_.Pick(most + 1));
    for (auto& value : some) value = Any(values_);
    return some;
  }

  static dynacc_status* OnCall(void* context, const dynacc_value* const* arguments, size_t count,
                               dynacc_value** result);
  static void OnFree(void* context);

  Choices choices_;
  Pool<dynacc_value> values_;
  Pool<dynacc_module> modules_;
  Pool<dynacc_function> functions_;
  Pool<dynacc_cancellation> cancellations_;
  alignas(16) char foreign_[256] = {};
};

dynacc_runtime* g_runtime = nullptr;

template <typename Handle>
Handle* Unset() {
  return reinterpret_cast<Handle*>(uintptr_t{0x10});
}

void StartRuntime() {
  dynacc_runtime_options options = {};
  options.struct_size = sizeof(options);
  options.isolated = 1;
  options.policy = "always";
  options.target = "tile";  // no compiler: calls are what this is about
  options.threads = 1;
  options.log_sink = [](void*, const char*, size_t) {};
  dynacc_status* status = dynacc_runtime_start(&options, &g_runtime);
  FUZZ_REQUIRE_SAYING(status == nullptr, dynacc_status_message(status));
}

// Memory for arrays, which Python may keep: never freed, given out again and again.
char* ArrayMemory() {
  static char* const memory = new char[kArrayBytes * 16]();
  static size_t next = 0;
  return memory + kArrayBytes * (next++ % 8);
}

Session::~Session() {
  for (auto* value : values_) dynacc_value_free(value);
  for (auto* function : functions_) dynacc_function_free(function);
  for (auto* module : modules_) dynacc_module_free(module);
  for (auto* cancellation : cancellations_) dynacc_cancellation_free(cancellation);
}

bool Session::Passed(dynacc_status* status) {
  const dynacc_code code = dynacc_status_code(status);
  FUZZ_REQUIRE((code == DYNACC_OK) == (status == nullptr));
  const char* message = dynacc_status_message(status);
  FUZZ_REQUIRE(message != nullptr);
  if (status == nullptr) return true;
  const char* type = dynacc_status_python_type(status);
  const char* text = dynacc_status_python_message(status);
  const char* traceback = dynacc_status_python_traceback(status);
  FUZZ_REQUIRE((type == nullptr) == (text == nullptr));
  FUZZ_REQUIRE((type == nullptr) == (traceback == nullptr));
  FUZZ_REQUIRE(message[0] != '\0' || type != nullptr);
  dynacc_status_free(status);
  return false;
}

void Session::Step() {
  FreeOldest(values_, dynacc_value_free);
  FreeOldest(modules_, dynacc_module_free);
  FreeOldest(functions_, dynacc_function_free);
  FreeOldest(cancellations_, dynacc_cancellation_free);
  using Action = void (Session::*)();
  constexpr Action kActions[] = {
      &Session::MakeValue,    &Session::MakeValue,        &Session::MakeCollection,
      &Session::MakeArray,    &Session::MakeArray,        &Session::ReadValue,
      &Session::ReadItems,    &Session::UseRuntime,       &Session::UseModule,
      &Session::UseModule,    &Session::CallFunction,     &Session::CallFunction,
      &Session::CallFunction, &Session::MakeHostFunction, &Session::UseCancellation,
      &Session::UseStatus,    &Session::FreeSomething};
  (this->*kActions[choices_.Pick(std::size(kActions))])();
}

void Session::MakeValue() {
  switch (choices_.Pick(7)) {
    case 0:
      return Keep(dynacc_value_none());
    case 1:
      return Keep(dynacc_value_bool(static_cast<int32_t>(choices_.OddNumber())));
    case 2:
      return Keep(dynacc_value_int(static_cast<int64_t>(choices_.OddNumber())));
    case 3: {
      const uint64_t bits = choices_.OddNumber();
      double number = 0;
      std::memcpy(&number, &bits, sizeof(number));
      return Keep(dynacc_value_float(number));
    }
    case 4: {
      const std::string text = choices_.Text(20);
      return Keep(choices_.Chance(8) ? dynacc_value_string(nullptr, choices_.OddNumber())
                                     : dynacc_value_string(text.data(), text.size()));
    }
    case 5:
      return Keep(dynacc_value_copy(Any(values_)));
    default:
      return Keep(dynacc_value_function(Any(functions_)));
  }
}

void Session::MakeCollection() {
  const std::vector<const dynacc_value*> items = SomeValues(5);
  const bool has_items = !choices_.Chance(12);
  const auto* given = has_items ? items.data() : nullptr;
  if (choices_.Chance(2)) return Keep(dynacc_value_list(given, items.size()));
  std::vector<std::string> texts(items.size());
  std::vector<const char*> names;
  for (std::string& text : texts) {
    text = choices_.Text(4);
    names.push_back(choices_.Chance(24) ? nullptr : text.c_str());
  }
  Keep(dynacc_value_dict(choices_.Chance(16) ? nullptr : names.data(), given, items.size()));
}

// Within its memory, or refused: shapes and strides are as odd as can be where that cannot be seen
// from the description, and fit the memory where it could be used.
void Session::MakeArray() {
  int64_t shape[8], strides[8];
  dynacc_array array = {};
  array.struct_size = choices_.Chance(16) ? choices_.OddNumber() : sizeof(array);
  if (array.struct_size > sizeof(array) && choices_.Chance(2)) array.struct_size = 48;
  array.element =
      static_cast<int32_t>(choices_.Chance(8) ? choices_.OddNumber() : choices_.Pick(17));
  array.rank = static_cast<int32_t>(choices_.Pick(5));
  int64_t count = 1;
  for (int i = 0; i < array.rank; ++i) {
    shape[i] = static_cast<int64_t>(choices_.Pick(5));
    count *= shape[i];
  }
  const int64_t size = dynacc_element_size(array.element);
  FUZZ_REQUIRE(size >= 0 && size <= 16);
  FUZZ_REQUIRE(count * size <= static_cast<int64_t>(kArrayBytes) * 4);
  for (int i = 0; i < array.rank; ++i) {
    strides[i] =
        static_cast<int64_t>(choices_.Pick(9)) * (choices_.Chance(8) ? 1 : size) - 2 * size;
  }
  if (choices_.Chance(6)) {  // one that cannot be: negative, or more than there is memory
    array.rank = choices_.Chance(3) ? -1 : 2;
    shape[0] = -static_cast<int64_t>(choices_.Pick(9)) - 1;
    shape[1] = static_cast<int64_t>(choices_.OddNumber());
  }
  array.data = choices_.Chance(12) ? nullptr : ArrayMemory() + kArrayBytes * 4;
  array.shape = choices_.Chance(12) ? nullptr : shape;
  array.strides = choices_.Chance(2) ? nullptr : strides;
  array.read_only = static_cast<int32_t>(choices_.Pick(3));
  array.device = choices_.Chance(16) ? static_cast<int64_t>(choices_.OddNumber()) : 0;
  auto* value = Unset<dynacc_value>();
  auto* context = new Context;  // Python may keep it
  const bool has_release = choices_.Chance(2);
  dynacc_status* status = dynacc_value_array(choices_.Chance(20) ? nullptr : &array,
                                             has_release ? OnFree : nullptr, context, &value);
  const bool refused = status != nullptr;
  Take(status, value);
  if (refused) FUZZ_REQUIRE(context->freed == 0);
}

void Session::ReadValue() {
  const dynacc_value* value = Any(values_);
  const dynacc_kind kind = dynacc_value_kind(value);
  FUZZ_REQUIRE(kind >= DYNACC_NONE && kind <= DYNACC_OBJECT);
  int32_t truth = 7;
  int64_t number = 7;
  double real = 7;
  const char* text = nullptr;
  size_t length = 0;
  FUZZ_REQUIRE(Passed(dynacc_value_get_bool(value, &truth)) == (kind == DYNACC_BOOL));
  FUZZ_REQUIRE(Passed(dynacc_value_get_int(value, &number)) == (kind == DYNACC_INT));
  FUZZ_REQUIRE(Passed(dynacc_value_get_float(value, &real)) == (kind == DYNACC_FLOAT));
  FUZZ_REQUIRE(Passed(dynacc_value_get_string(value, &text, &length)) == (kind == DYNACC_STRING));
  if (kind == DYNACC_BOOL) FUZZ_REQUIRE(truth == 0 || truth == 1);
  if (kind == DYNACC_STRING) FUZZ_REQUIRE(text[length] == '\0');
  FUZZ_REQUIRE(!Passed(dynacc_value_get_int(value, nullptr)));
  FUZZ_REQUIRE(!Passed(dynacc_value_get_string(value, nullptr, nullptr)));
  dynacc_array array = {};
  array.struct_size = sizeof(array);
  FUZZ_REQUIRE(Passed(dynacc_value_get_array(value, &array)) == (kind == DYNACC_ARRAY));
  if (kind != DYNACC_ARRAY) return;
  FUZZ_REQUIRE(array.rank >= 0 && dynacc_element_size(array.element) > 0);
  for (int i = 0; i < array.rank; ++i) FUZZ_REQUIRE(array.shape[i] >= 0);
  array.struct_size = choices_.Pick(80);
  dynacc_array small = array;
  Passed(dynacc_value_get_array(value, &small));
}

void Session::ReadItems() {
  const dynacc_value* value = Any(values_);
  const dynacc_kind kind = dynacc_value_kind(value);
  const bool has_items = kind == DYNACC_LIST || kind == DYNACC_DICT;
  size_t count = 0;
  FUZZ_REQUIRE(Passed(dynacc_value_size(value, &count)) == has_items);
  const size_t index = choices_.Chance(3) ? choices_.OddNumber() : choices_.Pick(count + 1);
  auto* item = Unset<dynacc_value>();
  dynacc_status* status = dynacc_value_item(value, index, &item);
  FUZZ_REQUIRE((status == nullptr) == (has_items && index < count));
  Take(status, item);
  const char* key = nullptr;
  FUZZ_REQUIRE(Passed(dynacc_value_key(value, index, &key)) ==
               (kind == DYNACC_DICT && index < count));
  FUZZ_REQUIRE(!Passed(dynacc_value_key(value, index, nullptr)));
}

void Session::RestartRuntime() {
  dynacc_runtime_free(g_runtime);
  g_runtime = nullptr;
  ReadValue();
  CallFunction();  // refused, and no crash
  StartRuntime();
}

void Session::UseRuntime() {
  dynacc_runtime* runtime = choices_.Chance(8) ? nullptr : g_runtime;
  if (choices_.Chance(16)) runtime = reinterpret_cast<dynacc_runtime*>(foreign_);
  auto* module = Unset<dynacc_module>();
  uint64_t count = 0;
  switch (choices_.Pick(8)) {
    case 0: {
      constexpr const char* kModules[] = {"math", "no.such.module", "", "sys", "json\xff"};
      const char* name = choices_.Chance(8) ? nullptr : kModules[choices_.Pick(5)];
      return Take(dynacc_import_module(runtime, name, &module), module);
    }
    case 1: {
      const std::string name = choices_.Text(6);
      Passed(dynacc_stat(choices_.Chance(4) ? nullptr : name.c_str(), &count));
      return;
    }
    case 2: {
      const char* name = dynacc_stat_name(choices_.OddNumber());
      if (name != nullptr) FUZZ_REQUIRE(Passed(dynacc_stat(name, &count)));
      return;
    }
    case 3: {
      auto* second = Unset<dynacc_runtime>();
      FUZZ_REQUIRE(!Passed(dynacc_runtime_start(nullptr, &second)) && second == nullptr);
      return;
    }
    case 4:
      return choices_.Chance(16) ? RestartRuntime() : void();
    case 5:
      return Take(dynacc_load_file(runtime, choices_.Chance(3) ? "/dev/null/x" : nullptr, &module),
                  module);
    default:
      return Take(
          dynacc_load_file(runtime, DYNACC_SOURCE_DIR "/tests/fuzz_native/c_abi_model.py", &module),
          module);
  }
}

void Session::UseModule() {
  const dynacc_module* module = Any(modules_);
  const char* name = Name();
  auto* function = Unset<dynacc_function>();
  auto* value = Unset<dynacc_value>();
  switch (choices_.Pick(4)) {
    case 0:
      return Take(dynacc_module_get_value(module, name, &value), value);
    case 1: {
      const std::string text = choices_.Text(3);
      Passed(dynacc_module_set(module, choices_.Chance(8) ? nullptr : text.c_str(), Any(values_)));
      return;
    }
    default:
      return Take(dynacc_module_get(module, name, &function), function);
  }
}

void Session::CallFunction() {
  const std::vector<const dynacc_value*> arguments = SomeValues(4);
  const std::vector<const dynacc_value*> keywords = SomeValues(2);
  std::vector<const char*> names;
  for (size_t i = 0; i < keywords.size(); ++i) {
    constexpr const char* kNames[] = {"value", "kind", "x", "depth", "\xff", ""};
    names.push_back(choices_.Chance(24) ? nullptr : kNames[choices_.Pick(6)]);
  }
  dynacc_call_options options = {};
  options.struct_size = choices_.Chance(24) ? choices_.OddNumber() : sizeof(options);
  options.keyword_names = choices_.Chance(24) ? nullptr : names.data();
  options.keyword_values = choices_.Chance(24) ? nullptr : keywords.data();
  options.keyword_count = choices_.Chance(3) ? keywords.size() : 0;
  if (choices_.Chance(6)) {
    options.timeout_nanoseconds = static_cast<int64_t>(choices_.OddNumber());
  }
  if (choices_.Chance(6)) options.cancellation = Any(cancellations_);
  auto* value = Unset<dynacc_value>();
  const bool wants_result = !choices_.Chance(12);
  dynacc_status* status = dynacc_function_call(
      Any(functions_), choices_.Chance(24) ? nullptr : arguments.data(), arguments.size(),
      choices_.Chance(2) ? &options : nullptr, wants_result ? &value : nullptr);
  if (wants_result) return Take(status, value);
  Passed(status);
}

dynacc_status* Session::OnCall(void*, const dynacc_value* const* arguments, size_t count,
                               dynacc_value** result) {
  if (count == 0) return dynacc_status_new(DYNACC_NOT_FOUND, "a host's error");
  for (size_t i = 0; i < count; ++i) FUZZ_REQUIRE(arguments[i] != nullptr);
  switch (dynacc_value_kind(arguments[0])) {
    case DYNACC_NONE:
      return nullptr;
    case DYNACC_INT:
      return dynacc_status_new(static_cast<dynacc_code>(99), nullptr);
    default:
      *result = dynacc_value_list(arguments, count);
      return nullptr;
  }
}

void Session::OnFree(void* context) {
  auto* freed = static_cast<Context*>(context);
  FUZZ_REQUIRE(++freed->freed == 1);
}

void Session::MakeHostFunction() {
  dynacc_runtime* runtime = choices_.Chance(12) ? nullptr : g_runtime;
  const std::string name = choices_.Text(6);
  const char* given = choices_.Chance(12) ? nullptr : name.c_str();
  auto* context = new Context;
  void (*free_context)(void*) = choices_.Chance(4) ? nullptr : OnFree;
  auto* function = Unset<dynacc_function>();
  dynacc_status* status;
  if (choices_.Chance(2)) {
    status = dynacc_make_function(runtime, given, choices_.Chance(16) ? nullptr : OnCall, context,
                                  free_context, &function);
  } else {
    const dynacc_keyword_function call =
        [](void* own, const dynacc_value* const* arguments, size_t count, const char* const*,
           const dynacc_value* const*, size_t,
           dynacc_value** result) { return OnCall(own, arguments, count, result); };
    status = dynacc_make_keyword_function(runtime, given, choices_.Chance(16) ? nullptr : call,
                                          context, free_context, &function);
  }
  const bool refused = status != nullptr;
  Take(status, function);
  if (refused && free_context != nullptr) FUZZ_REQUIRE(context->freed == 1);
}

void Session::UseCancellation() {
  switch (choices_.Pick(4)) {
    case 0:
      return Keep(cancellations_, dynacc_cancellation_new());
    case 1: {
      dynacc_cancellation* cancellation = Any(cancellations_);
      const bool passed = Passed(dynacc_cancellation_cancel(cancellation));
      FUZZ_REQUIRE(passed == (dynacc_cancellation_cancelled(cancellation) == 1));
      return;
    }
    default:
      FUZZ_REQUIRE(dynacc_cancellation_cancelled(Any(cancellations_)) <= 1);
  }
}

void Session::UseStatus() {
  const auto code =
      static_cast<dynacc_code>(choices_.Chance(3) ? choices_.OddNumber() : choices_.Pick(17));
  const std::string text = choices_.Text(8);
  dynacc_status* status = dynacc_status_new(code, choices_.Chance(4) ? nullptr : text.c_str());
  if (status != nullptr) FUZZ_REQUIRE(dynacc_status_message(status) != nullptr);
  dynacc_status_free(status);
  FUZZ_REQUIRE(dynacc_version()[0] != '\0');
}

void Session::FreeSomething() {
  switch (choices_.Pick(5)) {
    case 0:
      return FreeOne(choices_, functions_, dynacc_function_free);
    case 1:
      return FreeOne(choices_, modules_, dynacc_module_free);
    case 2:
      return FreeOne(choices_, cancellations_, dynacc_cancellation_free);
    case 3:  // what is no handle is left alone
      dynacc_value_free(reinterpret_cast<dynacc_value*>(foreign_));
      dynacc_runtime_free(nullptr);
      return dynacc_status_free(nullptr);
    default:
      return FreeOne(choices_, values_, dynacc_value_free);
  }
}

}  // namespace

std::vector<std::string> StartInputs() { return {}; }

}  // namespace dynacc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynacc;
  if (g_runtime == nullptr) StartRuntime();
  Session(data, size).Run();
  return 0;
}
