/* SPDX-License-Identifier: Apache-2.0 */
/* Trains examples/digits from C. Kill it at any moment, and start it again: it
 * goes on with the very next example.
 *
 *   train MODEL_DIR DATA_DIR STEPS */
#include "digits.h"

#include <stdio.h>

static void print(void *state, int32_t kind, const char *message) {
  (void)state;
  fprintf(stderr, "%s%s\n", kind == INGOT_TRAINER_WARNING ? "warning: " : "",
          message);
}

int main(int argc, char **argv) {
  if (argc != 4)
    return fprintf(stderr, "usage: train MODEL_DIR DATA_DIR STEPS\n"), 2;
  const char *flags[] = {"--data-dir", argv[2], "--max-steps", argv[3],
                         "--save-checkpoints-steps=100"};
  ingot_trainer_options options = INGOT_TRAINER_OPTIONS;
  options.model_dir = argv[1];
  options.flags = flags;
  options.num_flags = sizeof(flags) / sizeof(*flags);
  options.log = print;
  char message[1024];
  ingot_trainer *trainer;
  if (digits_open(&options, &trainer, message, sizeof(message)) != 0)
    return fprintf(stderr, "error: %s\n", message), 1;
  float loss = 0, accuracy = 0;
  int32_t code;
  while ((code = digits_step(trainer, &loss, &accuracy)) == INGOT_TRAINER_OK)
    if (ingot_trainer_global_step(trainer) % 500 == 0)
      printf("loss %.4f  accuracy %.2f\n", loss, accuracy);
  if (code != INGOT_TRAINER_END) /* which has saved the last step */
    fprintf(stderr, "error: %s\n", ingot_trainer_error(trainer));
  ingot_trainer_close(trainer);
  return code == INGOT_TRAINER_END ? 0 : 1;
}
