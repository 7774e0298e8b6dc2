# `cmake --install build --prefix X`: bin/cuesta (component runtime); the library, its headers and
# what find_package(cuesta) needs (component development). A folder that moves to machines without
# the libraries we use is made by scripts/package.
include(CMakePackageConfigHelpers)
set(cuesta_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cuesta)

install(TARGETS cuesta EXPORT cuesta_targets COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cuesta DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/include/cuesta/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cuesta
  COMPONENT development)
install(EXPORT cuesta_targets NAMESPACE cuesta:: DESTINATION ${cuesta_config_dir} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cuesta-config.cmake.in
  ${PROJECT_BINARY_DIR}/cuesta-config.cmake INSTALL_DESTINATION ${cuesta_config_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cuesta-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cuesta-config.cmake ${PROJECT_BINARY_DIR}/cuesta-config-version.cmake
  DESTINATION ${cuesta_config_dir} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

if(TARGET cuesta_command)
  file(RELATIVE_PATH cuesta_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(cuesta_command PROPERTIES INSTALL_RPATH "$ORIGIN/${cuesta_bin_to_lib}")
  install(TARGETS cuesta_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()
