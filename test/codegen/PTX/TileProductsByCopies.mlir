// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file "--ingot-ptx-tile-gemms=tensor-cores=warpgroup" | FileCheck %s --check-prefixes=CHECK,GROUP
// RUN: ingot-opt %s --split-input-file "--ingot-ptx-tile-gemms=tensor-cores=tensor-memory" | FileCheck %s --check-prefixes=CHECK,MEMORY
// RUN: ingot-opt %s --split-input-file "--ingot-ptx-tile-gemms=tensor-cores=warp" | FileCheck %s --check-prefix=WARP
// RUN: not ingot-opt %s "--ingot-ptx-tile-gemms=tensor-cores=threads" 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: unknown value 'threads' of option 'tensor-cores': expected warp, warpgroup or tensor-memory

// bf16 operands in memory are loaded by bulk tensor copies: boxes of 64 steps of
// K for 128 rows of the first operand, and 64 steps by 64 columns of the second,
// four of them for 256 columns. 2048 rows and columns are 128 such tiles.

// CHECK: memref.global "private" @layer_map0 : memref<128xi8>
// CHECK: memref.global "private" @layer_map1 : memref<128xi8>
// CHECK-LABEL: func.func private @layer(
// CHECK-SAME: host.grid = array<i64: 128, 1>
// CHECK-SAME: host.maps = [array<i64: 0, 2, 2048, 0, 128, 512, 0, 64>, array<i64: 1, 2, 512, 0, 64, 2048, 0, 64>]
// CHECK-SAME: host.persistent
// GROUP-SAME: host.threads = 384 : i64
// MEMORY-SAME: host.threads = 288 : i64
// WARP-LABEL: func.func private @layer(
// WARP-NOT: host.persistent
// WARP: nvvm.mma.sync
func.func private @layer(%a: memref<2048x512xbf16>, %w: memref<512x2048xbf16>, %o: memref<2048x2048xf32>) attributes {host.kernel} {
  // Four stages of 48 KiB, a slab, and barriers that one thread makes.
  // CHECK: memref.alloc() {alignment = 1024 : i64, host.dynamic_memory} : memref<{{2[0-9]+}}xi8>
  // CHECK: scf.if
  // CHECK-COUNT-8: mbarrier.init
  // CHECK: fence.mbarrier_init.release.cluster;
  // MEMORY: tcgen05.alloc.cta_group::1
  // MEMORY: tcgen05.relinquish_alloc_permit
  // CHECK: gpu.barrier

  // One lane goes through the block's tiles and the steps of their sums.
  // GROUP: setmaxnreg.dec.sync.aligned.u32 $0;
  // CHECK: elect.sync
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
  // CHECK: scf.for
  // CHECK: mbarrier.try_wait.parity
  // CHECK: mbarrier.arrive.expect_tx
  // CHECK-COUNT-5: cp.async.bulk.tensor.2d
  // CHECK-NOT: cp.async.bulk.tensor.2d

  // GROUP: setmaxnreg.inc.sync.aligned.u32 $0;
  // GROUP: scf.for
  // GROUP: scf.for
  // GROUP: mbarrier.try_wait.parity
  // GROUP: wgmma.fence.sync.aligned;
  // GROUP-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {{.*}} p, 1, 1, 0, 1; }
  // GROUP: wgmma.commit_group.sync.aligned;
  // While these are multiplied, those of the step before are given back.
  // GROUP: wgmma.wait_group.sync.aligned 1;
  // GROUP: mbarrier.arrive.shared::cta
  // GROUP: wgmma.wait_group.sync.aligned 0;
  // GROUP: mbarrier.arrive.shared::cta
  // GROUP: bar.sync
  // GROUP: memref.store %{{.*}} : memref<2048x2048xf32>

  // A group of warps writes what one thread has had multiplied.
  // MEMORY: tcgen05.fence::after_thread_sync;
  // MEMORY: tcgen05.ld.sync.aligned.32x32b.x32.b32
  // MEMORY-SAME: tcgen05.wait::ld.sync.aligned;
  // MEMORY: bar.sync
  // MEMORY: memref.store %{{.*}} : memref<2048x2048xf32>
  // MEMORY: tcgen05.fence::before_thread_sync;
  // MEMORY: elect.sync
  // MEMORY: mbarrier.try_wait.parity
  // MEMORY: mbarrier.try_wait.parity
  // MEMORY: tcgen05.fence::after_thread_sync;
  // MEMORY-COUNT-4: tcgen05.mma.cta_group::1.kind::f16
  // MEMORY: tcgen05.commit
  // MEMORY: tcgen05.commit
  // MEMORY: gpu.barrier
  // MEMORY: tcgen05.dealloc
  // CHECK: } {host.by_threads}
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<2048x2048xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<2048x512xbf16>, memref<512x2048xbf16>) outs(%o : memref<2048x2048xf32>) {
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

// Rows that are not multiples of 16 bytes are loaded by threads.

// CHECK-LABEL: func.func private @odd(
// CHECK-NOT: cp.async.bulk
// WARP-LABEL: func.func private @odd(
func.func private @odd(%a: memref<512x500xbf16>, %w: memref<500x509xbf16>, %o: memref<512x509xf32>) attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<512x509xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : memref<512x500xbf16>, memref<500x509xbf16>) outs(%o : memref<512x509xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %0 = arith.mulf %wx, %wy : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
