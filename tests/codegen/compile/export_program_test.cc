// Graphs exported, written, read and run again, beside the same graphs compiled here; and files
// that are none. Without NumPy: its loops are loops of ours (cpu::OwnLoop).
#include "codegen/compile/export_program.h"

#include <cstring>
#include <deque>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "codegen/compile/compiler.h"
#include "codegen/ir/graph_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/cache/content_hash.h"
#include "runtime/cpu/own/own_loops.h"
#include "runtime/kernel/library_loops.h"
#include "runtime/program/output_buffers.h"
#include "runtime/program/program.h"
#include "tests/codegen/compile/program_graphs.h"
#include "tests/fuzz_seeds.h"

namespace dynacc {
namespace {

using program::OutputSlot;
using program::Program;
using ::testing::HasSubstr;

// As if they were NumPy's.
void RegisterLoops() {
  for (const Op op : {Op::kAdd, Op::kMultiply, Op::kSubtract, Op::kDivide, Op::kSqrt, Op::kMaximum,
                      Op::kExp, Op::kNegative, Op::kReduceSum, Op::kReduceMax, Op::kMatmul}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      kernel::RegisterLibraryLoop(static_cast<int>(op), dtype, cpu::OwnLoop(op, dtype));
    }
  }
}

std::unique_ptr<ir::Graph> Parsed(const std::string& text) {
  RegisterLoops();
  auto graph = ir::ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

// Inputs a, b, ... and outputs r0, r1, ...
absl::StatusOr<program::ProgramContents> Exported(const ir::Graph& graph,
                                                  std::vector<std::string> levels) {
  auto contents = compile::ExportGraph(graph, {false, std::move(levels), "f (test.py:1)"});
  if (!contents.ok()) return contents.status();
  program::Signature& signature = contents->signature;
  signature.function = "f (test.py:1)";
  for (const ir::Node* input : graph.inputs()) {
    const std::string name(1, static_cast<char>('a' + signature.inputs.size()));
    signature.inputs.push_back({name, input->dtype, {input->shape.begin(), input->shape.end()}});
  }
  for (const ir::Node* output : graph.outputs()) {
    const std::string name = "r" + std::to_string(signature.outputs.size());
    signature.outputs.push_back(
        {name, output->dtype, {output->shape.begin(), output->shape.end()}});
  }
  signature.conditions.assign(graph.conditions().begin(), graph.conditions().end());
  return contents;
}

std::string BytesOf(const ir::Graph& graph, std::vector<std::string> levels) {
  auto contents = Exported(graph, std::move(levels));
  EXPECT_TRUE(contents.ok()) << contents.status();
  return contents.ok() ? program::WriteProgram(*contents) : std::string();
}

absl::StatusOr<std::shared_ptr<const Program>> Loaded(const std::string& bytes) {
  auto owned = std::make_shared<const std::string>(bytes);
  return Program::FromBytes({*owned, owned});
}

// An array of elements in C order.
template <typename T>
struct Array {
  std::vector<int64_t> shape;
  std::vector<T> data;

  StridedView view() {
    StridedView view;
    view.data = reinterpret_cast<char*>(data.data());
    view.dtype = std::is_same_v<T, float> ? DType::kFloat32 : DType::kFloat64;
    view.rank = static_cast<int>(shape.size());
    std::copy(shape.begin(), shape.end(), view.shape);
    SetContiguousStrides(view);
    return view;
  }
};

template <typename T>
Array<T> Numbers(std::vector<int64_t> shape, int seed) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  Array<T> array = {std::move(shape), {}};
  for (int64_t i = 0; i < count; ++i) {
    array.data.push_back(
        static_cast<T>(static_cast<double>((i * 7919 + seed * 104729) % 2003) / 997 - 1));
  }
  return array;
}

// Fresh memory for each output, as bytes.
class ByteSink : public executor::OutputSink {
 public:
  absl::Status Allocate(int index, StridedView& view) override {
    if (static_cast<size_t>(index) >= bytes.size()) bytes.resize(index + 1);
    bytes[index].assign(view.size() * ItemSize(view.dtype), '\0');
    view.data = bytes[index].data();
    return absl::OkStatus();
  }
  std::deque<std::string> bytes;  // which do not move when there are more
};

std::vector<std::string> RunLive(const ir::Graph& graph, std::vector<StridedView> inputs,
                                 std::vector<ScalarValue> sizes) {
  const auto compiled = compile::CompileGraph(graph, {.target = "cpu", .label = "live"});
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  std::vector<ScalarValue> scalars(graph.scalars().size());
  EXPECT_TRUE(graph.scalars().Evaluate(sizes, absl::MakeSpan(scalars)));
  ByteSink sink;
  executor::RunArguments arguments;
  arguments.inputs = inputs;
  arguments.scalars = scalars;
  arguments.sink = &sink;
  EXPECT_TRUE((*compiled)->Run(arguments).ok());
  return {sink.bytes.begin(), sink.bytes.end()};
}

std::vector<std::string> RunProgram(const Program& program, std::vector<StridedView> inputs) {
  ByteSink sink;
  const absl::Status status = program.Run({.inputs = inputs, .sink = &sink});
  EXPECT_TRUE(status.ok()) << status;
  return {sink.bytes.begin(), sink.bytes.end()};
}

constexpr char kSoftmax[] = R"(graph {
  scalars: s0 = input int, s1 = input int
  %0: f32[s0, s1] = input 0
  %1: f32[s0, 1] = reduce_max %0 axes[1] keepdims
  %2: f32[s0, s1] = view %1 axis[0, -1] start[0, 0] step[1, 0]
  %3: f32[s0, s1] = subtract %0, %2
  %4: f32[s0, s1] = exp %3
  %5: f32[s0, 1] = reduce_sum %4 axes[1] keepdims
  %6: f32[s0, s1] = view %5 axis[0, -1] start[0, 0] step[1, 0]
  %7: f32[s0, s1] = divide %4, %6
  return %7
}
)";

constexpr char kLayer[] = R"(graph {
  scalars: s0 = input int
  %0: f64[s0, 20] = input 0
  %1: f64[20, 8] = input 1
  %2: f64[8] = input 2
  %3: f64[s0, 8] = matmul %0, %1
  %4: f64[s0, 8] = view %2 axis[-1, 0] start[0] step[0, 1]
  %5: f64[s0, 8] = add %3, %4
  %6: f64[] = scalar 0.0
  %7: f64[s0, 8] = view %6 axis[-1, -1] start[] step[0, 0]
  %8: f64[s0, 8] = maximum %5, %7
  %9: f64[8] = reduce_sum %8 axes[0]
  return %8, %9
}
)";

const std::vector<std::vector<std::string>> kAllLevels = {
    {}, {"x86-64-v2"}, {"x86-64-v3"}, {"x86-64-v2", "x86-64-v3", "x86-64-v4"}};

TEST(ExportProgramTest, HasTheLiveGraphsBytes) {
  const auto softmax = Parsed(kSoftmax), layer = Parsed(kLayer);
  for (const std::vector<std::string>& levels : kAllLevels) {
    const auto program = Loaded(BytesOf(*softmax, levels));
    ASSERT_TRUE(program.ok()) << program.status();
    EXPECT_EQ((*program)->level().empty(), levels.empty());
    const auto second = Loaded(BytesOf(*layer, levels));
    ASSERT_TRUE(second.ok()) << second.status();
    for (const int64_t rows : {1, 3, 500}) {
      auto x = Numbers<float>({rows, 67}, 1);
      EXPECT_EQ(RunProgram(**program, {x.view()}),
                RunLive(*softmax, {x.view()}, {{.i = rows}, {.i = 67}}));
      auto a = Numbers<double>({rows, 20}, 2), w = Numbers<double>({20, 8}, 3),
           b = Numbers<double>({8}, 4);
      EXPECT_EQ(RunProgram(**second, {a.view(), w.view(), b.view()}),
                RunLive(*layer, {a.view(), w.view(), b.view()}, {{.i = rows}}));
    }
  }
}

TEST(ExportProgramTest, RunsLoopsAndBranches) {
  const auto graph = Parsed(compile::kControlFlowGraph);
  for (const std::vector<std::string>& levels : kAllLevels) {
    const auto program = Loaded(BytesOf(*graph, levels));
    ASSERT_TRUE(program.ok()) << program.status();
    auto x = Numbers<double>({5}, 1);
    int64_t rows[] = {4, 0, 2};
    StridedView index;
    index.data = reinterpret_cast<char*>(rows);
    index.dtype = DType::kInt64;
    index.rank = 1;
    index.shape[0] = 3;
    SetContiguousStrides(index);
    for (bool condition : {false, true}) {
      StridedView choice;
      choice.data = reinterpret_cast<char*>(&condition);
      choice.dtype = DType::kBool;
      EXPECT_EQ(RunProgram(**program, {x.view(), index, choice}),
                RunLive(*graph, {x.view(), index, choice}, {}));
    }
    rows[1] = 5;  // beyond the array
    ByteSink sink;
    bool condition = true;
    StridedView choice;
    choice.data = reinterpret_cast<char*>(&condition);
    choice.dtype = DType::kBool;
    const std::vector<StridedView> inputs = {x.view(), index, choice};
    EXPECT_EQ((*program)->Run({.inputs = inputs, .sink = &sink}).code(),
              absl::StatusCode::kOutOfRange);
  }
}

TEST(ExportProgramTest, RunsOnManyThreads) {
  const auto softmax = Parsed(kSoftmax);
  const auto program = Loaded(BytesOf(*softmax, {"x86-64-v3", "x86-64-v4"}));
  ASSERT_TRUE(program.ok()) << program.status();
  auto x = Numbers<float>({40, 67}, 1);
  const std::vector<std::string> expected = RunProgram(**program, {x.view()});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) EXPECT_EQ(RunProgram(**program, {x.view()}), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ExportProgramTest, GuardsNameTheInput) {
  const auto layer = Parsed(kLayer);
  const auto program = Loaded(BytesOf(*layer, {}));
  ASSERT_TRUE(program.ok()) << program.status();
  auto a = Numbers<double>({4, 20}, 2), w = Numbers<double>({20, 8}, 3),
       b = Numbers<double>({8}, 4);
  auto single = Numbers<float>({4, 20}, 2);
  auto short_row = Numbers<double>({7}, 4);
  const auto refusal = [&](std::vector<StridedView> inputs) {
    ByteSink sink;
    return std::string((*program)->Run({.inputs = inputs, .sink = &sink}).message());
  };
  EXPECT_EQ(refusal({single.view(), w.view(), b.view()}),
            "input a is f32[4, 20]; the program takes f64[s0, 20]");
  EXPECT_EQ(
      refusal({a.view(), w.view(), short_row.view()}),
      "input c is f64[7]; the program takes f64[8], with 8 along axis 0, as s0 is a's axis 0");
  EXPECT_EQ(refusal({a.view(), w.view()}), "the program takes 3 arrays and 0 numbers, not 2 and 0");
  StridedView odd = b.view();
  odd.data += 1;
  EXPECT_THAT(refusal({a.view(), w.view(), odd}), HasSubstr("input c has elements at addresses"));
}

TEST(ExportProgramTest, WritesIntoBuffersOfTheCallers) {
  const auto graph = Parsed(R"(graph {
  %0: f64[4, 3] = input 0
  %1: f64[4, 3] = multiply %0, %0
  %2: f64[3, 4] = view %1 axis[1, 0] start[0, 0] step[1, 1]
  return %2
}
)");
  const auto program = Loaded(BytesOf(*graph, {}));
  ASSERT_TRUE(program.ok()) << program.status();
  auto x = Numbers<double>({4, 3}, 1);
  const auto inputs = std::vector<StridedView>{x.view()};
  Array<double> expected = {{3, 4}, std::vector<double>(12)};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 3; ++j) expected.data[j * 4 + i] = x.data[i * 3 + j] * x.data[i * 3 + j];
  }
  Array<double> buffer = {{3, 4}, std::vector<double>(12)};
  std::vector<OutputSlot> slots = {{.view = buffer.view(), .is_given = true}};
  program::OutputBuffers sink(**program, inputs, absl::MakeSpan(slots));
  ASSERT_TRUE((*program)->Run({.inputs = inputs, .sink = &sink}).ok());
  sink.Finish();
  EXPECT_EQ(buffer.data, expected.data);

  Array<double> wrong = {{4, 3}, std::vector<double>(12)};
  slots = {{.view = wrong.view(), .is_given = true}};
  program::OutputBuffers refusing(**program, inputs, absl::MakeSpan(slots));
  EXPECT_EQ((*program)->Run({.inputs = inputs, .sink = &refusing}).message(),
            "the buffer for output r0 is f64[4, 3]; the program gives f64[3, 4]");
}

TEST(ExportProgramTest, SaysWhatNoProgramCanDo) {
  const auto graph = Parsed(R"(graph {
  %0: f64[4] = input 0
  %1: f64[4] = sin %0    # model.py:7
  return %1
}
)");
  const auto contents = Exported(*graph, {});
  EXPECT_EQ(contents.status().code(), absl::StatusCode::kUnimplemented);
}

// --- Files that are none.

TEST(ProgramFileTest, RefusesWhatIsNoProgram) {
  const std::string whole = BytesOf(*Parsed(kSoftmax), {"x86-64-v3"});
  const auto refusal = [](const std::string& bytes) {
    return std::string(Loaded(bytes).status().message());
  };
  EXPECT_THAT(refusal(""), HasSubstr("no program of DynaCC"));
  EXPECT_THAT(refusal(std::string(1000, 'x')), HasSubstr("no program of DynaCC"));
  std::string newer = whole;
  newer[8] = 9;
  EXPECT_THAT(refusal(newer), HasSubstr("newer DynaCC, in format 9"));
  for (size_t size = 64; size < whole.size(); size += 97) {
    EXPECT_THAT(refusal(whole.substr(0, size)), HasSubstr("cut off"));
  }
  for (size_t at = 0; at < whole.size(); at += 13) {
    std::string flipped = whole;
    flipped[at] ^= 0x10;
    EXPECT_NE(refusal(flipped), "") << at;
  }
}

// The hash that stands in the header, of what the file is now.
void Mend(std::string& file) {
  if (file.size() < 64) return;
  const uint64_t size = file.size();
  std::memcpy(file.data() + 16, &size, sizeof size);
  const absl::string_view all = file;
  const cache::ContentHash hash = cache::HashParts({all.substr(0, 32), all.substr(48)});
  std::memcpy(file.data() + 32, &hash.low, 8);
  std::memcpy(file.data() + 40, &hash.high, 8);
}

TEST(ProgramFileTest, RefusesAnotherMachine) {
  std::string file = BytesOf(*Parsed(kSoftmax), {});
  file[12] = static_cast<char>(183);  // EM_AARCH64
  Mend(file);
  EXPECT_THAT(std::string(Loaded(file).status().message()),
              HasSubstr("another machine, number 183"));
}

// Strides are computed from the other sizes of a constant without elements, too.
TEST(ProgramFileTest, RefusesSizesThatNoArrayHas) {
  const auto graph = Parsed(kSoftmax);
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{0, int64_t{1} << 62, 4}, {int64_t{1} << 62, 4, 0}}) {
    auto contents = Exported(*graph, {});
    ASSERT_TRUE(contents.ok()) << contents.status();
    contents->constants.push_back({DType::kFloat64, shape, ""});
    EXPECT_THAT(std::string(Loaded(program::WriteProgram(*contents)).status().message()),
                HasSubstr("a constant of another size"));
  }
}

// Some bytes of a good file changed, cut out or doubled, and the hash mended: whatever comes of it
// is a program or an error.
TEST(ProgramFileTest, SurvivesMutations) {
  const std::vector<std::string> starts = {
      BytesOf(*Parsed(kSoftmax), {}),
      BytesOf(*Parsed(kSoftmax), {"x86-64-v3"}),
      BytesOf(*Parsed(compile::kControlFlowGraph), {}),
      BytesOf(*Parsed(compile::kControlFlowGraph), {"x86-64-v3"}),
      BytesOf(*Parsed(kLayer), {}),
      BytesOf(*Parsed(kLayer), {"x86-64-v2", "x86-64-v4"})};
  int refused = 0;
  dynacc::testing::ForEachSeed(1, 4000, [&](uint64_t seed) {
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    const auto next = [&state](uint64_t below) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      return below == 0 ? 0 : state % below;
    };
    std::string file = starts[next(starts.size())];
    for (uint64_t i = 0, changes = 1 + next(4); i < changes; ++i) {
      // The code is most of a file; its loader has a fuzzer of its own.
      const size_t at =
          next(2) == 0 ? next(file.size()) : next(std::min<size_t>(file.size(), 4000));
      switch (next(4)) {
        case 0:
          file[at] = static_cast<char>(next(256));
          break;
        case 1:
          file[at] ^= static_cast<char>(1 << next(8));
          break;
        case 2:
          file.erase(at, 1 + next(16));
          break;
        default:
          file.insert(at, file.substr(next(file.size()), 1 + next(16)));
      }
    }
    Mend(file);
    refused += Loaded(file).ok() ? 0 : 1;
  });
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace dynacc
