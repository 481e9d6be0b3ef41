/*===- HookHost.c - The process in which a user's hook lives --------------===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* A trainer is a static executable and cannot load a shared library. This    */
/* small dynamic one can; the trainer carries it along, starts it for each    */
/* --hook and calls the library's callbacks over a socket (HookProtocol.h).   */
/*===----------------------------------------------------------------------===*/

#include "ingot/hook.h"
#include "runtime/Hooks/HookProtocol.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

/* A tensor for the hook to read, and the memory to which it points. */
typedef struct held_tensor {
  ingot_hook_tensor tensor;
  char *asked; /* the name with which before_run() requested it */
  char *name;
  int64_t *dims;
  void *data; /* malloc aligns it for every element type */
} held_tensor;

/* Tensors that value() returns. */
typedef struct value_list {
  uint32_t count;
  held_tensor *values;
} value_list;

struct ingot_hook_run {
  int64_t step;
  uint32_t flags; /* of the current request */
  int stop;       /* the hook has called request_stop() */
  int ending;     /* end() has been called */
  char *error;
  pthread_t thread; /* on which callbacks run */
  /* The first call of request_stop_with() in this session. */
  pthread_mutex_t mutex; /* for the members below */
  int stops, told;       /* request_stop_with() was called; was reported */
  int32_t stop_code;
  char *stop_message;
  /* What before_run() has requested for its reply: the names of fetches, and
   * tensors to feed. */
  uint32_t num_fetches, num_feeds;
  ingot_wire fetches, feeds;
  /* The values of the requested fetches, which after_run() reads, and those of
   * the last run_entry(). */
  value_list fetched, computed;
  ingot_wire ask; /* the frames of run_entry() */
  /* The bytes that save_state() has passed to put_state(). */
  ingot_wire state;
};

static int64_t global_step(const ingot_hook_run *run) { return run->step; }

static int32_t is_restored(const ingot_hook_run *run) {
  return (run->flags & INGOT_WIRE_RESTORED) != 0;
}

static void request_stop(ingot_hook_run *run) {
  __atomic_store_n(&run->stop, 1, __ATOMIC_SEQ_CST);
}

static int32_t should_stop(const ingot_hook_run *run) {
  return __atomic_load_n(&run->ending, __ATOMIC_SEQ_CST) ||
         __atomic_load_n(&run->stops, __ATOMIC_SEQ_CST) ||
         (__atomic_load_n(&run->flags, __ATOMIC_SEQ_CST) &
          INGOT_WIRE_STOPPING) != 0;
}

static void request_stop_with(ingot_hook_run *run, int32_t code,
                              const char *message) {
  pthread_mutex_lock(&run->mutex);
  if (!run->stops) {
    run->stop_code = code;
    run->stop_message = strdup(message ? message : "");
    __atomic_store_n(&run->stops, 1, __ATOMIC_SEQ_CST);
  }
  pthread_mutex_unlock(&run->mutex);
}

static void ask_fetch(ingot_hook_run *run, const char *tensor) {
  ingot_wire_put_bytes(&run->fetches, tensor, strlen(tensor));
  ++run->num_fetches;
}

static void put_tensor(ingot_wire *wire, const ingot_hook_tensor *tensor) {
  int64_t count = ingot_wire_count(tensor->rank, tensor->dims), i;
  uint32_t dim;
  ingot_wire_put_bytes(wire, tensor->name, strlen(tensor->name));
  ingot_wire_put_u32(wire, (uint32_t)tensor->dtype);
  ingot_wire_put_u32(wire, tensor->rank);
  for (dim = 0; dim < tensor->rank; ++dim)
    ingot_wire_put_i64(wire, tensor->dims[dim]);
  if (count < 0)
    count = 0;
  if (tensor->dtype == 7) {
    const ingot_hook_string *strings = tensor->data;
    ingot_wire_put_i64(wire, count);
    for (i = 0; i < count; ++i)
      ingot_wire_put_bytes(wire, strings[i].data, strings[i].size);
  } else {
    ingot_wire_put_bytes(wire, tensor->data,
                         (uint64_t)count *
                             ingot_wire_element_size(tensor->dtype));
  }
}

static void give_feed(ingot_hook_run *run, const ingot_hook_tensor *tensor) {
  put_tensor(&run->feeds, tensor);
  ++run->num_feeds;
}

static const ingot_hook_tensor *find_in(const value_list *list,
                                        const char *name) {
  uint32_t i;
  for (i = 0; i < list->count; ++i)
    if (strcmp(list->values[i].asked, name) == 0 ||
        strcmp(list->values[i].name, name) == 0)
      return &list->values[i].tensor;
  return NULL;
}

static const ingot_hook_tensor *find_value(const ingot_hook_run *run,
                                           const char *name) {
  const ingot_hook_tensor *found = find_in(&run->computed, name);
  return found ? found : find_in(&run->fetched, name);
}

static void set_error(ingot_hook_run *run, const char *message) {
  free(run->error);
  run->error = strdup(message);
}

static void put_state(ingot_hook_run *run, const void *data, uint64_t size) {
  ingot_wire_put(&run->state, data, size);
}

static void *take(size_t size) {
  void *memory = calloc(1, size);
  if (!memory) {
    fprintf(stderr, "error: out of memory: %zu bytes for a hook's message\n",
            size);
    abort();
  }
  return memory;
}

static char *copy_text(const char *data, uint64_t size) {
  char *text = take(size + 1);
  memcpy(text, data ? data : "", size);
  text[size] = '\0';
  return text;
}

static void get_tensor(ingot_wire *wire, held_tensor *held) {
  ingot_hook_tensor *tensor = &held->tensor;
  uint64_t size;
  uint32_t dim;
  int64_t i, count;
  const char *data = ingot_wire_get_bytes(wire, &size);
  held->asked = copy_text(data, size);
  data = ingot_wire_get_bytes(wire, &size);
  held->name = copy_text(data, size);
  tensor->dtype = (int32_t)ingot_wire_get_u32(wire);
  tensor->rank = ingot_wire_get_u32(wire);
  held->dims = take((tensor->rank + 1) * sizeof(int64_t));
  for (dim = 0; dim < tensor->rank; ++dim)
    held->dims[dim] = ingot_wire_get_i64(wire);
  if (tensor->dtype == 7) {
    ingot_hook_string *strings;
    char *bytes;
    count = ingot_wire_get_i64(wire);
    /* Allocates the string descriptors and the bytes to which they point as
     * one block, so that one free() releases both. */
    size = (uint64_t)count * sizeof(ingot_hook_string);
    strings = take(size + (wire->size - wire->at) + 1);
    bytes = (char *)strings + size;
    for (i = 0; i < count; ++i) {
      data = ingot_wire_get_bytes(wire, &strings[i].size);
      strings[i].data = bytes;
      if (data)
        memcpy(bytes, data, strings[i].size);
      bytes += strings[i].size;
    }
    held->data = strings;
  } else {
    data = ingot_wire_get_bytes(wire, &size);
    held->data = copy_text(data, size);
  }
  tensor->name = held->name;
  tensor->dims = held->dims;
  tensor->data = held->data;
}

static void drop_values(value_list *list) {
  uint32_t i;
  for (i = 0; i < list->count; ++i) {
    free(list->values[i].asked);
    free(list->values[i].name);
    free(list->values[i].dims);
    free(list->values[i].data);
  }
  free(list->values);
  list->values = NULL;
  list->count = 0;
}

static void get_values(value_list *list, ingot_wire *wire) {
  uint32_t i, count = ingot_wire_get_u32(wire);
  list->values = take((count + (size_t)1) * sizeof(held_tensor));
  for (i = 0; i < count && !wire->failed; ++i)
    get_tensor(wire, &list->values[list->count++]);
}

static int32_t run_entry(ingot_hook_run *run, const char *entry,
                         const ingot_hook_tensor *feeds, uint32_t num_feeds) {
  ingot_wire *wire = &run->ask;
  int32_t code;
  uint32_t i;
  uint64_t size;
  const char *data;
  char *message;
  if (!pthread_equal(run->thread, pthread_self()))
    return INGOT_HOOK_FAILED_PRECONDITION;
  drop_values(&run->computed);
  if (!(run->flags & INGOT_WIRE_IN_SESSION)) {
    set_error(run, "run_entry needs a session: call it from "
                   "after_create_session to end");
    return INGOT_HOOK_FAILED_PRECONDITION;
  }
  ingot_wire_clear(wire);
  ingot_wire_put_u32(wire, INGOT_WIRE_RUN_ENTRY);
  ingot_wire_put_bytes(wire, entry, strlen(entry));
  ingot_wire_put_u32(wire, num_feeds);
  for (i = 0; i < num_feeds; ++i)
    put_tensor(wire, &feeds[i]);
  if (!ingot_wire_send(INGOT_WIRE_DESCRIPTOR, wire) ||
      !ingot_wire_receive(INGOT_WIRE_DESCRIPTOR, wire))
    _exit(0); /* the trainer has ended */
  code = (int32_t)ingot_wire_get_u32(wire);
  data = ingot_wire_get_bytes(wire, &size);
  message = copy_text(data, size);
  set_error(run, message);
  free(message);
  if (code == 0)
    get_values(&run->computed, wire);
  return code;
}

static const ingot_hook_services services = {
    INGOT_HOOK_VERSION, global_step, is_restored,       request_stop,
    should_stop,        ask_fetch,   give_feed,         find_value,
    set_error,          put_state,   request_stop_with, run_entry};

static int32_t refuse_version(ingot_hook_run *run, uint32_t version) {
  char text[192];
  snprintf(text, sizeof(text),
           "it was built for version %u of ingot/hook.h, this trainer has "
           "version %u: rebuild it with the ingot/hook.h of the ingotc that "
           "made the trainer",
           version, INGOT_HOOK_VERSION);
  set_error(run, text);
  return INGOT_HOOK_FAILED_PRECONDITION;
}

/* Creates a hook by calling the library's ingot_hook_create(). Returns its
 * code; a failure's message is in run->error. */
static int32_t create(ingot_hook_run *run, void *library, const char *arguments,
                      ingot_hook *hook) {
  const uint32_t *version = dlsym(library, "ingot_hook_version");
  int32_t (*make)(const ingot_hook_services *, ingot_hook_run *, const char *,
                  ingot_hook *);
  int32_t code;
  *(void **)&make = dlsym(library, "ingot_hook_create");
  if (!make) {
    set_error(run, "it does not export ingot_hook_create: include "
                   "ingot/hook.h, which declares it");
    return INGOT_HOOK_INVALID_ARGUMENT;
  }
  /* A library that was not written in C may not export ingot_hook_version. */
  if (version && *version > INGOT_HOOK_VERSION)
    return refuse_version(run, *version);
  memset(hook, 0, sizeof(*hook));
  hook->version = INGOT_HOOK_VERSION;
  hook->name = "hook";
  code = make(&services, run, arguments, hook);
  if (code == 0 && hook->version > INGOT_HOOK_VERSION)
    return refuse_version(run, hook->version);
  return code;
}

/* Handles INGOT_WIRE_LOAD: loads the library whose path is in `wire`, and
 * creates its hook with the arguments that follow. Returns the reply's code. */
static int32_t load(ingot_hook_run *run, ingot_wire *wire, ingot_hook *hook) {
  uint64_t path_size, arguments_size;
  const char *path_data = ingot_wire_get_bytes(wire, &path_size);
  char *path = copy_text(path_data, path_size);
  const char *arguments_data = ingot_wire_get_bytes(wire, &arguments_size);
  char *arguments = copy_text(arguments_data, arguments_size);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int32_t code = INGOT_HOOK_INVALID_ARGUMENT;
  if (library)
    code = create(run, library, arguments, hook);
  else
    set_error(run, dlerror());
  free(path);
  free(arguments);
  return code;
}

/* The handler of SIGPWR, which the kernel sends when the trainer has died. A
 * callback that still runs then has 5 s until SIGALRM ends the process. */
static void end_soon(int signal) {
  (void)signal;
  alarm(5);
}

static int32_t call(int32_t (*callback)(void *), void *state) {
  return callback ? callback(state) : 0;
}

/* Writes the hook's requests to stop into a reply. Without a session, in which
 * the trainer could obey them, keeps them for a later reply. */
static void put_stop(ingot_hook_run *run, ingot_wire *reply) {
  uint32_t stop = 0;
  int takes = (run->flags & INGOT_WIRE_IN_SESSION) != 0;
  if (takes && __atomic_exchange_n(&run->stop, 0, __ATOMIC_SEQ_CST))
    stop |= INGOT_WIRE_STOP;
  pthread_mutex_lock(&run->mutex);
  if (takes && run->stops && !run->told) {
    stop |= INGOT_WIRE_COORDINATOR_STOP;
    run->told = 1;
  }
  ingot_wire_put_u32(reply, stop);
  ingot_wire_put_u32(reply, (uint32_t)run->stop_code);
  ingot_wire_put_bytes(reply, run->stop_message ? run->stop_message : "",
                       run->stop_message ? strlen(run->stop_message) : 0);
  pthread_mutex_unlock(&run->mutex);
}

/* A new session has a new coordinator. */
static void clear_stop(ingot_hook_run *run) {
  pthread_mutex_lock(&run->mutex);
  __atomic_store_n(&run->stops, 0, __ATOMIC_SEQ_CST);
  run->told = 0;
  free(run->stop_message);
  run->stop_message = NULL;
  pthread_mutex_unlock(&run->mutex);
}

/* Calls a callback about a checkpoint, whose step and prefix are in `wire`. */
static int32_t call_listener(const ingot_hook *hook, uint32_t callback,
                             ingot_wire *wire) {
  int64_t step = ingot_wire_get_i64(wire);
  int32_t code = 0;
  if (callback == INGOT_WIRE_BEFORE_SAVE && hook->before_save)
    code = hook->before_save(hook->state, step);
  if (callback == INGOT_WIRE_SAVER_END && hook->saver_end)
    code = hook->saver_end(hook->state, step);
  if (callback == INGOT_WIRE_AFTER_SAVE && hook->after_save) {
    uint64_t size;
    const char *data = ingot_wire_get_bytes(wire, &size);
    char *prefix = copy_text(data, size);
    code = hook->after_save(hook->state, step, prefix);
    free(prefix);
  }
  return code;
}

/* Calls the callback that a request asks for. Returns its code. */
static int32_t dispatch(ingot_hook_run *run, ingot_hook *hook,
                        uint32_t callback, ingot_wire *request) {
  int32_t code = 0;
  switch (callback) {
  case INGOT_WIRE_LOAD:
    code = load(run, request, hook);
    break;
  case INGOT_WIRE_BEGIN:
    code = call(hook->begin, hook->state);
    break;
  case INGOT_WIRE_AFTER_CREATE_SESSION:
    clear_stop(run);
    code = call(hook->after_create_session, hook->state);
    break;
  case INGOT_WIRE_BEFORE_RUN:
    code = call(hook->before_run, hook->state);
    break;
  case INGOT_WIRE_AFTER_RUN:
    get_values(&run->fetched, request);
    code = call(hook->after_run, hook->state);
    drop_values(&run->fetched);
    break;
  case INGOT_WIRE_SAVE_STATE:
    ingot_wire_clear(&run->state);
    code = call(hook->save_state, hook->state);
    break;
  case INGOT_WIRE_RESTORE_STATE: {
    uint64_t size;
    const char *data = ingot_wire_get_bytes(request, &size);
    if (hook->restore_state)
      code = hook->restore_state(hook->state, data, size);
    break;
  }
  case INGOT_WIRE_SAVER_BEGIN:
    code = call(hook->saver_begin, hook->state);
    break;
  case INGOT_WIRE_BEFORE_SAVE:
  case INGOT_WIRE_AFTER_SAVE:
  case INGOT_WIRE_SAVER_END:
    code = call_listener(hook, callback, request);
    break;
  case INGOT_WIRE_END:
    __atomic_store_n(&run->ending, 1, __ATOMIC_SEQ_CST);
    code = call(hook->end, hook->state);
    break;
  }
  return code;
}

int main(void) {
  ingot_hook_run run;
  ingot_hook hook;
  ingot_wire request, reply;
  signal(SIGPWR, end_soon);
  memset(&run, 0, sizeof(run));
  run.thread = pthread_self();
  pthread_mutex_init(&run.mutex, NULL);
  memset(&hook, 0, sizeof(hook));
  memset(&request, 0, sizeof(request));
  memset(&reply, 0, sizeof(reply));
  while (ingot_wire_receive(INGOT_WIRE_DESCRIPTOR, &request)) {
    uint32_t callback = ingot_wire_get_u32(&request);
    int32_t code;
    run.step = ingot_wire_get_i64(&request);
    __atomic_store_n(&run.flags, ingot_wire_get_u32(&request),
                     __ATOMIC_SEQ_CST);
    set_error(&run, "");
    ingot_wire_clear(&run.fetches);
    ingot_wire_clear(&run.feeds);
    run.num_fetches = run.num_feeds = 0;
    code = dispatch(&run, &hook, callback, &request);
    drop_values(&run.computed);
    /* Flushes what the callback has printed, so that it appears before what the
     * trainer prints after the reply. */
    fflush(NULL);
    ingot_wire_clear(&reply);
    ingot_wire_put_u32(&reply, INGOT_WIRE_REPLY);
    ingot_wire_put_u32(&reply, (uint32_t)code);
    ingot_wire_put_bytes(&reply, run.error, strlen(run.error));
    put_stop(&run, &reply);
    if (callback == INGOT_WIRE_LOAD) {
      const char *name = hook.name ? hook.name : "hook";
      ingot_wire_put_bytes(&reply, name, strlen(name));
      ingot_wire_put_u32(&reply, (uint32_t)hook.priority);
      ingot_wire_put_u32(&reply, hook.saver_begin || hook.before_save ||
                                     hook.after_save || hook.saver_end);
    } else if (callback == INGOT_WIRE_BEFORE_RUN) {
      ingot_wire_put_u32(&reply, run.num_fetches);
      ingot_wire_put(&reply, run.fetches.data, run.fetches.size);
      ingot_wire_put_u32(&reply, run.num_feeds);
      ingot_wire_put(&reply, run.feeds.data, run.feeds.size);
    }
    if (callback == INGOT_WIRE_SAVE_STATE)
      ingot_wire_put_bytes(&reply, run.state.data, run.state.size);
    if (!ingot_wire_send(INGOT_WIRE_DESCRIPTOR, &reply))
      break;
  }
  __atomic_store_n(&run.ending, 1, __ATOMIC_SEQ_CST);
  if (hook.destroy)
    hook.destroy(hook.state);
  fflush(NULL);
  /* Unlike exit(), _exit() does not wait for threads or run handlers of the
   * library. */
  _exit(0);
}
