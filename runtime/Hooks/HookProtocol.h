/*===- HookProtocol.h - Between a trainer and the host of a hook --*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol of requests and replies between trainer and host, over one    */
/* socket. Each is a frame: its length (u32), then integers in native byte    */
/* order and "bytes", which are a count and that number of bytes. Both ends   */
/* come from one build, but replies are checked nevertheless, since a faulty  */
/* library may have overwritten memory of the host process.                   */
/*                                                                            */
/*   request  u32 callback, i64 global step, u32 flags                        */
/*            load: bytes path, bytes arguments                               */
/*            after_run: values                                               */
/*            restore_state: bytes state                                      */
/*            before_save, after_save, saver_end: i64 saved step              */
/*            after_save: bytes prefix                                        */
/*   reply    u32 INGOT_WIRE_REPLY, i32 code, bytes message, u32 stop, i32    */
/*            and bytes: code and message of the coordinator's stop           */
/*            load: bytes name, i32 priority, u32 listens                     */
/*            before_run: u32 count of fetches, and bytes name for each;      */
/*              u32 count of feeds, and a tensor for each                     */
/*            save_state: bytes state                                         */
/*   Before its reply, the host may ask for runs of entries:                  */
/*   ask      u32 INGOT_WIRE_RUN_ENTRY, bytes entry, u32 count of feeds, and  */
/*            a tensor for each                                               */
/*   answer   i32 code, bytes message, values                                 */
/*   values   u32 count, and for each bytes requested name, tensor            */
/*   tensor   bytes name, i32 dtype, u32 rank, i64 for each dimension; then   */
/*            bytes elements or, for strings, u64 count and bytes for each    */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_HOOKS_HOOKPROTOCOL_H
#define INGOT_RUNTIME_HOOKS_HOOKPROTOCOL_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  INGOT_WIRE_LOAD = 1,
  INGOT_WIRE_BEGIN,
  INGOT_WIRE_AFTER_CREATE_SESSION,
  INGOT_WIRE_BEFORE_RUN,
  INGOT_WIRE_AFTER_RUN,
  INGOT_WIRE_END,
  INGOT_WIRE_SAVE_STATE,
  INGOT_WIRE_RESTORE_STATE,
  INGOT_WIRE_SAVER_BEGIN,
  INGOT_WIRE_BEFORE_SAVE,
  INGOT_WIRE_AFTER_SAVE,
  INGOT_WIRE_SAVER_END
};

/* The first number of a frame from the host, which tells its kind. */
enum { INGOT_WIRE_REPLY = 0, INGOT_WIRE_RUN_ENTRY = 1 };

/* Flags of a request: whether the session was restored; whether a stop was
 * requested from the coordinator; whether there is a session, in which entries
 * can be run, and in which requests to stop are taken. */
enum {
  INGOT_WIRE_RESTORED = 1,
  INGOT_WIRE_STOPPING = 2,
  INGOT_WIRE_IN_SESSION = 4
};

/* Flags of the stop in a reply: request_stop, request_stop_with. */
enum { INGOT_WIRE_STOP = 1, INGOT_WIRE_COORDINATOR_STOP = 2 };

/* The file descriptor that is the host process's end of the socket. */
#define INGOT_WIRE_DESCRIPTOR 3

/* The buffer of one frame, a request or a reply, while it is written or read.
 */
typedef struct ingot_wire {
  char *data;
  size_t size, capacity;
  size_t at;  /* offset of the next read */
  int failed; /* out of memory, or a read beyond the end */
} ingot_wire;

static inline void ingot_wire_clear(ingot_wire *wire) {
  wire->size = wire->at = 0;
  wire->failed = 0;
}

static inline int ingot_wire_reserve(ingot_wire *wire, size_t more) {
  if (wire->capacity - wire->size < more) {
    size_t capacity = wire->capacity * 2 + more;
    char *data = (char *)realloc(wire->data, capacity);
    if (!data) {
      wire->failed = 1;
      return 0;
    }
    wire->data = data;
    wire->capacity = capacity;
  }
  return 1;
}

static inline void ingot_wire_put(ingot_wire *wire, const void *data,
                                  size_t size) {
  if (size == 0 || !ingot_wire_reserve(wire, size))
    return;
  memcpy(wire->data + wire->size, data, size);
  wire->size += size;
}

static inline void ingot_wire_put_u32(ingot_wire *wire, uint32_t value) {
  ingot_wire_put(wire, &value, sizeof(value));
}

static inline void ingot_wire_put_i64(ingot_wire *wire, int64_t value) {
  ingot_wire_put(wire, &value, sizeof(value));
}

static inline void ingot_wire_put_bytes(ingot_wire *wire, const void *data,
                                        uint64_t size) {
  ingot_wire_put_i64(wire, (int64_t)size);
  ingot_wire_put(wire, data, size);
}

/* Returns the address of the next `size` bytes of the frame, and advances by
 * them. If the frame has fewer bytes left, returns null and sets `failed`. */
static inline const char *ingot_wire_take(ingot_wire *wire, uint64_t size) {
  const char *data;
  if (wire->failed || wire->size - wire->at < size) {
    wire->failed = 1;
    return NULL;
  }
  data = wire->data + wire->at;
  wire->at += size;
  return data;
}

static inline uint32_t ingot_wire_get_u32(ingot_wire *wire) {
  uint32_t value = 0;
  const char *data = ingot_wire_take(wire, sizeof(value));
  if (data)
    memcpy(&value, data, sizeof(value));
  return value;
}

static inline int64_t ingot_wire_get_i64(ingot_wire *wire) {
  int64_t value = 0;
  const char *data = ingot_wire_take(wire, sizeof(value));
  if (data)
    memcpy(&value, data, sizeof(value));
  return value;
}

static inline const char *ingot_wire_get_bytes(ingot_wire *wire,
                                               uint64_t *size) {
  const char *data;
  *size = (uint64_t)ingot_wire_get_i64(wire);
  data = ingot_wire_take(wire, *size);
  if (!data)
    *size = 0;
  return data;
}

static inline int ingot_wire_transfer(int descriptor, char *data, size_t size,
                                      int sends) {
  while (size > 0) {
    ssize_t done = sends ? send(descriptor, data, size, MSG_NOSIGNAL)
                         : recv(descriptor, data, size, 0);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return 0;
    data += done;
    size -= (size_t)done;
  }
  return 1;
}

/* Sends a frame, its length first. Returns 0 if the other process has ended, if
 * the frame is too large, or if it could not be built. */
static inline int ingot_wire_send(int descriptor, ingot_wire *wire) {
  uint32_t size = (uint32_t)wire->size;
  return !wire->failed && wire->size <= INT32_MAX &&
         ingot_wire_transfer(descriptor, (char *)&size, sizeof(size), 1) &&
         ingot_wire_transfer(descriptor, wire->data, wire->size, 1);
}

static inline int ingot_wire_receive(int descriptor, ingot_wire *wire) {
  uint32_t size;
  ingot_wire_clear(wire);
  if (!ingot_wire_transfer(descriptor, (char *)&size, sizeof(size), 0) ||
      size > INT32_MAX || !ingot_wire_reserve(wire, size) ||
      !ingot_wire_transfer(descriptor, wire->data, size, 0))
    return 0;
  wire->size = size;
  return 1;
}

/* Returns the size in bytes of an element of TensorFlow's type `dtype`; 0 for
 * strings and for types that hooks do not support. */
static inline uint64_t ingot_wire_element_size(int32_t dtype) {
  switch (dtype) {
  case 2:  /* double */
  case 9:  /* int64 */
  case 23: /* uint64 */
    return 8;
  case 1:  /* float */
  case 3:  /* int32 */
  case 22: /* uint32 */
    return 4;
  case 5:  /* int16 */
  case 14: /* bfloat16 */
  case 17: /* uint16 */
  case 19: /* half */
    return 2;
  case 4:  /* uint8 */
  case 6:  /* int8 */
  case 10: /* bool */
    return 1;
  default:
    return 0;
  }
}

/* Returns the number of elements of a shape; -1 if a dimension is negative or
 * the product overflows. */
static inline int64_t ingot_wire_count(uint32_t rank, const int64_t *dims) {
  int64_t count = 1;
  uint32_t i;
  for (i = 0; i < rank; ++i)
    if (dims[i] < 0 || __builtin_mul_overflow(count, dims[i], &count))
      return -1;
  return count;
}

#endif /* INGOT_RUNTIME_HOOKS_HOOKPROTOCOL_H */
