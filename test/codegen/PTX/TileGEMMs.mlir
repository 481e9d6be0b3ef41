// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-ptx-tile-gemms | FileCheck %s
// RUN: ingot-opt %s --split-input-file --ingot-ptx-tile-gemms=precision=tf32 | FileCheck %s --check-prefix=TF32
// RUN: ingot-opt %s --split-input-file --ingot-ptx-tile-gemms=precision=bf16 | FileCheck %s --check-prefix=BF16
// RUN: not ingot-opt %s --ingot-ptx-tile-gemms=precision=f8 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: unknown precision 'f8': expected f32, tf32, bf16 or f16
// RUN: ingot-opt %s --split-input-file --ingot-ptx-tile-gemms="precision=bf16 tensor-cores=warpgroup" | FileCheck %s --check-prefix=WGMMA

// 64 tiles of 32 by 32. The GEMM and its epilogue stay in registers: the
// temporary is gone.

// CHECK-LABEL: func.func private @layer(
// CHECK-SAME: host.grid = array<i64: 64, 1>, host.kernel, host.threads = 256 : i64

// On tensor cores, shared memory has two stages of both operands with 64 bytes of
// K each; elements loaded during one step are rounded for the next one.

// TF32-LABEL: func.func private @layer(
// TF32-SAME: host.grid = array<i64: 16, 1>, host.kernel, host.threads = 256 : i64
// TF32: memref.alloc() {alignment = 1024 : i64} : memref<16384xi8>
// TF32: llvm.inline_asm "cvt.rna.tf32.f32 $0, $1;"
// TF32: scf.for
// TF32:   gpu.barrier
// TF32:   vector.load %{{.*}} {alignment = 16 : i64} : memref<256x200xf32>, vector<4xf32>
// TF32:   nvvm.ldmatrix
// TF32:   llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// TF32:   nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>
// TF32:   llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// TF32:   scf.yield
// Both sums of a row in a fragment are one access.
// TF32: vector.load %{{.*}} {alignment = 8 : i64} : memref<256xf32>, vector<2xf32>
// TF32: vector.store %{{.*}} {alignment = 8 : i64} : memref<256x256xf32>, vector<2xf32>
// TF32: } {host.by_threads}

// Two elements in 32 bits; an operand across K is transposed as it is read.

// BF16-LABEL: func.func private @layer(
// BF16: llvm.inline_asm "cvt.rn.bf16x2.f32 $0, $1, $2;"
// BF16: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
// BF16: nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<row>
// BF16: nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>
// BF16: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>

// Two warpgroups load and round, two others multiply 64 rows each, reading shared
// memory themselves, after a fence.

// WGMMA-LABEL: func.func private @layer(
// WGMMA-SAME: host.grid = array<i64: 8, 1>
// WGMMA-SAME: host.threads = 512 : i64
// WGMMA: memref.alloc() {alignment = 1024 : i64, host.dynamic_memory}
// WGMMA: scf.for
// WGMMA:   vector.load %{{.*}} {alignment = 16 : i64} : memref<256x200xf32>, vector<4xf32>
// WGMMA:   mbarrier.try_wait.parity
// WGMMA:   llvm.inline_asm "cvt.rn.bf16x2.f32 $0, $1, $2;"
// WGMMA:   llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
// WGMMA:   fence.proxy.async.shared::cta;
// WGMMA:   mbarrier.arrive.shared::cta
// WGMMA: mbarrier.try_wait.parity
// WGMMA: wgmma.fence.sync.aligned;
// WGMMA-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}} p, 1, 1, 0, 1; }
// WGMMA: wgmma.commit_group.sync.aligned;
// WGMMA: wgmma.wait_group.sync.aligned 1;
// WGMMA: wgmma.wait_group.sync.aligned 0;
func.func private @layer(%a: memref<256x200xf32>, %w: memref<200x256xf32>, %bias: memref<256xf32>, %o: memref<256x256xf32>) attributes {host.kernel} {
  // CHECK-NOT: memref<256x256xf32> to
  // CHECK: scf.execute_region no_inline
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // Two stages of 16 steps. The next one is loaded, two elements at a time,
  // while this one is multiplied, and stored afterwards: along K element by
  // element, across K as it is.
  // CHECK: memref.alloc() : memref<4608xi8>
  // CHECK: %[[SUMS:.*]]:5 = scf.for %{{.*}} iter_args(
  // CHECK:   gpu.barrier
  // CHECK:   %[[NEXT:.*]]:2 = scf.if
  // CHECK:     vector.load %{{.*}} : memref<256x200xf32>, vector<2xf32>
  // CHECK:     vector.load %{{.*}} : memref<200x256xf32>, vector<2xf32>
  // CHECK:   memref.load %{{.*}} : memref<32x18xvector<2xf32>>
  // CHECK:   math.fma
  // CHECK-COUNT-2: memref.store %{{.*}} : memref<32x36xf32>
  // CHECK:   memref.store %[[NEXT]]#1, %{{.*}} : memref<32x18xvector<2xf32>>
  // CHECK-NOT: gpu.barrier
  // CHECK:   scf.yield
  // The last 8 steps of the sum are no whole stage.
  // CHECK: gpu.barrier
  // CHECK: math.fma
  // No tile reaches over the end: nothing is asked.
  // CHECK-NOT: scf.if
  // CHECK:   vector.load %{{.*}} {alignment = 8 : i64} : memref<256xf32>, vector<2xf32>
  // CHECK-COUNT-2: arith.addf
  // CHECK:   vector.store %{{.*}} {alignment = 8 : i64} : memref<256x256xf32>, vector<2xf32>
  // CHECK: } {host.by_threads}
  // CHECK-NOT: linalg.
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<256x256xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<256x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<256x200xf32>, memref<200x256xf32>) outs(%t : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%t, %bias : memref<256x256xf32>, memref<256xf32>) outs(%o : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A dynamic M: a grid that is linear in it, with at least three tiles for each
// 64 rows.

// CHECK-LABEL: func.func private @dynamic(
// CHECK-SAME: host.grid = array<i64: 126, 64, 1, 3>
func.func private @dynamic(%a: memref<?x256xf32>, %w: memref<256x192xf32>, %o: memref<?x192xf32>) attributes {host.kernel} {
  // CHECK: memref.load %{{.*}} : memref<?x192xf32>
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<?x256xf32>, memref<256x192xf32>) outs(%o : memref<?x192xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Transposed operands are read in place; a GEMM with many tiles has tiles of 128
// by 128, in which a thread has 64 elements.

// CHECK-LABEL: func.func private @transposed(
// CHECK-SAME: host.grid = array<i64: 256, 1>
func.func private @transposed(%a: memref<512x2048xf32>, %w: memref<2048x512xf32>, %o: memref<2048x2048xf32>) attributes {host.kernel} {
  // CHECK: scf.for %{{.*}} iter_args(%{{.*}} -> (f32, f32
  // CHECK-COUNT-64: math.fma
  // CHECK: memref.store %{{.*}} : memref<32x33xvector<4xf32>>
  // CHECK-COUNT-4: memref.store %{{.*}} : memref<32x132xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<2048x2048xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<512x2048xf32>, memref<2048x512xf32>) outs(%o : memref<2048x2048xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// No block may write memory that another one reads: here the second operand is
// updated by its own GEMM.

// CHECK-LABEL: func.func private @in_place(
// CHECK-NOT: gpu.block_id
func.func private @in_place(%a: memref<256x256xf32>, %w: memref<256x256xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<256x256xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<256x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<256x256xf32>, memref<256x256xf32>) outs(%t : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<256x256xf32>) outs(%w : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.subf %y, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A batch of GEMMs of 16-bit floats: tensor cores multiply in the operands'
// type. Each GEMM has four tiles; the block's number selects GEMM and tile.

// CHECK-LABEL: func.func private @batch(
// CHECK-SAME: host.grid = array<i64: 32, 1>
func.func private @batch(%a: memref<8x128x64xbf16>, %w: memref<8x128x64xbf16>, %o: memref<8x128x128xf32>) attributes {host.kernel} {
  // CHECK: %[[BATCH:.*]] = arith.divui
  // Nothing is rounded: numbers are copied, three steps ahead.
  // CHECK: memref.alloc() {alignment = 1024 : i64} : memref<24576xi8>
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = {{ ?}}cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // CHECK: nvvm.cp.async.commit.group
  // CHECK: scf.for
  // CHECK: nvvm.cp.async.wait.group 1{{$}}
  // CHECK: gpu.barrier
  // CHECK-NOT: inline_asm
  // CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<8x128x128xf32>)
  linalg.generic {indexing_maps = [affine_map<(s, m, k, n) -> (s, m, k)>, affine_map<(s, m, k, n) -> (s, n, k)>, affine_map<(s, m, k, n) -> (s, m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
      ins(%a, %w : memref<8x128x64xbf16>, memref<8x128x64xbf16>) outs(%o : memref<8x128x128xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %0 = arith.mulf %wx, %wy : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Implicit GEMM: patches are read where they are multiplied, several channels at
// a time; im2col has no memory.

// CHECK-LABEL: func.func private @convolution(
// CHECK-NOT: memref<8x8x8x4x16xf32>
// CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<8x9x9x16xf32>, vector<2xf32>
// CHECK: math.fma
// CHECK-NOT: memref<8x8x8x4x16xf32>
// TF32-LABEL: func.func private @convolution(
// TF32: vector.load %{{.*}} {alignment = 16 : i64} : memref<8x9x9x16xf32>, vector<4xf32>
// TF32: nvvm.mma.sync
// TF32-NOT: memref<8x8x8x4x16xf32>
func.func private @convolution(%x: memref<8x9x9x16xf32>, %w: memref<64x32xf32>, %o: memref<512x32xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %p = memref.alloc() : memref<8x8x8x4x16xf32>
  linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      outs(%p : memref<8x8x8x4x16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %r = linalg.index 1 : index
    %s = linalg.index 2 : index
    %t = linalg.index 3 : index
    %ch = linalg.index 4 : index
    %kr = arith.divui %t, %c2 : index
    %ks = arith.remui %t, %c2 : index
    %row = arith.addi %r, %kr : index
    %column = arith.addi %s, %ks : index
    %value = memref.load %x[%i, %row, %column, %ch] : memref<8x9x9x16xf32>
    linalg.yield %value : f32
  }
  %a = memref.collapse_shape %p [[0, 1, 2], [3, 4]] : memref<8x8x8x4x16xf32> into memref<512x64xf32>
  linalg.fill ins(%zero : f32) outs(%o : memref<512x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<512x64xf32>, memref<64x32xf32>) outs(%o : memref<512x32xf32>) {
  ^bb0(%in: f32, %y: f32, %s: f32):
    %0 = arith.mulf %in, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// A scalar of the epilogue, here the learning rate of Adam, may be computed
// after the GEMM. Each block computes it for itself, and the epilogue updates
// several buffers in place.

// CHECK-LABEL: func.func private @scalar_after(
// CHECK-SAME: host.grid = array<i64: 64, 1>
// CHECK: linalg.generic {{.*}}iterator_types = []
// CHECK: scf.execute_region no_inline
// CHECK: math.fma
// CHECK: vector.store %{{.*}} : memref<256x256xf32>, vector<2xf32>
// CHECK: vector.store %{{.*}} : memref<256x256xf32>, vector<2xf32>
// CHECK: } {host.by_threads}
// CHECK-NOT: linalg.
func.func private @scalar_after(%a: memref<200x256xf32>, %b: memref<200x256xf32>, %power: memref<f32>, %w: memref<256x256xf32>, %moment: memref<256x256xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %t = memref.alloc() : memref<256x256xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<256x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<200x256xf32>, memref<200x256xf32>) outs(%t : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  %rate = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%power : memref<f32>) outs(%rate : memref<f32>) {
  ^bb0(%x: f32, %s: f32):
    %0 = arith.subf %one, %x : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%t, %rate : memref<256x256xf32>, memref<f32>) outs(%w, %moment : memref<256x256xf32>, memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32, %m: f32):
    %0 = arith.addf %m, %x : f32
    %1 = arith.mulf %0, %y : f32
    %2 = arith.subf %old, %1 : f32
    linalg.yield %2, %0 : f32, f32
  }
  return
}

// -----

// A scalar that reads an element of the result, which another block may write:
// not tiled.

// CHECK-LABEL: func.func private @scalar_of_result(
// CHECK-NOT: gpu.block_id
// CHECK: return
func.func private @scalar_of_result(%a: memref<200x256xf32>, %b: memref<200x256xf32>, %w: memref<256x256xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<256x256xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<256x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<200x256xf32>, memref<200x256xf32>) outs(%t : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  %rate = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [affine_map<() -> (0, 0)>, affine_map<() -> ()>], iterator_types = []}
      ins(%t : memref<256x256xf32>) outs(%rate : memref<f32>) {
  ^bb0(%x: f32, %s: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> (m, n)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%t, %rate : memref<256x256xf32>, memref<f32>) outs(%w : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The same, where the element is loaded between the GEMM and its epilogue.

// CHECK-LABEL: func.func private @load_of_result(
// CHECK-NOT: gpu.block_id
// CHECK: return
func.func private @load_of_result(%a: memref<200x256xf32>, %b: memref<200x256xf32>, %w: memref<256x256xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %t = memref.alloc() : memref<256x256xf32>
  linalg.fill ins(%zero : f32) outs(%t : memref<256x256xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<200x256xf32>, memref<200x256xf32>) outs(%t : memref<256x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  %first = memref.load %t[%c0, %c0] : memref<256x256xf32>
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<256x256xf32>) outs(%w : memref<256x256xf32>) {
  ^bb0(%x: f32, %old: f32):
    %0 = arith.mulf %x, %first : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The gradient of a filter, split along K: each part is an implicit GEMM of its
// own. The other operand is a view of an argument, so four elements are loaded
// at once.

// CHECK-LABEL: func.func private @parts(
// CHECK-SAME: host.grid = array<i64: 64, 1>
// CHECK-NOT: memref.alloc() : memref<16x16x16x4x16xf32>
// CHECK: math.fma
// TF32-LABEL: func.func private @parts(
// TF32: vector.load %{{.*}} {alignment = 16 : i64} : memref<16x17x17x16xf32>, vector<4xf32>
// TF32: vector.load %{{.*}} {alignment = 16 : i64} : memref<32x128x32xf32>, vector<4xf32>
// TF32: nvvm.mma.sync
// TF32-NOT: memref<16x16x16x4x16xf32>
func.func private @parts(%x: memref<16x17x17x16xf32>, %g: memref<4096x32xf32>, %o: memref<32x64x32xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %p = memref.alloc() : memref<16x16x16x4x16xf32>
  linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      outs(%p : memref<16x16x16x4x16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %r = linalg.index 1 : index
    %s = linalg.index 2 : index
    %t = linalg.index 3 : index
    %ch = linalg.index 4 : index
    %kr = arith.divui %t, %c2 : index
    %ks = arith.remui %t, %c2 : index
    %row = arith.addi %r, %kr : index
    %column = arith.addi %s, %ks : index
    %value = memref.load %x[%i, %row, %column, %ch] : memref<16x17x17x16xf32>
    linalg.yield %value : f32
  }
  %a = memref.collapse_shape %p [[0, 1, 2], [3, 4]] : memref<16x16x16x4x16xf32> into memref<4096x64xf32>
  %wide = memref.expand_shape %g [[0, 1], [2]] output_shape [32, 128, 32] : memref<4096x32xf32> into memref<32x128x32xf32>
  linalg.fill ins(%zero : f32) outs(%o : memref<32x64x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(s, m, n, k) -> (s * 128 + k, m)>, affine_map<(s, m, n, k) -> (s, k, n)>, affine_map<(s, m, n, k) -> (s, m, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %wide : memref<4096x64xf32>, memref<32x128x32xf32>) outs(%o : memref<32x64x32xf32>) {
  ^bb0(%in: f32, %y: f32, %s: f32):
    %0 = arith.mulf %in, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// An operand whose innermost dimension is the batch: neighbours in memory are
// of other GEMMs, so elements are loaded one by one.

// CHECK-LABEL: func.func private @batch_inside(
// CHECK-NOT: vector.load %{{.*}} : memref<128x64x8xf32>
// CHECK: memref.load %{{.*}} : memref<128x64x8xf32>
// TF32-LABEL: func.func private @batch_inside(
// TF32-NOT: vector.load %{{.*}} : memref<128x64x8xf32>
// TF32: memref.load %{{.*}} : memref<128x64x8xf32>
func.func private @batch_inside(%a: memref<128x64x8xf32>, %w: memref<8x64x128xf32>, %o: memref<8x128x128xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<8x128x128xf32>)
  linalg.generic {indexing_maps = [affine_map<(s, m, n, k) -> (m, k, s)>, affine_map<(s, m, n, k) -> (s, k, n)>, affine_map<(s, m, n, k) -> (s, m, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<128x64x8xf32>, memref<8x64x128xf32>) outs(%o : memref<8x128x128xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// A small result has tiles of 32 by 32, so that more blocks compute it. Two
// neighbours are loaded at once.

// CHECK-LABEL: func.func private @small(
// CHECK-SAME: host.grid = array<i64: 32, 1>
// CHECK: scf.for
// CHECK: memref.store %{{.*}} : memref<32x18xvector<2xf32>>
func.func private @small(%a: memref<64x160xf32>, %w: memref<160x512xf32>, %o: memref<64x512xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<64x512xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<64x160xf32>, memref<160x512xf32>) outs(%o : memref<64x512xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// A narrow result has long tiles of 128 by 32.

// CHECK-LABEL: func.func private @narrow(
// CHECK-SAME: host.grid = array<i64: 512, 1>
// CHECK: scf.for
// CHECK: memref.store %{{.*}} : memref<32x18xvector<2xf32>>
func.func private @narrow(%a: memref<65536x48xf32>, %w: memref<48x32xf32>, %o: memref<65536x32xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<65536x32xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<65536x48xf32>, memref<48x32xf32>) outs(%o : memref<65536x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// A flat result has wide tiles of 32 by 128.

// CHECK-LABEL: func.func private @flat(
// CHECK-SAME: host.grid = array<i64: 512, 1>
// CHECK: scf.for
// CHECK: memref.store %{{.*}} : memref<32x33xvector<4xf32>>
func.func private @flat(%a: memref<24x48xf32>, %w: memref<48x65536xf32>, %o: memref<24x65536xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<24x65536xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<24x48xf32>, memref<48x65536xf32>) outs(%o : memref<24x65536xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Few columns, such as of classes: an exact tile, whatever the precision.

// CHECK-LABEL: func.func private @classes(
// CHECK-SAME: host.grid = array<i64: 2, 1>
// TF32-LABEL: func.func private @classes(
// TF32-SAME: host.grid = array<i64: 2, 1>
// TF32-NOT: cvt.rna
// TF32: math.fma
func.func private @classes(%a: memref<64x128xf32>, %w: memref<128x10xf32>, %o: memref<64x10xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<64x10xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<64x128xf32>, memref<128x10xf32>) outs(%o : memref<64x10xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// Too few multiplications for a tile.

// CHECK-LABEL: func.func private @tiny(
// CHECK-NOT: gpu.block_id
// CHECK: return
func.func private @tiny(%a: memref<16x128xf32>, %w: memref<128x16xf32>, %o: memref<16x16xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<16x16xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<16x128xf32>, memref<128x16xf32>) outs(%o : memref<16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
