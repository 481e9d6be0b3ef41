/*===- ingot/trainer.h - A trainer in your program ----------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* Opens, steps, reads, saves and closes from C a trainer made by             */
/* `ingotc train.meta --emit=lib -o libfoo.a` or --emit=shared -o libfoo.so.  */
/* It comes with a header, foo.h, which declares foo_library() and a function */
/* for each entry of the graph:                                               */
/*                                                                            */
/*   cc main.c libfoo.a -lm                                                   */
/*                                                                            */
/* All functions here are inline, and call the library through a table. So    */
/* one program can use a library that it is linked with, libraries that it    */
/* loads with dlopen() and dlsym("foo_library"), and several trainers at      */
/* once.                                                                      */
/*                                                                            */
/* Errors. Functions that can fail return INGOT_TRAINER_OK or another code.   */
/* ingot_trainer_error() then returns a message, which says what is wrong,    */
/* where, and what was expected. If a handle is null, they return             */
/* INGOT_TRAINER_INVALID_ARGUMENT.                                            */
/*                                                                            */
/* Ownership. Returned tensors belong to the trainer. They are valid until    */
/* the next call that runs, changes, restores or closes it. Arguments are     */
/* read during the call only.                                                 */
/*                                                                            */
/* Threads. A trainer may be used by any thread, but only by one at a time.   */
/* Different trainers are independent of each other. After a fork(), a        */
/* trainer must not be used in the child process.                             */
/*                                                                            */
/* The process is yours. Nothing here installs a signal handler. Nothing      */
/* writes to standard output or standard error, except what the graph itself  */
/* prints. Nothing ends the process, unless memory for a small object or an   */
/* element of the input cannot be allocated.                                  */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_TRAINER_H
#define INGOT_TRAINER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. It increases when a struct or the table below
 * gets more members, which are added at the end. A program accepts libraries of
 * the version that it was built with and of later ones. */
#define INGOT_TRAINER_VERSION 2u

/* Result codes. The values are those of TensorFlow's error codes. */
enum {
  INGOT_TRAINER_OK = 0,
  INGOT_TRAINER_CANCELLED = 1,
  INGOT_TRAINER_UNKNOWN = 2,          /* a failed system call */
  INGOT_TRAINER_INVALID_ARGUMENT = 3, /* wrong name, type, shape, flag */
  INGOT_TRAINER_DEADLINE_EXCEEDED = 4,
  INGOT_TRAINER_NOT_FOUND = 5, /* no such file or checkpoint */
  INGOT_TRAINER_ALREADY_EXISTS = 6,
  INGOT_TRAINER_PERMISSION_DENIED = 7,
  INGOT_TRAINER_RESOURCE_EXHAUSTED = 8,  /* memory or disk is full */
  INGOT_TRAINER_FAILED_PRECONDITION = 9, /* a directory in use, no value yet */
  INGOT_TRAINER_ABORTED = 10,
  INGOT_TRAINER_END = 11, /* --max-steps is reached, or the data ended */
  INGOT_TRAINER_UNIMPLEMENTED = 12,
  INGOT_TRAINER_INTERNAL = 13,
  INGOT_TRAINER_UNAVAILABLE = 14,
  INGOT_TRAINER_DATA_LOSS = 15 /* a damaged file */
};

/* Element types. The values are those of TensorFlow's DataType. A bool takes a
 * byte; bfloat16 and half are stored as their 16 bits. */
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

/* An element of a string tensor. It need not end in a zero byte. */
typedef struct ingot_trainer_string {
  const char *data;
  uint64_t size;
} ingot_trainer_string;

/* A tensor with dense, row-major elements. The elements of a string tensor are
 * of type ingot_trainer_string. */
typedef struct ingot_trainer_tensor {
  const char *name; /* in the graph: "x:0" or "x" (output 0 of node x) */
  int32_t dtype;
  uint32_t rank;
  const int64_t *dims; /* `rank` sizes; -1 for a dynamic size */
  const void *data;
  uint64_t size; /* bytes at `data`; 16 for each ingot_trainer_string */
} ingot_trainer_tensor;

/* An entry of the graph. `data` of its feeds and fetches is null. */
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

/* A metric that an evaluation has computed, such as "loss" or "accuracy". */
typedef struct ingot_trainer_metric {
  const char *name;
  double value;
} ingot_trainer_metric;

/* The kinds of messages that ingot_trainer_log receives. */
enum {
  INGOT_TRAINER_LOG = 0, /* a line of the run's log: "step 100: loss = 0.5" */
  INGOT_TRAINER_NOTE = 1,
  INGOT_TRAINER_WARNING = 2,
  INGOT_TRAINER_ERROR = 3
};

/* A callback that receives a message, which is valid during the call. It runs
 * on the thread that has called a function of this header. It must not call
 * such a function, and must not throw. */
typedef void (*ingot_trainer_log)(void *state, int32_t kind,
                                  const char *message);

/* An open trainer. */
typedef struct ingot_trainer ingot_trainer;

/* A callback that gives variables of a new model their first values: `init_fn`
 * of TensorFlow's SessionManager. It may run entries, and read and write
 * variables of `trainer`; nothing else. If it returns another code than
 * INGOT_TRAINER_OK, opening fails with it; the message is that of the last call
 * for `trainer` that failed. */
typedef int32_t (*ingot_trainer_init)(ingot_trainer *trainer, void *state);

/* Options to open a trainer with. Initialize them with INGOT_TRAINER_OPTIONS,
 * which sets the version and leaves the rest zero. */
typedef struct ingot_trainer_options {
  uint32_t version; /* INGOT_TRAINER_VERSION */
  /* If not 0, the trainer can only read variables and run entries: it neither
   * trains nor writes files, so it can be used while another process trains.
   * `flags` are then those of the trainer's verb `run`: --checkpoint PREFIX,
   * --data-dir, --threads, --seed ... */
  uint32_t read_only;
  /* The model directory, with checkpoints and summaries. For training, it is
   * required: training resumes from its newest checkpoint; it is created if it
   * does not exist, and only one process can use it at a time. With
   * `read_only`, its newest checkpoint is restored; if `model_dir` is null and
   * --checkpoint is not given, variables have their initial values. */
  const char *model_dir;
  /* Flags of the trainer's verb `train`, as its command line has them:
   * "--save-checkpoints-steps=100", "--max-steps", "1000" ... The flags of
   * `train --help` mean the same here, except --hook, --watchdog-secs, --quiet
   * and --log-format, which are for processes only. */
  const char *const *flags;
  size_t num_flags;
  ingot_trainer_log log; /* null: messages are dropped */
  void *log_state;       /* the first argument of `log` */
  /* Since version 2. Called when variables have their initial values, from the
   * init entry or --init-from, and before local variables are initialized. Not
   * called if a checkpoint is restored. May be null. ingot_trainer_restore()
   * calls it as well where it initializes a model again. */
  ingot_trainer_init init_fn;
  void *init_state; /* the second argument of `init_fn` */
} ingot_trainer_options;

#define INGOT_TRAINER_OPTIONS {INGOT_TRAINER_VERSION, 0, 0, 0, 0, 0, 0, 0, 0}

/* A compiled program, which foo_library() returns. Only the functions below may
 * access its members. */
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
  /* Since version 2. */
  int32_t (*recover)(const ingot_trainer_library *library,
                     const ingot_trainer_options *options,
                     ingot_trainer **trainer, int32_t *initialized,
                     char *message, size_t message_size);
} ingot_trainer_functions;

struct ingot_trainer_library {
  uint32_t version;           /* INGOT_TRAINER_VERSION of the library */
  const char *interface_hash; /* of the header that belongs to it */
  const void *program;
  const ingot_trainer_functions *functions;
};

/* The members that every trainer begins with. Only the functions below use
 * them. */
struct ingot_trainer {
  const ingot_trainer_functions *functions;
};

/* Copies `text`, cut to `size` bytes including a zero byte, to `message`.
 * Returns INGOT_TRAINER_INVALID_ARGUMENT. */
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

/* Checks the arguments of the functions that open trainers. Sets `*trainer` to
 * null. */
static inline int32_t ingot_trainer_check_(const ingot_trainer_library *library,
                                           ingot_trainer **trainer,
                                           char *message, size_t message_size) {
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
  return INGOT_TRAINER_OK;
}

/* Opens a trainer. If the model directory has checkpoints, the trainer resumes
 * from the newest complete one, and its input continues at the next example.
 * Otherwise variables get their initial values, and are saved. `options` may be
 * null for a program that is only run, without a model directory. `message`
 * receives the error message, or "" on success: at most `message_size` bytes,
 * including a zero byte. It may be null if `message_size` is 0. The caller
 * closes `*trainer`, which is null on failure. */
static inline int32_t ingot_trainer_open(const ingot_trainer_library *library,
                                         const ingot_trainer_options *options,
                                         ingot_trainer **trainer, char *message,
                                         size_t message_size) {
  int32_t code = ingot_trainer_check_(library, trainer, message, message_size);
  return code ? code
              : library->functions->open(library, options, trainer, message,
                                         message_size);
}

/* Opens a trainer from a checkpoint only: recover_session() of TensorFlow's
 * SessionManager. Sets `*initialized` (which may be null) to 1 if the newest
 * checkpoint of the model directory, or that of --checkpoint, was restored and
 * made the model ready, and to 0 otherwise, which is no error: then neither the
 * init entry nor `init_fn` has run, and variables may have no values. The
 * caller can run entries, write variables or restore a checkpoint; the first
 * ingot_trainer_step() or ingot_trainer_save() returns
 * INGOT_TRAINER_FAILED_PRECONDITION as long as a variable has no value. Flag
 * --wait-for-checkpoint waits for a checkpoint, at most --max-wait-secs. A
 * checkpoint that cannot be restored is an error, as in ingot_trainer_open().
 */
static inline int32_t
ingot_trainer_recover(const ingot_trainer_library *library,
                      const ingot_trainer_options *options,
                      ingot_trainer **trainer, int32_t *initialized,
                      char *message, size_t message_size) {
  int32_t code = ingot_trainer_check_(library, trainer, message, message_size);
  if (initialized)
    *initialized = 0;
  return code ? code
              : library->functions->recover(library, options, trainer,
                                            initialized, message, message_size);
}

/* Closes a trainer. Steps since the last save are lost, as if the process had
 * been killed, but a save in progress is completed first. `trainer` may be
 * null. */
static inline void ingot_trainer_close(ingot_trainer *trainer) {
  if (trainer)
    trainer->functions->close(trainer);
}

/* Returns the entries and variables of a library, or null if it is null. */
static inline const ingot_trainer_program *
ingot_trainer_describe(const ingot_trainer_library *library) {
  return library ? library->functions->describe(library) : NULL;
}

/* Returns the error message of the last call for this trainer, or "" if the
 * call succeeded. The text is valid until the next call. */
static inline const char *ingot_trainer_error(const ingot_trainer *trainer) {
  return trainer ? trainer->functions->error(trainer)
                 : "the trainer's handle is null";
}

/* Returns the global step, the number of steps trained in all runs, or -1 if
 * `trainer` is null. */
static inline int64_t ingot_trainer_global_step(const ingot_trainer *trainer) {
  return trainer ? trainer->functions->global_step(trainer) : -1;
}

/* Trains one step, then saves, logs and writes summaries if they are due.
 * `feeds` are the values of the step's placeholders, in any order. Placeholders
 * that --feed provides or that have a default in the graph may be omitted; a
 * graph with its own input pipeline often has none. Returns INGOT_TRAINER_END
 * if the run had already ended; its last step has been saved then. If a feed is
 * invalid, the step does not begin. */
static inline int32_t ingot_trainer_step(ingot_trainer *trainer,
                                         const ingot_trainer_tensor *feeds,
                                         size_t num_feeds) {
  return trainer ? trainer->functions->step(trainer, feeds, num_feeds)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Runs an entry once on the current variables, without hooks. If it changes
 * variables, they keep their new values, which the next save includes. */
static inline int32_t ingot_trainer_run(ingot_trainer *trainer,
                                        const char *entry,
                                        const ingot_trainer_tensor *feeds,
                                        size_t num_feeds) {
  return trainer ? trainer->functions->run(trainer, entry, feeds, num_feeds)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Returns the fetch `name` of the last step or run in `*value`; "loss" is the
 * graph's loss. To fetch further tensors, compile with ingotc --observe. */
static inline int32_t ingot_trainer_fetch(ingot_trainer *trainer,
                                          const char *name,
                                          ingot_trainer_tensor *value) {
  return trainer ? trainer->functions->fetch(trainer, name, value)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Copies the fetch with index `fetch` of the last step or run to `destination`.
 * `size` must be the exact size of the fetch in bytes. */
static inline int32_t ingot_trainer_copy(ingot_trainer *trainer, size_t fetch,
                                         void *destination, uint64_t size) {
  return trainer ? trainer->functions->copy(trainer, fetch, destination, size)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Returns the value of the variable `name` of the graph, such as
 * "hidden/kernel", in `*value`. */
static inline int32_t ingot_trainer_read(ingot_trainer *trainer,
                                         const char *name,
                                         ingot_trainer_tensor *value) {
  return trainer ? trainer->functions->read(trainer, name, value)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Changes the value of variable `value->name`. `value` must have the variable's
 * type and shape. */
static inline int32_t ingot_trainer_write(ingot_trainer *trainer,
                                          const ingot_trainer_tensor *value) {
  return trainer ? trainer->functions->write(trainer, value)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Saves a checkpoint of this step, including the positions in the input. The
 * checkpoint is complete and on disk when the function returns OK. */
static inline int32_t ingot_trainer_save(ingot_trainer *trainer) {
  return trainer ? trainer->functions->save(trainer)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Restores a checkpoint such as "run/model.ckpt-60", including the positions in
 * the input and the global step. If `checkpoint` is null, restores the newest
 * one in the model directory. After a step has failed, also with
 * INGOT_TRAINER_ABORTED or UNAVAILABLE, this is required before the next
 * step. */
static inline int32_t ingot_trainer_restore(ingot_trainer *trainer,
                                            const char *checkpoint) {
  return trainer ? trainer->functions->restore(trainer, checkpoint)
                 : INGOT_TRAINER_INVALID_ARGUMENT;
}

/* Computes the graph's metrics over its evaluation input, as the trainer's verb
 * `evaluate` does. It reads a checkpoint of this step, which is saved first if
 * it does not exist, so training is not affected. `entry` is the entry to run,
 * or null for the graph's evaluation entry. `batches` is the number of batches,
 * or -1 to read until the input ends. `*metrics` is valid until the next
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

/* Checks that the library was compiled together with the generated header that
 * has `interface_hash`. */
static inline int32_t
ingot_trainer_check_hash_(const ingot_trainer_library *library,
                          const char *interface_hash, char *message,
                          size_t message_size) {
  return library && strcmp(library->interface_hash, interface_hash) != 0
             ? ingot_trainer_refuse_(message, message_size,
                                     "the library and its header come from "
                                     "different compiles: use the pair that "
                                     "ingotc wrote together")
             : INGOT_TRAINER_OK;
}

/* Open a trainer as ingot_trainer_open() and ingot_trainer_recover() do. The
 * generated header of a library calls them: if `interface_hash` is not the
 * library's, because header and library come from different compiles, they
 * fail. */
static inline int32_t ingot_trainer_open_as(
    const ingot_trainer_library *library, const char *interface_hash,
    const ingot_trainer_options *options, ingot_trainer **trainer,
    char *message, size_t message_size) {
  int32_t code =
      ingot_trainer_check_hash_(library, interface_hash, message, message_size);
  if (trainer)
    *trainer = NULL;
  return code ? code
              : ingot_trainer_open(library, options, trainer, message,
                                   message_size);
}
static inline int32_t ingot_trainer_recover_as(
    const ingot_trainer_library *library, const char *interface_hash,
    const ingot_trainer_options *options, ingot_trainer **trainer,
    int32_t *initialized, char *message, size_t message_size) {
  int32_t code =
      ingot_trainer_check_hash_(library, interface_hash, message, message_size);
  if (trainer)
    *trainer = NULL;
  return code ? code
              : ingot_trainer_recover(library, options, trainer, initialized,
                                      message, message_size);
}

#ifdef __cplusplus
}
#endif

#endif /* INGOT_TRAINER_H */
