#include "frontend/tracer/references.h"

#include "gtest/gtest.h"

namespace dynacc::tracer {
namespace {

struct References : testing::Test {
  symbolic::NullValue target;  // any value does
  symbolic::TupleValue holder{{&target}};
};

TEST_F(References, AreFollowedThroughContainersCellsAndFrames) {
  symbolic::ListValue list({&holder});
  symbolic::CellValue cell(&list);
  symbolic::GeneratorValue generator;
  generator.frame = std::make_shared<SymbolicFrame>();
  generator.frame->locals = {nullptr, &cell};
  EXPECT_EQ(IsReached(&target, {&generator}), Reached::kYes);
  generator.frame->locals.pop_back();
  EXPECT_EQ(IsReached(&target, {&generator}), Reached::kNo);
}

TEST_F(References, OfArraysAreToWhatTheyAreViewsOf) {
  symbolic::TensorValue base(nullptr, false);
  symbolic::TensorValue view(nullptr, false);
  view.view_of = &base;
  EXPECT_EQ(IsReached(&base, {&view}), Reached::kYes);
  base.views = {&view};
  EXPECT_EQ(IsReached(&view, {&base}), Reached::kNo);
}

TEST_F(References, OfCyclesEnd) {
  symbolic::ListValue list({});
  list.items = {&list};
  EXPECT_EQ(IsReached(&target, {&list}), Reached::kNo);
}

TEST_F(References, OfIteratorsThatComputeAreUnknown) {
  symbolic::LazyIteratorValue computing(
      []() -> absl::StatusOr<symbolic::Value*> { return nullptr; });
  EXPECT_EQ(IsReached(&target, {&computing}), Reached::kUnknown);
  EXPECT_EQ(IsReached(&target, {&computing, &holder}), Reached::kYes);
}

TEST_F(References, OfVeryManyValuesAreUnknown) {
  std::vector<std::unique_ptr<symbolic::TupleValue>> many;
  symbolic::TupleValue all({});
  for (int i = 0; i < 10'000; ++i) {
    many.push_back(std::make_unique<symbolic::TupleValue>(std::vector<symbolic::Value*>{}));
    all.items.push_back(many.back().get());
  }
  EXPECT_EQ(IsReached(&target, {&all}), Reached::kUnknown);
}

}  // namespace
}  // namespace dynacc::tracer
