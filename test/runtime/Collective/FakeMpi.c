/*===- FakeMpi.c - An MPI library of one process ------------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* With the binary interface of MPI 5, whose constants it insists on: handles */
/* of another interface are errors. -DUNKNOWN: with none of the interfaces.   */
/* -DFUNNELED: only the thread that initialized MPI may wait and finalize.    */
/*===----------------------------------------------------------------------===*/
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  World = 0x101,
  Byte = 0x247,
  Return = 0x143,
  Funneled = 1024,
  Serialized = 2048
};
enum {
  BadComm = 5,
  BadType = 3,
  BadHandler = 53,
  BadLevel = 60,
  BadThread = 61
};

static pthread_t first;

static int checkThread(void) {
#ifdef FUNNELED
  return pthread_equal(first, pthread_self()) ? 0 : BadThread;
#else
  return 0;
#endif
}

#ifndef UNKNOWN
int MPI_Abi_get_version(int *major, int *minor) {
  *major = 1;
  *minor = 0;
  return 0;
}
#endif

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  first = pthread_self();
#ifdef FUNNELED
  *provided = Funneled;
#else
  *provided = required;
#endif
  return required == Serialized ? 0 : BadLevel;
}
int MPI_Comm_rank(uintptr_t comm, int *rank) {
  *rank = 0;
  return comm == World ? 0 : BadComm;
}
int MPI_Comm_size(uintptr_t comm, int *size) {
  *size = 1;
  return comm == World ? 0 : BadComm;
}
int MPI_Comm_set_errhandler(uintptr_t comm, uintptr_t handler) {
  return comm != World ? BadComm : handler != Return ? BadHandler : 0;
}
int MPI_Isend(const void *data, int count, uintptr_t type, int to, int tag,
              uintptr_t comm, void *request) {
  return type == Byte ? 0 : BadType;
}
int MPI_Irecv(void *data, int count, uintptr_t type, int from, int tag,
              uintptr_t comm, void *request) {
  return type == Byte ? 0 : BadType;
}
int MPI_Iallgatherv(const void *data, int count, uintptr_t type, void *all,
                    const int *counts, const int *offsets, uintptr_t allType,
                    uintptr_t comm, void *request) {
  return allType == Byte ? 0 : BadType;
}
int MPI_Ibcast(void *data, int count, uintptr_t type, int root, uintptr_t comm,
               void *request) {
  return type == Byte ? 0 : BadType;
}
int MPI_Testall(int count, void *requests, int *done, void *statuses) {
  *done = 1;
  return checkThread();
}
int MPI_Iprobe(int from, int tag, uintptr_t comm, int *found, void *status) {
  *found = 0;
  return checkThread();
}
int MPI_Abort(uintptr_t comm, int code) { return 0; }
int MPI_Finalize(void) {
  return pthread_equal(first, pthread_self()) ? 0 : BadThread;
}
int MPI_Error_string(int error, char *text, int *length) {
  strcpy(text, error == BadComm      ? "invalid communicator"
               : error == BadType    ? "invalid datatype"
               : error == BadHandler ? "invalid error handler"
                                     : "invalid level");
  *length = (int)strlen(text);
  return 0;
}
int MPI_Get_library_version(char *text, int *length) {
  strcpy(text, "Fake MPI v5.0, for tests");
  *length = (int)strlen(text);
  return 0;
}
