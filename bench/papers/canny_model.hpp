// Paper 001's counts and time model, as it states them, so that `cuesta bench canny-stages` can
// print prediction beside measurement. n is the side of a square picture, k of the windows.
#pragma once

namespace cuesta::bench::canny_model {

/// Operations by stage (the paper's table). `content` is the factor c that depends on the picture.
constexpr double gaussian_operations(double n, double k) { return 2 * n * n * k * k; }
/// Two convolutions; root and arctangent count as 4 n².
constexpr double gradient_operations(double n, double k) { return 4 * n * n * k * k + 4 * n * n; }
constexpr double suppression_operations(double n) { return 4 * n * n; }
constexpr double threshold_operations(double n) { return n * n; }
constexpr double hysteresis_operations(double n, double content) { return content * n * n; }
/// 6 n² k² + (9 + c) n².
constexpr double operations(double n, double k, double content) {
  return gaussian_operations(n, k) + gradient_operations(n, k) + suppression_operations(n) +
         threshold_operations(n) + hysteresis_operations(n, content);
}

/// What the time model divides by.
struct Machine {
  double bytes_per_second, operations_per_second, host_bytes_per_second;
};
/// The paper's Quadro P5000 as the paper describes it: 288 GB/s, 2,560 cores at 1.2 GHz with an
/// operation a cycle, PCIe 3.0 × 16.
inline constexpr Machine paper_machine = {288e9, 2560 * 1.2e9, 16e9};

/// Bytes from and to device memory: 4-byte samples, 47 accesses a pixel and 10 for each step of the
/// breadth-first search.
constexpr double memory_bytes(double n, double depth) { return n * n * 4 * (47 + 10 * depth); }
/// Operations of the time model, which counts not as the table: Gaussian 60, gradient 500,
/// suppression 50, threshold 30, 50 a step of the search, two arctangents 180. (Which number is
/// which stage's is our reading; the paper gives only the sum.)
constexpr double model_operations(double n, double depth) {
  return n * n * (60 + 500 + 50 + 30 + 50 * depth + 180);
}
/// Bytes between host and device: a picture of 4-byte samples each way.
constexpr double host_bytes(double n) { return n * n * 4 * 2; }

/// Seconds, the three parts one after the other.
struct Prediction {
  double memory, computation, transfer;
  constexpr double total() const { return memory + computation + transfer; }
};
constexpr Prediction predict(double n, double depth, const Machine& machine) {
  return {memory_bytes(n, depth) / machine.bytes_per_second,
          model_operations(n, depth) / machine.operations_per_second,
          host_bytes(n) / machine.host_bytes_per_second};
}

/// The fit for 16 threads of the paper's CPU: N² / 40,960 milliseconds.
constexpr double cpu_seconds(double n) { return n * n / 40960 / 1000; }

/// Time in global memory against shared memory for three convolutions of side k, where a global
/// load costs ten shared ones: 30 k² / (3 k² + 20).
constexpr double shared_gain(double k) { return 30 * k * k / (3 * k * k + 20); }

}  // namespace cuesta::bench::canny_model
