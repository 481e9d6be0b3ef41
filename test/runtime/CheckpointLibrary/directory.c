/*===- directory.c - The functions for a directory's checkpoints
 * -----------===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* directory DIR: makes two checkpoints in DIR, and lists, finds and removes */
/* them. Returns the number of the first line that is wrong, or 0. */
/*===----------------------------------------------------------------------===*/
#include <ingot/checkpoint.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "line %d: %s\n%s\n", __LINE__, #condition, message);     \
      return 1;                                                                \
    }                                                                          \
  } while (0)

static char message[1024];

static int stateHas(const char *path, const char *text) {
  char bytes[4096];
  FILE *file = fopen(path, "rb");
  size_t size = file ? fread(bytes, 1, sizeof(bytes) - 1, file) : 0;
  bytes[size] = '\0';
  if (file)
    fclose(file);
  return strstr(bytes, text) != NULL;
}

int main(int argc, char **argv) {
  const char *folder = argv[argc - 1];
  char state[600], first[600], second[600], found[600];
  float value = 1;
  ingot_checkpoint_tensor tensor = {"w", NULL, 1, 0, NULL, &value};
  snprintf(state, sizeof(state), "%s/checkpoint", folder);
  snprintf(first, sizeof(first), "%s/m-1", folder);
  snprintf(second, sizeof(second), "%s/m-2", folder);
  CHECK(ingot_checkpoint_latest(folder, NULL, found, sizeof(found), message,
                                sizeof(message)) == INGOT_CHECKPOINT_NOT_FOUND);
  CHECK(!ingot_checkpoint_write(first, &tensor, 1, 1, 0, message,
                                sizeof(message)));
  CHECK(!ingot_checkpoint_write(second, &tensor, 1, 1, 0, message,
                                sizeof(message)));

  const char *both[] = {first, "nowhere", second};
  double times[3] = {0, 0, -1};
  CHECK(ingot_checkpoint_mtimes(both, 3, times) == 2);
  CHECK(times[0] > 1.7e9 && times[1] >= times[0] && times[2] == -1);

  const char *list[] = {first, second};
  CHECK(!ingot_checkpoint_set_last(folder, NULL, list, NULL, 2, message,
                                   sizeof(message)));
  CHECK(stateHas(state, "all_model_checkpoint_timestamps: inf"));
  CHECK(!ingot_checkpoint_latest(folder, NULL, found, sizeof(found), message,
                                 sizeof(message)));
  CHECK(strcmp(found, second) == 0);
  CHECK(ingot_checkpoint_latest(folder, NULL, found, strlen(second), message,
                                sizeof(message)) ==
        INGOT_CHECKPOINT_INVALID_ARGUMENT);
  CHECK(!ingot_checkpoint_set_last(folder, "other", list, times, 1, message,
                                   sizeof(message)));
  CHECK(!ingot_checkpoint_latest(folder, "other", found, sizeof(found), message,
                                 sizeof(message)));
  CHECK(strcmp(found, first) == 0);

  ingot_checkpoint_listed *listed;
  size_t count;
  CHECK(ingot_checkpoint_list(folder, "none", &listed, &count, message,
                              sizeof(message)) == INGOT_CHECKPOINT_NOT_FOUND);
  CHECK(!listed && count == 0);
  CHECK(!ingot_checkpoint_list(folder, "other", &listed, &count, message,
                               sizeof(message)));
  CHECK(count == 1 && listed[0].time == times[0] && listed[0].exists == 1);
  ingot_checkpoint_free_list(listed);

  CHECK(!ingot_checkpoint_remove(second, NULL, message, sizeof(message)));
  CHECK(!ingot_checkpoint_list(folder, NULL, &listed, &count, message,
                               sizeof(message)));
  CHECK(count == 2 && strcmp(listed[0].prefix, first) == 0 &&
        strcmp(listed[1].prefix, second) == 0);
  CHECK(isinf(listed[0].time) && listed[0].exists && !listed[1].exists);
  ingot_checkpoint_free_list(listed);
  CHECK(ingot_checkpoint_mtimes(list, 2, times) == 1);
  CHECK(ingot_checkpoint_latest(folder, NULL, found, sizeof(found), message,
                                sizeof(message)) == INGOT_CHECKPOINT_NOT_FOUND);
  CHECK(!ingot_checkpoint_remove(second, NULL, message, sizeof(message)));
  return 0;
}
