// Every operation keeps its budget on a sample of inputs; the program `accuracy` takes a larger one.
#include "accuracy/measure.hpp"

using namespace tandem::test;

namespace {

class Accuracy : public ::testing::TestWithParam<Row> {};

TEST_P(Accuracy, StaysWithinTheBudget) {
  for (const Measured& found : measure(GetParam(), cases(16'000)))
    EXPECT_TRUE(found.within_budget()) << found.worst << " of " << found.dtype << " is wrong by " << found.error
                                       << " ULP, allowed are " << found.budget;
}

INSTANTIATE_TEST_SUITE_P(All, Accuracy, ::testing::ValuesIn(rows),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
