# Installs everything into a fresh folder.
# Usage: cmake -DBUILD=<build tree> -DTREE=<folder> -P make_tree.cmake
file(REMOVE_RECURSE "${TREE}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${TREE}" --strip
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
