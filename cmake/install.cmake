# The package: find_package(tandem) gives tandem::tandem and tandem::backend_api.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tandem)
install(TARGETS tandem tandem_backend_api EXPORT tandemTargets FILE_SET HEADERS)
install(EXPORT tandemTargets NAMESPACE tandem:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tandemConfig.cmake.in ${PROJECT_BINARY_DIR}/tandemConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tandemConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tandemConfig.cmake ${PROJECT_BINARY_DIR}/tandemConfigVersion.cmake
  DESTINATION ${package_dir})
