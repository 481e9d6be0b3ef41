// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-host-bufferize-entries --canonicalize --cse --canonicalize | FileCheck %s

// Kernels' code does not matter here.

// CHECK: func.func private @update(memref<4xf32>, memref<4xf32>) attributes {host.kernel}
func.func private @update(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel}

// The update happens in the variable's storage unless its old value is still
// wanted, as by a fetch: then that is set aside first.

// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[W:[^:]*]]: memref<4xf32>, %[[G:[^:]*]]: memref<4xf32>)
func.func @step(%ws: memref<4xf32>, %gs: memref<4xf32>) {
  // CHECK-NOT: memref.alloc
  // CHECK: host.launch @update ins(%[[G]] : memref<4xf32>) outs(%[[W]] : memref<4xf32>)
  // CHECK-NOT: memref.copy
  // CHECK: return
  %w = bufferization.to_tensor %ws restrict writable : memref<4xf32> to tensor<4xf32>
  %g = bufferization.to_tensor %gs restrict : memref<4xf32> to tensor<4xf32>
  %n = host.launch @update ins(%g : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %n in restrict writable %ws : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @fetches_old(
// CHECK-SAME:    %[[W:[^:]*]]: memref<4xf32>, %[[G:[^:]*]]: memref<4xf32>, %[[F:[^:]*]]: memref<4xf32>)
func.func @fetches_old(%ws: memref<4xf32>, %gs: memref<4xf32>, %fs: memref<4xf32>) {
  // CHECK: %[[NEW:.*]] = memref.alloc() {{.*}} : memref<4xf32>
  // CHECK: memref.copy %[[W]], %[[NEW]]
  // CHECK: host.launch @update ins(%[[G]] : memref<4xf32>) outs(%[[NEW]] : memref<4xf32>)
  // CHECK: memref.copy %[[W]], %[[F]]
  // CHECK: memref.copy %[[NEW]], %[[W]]
  %w = bufferization.to_tensor %ws restrict writable : memref<4xf32> to tensor<4xf32>
  %g = bufferization.to_tensor %gs restrict : memref<4xf32> to tensor<4xf32>
  %n = host.launch @update ins(%g : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %w in restrict writable %fs : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %n in restrict writable %ws : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

func.func private @two(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel}

// A value computed from a copy of the old value is computed in the variable.

// CHECK-LABEL: func.func @decays(
// CHECK-SAME:    %[[W:[^:]*]]: memref<4xf32>)
func.func @decays(%ws: memref<4xf32>) {
  // CHECK: %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
  // CHECK: host.launch @two ins(%[[W]] : memref<4xf32>) outs(%[[A]] : memref<4xf32>)
  // CHECK-NEXT: host.launch @two ins(%[[A]] : memref<4xf32>) outs(%[[W]] : memref<4xf32>)
  // CHECK-NEXT: return
  %w = bufferization.to_tensor %ws restrict writable : memref<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %a = host.launch @two ins(%w : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = host.launch @two ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %b in restrict writable %ws : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// Not where the memory is still read: the old value, or one computed in place;
// nor before an op that may end the run.

// CHECK-LABEL: func.func @reads_old(
// CHECK-SAME:    %[[W:[^:]*]]: memref<4xf32>, %[[G:[^:]*]]: memref<4xf32>)
func.func @reads_old(%ws: memref<4xf32>, %gs: memref<4xf32>) {
  // CHECK: host.launch @update ins(%[[G]] : memref<4xf32>) outs(%[[W]] : memref<4xf32>)
  // CHECK: %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
  // CHECK-NEXT: host.launch @two ins(%[[W]] : memref<4xf32>) outs(%[[A]] : memref<4xf32>)
  // CHECK-NEXT: memref.copy %[[A]], %[[W]]
  %w = bufferization.to_tensor %ws restrict writable : memref<4xf32> to tensor<4xf32>
  %g = bufferization.to_tensor %gs restrict : memref<4xf32> to tensor<4xf32>
  %n = host.launch @update ins(%g : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %a = host.launch @two ins(%n : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %a in restrict writable %ws : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @may_fail(
// CHECK-SAME:    %[[W:[^:]*]]: memref<4xf32>, %[[G:[^:]*]]: memref<4xf32>)
func.func @may_fail(%ws: memref<4xf32>, %gs: memref<4xf32>) {
  // CHECK: %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
  // CHECK: host.launch @two ins(%[[G]] : memref<4xf32>) outs(%[[A]] : memref<4xf32>)
  // CHECK: host.call
  // CHECK-NEXT: memref.copy %[[A]], %[[W]]
  %g = bufferization.to_tensor %gs restrict : memref<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %a = host.launch @two ins(%g : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  host.call "ingot_op_refuse" node "n" options {text = "no"} dtypes [] to [] {static_results = array<i1>}
  bufferization.materialize_in_destination %a in restrict writable %ws : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// A fill writes to the variable, too. A second variable of the same value is
// copied from the first.

// CHECK-LABEL: func.func @fills(
// CHECK-SAME:    %[[V:[^:]*]]: memref<4xf32>, %[[W:[^:]*]]: memref<4xf32>)
func.func @fills(%vs: memref<4xf32>, %ws: memref<4xf32>) {
  // CHECK-NOT: memref.alloc
  // CHECK: linalg.fill ins(%{{.*}}) outs(%[[V]] : memref<4xf32>)
  // CHECK-NEXT: memref.copy %[[V]], %[[W]]
  // CHECK-NEXT: return
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %a in restrict writable %vs : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %a in restrict writable %ws : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// The entry that gives variables their first values needs no copy of them in
// case that it fails.

// CHECK-LABEL: func.func @init(
// CHECK-SAME:    %[[W:[^:]*]]: memref<4xf32>, %[[G:[^:]*]]: memref<4xf32>)
func.func @init(%ws: memref<4xf32>, %gs: memref<4xf32>) attributes {host.entry = #host.entry<name = "init", role = init, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [0]>} {
  // CHECK-NOT: memref.alloc
  // CHECK: host.launch @two ins(%[[G]] : memref<4xf32>) outs(%[[W]] : memref<4xf32>)
  // CHECK-NEXT: host.call
  // CHECK-NEXT: return
  %g = bufferization.to_tensor %gs restrict : memref<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %a = host.launch @two ins(%g : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  host.call "ingot_op_refuse" node "n" options {text = "no"} dtypes [] to [] {static_results = array<i1>}
  bufferization.materialize_in_destination %a in restrict writable %ws : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// A call may write to a variable there, too, also through a reshape.

// CHECK-LABEL: func.func @reads_file(
// CHECK-SAME:    %[[W:[^:]*]]: memref<2x2xf32>, %[[N:[^:]*]]: memref<i128>)
func.func @reads_file(%ws: memref<2x2xf32>, %ns: memref<i128>) attributes {host.entry = #host.entry<name = "init", role = init, feeds = [], feed_types = [], fetches = [], fetch_types = [], assigned = [0]>} {
  // CHECK-NEXT: %[[FLAT:.*]] = memref.collapse_shape %[[W]] {{.*}} : memref<2x2xf32> into memref<4xf32>
  // CHECK-NEXT: host.call "ingot_op_read_raw_file" node "file" options {} ins(%[[N]] : memref<i128>) dtypes [7] outs(%[[FLAT]] : memref<4xf32>)
  // CHECK-NEXT: return
  %n = bufferization.to_tensor %ns restrict : memref<i128> to tensor<i128>
  %e = tensor.empty() : tensor<4xf32>
  %a = host.call "ingot_op_read_raw_file" node "file" options {} ins(%n : tensor<i128>) dtypes [7] outs(%e : tensor<4xf32>) to [1] -> tensor<4xf32>
  %b = tensor.expand_shape %a [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  bufferization.materialize_in_destination %b in restrict writable %ws : (tensor<2x2xf32>, memref<2x2xf32>) -> ()
  return
}

func.func private @twice(tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> attributes {host.kernel}

// A dataset's function parses and computes into its results, which may be rows
// of a batch, also through a reshape. Values that are no results, or a second
// result of the same value, have memory of their own.

// CHECK-LABEL: func.func @maps(
// CHECK-SAME:    %[[S:[^:]*]]: memref<i128>, %[[X:[^:]*]]: memref<3x1xf32>, %[[Y:[^:]*]]: memref<i64>, %[[D:[^:]*]]: memref<3xf32>, %[[Z:[^:]*]]: memref<i64>)
func.func @maps(%ss: memref<i128>, %xs: memref<3x1xf32>, %ys: memref<i64>, %ds: memref<3xf32>, %zs: memref<i64>) attributes {host.function = #host.function<feed_types = [], fetch_types = [], positions = 0, seeds = 0>} {
  // CHECK: %[[ROW:.*]] = memref.collapse_shape %[[X]] {{.*}} : memref<3x1xf32> into memref<3xf32>
  // CHECK: %[[UNUSED:.*]] = memref.alloc() {{.*}} : memref<i64>
  // CHECK: host.parse_example 1, %[[S]] outs(%[[ROW]], %[[Z]], %[[UNUSED]] : memref<3xf32>, memref<i64>, memref<i64>)
  // CHECK: host.launch @twice ins(%[[ROW]] : memref<3xf32>) outs(%[[D]] : memref<3xf32>)
  // CHECK-NEXT: memref.copy %[[Z]], %[[Y]]
  // CHECK-NEXT: return
  %s = bufferization.to_tensor %ss restrict : memref<i128> to tensor<i128>
  %e = tensor.empty() : tensor<3xf32>
  %i = tensor.empty() : tensor<i64>
  %p:3 = host.parse_example 1, %s outs(%e, %i, %i : tensor<3xf32>, tensor<i64>, tensor<i64>) keys ["x", "y", "u"] dtypes [1, 9, 9] shapes [array<i64: 3>, array<i64>, array<i64>] defaults [unit, unit, unit] : tensor<i128> -> tensor<3xf32>, tensor<i64>, tensor<i64>
  %x = tensor.expand_shape %p#0 [[0, 1]] output_shape [3, 1] : tensor<3xf32> into tensor<3x1xf32>
  %d = host.launch @twice ins(%p#0 : tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  bufferization.materialize_in_destination %x in restrict writable %xs : (tensor<3x1xf32>, memref<3x1xf32>) -> ()
  bufferization.materialize_in_destination %p#1 in restrict writable %ys : (tensor<i64>, memref<i64>) -> ()
  bufferization.materialize_in_destination %d in restrict writable %ds : (tensor<3xf32>, memref<3xf32>) -> ()
  bufferization.materialize_in_destination %p#1 in restrict writable %zs : (tensor<i64>, memref<i64>) -> ()
  return
}

// An element lent by a list is the runtime's memory and only read: an update of
// it is computed elsewhere.

// CHECK-LABEL: func.func @lent(
func.func @lent(%ls: memref<i64>, %gs: memref<4xf32>, %fs: memref<4xf32>) {
  // CHECK: %[[LIST:.*]] = memref.alloc() {{.*}} : memref<i64>
  // CHECK-NOT: memref.alloc
  // CHECK: %[[ITEM:.*]] = host.call "ingot_op_tensor_list_pop_back" node "pop" options {lent = true} ins(%{{.*}} : memref<i64>) dtypes [21] outs(%[[LIST]] : memref<i64>) to [21, 1] {static_results = array<i1: true, false>} -> memref<4xf32>
  // CHECK: %[[NEW:.*]] = memref.alloc() {{.*}} : memref<4xf32>
  // CHECK: memref.copy %[[ITEM]], %[[NEW]]
  // CHECK: host.launch @update ins(%{{.*}} : memref<4xf32>) outs(%[[NEW]] : memref<4xf32>)
  %l = bufferization.to_tensor %ls restrict : memref<i64> to tensor<i64>
  %g = bufferization.to_tensor %gs restrict : memref<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<i64>
  %rest, %item = host.call "ingot_op_tensor_list_pop_back" node "pop" options {lent = true} ins(%l : tensor<i64>) dtypes [21] outs(%e : tensor<i64>) to [21, 1] -> tensor<i64>, tensor<4xf32>
  %n = host.launch @update ins(%g : tensor<4xf32>) outs(%item : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %n in restrict writable %fs : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %rest in restrict writable %ls : (tensor<i64>, memref<i64>) -> ()
  return
}

// A result that becomes a row is computed there, and read there.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[R:[^:]*]]: memref<5x4xf32>, %[[G:[^:]*]]: memref<4xf32>, %[[I:[^:]*]]: index)
func.func @rows(%rs: memref<5x4xf32>, %gs: memref<4xf32>, %i: index) {
  // CHECK-NOT: memref.alloc
  // CHECK: %[[ROW:.*]] = memref.subview %[[R]][%[[I]], 0] [1, 4] [1, 1]
  // CHECK: host.launch @update ins(%[[G]] : memref<4xf32>) outs(%[[ROW]] : memref<4xf32, strided<[1], offset: ?>>)
  // CHECK-NOT: memref.copy
  // CHECK: host.launch @update ins(%[[ROW]] : memref<4xf32, strided<[1], offset: ?>>)
  // CHECK-NOT: memref.copy
  // CHECK: return
  %r = bufferization.to_tensor %rs restrict writable : memref<5x4xf32> to tensor<5x4xf32>
  %g = bufferization.to_tensor %gs restrict writable : memref<4xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %n = host.launch @update ins(%g : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = tensor.insert_slice %n into %r[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<5x4xf32>
  %m = host.launch @update ins(%n : tensor<4xf32>) outs(%g : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %s in restrict writable %rs : (tensor<5x4xf32>, memref<5x4xf32>) -> ()
  bufferization.materialize_in_destination %m in restrict writable %gs : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// A loop's state is computed in place by a launch that does not read the old
// one, if all its readers come before; a value that the launch itself or an op
// after it reads is copied first.

// CHECK-LABEL: func.func @iterates(
// CHECK-SAME:    %[[A:[^:]*]]: memref<4xf32>, %[[B:[^:]*]]: memref<4xf32>)
func.func @iterates(%as: memref<4xf32>, %bs: memref<4xf32>) {
  // CHECK-DAG: %[[X:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  // CHECK-DAG: %[[Y:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  // CHECK-DAG: %[[Z:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  // CHECK: scf.while
  // CHECK: host.launch @two ins(%[[STATE:.*]] : memref<4xf32>) outs(%[[T:.*]] : memref<4xf32>)
  // CHECK-NEXT: host.launch @two ins(%[[T]] : memref<4xf32>) outs(%[[STATE]] : memref<4xf32>)
  // CHECK-NEXT: %[[U:.*]] = memref.alloc()
  // CHECK-NEXT: host.launch @two ins(%[[OWN:.*]] : memref<4xf32>) outs(%[[U]] : memref<4xf32>)
  // CHECK-NEXT: %[[V:.*]] = memref.alloc()
  // CHECK-NEXT: host.launch @two ins(%[[T]] : memref<4xf32>) outs(%[[V]] : memref<4xf32>)
  // CHECK-NEXT: host.launch @two ins(%[[LATE:.*]] : memref<4xf32>) outs(%[[B]] : memref<4xf32>)
  // CHECK-NEXT: memref.copy %[[U]], %[[OWN]]
  // CHECK-NEXT: memref.copy %[[V]], %[[LATE]]
  // CHECK-NEXT: scf.yield
  %x = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  %y = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  %z = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  %a = bufferization.to_tensor %as restrict : memref<4xf32> to tensor<4xf32>
  bufferization.materialize_in_destination %a in restrict writable %x : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %a in restrict writable %y : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %a in restrict writable %z : (tensor<4xf32>, memref<4xf32>) -> ()
  scf.while : () -> () {
    %s = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
    %e = tensor.empty() : tensor<i1>
    %t = host.launch @test ins(%s : tensor<4xf32>) outs(%e : tensor<i1>) -> tensor<i1>
    %c = tensor.extract %t[] : tensor<i1>
    scf.condition(%c)
  } do {
    %s = bufferization.to_tensor %x restrict : memref<4xf32> to tensor<4xf32>
    %own = bufferization.to_tensor %y restrict : memref<4xf32> to tensor<4xf32>
    %late = bufferization.to_tensor %z restrict : memref<4xf32> to tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %t = host.launch @two ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %n = host.launch @two ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %u = host.launch @two ins(%own : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %v = host.launch @two ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %w = host.launch @two ins(%late : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    bufferization.materialize_in_destination %w in restrict writable %bs : (tensor<4xf32>, memref<4xf32>) -> ()
    bufferization.materialize_in_destination %n in restrict writable %x : (tensor<4xf32>, memref<4xf32>) -> ()
    bufferization.materialize_in_destination %u in restrict writable %y : (tensor<4xf32>, memref<4xf32>) -> ()
    bufferization.materialize_in_destination %v in restrict writable %z : (tensor<4xf32>, memref<4xf32>) -> ()
    scf.yield
  }
  return
}
func.func private @test(tensor<4xf32>, tensor<i1>) -> tensor<i1> attributes {host.kernel}

// A launch in a loop writes to a part of an array that outlives the iteration,
// also where an op in between may fail.

// CHECK-LABEL: func.func @parts(
// CHECK: %[[ARRAY:.*]] = memref.alloc() : memref<3x4xf32>
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[PART:.*]] = memref.subview %[[ARRAY]][%[[I]], 0] [1, 4] [1, 1]
// CHECK: host.launch @update ins(%{{.*}} : memref<4xf32>) outs(%[[PART]] :
// CHECK: host.call "ingot_op_other"
// CHECK-NOT: memref.copy
// CHECK: host.call "ingot_op_reads"
func.func @parts(%gs: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %array = memref.alloc() : memref<3x4xf32>
  %g = bufferization.to_tensor %gs restrict : memref<4xf32> to tensor<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %part = memref.subview %array[%i, 0] [1, 4] [1, 1] : memref<3x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %e = tensor.empty() : tensor<4xf32>
    %v = host.launch @update ins(%g : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    host.call "ingot_op_other" node "" options {} dtypes [] to []
    bufferization.materialize_in_destination %v in restrict writable %part : (tensor<4xf32>, memref<4xf32, strided<[1], offset: ?>>) -> ()
    host.call "ingot_op_reads" node "" options {} ins(%array : memref<3x4xf32>) dtypes [1] to []
  }
  return
}

// It does not where an op in between uses the array.

// CHECK-LABEL: func.func @array_is_read_before(
// CHECK: host.launch @update ins(%{{.*}} : memref<4xf32>) outs(%[[OWN:.*]] : memref<4xf32>)
// CHECK: host.call "ingot_op_reads"
// CHECK: memref.copy %[[OWN]],
func.func @array_is_read_before(%gs: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %array = memref.alloc() : memref<3x4xf32>
  %g = bufferization.to_tensor %gs restrict : memref<4xf32> to tensor<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %part = memref.subview %array[%i, 0] [1, 4] [1, 1] : memref<3x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %e = tensor.empty() : tensor<4xf32>
    %v = host.launch @update ins(%g : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    host.call "ingot_op_reads" node "" options {} ins(%array : memref<3x4xf32>) dtypes [1] to []
    bufferization.materialize_in_destination %v in restrict writable %part : (tensor<4xf32>, memref<4xf32, strided<[1], offset: ?>>) -> ()
  }
  return
}
