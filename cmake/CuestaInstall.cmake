# `cmake --install build --prefix X`: bin/cuesta (component runtime); the libraries, their headers and
# what find_package(cuesta) and pkg-config need (component development). A folder that moves to machines
# without the libraries we use is made by scripts/package.
include(CMakePackageConfigHelpers)
set(cuesta_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cuesta)

# One export set each: what cuesta::io links is looked for only where it is asked for.
foreach(library cuesta cuesta_io)
  install(TARGETS ${library} EXPORT ${library}_targets COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
  install(EXPORT ${library}_targets NAMESPACE cuesta:: DESTINATION ${cuesta_config_dir} COMPONENT development)
endforeach()
if(BUILD_SHARED_LIBS)
  set_target_properties(cuesta_io PROPERTIES INSTALL_RPATH "$ORIGIN")  # beside the core
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cuesta DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/include/cuesta/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cuesta
  COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cuesta-config.cmake.in
  ${PROJECT_BINARY_DIR}/cuesta-config.cmake INSTALL_DESTINATION ${cuesta_config_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cuesta-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cuesta-config.cmake ${PROJECT_BINARY_DIR}/cuesta-config-version.cmake
  DESTINATION ${cuesta_config_dir} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# pkg-config's files. Their paths start at the file's own place, so that the tree may move. What a shared library
# has linked already is nobody's business; of a static one it is private, for `pkg-config --static`.
set(cuesta_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH CUESTA_PC_PREFIX ${CMAKE_INSTALL_PREFIX}/${cuesta_pc_dir} ${CMAKE_INSTALL_PREFIX})
set(CUESTA_PC_REQUIRES)
set(CUESTA_PC_LIBS)
set(CUESTA_IO_PC_REQUIRES)
set(CUESTA_IO_PC_LIBS)
if(NOT BUILD_SHARED_LIBS)
  set(CUESTA_PC_REQUIRES fmt libhwy)
  if(CUESTA_THREADS STREQUAL tbb)
    list(APPEND CUESTA_PC_REQUIRES tbb)
  endif()
  set(CUESTA_PC_LIBS "-lstdc++ -lm -pthread")
  if(CUESTA_CUDA_FOUND)
    list(GET CUDAToolkit_LIBRARY_DIR 0 cudart_dir)
    string(APPEND CUESTA_PC_LIBS " -L${cudart_dir} -lcudart_static -ldl -lrt")
  endif()
  # As linker flags: of a name in Requires.private, --static would also link everything that those shared
  # libraries have linked, which few systems have the development files of.
  set(CUESTA_IO_PC_REQUIRES fmt)
  if(CUESTA_PICTURES_FOUND)
    list(APPEND CUESTA_IO_PC_LIBS ${vips_LDFLAGS})
  endif()
  if(CUESTA_VIDEO_FOUND)
    list(APPEND CUESTA_IO_PC_LIBS ${libav_LDFLAGS})
  endif()
  list(JOIN CUESTA_IO_PC_LIBS " " CUESTA_IO_PC_LIBS)
endif()
list(JOIN CUESTA_PC_REQUIRES ", " CUESTA_PC_REQUIRES)
foreach(name cuesta cuesta-io)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${cuesta_pc_dir} COMPONENT development)
endforeach()

if(TARGET cuesta_command)
  file(RELATIVE_PATH cuesta_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(cuesta_command PROPERTIES INSTALL_RPATH "$ORIGIN/${cuesta_bin_to_lib}")
  install(TARGETS cuesta_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
  # Where bench --gpu-model looks for names.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/model/gpus DESTINATION ${CMAKE_INSTALL_DATADIR}/cuesta
    COMPONENT runtime FILES_MATCHING PATTERN "*.json")
endif()
