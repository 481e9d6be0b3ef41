//===- IngotString.td - Strings -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops on strings, which are sequences of bytes. They run in the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_STRING_TD
#define INGOT_DIALECTS_INGOT_STRING_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_AsStringOp : Ingot_PureOp<"as_string", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"AsString", [TF_Int<"precision">, TF_Bool<"scientific">, TF_Bool<"shortest">, TF_Int<"width">, TF_String<"fill">]>];
  let summary = "Numbers as text";
  let description = [{
    TensorFlow's `AsString`: numbers as C's printf formats them, with `precision`,
    `width` and `fill` if they are given; booleans as words; strings unchanged.

    Constraints:
    - (as_string_c1) at most one of `scientific` and `shortest` is set.
    - (as_string_c2) `fill` is a space, 0, + or -, or empty.

    ```mlir
    %s = ingot.as_string %x {precision = 2 : i64} : (tensor<4xf32>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, DefaultValuedAttr<I64Attr, "-1">:$precision, DefaultValuedAttr<BoolAttr, "false">:$scientific, DefaultValuedAttr<BoolAttr, "false">:$shortest, DefaultValuedAttr<I64Attr, "-1">:$width, DefaultValuedAttr<StrAttr, "\"\"">:$fill);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringJoinOp : Ingot_PureOp<"string_join", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"StringJoin", [TF_Implied<"N">, TF_String<"separator">]>];
  let summary = "Joins strings";
  let description = [{
    TensorFlow's `StringJoin`: joins the inputs element by element, with `separator`
    between them; scalars are joined with each element.

    Constraints:
    - (string_join_c1) all inputs that are not scalars have compatible shapes.

    ```mlir
    %s = ingot.string_join %a, %b {separator = "/"} : (tensor<!ingot.string>, tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins Variadic<Ingot_StringTensor>:$inputs, DefaultValuedAttr<StrAttr, "\"\"">:$separator);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringFormatOp : Ingot_PureOp<"string_format", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"StringFormat", [TF_String<"template", "format">, TF_String<"placeholder">, TF_Int<"summarize">],
          [], anyNumberOfInputs>];
  let summary = "Formats tensors into a text";
  let description = [{
    TensorFlow's `StringFormat`: replaces each `placeholder` in `format` by an
    input, with the first and last `summarize` elements of each dimension.

    ```mlir
    %s = ingot.string_format %x {format = "x = {}", placeholder = "{}"} : (tensor<4xf32>) -> tensor<!ingot.string>
    ```
  }];
  let arguments = (ins Variadic<Ingot_Tensor>:$inputs, StrAttr:$format, DefaultValuedAttr<StrAttr, "\"%s\"">:$placeholder, DefaultValuedAttr<I64Attr, "3">:$summarize);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringLengthOp : Ingot_PureOp<"string_length", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"StringLength", [TF_String<"unit">]>];
  let summary = "Lengths of strings";
  let description = [{
    TensorFlow's `StringLength`: in bytes, or characters of UTF-8.

    Constraints:
    - (string_length_c1) `unit` is `BYTE` or `UTF8_CHAR`.

    ```mlir
    %n = ingot.string_length %s : (tensor<4x!ingot.string>) -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, DefaultValuedAttr<StrAttr, "\"BYTE\"">:$unit);
  let results = (outs TensorOf<[I32]>:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_SubstrOp : Ingot_PureOp<"substr", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"Substr", [TF_String<"unit">]>];
  let summary = "Substrings";
  let description = [{
    TensorFlow's `Substr`: `length` bytes or characters from `position` on; a
    negative position counts from the end. Strings and positions are broadcast
    against each other.

    Constraints:
    - (substr_c1) `unit` is `BYTE` or `UTF8_CHAR`.
    - (substr_c2) positions and lengths have compatible shapes, which can be
      broadcast against the input's.

    ```mlir
    %t = ingot.substr %s, %at, %n : (tensor<4x!ingot.string>, tensor<i32>, tensor<i32>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, Ingot_IntTensor:$position, Ingot_IntTensor:$length, DefaultValuedAttr<StrAttr, "\"BYTE\"">:$unit);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$input `,` $position `,` $length attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringLowerOp : Ingot_PureOp<"string_lower", [Ingot_ComputedByRuntime]> {
  let summary = "Converts strings to lower case";
  let description = [{
    TensorFlow's `StringLower` of ASCII letters.

    ```mlir
    %t = ingot.string_lower %s : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringUpperOp : Ingot_PureOp<"string_upper", [Ingot_ComputedByRuntime]> {
  let summary = "Converts strings to upper case";
  let description = [{
    TensorFlow's `StringUpper` of ASCII letters.

    ```mlir
    %t = ingot.string_upper %s : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringStripOp : Ingot_PureOp<"string_strip", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"StringStrip">];
  let summary = "Strips white space from strings";
  let description = [{
    TensorFlow's `StringStrip`.

    ```mlir
    %t = ingot.string_strip %s : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringEqualOp : Ingot_PureOp<"string_equal", [Ingot_ComputedByRuntime]> {
  let summary = "String equality";
  let description = [{
    TensorFlow's `Equal`, or with `negate` `NotEqual`, of strings.

    Constraints:
    - (string_equal_c1) the shapes can be broadcast against each other.

    ```mlir
    %e = ingot.string_equal %a, %b : (tensor<4x!ingot.string>, tensor<!ingot.string>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$lhs, Ingot_StringTensor:$rhs, DefaultValuedAttr<BoolAttr, "false">:$negate);
  let results = (outs Ingot_BoolTensor:$output);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringSplitOp : Ingot_PureOp<"string_split", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"StringSplitV2", [TF_Int<"maxsplit">], ["indices", "values", "shape"]>];
  let summary = "Splits strings at separators";
  let description = [{
    TensorFlow's `StringSplitV2`: the pieces of each string are a row of a sparse
    matrix. An empty separator stands for any run of white space. If `maxsplit` is
    not negative, it is the maximum number of splits.

    Constraints:
    - (string_split_c1) the input is a vector, and the separator a scalar.

    ```mlir
    %i, %v, %n = ingot.string_split %s, %comma : (tensor<4x!ingot.string>, tensor<!ingot.string>) -> (tensor<?x2xi64>, tensor<?x!ingot.string>, tensor<2xi64>)
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, Ingot_StringTensor:$separator, DefaultValuedAttr<I64Attr, "-1">:$maxsplit);
  let results = (outs TensorOf<[I64]>:$indices, Ingot_StringTensor:$values, TensorOf<[I64]>:$shape);
  let assemblyFormat = "$input `,` $separator attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringSplitAnyOp : Ingot_PureOp<"string_split_any", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"StringSplit", [TF_Bool<"skip_empty">], ["indices", "values", "shape"]>];
  let summary = "Splits strings at bytes of a set";
  let description = [{
    TensorFlow's `StringSplit`: each byte of `delimiters` separates pieces; without
    delimiters each byte is a piece. `skip_empty` drops pieces without bytes.

    Constraints:
    - (string_split_any_c1) the input is a vector, and the delimiters are a
      scalar.

    ```mlir
    %i, %v, %n = ingot.string_split_any %s, %d : (tensor<4x!ingot.string>, tensor<!ingot.string>) -> (tensor<?x2xi64>, tensor<?x!ingot.string>, tensor<2xi64>)
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, Ingot_StringTensor:$delimiters, DefaultValuedAttr<BoolAttr, "true">:$skip_empty);
  let results = (outs TensorOf<[I64]>:$indices, Ingot_StringTensor:$values, TensorOf<[I64]>:$shape);
  let assemblyFormat = "$input `,` $delimiters attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringToNumberOp : Ingot_PureOp<"string_to_number", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"StringToNumber", [TF_Type<"out_type", "output_type", "DT_FLOAT">]>];
  let summary = "Parses strings as numbers";
  let description = [{
    TensorFlow's `StringToNumber`.

    Constraints:
    - (string_to_number_c1) `output_type` is f32, f64, i32 or i64.

    ```mlir
    %x = ingot.string_to_number %s {output_type = f32} : (tensor<4x!ingot.string>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, TypeAttr:$output_type);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_StringToHashBucketOp : Ingot_PureOp<"string_to_hash_bucket", [Ingot_ComputedByRuntime]> {
  let summary = "Hashes strings to buckets";
  let description = [{
    TensorFlow's `StringToHashBucketFast` (`fast`, FarmHash's Fingerprint64),
    `StringToHashBucketStrong` (`strong`, SipHash under `key`) and
    `StringToHashBucket` (`classic`, MurmurHash): the hash modulo `num_buckets`.

    Constraints:
    - (string_to_hash_bucket_c1) there is at least one bucket.
    - (string_to_hash_bucket_c2) `method` is one of the three, and `strong` has a key of two integers.

    ```mlir
    %n = ingot.string_to_hash_bucket %s {method = "fast", num_buckets = 1000 : i64} : (tensor<4x!ingot.string>) -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, StrAttr:$method, I64Attr:$num_buckets, OptionalAttr<DenseI64ArrayAttr>:$key);
  let results = (outs TensorOf<[I64]>:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_DecodeRawOp : Ingot_PureOp<"decode_raw", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"DecodeRaw", [TF_Type<"out_type", "output_type", "DT_FLOAT">, TF_Bool<"little_endian">]>];
  let summary = "Decodes the bytes of strings as numbers";
  let description = [{
    TensorFlow's `DecodeRaw`: numbers along one more dimension; all strings are of
    one length.

    Constraints:
    - (decode_raw_c1) the rank of the input is known.

    ```mlir
    %x = ingot.decode_raw %s {output_type = f32} : (tensor<4x!ingot.string>) -> tensor<4x?xf32>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, TypeAttr:$output_type, DefaultValuedAttr<BoolAttr, "true">:$little_endian);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_DecodePaddedRawOp : Ingot_PureOp<"decode_padded_raw", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"DecodePaddedRaw", [TF_Type<"out_type", "output_type", "DT_FLOAT">, TF_Bool<"little_endian">]>];
  let summary = "Decodes padded strings as numbers";
  let description = [{
    TensorFlow's `DecodePaddedRaw`: the numbers in the first `fixed_length` bytes of
    each string, along one more dimension. Shorter strings are padded with zeros.

    Constraints:
    - (decode_padded_raw_c1) the rank of the input is known.
    - (decode_padded_raw_c2) the length is a scalar, a positive multiple of the size of a number.

    ```mlir
    %x = ingot.decode_padded_raw %s, %n {output_type = i16} : (tensor<4x!ingot.string>, tensor<i32>) -> tensor<4x?xi16>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, TensorOf<[I32]>:$fixed_length, TypeAttr:$output_type, DefaultValuedAttr<BoolAttr, "true">:$little_endian);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$input `,` $fixed_length attr-dict `:` functional-type(operands, results)";
}

def Ingot_EncodeBase64Op : Ingot_PureOp<"encode_base64", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"EncodeBase64", [TF_Bool<"pad">]>];
  let summary = "Encodes strings in web-safe base64";
  let description = [{
    TensorFlow's `EncodeBase64`. `pad` appends `=` up to a multiple of four
    characters.

    ```mlir
    %t = ingot.encode_base64 %s : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, DefaultValuedAttr<BoolAttr, "false">:$pad);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_DecodeBase64Op : Ingot_PureOp<"decode_base64", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"DecodeBase64">];
  let summary = "Decodes strings from web-safe base64";
  let description = [{
    TensorFlow's `DecodeBase64`, with or without padding.

    ```mlir
    %t = ingot.decode_base64 %s : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_ReduceJoinOp : Ingot_PureOp<"reduce_join", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"ReduceJoin", [TF_Bool<"keep_dims">, TF_String<"separator">]>];
  let summary = "Joins strings along axes";
  let description = [{
    TensorFlow's `ReduceJoin`: strings along the axes, with `separator` between
    them; the first of the axes varies fastest.

    Constraints:
    - (reduce_join_c1) constant axes lie within the input's rank.

    ```mlir
    %t = ingot.reduce_join %s, %axes {separator = " "} : (tensor<2x3x!ingot.string>, tensor<1xi32>) -> tensor<2x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, TensorOf<[I32]>:$axes, DefaultValuedAttr<BoolAttr, "false">:$keep_dims, DefaultValuedAttr<StrAttr, "\"\"">:$separator);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$input `,` $axes attr-dict `:` functional-type(operands, results)";
}

def Ingot_UnsortedSegmentJoinOp : Ingot_PureOp<"unsorted_segment_join", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"UnsortedSegmentJoin", [TF_Implied<"Tindices">, TF_Implied<"Tnumsegments">, TF_String<"separator">]>];
  let summary = "Joins the strings of each segment";
  let description = [{
    TensorFlow's `UnsortedSegmentJoin`: joins the strings with the same segment id, in
    the input's order, with `separator` between them. An id that is out of range
    stops the run.

    Constraints:
    - (unsorted_segment_join_c1) the shape of the ids is a prefix of that of the input.
    - (unsorted_segment_join_c2) the number of segments is a scalar, and not
      negative.

    ```mlir
    %t = ingot.unsorted_segment_join %s, %ids, %n {separator = "-"} : (tensor<3x2x!ingot.string>, tensor<3xi32>, tensor<i32>) -> tensor<?x2x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, TensorOf<[I32, I64]>:$segment_ids, TensorOf<[I32, I64]>:$num_segments, DefaultValuedAttr<StrAttr, "\"\"">:$separator);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$input `,` $segment_ids `,` $num_segments attr-dict `:` functional-type(operands, results)";
}

def Ingot_DecodeCsvOp : Ingot_PureOp<"decode_csv", [Ingot_ComputedByRuntime]> {
  let summary = "Decodes columns of comma-separated values";
  let description = [{
    TensorFlow's `DecodeCSV`: there is a result of the same type for each default. A
    field that is empty or equals `na_value` has the default value; if the default
    is an empty tensor, the field is required. `select_cols` are the columns to
    read, ascending.

    Constraints:
    - (decode_csv_c1) each default has at most one element.
    - (decode_csv_c2) `field_delim` is one byte.
    - (decode_csv_c3) there are as many defaults as selected columns.

    ```mlir
    %a, %b = ingot.decode_csv %s, %x, %y : (tensor<4x!ingot.string>, tensor<1xf32>, tensor<0xi64>) -> (tensor<4xf32>, tensor<4xi64>)
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$records, Variadic<Ingot_Tensor>:$defaults, DefaultValuedAttr<StrAttr, "\",\"">:$field_delim, DefaultValuedAttr<BoolAttr, "true">:$use_quote_delim, DefaultValuedAttr<StrAttr, "\"\"">:$na_value, OptionalAttr<DenseI64ArrayAttr>:$select_cols);
  let results = (outs Variadic<Ingot_Tensor>:$outputs);
  let assemblyFormat = "$records (`,` $defaults^)? attr-dict `:` functional-type(operands, results)";
}

def Ingot_RegexFullMatchOp : Ingot_PureOp<"regex_full_match", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"RegexFullMatch">];
  let summary = "Whether whole strings match a regular expression";
  let description = [{
    TensorFlow's `RegexFullMatch` and `StaticRegexFullMatch`, in RE2's syntax.

    Constraints:
    - (regex_full_match_c1) the pattern is a scalar.

    ```mlir
    %m = ingot.regex_full_match %s, %pattern : (tensor<4x!ingot.string>, tensor<!ingot.string>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, Ingot_StringTensor:$pattern);
  let results = (outs Ingot_BoolTensor:$output);
  let assemblyFormat = "$input `,` $pattern attr-dict `:` functional-type(operands, results)";
}

def Ingot_RegexReplaceOp : Ingot_PureOp<"regex_replace", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [TF_Op<"RegexReplace", [TF_Bool<"replace_global">]>];
  let summary = "Replaces matches of a regular expression";
  let description = [{
    TensorFlow's `RegexReplace` and `StaticRegexReplace`, in RE2's syntax: `\1`
    in `rewrite` is the first group, `\0` the whole match. All matches, or with
    `replace_global` unset the first one.

    Constraints:
    - (regex_replace_c1) pattern and rewrite are scalars.

    ```mlir
    %t = ingot.regex_replace %s, %pattern, %rewrite : (tensor<4x!ingot.string>, tensor<!ingot.string>, tensor<!ingot.string>) -> tensor<4x!ingot.string>
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$input, Ingot_StringTensor:$pattern, Ingot_StringTensor:$rewrite, DefaultValuedAttr<BoolAttr, "true">:$replace_global);
  let results = (outs Ingot_StringTensor:$output);
  let assemblyFormat = "$input `,` $pattern `,` $rewrite attr-dict `:` functional-type(operands, results)";
}

def Ingot_ParseFeaturesOp : Ingot_PureOp<"parse_features", [Ingot_ComputedByRuntime]> {
  let summary = "Features of serialized Examples, of any kind";
  let description = [{
    TensorFlow's `ParseExample`, `ParseExampleV2` and `ParseSingleExample`. The
    serialized input is a scalar, or a vector whose length is the first dimension
    of dense features. Results are in TensorFlow's order: indices, values and shapes of
    sparse features; dense ones; values, then row splits of ragged ones.

    The shape of a dense feature may have a dynamic first dimension: it becomes that
    of the longest Example, and the default, of one element, fills up the others. If
    the shape is static and the default has no elements, the feature must be
    present. If all features have static shapes, `ingot.parse_example` parses them
    without memory that the runtime allocates.

    Constraints:
    - (parse_features_c1) the serialized operand is a scalar or a vector.
    - (parse_features_c2) each key of a sparse feature has a type, each key of a
      ragged feature has two types, and each key of a dense feature has a shape
      and a default.
    - (parse_features_c3) values are float, int64 or string, row splits int32 or int64.
    - (parse_features_c4) at most the first dimension of a shape is dynamic.
    - (parse_features_c5) a default has the feature's shape, or no elements; if
      the shape is dynamic, it has one element.

    ```mlir
    %i, %v, %n, %x = ingot.parse_features %s, defaults(%zero) {sparse_keys = ["ids"], sparse_types = [i64], dense_keys = ["x"], dense_shapes = [array<i64: -1, 2>]}
        : (tensor<8x!ingot.string>, tensor<1xf32>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>, tensor<8x?x2xf32>)
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$serialized, Variadic<Ingot_Tensor>:$defaults,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$sparse_keys, DefaultValuedAttr<TypeArrayAttr, "{}">:$sparse_types,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$dense_keys, DefaultValuedAttr<ArrayAttr, "{}">:$dense_shapes,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$ragged_keys, DefaultValuedAttr<TypeArrayAttr, "{}">:$ragged_types,
                       DefaultValuedAttr<TypeArrayAttr, "{}">:$split_types);
  let results = (outs Variadic<Ingot_Tensor>:$outputs);
  let assemblyFormat = "$serialized `,` `defaults` `(` $defaults `)` attr-dict `:` functional-type(operands, results)";
}

def Ingot_ParseFeatureListsOp : Ingot_PureOp<"parse_feature_lists", [Ingot_ComputedByRuntime]> {
  let summary = "Feature lists of serialized SequenceExamples";
  let description = [{
    The feature lists of TensorFlow's `ParseSequenceExample` and its V2, whose
    context `ingot.parse_features` parses. The input is a scalar, or a vector of a
    batch. Results are in TensorFlow's order: indices, values and shapes of sparse
    lists; dense ones, then their lengths; values, outer and inner splits of ragged
    ones. Lists of rows are padded to the most rows with zeros or empty strings;
    the lengths are the numbers of rows. A dense list that an example lacks stops
    the run, unless its element of `assumed_empty` is true. Outer splits are those
    of a batch into rows (of a scalar input, a scalar 0), inner ones of rows into
    values.

    Constraints:
    - (parse_feature_lists_c1) the serialized operand is a scalar or a vector, and
      `assumed_empty` a vector with an element for each dense list.
    - (parse_feature_lists_c2) each key of a sparse list has a type, each key of a
      dense list has a type and a shape, and each key of a ragged list has two types.
    - (parse_feature_lists_c3) values are float, int64 or string, splits int32 or int64.
    - (parse_feature_lists_c4) the shapes of dense lists are static.
    - (parse_feature_lists_c5) a key is that of only one kind of lists.

    ```mlir
    %i, %v, %n, %x, %steps = ingot.parse_feature_lists %s, %empty {sparse_keys = ["words"], sparse_types = [!ingot.string], dense_keys = ["x"], dense_types = [f32], dense_shapes = [array<i64: 2>]}
        : (tensor<8x!ingot.string>, tensor<1xi1>) -> (tensor<?x3xi64>, tensor<?x!ingot.string>, tensor<3xi64>, tensor<8x?x2xf32>, tensor<8xi64>)
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$serialized, Ingot_BoolTensor:$assumed_empty,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$sparse_keys, DefaultValuedAttr<TypeArrayAttr, "{}">:$sparse_types,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$dense_keys, DefaultValuedAttr<TypeArrayAttr, "{}">:$dense_types,
                       DefaultValuedAttr<ArrayAttr, "{}">:$dense_shapes,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$ragged_keys, DefaultValuedAttr<TypeArrayAttr, "{}">:$ragged_types,
                       DefaultValuedAttr<TypeArrayAttr, "{}">:$split_types);
  let results = (outs Variadic<Ingot_Tensor>:$outputs);
  let assemblyFormat = "$serialized `,` $assumed_empty attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_STRING_TD
