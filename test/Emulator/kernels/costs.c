// SPDX-License-Identifier: Apache-2.0
// Kernels whose requests of memory the cost model's tests know. costs.ll is made
// of this file by Clang 22:
//   clang --target=nvptx64-nvidia-cuda -Xclang -target-feature -Xclang +ptx70 -march=sm_80 -nogpulib -O1
//     -fno-vectorize -S -emit-llvm costs.c -o - |
//     sed '1i ; SPDX-License-Identifier: Apache-2.0
//       s/^%struct.Registers.*//; s/%struct.Registers/{ i32, i32, i32, i32 }/' > costs.ll

#define KERNEL __attribute__((device_kernel)) void
#define SHARED __attribute__((address_space(3)))
#define TID __nvvm_read_ptx_sreg_tid_x()
#define SYNC __nvvm_bar_sync(0)

// y[i] = x[i * stride + offset]
KERNEL strided(const float *x, float *y, int stride, int offset) {
  y[TID] = x[TID * stride + offset];
}

// Four neighbours of a thread, which NVPTX loads and stores at once.
KERNEL four(const float *__restrict x, float *__restrict y) {
  x = __builtin_assume_aligned(x, 16);
  y = __builtin_assume_aligned(y, 16);
  float a = x[TID * 4], b = x[TID * 4 + 1], c = x[TID * 4 + 2], d = x[TID * 4 + 3];
  y[TID * 4] = a, y[TID * 4 + 1] = b, y[TID * 4 + 2] = c, y[TID * 4 + 3] = d;
}

// Lane i makes i % 4 + 1 iterations, each with one word of its row; all lanes
// begin each of two rounds together.
KERNEL uneven(const float *x, float *y) {
  float sum = 0;
  for (int round = 0; round < 2; ++round)
    for (unsigned i = 0; i <= TID % 4; ++i)
      sum += x[(round * 4 + i) * 32 + TID];
  y[TID] = sum;
}

// Only even lanes.
KERNEL half(const float *x, float *y) {
  if (TID % 2 == 0)
    y[TID / 2] = x[TID / 2];
}

// Columns of a tile whose rows have `width` words.
static SHARED float tile[32 * 33];
KERNEL columns(float *y, int width) {
  for (int row = 0; row < 32; ++row)
    tile[row * width + TID] = row;
  SYNC;
  y[TID] = tile[TID * width];
}

// All lanes read one word, then add to it.
static SHARED int counter;
KERNEL one_word(int *total) {
  if (TID == 0)
    counter = 0;
  SYNC;
  __atomic_fetch_add(&counter, counter, __ATOMIC_RELAXED);
  __atomic_fetch_add(total, 1, __ATOMIC_RELAXED);
}

// 16 bytes a lane, in rows of `bytes`.
typedef float float4 __attribute__((vector_size(16)));
static SHARED float4 groups[32 * 8];
KERNEL rows_of_groups(float *y, int groupsPerRow) {
  groups[TID * groupsPerRow] = (float4){1, 2, 3, 4};
  SYNC;
  y[TID] = groups[TID * groupsPerRow][0];
}

// Four matrices of 8 by 8 16-bit numbers, in rows of `groupsPerRow` 16 bytes.
struct Registers {
  int a, b, c, d;
};
struct Registers ldmatrix(SHARED void *) __asm__("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3");
KERNEL matrices(int *y, int groupsPerRow) {
  for (int i = 0; i < 8; ++i)
    groups[TID * 8 + i] = (float4){1, 2, 3, 4};
  SYNC;
  struct Registers r = ldmatrix((SHARED void *)&groups[TID * groupsPerRow]);
  y[TID] = r.a + r.b + r.c + r.d;
}

// Copies of 16 bytes a lane, of which the last lane's is all padding.
KERNEL copies(const float4 *x, float *y) {
  __nvvm_cp_async_cg_shared_global_16((SHARED void *)&groups[TID],
                                      (const __attribute__((address_space(1))) void *)&x[TID], TID == 31 ? 0 : 16);
  __nvvm_cp_async_wait_all();
  SYNC;
  y[TID] = groups[31 - TID][0];
}
