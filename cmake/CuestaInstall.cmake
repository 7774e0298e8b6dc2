# `cmake --install build --prefix X`: bin/cuesta (component runtime); the C interface's shared library (component c); the
# libraries, their headers and what find_package(cuesta) and pkg-config need (component development). A folder that moves to machines
# without the libraries we use is made by `scripts/package folder`.
include(CMakePackageConfigHelpers)
set(cuesta_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cuesta)

# One export set each: the libraries that cuesta::io links are searched only for users of cuesta::io.
foreach(library cuesta cuesta_io)
  install(TARGETS ${library} EXPORT ${library}_targets COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
  install(EXPORT ${library}_targets NAMESPACE cuesta:: DESTINATION ${cuesta_config_dir} COMPONENT development)
endforeach()
if(BUILD_SHARED_LIBS)
  set_target_properties(cuesta_io PROPERTIES INSTALL_RPATH "$ORIGIN")  # beside the core
endif()
if(TARGET cuesta_c)
  install(TARGETS cuesta_c EXPORT cuesta_c_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c NAMELINK_COMPONENT development)
  install(EXPORT cuesta_c_targets NAMESPACE cuesta:: DESTINATION ${cuesta_config_dir} COMPONENT development)
  # The same in the build tree: what CMake fills a shorter one with means the working folder.
  set_target_properties(cuesta_c PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  install(FILES ${PROJECT_SOURCE_DIR}/include/cuesta.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
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
# Under the name that Debian looks for.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT runtime)

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
set(cuesta_pc_names cuesta cuesta-io)
if(TARGET cuesta_c)
  list(APPEND cuesta_pc_names cuesta-c)
endif()
foreach(name ${cuesta_pc_names})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${cuesta_pc_dir} COMPONENT development)
endforeach()

if(TARGET cuesta_command)
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH cuesta_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(cuesta_command PROPERTIES INSTALL_RPATH "$ORIGIN/${cuesta_bin_to_lib}")
  endif()
  set(cuesta_programs cuesta)
  set(cuesta_program_targets cuesta_command)
  install(TARGETS cuesta_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
  if(TARGET cuesta_bench_command)
    list(APPEND cuesta_programs cuesta-bench)
    list(APPEND cuesta_program_targets cuesta_bench_command)
    get_target_property(cuesta_rpath cuesta_command INSTALL_RPATH)
    if(cuesta_rpath)
      set_target_properties(cuesta_bench_command PROPERTIES INSTALL_RPATH "${cuesta_rpath}")
    endif()
    install(TARGETS cuesta_bench_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
    # What explain-ladder quotes, and where --gpu-model looks for names.
    install(FILES ${PROJECT_SOURCE_DIR}/docs/results/data/ladder.json DESTINATION ${CMAKE_INSTALL_DATADIR}/cuesta
      COMPONENT runtime)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ladder DESTINATION ${CMAKE_INSTALL_DATADIR}/cuesta COMPONENT runtime
      FILES_MATCHING PATTERN "*.svg")
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/bench/model/gpus DESTINATION ${CMAKE_INSTALL_DATADIR}/cuesta
      COMPONENT runtime FILES_MATCHING PATTERN "*.json")
  endif()
  cuesta_sbom(runtime ${CMAKE_INSTALL_DATADIR}/sbom/cuesta.cdx.json cuesta ${cuesta_program_targets})
  if(CUESTA_GENERATED)
    set(generated ${PROJECT_BINARY_DIR}/cli)
    foreach(program ${cuesta_programs})
      install(FILES ${generated}/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
      install(FILES ${generated}/${program}.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME ${program} COMPONENT runtime)
      install(FILES ${generated}/_${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT runtime)
      install(FILES ${generated}/${program}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT runtime)
    endforeach()
  endif()
endif()

# `cpack -G DEB`, in a build whose prefix is /usr (scripts/package deb): cuesta, the command; libcuesta-c1, the C interface;
# libcuesta-dev, what programs are built with. dpkg-shlibdeps says what each needs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR Cuesta)
set(CUESTA_MAINTAINER "Whoever built this <root@localhost>" CACHE STRING "Who answers for the Debian packages: Name <address>")
set(CPACK_PACKAGE_CONTACT ${CUESTA_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL development)
if(TARGET cuesta_command)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME cuesta)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION graphics)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Finds edges in pictures and moving objects in video; the command cuesta.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcuesta-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Libraries, headers, and what CMake and pkg-config need, for C++20 and C99.")
set(cuesta_dev_depends "libfmt-dev, libhwy-dev, libtbb-dev")
if(TARGET cuesta_c)
  list(APPEND CPACK_COMPONENTS_ALL c)
  get_target_property(abi cuesta_c SOVERSION)
  set(CPACK_DEBIAN_C_PACKAGE_NAME libcuesta-c${abi})
  set(CPACK_DEBIAN_C_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_C_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_COMPONENT_C_DESCRIPTION "The C interface as a shared library.")
  string(APPEND cuesta_dev_depends ", libcuesta-c${abi} (= ${PROJECT_VERSION})")
  cuesta_sbom(c ${CMAKE_INSTALL_DATADIR}/sbom/libcuesta-c${abi}.cdx.json libcuesta_c cuesta_c)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libcuesta-c${abi}
    RENAME copyright COMPONENT c)
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ${cuesta_dev_depends})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libcuesta-dev
  RENAME copyright COMPONENT development)
include(CPack)
