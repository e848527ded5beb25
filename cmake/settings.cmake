# What every target of the project is compiled with.

# The plugins' folder is named after the version of their interface.
file(STRINGS ${PROJECT_SOURCE_DIR}/include/tandem/backend.h abi_line REGEX "^#define TD_ABI_VERSION ")
string(REGEX MATCH "[0-9]+" TANDEM_ABI "${abi_line}")
set(TANDEM_PLUGIN_DIR tandem-${TANDEM_ABI})

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_program(TANDEM_CCACHE ccache)
if(TANDEM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TANDEM_CCACHE})
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# The build tree has the layout of the install tree, so that the loader has one way to find plugins.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_BINDIR})
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME library)

add_library(tandem_settings INTERFACE)
# g++ 12 warns of overlaps inside std::string that cannot happen (its PR105651).
target_compile_options(tandem_settings INTERFACE -Wall -Wextra -Wno-restrict -Wno-missing-field-initializers
  -ffp-contract=off $<$<BOOL:${TANDEM_WERROR}>:-Werror>)
target_link_options(tandem_settings INTERFACE -Wl,--exclude-libs,ALL -Wl,-z,defs)
if(TANDEM_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TANDEM_SANITIZE}>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer> $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  add_link_options(-fsanitize=${TANDEM_SANITIZE})
endif()

# tandem_export_only(<target> <version script>): whatever the script does not name stays inside the library, also the
# instances of std templates, which no compiler option hides.
function(tandem_export_only target script)
  target_link_options(${target} PRIVATE -Wl,--version-script=${script})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
