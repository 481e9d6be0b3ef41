/*===- FakeNccl.c - Libraries that are refused --------------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL by its functions' names only: of a version that is too old, or with a */
/* function missing (LACKING).                                                */
/*===----------------------------------------------------------------------===*/

#ifdef LACKING
#define VERSION 21803
#else
#define VERSION 21304
int ncclCommInitRankConfig(void) { return 0; }
#endif

int ncclGetVersion(int *version) {
  *version = VERSION;
  return 0;
}
const char *ncclGetErrorString(int error) { return "error"; }
const char *ncclGetLastError(void *comm) { return ""; }
int ncclGetUniqueId(void *id) { return 0; }
int ncclCommGetAsyncError(void *comm, int *error) { return 0; }
int ncclCommAbort(void *comm) { return 0; }
int ncclGroupStart(void) { return 0; }
int ncclGroupEnd(void) { return 0; }
int ncclSend(void) { return 0; }
int ncclRecv(void) { return 0; }
int ncclAllGather(void) { return 0; }
