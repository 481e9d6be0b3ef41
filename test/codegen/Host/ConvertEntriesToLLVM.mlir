// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-host-convert-entries-to-llvm | FileCheck %s

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

// -----

// A run is one call with a table of rows, twelve bytes each: number of the
// kernel, slot of its arguments, place of its node's name. Kernels are numbered
// as they stand in the module, where nothing is left of them.

// CHECK-NOT: @first
// CHECK-NOT: @second
func.func private @first(memref<4xf32>) attributes {host.kernel}
func.func private @second(memref<?xf32>) attributes {host.kernel}

// CHECK-LABEL: llvm.func @step
// CHECK-SAME:    (%[[CTX:[^:]*]]: !llvm.ptr, %[[ARENA:[^:]*]]: !llvm.ptr,
func.func @step(%ctx: !llvm.ptr, %arena: !llvm.ptr, %vars: !llvm.ptr, %feeds: !llvm.ptr, %fetches: !llvm.ptr) -> i32 attributes {host.arguments = [#host.argument<8, arena, 0>]} {
  %x = host.bind_tensor %feeds[0] : memref<?xf32>
  // The address, followed by the size.
  // CHECK: %[[FIRST:.*]] = llvm.mlir.constant(72 : i64) : i64
  // CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[ARENA]][%[[FIRST]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  // CHECK: llvm.store %{{.*}}, %[[SLOT]] : !llvm.ptr, !llvm.ptr
  // CHECK: %[[SECOND:.*]] = llvm.mlir.constant(80 : i64) : i64
  // CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[ARENA]][%[[SECOND]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  // CHECK: llvm.store %{{.*}}, %[[NEXT]] : i64, !llvm.ptr
  host.set_argument %arena[72], %x : memref<?xf32>
  // CHECK: %[[ROWS:.*]] = llvm.mlir.addressof @[[TABLE:launches_[0-9a-f]+]]
  // CHECK: llvm.call @ingot_rt_run(%[[CTX]], %[[ARENA]], %[[ROWS]], %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
  host.run %arena [@second, @first] arguments [72, 64] nodes ["MatMul", "Relu"]
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// CHECK: llvm.mlir.global internal constant @[[TABLE]]("\01\00\00\00\09\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\08\00\00\00\07\00\00\00\01\00\00\00")
// CHECK: llvm.mlir.global external constant @ingot_arguments_step("\08\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
// CHECK: llvm.mlir.global external constant @ingot_nodes("MatMul\00Relu\00\00")

// -----

// A product of sizes that 63 bits cannot hold asks for memory that there is not.

// CHECK-LABEL: llvm.func @large
func.func @large(%ctx: !llvm.ptr, %arena: !llvm.ptr, %vars: !llvm.ptr, %feeds: !llvm.ptr, %fetches: !llvm.ptr) -> i32 {
  %x = host.bind_tensor %feeds[0] : memref<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  // CHECK: "llvm.intr.smul.with.overflow"
  // CHECK: "llvm.intr.smul.with.overflow"
  // CHECK: %[[LOST:.*]] = llvm.or
  // CHECK: %[[SIZE:.*]] = llvm.select %[[LOST]]
  // CHECK: llvm.call @ingot_rt_allocate(%{{.*}}, %[[SIZE]])
  %b = host.allocate(%n, %m) : memref<?x?xf32>
  host.release %b : memref<?x?xf32>
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// -----

// A call without tensors, which reports that sizes do not match.

// CHECK-LABEL: llvm.func @refused
func.func @refused(%ctx: !llvm.ptr, %arena: !llvm.ptr, %vars: !llvm.ptr, %feeds: !llvm.ptr, %fetches: !llvm.ptr) -> i32 {
  // CHECK: llvm.call @ingot_op_refuse
  host.call "ingot_op_refuse" node "range" options {text = "Requires delta != 0"} dtypes [] to []
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// -----

// A copy that the runtime makes, on the side with the bytes, is a call.

// CHECK-LABEL: llvm.func @copies
// CHECK-SAME:    (%[[CTX:[^:]*]]: !llvm.ptr,
func.func @copies(%ctx: !llvm.ptr, %arena: !llvm.ptr, %vars: !llvm.ptr, %feeds: !llvm.ptr, %fetches: !llvm.ptr) -> i32 {
  %loss = host.slice %arena[64] : memref<3xf32>
  %fetched = host.bind_tensor %fetches[0] : memref<3xf32>
  // CHECK: %[[LOSS:.*]] = llvm.insertvalue %{{.*}}, %{{.*}}[4, 0]
  // CHECK: %[[FETCHED:.*]] = llvm.insertvalue %{{.*}}, %{{.*}}[4, 0]
  // CHECK: %[[TO:.*]] = llvm.extractvalue %[[FETCHED]][1]
  // CHECK: %[[FROM:.*]] = llvm.extractvalue %[[LOSS]][1]
  // CHECK: %[[SIZE:.*]] = llvm.mlir.constant(12 : i64) : i64
  // CHECK: llvm.call @ingot_rt_copy(%[[CTX]], %[[TO]], %[[FROM]], %[[SIZE]]) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
  memref.copy %loss, %fetched {host.copied_there} : memref<3xf32> to memref<3xf32>
  // CHECK-NOT: ingot_rt_copy
  // CHECK: llvm.intr.memcpy
  memref.copy %loss, %fetched : memref<3xf32> to memref<3xf32>
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// -----

// The address of a row is that of its first element.

// CHECK-LABEL: llvm.func @row
func.func @row(%ctx: !llvm.ptr, %arena: !llvm.ptr, %vars: !llvm.ptr, %feeds: !llvm.ptr, %fetches: !llvm.ptr) -> i32 {
  %rows = host.slice %arena[64] : memref<5x4xf32>
  %row = memref.reinterpret_cast %rows to offset: [8], sizes: [4], strides: [1] : memref<5x4xf32> to memref<4xf32, strided<[1], offset: 8>>
  // CHECK: %[[OFFSET:.*]] = llvm.extractvalue %{{.*}}[2]
  // CHECK: %[[ROW:.*]] = llvm.getelementptr %{{.*}}[%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK: llvm.store %[[ROW]], %{{.*}} : !llvm.ptr, !llvm.ptr
  host.set_argument %arena[192], %row : memref<4xf32, strided<[1], offset: 8>>
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// -----

// In an arena of more than 2 GiB, the slots of its tables are where 32 bits
// cannot say.

// CHECK-LABEL: llvm.func @large
// CHECK: %[[PLACE:.*]] = llvm.mlir.constant(2819786848 : i64) : i64
// CHECK: llvm.getelementptr %{{.*}}[%[[PLACE]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
func.func @large(%ctx: !llvm.ptr, %arena: !llvm.ptr, %vars: !llvm.ptr, %feeds: !llvm.ptr, %fetches: !llvm.ptr) -> i32 {
  %x = host.bind_tensor %feeds[0] : memref<4xf32>
  host.set_argument %arena[2819786848], %x : memref<4xf32>
  %zero = arith.constant 0 : i32
  return %zero : i32
}
