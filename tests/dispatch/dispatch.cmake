# Finding and loading backends: those of tests/dispatch are built when the tests run, against the install tree.
set(third_party ${install_test}/third-party)
find_program(TANDEM_C_COMPILER gcc REQUIRED)
add_test(NAME dispatch.third_party COMMAND ${CMAKE_CTEST_COMMAND}
  --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/dispatch ${third_party} --build-generator ${CMAKE_GENERATOR}
  --build-options -DCMAKE_PREFIX_PATH=${TANDEM_INSTALL_TREE} -DCMAKE_C_COMPILER=${TANDEM_C_COMPILER})
set_tests_properties(dispatch.third_party PROPERTIES FIXTURES_REQUIRED install_tree FIXTURES_SETUP third_party)

add_executable(dispatch_test dispatch_test.cpp)
target_link_libraries(dispatch_test PRIVATE tandem_test_support tandem_settings)
set_target_properties(dispatch_test PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
add_test(NAME dispatch COMMAND dispatch_test)
set_tests_properties(dispatch PROPERTIES FIXTURES_REQUIRED third_party
  ENVIRONMENT "TANDEM_BACKEND=cpu;TANDEM_BACKEND_DIR=${third_party}")
