# The examples run small, once per backend; README.md shows the program that is compiled.
add_test(NAME examples.readme COMMAND ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/examples/check_readme.cmake)
foreach(backend ${backends})
  add_test(NAME ${backend}.example_create_and_transfer COMMAND create_and_transfer)
  # The tour does not catch that a device is missing. Under cmake -E env that is an exit code and no signal, after which
  # ctest would not look for the reason to skip.
  add_test(NAME ${backend}.example_tour COMMAND ${CMAKE_COMMAND} -E env $<TARGET_FILE:tour>)
  add_test(NAME ${backend}.example_scale COMMAND scale --size 200)
  add_test(NAME ${backend}.example_matmul_race COMMAND matmul_race --size 64)
  add_test(NAME ${backend}.example_value_at_risk COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:value_at_risk>
    -DBACKEND=${backend} -DFOLDER=${CMAKE_CURRENT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/examples/check_value_at_risk.cmake)
  foreach(example create_and_transfer tour scale matmul_race value_at_risk)
    set_tests_properties(${backend}.example_${example} PROPERTIES ENVIRONMENT TANDEM_BACKEND=${backend}
      LABELS ${backend} TIMEOUT 300)
    if(backend STREQUAL "cuda")
      set_tests_properties(cuda.example_${example} PROPERTIES SKIP_REGULAR_EXPRESSION "backend cuda cannot be used")
    endif()
  endforeach()
endforeach()
