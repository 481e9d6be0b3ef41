// RUN: ingot-opt %s --ingot-cpu-place-scratch | FileCheck %s

// Small scratch lives on the stack, taken once though it was allocated in a
// loop; large scratch is the caller's, which allocates it in its arena.

// CHECK-LABEL: func.func private @small(
// CHECK-SAME:    %{{.*}}: memref<64xf32>) attributes {host.kernel}
func.func private @small(%o: memref<64xf32>) attributes {host.kernel} {
  // CHECK: %[[T:.*]] = memref.alloca() {alignment = 64 : i64} : memref<64xf32>
  // CHECK: scf.for
  // CHECK-NOT: memref.alloc
  // CHECK: memref.copy %[[T]], %{{.*}}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %t = memref.alloc() : memref<64xf32>
    memref.copy %t, %o : memref<64xf32> to memref<64xf32>
  }
  return
}

// CHECK-LABEL: func.func private @large(
// CHECK-SAME:    %[[O:[^:]*]]: memref<128x128xf32>, %[[T:[^:]*]]: memref<128x128xf32>) attributes {host.kernel}
func.func private @large(%o: memref<128x128xf32>) attributes {host.kernel} {
  // CHECK-NOT: memref.alloc
  // CHECK: memref.copy %[[T]], %[[O]]
  %t = memref.alloc() : memref<128x128xf32>
  memref.copy %t, %o : memref<128x128xf32> to memref<128x128xf32>
  return
}

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[V:[^:]*]]: memref<128x128xf32>)
func.func @step(%v: memref<128x128xf32>) {
  // CHECK: %[[SCRATCH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<128x128xf32>
  // CHECK: host.launch @large outs(%[[V]], %[[SCRATCH]] : memref<128x128xf32>, memref<128x128xf32>)
  host.launch @large outs(%v : memref<128x128xf32>)
  return
}
