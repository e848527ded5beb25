# The install tree: made once, then used as others would use it.
set(install_test ${PROJECT_BINARY_DIR}/install-test)
set(TANDEM_INSTALL_TREE ${install_test}/tree)
set(install_dir ${CMAKE_CURRENT_SOURCE_DIR}/install)

add_test(NAME install.tree COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DFOLDER=${install_test}
  -DTREE=${TANDEM_INSTALL_TREE} -P ${install_dir}/make_tree.cmake)
set_tests_properties(install.tree PROPERTIES FIXTURES_SETUP install_tree)

function(tandem_add_install_test name)
  add_test(NAME install.${name} COMMAND ${ARGN})
  set_tests_properties(install.${name} PROPERTIES FIXTURES_REQUIRED install_tree TIMEOUT 300)
endfunction()

tandem_add_install_test(symbols ${CMAKE_COMMAND} -DTREE=${TANDEM_INSTALL_TREE} -DNM=${CMAKE_NM}
  -DREADELF=${CMAKE_READELF} -DLIBDIR=${CMAKE_INSTALL_LIBDIR} -DPLUGINS=${TANDEM_PLUGIN_DIR}
  -P ${install_dir}/check_symbols.cmake)
# A program that is not instrumented cannot load an instrumented library.
if(NOT TANDEM_SANITIZE)
  tandem_add_install_test(consumer ${CMAKE_CTEST_COMMAND}
    --build-and-test ${install_dir}/consumer ${install_test}/consumer
    --build-generator ${CMAKE_GENERATOR} --build-options -DCMAKE_PREFIX_PATH=${TANDEM_INSTALL_TREE}
    -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_BUILD_TYPE=Debug --test-command consumer)
endif()
if(TANDEM_BUILD_EXAMPLES AND TANDEM_BUILD_BENCHMARKS)
  tandem_add_install_test(moved ${CMAKE_COMMAND} -DTREE=${TANDEM_INSTALL_TREE}
    "-DMOVED=${install_test}/moved tree" -P ${install_dir}/check_moved.cmake)
endif()
# As a part of another project only the library is built.
add_test(NAME install.subproject COMMAND ${CMAKE_COMMAND} -S ${install_dir}/consumer
  -B ${install_test}/subproject -G ${CMAKE_GENERATOR} -DTANDEM_SOURCE_DIR=${PROJECT_SOURCE_DIR}
  -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})
set_tests_properties(install.subproject PROPERTIES FIXTURES_REQUIRED install_tree) # its folder is made fresh there
