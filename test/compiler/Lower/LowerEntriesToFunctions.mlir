// SPDX-License-Identifier: Apache-2.0
// Entries become functions over storage: variables, then feeds, then fetches.
// RUN: ingot-opt %s -ingot-lower-to-storage-types -ingot-assign-resource-indices -ingot-lower-entries-to-functions -split-input-file | FileCheck %s

ingot.variable @unused : tensor<2xf32>
ingot.variable @w : tensor<4xf32>
func.func private @kernel(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {host.kernel} {
  return %w : tensor<4xf32>
}

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:.*]]: memref<4xf32> {host.variable = 1 : i32},
// CHECK-SAME: %[[X:.*]]: memref<4xf32> {host.feed = 0 : i32},
// CHECK-SAME: %[[Y:.*]]: memref<4xf32> {host.fetch = 0 : i32})
// CHECK-SAME: name = "step", role = step
// CHECK-SAME: feeds = ["x:0"]
// CHECK-SAME: fetches = ["y:0"]
// CHECK-SAME: assigned = [1]
// CHECK: %[[WT:.*]] = bufferization.to_tensor %[[W]] restrict writable
// CHECK: %[[XT:.*]] = bufferization.to_tensor %[[X]] restrict :
// CHECK: %[[NEW:.*]] = host.launch @kernel ins(%[[XT]] : tensor<4xf32>) outs(%[[WT]] : tensor<4xf32>) -> tensor<4xf32>
// The fetch is the variable's old value: it is written before the variable is.
// CHECK: bufferization.materialize_in_destination %[[WT]] in restrict writable %[[Y]]
// CHECK: bufferization.materialize_in_destination %[[NEW]] in restrict writable %[[W]]
// CHECK: return
ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0"] variables [@w] updates [@w] {
^bb0(%w: tensor<4xf32>, %x: tensor<4xf32>):
  %0 = host.launch @kernel ins(%x : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  ingot.return %w, %0 : tensor<4xf32>, tensor<4xf32>
}

// A variable that is only read is neither writable nor assigned.
// CHECK-LABEL: func.func @reads(
// CHECK-SAME: assigned = []
// CHECK: bufferization.to_tensor %{{.*}} restrict :
// CHECK: bufferization.materialize_in_destination
// CHECK-NOT: materialize_in_destination
ingot.entry @reads role(other) feeds [] fetches ["w:0"] variables [@w] updates [] {
^bb0(%w: tensor<4xf32>):
  ingot.return %w : tensor<4xf32>
}

// -----

ingot.variable @a : tensor<4xf32>
ingot.variable @b : tensor<4xf32>
ingot.variable @c : tensor<4xf32>

// Both old values are copied before either variable is written.
// CHECK-LABEL: func.func @swap(
// CHECK-SAME: %[[A:.*]]: memref<4xf32> {host.variable = 0 : i32}, %[[B:.*]]: memref<4xf32> {host.variable = 1 : i32})
// CHECK-DAG: %[[AT:.*]] = bufferization.to_tensor %[[A]]
// CHECK-DAG: %[[BT:.*]] = bufferization.to_tensor %[[B]]
// CHECK-DAG: %[[OLDA:.*]] = bufferization.alloc_tensor() copy(%[[AT]])
// CHECK-DAG: %[[OLDB:.*]] = bufferization.alloc_tensor() copy(%[[BT]])
// CHECK: bufferization.materialize_in_destination %[[OLDB]] in restrict writable %[[A]]
// CHECK: bufferization.materialize_in_destination %[[OLDA]] in restrict writable %[[B]]
ingot.entry @swap role(other) feeds [] fetches [] variables [@a, @b] updates [@a, @b] {
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
  ingot.return %b, %a : tensor<4xf32>, tensor<4xf32>
}

// A variable that keeps its value is not written; a variable that nothing
// writes is not copied.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME: %[[A:.*]]: memref<4xf32> {host.variable = 0 : i32}, %[[B:.*]]: memref<4xf32> {host.variable = 1 : i32}, %[[C:.*]]: memref<4xf32> {host.variable = 2 : i32})
// CHECK-NOT: alloc_tensor
// CHECK: %[[AT:.*]] = bufferization.to_tensor %[[A]]
// CHECK-NOT: in restrict writable %[[C]]
// CHECK: bufferization.materialize_in_destination %[[AT]] in restrict writable %[[B]]
// CHECK-NOT: materialize_in_destination
ingot.entry @copy role(other) feeds [] fetches [] variables [@a, @b, @c] updates [@b, @c] {
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
  ingot.return %a, %c : tensor<4xf32>, tensor<4xf32>
}

// -----

ingot.variable @w : tensor<f32>
ingot.variable @v : tensor<f32>
ingot.iterator @first : [tensor<f32>] {
  %x = ingot.constant dense<1.0> : tensor<f32>
  %0 = ingot.tensor_dataset(%x) : (tensor<f32>) -> !ingot.dataset<tensor<f32>>
  ingot.yield %0 : !ingot.dataset<tensor<f32>>
}
ingot.iterator @second : [tensor<f32>, tensor<2xi64>] {
  %x = ingot.constant dense<1.0> : tensor<f32>
  %y = ingot.constant dense<1> : tensor<2xi64>
  %0 = ingot.tensor_dataset(%x, %y) : (tensor<f32>, tensor<2xi64>) -> !ingot.dataset<tensor<f32>, tensor<2xi64>>
  ingot.yield %0 : !ingot.dataset<tensor<f32>, tensor<2xi64>>
}
ingot.saver @saver [#ingot.saved<"w", @w, "", 0>] {filename = "model", num_shards = 1 : i32,
    keep_checkpoint_every_n_hours = 10000.0 : f32, max_to_keep = 5 : i32}

// Side effects become calls by number, in the same order; a string is an
// address and a size.
// CHECK-LABEL: func.func @effects(
// CHECK-SAME: %[[PREFIX:.*]]: memref<i128> {host.feed = 0 : i32}
// CHECK: %[[P:.*]] = bufferization.to_tensor %[[PREFIX]]
// CHECK: host.iterator_make 1
// CHECK: %[[NEXT:.*]]:2 = host.iterator_next 1 : tensor<f32>, tensor<2xi64>
// CHECK: host.scalar_summary "loss", 1, %[[NEXT]]#0 : tensor<f32>
// CHECK: host.save 0, %[[P]] : tensor<i128>
// CHECK: host.restore 0, %[[P]] : tensor<i128>
// CHECK: host.report_uninitialized [1, 0]
// CHECK: return
ingot.entry @effects role(other) feeds ["prefix:0"] fetches [] variables [] updates [] {
^bb0(%prefix: tensor<!ingot.string>):
  ingot.iterator_make @second
  %0:2 = ingot.iterator_next @second : tensor<f32>, tensor<2xi64>
  ingot.scalar_summary "loss", %0#0 : tensor<f32>
  ingot.save @saver, %prefix : tensor<!ingot.string>
  ingot.restore @saver, %prefix : tensor<!ingot.string>
  ingot.report_uninitialized [@v, @w]
  ingot.return
}

// -----

func.func private @twice(%x: tensor<3xf32>, %o: tensor<3xf32>) -> tensor<3xf32> attributes {host.kernel} {
  return %o : tensor<3xf32>
}

// If only the parsing of the argument can fail, the runtime is told which
// results are parsed features, in another shape or not.
// CHECK-LABEL: func.func @parses(
// CHECK-SAME: parsed = [1, 0, 1]
func.func private @parses(%s: tensor<!ingot.string>) -> (tensor<i64>, tensor<3x1xf32>, tensor<i64>) {
  %e = ingot.constant dense<> : tensor<0xf32>
  %i = ingot.constant dense<> : tensor<0xi64>
  %0:2 = ingot.parse_example %s, defaults(%e, %i) keys ["x", "y"] {dense_shapes = [array<i64: 3>, array<i64>]} : (tensor<!ingot.string>, tensor<0xf32>, tensor<0xi64>) -> (tensor<3xf32>, tensor<i64>)
  %1 = tensor.expand_shape %0#0 [[0, 1]] output_shape [3, 1] : tensor<3xf32> into tensor<3x1xf32>
  return %0#1, %1, %0#1 : tensor<i64>, tensor<3x1xf32>, tensor<i64>
}
// CHECK-LABEL: func.func @computes(
// CHECK-SAME: parsed = [-1, 0]
func.func private @computes(%s: tensor<!ingot.string>) -> (tensor<3xf32>, tensor<3xf32>) {
  %e = ingot.constant dense<> : tensor<0xf32>
  %0 = ingot.parse_example %s, defaults(%e) keys ["x"] {dense_shapes = [array<i64: 3>]} : (tensor<!ingot.string>, tensor<0xf32>) -> tensor<3xf32>
  %o = tensor.empty() : tensor<3xf32>
  %1 = host.launch @twice ins(%0 : tensor<3xf32>) outs(%o : tensor<3xf32>) -> tensor<3xf32>
  return %1, %0 : tensor<3xf32>, tensor<3xf32>
}
// Rows of a batch of dynamic size are not rows after a reshape across the
// batch.
// CHECK-LABEL: func.func @parses_batches(
// CHECK-SAME: parsed = [0, -1]
// CHECK: tensor.dim
// CHECK: host.parse_example -1
func.func private @parses_batches(%s: tensor<?x!ingot.string>) -> (tensor<?x3xf32>, tensor<?xf32>) {
  %e = ingot.constant dense<> : tensor<0xf32>
  %0 = ingot.parse_example %s, defaults(%e) keys ["x"] {dense_shapes = [array<i64: 3>]} : (tensor<?x!ingot.string>, tensor<0xf32>) -> tensor<?x3xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<?xf32>
}
// A further runtime op may fail, and a second argument may be anything.
// CHECK-LABEL: func.func @may_fail(
// CHECK-NOT: parsed =
// CHECK: return
func.func private @may_fail(%s: tensor<!ingot.string>) -> (tensor<i32>, tensor<i64>) {
  %i = ingot.constant dense<> : tensor<0xi64>
  %0 = ingot.parse_example %s, defaults(%i) keys ["y"] {dense_shapes = [array<i64>]} : (tensor<!ingot.string>, tensor<0xi64>) -> tensor<i64>
  %1 = ingot.string_length %s {unit = "BYTE"} : (tensor<!ingot.string>) -> tensor<i32>
  return %1, %0 : tensor<i32>, tensor<i64>
}
// CHECK-LABEL: func.func @has_two(
// CHECK-NOT: parsed =
// CHECK: return
func.func private @has_two(%s: tensor<!ingot.string>, %t: tensor<i64>) -> tensor<i64> {
  %i = ingot.constant dense<> : tensor<0xi64>
  %0 = ingot.parse_example %s, defaults(%i) keys ["y"] {dense_shapes = [array<i64>]} : (tensor<!ingot.string>, tensor<0xi64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

// A shape check is a branch to a call that names the node.
// CHECK-LABEL: func.func @checked
// CHECK: %[[WRONG:.*]] = arith.xori %{{.*}}, %true
// CHECK: scf.if %[[WRONG]] {
// CHECK: %[[SIZES:.*]] = tensor.from_elements
// CHECK: host.call "ingot_op_refuse" node "sum" options {text = "[{},4] vs. [{},4]"} ins(%[[SIZES]] : tensor<2xi64>)
// CHECK: scf.if
// CHECK: host.call "ingot_op_refuse" node "range" options {text = "no numbers"} dtypes [] to []
ingot.entry @checked role(step) feeds ["x:0", "y:0"] fetches [] variables [] updates [] {
^bb0(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>):
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = tensor.dim %y, %c0 : tensor<?x4xf32>
  %ok = arith.cmpi eq, %n, %m : index
  ingot.require %ok, "[{},4] vs. [{},4]" (%n, %m) loc(fused["sum", "others"])
  ingot.require %ok, "no numbers" loc("range")
  ingot.return
}

// -----

// A list element of static size is borrowed from the runtime: it needs no
// memory of the entry. The rest of the list does, and so does a popped element
// of dynamic size, which is copied from the runtime.
// CHECK-LABEL: func.func @pops
// CHECK: host.call "ingot_op_tensor_list_pop_back" node "known" options {{.*}}lent = true} ins({{.*}}) dtypes [21, 3] outs(%{{[a-z0-9]+}} : tensor<i64>) to [21, 1] -> tensor<i64>, tensor<3xf32>
// CHECK: host.call "ingot_op_tensor_list_pop_back" node "open"
// CHECK-NOT: lent
// CHECK-SAME: -> tensor<i64>, tensor<?xf32>
ingot.entry @pops role(step) feeds ["shape:0", "max:0"] fetches [] variables [] updates [] {
^bb0(%shape: tensor<1xi32>, %max: tensor<i32>):
  %l = ingot.tensor_list_empty %shape, %max {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, tensor<3xf32>>
  %m, %x = ingot.tensor_list_pop_back %l, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<1xi32>) -> (tensor<!ingot.variant, tensor<3xf32>>, tensor<3xf32>) loc("known")
  %k = ingot.tensor_list_empty %shape, %max {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, tensor<?xf32>>
  %n, %y = ingot.tensor_list_pop_back %k, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<?xf32>>, tensor<1xi32>) -> (tensor<!ingot.variant, tensor<?xf32>>, tensor<?xf32>) loc("open")
  ingot.return
}

// -----

// An entry lists the lookup tables that it changes, by their indices, also
// within loops and branches. To look up, or to fill a table that is initialized
// once, is no change.
ingot.table @fixed : i64 to tensor<i64> {initialized_once}
ingot.table @looked : i64 to tensor<i64>
ingot.table @inserted : i64 to tensor<i64>
ingot.table @removed : i64 to tensor<i64>

// CHECK-LABEL: func.func @changes(
// CHECK-SAME: assigned = [], changed_tables = [2, 3]
ingot.entry @changes role(other) feeds ["k", "c"] fetches [] variables [] updates [] {
^bb0(%k: tensor<4xi64>, %c: tensor<i1>):
  %zero = ingot.constant dense<0> : tensor<i64>
  %v = ingot.table_find %k, %zero {table = @looked} : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  %taken = tensor.extract %c[] : tensor<i1>
  scf.if %taken {
    ingot.table_remove %k {table = @removed} : (tensor<4xi64>) -> ()
  }
  scf.while : () -> () {
    scf.condition(%taken)
  } do {
    ingot.table_insert %k, %v {table = @inserted, mode = "insert"} : (tensor<4xi64>, tensor<4xi64>) -> ()
    scf.yield
  }
  ingot.return
}

// CHECK-LABEL: func.func @fills(
// CHECK-SAME: assigned = []
// CHECK-NOT: changed_tables
ingot.entry @fills role(local_init) feeds ["k"] fetches [] variables [] updates [] {
^bb0(%k: tensor<4xi64>):
  ingot.table_insert %k, %k {table = @fixed, mode = "initialize"} : (tensor<4xi64>, tensor<4xi64>) -> ()
  ingot.return
}

// -----

// A file's numbers are read at once where nothing else uses its bytes.

// CHECK-LABEL: func.func @numbers(
// CHECK: %[[NUMBERS:.*]] = host.call "ingot_op_read_raw_file" node "file" options {little_endian = false, output_type = 1 : i64} ins(%{{.*}} : tensor<i128>) dtypes [7] to [1] -> tensor<?xf32>
// CHECK-NOT: host.call
// CHECK: host.fetch %[[NUMBERS]]
ingot.entry @numbers role(other) feeds ["name:0"] fetches ["numbers:0"] variables [] updates [] {
^bb0(%name: tensor<!ingot.string>):
  %bytes = ingot.read_file %name : (tensor<!ingot.string>) -> tensor<!ingot.string> loc("file")
  %numbers = ingot.decode_raw %bytes {output_type = f32, little_endian = false} : (tensor<!ingot.string>) -> tensor<?xf32> loc("numbers")
  ingot.return %numbers : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @both(
// CHECK: %[[BYTES:.*]] = host.call "ingot_op_read_file" node "file"
// CHECK: host.call "ingot_op_decode_raw" node "numbers" {{.*}} ins(%[[BYTES]] : tensor<i128>)
ingot.entry @both role(other) feeds ["name:0"] fetches ["bytes:0", "numbers:0"] variables [] updates [] {
^bb0(%name: tensor<!ingot.string>):
  %bytes = ingot.read_file %name : (tensor<!ingot.string>) -> tensor<!ingot.string> loc("file")
  %numbers = ingot.decode_raw %bytes {output_type = f32} : (tensor<!ingot.string>) -> tensor<?xf32> loc("numbers")
  ingot.return %bytes, %numbers : tensor<!ingot.string>, tensor<?xf32>
}
