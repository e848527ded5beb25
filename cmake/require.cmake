# tandem_require(<package> <Debian package> [arguments of find_package...]): find_package that says what to install.
macro(tandem_require package debian)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found; on Debian and Ubuntu: apt-get install ${debian}")
  endif()
endmacro()

# tandem_require_header(<variable> <header> <Debian package>): the directory that holds a header.
macro(tandem_require_header variable header debian)
  find_path(${variable} ${header})
  if(NOT ${variable})
    message(FATAL_ERROR "${header} was not found; on Debian and Ubuntu: apt-get install ${debian}")
  endif()
endmacro()
