# A machine of the other byte order: scripts/check-machines.
set(machine s390x)
set(architecture s390x)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
