/*===- ingot/trainer.h - A trainer in your program ----------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* Opens, steps, reads, saves and closes from C a trainer made by             */
/* `ingotc train.meta --emit=lib -o libfoo.a` or --emit=shared -o libfoo.so.  */
/* It comes with a header, foo.h, which declares foo_library() and a function */
/* for each entry of the graph:                                               */
/*                                                                            */
/*   cc main.c libfoo.a -lm                                                   */
/*                                                                            */
/* All functions here are inline and call the library through a table: the    */
/* same program takes one that it is linked with, one that it loads by        */
/* dlopen() and dlsym("foo_library"), and several trainers at once.           */
/*                                                                            */
/* Errors. Functions that can fail return INGOT_TRAINER_OK or another code;   */
/* ingot_trainer_error() then returns the message: the error, its place and   */
/* the expected value. A null handle is INGOT_TRAINER_INVALID_ARGUMENT.       */
/*                                                                            */
/* Ownership. Returned tensors belong to the trainer, and live until the next */
/* call that runs, changes, restores or closes it. Arguments are read during  */
/* the call only.                                                             */
/*                                                                            */
/* Threads. A trainer is for one thread at a time, whichever that is;         */
/* different trainers are independent of each other. A trainer does not       */
/* outlive a fork() in the child.                                             */
/*                                                                            */
/* The process is yours: nothing here installs a handler for a signal, writes */
/* to standard output or standard error (but for what the graph itself        */
/* prints), or ends the process (but where a few bytes of memory, or an       */
/* element of the input, cannot be had).                                      */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_TRAINER_H
#define INGOT_TRAINER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a struct or the table below gets more members, at its end. A
 * program takes libraries of the version that it was built with and of later
 * ones. */
#define INGOT_TRAINER_VERSION 1u

/* Results, numbered as TensorFlow numbers its codes. */
enum {
  INGOT_TRAINER_OK = 0,
  INGOT_TRAINER_CANCELLED = 1,
  INGOT_TRAINER_UNKNOWN = 2,          /* the operating system's failures */
  INGOT_TRAINER_INVALID_ARGUMENT = 3, /* a name, type, shape, size, flag */
  INGOT_TRAINER_DEADLINE_EXCEEDED = 4,
  INGOT_TRAINER_NOT_FOUND = 5, /* a file, a checkpoint */
  INGOT_TRAINER_ALREADY_EXISTS = 6,
  INGOT_TRAINER_PERMISSION_DENIED = 7,
  INGOT_TRAINER_RESOURCE_EXHAUSTED = 8,  /* memory, the disk */
  INGOT_TRAINER_FAILED_PRECONDITION = 9, /* a directory in use, no value yet */
  INGOT_TRAINER_ABORTED = 10,
  INGOT_TRAINER_END = 11, /* --max-steps is reached, or the data ended */
  INGOT_TRAINER_UNIMPLEMENTED = 12,
  INGOT_TRAINER_INTERNAL = 13,
  INGOT_TRAINER_UNAVAILABLE = 14,
  INGOT_TRAINER_DATA_LOSS = 15 /* damaged */
};

/* Element types, numbered as TensorFlow's DataType. Bool is a byte; bfloat16
 * and half are their 16 bits. */
enum {
  INGOT_TRAINER_FLOAT = 1,
  INGOT_TRAINER_DOUBLE = 2,
  INGOT_TRAINER_INT32 = 3,
  INGOT_TRAINER_UINT8 = 4,
  INGOT_TRAINER_INT16 = 5,
  INGOT_TRAINER_INT8 = 6,
  INGOT_TRAINER_STRING = 7,
  INGOT_TRAINER_INT64 = 9,
  INGOT_TRAINER_BOOL = 10,
  INGOT_TRAINER_BFLOAT16 = 14,
  INGOT_TRAINER_UINT16 = 17,
  INGOT_TRAINER_HALF = 19,
  INGOT_TRAINER_UINT32 = 22,
  INGOT_TRAINER_UINT64 = 23
};

/* An element of a string tensor; a zero after it is not needed. */
typedef struct ingot_trainer_string {
  const char *data;
  uint64_t size;
} ingot_trainer_string;

/* A tensor: dense, row-major elements; ingot_trainer_string for strings. */
typedef struct ingot_trainer_tensor {
  const char *name; /* as the graph has it: "x:0", or only the node's: "x" */
  int32_t dtype;
  uint32_t rank;
  const int64_t *dims; /* `rank` of them; -1: not known before run time */
  const void *data;
  uint64_t size; /* bytes at `data`; ingot_trainer_string counts as 16 */
} ingot_trainer_tensor;

/* An entry of the graph with its feeds and fetches, which have no data. */
typedef struct ingot_trainer_entry {
  const char *name; /* "step", "predict" */
  const char *role; /* "step", "evaluate", "predict", "other" ... */
  size_t num_feeds;
  const ingot_trainer_tensor *feeds;
  size_t num_fetches;
  const ingot_trainer_tensor *fetches;
} ingot_trainer_entry;

/* The contents of a library. They live as long as the library. */
typedef struct ingot_trainer_program {
  const char *source;   /* file name of the graph */
  const char *compiler; /* "ingotc 0.1.0, LLVM 22.1.8" */
  size_t num_entries;
  const ingot_trainer_entry *entries;
  size_t num_variables;
  const ingot_trainer_tensor *variables; /* without data */
} ingot_trainer_program;

/* A figure of an evaluation: "loss", "accuracy". */
typedef struct ingot_trainer_metric {
  const char *name;
  double value;
} ingot_trainer_metric;

/* Kinds of messages. */
enum {
  INGOT_TRAINER_LOG = 0, /* a line of the run's log: "step 100: loss = 0.5" */
  INGOT_TRAINER_NOTE = 1,
  INGOT_TRAINER_WARNING = 2,
  INGOT_TRAINER_ERROR = 3
};

/* Takes a message, which lives during the call. It is called by the thread that
 * calls a function here, must not call one itself, and must not throw. */
typedef void (*ingot_trainer_log)(void *state, int32_t kind,
                                  const char *message);

/* How a trainer is opened. Zero but for the version is a good start:
 * INGOT_TRAINER_OPTIONS. */
typedef struct ingot_trainer_options {
  uint32_t version; /* INGOT_TRAINER_VERSION */
  /* Not 0: nothing is trained or written, only read and run, beside a process
   * that trains for example. The flags are then those of the trainer's verb
   * `run`: --checkpoint PREFIX, --data-dir, --threads, --seed ... */
  uint32_t read_only;
  /* The model directory with checkpoints and summaries, from which training
   * resumes; it is created if needed, and used by one process at a time.
   * Required for training. For reading only: its newest checkpoint is restored;
   * without it, and without --checkpoint, variables have their initial values.
   */
  const char *model_dir;
  /* Flags of the trainer's verb `train`, as its command line has them:
   * "--save-checkpoints-steps=100", "--max-steps", "1000" ... The flags of
   * `train --help` mean the same here, except --hook, --watchdog-secs and
   * --quiet, which are for processes only. */
  const char *const *flags;
  size_t num_flags;
  ingot_trainer_log log; /* null: messages are dropped */
  void *log_state;       /* its first argument */
} ingot_trainer_options;

#define INGOT_TRAINER_OPTIONS {INGOT_TRAINER_VERSION, 0, 0, 0, 0, 0, 0}

/* An open trainer. */
typedef struct ingot_trainer ingot_trainer;

/* A compiled program, as foo_library() gives it: the layout is for the
 * functions below alone. */
typedef struct ingot_trainer_library ingot_trainer_library;

typedef struct ingot_trainer_functions {
  int32_t (*open)(const ingot_trainer_library *library,
                  const ingot_trainer_options *options, ingot_trainer **trainer,
                  char *message, size_t message_size);
  void (*close)(ingot_trainer *trainer);
  const ingot_trainer_program *(*describe)(
      const ingot_trainer_library *library);
  const char *(*error)(const ingot_trainer *trainer);
  int64_t (*global_step)(const ingot_trainer *trainer);
  int32_t (*step)(ingot_trainer *trainer, const ingot_trainer_tensor *feeds,
                  size_t num_feeds);
  int32_t (*run)(ingot_trainer *trainer, const char *entry,
                 const ingot_trainer_tensor *feeds, size_t num_feeds);
  int32_t (*fetch)(ingot_trainer *trainer, const char *name,
                   ingot_trainer_tensor *value);
  int32_t (*copy)(ingot_trainer *trainer, size_t fetch, void *destination,
                  uint64_t size);
  int32_t (*read)(ingot_trainer *trainer, const char *name,
                  ingot_trainer_tensor *value);
  int32_t (*write)(ingot_trainer *trainer, const ingot_trainer_tensor *value);
  int32_t (*save)(ingot_trainer *trainer);
  int32_t (*restore)(ingot_trainer *trainer, const char *checkpoint);
  int32_t (*evaluate)(ingot_trainer *trainer, const char *entry,
                      int64_t batches, const ingot_trainer_metric **metrics,
                      size_t *num_metrics);
} ingot_trainer_functions;

struct ingot_trainer_library {
  uint32_t version;           /* INGOT_TRAINER_VERSION of the library */
  const char *interface_hash; /* of the header that was made with it */
  const void *program;
  const ingot_trainer_functions *functions;
};

/* The first member of every trainer. */
struct ingot_trainer {
  const ingot_trainer_functions *functions;
};

/* Leaves `text` in a message of at most `size` bytes, with a zero after it. */
static inline int32_t ingot_trainer_refuse_(char *message, size_t size,
                                            const char *text) {
  size_t length = strlen(text);
  if (message && size != 0) {
    if (length > size - 1)
      length = size - 1;
    memcpy(message, text, length);
    message[length] = '\0';
  }
  return INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Opens a trainer: if the model directory has checkpoints, it resumes from the
 * newest complete one, and its input at the very next example; else variables
 * get their initial values, and are saved. `options` may be null: a pure
 * function is run read-only. The error message goes to `message`: at most
 * `message_size` bytes, with a zero at the end ("" after a success); null and 0
 * for none. The caller closes `*trainer`, which is null after a failure. */
static inline int32_t ingot_trainer_open(const ingot_trainer_library *library,
                                         const ingot_trainer_options *options,
                                         ingot_trainer **trainer, char *message,
                                         size_t message_size) {
  if (trainer)
    *trainer = NULL;
  (void)ingot_trainer_refuse_(message, message_size, "");
  if (!trainer || !library)
    return ingot_trainer_refuse_(message, message_size,
                                 trainer ? "the library is null"
                                         : "the third argument, the address of "
                                           "the trainer, is null");
  if (library->version < INGOT_TRAINER_VERSION)
    return ingot_trainer_refuse_(
        message, message_size,
        "the library is older than the ingot/trainer.h that this program was "
        "built with: compile the graph again");
  return library->functions->open(library, options, trainer, message,
                                  message_size);
}

/* Closes a trainer without saving: unsaved steps are lost as after a kill, but
 * it waits for a save in progress. `trainer` may be null. */
static inline void ingot_trainer_close(ingot_trainer *trainer) {
  if (trainer)
    trainer->functions->close(trainer);
}

/* The entries and variables of a library; null for null. */
static inline const ingot_trainer_program *
ingot_trainer_describe(const ingot_trainer_library *library) {
  return library ? library->functions->describe(library) : NULL;
}

/* The error message of the last call for this trainer, on any thread; "" after
 * a success. Lives until the next call. */
static inline const char *ingot_trainer_error(const ingot_trainer *trainer) {
  return trainer ? trainer->functions->error(trainer)
                 : "the trainer's handle is null";
}

/* The global step: how many steps were trained, over all runs; -1 for null. */
static inline int64_t ingot_trainer_global_step(const ingot_trainer *trainer) {
  return trainer ? trainer->functions->global_step(trainer) : -1;
}

/* Trains one step, then saves, logs and writes summaries where these are due.
 * `feeds` are the placeholders of the step, in any order; null and 0 if the
 * graph's own pipeline or --feed gives all of them. Those with a default in the
 * graph may be omitted. INGOT_TRAINER_END: the run had already ended, and its
 * last step has been saved. A step that is rejected for its feeds has not
 * begun.
 */
static inline int32_t ingot_trainer_step(ingot_trainer *trainer,
                                         const ingot_trainer_tensor *feeds,
                                         size_t num_feeds) {
  return trainer ? trainer->functions->step(trainer, feeds, num_feeds)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Runs an entry once on the current variables, without hooks: its changes stay,
 * and are saved with the rest. */
static inline int32_t ingot_trainer_run(ingot_trainer *trainer,
                                        const char *entry,
                                        const ingot_trainer_tensor *feeds,
                                        size_t num_feeds) {
  return trainer ? trainer->functions->run(trainer, entry, feeds, num_feeds)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* A fetch of the last step or run, or "loss" for the graph's loss. Further
 * tensors are compiled in by ingotc --observe. */
static inline int32_t ingot_trainer_fetch(ingot_trainer *trainer,
                                          const char *name,
                                          ingot_trainer_tensor *value) {
  return trainer ? trainer->functions->fetch(trainer, name, value)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Copies fetch number `fetch` of the last step or run into `destination`, which
 * has `size` bytes, exactly the fetch's. */
static inline int32_t ingot_trainer_copy(ingot_trainer *trainer, size_t fetch,
                                         void *destination, uint64_t size) {
  return trainer ? trainer->functions->copy(trainer, fetch, destination, size)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* A variable's value, by the graph's name for it: "hidden/kernel". */
static inline int32_t ingot_trainer_read(ingot_trainer *trainer,
                                         const char *name,
                                         ingot_trainer_tensor *value) {
  return trainer ? trainer->functions->read(trainer, name, value)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Changes the value of variable `value->name`, of its type and shape. */
static inline int32_t ingot_trainer_write(ingot_trainer *trainer,
                                          const ingot_trainer_tensor *value) {
  return trainer ? trainer->functions->write(trainer, value)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Saves a checkpoint of this step, with the positions in the input: it is
 * complete and on disk when this returns OK. */
static inline int32_t ingot_trainer_save(ingot_trainer *trainer) {
  return trainer ? trainer->functions->save(trainer)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Restores a checkpoint, "run/model.ckpt-60", with its input and global step;
 * null: the model directory's newest. Required before the next step after a
 * failed one, also after INGOT_TRAINER_ABORTED or UNAVAILABLE. */
static inline int32_t ingot_trainer_restore(ingot_trainer *trainer,
                                            const char *checkpoint) {
  return trainer ? trainer->functions->restore(trainer, checkpoint)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Computes the graph's metrics over its evaluation input, as the trainer's verb
 * `evaluate` does, on a checkpoint of this step, which is saved first if it
 * does not exist: training is not affected. `entry`: null for the graph's own;
 * `batches`: -1 until the input ends. `*metrics` lives until the next
 * evaluation or until the trainer is closed. */
static inline int32_t
ingot_trainer_evaluate(ingot_trainer *trainer, const char *entry,
                       int64_t batches, const ingot_trainer_metric **metrics,
                       size_t *num_metrics) {
  if (metrics)
    *metrics = NULL;
  if (num_metrics)
    *num_metrics = 0;
  return trainer ? trainer->functions->evaluate(trainer, entry, batches,
                                                metrics, num_metrics)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Opens a trainer as ingot_trainer_open() does, for the header of a library:
 * one of another compile is refused. */
static inline int32_t ingot_trainer_open_as(
    const ingot_trainer_library *library, const char *interface_hash,
    const ingot_trainer_options *options, ingot_trainer **trainer,
    char *message, size_t message_size) {
  if (trainer)
    *trainer = NULL;
  if (library && strcmp(library->interface_hash, interface_hash) != 0)
    return ingot_trainer_refuse_(message, message_size,
                                 "the library and its header come from "
                                 "different compiles: use the pair that ingotc "
                                 "wrote together");
  return ingot_trainer_open(library, options, trainer, message, message_size);
}

#ifdef __cplusplus
}
#endif

#endif /* INGOT_TRAINER_H */
