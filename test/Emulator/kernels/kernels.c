// SPDX-License-Identifier: Apache-2.0
// Kernels that the emulator's tests run, and such with planted faults.
// kernels.ll is made of this file by Clang 22:
//   clang --target=nvptx64-nvidia-cuda -Xclang -target-feature -Xclang +ptx70 -march=sm_80 -nogpulib -O1
//     -fno-vectorize -S -emit-llvm kernels.c -o - |
//     sed 's/^%struct.Registers.*//; s/%struct.Registers/{ float, float, float, float }/' > kernels.ll

#define KERNEL __attribute__((device_kernel)) void
#define SHARED __attribute__((address_space(3)))
typedef long long i64;
typedef SHARED void *shared_ptr;

#define TID __nvvm_read_ptx_sreg_tid_x()
#define BLOCK __nvvm_read_ptx_sreg_ctaid_x()
#define THREADS __nvvm_read_ptx_sreg_ntid_x()
#define SYNC __nvvm_bar_sync(0)
// The first instruction of a kernel that may start before its predecessor ends.
void wait_for_kernels_before(void) __asm__("llvm.nvvm.griddepcontrol.wait");

KERNEL saxpy(const float *x, float *y, i64 n, float factor) {
  i64 i = (i64)BLOCK * THREADS + TID;
  if (i < n)
    y[i] = factor * x[i] + y[i];
}

// Planted: one element too many.
KERNEL saxpy_one_more(const float *x, float *y, i64 n, float factor) {
  i64 i = (i64)BLOCK * THREADS + TID;
  if (i <= n)
    y[i] = factor * x[i] + y[i];
}

static float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2)
    value += __nvvm_shfl_sync_bfly_f32(~0u, value, step, 31);
  return value;
}

// A row a block: lanes, then warps, in shared memory.
#define ROW_SUM(name, PARTS, BEFORE)                                           \
  static SHARED float name##_parts[32];                                        \
  KERNEL name(const float *x, float *sums, i64 n) {                            \
    wait_for_kernels_before();                                                 \
    float sum = 0;                                                             \
    for (i64 i = TID; i < n; i += THREADS)                                     \
      sum += x[BLOCK * n + i];                                                 \
    sum = warp_sum(sum);                                                       \
    if (TID % 32 == 0)                                                         \
      name##_parts[TID / 32] = sum;                                            \
    BEFORE;                                                                    \
    if (TID < 32) {                                                            \
      sum = warp_sum(TID < PARTS ? name##_parts[TID] : 0);                     \
      if (TID == 0)                                                            \
        sums[BLOCK] = sum;                                                     \
    }                                                                          \
  }
ROW_SUM(row_sum, THREADS / 32, SYNC)
// Planted: no barrier between writes and reads.
ROW_SUM(row_sum_no_barrier, THREADS / 32, )
// Planted: reads a part that no warp has written.
ROW_SUM(row_sum_unwritten, THREADS / 32 + 1, SYNC)

// Planted: half of the block is gone when the others wait.
KERNEL half_a_barrier(float *x) {
  if (TID < THREADS / 2)
    SYNC;
  x[TID] = 1;
}

// Planted: lanes of one warp meet at two places.
KERNEL half_a_shuffle(float *x) {
  float value = TID;
  if (TID % 2)
    value = __nvvm_shfl_sync_bfly_f32(~0u, value, 1, 31);
  x[TID] = value;
}

// 32 x 32 elements by 32 x 8 threads; columns of the tile are swizzled.
#define TRANSPOSE(name, READ)                                                  \
  static SHARED float name##_tile[32 * 32];                                    \
  KERNEL name(const float *x, float *y) {                                      \
    wait_for_kernels_before();                                                 \
    int lane = TID % 32;                                                       \
    for (int row = TID / 32; row < 32; row += 8)                               \
      name##_tile[row * 32 + (lane ^ row)] = x[row * 32 + lane];               \
    SYNC;                                                                      \
    for (int row = TID / 32; row < 32; row += 8)                               \
      y[row * 32 + lane] = name##_tile[lane * 32 + (READ)];                    \
  }
TRANSPOSE(transpose, row ^ lane)
// Planted: another swizzle than that of the writes.
TRANSPOSE(transpose_wrong_swizzle, row ^ (lane >> 1))

// Each thread takes over from its neighbour.
#define ROTATE(name, LAST)                                                     \
  static SHARED float name##_row[256];                                         \
  KERNEL name(float *x, int times) {                                           \
    name##_row[TID] = x[TID];                                                  \
    for (int i = 0; i < times; ++i) {                                          \
      SYNC;                                                                    \
      float value = name##_row[(TID + 1) % THREADS];                           \
      LAST;                                                                    \
      name##_row[TID] = value;                                                 \
    }                                                                          \
    x[TID] = name##_row[TID];                                                  \
  }
ROTATE(rotate, SYNC)
// Planted: a write may come before the neighbour's read.
ROTATE(rotate_race, )

// Each block stores a partial sum; the last one adds them in order of index.
static SHARED int is_last;
KERNEL last_block_sum(const float *x, float *parts, int *counter, float *sum) {
  float part = warp_sum(x[BLOCK * 32 + TID]);
  if (TID == 0) {
    parts[BLOCK] = part;
    __nvvm_membar_gl();
    unsigned blocks = __nvvm_read_ptx_sreg_nctaid_x();
    is_last = __nvvm_atom_add_gen_i(counter, 1) == (int)blocks - 1;
  }
  SYNC;
  if (is_last && TID == 0) {
    float all = 0;
    for (unsigned i = 0; i < __nvvm_read_ptx_sreg_nctaid_x(); ++i)
      all += parts[i];
    *sum = all;
    *counter = 0;
  }
}

// Copies that are waited for, or not.
#define ASYNC(name, WAIT)                                                      \
  static SHARED float name##_row[128];                                         \
  KERNEL name(const float *x, float *y) {                                      \
    name##_row[TID] = -1;                                                      \
    __nvvm_cp_async_ca_shared_global_4(                                        \
        (shared_ptr)&name##_row[TID],                                          \
        (const __attribute__((address_space(1))) void *)&x[TID]);              \
    __nvvm_cp_async_commit_group();                                            \
    WAIT;                                                                      \
    SYNC;                                                                      \
    y[TID] = name##_row[THREADS - 1 - TID];                                    \
  }
ASYNC(async_reverse, __nvvm_cp_async_wait_group(0))
// Planted: no wait for the copies.
ASYNC(async_reverse_no_wait, )

// C (16 x 8) = A (16 x 16) B (16 x 8) in bfloat16, by one warp. B is stored by
// columns, so that a register is two of its elements.
struct Registers {
  float a, b, c, d;
};
struct Registers mma(int, int, int, int, int, int, float, float, float, float)
    __asm__("llvm.nvvm.mma.m16n8k16.row.col.bf16");
KERNEL multiply_bf16(const int *a, const int *b, float *c) {
  int group = TID / 4, place = TID % 4;
  int ra[4], rb[2];
  for (int i = 0; i < 4; ++i)
    ra[i] = a[(group + i % 2 * 8) * 8 + place + i / 2 * 4];
  for (int i = 0; i < 2; ++i)
    rb[i] = b[group * 8 + place + i * 4];
  struct Registers sums =
      mma(ra[0], ra[1], ra[2], ra[3], rb[0], rb[1], 0, 0, 0, 0);
  float *first = c + group * 8 + place * 2;
  first[0] = sums.a, first[1] = sums.b;
  first[64] = sums.c, first[65] = sums.d;
}

// Blocks that run side by side: each adds one to its numbers, and to these those of the next block, once all have.
void cluster_arrive(void) __asm__("llvm.nvvm.barrier.cluster.arrive");
void cluster_wait(void) __asm__("llvm.nvvm.barrier.cluster.wait");
#define RELEASE __atomic_thread_fence(__ATOMIC_ACQ_REL)
#define MEET(BEFORE, FENCE, ORDER, AFTER)                                      \
  BEFORE;                                                                      \
  if (TID == 0) {                                                              \
    FENCE;                                                                     \
    __scoped_atomic_fetch_add(counter, 1, __ATOMIC_RELAXED,                    \
                              __MEMORY_SCOPE_DEVICE);                          \
    while (__scoped_atomic_load_n(counter, ORDER, __MEMORY_SCOPE_DEVICE) <     \
           __nvvm_read_ptx_sreg_nctaid_x())                                    \
      ;                                                                        \
  }                                                                            \
  AFTER
#define NEIGHBOURS(name, ...)                                                  \
  KERNEL neighbours_##name(float *x, float *y, unsigned *counter) {            \
    unsigned next = (BLOCK + 1) % __nvvm_read_ptx_sreg_nctaid_x();             \
    x[BLOCK * THREADS + TID] += 1;                                             \
    __VA_ARGS__;                                                               \
    y[BLOCK * THREADS + TID] += x[next * THREADS + THREADS - 1 - TID];         \
  }
NEIGHBOURS(grid, MEET(SYNC, RELEASE, __ATOMIC_ACQUIRE, SYNC))
NEIGHBOURS(cluster, cluster_arrive(); cluster_wait())
// Planted: no wait; a part of the grid-wide barrier is missing; a block does not arrive.
NEIGHBOURS(alone, )
NEIGHBOURS(no_barrier_before, MEET(, RELEASE, __ATOMIC_ACQUIRE, SYNC))
NEIGHBOURS(no_fence, MEET(SYNC, , __ATOMIC_ACQUIRE, SYNC))
NEIGHBOURS(no_acquire, MEET(SYNC, RELEASE, __ATOMIC_RELAXED, SYNC))
NEIGHBOURS(no_barrier_behind, MEET(SYNC, RELEASE, __ATOMIC_ACQUIRE, ))
NEIGHBOURS(one_missing, if (BLOCK != 1) { MEET(SYNC, RELEASE, __ATOMIC_ACQUIRE, SYNC); })
NEIGHBOURS(no_cluster_wait, cluster_arrive())
