/* Uses an installed Cuesta from C99: one call runs, one is refused. */
#include <cuesta.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  static uint8_t photo[48 * 64], edges[48 * 64];
  cuesta_view src = {0}, dst = {0};
  cuesta_canny_options options;
  cuesta_thresholds used = {0, 0};
  cuesta_context* context = cuesta_context_new();
  int x, y, found = 0;

  if (cuesta_abi_version() != CUESTA_ABI_VERSION) return 1;
  for (y = 0; y < 48; ++y)
    for (x = 0; x < 64; ++x) photo[y * 64 + x] = (uint8_t)(x < 32 ? 10 : 200);
  src.data = photo;
  src.width = 64;
  src.height = 48;
  src.channels = 1;
  src.type = CUESTA_U8;
  dst = src;
  dst.data = edges;
  cuesta_canny_options_init(&options, sizeof options);
  options.sigma = 0;
  options.rule = CUESTA_GIVEN;
  options.low = 50;
  options.high = 100;
  if (cuesta_canny(context, &src, &dst, &options, &used) != CUESTA_OK) {
    printf("%s\n", cuesta_error_text());
    return 2;
  }
  for (y = 0; y < 48; ++y)
    for (x = 0; x < 64; ++x) found += edges[y * 64 + x] == 255;
  if (found != 48 || used.low != 50 || used.high != 100) return 3;

  options.aperture = 4;
  if (cuesta_canny(context, &src, &dst, &options, NULL) != CUESTA_INVALID_ARGUMENT) return 4;
  if (strcmp(cuesta_error_text(), "canny: aperture is 4; it must be 3, 5 or 7") != 0) {
    printf("%s\n", cuesta_error_text());
    return 5;
  }
  cuesta_context_free(context);
  printf("cuesta %s, ABI %d\n", cuesta_version(), (int)cuesta_abi_version());
  return 0;
}
