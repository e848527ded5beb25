# Fails unless the committed page is what `tandem ops` prints.
# Usage: cmake -DPROGRAM=<tandem> -DFILE=<docs/ops.md> -P check_ops_page.cmake
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND "${PROGRAM}" ops OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ "${FILE}" page)
if(NOT printed STREQUAL page)
  message(FATAL_ERROR "${FILE} is out of date; write it with: tandem ops > docs/ops.md")
endif()
