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

/* The version of this header. It increases when a struct below gets more
 * members, which are added at the end. A trainer accepts libraries of its own
 * version and of earlier ones. */
#define INGOT_HOOK_VERSION 3u

/* Result codes of callbacks. The values are those of TensorFlow's error codes.
 * Errors without a comment below fail the run, and end() is not called. */
enum {
  INGOT_HOOK_OK = 0,
  INGOT_HOOK_INVALID_ARGUMENT = 3,
  INGOT_HOOK_FAILED_PRECONDITION = 9,
  INGOT_HOOK_ABORTED = 10,      /* the session is recovered */
  INGOT_HOOK_OUT_OF_RANGE = 11, /* the run ends through end() */
  INGOT_HOOK_INTERNAL = 13,
  INGOT_HOOK_UNAVAILABLE = 14 /* the session is recovered */
};

/* Priorities. Hooks are called in ascending order of their priorities; hooks of
 * equal priority in the order of the command line. Checkpoints are saved at
 * priority 1000, so a step that a hook with a lower priority rejects is never
 * saved. */
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
  const char *name; /* in the graph: "accuracy/value:0" */
  int32_t dtype;
  uint32_t rank;
  const int64_t *dims;
  const void *data;
} ingot_hook_tensor;

/* A hook's handle of the run. It is valid as long as the hook. */
typedef struct ingot_hook_run ingot_hook_run;

/* The trainer's services for hooks. */
typedef struct ingot_hook_services {
  uint32_t version; /* INGOT_HOOK_VERSION of the trainer */

  /* Returns the global step. In after_create_session and before_run, this is
   * its value before the step; in after_run and end, after the step. */
  int64_t (*global_step)(const ingot_hook_run *run);
  /* Returns whether the session has restored a checkpoint of its model
   * directory. */
  int32_t (*restored)(const ingot_hook_run *run);

  /* Ends the run: no further step runs, and end() is called. Any thread may
   * call it at any time; the trainer notices at the next callback. */
  void (*request_stop)(ingot_hook_run *run);
  /* Returns whether the hook's threads should finish: not 0 from end() on, and
   * after this hook has called request_stop_with(). A request of another hook
   * is noticed at this hook's next callback. Any thread may call it. */
  int32_t (*should_stop)(const ingot_hook_run *run);

  /* In before_run: requests the value of `tensor`, which `value` returns in
   * after_run. The tensor must be compiled in (ingotc --observe TENSOR); "loss"
   * is the graph's loss. */
  void (*fetch)(ingot_hook_run *run, const char *tensor);
  /* In before_run: sets the value of a placeholder of the step. The tensor is
   * copied. */
  void (*feed)(ingot_hook_run *run, const ingot_hook_tensor *tensor);
  /* In after_run: returns a tensor that before_run has requested, or null for
   * any other. The tensor is valid until after_run returns. */
  const ingot_hook_tensor *(*value)(const ingot_hook_run *run,
                                    const char *tensor);
  /* Sets the message of the error that the callback, or ingot_hook_create, is
   * about to return. */
  void (*set_error)(ingot_hook_run *run, const char *message);

  /* Since version 2. In save_state: sets the bytes to save. They are copied. */
  void (*put_state)(ingot_hook_run *run, const void *data, uint64_t size);

  /* Since version 3. Ends the run as the request_stop() of TensorFlow's
   * Coordinator does: no further step runs, end() is called, and then the run
   * fails with `code` and `message`. After INGOT_HOOK_ABORTED and UNAVAILABLE
   * the session is recovered instead; INGOT_HOOK_OK is no failure. Of all
   * hooks' requests in a session, only the first one counts. Any thread may
   * call it from after_create_session on; the trainer notices at the next
   * callback. */
  void (*request_stop_with)(ingot_hook_run *run, int32_t code,
                            const char *message);
  /* Since version 3. Runs an entry of the program on the current variables,
   * without hooks. `value` then returns its fetches, until the next call or the
   * end of the callback. Placeholders that have a default in the graph need no
   * feed. Returns a result code; a failure also sets the message, as set_error
   * does, of an error that the callback may return. To be called by callbacks
   * from after_create_session to end() and by those about checkpoints, on their
   * thread. */
  int32_t (*run_entry)(ingot_hook_run *run, const char *entry,
                       const ingot_hook_tensor *feeds, uint32_t num_feeds);
} ingot_hook_services;

/* A hook. Callbacks may be null. `state` is passed to each. */
typedef struct ingot_hook {
  uint32_t version; /* INGOT_HOOK_VERSION of the library */
  const char *name; /* for messages */
  int32_t priority;
  void *state;
  /* Called once, before variables have values. */
  int32_t (*begin)(void *state);
  /* Called when variables are initialized or restored, and again after each
   * recovery of the session. */
  int32_t (*after_create_session)(void *state);
  int32_t (*before_run)(void *state);
  /* Not called if the step has failed or the input has ended. */
  int32_t (*after_run)(void *state);
  /* Not called if the run has failed. */
  int32_t (*end)(void *state);
  /* Called last, after end() or after the run has failed. */
  void (*destroy)(void *state);
  /* Since version 2. Called when a checkpoint is saved, between steps or after
   * end(): the hook can add a few bytes of state to the checkpoint with
   * put_state. */
  int32_t (*save_state)(void *state);
  /* Called before after_create_session if the session has restored a checkpoint
   * with bytes that save_state has added: passes these bytes. */
  int32_t (*restore_state)(void *state, const void *data, uint64_t size);
  /* Since version 3: TensorFlow's CheckpointSaverListener, called by the
   * process that saves checkpoints. If one of these callbacks fails, the save
   * fails, and so does the run.
   *
   * Called once, after begin() of all hooks that do not save. */
  int32_t (*saver_begin)(void *state);
  /* Called before the state of step `global_step` is copied for a checkpoint.
   */
  int32_t (*before_save)(void *state, int64_t global_step);
  /* Called when checkpoint `prefix` is complete on disk, which may be some
   * steps later. May call request_stop. */
  int32_t (*after_save)(void *state, int64_t global_step, const char *prefix);
  /* Called at the end of the run, after its last step was saved. */
  int32_t (*saver_end)(void *state, int64_t global_step);
} ingot_hook;

#ifdef __GNUC__
/* For exported symbols, also with -fvisibility=hidden. */
#define INGOT_HOOK_EXPORT __attribute__((visibility("default")))
/* The version of this header that the library was built with. Including the
 * header defines the symbol in the library. */
extern const uint32_t ingot_hook_version
    __attribute__((weak, visibility("default")));
const uint32_t ingot_hook_version = INGOT_HOOK_VERSION;
#else
#define INGOT_HOOK_EXPORT
#endif

/* The function that the library exports. It fills `hook`, which is zero except
 * for `version`. `arguments` is the text after the colon in --hook, or "".
 * `services` and `run` are valid as long as the hook. Returns a result code. */
INGOT_HOOK_EXPORT int32_t ingot_hook_create(const ingot_hook_services *services,
                                            ingot_hook_run *run,
                                            const char *arguments,
                                            ingot_hook *hook);

#ifdef __cplusplus
}
#endif

#endif /* INGOT_HOOK_H */
