vcpkg_download_distfile(archive
  URLS "@URL@"
  FILENAME "cuesta-@VERSION@.tar.gz"
  SHA512 @SHA512@)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")

vcpkg_check_features(OUT_FEATURE_OPTIONS features
  FEATURES
    command CUESTA_CLI
    cuda CUESTA_CUDA
    pictures CUESTA_PICTURES
    video CUESTA_VIDEO)

vcpkg_cmake_configure(SOURCE_PATH "${source}"
  OPTIONS
    ${features}
    -DCUESTA_TESTS=OFF
    -DCUESTA_BENCH=OFF
    -DCUESTA_OPENCV=OFF
    -DCUESTA_MQTT=OFF
    -DCUESTA_TUNE=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME cuesta CONFIG_PATH lib/cmake/cuesta)
vcpkg_fixup_pkgconfig()
if(command IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES cuesta AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
