# The install tree can be moved: every path in it is relative. The package: find_package(tandem) gives tandem::tandem
# and tandem::backend_api.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tandem)
install(TARGETS tandem tandem_backend_api EXPORT tandemTargets FILE_SET HEADERS)
install(EXPORT tandemTargets NAMESPACE tandem:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tandemConfig.cmake.in ${PROJECT_BINARY_DIR}/tandemConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tandemConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tandemConfig.cmake ${PROJECT_BINARY_DIR}/tandemConfigVersion.cmake
  DESTINATION ${package_dir})

# The bundle: what the plugins and tests need beyond glibc, the C++ library and zlib, which every system has, under the
# names that programs ask for.
if(TANDEM_BUNDLE)
  set(bundled "")
  if(TANDEM_OPENBLAS)
    get_filename_component(openblas_dir ${TANDEM_OPENBLAS} DIRECTORY)
    list(APPEND bundled ${openblas_dir}/libopenblas.so.0)
  endif()
  foreach(library libgomp.so.1 libgfortran.so.5 libquadmath.so.0)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library}
      OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND bundled ${path})
  endforeach()
  foreach(path ${bundled})
    get_filename_component(name ${path} NAME)
    file(REAL_PATH ${path} path)
    if(NOT EXISTS ${path})
      message(WARNING "${name} was not found and is not bundled")
      continue()
    endif()
    install(FILES ${path} DESTINATION ${CMAKE_INSTALL_LIBDIR}/${TANDEM_PLUGIN_DIR}/bundle RENAME ${name})
  endforeach()
endif()
