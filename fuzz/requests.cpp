// Requests of the library, drawn from the bytes: an operation, its options as their descriptions
// draw them, small pictures. The strategy that a call chooses makes the reference's bytes, or both
// refuse.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "verify/drawn_request.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuesta;
  verify::Bytes bytes({data, size});
  const auto operations = verify::drawn_operations();
  const auto operation = operations[size_t(bytes.below(int(operations.size())))];
  const int threads = 1 + bytes.below(2);
  const auto layout = verify::Layout(bytes.below(verify::layout_count));
  const auto request = verify::draw_request(bytes, operation, 48);
  const verify::Held held = verify::hold(request, Space::host, layout, {.threads = threads},
                                         {.strategy = "serial", .threads = 1});
  if (held.is == verify::Held::Is::different) {
    std::fprintf(stderr, "%.*s: %s: %s\n", int(operation.size()), operation.data(),
                 request.text.c_str(), held.why.c_str());
    std::abort();
  }
  return 0;
}
