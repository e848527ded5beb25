# Turns a source file into a C++ literal, <name>_text.inc in the current build folder.
function(tandem_text name file)
  file(READ "${file}" text)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}_text.inc" CONTENT "R\"text(@text@)text\"\n" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
endfunction()
