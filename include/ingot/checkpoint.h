/*===- ingot/checkpoint.h - Checkpoints from C --------------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* Reads TensorFlow's checkpoints (V2 and V1, SavedModels' variables, object- */
/* based ones) and safetensors files, verifies them, and writes V2, without   */
/* TensorFlow and without Ingot's compiler:                                   */
/*                                                                            */
/*   cc example.c $(pkg-config --cflags --libs ingotckpt)                     */
/*                                                                            */
/* Functions that can fail return INGOT_CHECKPOINT_OK or another code, and    */
/* write a message to `message`: at most `message_size` bytes, including a    */
/* zero byte. It names the file, the tensor and the offset, and the values    */
/* found and expected. To receive no message, pass null and 0.                */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_CHECKPOINT_H
#define INGOT_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Result codes. The values are those of TensorFlow's error codes. */
enum {
  INGOT_CHECKPOINT_OK = 0,
  INGOT_CHECKPOINT_UNKNOWN = 2,          /* the operating system's failures */
  INGOT_CHECKPOINT_INVALID_ARGUMENT = 3, /* wrong type, shape or slice */
  INGOT_CHECKPOINT_NOT_FOUND = 5,        /* no such checkpoint, file, tensor */
  INGOT_CHECKPOINT_ALREADY_EXISTS = 6,   /* and `replace` is 0 */
  INGOT_CHECKPOINT_PERMISSION_DENIED = 7,
  INGOT_CHECKPOINT_RESOURCE_EXHAUSTED = 8, /* the disk is full */
  INGOT_CHECKPOINT_UNIMPLEMENTED = 12,     /* variants, later versions */
  INGOT_CHECKPOINT_INTERNAL = 13,
  INGOT_CHECKPOINT_DATA_LOSS = 15 /* a damaged file */
};

/* An open checkpoint. All functions except ingot_checkpoint_close() may be
 * called for it from several threads at once. The pointers that they return are
 * valid until it is closed. */
typedef struct ingot_checkpoint ingot_checkpoint;

/* An element of a string tensor. It need not end in a zero byte. */
typedef struct ingot_checkpoint_string {
  const char *data;
  uint64_t size;
} ingot_checkpoint_string;

/* Opens a checkpoint. `path` is its prefix ("run/model.ckpt-60"), one of its
 * files, a SavedModel's folder, or a folder with a state file, whose newest
 * checkpoint is opened. The caller closes `*checkpoint`. */
int32_t ingot_checkpoint_open(const char *path, ingot_checkpoint **checkpoint,
                              char *message, size_t message_size);
void ingot_checkpoint_close(ingot_checkpoint *checkpoint);

/* Returns the format: "V2", "V1" or "safetensors". */
const char *ingot_checkpoint_format(const ingot_checkpoint *checkpoint);

/* Return the number of tensors, and the name of the tensor at `index`, or null
 * if the index is out of range. Tensors are sorted by name. */
size_t ingot_checkpoint_count(const ingot_checkpoint *checkpoint);
const char *ingot_checkpoint_name(const ingot_checkpoint *checkpoint,
                                  size_t index);

/* Returns the index of the tensor with this name, or -1 if there is none. In an
 * object-based checkpoint, `name` may also be the name that a variable had in
 * its program. */
int64_t ingot_checkpoint_find(const ingot_checkpoint *checkpoint,
                              const char *name);

/* Return the element type of a tensor as TensorFlow's DataType (1 float32, 2
 * float64, 3 int32, 7 string, 9 int64, ...), its number of dimensions, and its
 * sizes, outermost first; or 0, 0 and null if the index is out of range. */
int32_t ingot_checkpoint_dtype(const ingot_checkpoint *checkpoint,
                               size_t index);
uint32_t ingot_checkpoint_rank(const ingot_checkpoint *checkpoint,
                               size_t index);
const int64_t *ingot_checkpoint_dims(const ingot_checkpoint *checkpoint,
                                     size_t index);

/* Returns the bytes that the elements take in memory, dense and row-major. The
 * result is 0 for strings, and for variants, which only the program that wrote
 * them can read. */
uint64_t ingot_checkpoint_size(const ingot_checkpoint *checkpoint,
                               size_t index);

/* Return the name of an element type, such as "float32", and the bytes of one
 * element, which are 0 for strings and unknown types. */
const char *ingot_checkpoint_dtype_name(int32_t dtype);
size_t ingot_checkpoint_dtype_size(int32_t dtype);

/* Return the number of slices in which a partitioned tensor is stored, which is
 * 0 if it is stored as a whole, and the text of a slice as savers write it,
 * such as "10 4 0,4:-". Any other slice can be read, too. */
size_t ingot_checkpoint_num_slices(const ingot_checkpoint *checkpoint,
                                   size_t index);
const char *ingot_checkpoint_slice(const ingot_checkpoint *checkpoint,
                                   size_t index, size_t slice);

/* Reads a tensor into `destination`, or the slice `slice` of it if that is not
 * null. `size` must be the exact size of the elements in bytes. Checksums are
 * verified. */
int32_t ingot_checkpoint_read(const ingot_checkpoint *checkpoint, size_t index,
                              const char *slice, void *destination,
                              uint64_t size, char *message,
                              size_t message_size);

/* Reads a tensor of strings. `*strings` receives an array of `*count` elements,
 * which the caller frees, including the elements' bytes, with
 * ingot_checkpoint_free_strings(). */
int32_t ingot_checkpoint_read_strings(const ingot_checkpoint *checkpoint,
                                      size_t index, const char *slice,
                                      ingot_checkpoint_string **strings,
                                      uint64_t *count, char *message,
                                      size_t message_size);
void ingot_checkpoint_free_strings(ingot_checkpoint_string *strings);

/* Reads every byte and verifies every checksum, on `threads` threads (0: one
 * per core). The message has one line for each defect. */
int32_t ingot_checkpoint_verify(const ingot_checkpoint *checkpoint,
                                uint32_t threads, char *message,
                                size_t message_size);

/* A tensor, or a slice of a tensor, to be written. */
typedef struct ingot_checkpoint_tensor {
  const char *name;
  const char *slice; /* null, or "10 4 0,4:-" */
  int32_t dtype;
  uint32_t rank;
  const int64_t *dims; /* of `data`: for a slice, the slice's */
  const void *data;    /* ingot_checkpoint_string[] for strings */
} ingot_checkpoint_tensor;

/* Writes a V2 checkpoint with prefix `prefix` and `shards` data shards (0 means
 * 1). Tensors are stored in the given order. The checkpoint is complete and on
 * disk when the function returns OK; on failure, no checkpoint is written. An
 * existing checkpoint is replaced only if `replace` is not 0. */
int32_t ingot_checkpoint_write(const char *prefix,
                               const ingot_checkpoint_tensor *tensors,
                               size_t count, uint32_t shards, int replace,
                               char *message, size_t message_size);

/* The functions below manage the checkpoints of a directory in which nothing
 * trains. Its state file, "checkpoint", names the newest checkpoint and lists
 * those that a saver keeps; `latest_filename`, unless it is null, is another
 * name of the state file. */

/* Writes the prefix of the checkpoint that the state file names as newest to
 * `prefix`, with a zero byte (tf.train.latest_checkpoint). Returns
 * INGOT_CHECKPOINT_NOT_FOUND if there is no state file or the checkpoint has no
 * files, and INGOT_CHECKPOINT_INVALID_ARGUMENT if the state file names none or
 * `prefix_size` is too small. */
int32_t ingot_checkpoint_latest(const char *directory,
                                const char *latest_filename, char *prefix,
                                size_t prefix_size, char *message,
                                size_t message_size);

/* A checkpoint that a state file lists. */
typedef struct ingot_checkpoint_listed {
  const char *prefix;
  double time; /* when it was written, in seconds since 1970; may be infinite */
  int exists;  /* 0 if its files are gone */
} ingot_checkpoint_listed;

/* Lists the checkpoints that a saver keeps, oldest first, as the state file has
 * them (tf.train.get_checkpoint_state); those that exist are what
 * Saver.last_checkpoints gives. `*list` receives an array of `*count` elements,
 * which the caller frees, including the prefixes, with
 * ingot_checkpoint_free_list(). A checkpoint without a time in the state file
 * has that of its files, or 0. Returns INGOT_CHECKPOINT_NOT_FOUND if there is
 * no state file, and INGOT_CHECKPOINT_INVALID_ARGUMENT if it names no newest
 * checkpoint. */
int32_t ingot_checkpoint_list(const char *directory,
                              const char *latest_filename,
                              ingot_checkpoint_listed **list, size_t *count,
                              char *message, size_t message_size);
void ingot_checkpoint_free_list(ingot_checkpoint_listed *list);

/* Sets `times` to the times at which the checkpoints `prefixes` were written,
 * in whole seconds since 1970, and returns the number of times. Checkpoints
 * that do not exist are skipped, so it may be less than `count`
 * (tf.train.get_checkpoint_mtimes). */
size_t ingot_checkpoint_mtimes(const char *const *prefixes, size_t count,
                               double *times);

/* Removes the files of a checkpoint, V2 or V1, and its meta graph,
 * `<prefix>.<meta_graph_suffix>` (null: "meta"). The state file does not change
 * (tf.train.remove_checkpoint). It is no error if there is no such checkpoint.
 */
int32_t ingot_checkpoint_remove(const char *prefix,
                                const char *meta_graph_suffix, char *message,
                                size_t message_size);

/* Replaces the state file's list of kept checkpoints, oldest first
 * (Saver.set_last_checkpoints and set_last_checkpoints_with_time). `times` are
 * the times at which they were written, in seconds since 1970. If it is null,
 * all times are infinite: a saver that drops such a checkpoint from the list
 * does not delete its files. The newest checkpoint stays the one that the state
 * file names; without a state file it is the last of the list. */
int32_t ingot_checkpoint_set_last(const char *directory,
                                  const char *latest_filename,
                                  const char *const *prefixes,
                                  const double *times, size_t count,
                                  char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif /* INGOT_CHECKPOINT_H */
