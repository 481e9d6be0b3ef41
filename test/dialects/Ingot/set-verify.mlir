// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (where_c1)
func.func @where_c1(%mask: tensor<*xi1>) {
  // expected-error @+1 {{the rank of the input must be known}}
  %p = ingot.where %mask : (tensor<*xi1>) -> tensor<?x2xi64>
  return
}

// -----

// (unique_c1)
func.func @unique_c1(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{the input must be a vector, but has shape [2, 3]}}
  %y, %p, %c = ingot.unique %x {output_type = i32} : (tensor<2x3xi32>) -> (tensor<?x3xi32>, tensor<2xi32>, tensor<?xi32>)
  return
}

// -----

// (unique_c2)
func.func @unique_c2(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{axis 2 lies outside a tensor of rank 2}}
  %y, %p, %c = ingot.unique %x {axis = 2 : i64, output_type = i32} : (tensor<2x3xi32>) -> (tensor<?x3xi32>, tensor<2xi32>, tensor<?xi32>)
  return
}

// -----

// (unique_c3)
func.func @unique_c3(%x: tensor<3xi32>) {
  // expected-error @+1 {{indices must be int32 or int64, not 'f32'}}
  %y, %p, %c = ingot.unique %x {output_type = f32} : (tensor<3xi32>) -> (tensor<?xi32>, tensor<3xi32>, tensor<?xi32>)
  return
}

// -----

// (list_diff_c1)
func.func @list_diff_c1(%x: tensor<3xi32>, %z: tensor<3xi64>) {
  // expected-error @+1 {{the inputs must be vectors of the same element type}}
  %y, %p = ingot.list_diff %x, %z {output_type = i32} : (tensor<3xi32>, tensor<3xi64>) -> (tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

// (list_diff_c2)
func.func @list_diff_c2(%x: tensor<3xi32>) {
  // expected-error @+1 {{positions must be int32 or int64, not 'i16'}}
  %y, %p = ingot.list_diff %x, %x {output_type = i16} : (tensor<3xi32>, tensor<3xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

// (dynamic_partition_c1)
func.func @dynamic_partition_c1(%x: tensor<3xi32>, %p: tensor<*xi32>) {
  // expected-error @+1 {{the rank of the partitions must be known}}
  %y = ingot.dynamic_partition %x, %p {num_partitions = 1 : i64} : (tensor<3xi32>, tensor<*xi32>) -> tensor<?xi32>
  return
}

// -----

// (dynamic_partition_c2)
func.func @dynamic_partition_c2(%x: tensor<3x2xi32>, %p: tensor<4xi32>) {
  // expected-error @+1 {{the shape of the partitions, [4], is not a prefix of the shape of the data, [3, 2]}}
  %y = ingot.dynamic_partition %x, %p {num_partitions = 1 : i64} : (tensor<3x2xi32>, tensor<4xi32>) -> tensor<?x2xi32>
  return
}

// -----

// (dynamic_partition_c3)
func.func @dynamic_partition_c3(%x: tensor<3xi32>) {
  // expected-error @+1 {{num_partitions must be at least 1, but is 0}}
  ingot.dynamic_partition %x, %x {num_partitions = 0 : i64} : (tensor<3xi32>, tensor<3xi32>) -> ()
  return
}

// -----

// (dynamic_stitch_c1)
func.func @dynamic_stitch_c1(%i: tensor<3xi32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{the shape of the indices, [3], is not a prefix of the shape of their data, [4]}}
  %y = ingot.dynamic_stitch [%i], [%x] : (tensor<3xi32>, tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

// (dynamic_stitch_c2)
func.func @dynamic_stitch_c2(%i: tensor<3xi32>, %x: tensor<3x2xf32>, %z: tensor<3x4xf32>) {
  // expected-error @+1 {{the rows of all data must have the same shape, but have shapes [2] and [4]}}
  %y = ingot.dynamic_stitch [%i, %i], [%x, %z] : (tensor<3xi32>, tensor<3xi32>, tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<?x2xf32>
  return
}

// -----

// Gradients of reductions make shapes so: how long they are is known though
// nothing of it is a constant.
func.func @rows_of_computed_indices(%x: tensor<?x4xf32>) {
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %rank = ingot.constant dense<2> : tensor<i32>
  %last = ingot.constant dense<-1> : tensor<1xi32>
  %count = ingot.constant dense<1> : tensor<1xi32>
  %shape = ingot.shape %x {output_type = i32} : (tensor<?x4xf32>) -> tensor<2xi32>
  %all = ingot.range %zero, %rank, %one : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2xi32>
  %sum = ingot.add %last, %rank : (tensor<1xi32>, tensor<i32>) -> tensor<1xi32>
  %axes = ingot.floor_mod %sum, %rank : (tensor<1xi32>, tensor<i32>) -> tensor<1xi32>
  %ones = ingot.fill %count, %one : (tensor<1xi32>, tensor<i32>) -> tensor<1xi32>
  // expected-error @+1 {{results are ('tensor<3xi32>'), but the operands imply ('tensor<2xi32>')}}
  %kept = ingot.dynamic_stitch [%all, %axes], [%shape, %ones] : (tensor<2xi32>, tensor<1xi32>, tensor<2xi32>, tensor<1xi32>) -> tensor<3xi32>
  return
}

// -----

// (set_operation_c1)
func.func @set_operation_c1(%a: tensor<2x3xi64>) {
  // expected-error @+1 {{expected one tensor for each dense set and three for each sparse set, but there are 1 tensors for two sets}}
  %i, %v, %s = ingot.set_operation %a {set_operation = "union"} : (tensor<2x3xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
  return
}

// -----

// (set_operation_c2)
func.func @set_operation_c2(%a: tensor<2x3xi64>) {
  // expected-error @+1 {{unknown set operation 'xor', expected a-b}}
  %i, %v, %s = ingot.set_operation %a, %a {set_operation = "xor"} : (tensor<2x3xi64>, tensor<2x3xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
  return
}

// -----

// (set_operation_c3)
func.func @set_operation_c3(%a: tensor<3xi64>) {
  // expected-error @+1 {{a dense set must be a tensor of rank 2 or more, but has shape [3]}}
  %i, %v, %s = ingot.set_operation %a, %a {set_operation = "union"} : (tensor<3xi64>, tensor<3xi64>) -> (tensor<?x1xi64>, tensor<?xi64>, tensor<1xi64>)
  return
}

// -----

// (set_operation_c4)
func.func @set_operation_c4(%a: tensor<2x3xi64>, %b: tensor<2x3xi32>) {
  // expected-error @+1 {{the two sets must have the same element type, but have 'i64' and 'i32'}}
  %i, %v, %s = ingot.set_operation %a, %b {set_operation = "union"} : (tensor<2x3xi64>, tensor<2x3xi32>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
  return
}

// -----

// (bound_c1)
func.func @bounds_of_matrices(%s: tensor<3xf32>, %v: tensor<1x3xf32>) {
  // expected-error @+1 {{Shape must be rank 2 but is rank 1 for `sorted_inputs` argument}}
  %0 = ingot.lower_bound %s, %v {output_type = i32} : (tensor<3xf32>, tensor<1x3xf32>) -> tensor<1x3xi32>
  return
}

// -----

// (bound_c1)
func.func @bounds_of_as_many_rows(%s: tensor<2x3xf32>, %v: tensor<1x3xf32>) {
  // expected-error @+1 {{'sorted_inputs' and 'values' must have the same number of rows, but have 2 and 1}}
  %0 = ingot.upper_bound %s, %v {output_type = i32} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<1x3xi32>
  return
}

// -----

// (bound_c1)
func.func @bounds_of_one_type(%s: tensor<1x3xf32>, %v: tensor<1x3xi32>) {
  // expected-error @+1 {{element types differ: sorted inputs of 'f32' and values of 'i32'}}
  %0 = ingot.upper_bound %s, %v {output_type = i32} : (tensor<1x3xf32>, tensor<1x3xi32>) -> tensor<1x3xi32>
  return
}

// -----

// (bound_c2)
func.func @bounds_are_indices(%s: tensor<1x3xf32>) {
  // expected-error @+1 {{indices must be int32 or int64, not 'i16'}}
  %0 = ingot.upper_bound %s, %s {output_type = i16} : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xi32>
  return
}

// -----

// (non_max_suppression_c1)
func.func @non_max_suppression_of_corners(%b: tensor<5x3xf32>, %s: tensor<5xf32>, %c: tensor<i32>, %f: tensor<f32>) {
  // expected-error @+1 {{boxes must have shape [n, 4] and scores shape [n], but the shapes are [5, 3] and [5]}}
  %0, %1, %2 = ingot.non_max_suppression %b, %s, %c, %f, %f, %f : (tensor<5x3xf32>, tensor<5xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<?xf32>, tensor<i32>)
  return
}

// -----

// (non_max_suppression_c1)
func.func @non_max_suppression_has_scores(%b: tensor<5x4xf32>, %s: tensor<6xf32>, %c: tensor<i32>, %f: tensor<f32>) {
  // expected-error @+1 {{boxes must have shape [n, 4] and scores shape [n], but the shapes are [5, 4] and [6]}}
  %0, %1, %2 = ingot.non_max_suppression %b, %s, %c, %f, %f, %f : (tensor<5x4xf32>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<?xf32>, tensor<i32>)
  return
}

// -----

// (non_max_suppression_c2)
func.func @non_max_suppression_has_a_scalar(%b: tensor<5x4xf32>, %s: tensor<5xf32>, %c: tensor<2xi32>, %f: tensor<f32>) {
  // expected-error @+1 {{each of max_output_size, iou_threshold, score_threshold and soft_nms_sigma}}
  %0, %1, %2 = ingot.non_max_suppression %b, %s, %c, %f, %f, %f : (tensor<5x4xf32>, tensor<5xf32>, tensor<2xi32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<?xf32>, tensor<i32>)
  return
}

// -----

// (string_ngrams_c1)
func.func @string_ngrams_c1(%x: tensor<?x!ingot.string>, %s: tensor<2x3xi64>) {
  // expected-error @+1 {{data and splits must be vectors, but have shapes [?] and [2, 3]}}
  %y, %e = ingot.string_ngrams %x, %s {separator = " ", left_pad = "", right_pad = "", ngram_widths = array<i64: 2>, pad_width = 0 : i64} : (tensor<?x!ingot.string>, tensor<2x3xi64>) -> (tensor<?x!ingot.string>, tensor<?xi64>)
  return
}

// -----

// (string_ngrams_c2)
func.func @string_ngrams_c2(%x: tensor<?x!ingot.string>, %s: tensor<3xi64>) {
  // expected-error @+1 {{ngram_widths must contain positive values of int32, not 0}}
  %y, %e = ingot.string_ngrams %x, %s {separator = " ", left_pad = "", right_pad = "", ngram_widths = array<i64: 2, 0>, pad_width = 0 : i64} : (tensor<?x!ingot.string>, tensor<3xi64>) -> (tensor<?x!ingot.string>, tensor<3xi64>)
  return
}

// -----

// (string_ngrams_c2)
func.func @string_ngrams_c2_pads(%x: tensor<?x!ingot.string>, %s: tensor<3xi64>) {
  // expected-error @+1 {{pad_width has value 4294967296 out of range for an int32}}
  %y, %e = ingot.string_ngrams %x, %s {separator = " ", left_pad = "", right_pad = "", ngram_widths = array<i64: 2>, pad_width = 4294967296 : i64} : (tensor<?x!ingot.string>, tensor<3xi64>) -> (tensor<?x!ingot.string>, tensor<3xi64>)
  return
}

// -----

// (ragged_range_c1)
func.func @ragged_range_c1(%a: tensor<4xi32>, %b: tensor<3xi32>, %c: tensor<i32>) {
  // expected-error @+1 {{starts, limits and deltas must be scalars or vectors of the same length, but one has shape [3]}}
  %s, %y = ingot.ragged_range %a, %b, %c {splits_type = i64} : (tensor<4xi32>, tensor<3xi32>, tensor<i32>) -> (tensor<5xi64>, tensor<?xi32>)
  return
}

// -----

// (ragged_range_c1)
func.func @ragged_range_c1_matrix(%a: tensor<4x1xi32>, %c: tensor<i32>) {
  // expected-error @+1 {{but one has shape [4, 1]}}
  %s, %y = ingot.ragged_range %a, %c, %c {splits_type = i64} : (tensor<4x1xi32>, tensor<i32>, tensor<i32>) -> (tensor<5xi64>, tensor<?xi32>)
  return
}

// -----

// (ragged_range_c2)
func.func @ragged_range_c2(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{starts, limits and deltas must have the same element type, and splits must be int32 or int64, but the types are 'i32', 'i64', 'i32'}}
  %s, %y = ingot.ragged_range %a, %b, %a {splits_type = i64} : (tensor<4xi32>, tensor<4xi64>, tensor<4xi32>) -> (tensor<5xi64>, tensor<?xi32>)
  return
}

// -----

// (ragged_range_c2)
func.func @ragged_range_c2_splits(%a: tensor<4xi32>) {
  // expected-error @+1 {{splits must be int32 or int64, but the types are}}
  %s, %y = ingot.ragged_range %a, %a, %a {splits_type = f32} : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<5xi64>, tensor<?xi32>)
  return
}

// -----

// (unicode_transcode_c1)
func.func @unicode_transcode_c1(%x: tensor<4x!ingot.string>) {
  // expected-error @+1 {{encoding 'EUC-JP' is not supported}}
  %y = ingot.unicode_transcode %x {input_encoding = "EUC-JP", output_encoding = "UTF-8", errors = "strict", replacement_char = 0 : i64} : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
  return
}

// -----

// (unicode_transcode_c1)
func.func @unicode_transcode_c1_output(%x: tensor<4x!ingot.string>) {
  // expected-error @+1 {{encoding 'US-ASCII' is not supported}}
  %y = ingot.unicode_transcode %x {input_encoding = "UTF-8", output_encoding = "US-ASCII", errors = "strict", replacement_char = 0 : i64} : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
  return
}

// -----

// (unicode_transcode_c2)
func.func @unicode_transcode_c2(%x: tensor<4x!ingot.string>) {
  // expected-error @+1 {{'errors' must be 'strict', 'replace' or 'ignore', but is 'hope'}}
  %y = ingot.unicode_transcode %x {input_encoding = "UTF-8", output_encoding = "UTF-8", errors = "hope", replacement_char = 0 : i64} : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
  return
}

// -----

// (unicode_transcode_c2)
func.func @unicode_transcode_c2_replacement(%x: tensor<4x!ingot.string>) {
  // expected-error @+1 {{replacement_char out of unicode codepoint range: 1114112, expected 0 to 1114111}}
  %y = ingot.unicode_transcode %x {input_encoding = "UTF-8", output_encoding = "UTF-8", errors = "replace", replacement_char = 1114112 : i64} : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
  return
}

// -----

// (unicode_decode_c1)
func.func @unicode_decode_c1(%x: tensor<4x!ingot.string>) {
  // expected-error @+1 {{encoding 'UTF-7' is not supported}}
  %s, %y, %b = ingot.unicode_decode %x {input_encoding = "UTF-7", errors = "strict", replacement_char = 0 : i64, splits_type = i64} : (tensor<4x!ingot.string>) -> (tensor<5xi64>, tensor<?xi32>, tensor<?xi64>)
  return
}

// -----

// (unicode_decode_c2)
func.func @unicode_decode_c2(%x: tensor<4x!ingot.string>) {
  // expected-error @+1 {{replacement_char out of unicode codepoint range: -1, expected 0 to 1114111}}
  %s, %y, %b = ingot.unicode_decode %x {input_encoding = "UTF-8", errors = "strict", replacement_char = -1 : i64, splits_type = i64} : (tensor<4x!ingot.string>) -> (tensor<5xi64>, tensor<?xi32>, tensor<?xi64>)
  return
}

// -----

// (unicode_decode_c3)
func.func @unicode_decode_c3(%x: tensor<4x!ingot.string>) {
  // expected-error @+1 {{'splits_type' must be i32 or i64, but is 'i16'}}
  %s, %y, %b = ingot.unicode_decode %x {input_encoding = "UTF-8", errors = "strict", replacement_char = 0 : i64, splits_type = i16} : (tensor<4x!ingot.string>) -> (tensor<5xi64>, tensor<?xi32>, tensor<?xi64>)
  return
}

// -----

// (unicode_encode_c1)
func.func @unicode_encode_c1(%x: tensor<?xi32>, %s: tensor<2x3xi64>) {
  // expected-error @+1 {{code points of shape [?] and splits of shape [2, 3] must be vectors}}
  %y = ingot.unicode_encode %x, %s {output_encoding = "UTF-8", errors = "strict", replacement_char = 0 : i64} : (tensor<?xi32>, tensor<2x3xi64>) -> tensor<4x!ingot.string>
  return
}

// -----

// (unicode_encode_c2)
func.func @unicode_encode_c2(%x: tensor<?xi32>, %s: tensor<5xi64>) {
  // expected-error @+1 {{encoding 'UTF-16-LE' is not supported}}
  %y = ingot.unicode_encode %x, %s {output_encoding = "UTF-16-LE", errors = "strict", replacement_char = 0 : i64} : (tensor<?xi32>, tensor<5xi64>) -> tensor<4x!ingot.string>
  return
}

// -----

// (unicode_encode_c3)
func.func @unicode_encode_c3(%x: tensor<?xi32>, %s: tensor<5xi64>) {
  // expected-error @+1 {{'errors' must be 'strict', 'replace' or 'ignore', but is ''}}
  %y = ingot.unicode_encode %x, %s {output_encoding = "UTF-8", errors = "", replacement_char = 0 : i64} : (tensor<?xi32>, tensor<5xi64>) -> tensor<4x!ingot.string>
  return
}
