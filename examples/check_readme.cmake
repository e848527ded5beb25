# Fails unless the first C++ block of README.md is examples/tour.cpp from its [tour] line on.
# Usage: cmake -P check_readme.cmake
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
file(READ "${root}/README.md" readme)
file(READ "${root}/examples/tour.cpp" program)

function(text_between text begin end result)
  string(FIND "${text}" "${begin}" start)
  if(start EQUAL -1)
    message(FATAL_ERROR "'${begin}' is missing")
  endif()
  string(LENGTH "${begin}" length)
  math(EXPR start "${start} + ${length}")
  string(SUBSTRING "${text}" ${start} -1 rest)
  string(FIND "${rest}" "${end}" stop)
  string(SUBSTRING "${rest}" 0 ${stop} rest)
  set(${result} "${rest}" PARENT_SCOPE)
endfunction()

text_between("${readme}" "```cpp\n" "```" shown)
text_between("${program}" "// [tour]\n" "no end" compiled)
if(NOT shown STREQUAL compiled)
  message(FATAL_ERROR "the program in README.md differs from examples/tour.cpp")
endif()
