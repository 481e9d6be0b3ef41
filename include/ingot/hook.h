/*===- ingot/hook.h - Hooks in libraries of their own -------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks around the steps of a trainer, in a shared library that is built */
/* without Ingot and loaded with --hook LIB.so[:ARGUMENTS]:                   */
/*                                                                            */
/*   cc -shared -fPIC -I INGOT/include -o libmine.so mine.c                   */
/*   ./trainer --model-dir run --hook libmine.so:threshold=0.5                */
/*                                                                            */
/* The library exports ingot_hook_create(). It runs in a process of its own   */
/* beside the trainer, which is linked statically: a library that crashes is  */
/* named in the run's failure and cannot touch the model. The life cycle is   */
/* TensorFlow's SessionRunHook's.                                             */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_HOOK_H
#define INGOT_HOOK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a struct below gets more members, at its end. A trainer takes
 * libraries of its version and of earlier ones. */
#define INGOT_HOOK_VERSION 2u

/* Results of callbacks, numbered as TensorFlow numbers its codes. All other
 * codes fail the run, without end(). */
enum {
  INGOT_HOOK_OK = 0,
  INGOT_HOOK_INVALID_ARGUMENT = 3,
  INGOT_HOOK_FAILED_PRECONDITION = 9,
  INGOT_HOOK_ABORTED = 10,      /* the session is recovered */
  INGOT_HOOK_OUT_OF_RANGE = 11, /* the run ends through end() */
  INGOT_HOOK_INTERNAL = 13,
  INGOT_HOOK_UNAVAILABLE = 14 /* the session is recovered */
};

/* Hooks are called in the order of their priorities, those of one priority in
 * the order of the command line. Checkpoints are saved at 1000: a step that
 * a hook below that rejects is never saved. */
enum {
  INGOT_HOOK_OBSERVER = 0,
  INGOT_HOOK_CHECK = 100,
  INGOT_HOOK_CONTROL = 200,
  INGOT_HOOK_REPORT = 300,
  INGOT_HOOK_SAVER = 1000
};

/* An element of a string tensor. */
typedef struct ingot_hook_string {
  const char *data;
  uint64_t size;
} ingot_hook_string;

/* A tensor: dense, row-major elements; ingot_hook_string for strings. `dtype`
 * is numbered as TensorFlow's DataType (1 float32, 2 float64, 3 int32, 7
 * string, 9 int64, 10 bool). */
typedef struct ingot_hook_tensor {
  const char *name; /* as the graph has it: "accuracy/value:0" */
  int32_t dtype;
  uint32_t rank;
  const int64_t *dims;
  const void *data;
} ingot_hook_tensor;

/* The run, as one hook sees it. Lives as long as the hook. */
typedef struct ingot_hook_run ingot_hook_run;

/* The trainer's services for hooks. */
typedef struct ingot_hook_services {
  uint32_t version; /* INGOT_HOOK_VERSION of the trainer */

  /* The global step: in after_create_session and before_run before the step, in
   * after_run and end after it. */
  int64_t (*global_step)(const ingot_hook_run *run);
  /* Not 0 where the session continues a checkpoint of its model directory. */
  int32_t (*restored)(const ingot_hook_run *run);

  /* No further step is run; end() follows. Any thread may call it, at any time;
   * the trainer notices at the next callback. */
  void (*request_stop)(ingot_hook_run *run);
  /* Not 0 from end() on: threads of the hook should finish. Any thread may call
   * it. */
  int32_t (*should_stop)(const ingot_hook_run *run);

  /* In before_run: requests the value of `tensor` for after_run, which the step
   * computes (ingotc --observe TENSOR); "loss" is the graph's loss. */
  void (*fetch)(ingot_hook_run *run, const char *tensor);
  /* In before_run: the value of a placeholder of the step. It is copied. */
  void (*feed)(ingot_hook_run *run, const ingot_hook_tensor *tensor);
  /* In after_run: a tensor that before_run has requested, valid until after_run
   * returns; null for any other. */
  const ingot_hook_tensor *(*value)(const ingot_hook_run *run,
                                    const char *tensor);
  /* The message of the failure that the callback is about to return, or of
   * ingot_hook_create's. */
  void (*set_error)(ingot_hook_run *run, const char *message);

  /* From version 2 on. In save_state: the bytes that are saved. They are
   * copied. */
  void (*put_state)(ingot_hook_run *run, const void *data, uint64_t size);
} ingot_hook_services;

/* A hook. Callbacks may be null. `state` is passed to each. */
typedef struct ingot_hook {
  uint32_t version; /* INGOT_HOOK_VERSION of the library */
  const char *name; /* for messages */
  int32_t priority;
  void *state;
  /* Once, before the session has any state. */
  int32_t (*begin)(void *state);
  /* The session has its state; again after each recovery. */
  int32_t (*after_create_session)(void *state);
  int32_t (*before_run)(void *state);
  /* Not called where the step failed or found the end of the input. */
  int32_t (*after_run)(void *state);
  /* Not called where the run failed. */
  int32_t (*end)(void *state);
  /* Last of all. */
  void (*destroy)(void *state);
  /* From version 2 on. A checkpoint is saved: put_state adds the hook's state
   * to it, a few bytes. Between steps, and after end(). */
  int32_t (*save_state)(void *state);
  /* Before after_create_session, where the session continues a checkpoint
   * that has such bytes: these. */
  int32_t (*restore_state)(void *state, const void *data, uint64_t size);
} ingot_hook;

#ifdef __GNUC__
/* For exported symbols, also with -fvisibility=hidden. */
#define INGOT_HOOK_EXPORT __attribute__((visibility("default")))
/* The version that a library was built for; defined by including this. */
extern const uint32_t ingot_hook_version
    __attribute__((weak, visibility("default")));
const uint32_t ingot_hook_version = INGOT_HOOK_VERSION;
#else
#define INGOT_HOOK_EXPORT
#endif

/* Exported by the library: fills `hook`, which is zeroed but for its version.
 * `arguments` is the text after the colon of --hook, or "". `services` and
 * `run` live as long as the hook. Returns a code. */
INGOT_HOOK_EXPORT int32_t ingot_hook_create(const ingot_hook_services *services,
                                            ingot_hook_run *run,
                                            const char *arguments,
                                            ingot_hook *hook);

#ifdef __cplusplus
}
#endif

#endif /* INGOT_HOOK_H */
