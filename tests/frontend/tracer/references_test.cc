#include "frontend/tracer/references.h"

#include "gtest/gtest.h"

namespace dynacc {
namespace {

struct References : testing::Test {
  NullValue target;  // any value does
  TupleValue holder{{&target}};
};

TEST_F(References, AreFollowedThroughContainersCellsAndFrames) {
  ListValue list({&holder});
  CellValue cell(&list);
  GeneratorValue generator;
  generator.frame = std::make_shared<SymbolicFrame>();
  generator.frame->locals = {nullptr, &cell};
  EXPECT_EQ(IsReached(&target, {&generator}), Reached::kYes);
  generator.frame->locals.pop_back();
  EXPECT_EQ(IsReached(&target, {&generator}), Reached::kNo);
}

TEST_F(References, OfArraysAreToWhatTheyAreViewsOf) {
  TensorValue base(nullptr, false);
  TensorValue view(nullptr, false);
  view.view_of = &base;
  EXPECT_EQ(IsReached(&base, {&view}), Reached::kYes);
  base.views = {&view};
  EXPECT_EQ(IsReached(&view, {&base}), Reached::kNo);
}

TEST_F(References, OfCyclesEnd) {
  ListValue list({});
  list.items = {&list};
  EXPECT_EQ(IsReached(&target, {&list}), Reached::kNo);
}

TEST_F(References, OfIteratorsThatComputeAreUnknown) {
  LazyIteratorValue computing([]() -> absl::StatusOr<Value*> { return nullptr; });
  EXPECT_EQ(IsReached(&target, {&computing}), Reached::kUnknown);
  EXPECT_EQ(IsReached(&target, {&computing, &holder}), Reached::kYes);
}

TEST_F(References, OfVeryManyValuesAreUnknown) {
  std::vector<std::unique_ptr<TupleValue>> many;
  TupleValue all({});
  for (int i = 0; i < 10'000; ++i) {
    many.push_back(std::make_unique<TupleValue>(std::vector<Value*>{}));
    all.items.push_back(many.back().get());
  }
  EXPECT_EQ(IsReached(&target, {&all}), Reached::kUnknown);
}

}  // namespace
}  // namespace dynacc
