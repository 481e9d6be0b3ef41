// SPDX-License-Identifier: Apache-2.0
// Constraints of datasets.
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (file_dataset_c1)
func.func @lines_are_strings(%f: tensor<!ingot.string>, %n: tensor<i64>) {
  // expected-error @+1 {{elements are ('tensor<i64>'), but a file's records are ('tensor<!ingot.string>')}}
  %0 = ingot.text_line_dataset(%f, %f, %n) : (tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (fixed_length_c1)
func.func @records_have_bytes(%f: tensor<!ingot.string>) {
  %n = ingot.constant dense<0> : tensor<i64>
  // expected-error @+1 {{the length of records must be positive, but is 0}}
  %0 = ingot.fixed_length_record_dataset(%f, %n, %n, %n, %n, %f) : (tensor<!ingot.string>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<!ingot.string>) -> !ingot.dataset<tensor<!ingot.string>>
  return
}

// -----

// (zip_dataset_c1)
func.func @zip_of_nothing() {
  // expected-error @+1 {{needs at least one input}}
  %0 = ingot.zip_dataset() : () -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (concatenate_dataset_c1)
func.func @concatenated_alike(%n: tensor<i64>, %x: tensor<f32>) {
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.tensor_dataset(%x) : (tensor<f32>) -> !ingot.dataset<tensor<f32>>
  // expected-error @+1 {{but the second input's are ('tensor<f32>')}}
  %2 = ingot.concatenate_dataset(%0, %1) : (!ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (interleave_dataset_c1)
func.func @interleaved_elements(%n: tensor<i64>) {
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // expected-error @+1 {{the region's arguments are ('tensor<f32>'), but the input's elements are ('tensor<i64>')}}
  %1 = ingot.interleave_dataset(%0, %n, %n) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>> {
  ^bb0(%x: tensor<f32>):
    ingot.yield %0 : !ingot.dataset<tensor<i64>>
  }
  return
}

// -----

// (interleave_dataset_c2)
func.func @interleaved_datasets(%n: tensor<i64>) {
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // expected-error @+1 {{elements are ('tensor<f32>'), but the yielded dataset's are ('tensor<i64>')}}
  %1 = ingot.interleave_dataset(%0, %n, %n) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<f32>> {
  ^bb0(%x: tensor<i64>):
    ingot.yield %0 : !ingot.dataset<tensor<i64>>
  }
  return
}

// -----

// (part_dataset_c1)
func.func @cached_elements(%n: tensor<i64>, %f: tensor<!ingot.string>) {
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // expected-error @+1 {{elements are ('tensor<f32>'), but the input's are ('tensor<i64>')}}
  %1 = ingot.cache_dataset(%0, %f) : (!ingot.dataset<tensor<i64>>, tensor<!ingot.string>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

func.func private @number(tensor<i64>) -> tensor<i64>

// (filter_dataset_c1)
func.func @filters_decide(%n: tensor<i64>) {
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // expected-error @+1 {{has type ('tensor<i64>') -> ('tensor<i64>'), expected ('tensor<i64>') -> ('tensor<i1>')}}
  %1 = ingot.filter_dataset(%0) @number : (!ingot.dataset<tensor<i64>>) -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (shard_dataset_c1)
func.func @shard_outside(%n: tensor<i64>) {
  %three = ingot.constant dense<3> : tensor<i64>
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // expected-error @+1 {{the index of a shard must be less than the number of shards, 3, but is 3}}
  %1 = ingot.shard_dataset(%0, %three, %three) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (unbatch_dataset_c1)
func.func @rows(%x: tensor<4x2xf32>) {
  %0 = ingot.tensor_dataset(%x) : (tensor<4x2xf32>) -> !ingot.dataset<tensor<4x2xf32>>
  // expected-error @+1 {{elements are ('tensor<3xf32>'), but the input's rows are ('tensor<2xf32>')}}
  %1 = ingot.unbatch_dataset(%0) : (!ingot.dataset<tensor<4x2xf32>>) -> !ingot.dataset<tensor<3xf32>>
  return
}

// -----

// (padded_batch_c1)
func.func @paddings(%x: tensor<4xf32>, %n: tensor<i64>, %d: tensor<i1>) {
  %0 = ingot.tensor_dataset(%x) : (tensor<4xf32>) -> !ingot.dataset<tensor<4xf32>>
  // expected-error @+1 {{expected one padded shape and one padding value for each of the 1 components, but got 0 padded shapes and 0 padding values}}
  %1 = ingot.padded_batch_dataset(%0, %n, %d) {operandSegmentSizes = array<i32: 1, 0, 0, 1, 1>} : (!ingot.dataset<tensor<4xf32>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
  return
}

// -----

// (padded_batch_c2)
func.func @padded_size(%x: tensor<4xf32>, %s: tensor<1xi64>, %v: tensor<f32>, %d: tensor<i1>) {
  %n = ingot.constant dense<0> : tensor<i64>
  %0 = ingot.tensor_dataset(%x) : (tensor<4xf32>) -> !ingot.dataset<tensor<4xf32>>
  // expected-error @+1 {{the batch size must be positive, but is 0}}
  %1 = ingot.padded_batch_dataset(%0, %s, %v, %n, %d) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (!ingot.dataset<tensor<4xf32>>, tensor<1xi64>, tensor<f32>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?x4xf32>>
  return
}

// -----

// (window_dataset_c1)
func.func @windows_are_datasets(%n: tensor<i64>, %d: tensor<i1>) {
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // expected-error @+1 {{elements are ('tensor<i64>'), but the input's windows are ('!ingot.dataset<tensor<i64>>')}}
  %1 = ingot.window_dataset(%0, %n, %n, %n, %d) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (window_dataset_c2)
func.func @windows_move_on(%n: tensor<i64>, %d: tensor<i1>) {
  %zero = ingot.constant dense<0> : tensor<i64>
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // expected-error @+1 {{the shift of windows must be positive, but is 0}}
  %1 = ingot.window_dataset(%0, %n, %zero, %n, %d) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i1>) -> !ingot.dataset<!ingot.dataset<tensor<i64>>>
  return
}

// -----

// (batch_dataset_c1)
func.func @windows_are_not_batched(%n: tensor<i64>, %d: tensor<i1>) {
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.window_dataset(%0, %n, %n, %n, %d) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i1>) -> !ingot.dataset<!ingot.dataset<tensor<i64>>>
  // expected-error @+1 {{only tensors can be batched, but a component is '!ingot.dataset<tensor<i64>>'}}
  %2 = ingot.batch_dataset(%1, %n, %d) : (!ingot.dataset<!ingot.dataset<tensor<i64>>>, tensor<i64>, tensor<i1>) -> !ingot.dataset<tensor<?xi64>>
  return
}

// -----

func.func private @next(tensor<i64>) -> tensor<i64>

// (scan_dataset_c1)
func.func @scans_hand_on_a_state(%n: tensor<i64>) {
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // expected-error @+1 {{takes ('tensor<i64>') and returns ('tensor<i64>'), but should take ('tensor<i64>', 'tensor<i64>') and return ('tensor<i64>', 'tensor<i64>')}}
  %1 = ingot.scan_dataset(%0, %n) @next : (!ingot.dataset<tensor<i64>>, tensor<i64>) -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (rebatch_dataset_c1)
func.func @rebatched_rows(%x: tensor<4x2xf32>, %n: tensor<1xi64>, %d: tensor<i1>) {
  %0 = ingot.tensor_dataset(%x) : (tensor<4x2xf32>) -> !ingot.dataset<tensor<4x2xf32>>
  // expected-error @+1 {{elements are ('tensor<?x3xf32>'), but new batches of the input's rows are ('tensor<?x2xf32>')}}
  %1 = ingot.rebatch_dataset(%0, %n, %d) : (!ingot.dataset<tensor<4x2xf32>>, tensor<1xi64>, tensor<i1>) -> !ingot.dataset<tensor<?x3xf32>>
  return
}

// -----

// (random_dataset_c1)
func.func @random_integers(%n: tensor<i64>) {
  // expected-error @+1 {{elements are ('tensor<f32>'), but random numbers are ('tensor<i64>')}}
  %0 = ingot.random_dataset(%n, %n) : (tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (directed_interleave_c1)
func.func @choices_are_numbers(%x: tensor<f32>) {
  %0 = ingot.tensor_dataset(%x) : (tensor<f32>) -> !ingot.dataset<tensor<f32>>
  // expected-error @+1 {{the selector's elements must be ('tensor<i64>'), but are ('tensor<f32>')}}
  %1 = ingot.directed_interleave_dataset(%0, %0) : (!ingot.dataset<tensor<f32>>, !ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (directed_interleave_c2)
func.func @chosen_alike(%n: tensor<i64>, %x: tensor<f32>) {
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.tensor_dataset(%x) : (tensor<f32>) -> !ingot.dataset<tensor<f32>>
  // expected-error @+1 {{elements are ('tensor<i64>'), but an input's are ('tensor<f32>')}}
  %2 = ingot.directed_interleave_dataset(%0, %0, %1) : (!ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<i64>>, !ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<i64>>
  return
}

// -----

// (csv_dataset_c1)
func.func @columns_of_kinds(%x: tensor<1xf16>, %t: tensor<!ingot.string>, %n: tensor<i64>, %b: tensor<i1>, %c: tensor<0xi64>) {
  // expected-error @+1 {{columns must be float32, float64, int32, int64 or string, not 'f16'}}
  %0 = ingot.csv_dataset(%x, %t, %t, %n, %b, %t, %b, %t, %c, %c) : (tensor<1xf16>, tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>, tensor<i1>, tensor<!ingot.string>, tensor<i1>, tensor<!ingot.string>, tensor<0xi64>, tensor<0xi64>) -> !ingot.dataset<tensor<f16>>
  return
}

// -----

// (csv_dataset_c2)
func.func @one_delimiter(%x: tensor<1xf32>, %t: tensor<!ingot.string>, %n: tensor<i64>, %b: tensor<i1>, %c: tensor<0xi64>) {
  %d = ingot.constant dense<", "> : tensor<!ingot.string>
  // expected-error @+1 {{field_delim must be one character, but is ', '}}
  %0 = ingot.csv_dataset(%x, %t, %t, %n, %b, %d, %b, %t, %c, %c) : (tensor<1xf32>, tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>, tensor<i1>, tensor<!ingot.string>, tensor<i1>, tensor<!ingot.string>, tensor<0xi64>, tensor<0xi64>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (csv_dataset_c3)
func.func @ascending_columns(%x: tensor<1xf32>, %t: tensor<!ingot.string>, %n: tensor<i64>, %b: tensor<i1>, %c: tensor<0xi64>) {
  %s = ingot.constant dense<[2, 1]> : tensor<2xi64>
  // expected-error @+1 {{select_cols must list column indices, 0 or more, in ascending order, but is [2, 1]}}
  %0 = ingot.csv_dataset(%x, %t, %t, %n, %b, %t, %b, %t, %s, %c) : (tensor<1xf32>, tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>, tensor<i1>, tensor<!ingot.string>, tensor<i1>, tensor<!ingot.string>, tensor<2xi64>, tensor<0xi64>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (group_dataset_c1)
func.func @keys_are_numbers(%n: tensor<i64>, %x: tensor<f32>) {
  %0 = ingot.tensor_dataset(%x, %n) : (tensor<f32>, tensor<i64>) -> !ingot.dataset<tensor<f32>, tensor<i64>>
  // expected-error @+1 {{each element of the input must consist of a key and a window size (int64 scalars), the components to group, and 0 tensors (num_tensors), but its components are ('tensor<f32>', 'tensor<i64>')}}
  %1 = ingot.group_dataset(%0) {num_tensors = 0 : i64} : (!ingot.dataset<tensor<f32>, tensor<i64>>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (group_dataset_c2)
func.func @windows_of_elements(%n: tensor<i64>, %x: tensor<f32>) {
  %0 = ingot.tensor_dataset(%n, %n, %x) : (tensor<i64>, tensor<i64>, tensor<f32>) -> !ingot.dataset<tensor<i64>, tensor<i64>, tensor<f32>>
  // expected-error @+1 {{but the windows are ('!ingot.dataset<tensor<f32>>')}}
  %1 = ingot.group_dataset(%0) {num_tensors = 0 : i64} : (!ingot.dataset<tensor<i64>, tensor<i64>, tensor<f32>>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (unique_dataset_c1)
func.func @unique_numbers(%x: tensor<f32>) {
  %0 = ingot.tensor_dataset(%x) : (tensor<f32>) -> !ingot.dataset<tensor<f32>>
  // expected-error @+1 {{elements must have one component, of int32, int64 or string, but are ('tensor<f32>')}}
  %1 = ingot.unique_dataset(%0) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (optional_dataset_c1)
func.func @flag_in_front(%x: tensor<f32>) {
  %0 = ingot.tensor_dataset(%x) : (tensor<f32>) -> !ingot.dataset<tensor<f32>>
  // expected-error @+1 {{elements are ('tensor<f32>'), but a flag and the input's components are ('tensor<i1>', 'tensor<f32>')}}
  %1 = ingot.optional_dataset(%0) : (!ingot.dataset<tensor<f32>>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (file_dataset_c2)
func.func @compressions_are_known(%f: tensor<!ingot.string>, %n: tensor<i64>) {
  %c = ingot.constant dense<"LZ4"> : tensor<!ingot.string>
  // expected-error @+1 {{compression 'LZ4' is not supported, expected '', 'GZIP' or 'ZLIB'}}
  %0 = ingot.text_line_dataset(%f, %c, %n) : (tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>) -> !ingot.dataset<tensor<!ingot.string>>
  return
}

// -----

// (fixed_length_c2)
func.func @headers_have_sizes(%f: tensor<!ingot.string>, %n: tensor<i64>) {
  %h = ingot.constant dense<-1> : tensor<i64>
  // expected-error @+1 {{the length of a header, record or footer must be 0 to 2^40 bytes, but is -1}}
  %0 = ingot.fixed_length_record_dataset(%f, %h, %n, %n, %n, %f) : (tensor<!ingot.string>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<!ingot.string>) -> !ingot.dataset<tensor<!ingot.string>>
  return
}

// -----

// (tf_record_dataset_v2_c1)
func.func @an_offset_for_each_file(%f: tensor<2x!ingot.string>, %t: tensor<!ingot.string>, %n: tensor<i64>) {
  %o = ingot.constant dense<8> : tensor<1xi64>
  // expected-error @+1 {{there are 1 byte offsets for 2 files}}
  %0 = ingot.tf_record_dataset_v2(%f, %t, %n, %o) : (tensor<2x!ingot.string>, tensor<!ingot.string>, tensor<i64>, tensor<1xi64>) -> !ingot.dataset<tensor<!ingot.string>>
  return
}

// -----

// (interleave_dataset_c3)
func.func @somebody_has_a_turn(%d: !ingot.dataset<tensor<i64>>) {
  %zero = ingot.constant dense<0> : tensor<i64>
  // expected-error @+1 {{the cycle length must be positive, or -1 for AUTOTUNE, but is 0}}
  %0 = ingot.interleave_dataset(%d, %zero, %zero) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>) -> !ingot.dataset<tensor<i64>> {
  ^bb0(%x: tensor<i64>):
    %1 = ingot.tensor_dataset(%x) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
    ingot.yield %1 : !ingot.dataset<tensor<i64>>
  }
  return
}

// -----

// (window_dataset_c3)
func.func @windows_are_near(%n: tensor<i64>, %d: tensor<i1>) {
  %far = ingot.constant dense<2147483649> : tensor<i64>
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  // expected-error @+1 {{the shift and the stride must be at most 2^31, but one is 2147483649}}
  %1 = ingot.window_dataset(%0, %n, %n, %far, %d) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i1>) -> !ingot.dataset<!ingot.dataset<tensor<i64>>>
  return
}

// -----

// (rebatch_dataset_c2)
func.func @some_batch_has_rows(%d: !ingot.dataset<tensor<?xi64>>, %b: tensor<i1>) {
  %s = ingot.constant dense<0> : tensor<2xi64>
  // expected-error @+1 {{at least one batch size must be positive, but the batch sizes are [0, 0]}}
  %0 = ingot.rebatch_dataset(%d, %s, %b) : (!ingot.dataset<tensor<?xi64>>, tensor<2xi64>, tensor<i1>) -> !ingot.dataset<tensor<?xi64>>
  return
}

// -----

// (csv_dataset_c4)
func.func @a_default_for_each_column(%x: tensor<1xf32>, %t: tensor<!ingot.string>, %n: tensor<i64>, %b: tensor<i1>, %c: tensor<0xi64>) {
  %s = ingot.constant dense<[1, 2]> : tensor<2xi64>
  // expected-error @+1 {{select_cols lists 2 columns, but record_defaults has 1 values}}
  %0 = ingot.csv_dataset(%x, %t, %t, %n, %b, %t, %b, %t, %s, %c) : (tensor<1xf32>, tensor<!ingot.string>, tensor<!ingot.string>, tensor<i64>, tensor<i1>, tensor<!ingot.string>, tensor<i1>, tensor<!ingot.string>, tensor<2xi64>, tensor<0xi64>) -> !ingot.dataset<tensor<f32>>
  return
}

// -----

// (cache_dataset_c1)
func.func @windows_stay_in_memory(%n: tensor<i64>, %d: tensor<i1>) {
  %f = ingot.constant dense<"cache"> : tensor<!ingot.string>
  %0 = ingot.tensor_dataset(%n) : (tensor<i64>) -> !ingot.dataset<tensor<i64>>
  %1 = ingot.window_dataset(%0, %n, %n, %n, %d) : (!ingot.dataset<tensor<i64>>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i1>) -> !ingot.dataset<!ingot.dataset<tensor<i64>>>
  // expected-error @+1 {{a cache in a file needs elements of one or more tensors, but the input's elements are ('!ingot.dataset<tensor<i64>>')}}
  %2 = ingot.cache_dataset(%1, %f) : (!ingot.dataset<!ingot.dataset<tensor<i64>>>, tensor<!ingot.string>) -> !ingot.dataset<!ingot.dataset<tensor<i64>>>
  return
}
