// RUN: ingot-opt %s --ingot-cpu-convert-to-llvm | FileCheck %s

// A runtime call that fails ends the entry with its code, before anything
// that follows; one that succeeds goes on.

// CHECK-LABEL: llvm.func @local_init
// CHECK-SAME:    (%[[CTX:[^:]*]]: !llvm.ptr,
func.func @local_init(%ctx: !llvm.ptr, %arena: !llvm.ptr, %vars: !llvm.ptr, %feeds: !llvm.ptr, %fetches: !llvm.ptr) -> i32 {
  // CHECK: %[[FIRST:.*]] = llvm.call @ingot_rt_iterator_make(%[[CTX]], %{{.*}}) : (!llvm.ptr, i32) -> i32
  // CHECK: %[[FAILED:.*]] = llvm.icmp "ne" %[[FIRST]], %{{.*}} : i32
  // CHECK: llvm.cond_br %[[FAILED]], ^[[LEAVE:.*]], ^[[NEXT:.*]]
  // CHECK: ^[[LEAVE]]:
  // CHECK-NEXT: llvm.return %[[FIRST]] : i32
  // CHECK: ^[[NEXT]]:
  host.iterator_make 0
  // CHECK: llvm.call @ingot_rt_iterator_make
  host.iterator_make 1
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// A kernel with a grid is handed to the runtime's threads; one without is
// called with its whole range.

func.func private @small(%table: !llvm.ptr, %begin: i64, %end: i64) attributes {host.kernel} {
  return
}
func.func private @large(%table: !llvm.ptr, %begin: i64, %end: i64) attributes {host.kernel, host.grid = 16 : i64, host.flops = 1000 : i64, host.bytes = 2000 : i64} {
  return
}
// CHECK-LABEL: llvm.func @step
// CHECK-SAME:    (%[[CTX:[^:]*]]: !llvm.ptr, %[[ARENA:[^:]*]]: !llvm.ptr,
func.func @step(%ctx: !llvm.ptr, %arena: !llvm.ptr, %vars: !llvm.ptr, %feeds: !llvm.ptr, %fetches: !llvm.ptr) -> i32 {
  // CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
  // CHECK-DAG: llvm.getelementptr %{{.*}}[3] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %w = host.bind %vars[3] : memref<4xf32>
  // CHECK-DAG: llvm.getelementptr %[[ARENA]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %t = host.slice %arena[64] : memref<4xf32>
  // CHECK: llvm.call @ingot_rt_enter(%[[CTX]], %[[NODE:.*]]) : (!llvm.ptr, !llvm.ptr) -> ()
  // CHECK: llvm.call @small(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, i64, i64) -> ()
  host.launch @small ins(%w : memref<4xf32>) outs(%t : memref<4xf32>)
  // What may be looked at for NaNs: 4 floats.
  // CHECK: llvm.call @ingot_rt_computed(%[[CTX]], %[[NODE]], %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
  // CHECK: %[[LARGE:.*]] = llvm.mlir.addressof @large
  // CHECK: llvm.call @ingot_rt_grid(%[[CTX]], %[[LARGE]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64, i64, i64, !llvm.ptr) -> ()
  host.launch @large ins(%w : memref<4xf32>) outs(%t : memref<4xf32>)
  %zero = arith.constant 0 : i32
  return %zero : i32
}
