# Read by cpack once for each kind of package.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
else()  # the archive has a first program of its own, which says where it cannot run
  set(CPACK_INSTALLED_DIRECTORIES "@CMAKE_BINARY_DIR@/archive" ".")
endif()
