// What this process holds of its machine, for tests of what must not grow.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace cuesta::test {

/// Bytes that malloc has given out, in every arena.
inline int64_t bytes_in_use() {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  malloc_info(0, file);
  std::fclose(file);
  const std::string all(text, size);
  std::free(text);
  // The last of each kind is the sum over the arenas.
  const auto last = [&](const char* kind) {
    const std::regex pattern(std::string("<(?:total|system) type=\"") + kind +
                             "\"(?: count=\"\\d+\")? size=\"(\\d+)\"");
    int64_t value = 0;
    for (std::sregex_iterator at(all.begin(), all.end(), pattern), end; at != end; ++at)
      value = std::stoll((*at)[1]);
    return value;
  };
  return last("current") + last("mmap") - last("fast") - last("rest");
}

inline int64_t entries_of(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

inline int64_t resident_bytes() {
  int64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

struct Held {
  int64_t bytes = 0, resident = 0, descriptors = 0, threads = 0;
  int64_t device = 0;  ///< bytes of a GPU, which who asks fills in

  /// The most of both, each by itself.
  void add(const Held& other) {
    bytes = std::max(bytes, other.bytes);
    resident = std::max(resident, other.resident);
    descriptors = std::max(descriptors, other.descriptors);
    threads = std::max(threads, other.threads);
    device = std::max(device, other.device);
  }
};

inline Held held_now() {
  return {bytes_in_use(), resident_bytes(), entries_of("/proc/self/fd"),
          entries_of("/proc/self/task")};
}

/// How many times CUESTA_SOAK_… says, at least `least`, which are taken where it says nothing.
inline int64_t times_of(const char* variable, int64_t least) {
  const char* asked = std::getenv(variable);
  return asked ? std::max<int64_t>(least, std::atoll(asked)) : least;
}

}  // namespace cuesta::test
