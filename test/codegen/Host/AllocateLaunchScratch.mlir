// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-host-allocate-launch-scratch | FileCheck %s

// As many bytes as the kernel's declaration asks for, as its last argument.

// CHECK: func.func private @large(memref<4xf32>, memref<4096xi8>) attributes {host.kernel, host.scratch = 4096 : i64}
func.func private @large(memref<4xf32>) attributes {host.kernel, host.scratch = 4096 : i64}
// CHECK: func.func private @small(memref<4xf32>) attributes {host.kernel}
func.func private @small(memref<4xf32>) attributes {host.kernel}

// CHECK-LABEL: func.func @step
func.func @step(%w: memref<4xf32>) {
  // CHECK: %[[SCRATCH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
  // CHECK: host.launch @large outs(%{{.*}}, %[[SCRATCH]] : memref<4xf32>, memref<4096xi8>)
  host.launch @large outs(%w : memref<4xf32>)
  // CHECK: host.launch @small outs(%{{.*}} : memref<4xf32>)
  host.launch @small outs(%w : memref<4xf32>)
  return
}
