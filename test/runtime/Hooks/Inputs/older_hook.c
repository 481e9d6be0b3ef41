/*===- older_hook.c - A hook built with an earlier version of the header --===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* What a library has that includes the ingot/hook.h of version 1: structs */
/* that end earlier, in its own memory and in the trainer's. */
/*===----------------------------------------------------------------------===*/

#include <stdint.h>
#include <stdio.h>

typedef struct services_1 {
  uint32_t version;
  int64_t (*global_step)(const void *run);
  int32_t (*restored)(const void *run);
  void (*request_stop)(void *run);
} services_1;

typedef struct hook_1 {
  uint32_t version;
  const char *name;
  int32_t priority;
  void *state;
  int32_t (*begin)(void *state);
  int32_t (*after_create_session)(void *state);
  int32_t (*before_run)(void *state);
  int32_t (*after_run)(void *state);
  int32_t (*end)(void *state);
  void (*destroy)(void *state);
} hook_1;

extern const uint32_t ingot_hook_version;
const uint32_t ingot_hook_version = 1;

static const services_1 *services;
static void *run;

static int32_t after_run(void *state) {
  (void)state;
  if (services->global_step(run) == 2)
    services->request_stop(run);
  return 0;
}

static int32_t end(void *state) {
  (void)state;
  printf("version 1 ends at step %d\n", (int)services->global_step(run));
  return 0;
}

int32_t ingot_hook_create(const services_1 *given, void *handle,
                          const char *arguments, hook_1 *hook);
int32_t ingot_hook_create(const services_1 *given, void *handle,
                          const char *arguments, hook_1 *hook) {
  (void)arguments;
  services = given;
  run = handle;
  hook->version = 1;
  hook->name = "older";
  hook->after_run = after_run;
  hook->end = end;
  return 0;
}
