//===- IngotSet.td - Ops with data-dependent sizes ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops whose results' sizes depend on the data: distinct values, positions,
// sets. They run in the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_SET_TD
#define INGOT_DIALECTS_INGOT_SET_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_WhereOp : Ingot_PureOp<"where", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"Where">];
  let summary = "Positions of the elements that are not zero";
  let description = [{
    TensorFlow's `Where`: a row of coordinates for each element of the input
    that is true, or not zero, in row-major order.

    Constraints:
    - (where_c1) the input's rank is known.

    ```mlir
    %p = ingot.where %mask : (tensor<4x3xi1>) -> tensor<?x2xi64>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input);
  let results = (outs TensorOf<[I64]>:$positions);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_NonMaxSuppressionOp : Ingot_PureOp<"non_max_suppression", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"NonMaxSuppressionV5", [TF_Bool<"pad_to_max_output_size">], ["selected_indices", "selected_scores", "valid_outputs"]>];
  let summary = "Non-maximum suppression of boxes";
  let description = [{
    TensorFlow's `NonMaxSuppressionV5`; earlier versions are imported as this op.
    Selects at most `count` boxes, each a row with two corners, with scores above
    `score_threshold`, by descending score. A box whose intersection over union with
    a better one is above `iou_threshold` is dropped; with `sigma` above zero, the
    scores of other boxes are reduced by their intersection, too. The results are the indices of the selected boxes,
    their scores (both filled up with zeros with `pad_to_max_output_size`), and the
    number of these boxes.

    Constraints:
    - (non_max_suppression_c1) boxes are rows of four numbers, and there are as many scores.
    - (non_max_suppression_c2) the other operands are scalars.

    ```mlir
    %at, %s, %n = ingot.non_max_suppression %boxes, %scores, %count, %iou, %least, %sigma : (tensor<?x4xf32>, tensor<?xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<?xf32>, tensor<i32>)
    ```
  }];
  let arguments = (ins TensorOf<[F32]>:$boxes, TensorOf<[F32]>:$scores, TensorOf<[I32]>:$count, TensorOf<[F32]>:$iou_threshold,
                       TensorOf<[F32]>:$score_threshold, TensorOf<[F32]>:$sigma, DefaultValuedAttr<BoolAttr, "false">:$pad_to_max_output_size);
  let results = (outs TensorOf<[I32]>:$indices, TensorOf<[F32]>:$kept, TensorOf<[I32]>:$valid);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// An op that finds, for each number, the position in a sorted row at which
// inserting the number keeps the row sorted.
class Ingot_BoundOp<string mnemonic, string tensorFlow, string which, string test>
    : Ingot_PureOp<mnemonic, [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<tensorFlow, [TF_Type<"out_type", "output_type", "DT_INT32">]>];
  let summary = "The " # which #
                " index at which a number keeps a row sorted";
  let description = "TensorFlow's `" # tensorFlow # "`: for each of the `values` how many numbers of the same row of `sorted` are " #
      test # [{ it. `output_type` is the element type of the result.

Constraints:
- (bound_c1) both operands are matrices of one element type and with as many rows.
- (bound_c2) `output_type` is i32 or i64.

```mlir
%at = ingot.}] # mnemonic # " %sorted, %values {output_type = i32} : (tensor<2x8xf32>, tensor<2x?xf32>) -> tensor<2x?xi32>\n```\n";
  let arguments = (ins Ingot_NumericTensor:$sorted, Ingot_NumericTensor:$values, TypeAttr:$output_type);
  let results = (outs Ingot_IntTensor:$output);
  let assemblyFormat = "$sorted `,` $values attr-dict `:` functional-type(operands, results)";
}

def Ingot_LowerBoundOp : Ingot_BoundOp<"lower_bound", "LowerBound", "first", "less than">;
def Ingot_UpperBoundOp : Ingot_BoundOp<"upper_bound", "UpperBound", "last", "not more than">;

def Ingot_UniqueOp : Ingot_PureOp<"unique", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"Unique", [TF_Type<"out_idx", "output_type", "DT_INT32">], ["y", "idx"]>,
    TF_Op<"UniqueWithCounts", [TF_Type<"out_idx", "output_type", "DT_INT32">], ["y", "idx", "count"]>];
  let summary = "Distinct elements, or slices, in the order of their first occurrence";
  let description = [{
    TensorFlow's `Unique`, `UniqueV2`, `UniqueWithCounts` and
    `UniqueWithCountsV2`: the distinct elements of a vector, or with `axis` the
    distinct slices along that axis; for each element or slice, the index of its
    equal among the distinct ones; and how often each distinct one occurs.
    `output_type` is the element type of indices and counts. A NaN equals no element.

    Constraints:
    - (unique_c1) without `axis` the input is a vector.
    - (unique_c2) with `axis` the input's rank is known, and the axis lies within it.
    - (unique_c3) `output_type` is i32 or i64.

    ```mlir
    %y, %place, %count = ingot.unique %ids {output_type = i64} : (tensor<8xi64>) -> (tensor<?xi64>, tensor<8xi64>, tensor<?xi64>)
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, OptionalAttr<I64Attr>:$axis, TypeAttr:$output_type);
  let results = (outs Ingot_Tensor:$output, Ingot_IntTensor:$places, Ingot_IntTensor:$counts);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_ListDiffOp : Ingot_PureOp<"list_diff", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"ListDiff", [TF_Type<"out_idx", "output_type", "DT_INT32">], ["out", "idx"]>];
  let summary = "Elements of one vector that are not in another";
  let description = [{
    TensorFlow's `ListDiff`: the elements of `input` that are not in `removed`, in
    their order and with duplicates, and their positions in `input`.

    Constraints:
    - (list_diff_c1) both operands are vectors of one element type.
    - (list_diff_c2) `output_type` is i32 or i64.

    ```mlir
    %y, %at = ingot.list_diff %x, %removed {output_type = i32} : (tensor<6xi32>, tensor<2xi32>) -> (tensor<?xi32>, tensor<?xi32>)
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_Tensor:$removed, TypeAttr:$output_type);
  let results = (outs Ingot_Tensor:$output, Ingot_IntTensor:$positions);
  let assemblyFormat = "$input `,` $removed attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_DynamicPartitionOp : Ingot_PureOp<"dynamic_partition", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"DynamicPartition", [TF_Int<"num_partitions">]>];
  let summary = "Distributes slices among results by partition number";
  let description = [{
    TensorFlow's `DynamicPartition`: slice `data[i, ...]` goes to result
    `partitions[i]`; in each result slices keep their order. `partitions` may
    have several dimensions, which are then the first ones of `data`.

    Constraints:
    - (dynamic_partition_c1) the rank of the partitions is known.
    - (dynamic_partition_c2) the shape of the partitions is a prefix of that of the data.
    - (dynamic_partition_c3) there is at least one partition.

    ```mlir
    %a, %b = ingot.dynamic_partition %x, %p {num_partitions = 2 : i64} : (tensor<5x3xf32>, tensor<5xi32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
    ```
  }];
  let arguments = (ins Ingot_Tensor:$data, TensorOf<[I32]>:$partitions, I64Attr:$num_partitions);
  let results = (outs Variadic<Ingot_Tensor>:$outputs);
  let assemblyFormat = "$data `,` $partitions attr-dict `:` functional-type(operands, results)";
}

def Ingot_DynamicStitchOp : Ingot_PureOp<"dynamic_stitch", [Ingot_ComputedByRuntime, SameVariadicOperandSize]> {
  let tensorFlowOps = [
    TF_Op<"DynamicStitch", [TF_Implied<"N">]>,
    TF_Op<"ParallelDynamicStitch", [TF_Implied<"N">]>];
  let summary = "Stitches slices together by index";
  let description = [{
    TensorFlow's `DynamicStitch` and `ParallelDynamicStitch`: slice
    `data[k][i, ...]` becomes row `indices[k][i]` of the result, which has one
    row more than the largest index. If several slices have the same index, the last
    one is kept; a row without a slice is zero.

    Constraints:
    - (dynamic_stitch_c1) the shapes of indices are prefixes of those of their data, of known ranks.
    - (dynamic_stitch_c2) the shapes of the data's slices are the same for all.

    ```mlir
    %y = ingot.dynamic_stitch [%i, %j], [%a, %b] : (tensor<2xi32>, tensor<3xi32>, tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Variadic<TensorOf<[I32]>>:$indices, Variadic<Ingot_Tensor>:$data);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "`[` $indices `]` `,` `[` $data `]` attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Ingot_SetOperationOp : Ingot_PureOp<"set_operation", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"DenseToDenseSetOperation", [TF_String<"set_operation">, TF_Bool<"validate_indices">], ["result_indices", "result_values", "result_shape"], 2>,
    TF_Op<"DenseToSparseSetOperation", [TF_String<"set_operation">, TF_Bool<"validate_indices">], ["result_indices", "result_values", "result_shape"], 4>,
    TF_Op<"SparseToSparseSetOperation", [TF_String<"set_operation">, TF_Bool<"validate_indices">], ["result_indices", "result_values", "result_shape"], 6>];
  let summary = "Difference, intersection or union of the rows of two tensors as sets";
  let description = [{
    TensorFlow's `DenseToDenseSetOperation`, `DenseToSparseSetOperation` and
    `SparseToSparseSetOperation`: the elements along the last dimension are a set;
    all other dimensions of both tensors agree. A dense tensor is one operand; a
    sparse one is three operands, its indices, values and shape. So two operands are
    two dense tensors, four a dense and a sparse one, six two sparse ones. The
    results are indices, values and shape of a sparse tensor, whose rows have sorted
    elements. `set_operation` is
    `a-b`, `b-a`, `intersection` or `union`; with
    `validate_indices` the indices of sparse operands must be in order.

    Constraints:
    - (set_operation_c1) there are two, four or six operands.
    - (set_operation_c2) `set_operation` is a-b, b-a, intersection or union.
    - (set_operation_c3) the rank of a dense set is known and at least 2.
    - (set_operation_c4) both sets have one element type.

    ```mlir
    %i, %v, %s = ingot.set_operation %a, %b {set_operation = "union"} : (tensor<2x3xi64>, tensor<2x5xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
    ```
  }];
  let arguments = (ins Variadic<Ingot_Tensor>:$sets, StrAttr:$set_operation,
                   DefaultValuedAttr<BoolAttr, "true">:$validate_indices);
  let results = (outs TensorOf<[I64]>:$indices, Ingot_Tensor:$values, TensorOf<[I64]>:$shape);
  let assemblyFormat = "$sets attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringNGramsOp : Ingot_PureOp<"string_ngrams", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"StringNGrams", [TF_String<"separator">, TF_Ints<"ngram_widths">, TF_String<"left_pad">, TF_String<"right_pad">, TF_Int<"pad_width">,
                           TF_Bool<"preserve_short_sequences">, TF_Implied<"Tsplits">], ["ngrams", "ngrams_splits"]>];
  let summary = "N-grams of ragged rows of strings";
  let description = [{
    TensorFlow's `StringNGrams`: of each row the strings of neighbors, joined by
    `separator`, for each of `ngram_widths` neighbors in turn. A row gets `pad_width`
    pads on both sides, but at most as many as an n-gram has other elements; -1
    stands for all of these. With `preserve_short_sequences`, a row that is too
    short for any n-gram is one n-gram. The results are ragged rows, too.

    Constraints:
    - (string_ngrams_c1) data and splits are vectors.
    - (string_ngrams_c2) widths are positive and, as `pad_width`, in the range of int32.

    ```mlir
    %y, %ends = ingot.string_ngrams %x, %splits {separator = " ", ngram_widths = array<i64: 2, 3>, left_pad = "", right_pad = "", pad_width = 0 : i64}
        : (tensor<?x!ingot.string>, tensor<5xi64>) -> (tensor<?x!ingot.string>, tensor<5xi64>)
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$data, Ingot_IntTensor:$splits, StrAttr:$separator, DenseI64ArrayAttr:$ngram_widths,
                       StrAttr:$left_pad, StrAttr:$right_pad, I64Attr:$pad_width, DefaultValuedAttr<BoolAttr, "false">:$preserve_short_sequences);
  let results = (outs Ingot_StringTensor:$ngrams, Ingot_IntTensor:$ngrams_splits);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_RaggedRangeOp : Ingot_PureOp<"ragged_range", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"RaggedRange", [TF_Type<"Tsplits", "splits_type", "DT_INT64">], ["rt_nested_splits", "rt_dense_values"]>];
  let summary = "Ranges as ragged rows";
  let description = [{
    TensorFlow's `RaggedRange`: of each row the numbers from its start up to its
    limit, which is left out, in steps of its delta. Scalars are those of all rows.
    The results are the splits and the values of ragged rows.

    Constraints:
    - (ragged_range_c1) starts, limits and deltas are scalars, or vectors of one length.
    - (ragged_range_c2) they have one element type; splits are int32 or int64.

    ```mlir
    %splits, %y = ingot.ragged_range %starts, %limits, %one {splits_type = i64} : (tensor<4xi32>, tensor<4xi32>, tensor<i32>) -> (tensor<5xi64>, tensor<?xi32>)
    ```
  }];
  let arguments = (ins TensorOf<[F32, F64, I32, I64]>:$starts, TensorOf<[F32, F64, I32, I64]>:$limits,
                       TensorOf<[F32, F64, I32, I64]>:$deltas, TypeAttr:$splits_type);
  let results = (outs Ingot_IntTensor:$splits, TensorOf<[F32, F64, I32, I64]>:$values);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_UnicodeTranscodeOp : Ingot_PureOp<"unicode_transcode", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"UnicodeTranscode", [TF_String<"input_encoding">, TF_String<"output_encoding">, TF_String<"errors">,
                                                  TF_Int<"replacement_char">, TF_Bool<"replace_control_characters">]>];
  let summary = "Converts texts to another encoding";
  let description = [{
    TensorFlow's `UnicodeTranscode`. Malformed bytes, and with
    `replace_control_characters` code points up to 31, stop the run if `errors` is
    "strict", are left out with "ignore", and become `replacement_char` with
    "replace".

    Constraints:
    - (unicode_transcode_c1) the input's encoding is UTF-8, UTF-16-BE, UTF-16-LE,
      UTF-32-BE, UTF-32-LE, US-ASCII or ISO-8859-1, the output's is UTF-8,
      UTF-16-BE or UTF-32-BE.
    - (unicode_transcode_c2) `errors` is among the values above, and
      `replacement_char` is a code point.

    ```mlir
    %y = ingot.unicode_transcode %x {input_encoding = "UTF-8", output_encoding = "UTF-16-BE", errors = "replace", replacement_char = 65533 : i64} : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, StrAttr:$input_encoding, StrAttr:$output_encoding, StrAttr:$errors,
                       I64Attr:$replacement_char, DefaultValuedAttr<BoolAttr, "false">:$replace_control_characters);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_UnicodeDecodeOp : Ingot_PureOp<"unicode_decode", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"UnicodeDecodeWithOffsets", [TF_String<"input_encoding">, TF_String<"errors">, TF_Int<"replacement_char">,
                                       TF_Bool<"replace_control_characters">, TF_Type<"Tsplits", "splits_type", "DT_INT64">],
          ["row_splits", "char_values", "char_to_byte_starts"]>,
    TF_Op<"UnicodeDecode", [TF_String<"input_encoding">, TF_String<"errors">, TF_Int<"replacement_char">,
                            TF_Bool<"replace_control_characters">, TF_Type<"Tsplits", "splits_type", "DT_INT64">],
          ["row_splits", "char_values"]>];
  let summary = "Decodes texts to code points";
  let description = [{
    TensorFlow's `UnicodeDecodeWithOffsets` and `UnicodeDecode`: the code points of
    each text as a ragged row, and the byte at which each begins in its text. Errors
    are those of `ingot.unicode_transcode`, except that control characters never
    stop the run: with "strict" they are replaced.

    Constraints:
    - (unicode_decode_c1) the encoding is among the input's of
      `ingot.unicode_transcode`.
    - (unicode_decode_c2) `errors` is strict, ignore or replace, and
      `replacement_char` is a code point.
    - (unicode_decode_c3) splits are int32 or int64.

    ```mlir
    %splits, %y, %starts = ingot.unicode_decode %x {input_encoding = "UTF-8", errors = "replace", replacement_char = 65533 : i64, splits_type = i64} : (tensor<4x!ingot.string>) -> (tensor<5xi64>, tensor<?xi32>, tensor<?xi64>)
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, StrAttr:$input_encoding, StrAttr:$errors, I64Attr:$replacement_char,
                       DefaultValuedAttr<BoolAttr, "false">:$replace_control_characters, TypeAttr:$splits_type);
  let results = (outs Ingot_IntTensor:$splits, TensorOf<[I32]>:$code_points, TensorOf<[I64]>:$starts);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Ingot_UnicodeEncodeOp : Ingot_PureOp<"unicode_encode", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"UnicodeEncode", [TF_String<"errors">, TF_String<"output_encoding">, TF_Int<"replacement_char">, TF_Implied<"Tsplits">]>];
  let summary = "Encodes rows of code points as texts";
  let description = [{
    TensorFlow's `UnicodeEncode`: a text of each ragged row. Surrogates,
    noncharacters and numbers that are no code points stop the run if `errors` is
    "strict", and become `replacement_char` with "replace". With "ignore" only
    numbers that are no code points are left out, as in TensorFlow.

    Constraints:
    - (unicode_encode_c1) code points and splits are vectors.
    - (unicode_encode_c2) the encoding is UTF-8, UTF-16-BE or UTF-32-BE.
    - (unicode_encode_c3) `errors` is strict, ignore or replace, and
      `replacement_char` is a code point.

    ```mlir
    %y = ingot.unicode_encode %x, %splits {output_encoding = "UTF-8", errors = "replace", replacement_char = 65533 : i64} : (tensor<?xi32>, tensor<5xi64>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins TensorOf<[I32]>:$code_points, Ingot_IntTensor:$splits, StrAttr:$output_encoding, StrAttr:$errors, I64Attr:$replacement_char);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_SET_TD
