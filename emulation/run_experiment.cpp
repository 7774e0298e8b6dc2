// Runs an experiment of the bench on the emulated device: `cuesta_run_experiment NAME SIDE` prints
// its JSON. Times are the CPU's and mean nothing; whether the experiment runs to its end, and its
// tables are whole, does not depend on them.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <string>

#include "bench/bench.hpp"
#include "bench/report/report.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: cuesta_run_experiment NAME SIDE\n");
    return 2;
  }
  try {
    const cuesta::bench::Settings settings{
        .sizes = {std::atoi(argv[2])}, .threads = 2, .quick = true, .device = 0};
    const std::string names[] = {argv[1]};
    fmt::print("{}\n", cuesta::bench::json_of(cuesta::bench::run(names, settings)));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
