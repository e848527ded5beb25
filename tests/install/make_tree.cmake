# Installs everything into TREE in the fresh folder FOLDER.
# Usage: cmake -DBUILD=<build tree> -DFOLDER=<folder> -DTREE=<FOLDER>/... -P make_tree.cmake
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${FOLDER}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${TREE}" --strip
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
