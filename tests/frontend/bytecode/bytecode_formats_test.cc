// The formats of all versions on code objects that formats/write_samples.py has written.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "frontend/cpython/bytecode_format.h"

namespace dynacc {
namespace {

struct Handler {
  int start, end, target, depth, lasti;
};

struct Row {
  int offset;
  std::string name;
  int arg, target;
};

struct Sample {
  std::string name;
  int stack_size = 0;
  std::string bytecode, kinds;
  std::vector<Handler> handlers;
  std::vector<Row> rows;
};

std::vector<Sample> ReadSamples(const std::string& version) {
  std::ifstream file(absl::StrCat(DYNACC_FORMAT_SAMPLES, "/", version, ".txt"));
  std::vector<Sample> samples;
  std::string line, word;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    words >> word;
    if (word == "code") {
      samples.emplace_back();
      words >> samples.back().name >> samples.back().stack_size;
    } else if (word == "bytecode" || word == "kinds") {
      std::string hex;
      words >> hex;
      (word == "kinds" ? samples.back().kinds : samples.back().bytecode) =
          absl::HexStringToBytes(hex);
    } else if (word == "handler") {
      Handler row = {};
      words >> row.start >> row.end >> row.target >> row.depth >> row.lasti;
      samples.back().handlers.push_back(row);
    } else {
      Row row = {};
      words >> row.offset >> row.name >> row.arg >> row.target;
      samples.back().rows.push_back(row);
    }
  }
  return samples;
}

class BytecodeFormats : public testing::TestWithParam<const BytecodeFormat*> {
 protected:
  BytecodeFormats() : samples_(ReadSamples(GetParam()->version())) {}

  NativeCode Read(const Sample& sample) const {
    return GetParam()->Read(
        {reinterpret_cast<const uint8_t*>(sample.bytecode.data()), sample.bytecode.size()},
        {sample.kinds.data(), sample.kinds.size()});
  }

  const Sample& Named(const std::string& name) const {
    for (const Sample& sample : samples_)
      if (sample.name == name) return sample;
    ADD_FAILURE() << "no " << name;
    return samples_.front();
  }

  std::vector<Instruction> Decoded(const std::string& name) const {
    return GetParam()->Decode(Read(Named(name)));
  }

  const std::vector<Sample> samples_;
};

TEST_P(BytecodeFormats, ReadsWhatDisReads) {
  ASSERT_GT(samples_.size(), 20);
  for (const Sample& sample : samples_) {
    SCOPED_TRACE(sample.name);
    const NativeCode code = Read(sample);
    ASSERT_EQ(code.instructions.size(), sample.rows.size());
    for (size_t i = 0; i < sample.rows.size(); ++i) {
      const NativeInstruction& at = code.instructions[i];
      EXPECT_EQ(at.offset, sample.rows[i].offset);
      EXPECT_EQ(GetParam()->Row(at.opcode).name, sample.rows[i].name) << at.offset;
      EXPECT_EQ(at.arg, sample.rows[i].arg) << at.offset << sample.rows[i].name;
      EXPECT_EQ(at.target, sample.rows[i].target) << at.offset << sample.rows[i].name;
    }
  }
}

TEST_P(BytecodeFormats, KnowsEachInstructionOfTheSamples) {
  std::set<std::string> unknown;
  for (const Sample& sample : samples_) {
    const NativeCode code = Read(sample);
    int next = 0;
    for (const Instruction& at : GetParam()->Decode(code)) {
      EXPECT_EQ(at.start, next);  // nothing is left out
      next = at.next;
      if (at.opcode == UNKNOWN_OPCODE)
        unknown.insert(GetParam()->Row(code.At(at.offset).opcode).name);
    }
  }
  EXPECT_EQ(unknown, std::set<std::string>());
}

// The depth of the stack before each instruction, by its start, along all ways.
class Depths {
 public:
  Depths(const Sample& sample, const std::vector<Instruction>& code) : sample_(sample) {
    for (const Instruction& at : code) at_[at.start] = &at;
    Reach(0, 0);
    while (!work_.empty()) {
      const Instruction& at = *work_.back();
      work_.pop_back();
      Visit(at, depth_[at.start]);
    }
  }

 private:
  void Reach(int start, int depth) {
    ASSERT_TRUE(at_.contains(start)) << "no instruction starts at " << start;
    ASSERT_GE(depth, 0) << start;
    ASSERT_LE(depth, sample_.stack_size) << start;
    const auto [place, is_new] = depth_.emplace(start, depth);
    EXPECT_EQ(place->second, depth) << "ways with other depths meet at " << start;
    if (is_new) work_.push_back(at_[start]);
  }

  void Visit(const Instruction& at, int depth) {
    for (const Handler& row : sample_.handlers) {
      if (at.offset >= row.start && at.offset < row.end)
        Reach(row.target, row.depth + 1 + row.lasti);
    }
    if (at.target >= 0) Reach(at.target, depth + OpcodeStackEffect(at.opcode, at.arg, true));
    static const std::set<int> ends = {RETURN_VALUE,
                                       RETURN_CONST,
                                       RAISE_VARARGS,
                                       RERAISE,
                                       JUMP_FORWARD,
                                       JUMP_BACKWARD,
                                       JUMP_BACKWARD_NO_INTERRUPT};
    if (!ends.contains(at.opcode))
      Reach(at.next, depth + OpcodeStackEffect(at.opcode, at.arg, false));
  }

  const Sample& sample_;
  std::map<int, const Instruction*> at_;
  std::map<int, int> depth_;
  std::vector<const Instruction*> work_;
};

TEST_P(BytecodeFormats, StackEffectsAgreeOnAllWays) {
  for (const Sample& sample : samples_) {
    SCOPED_TRACE(sample.name);
    const std::vector<Instruction> code = GetParam()->Decode(Read(sample));
    Depths depths(sample, code);
  }
}

TEST_P(BytecodeFormats, ACallIsOneInstructionWithItsKeywords) {
  std::vector<int> arguments, keywords;
  for (const Instruction& at : Decoded("calls")) {
    if (at.opcode != CALL_KW) continue;
    arguments.push_back(at.arg);
    keywords.push_back(at.keywords);
  }
  EXPECT_EQ(arguments, (std::vector<int>{3, 2}));
  ASSERT_EQ(keywords.size(), 2);
  EXPECT_GT(keywords[0], 0);
  EXPECT_GT(keywords[1], keywords[0]);
}

TEST_P(BytecodeFormats, ArgumentsAreTheSameInAllVersions) {
  std::vector<int> comparisons, methods;
  for (const Instruction& at : Decoded("comparisons"))
    if (at.opcode == COMPARE_OP) comparisons.push_back(at.arg & (kComparesToBool - 1));
  EXPECT_EQ(comparisons, (std::vector<int>{0, 1}));  // Py_LT, Py_LE
  for (const Instruction& at : Decoded("calls"))
    if (at.opcode == LOAD_METHOD) methods.push_back(at.arg);
  EXPECT_EQ(methods, std::vector<int>{0});
  int closures = 0;
  for (const Instruction& at : Decoded("closures")) closures += at.opcode == LOAD_CLOSURE ? 1 : 0;
  EXPECT_EQ(closures, 1);
}

TEST_P(BytecodeFormats, AForLoopEndsBehindWhatCleansUp) {
  const std::vector<Instruction> code = Decoded("loops");
  int loops = 0;
  for (const Instruction& at : code) {
    if (at.opcode != FOR_ITER) continue;
    ++loops;
    for (const Instruction& after : code) {
      if (after.start != at.target) continue;
      EXPECT_NE(after.opcode, END_FOR);
      EXPECT_NE(after.opcode, POP_TOP);
    }
  }
  EXPECT_EQ(loops, 1);
}

TEST_P(BytecodeFormats, AWithBeginsWithOneInstruction) {
  std::map<int, int> counts;
  for (const char* name : {"handlers", "coroutine"}) {
    for (const Instruction& at : Decoded(name)) ++counts[at.opcode];
  }
  EXPECT_EQ(counts[BEFORE_WITH], 2);
  EXPECT_EQ(counts[BEFORE_ASYNC_WITH], 1);
}

INSTANTIATE_TEST_SUITE_P(All, BytecodeFormats, testing::ValuesIn(AllBytecodeFormats()),
                         [](const auto& info) {
                           std::string name = info.param->version();
                           name.replace(name.find('.'), 1, "_");
                           return name;
                         });

}  // namespace
}  // namespace dynacc
