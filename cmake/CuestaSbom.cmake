# A bill of materials (CycloneDX) of what is installed, made at install time by cmake/sbom.py.
find_program(CUESTA_SBOM_PYTHON python3)

# cuesta_sbom(component path name [--closure] target ...): `path` is absolute, or below the prefix. With --closure
# libraries that the targets' libraries load are listed, too.
function(cuesta_sbom component path name)
  if(NOT CUESTA_SBOM_PYTHON OR NOT CMAKE_GENERATOR STREQUAL Ninja)
    message(STATUS "Cuesta: without a bill of materials for ${name}: it needs python3 and Ninja")
    return()
  endif()
  set(output "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${path}")
  if(IS_ABSOLUTE "${path}")
    set(output "${path}")
  endif()
  set(files "")
  set(closure "")
  if("--closure" IN_LIST ARGN)
    set(closure --closure)
    list(REMOVE_ITEM ARGN --closure)
  endif()
  foreach(target ${ARGN})
    string(APPEND files " \"$<TARGET_FILE:${target}>\"")
  endforeach()
  install(CODE "execute_process(COMMAND \"${CUESTA_SBOM_PYTHON}\" \"${PROJECT_SOURCE_DIR}/cmake/sbom.py\" --name ${name}
      --version ${PROJECT_VERSION} --ninja \"${CMAKE_MAKE_PROGRAM}\" --build \"${PROJECT_BINARY_DIR}\" --output \"${output}\"
      ${closure} ${files} COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
endfunction()
