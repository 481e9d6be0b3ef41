/* SPDX-License-Identifier: Apache-2.0 */
/* norms.c: prints the norm of every float32 tensor of a checkpoint, and writes
 * the tensors again, scaled to norm 1.
 *
 *   cc norms.c -o norms $(pkg-config --cflags --libs ingotckpt) -lm
 *   ./norms run/model.ckpt-60 scaled.ckpt
 */
#include <ingot/checkpoint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FLOAT32 = 1 };

int main(int argc, char **argv) {
  char message[4096];
  ingot_checkpoint *checkpoint;
  if (argc != 3) {
    fprintf(stderr, "usage: norms PREFIX OUT\n");
    return 2;
  }
  if (ingot_checkpoint_open(argv[1], &checkpoint, message, sizeof(message))) {
    fprintf(stderr, "error: %s\n", message);
    return 1;
  }
  size_t count = ingot_checkpoint_count(checkpoint), written = 0;
  ingot_checkpoint_tensor *tensors = calloc(count + 1, sizeof(*tensors));
  if (!tensors)
    return 1;
  for (size_t i = 0; i < count; ++i) {
    const char *name = ingot_checkpoint_name(checkpoint, i);
    int32_t dtype = ingot_checkpoint_dtype(checkpoint, i);
    if (dtype != FLOAT32) {
      printf("%s: %s, left out\n", name, ingot_checkpoint_dtype_name(dtype));
      continue;
    }
    uint64_t size = ingot_checkpoint_size(checkpoint, i);
    float *data = malloc(size ? size : 1);
    if (!data)
      return 1;
    if (ingot_checkpoint_read(checkpoint, i, NULL, data, size, message,
                              sizeof(message))) {
      fprintf(stderr, "error: %s\n", message);
      return 1;
    }
    double sum = 0;
    for (uint64_t e = 0; e < size / sizeof(float); ++e)
      sum += (double)data[e] * data[e];
    double norm = sqrt(sum);
    printf("%s: %.6g\n", name, norm);
    for (uint64_t e = 0; norm > 0 && e < size / sizeof(float); ++e)
      data[e] = (float)(data[e] / norm);
    ingot_checkpoint_tensor tensor = {
        name, NULL, dtype, ingot_checkpoint_rank(checkpoint, i),
        ingot_checkpoint_dims(checkpoint, i), data};
    tensors[written++] = tensor;
  }
  if (ingot_checkpoint_write(argv[2], tensors, written, 1, 0, message,
                             sizeof(message))) {
    fprintf(stderr, "error: %s\n", message);
    return 1;
  }
  for (size_t i = 0; i < written; ++i)
    free((void *)tensors[i].data);
  free(tensors);
  ingot_checkpoint_close(checkpoint);
  return 0;
}
