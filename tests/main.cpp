// main() of the suite's programs, for those that have none of their own.
#include "support.hpp"

int main(int argc, char** argv) {
  constexpr std::string_view flag = "--probe=";
  if (argc > 1 && std::string_view(argv[1]).starts_with(flag))
    return tandem::test::print_probe(std::string_view(argv[1]).substr(flag.size()));
  ::testing::InitGoogleTest(&argc, argv);
  if (!::testing::GTEST_FLAG(list_tests))
    if (const int status = tandem::test::refuse(); status >= 0) return status;
  return RUN_ALL_TESTS();
}
