// What a call costs without Python around it: the yardstick of bench_python.py, which runs it
// beside itself.
//
//   cuesta_canny_loop FILE WIDTH HEIGHT LOW HIGH SIGMA THREADS
//
// FILE holds the u8 picture, row after row. For each line `out N` or `new N` of standard input it
// makes N calls, into one picture or into a new one each, and answers with the seconds of one.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "cuesta/edges.hpp"

namespace {

using namespace cuesta;

Image<uint8_t> picture_of(const char* file, int32_t width, int32_t height) {
  Image<uint8_t> picture(width, height);
  std::ifstream in(file, std::ios::binary);
  for (int32_t y = 0; y < height; ++y)
    in.read(reinterpret_cast<char*>(picture.row(y)), std::streamsize(width));
  if (!in) throw std::runtime_error(std::string(file) + ": fewer bytes than width x height");
  return picture;
}

template <class Call>
double seconds_of(int repeats, Call call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / repeats;
}

int answer(char** arguments) {
  const Image<uint8_t> src =
      picture_of(arguments[1], std::atoi(arguments[2]), std::atoi(arguments[3]));
  Image<uint8_t> out(src.width(), src.height());
  CannyOptions options;
  options.thresholds = Thresholds::given(std::atof(arguments[4]), std::atof(arguments[5]));
  options.sigma = std::atof(arguments[6]);
  Exec exec;
  exec.threads = std::atoi(arguments[7]);
  std::string what;
  int repeats = 0;
  while (std::cin >> what >> repeats) {
    if ((what != "out" && what != "new") || repeats < 1) {
      std::fprintf(stderr, "%s %d: neither `out N` nor `new N`\n", what.c_str(), repeats);
      return 2;
    }
    const double seconds = what == "out"
                               ? seconds_of(repeats, [&] { canny(src, out, options, exec); })
                               : seconds_of(repeats, [&] { canny(src, options, exec); });
    std::printf("%.9g\n", seconds);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fputs("usage: cuesta_canny_loop FILE WIDTH HEIGHT LOW HIGH SIGMA THREADS\n", stderr);
    return 2;
  }
  try {
    return answer(argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 5;
  }
}
