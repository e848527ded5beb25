# What every target of the project is compiled with.
set(TANDEM_ABI 1) # as TD_ABI_VERSION in backend.h; names the folder of the plugins

if(NOT CMAKE_BUILD_TYPE)
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
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(TANDEM_PLUGIN_DIR tandem-${TANDEM_ABI})

add_library(tandem_settings INTERFACE)
# g++ 12 warns of overlaps inside std::string that cannot happen (PR105651).
target_compile_options(tandem_settings INTERFACE -Wall -Wextra -Wno-restrict -Wno-missing-field-initializers -ffp-contract=off $<$<BOOL:${TANDEM_WERROR}>:-Werror>)
target_link_options(tandem_settings INTERFACE -Wl,--exclude-libs,ALL -Wl,--enable-new-dtags)
if(TANDEM_SANITIZE)
  add_compile_options(-fsanitize=${TANDEM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TANDEM_SANITIZE})
endif()
