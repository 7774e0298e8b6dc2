# vcpkg's functions, as far as packaging/recipes/vcpkg/portfile.cmake calls them: the archive is unpacked, configured, built and
# installed here. cmake -D PORT=FILE -D AT=FOLDER [-D FEATURES=a;b] [-D TARGET_WANTED=install] -P stand_ins.cmake
cmake_minimum_required(VERSION 3.25)
set(CURRENT_PACKAGES_DIR ${AT}/packages)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL 0 OR said MATCHES "not used by the project")
    message(FATAL_ERROR "${ARGN}: ${said}")
  endif()
endfunction()

function(vcpkg_download_distfile out)
  cmake_parse_arguments(PARSE_ARGV 1 of "" "URLS;FILENAME;SHA512" "")
  file(DOWNLOAD ${of_URLS} ${AT}/${of_FILENAME} EXPECTED_HASH SHA512=${of_SHA512})
  set(${out} ${AT}/${of_FILENAME} PARENT_SCOPE)
endfunction()

function(vcpkg_extract_source_archive out)
  cmake_parse_arguments(PARSE_ARGV 1 of "" "ARCHIVE" "")
  file(ARCHIVE_EXTRACT INPUT ${of_ARCHIVE} DESTINATION ${AT}/source)
  file(GLOB folder ${AT}/source/*)
  set(${out} ${folder} PARENT_SCOPE)
endfunction()

function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 of "" "OUT_FEATURE_OPTIONS" "FEATURES")
  set(options "")
  while(of_FEATURES)
    list(POP_FRONT of_FEATURES name variable)
    set(value OFF)
    if(name IN_LIST FEATURES)
      set(value ON)
    endif()
    list(APPEND options -D${variable}=${value})
  endwhile()
  set(${of_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 of "" "SOURCE_PATH" "OPTIONS")
  run(${CMAKE_COMMAND} -G Ninja -S ${of_SOURCE_PATH} -B ${AT}/build -D CMAKE_BUILD_TYPE=Release
      -D CMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -D CMAKE_INSTALL_LIBDIR=lib ${of_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  if(TARGET_WANTED STREQUAL install)
    run(${CMAKE_COMMAND} --build ${AT}/build)
    run(${CMAKE_COMMAND} --install ${AT}/build)
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 of "" "" "FILE_LIST")
  foreach(file ${of_FILE_LIST})
    file(SIZE ${file} size) # fails for one that is not there
  endforeach()
endfunction()

foreach(name vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_copy_tools)
  cmake_language(EVAL CODE "function(${name})\nendfunction()")
endforeach()
include(${PORT})
