# Fails unless the committed page is what the command prints.
# Usage: cmake "-DCOMMAND=<program>;<arguments>..." -DFILE=<docs/....md> -P check_page.cmake
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ "${FILE}" page)
if(NOT printed STREQUAL page)
  list(JOIN COMMAND " " command)
  message(FATAL_ERROR "${FILE} is out of date; write it with: ${command} > ${FILE}")
endif()
