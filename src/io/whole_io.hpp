// pwrite and pread until all is done. 0, or the error's number.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace cuesta::io {

inline int write_all(int file, const char* bytes, int64_t count, int64_t offset) {
  while (count > 0) {
    const ssize_t put = pwrite(file, bytes, size_t(count), offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put < 0 ? errno : EIO;
    bytes += put, count -= put, offset += put;
  }
  return 0;
}

inline int read_all(int file, char* bytes, int64_t count, int64_t offset) {
  while (count > 0) {
    const ssize_t got = pread(file, bytes, size_t(count), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EIO;
    bytes += got, count -= got, offset += got;
  }
  return 0;
}

}  // namespace cuesta::io
