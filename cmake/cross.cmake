# What the toolchain files of other machines share: cross-compiles on another Debian, of whose libraries packaging/sysroot makes a
# root; qemu runs what is built. They set `machine`, as the compiler calls it, and `architecture`, as Debian does.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${machine})
set(CMAKE_LIBRARY_ARCHITECTURE ${machine}-linux-gnu)
set(CMAKE_C_COMPILER ${machine}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${machine}-linux-gnu-g++)
if(NOT DEFINED CUESTA_SYSROOT)
  set(CUESTA_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/package/roots/sysroot-${architecture})
endif()
get_filename_component(CMAKE_SYSROOT ${CUESTA_SYSROOT} ABSOLUTE)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${machine}-static;-L;${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# pkg-config looks into the root alone, and says paths inside it.
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/${machine}-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/lib/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
