/*===- recording_hook.c - A user's hook, built outside of Ingot -----------===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* Writes down each call. Arguments: FILE[,WHAT@STEP|,WHAT#CALL]...; at the */
/* end of that step, or in that call of after_run, it stops, fails, runs out */
/* of range, aborts once, crashes, exits, prints or hangs; a thread makes the */
/* coordinator stop without a reason (coordinate), for a failure (broken) or */
/* once to be recovered (gone). `listen` records what savers say, and stopsave
 */
/* then stops the run after that step's; `run` runs entries at the end. `fetch`
 * asks for the loss, `none` for a tensor that */
/* is not there. */
/*===----------------------------------------------------------------------===*/

#include <ingot/hook.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct recorder {
  const ingot_hook_services *services;
  ingot_hook_run *run;
  char path[1024], arguments[1024];
  FILE *file;
  int64_t steps;
} recorder;

static int is_time(const recorder *recorder, const char *what) {
  char text[64];
  snprintf(text, sizeof(text), ",%s@%lld,", what,
           (long long)recorder->services->global_step(recorder->run));
  if (strstr(recorder->arguments, text))
    return 1;
  snprintf(text, sizeof(text), ",%s#%lld,", what, (long long)recorder->steps);
  return strstr(recorder->arguments, text) != NULL;
}

static int32_t record(recorder *recorder, const char *call) {
  fprintf(recorder->file, "%s %lld\n", call,
          (long long)recorder->services->global_step(recorder->run));
  fflush(recorder->file);
  return INGOT_HOOK_OK;
}

static int32_t begin(void *state) { return record(state, "begin"); }

static int32_t created(void *state) {
  recorder *r = state;
  return record(r, r->services->restored(r->run) ? "restored" : "created");
}

static int32_t before(void *state) {
  recorder *r = state;
  if (strstr(r->arguments, ",fetch,"))
    r->services->fetch(r->run, "loss");
  if (strstr(r->arguments, ",none,"))
    r->services->fetch(r->run, "hidden/Relu");
  return record(r, "before");
}

typedef struct stopper {
  recorder *recorder;
  int32_t code;
  const char *message;
} stopper;

static void *stop_on_thread(void *state) {
  stopper *s = state;
  s->recorder->services->request_stop_with(s->recorder->run, s->code,
                                           s->message);
  s->recorder->services->request_stop_with(s->recorder->run, 13, "too late");
  return NULL;
}

/* From a thread of the hook's, which has ended when this returns. */
static void coordinate(recorder *r, int32_t code, const char *message) {
  stopper s;
  pthread_t thread;
  s.recorder = r;
  s.code = code;
  s.message = message;
  fprintf(r->file, "stopping %d", r->services->should_stop(r->run));
  if (pthread_create(&thread, NULL, stop_on_thread, &s) == 0)
    pthread_join(thread, NULL);
  fprintf(r->file, " %d\n", r->services->should_stop(r->run));
}

static int32_t after(void *state) {
  recorder *r = state;
  const ingot_hook_tensor *loss = r->services->value(r->run, "loss");
  record(r, "after");
  ++r->steps;
  if (loss)
    fprintf(r->file, "%s dtype %d rank %u value %.9g\n", loss->name,
            loss->dtype, loss->rank, *(const float *)loss->data);
  if (is_time(r, "stop"))
    r->services->request_stop(r->run);
  if (is_time(r, "coordinate"))
    coordinate(r, INGOT_HOOK_OK, NULL);
  if (is_time(r, "broken"))
    coordinate(r, INGOT_HOOK_FAILED_PRECONDITION, "the thread is broken");
  if (is_time(r, "gone")) {
    memset(strstr(r->arguments, "gone"), '-', 4);
    coordinate(r, INGOT_HOOK_ABORTED, "the thread is gone");
  }
  if (is_time(r, "range"))
    return INGOT_HOOK_OUT_OF_RANGE;
  if (is_time(r, "abort")) {
    memset(strstr(r->arguments, "abort"), '-', 5);
    r->services->set_error(r->run, "taken away");
    return INGOT_HOOK_ABORTED;
  }
  if (is_time(r, "fail")) {
    r->services->set_error(r->run, "the loss does not please");
    return INGOT_HOOK_FAILED_PRECONDITION;
  }
  if (is_time(r, "crash"))
    abort();
  if (is_time(r, "exit"))
    exit(7);
  if (is_time(r, "print"))
    printf("the hook prints\n");
  if (is_time(r, "hang")) {
    char path[1100];
    FILE *file;
    snprintf(path, sizeof(path), "%s.pid", r->path);
    file = fopen(path, "w");
    if (file) {
      fprintf(file, "%ld\n", (long)getpid());
      fclose(file);
    }
    while (is_time(r, "hang"))
      ;
  }
  return INGOT_HOOK_OK;
}

/* Runs an entry and writes down its first value, or why there is none. */
static void run_entry(recorder *r, const char *entry,
                      const ingot_hook_tensor *feed, const char *fetch) {
  int32_t code = r->services->run_entry(r->run, entry, feed, feed ? 1 : 0);
  const ingot_hook_tensor *value = r->services->value(r->run, fetch);
  fprintf(r->file, "ran %s: %d", entry, code);
  if (value && value->dtype == 9)
    fprintf(r->file, " %lld", (long long)*(const int64_t *)value->data);
  if (value && value->dtype == 1)
    fprintf(r->file, " %.9g", *(const float *)value->data);
  fprintf(r->file, "\n");
}

static int32_t end(void *state) {
  static const float x[] = {1, 2, 3, 4, 5, 6};
  static const int64_t dims[] = {2, 3};
  recorder *r = state;
  record(r, "end");
  if (strstr(r->arguments, ",run,")) {
    ingot_hook_tensor feed;
    feed.name = "x";
    feed.dtype = 1;
    feed.rank = 2;
    feed.dims = dims;
    feed.data = x;
    run_entry(r, "evaluate/metrics", NULL, "seen");
    run_entry(r, "predict", &feed, "sum");
    run_entry(r, "predict", NULL, "sum");
    run_entry(r, "nothing", NULL, "sum");
    run_entry(r, "init", NULL, "sum");
    r->services->set_error(r->run, "");
  }
  if (strstr(r->arguments, ",runfails,"))
    return r->services->run_entry(r->run, "nothing", NULL, 0);
  return INGOT_HOOK_OK;
}

static int32_t saver_begin(void *state) { return record(state, "saver begin"); }

static int32_t before_save(void *state, int64_t step) {
  recorder *r = state;
  fprintf(r->file, "saving %lld\n", (long long)step);
  return INGOT_HOOK_OK;
}

static int32_t after_save(void *state, int64_t step, const char *prefix) {
  recorder *r = state;
  char text[64];
  const char *name = strrchr(prefix, '/');
  fprintf(r->file, "saved %lld %s\n", (long long)step,
          name ? name + 1 : prefix);
  snprintf(text, sizeof(text), ",stopsave@%lld,", (long long)step);
  if (strstr(r->arguments, text))
    r->services->request_stop(r->run);
  snprintf(text, sizeof(text), ",failsave@%lld,", (long long)step);
  if (!strstr(r->arguments, text))
    return INGOT_HOOK_OK;
  r->services->set_error(r->run, "the checkpoint does not please");
  return INGOT_HOOK_INTERNAL;
}

static int32_t saver_end(void *state, int64_t step) {
  recorder *r = state;
  fprintf(r->file, "saver end %lld\n", (long long)step);
  return INGOT_HOOK_OK;
}

/* With `state` the steps that it has seen are saved, and written down when they
 * come back. */
static int32_t save(void *state) {
  recorder *r = state;
  if (strstr(r->arguments, ",state,"))
    r->services->put_state(r->run, &r->steps, sizeof(r->steps));
  return INGOT_HOOK_OK;
}

static int32_t restore(void *state, const void *data, uint64_t size) {
  recorder *r = state;
  if (size != sizeof(r->steps))
    return INGOT_HOOK_INVALID_ARGUMENT;
  memcpy(&r->steps, data, size);
  fprintf(r->file, "state %lld\n", (long long)r->steps);
  return INGOT_HOOK_OK;
}

static void destroy(void *state) {
  recorder *r = state;
  record(r, "destroy");
  fclose(r->file);
  free(r);
}

int32_t ingot_hook_create(const ingot_hook_services *services,
                          ingot_hook_run *run, const char *arguments,
                          ingot_hook *hook) {
  recorder *r = calloc(1, sizeof(recorder));
  char path[1024];
  size_t length = strcspn(arguments, ",");
  if (length == 0 || length >= sizeof(path) || !r) {
    services->set_error(run, "expected FILE[,WHAT@STEP]...");
    free(r);
    return INGOT_HOOK_INVALID_ARGUMENT;
  }
  memcpy(path, arguments, length);
  path[length] = '\0';
  snprintf(r->arguments, sizeof(r->arguments), "%s,", arguments + length);
  memcpy(r->path, path, length + 1);
  r->services = services;
  r->run = run;
  r->file = fopen(path, "a");
  if (!r->file) {
    services->set_error(run, "cannot write its file");
    free(r);
    return INGOT_HOOK_INVALID_ARGUMENT;
  }
  hook->name = "recorder";
  hook->priority = INGOT_HOOK_CHECK;
  hook->state = r;
  hook->begin = begin;
  hook->after_create_session = created;
  hook->before_run = before;
  hook->after_run = after;
  hook->end = end;
  hook->destroy = destroy;
  hook->save_state = save;
  hook->restore_state = restore;
  if (strstr(r->arguments, ",listen,")) {
    hook->saver_begin = saver_begin;
    hook->before_save = before_save;
    hook->after_save = after_save;
    hook->saver_end = saver_end;
  }
  return INGOT_HOOK_OK;
}
