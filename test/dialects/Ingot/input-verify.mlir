// SPDX-License-Identifier: Apache-2.0
// Constraints of datasets, iterators and the parsing of Examples.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (iterator_next_c1)
ingot.variable @w : tensor<4xf32>
func.func @next_of_an_iterator() {
  // expected-error @+1 {{@w is not an iterator of the program}}
  %0 = ingot.iterator_next @w : tensor<4xf32>
  return
}

// -----

// (iterator_next_c2)
ingot.iterator @it : [tensor<2xf32>] {
  %x = ingot.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = ingot.tensor_dataset(%x) : (tensor<2xf32>) -> !ingot.dataset<tensor<2xf32>>
  ingot.yield %0 : !ingot.dataset<tensor<2xf32>>
}
func.func @next_has_its_types() {
  // expected-error @+1 {{elements are ('tensor<2xf32>', 'tensor<i64>'), but the iterator's are ('tensor<2xf32>')}}
  %0, %1 = ingot.iterator_next @it : tensor<2xf32>, tensor<i64>
  return
}

// -----

// (iterator_make_c1)
func.func @make_an_iterator() {
  // expected-error @+1 {{@it is not an iterator of the program}}
  ingot.iterator_make @it
  return
}

// -----

// (parse_example_c1)
func.func @one_default_a_key(%s: tensor<!ingot.string>, %d: tensor<0xf32>) {
  // expected-error @+1 {{there are 2 keys, but 1 defaults, 1 shapes and 1 results: each key needs one of each}}
  %0 = ingot.parse_example %s, defaults(%d) keys ["x", "y"] {dense_shapes = [array<i64: 4>]}
      : (tensor<!ingot.string>, tensor<0xf32>) -> tensor<4xf32>
  return
}

// -----

// (parse_example_c1)
func.func @shapes_are_lists(%s: tensor<!ingot.string>, %d: tensor<0xf32>) {
  // expected-error @+1 {{the shape of feature "x" must be an array of i64, but is 4}}
  %0 = ingot.parse_example %s, defaults(%d) keys ["x"] {dense_shapes = [4]}
      : (tensor<!ingot.string>, tensor<0xf32>) -> tensor<4xf32>
  return
}

// -----

// (parse_example_c2)
func.func @feature_types(%s: tensor<!ingot.string>, %d: tensor<0xi32>) {
  // expected-error @+1 {{feature "x" has elements of type 'i32', but features are float, int64 or string}}
  %0 = ingot.parse_example %s, defaults(%d) keys ["x"] {dense_shapes = [array<i64: 4>]}
      : (tensor<!ingot.string>, tensor<0xi32>) -> tensor<4xi32>
  return
}

// -----

// (parse_example_c2)
func.func @default_types(%s: tensor<!ingot.string>, %d: tensor<0xf32>) {
  // expected-error @+1 {{feature "x" has elements of type 'i64', but its default has elements of type 'f32'}}
  %0 = ingot.parse_example %s, defaults(%d) keys ["x"] {dense_shapes = [array<i64: 4>]}
      : (tensor<!ingot.string>, tensor<0xf32>) -> tensor<4xi64>
  return
}

// -----

// (parse_example_c3)
func.func @feature_shapes(%s: tensor<7x!ingot.string>, %d: tensor<0xf32>) {
  // expected-error @+1 {{the result for feature "x" must have shape [7, 4], but has shape [4]}}
  %0 = ingot.parse_example %s, defaults(%d) keys ["x"] {dense_shapes = [array<i64: 4>]}
      : (tensor<7x!ingot.string>, tensor<0xf32>) -> tensor<4xf32>
  return
}

// -----

// (tensor_dataset_c1)
func.func @tensor_dataset_types(%x: tensor<2xf32>) {
  // expected-error @+1 {{elements are ('tensor<2xi32>'), but the tensors are ('tensor<2xf32>')}}
  %0 = ingot.tensor_dataset(%x) : (tensor<2xf32>) -> !ingot.dataset<tensor<2xi32>>
  return
}

// -----

// (tensor_slice_dataset_c1)
func.func @slice_types(%x: tensor<5x2xf32>) {
  // expected-error @+1 {{elements are ('tensor<5x2xf32>'), but the tensors' slices are ('tensor<2xf32>')}}
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<5x2xf32>) -> !ingot.dataset<tensor<5x2xf32>>
  return
}

// -----

// (tensor_slice_dataset_c1)
func.func @as_many_slices_of_each(%x: tensor<5x2xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{the tensors must have the same first dimension, but got 5 and 4}}
  %0 = ingot.tensor_slice_dataset(%x, %y) : (tensor<5x2xf32>, tensor<4xf32>) -> !ingot.dataset<tensor<2xf32>, tensor<f32>>
  return
}

// -----

// (tensor_slice_dataset_c1)
func.func @scalars_have_no_slices(%x: tensor<f32>) {
  // expected-error @+1 {{cannot slice a scalar: each operand needs a first dimension}}
  %0 = ingot.tensor_slice_dataset(%x) : (tensor<f32>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (range_dataset_c1)
func.func @ranges_are_of_numbers(%x: tensor<i64>) {
  // expected-error @+1 {{elements are ('tensor<1xi64>'), but a range's are ('tensor<i64>')}}
  %0 = ingot.range_dataset(%x, %x, %x) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<1xi64>>
  return
}

// -----

// (tf_record_dataset_c1)
func.func @records_are_strings(%f: tensor<!ingot.string>, %n: tensor<i64>) {
  // expected-error @+1 {{elements are ('tensor<i64>'), but records are ('tensor<!ingot.string>')}}
  %0 = ingot.tf_record_dataset(%f, %f, %n) : (tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (map_dataset_c1)
func.func @map_by_a_function(%d: !ingot.dataset<tensor<f32>>) {
  // expected-error @+1 {{@f is not a function of the program}}
  %0 = ingot.map_dataset(%d) @f : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (map_dataset_c1)
// expected-note @+1 {{the function is defined here}}
func.func private @f(tensor<i32>) -> tensor<f32>
func.func @map_takes_the_input(%d: !ingot.dataset<tensor<f32>>) {
  // expected-error @+1 {{@f takes ('tensor<i32>'), but the input's elements are ('tensor<f32>')}}
  %0 = ingot.map_dataset(%d) @f : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (map_dataset_c1)
// expected-note @+1 {{the function is defined here}}
func.func private @f(tensor<f32>) -> tensor<i32>
func.func @parallel_map_gives_the_result(%d: !ingot.dataset<tensor<f32>>, %n: tensor<i64>) {
  // expected-error @+1 {{@f returns ('tensor<i32>'), but the result's elements are ('tensor<f32>')}}
  %0 = ingot.parallel_map_dataset(%d, %n) @f : (!ingot.dataset<tensor<f32>>, tensor<i64>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (flat_map_dataset_c1)
func.func @flat_map_takes_the_input(%d: !ingot.dataset<tensor<f32>>) {
  // expected-error @+1 {{the region's arguments are ('tensor<i32>'), but the input's elements are ('tensor<f32>')}}
  %0 = ingot.flat_map_dataset(%d) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i32>> {
  ^bb0(%x: tensor<i32>):
    %1 = ingot.tensor_dataset(%x) : (tensor<i32>) -> !ingot.dataset<tensor<i32>>
    ingot.yield %1 : !ingot.dataset<tensor<i32>>
  }
  return
}

// -----

// (flat_map_dataset_c2)
func.func @flat_map_gives_the_result(%d: !ingot.dataset<tensor<f32>>) {
  // expected-error @+1 {{elements are ('tensor<i32>'), but the yielded dataset's are ('tensor<f32>')}}
  %0 = ingot.flat_map_dataset(%d) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i32>> {
  ^bb0(%x: tensor<f32>):
    %1 = ingot.tensor_dataset(%x) : (tensor<f32>) -> !ingot.dataset<tensor<f32>>
    ingot.yield %1 : !ingot.dataset<tensor<f32>>
  }
  return
}

// -----

// (flat_map_dataset_c2)
func.func @flat_map_yields(%d: !ingot.dataset<tensor<f32>>) {
  // expected-error @+1 {{the region must end in ingot.yield of one dataset}}
  %0 = ingot.flat_map_dataset(%d) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<f32>> {
  ^bb0(%x: tensor<f32>):
    %1 = ingot.tensor_dataset(%x) : (tensor<f32>) -> !ingot.dataset<tensor<f32>>
  }
  return
}

// -----

// (same_elements_c1)
func.func @shuffle_keeps_elements(%d: !ingot.dataset<tensor<f32>>, %n: tensor<i64>) {
  // expected-error @+1 {{elements are ('tensor<i32>'), but the input's are ('tensor<f32>')}}
  %0 = ingot.shuffle_dataset(%d, %n, %n, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i32>>
  return
}

// -----

// (same_elements_c1)
func.func @repeat_keeps_elements(%d: !ingot.dataset<tensor<f32>>, %n: tensor<i64>) {
  // expected-error @+1 {{elements are ('tensor<2xf32>'), but the input's are ('tensor<f32>')}}
  %0 = ingot.repeat_dataset(%d, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>) -> !ingot.dataset<tensor<2xf32>>
  return
}

// -----

// (same_elements_c1)
func.func @take_keeps_elements(%d: !ingot.dataset<tensor<f32>>, %n: tensor<i64>) {
  // expected-error @+1 {{elements are ('tensor<2xf32>'), but the input's are ('tensor<f32>')}}
  %0 = ingot.take_dataset(%d, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>) -> !ingot.dataset<tensor<2xf32>>
  return
}

// -----

// (same_elements_c1)
func.func @take_keeps_elements_asserted(%d: !ingot.dataset<tensor<f32>>, %n: tensor<i64>) {
  // expected-error @+1 {{elements are ('tensor<2xf32>'), but the input's are ('tensor<f32>')}}
  %0 = ingot.assert_cardinality_dataset(%d, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>) -> !ingot.dataset<tensor<2xf32>>
  return
}

// -----

// (same_elements_c1)
func.func @skip_keeps_elements(%d: !ingot.dataset<tensor<f32>>, %n: tensor<i64>) {
  // expected-error @+1 {{elements are ('tensor<2xf32>'), but the input's are ('tensor<f32>')}}
  %0 = ingot.skip_dataset(%d, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>) -> !ingot.dataset<tensor<2xf32>>
  return
}

// -----

// (same_elements_c1)
func.func @prefetch_keeps_elements(%d: !ingot.dataset<tensor<f32>>, %n: tensor<i64>) {
  // expected-error @+1 {{elements are ('tensor<2xf32>'), but the input's are ('tensor<f32>')}}
  %0 = ingot.prefetch_dataset(%d, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>) -> !ingot.dataset<tensor<2xf32>>
  return
}

// -----

// (shuffle_dataset_c1)
func.func @shuffle_buffer_holds_something(%d: !ingot.dataset<tensor<f32>>, %n: tensor<i64>) {
  %zero = ingot.constant dense<0> : tensor<i64>
  // expected-error @+1 {{the buffer size must be positive, but is 0}}
  %0 = ingot.shuffle_dataset(%d, %zero, %n, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (batch_dataset_c1)
func.func @batches_lead(%d: !ingot.dataset<tensor<4xf32>>, %drop: tensor<i1>) {
  %n = ingot.constant dense<64> : tensor<i64>
  // expected-error @+1 {{elements are ('tensor<32x4xf32>'), but the input's batches are ('tensor<64x4xf32>')}}
  %0 = ingot.batch_dataset(%d, %n, %drop) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<32x4xf32>>
  return
}

// -----

// (batch_dataset_c2)
func.func @batches_hold_something(%d: !ingot.dataset<tensor<4xf32>>, %drop: tensor<i1>) {
  %n = ingot.constant dense<-1> : tensor<i64>
  // expected-error @+1 {{the batch size must be positive, but is -1}}
  %0 = ingot.batch_dataset(%d, %n, %drop) : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
  return
}

// -----

// (range_dataset_c2)
func.func @ranges_move_on(%x: tensor<i64>) {
  %zero = ingot.constant dense<0> : tensor<i64>
  // expected-error @+1 {{the step must not be 0}}
  %0 = ingot.range_dataset(%x, %x, %zero) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (prefetch_dataset_c1)
func.func @prefetches_have_room(%d: !ingot.dataset<tensor<f32>>) {
  %n = ingot.constant dense<-2> : tensor<i64>
  // expected-error @+1 {{the buffer size must be at least 0, or -1 for AUTOTUNE, but is -2}}
  %0 = ingot.prefetch_dataset(%d, %n) : (!ingot.dataset<tensor<f32>>, tensor<i64>) -> !ingot.dataset<tensor<f32>>
  return
}
