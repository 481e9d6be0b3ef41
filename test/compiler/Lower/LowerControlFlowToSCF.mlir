// SPDX-License-Identifier: Apache-2.0
// Branches and loops work on buffers that are allocated before them.
// RUN: ingot-opt %s -ingot-lower-control-flow-to-scf | FileCheck %s

// CHECK-LABEL: func.func @branches
// CHECK: %[[M:.*]] = memref.alloc() {{.*}}: memref<4xf32>
// CHECK: %[[C:.*]] = tensor.extract %{{.*}}[] : tensor<i1>
// CHECK: scf.if %[[C]] {
// CHECK:   bufferization.materialize_in_destination %{{.*}} in restrict writable %[[M]]
// CHECK: } else {
// CHECK:   bufferization.materialize_in_destination %{{.*}} in restrict writable %[[M]]
// CHECK: bufferization.to_tensor %[[M]] restrict : memref<4xf32>
func.func @branches(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %y = ingot.if %c : tensor<i1> -> (tensor<4xf32>) {
    ingot.result %a : tensor<4xf32>
  } else {
    ingot.result %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// Swapped loop-carried values are copied before they are overwritten; a tensor
// of dynamic shape is passed on.
// CHECK-LABEL: func.func @loop
// CHECK-DAG: %[[A:.*]] = memref.alloc() {{.*}}: memref<f32>
// CHECK-DAG: %[[B:.*]] = memref.alloc() {{.*}}: memref<f32>
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (memref<?xf32>) -> memref<?xf32> {
// CHECK:   scf.condition(%{{.*}}) %{{.*}} : memref<?xf32>
// CHECK: } do {
// CHECK:   %[[OLD_B:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) : tensor<f32>
// CHECK:   %[[OLD_A:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) : tensor<f32>
// CHECK:   scf.yield %{{.*}} : memref<?xf32>
func.func @loop(%a: tensor<f32>, %b: tensor<f32>, %x: tensor<?xf32>, %c: tensor<i1>) -> tensor<?xf32> {
  %r:3 = ingot.while(%a, %b, %x) : (tensor<f32>, tensor<f32>, tensor<?xf32>) -> (tensor<f32>, tensor<f32>, tensor<?xf32>) test {
  ^bb0(%i: tensor<f32>, %j: tensor<f32>, %k: tensor<?xf32>):
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<f32>, %j: tensor<f32>, %k: tensor<?xf32>):
    ingot.result %j, %i, %x : tensor<f32>, tensor<f32>, tensor<?xf32>
  }
  return %r#2 : tensor<?xf32>
}

// An accumulator, such as a loop's gradient of a weight, is updated in place.

func.func private @add(%x: tensor<4xf32>, %sum: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  return %sum : tensor<4xf32>
}

// CHECK-LABEL: func.func @adds_up
// CHECK: %[[SUM:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK: scf.while
// CHECK: bufferization.to_tensor %[[SUM]] restrict :
// CHECK: } do {
// CHECK: bufferization.to_tensor %{{.*}} restrict :
// CHECK: %[[OLD:.*]] = bufferization.to_tensor %[[SUM]] restrict writable :
// CHECK: %[[NEW:.*]] = host.launch @add ins(%{{.*}}) outs(%[[OLD]] : tensor<4xf32>)
// CHECK: bufferization.materialize_in_destination %[[NEW]] in restrict writable %[[SUM]]
func.func @adds_up(%more: tensor<i1>, %x: tensor<4xf32>, %zero: tensor<4xf32>) -> tensor<4xf32> {
  %r:2 = ingot.while(%more, %zero) : (tensor<i1>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>) test {
  ^bb0(%m: tensor<i1>, %s: tensor<4xf32>):
    ingot.condition %m : tensor<i1>
  } body {
  ^bb0(%m: tensor<i1>, %s: tensor<4xf32>):
    %n = host.launch @add ins(%x : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    ingot.result %m, %n : tensor<i1>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// Rows are written to the loop's own tensor, which starts uninitialized.
// CHECK-LABEL: func.func @rows
// CHECK: %[[I:.*]] = memref.alloc() {{.*}}: memref<i32>
// CHECK: %[[R:.*]] = memref.alloc() {{.*}}: memref<5x16xf32>
// CHECK-NOT: materialize_in_destination {{.*}} %[[R]]
// CHECK: scf.while
// CHECK: do
// CHECK: bufferization.to_tensor %[[R]] restrict writable
// CHECK: tensor.insert_slice
func.func @rows(%x: tensor<16xf32>, %i: tensor<i32>, %n: index) -> tensor<5x16xf32> {
  %room = tensor.empty() : tensor<5x16xf32>
  %f:2 = ingot.while(%i, %room) : (tensor<i32>, tensor<5x16xf32>) -> (tensor<i32>, tensor<5x16xf32>) test {
  ^bb0(%k: tensor<i32>, %r: tensor<5x16xf32>):
    %c = arith.constant dense<true> : tensor<i1>
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%k: tensor<i32>, %r: tensor<5x16xf32>):
    %s = tensor.insert_slice %x into %r[%n, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<5x16xf32>
    ingot.result %k, %s : tensor<i32>, tensor<5x16xf32>
  }
  return %f#1 : tensor<5x16xf32>
}

// Slices that the process has are a loop. Their parts of an input are read in
// place where they begin at an aligned address, here the first input's; sums go
// to the runtime, what is kept stays in a buffer.
// CHECK-LABEL: func.func @slices
// CHECK: %[[KEPT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x4xf32>
// CHECK: %[[RANGE:.*]]:2 = host.call "ingot_op_slice_range" node "" options {slices = 4 : i64}
// CHECK: %[[FIRST:.*]] = arith.index_cast
// CHECK: %[[LAST:.*]] = arith.index_cast
// CHECK: scf.for %[[SLICE:.*]] = %[[FIRST]] to %[[LAST]]
// CHECK: %[[X:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, 0] [8, 4] [1, 1]
// CHECK: %[[Y:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}] [1] [1] : tensor<4xi32> to tensor<1xi32>
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[Y]])
// CHECK: %[[PLACE:.*]] = memref.subview %[[KEPT]][%{{.*}}, 0] [8, 4] [1, 1]
// CHECK: bufferization.materialize_in_destination %[[X]] in restrict writable %[[PLACE]]
// CHECK: host.call "ingot_op_exchange_add" node "" options {bucket = 0 : i64, elements = array<i64: 1>, index = 0 : i64, kind = 1 : i64, slices = 4 : i64} ins(%{{.*}}, %[[COPY]], %{{.*}} : tensor<i64>, tensor<1xi32>, tensor<i64>)
// CHECK: bufferization.to_tensor %[[KEPT]]
// CHECK: host.call "ingot_op_exchange_finish" node "" options {bucket = 0 : i64, elements = array<i64: 1>, index = 0 : i64, kind = 1 : i64, shape = array<i64: 1>, slices = 4 : i64}
// The next region's bucket has the next number. Slices of unknown size are
// cut by the batch's, and empty ones left out.
// CHECK: host.call "ingot_op_slice_range"
// CHECK: scf.for
// CHECK: %[[ROWS:.*]] = arith.subi
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[ROWS]], %{{.*}} : index
// CHECK: scf.if %[[ANY]]
// CHECK: host.call "ingot_op_exchange_add" node "" options {bucket = 1 : i64, index = 0 : i64, kind = 4 : i64, slices = 4 : i64}
// CHECK: host.call "ingot_op_exchange_finish" node "" options {bucket = 1 : i64, index = 0 : i64, kind = 4 : i64, shape = array<i64: -1, 4>, slices = 4 : i64} ins({{.*}} -> tensor<?x4xf32>
func.func @slices(%x: tensor<32x4xf32>, %y: tensor<4xi32>, %z: tensor<?x4xf32>) -> (tensor<1xi32>, tensor<?x4xf32>) {
  %sum, %kept = ingot.slice_region(%x, %y) slices 4 cuts [0, 0] exchanges ["sum", "keep"] joins [0, 0]
      : (tensor<32x4xf32>, tensor<4xi32>) -> (tensor<1xi32>, tensor<32x4xf32>) {
  ^bb0(%rows: tensor<8x4xf32>, %labels: tensor<1xi32>):
    ingot.result %labels, %rows : tensor<1xi32>, tensor<8x4xf32>
  }
  %all = ingot.slice_region(%z) slices 4 cuts [0] exchanges ["gather"] joins [0] : (tensor<?x4xf32>) -> tensor<?x4xf32> {
  ^bb0(%rows: tensor<?x4xf32>):
    ingot.result %rows : tensor<?x4xf32>
  }
  return %sum, %all : tensor<1xi32>, tensor<?x4xf32>
}

// A sum of 4096 bytes is combined in an array of places: bit_width(4) of them.
// A slice's value is stored at place popcount(slice), and the sum at place 0.
// CHECK-LABEL: func.func @sums_in_place
// CHECK: %[[PLACES:.*]] = memref.alloc() {alignment = 64 : i64} : memref<3x32x32xf32>
// CHECK: scf.for %[[SLICE:.*]] =
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[SLICE]] : index to i64
// CHECK: %[[BITS:.*]] = math.ctpop %[[NUMBER]] : i64
// CHECK: %[[AT:.*]] = arith.index_cast %[[BITS]] : i64 to index
// CHECK: %[[PLACE:.*]] = memref.subview %[[PLACES]][%[[AT]], 0, 0] [1, 32, 32] [1, 1, 1]
// CHECK: %[[ROWS:.*]] = tensor.extract_slice
// CHECK: bufferization.materialize_in_destination %[[ROWS]] in restrict writable %[[PLACE]]
// CHECK: host.call "ingot_op_exchange_add" node "" options {{{.*}}in_place = 1 : i64{{.*}}} ins(%{{.*}}, %[[PLACES]], %{{.*}} : tensor<i64>, memref<3x32x32xf32>, tensor<i64>)
// CHECK: host.call "ingot_op_exchange_finish_in_place" node "" options {{{.*}}in_place = 1 : i64{{.*}}} ins(%{{.*}}, %[[PLACES]] : tensor<i64>, memref<3x32x32xf32>)
// CHECK: %[[FIRST:.*]] = memref.subview %[[PLACES]][0, 0, 0] [1, 32, 32] [1, 1, 1]
// CHECK: bufferization.to_tensor %[[FIRST]] restrict :
func.func @sums_in_place(%x: tensor<128x32xf32>) -> tensor<32x32xf32> {
  %sum = ingot.slice_region(%x) slices 4 cuts [0] exchanges ["sum"] joins [0] : (tensor<128x32xf32>) -> tensor<32x32xf32> {
  ^bb0(%rows: tensor<32x32xf32>):
    ingot.result %rows : tensor<32x32xf32>
  }
  return %sum : tensor<32x32xf32>
}

// A slice that checks indices says which rows of the batch it has.
// CHECK-LABEL: func.func @checks
// CHECK: scf.for
// CHECK: host.call "ingot_op_slice_rows" node "" options {} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<i64>, tensor<i64>, tensor<i64>)
// CHECK: ingot.require_indices %{{.*}}, %{{.*}} {kind = "gather", row_dim = 0 : i64}
func.func @checks(%i: tensor<8xi32>, %limits: tensor<1xi64>) -> tensor<2xi32> {
  %sum = ingot.slice_region(%i) slices 4 cuts [0] exchanges ["sum"] joins [0] : (tensor<8xi32>) -> tensor<2xi32> {
  ^bb0(%part: tensor<2xi32>):
    ingot.require_indices %part, %limits {kind = "gather", row_dim = 0 : i64} : (tensor<2xi32>, tensor<1xi64>) -> ()
    ingot.result %part : tensor<2xi32>
  }
  return %sum : tensor<2xi32>
}

// Sums of one type are exchanged in a bucket. A sum of 1 MiB has a bucket of its
// own, which is exchanged in the last slice, while the slice's other sums are
// computed. The bucket of these is exchanged after the loop.
// CHECK-LABEL: func.func @buckets
// CHECK: scf.for
// CHECK: %[[WIDE:.*]] = tensor.concat
// CHECK-NEXT: bufferization.materialize_in_destination %[[WIDE]]
// CHECK: host.call "ingot_op_exchange_add" node "" options {bucket = 4 : i64, elements = array<i64: 262144>, in_place = 1 : i64, index = 0 : i64, kind = 1 : i64, slices = 4 : i64, starts = 1 : i64}
// CHECK: arith.negf
// CHECK: arith.fptosi
// CHECK: host.call "ingot_op_exchange_add" node "" options {bucket = 5 : i64, elements = array<i64: 4, 4>, index = 0 : i64, kind = 1 : i64, slices = 4 : i64}
// CHECK: host.call "ingot_op_exchange_add" node "" options {bucket = 5 : i64, elements = array<i64: 4, 4>, index = 1 : i64, kind = 1 : i64, slices = 4 : i64}
// CHECK: host.call "ingot_op_exchange_add" node "" options {bucket = 6 : i64, elements = array<i64: 4>, index = 0 : i64, kind = 1 : i64, slices = 4 : i64}
// CHECK: host.call "ingot_op_exchange_finish_in_place" node "" options {bucket = 4 : i64,
// CHECK: host.call "ingot_op_exchange_finish" node "" options {bucket = 5 : i64, {{.*}}index = 0 : i64,
// CHECK: host.call "ingot_op_exchange_finish" node "" options {bucket = 5 : i64, {{.*}}index = 1 : i64,
// CHECK: host.call "ingot_op_exchange_finish" node "" options {bucket = 6 : i64,
func.func @buckets(%x: tensor<16xf32>, %y: tensor<524288xf32>)
    -> (tensor<4xi32>, tensor<4xf32>, tensor<262144xf32>, tensor<4xf32>) {
  %a, %b, %c, %d = ingot.slice_region(%x, %y) slices 4 cuts [0, 0] exchanges ["sum", "sum", "sum", "sum"] joins [0, 0, 0, 0]
      : (tensor<16xf32>, tensor<524288xf32>) -> (tensor<4xi32>, tensor<4xf32>, tensor<262144xf32>, tensor<4xf32>) {
  ^bb0(%rows: tensor<4xf32>, %part: tensor<131072xf32>):
    %wide = tensor.concat dim(0) %part, %part : (tensor<131072xf32>, tensor<131072xf32>) -> tensor<262144xf32>
    %negated = arith.negf %rows : tensor<4xf32>
    %rounded = arith.fptosi %rows : tensor<4xf32> to tensor<4xi32>
    ingot.result %rounded, %negated, %wide, %rows : tensor<4xi32>, tensor<4xf32>, tensor<262144xf32>, tensor<4xf32>
  }
  return %a, %b, %c, %d : tensor<4xi32>, tensor<4xf32>, tensor<262144xf32>, tensor<4xf32>
}
