# Arm's 64 bits.
set(machine aarch64)
set(architecture arm64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
