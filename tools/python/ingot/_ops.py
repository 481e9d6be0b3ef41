# SPDX-License-Identifier: Apache-2.0
"""The signatures of the ops that graphs written here have: TensorFlow's, and Ingot's own, whose names begin with `Ingot>`.

An argument is `name:type`. The type is an attribute's name, or a fixed type; `N*T` stands for N tensors of one type, and
`[T]` for tensors whose types the attribute T lists. Tests compare this table with TensorFlow's.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple

_TABLE = """
Const: -> output:dtype
Placeholder: -> output:dtype
NoOp: ->
Identity: input:T -> output:T
VarHandleOp: -> resource:resource
ReadVariableOp: resource:resource -> value:dtype
AssignVariableOp: resource:resource value:dtype ->
AssignAddVariableOp: resource:resource value:dtype ->
PlaceholderWithDefault: input:dtype -> output:dtype
SaveV2: prefix:string tensor_names:string shape_and_slices:string tensors:[dtypes] ->
RestoreV2: prefix:string tensor_names:string shape_and_slices:string -> tensors:[dtypes]
ReadFile: filename:string -> contents:string
DecodeRaw: bytes:string -> output:out_type
TensorSliceDataset: components:[Toutput_types] -> handle:variant
FixedLengthRecordDatasetV2: filenames:string header_bytes:int64 record_bytes:int64 footer_bytes:int64 buffer_size:int64 compression_type:string -> handle:variant
TFRecordDataset: filenames:string compression_type:string buffer_size:int64 -> handle:variant
ParseSingleExample: serialized:string dense_defaults:[Tdense] -> sparse_indices:num_sparse*int64 sparse_values:[sparse_types] sparse_shapes:num_sparse*int64 dense_values:[Tdense]
MapDataset: input_dataset:variant other_arguments:[Targuments] -> handle:variant
ZipDataset: input_datasets:N*variant -> handle:variant
ShuffleDataset: input_dataset:variant buffer_size:int64 seed:int64 seed2:int64 -> handle:variant
BatchDatasetV2: input_dataset:variant batch_size:int64 drop_remainder:bool -> handle:variant
RepeatDataset: input_dataset:variant count:int64 -> handle:variant
TakeDataset: input_dataset:variant count:int64 -> handle:variant
IteratorV2: -> handle:resource
MakeIterator: dataset:variant iterator:resource ->
IteratorGetNext: iterator:resource -> components:[output_types]
BiasAdd: value:T bias:T -> output:T
Relu: features:T -> activations:T
ReluGrad: gradients:T features:T -> backprops:T
SparseSoftmaxCrossEntropyWithLogits: features:T labels:Tlabels -> loss:T backprop:T
AddV2: x:T y:T -> z:T
Sub: x:T y:T -> z:T
Mul: x:T y:T -> z:T
RealDiv: x:T y:T -> z:T
TruncateDiv: x:T y:T -> z:T
TruncateMod: x:T y:T -> z:T
DivNoNan: x:T y:T -> z:T
Maximum: x:T y:T -> z:T
Minimum: x:T y:T -> z:T
Pow: x:T y:T -> z:T
Atan2: y:T x:T -> z:T
NextAfter: x1:T x2:T -> output:T
Neg: x:T -> y:T
Abs: x:T -> y:T
Sign: x:T -> y:T
Floor: x:T -> y:T
Ceil: x:T -> y:T
Rint: x:T -> y:T
Exp: x:T -> y:T
Expm1: x:T -> y:T
Log: x:T -> y:T
Log1p: x:T -> y:T
Sqrt: x:T -> y:T
Rsqrt: x:T -> y:T
Square: x:T -> y:T
Tanh: x:T -> y:T
Sigmoid: x:T -> y:T
Sin: x:T -> y:T
Cos: x:T -> y:T
Tan: x:T -> y:T
Asin: x:T -> y:T
Acos: x:T -> y:T
Atan: x:T -> y:T
Sinh: x:T -> y:T
Cosh: x:T -> y:T
Asinh: x:T -> y:T
Acosh: x:T -> y:T
Atanh: x:T -> y:T
Erf: x:T -> y:T
Erfc: x:T -> y:T
Lgamma: x:T -> y:T
Digamma: x:T -> y:T
IsFinite: x:T -> y:bool
IsNan: x:T -> y:bool
Equal: x:T y:T -> z:bool
NotEqual: x:T y:T -> z:bool
Less: x:T y:T -> z:bool
LessEqual: x:T y:T -> z:bool
Greater: x:T y:T -> z:bool
GreaterEqual: x:T y:T -> z:bool
LogicalAnd: x:bool y:bool -> z:bool
LogicalOr: x:bool y:bool -> z:bool
LogicalNot: x:bool -> y:bool
BitwiseAnd: x:T y:T -> z:T
BitwiseOr: x:T y:T -> z:T
BitwiseXor: x:T y:T -> z:T
Invert: x:T -> y:T
LeftShift: x:T y:T -> z:T
RightShift: x:T y:T -> z:T
SelectV2: condition:bool t:T e:T -> output:T
Cast: x:SrcT -> y:DstT
Bitcast: input:T -> output:type
Reshape: tensor:T shape:Tshape -> output:T
Transpose: x:T perm:Tperm -> y:T
UnsortedSegmentProd: data:T segment_ids:Tindices num_segments:Tnumsegments -> output:T
BroadcastTo: input:T shape:Tidx -> output:T
Fill: dims:index_type value:T -> output:T
Ingot>ThreefryBits: key:uint32 first:uint64 shape:Tshape -> output:dtype
RandomUniform: shape:T -> output:dtype
RandomStandardNormal: shape:T -> output:dtype
RandomUniformInt: shape:T minval:Tout maxval:Tout -> output:Tout
Range: start:Tidx limit:Tidx delta:Tidx -> output:Tidx
ConcatV2: values:N*T axis:Tidx -> output:T
SplitV: value:T size_splits:Tlen split_dim:int32 -> output:num_split*T
Pack: values:N*T -> output:T
Slice: input:T begin:Index size:Index -> output:T
StridedSlice: input:T begin:Index end:Index strides:Index -> output:T
PadV2: input:T paddings:Tpaddings constant_values:T -> output:T
ReverseV2: tensor:T axis:Tidx -> output:T
Tile: input:T multiples:Tmultiples -> output:T
Sum: input:T reduction_indices:Tidx -> output:T
Prod: input:T reduction_indices:Tidx -> output:T
Max: input:T reduction_indices:Tidx -> output:T
Min: input:T reduction_indices:Tidx -> output:T
All: input:bool reduction_indices:Tidx -> output:bool
Any: input:bool reduction_indices:Tidx -> output:bool
ArgMax: input:T dimension:Tidx -> output:output_type
ArgMin: input:T dimension:Tidx -> output:output_type
Cumsum: x:T axis:Tidx -> out:T
Cumprod: x:T axis:Tidx -> out:T
CumulativeLogsumexp: x:T axis:Tidx -> out:T
TopKV2: input:T k:Tk -> values:T indices:index_type
MatMul: a:T b:T -> product:T
BatchMatMulV2: x:T y:T -> output:T
Einsum: inputs:N*T -> output:T
Conv2D: input:T filter:T -> output:T
Conv3D: input:T filter:T -> output:T
Conv2DBackpropInput: input_sizes:int32 filter:T out_backprop:T -> output:T
Conv2DBackpropFilter: input:T filter_sizes:int32 out_backprop:T -> output:T
Conv3DBackpropInputV2: input_sizes:Tshape filter:T out_backprop:T -> output:T
Conv3DBackpropFilterV2: input:T filter_sizes:int32 out_backprop:T -> output:T
DepthwiseConv2dNativeBackpropInput: input_sizes:int32 filter:T out_backprop:T -> output:T
DepthwiseConv2dNativeBackpropFilter: input:T filter_sizes:int32 out_backprop:T -> output:T
DepthwiseConv2dNative: input:T filter:T -> output:T
MaxPool: input:T -> output:T
AvgPool: value:T -> output:T
AvgPoolGrad: orig_input_shape:int32 grad:T -> output:T
MaxPoolGrad: orig_input:T orig_output:T grad:T -> output:T
GatherV2: params:Tparams indices:Tindices axis:Taxis -> output:Tparams
GatherNd: params:Tparams indices:Tindices -> output:Tparams
TensorScatterAdd: tensor:T indices:Tindices updates:T -> output:T
TensorScatterSub: tensor:T indices:Tindices updates:T -> output:T
TensorScatterMax: tensor:T indices:Tindices updates:T -> output:T
TensorScatterMin: tensor:T indices:Tindices updates:T -> output:T
TensorScatterUpdate: tensor:T indices:Tindices updates:T -> output:T
Cholesky: input:T -> output:T
MatrixBandPart: input:T num_lower:Tindex num_upper:Tindex -> band:T
MatrixTriangularSolve: matrix:T rhs:T -> output:T
If: cond:Tcond input:[Tin] -> output:[Tout]
StatelessIf: cond:Tcond input:[Tin] -> output:[Tout]
StatelessCase: branch_index:int32 input:[Tin] -> output:[Tout]
StatelessWhile: input:[T] -> output:[T]
TensorListFromTensor: tensor:element_dtype element_shape:shape_type -> output_handle:variant
TensorListReserve: element_shape:shape_type num_elements:int32 -> handle:variant
TensorListGetItem: input_handle:variant index:int32 element_shape:int32 -> item:element_dtype
TensorListSetItem: input_handle:variant index:int32 item:element_dtype -> output_handle:variant
TensorListStack: input_handle:variant element_shape:int32 -> tensor:element_dtype
"""


class Argument(NamedTuple):
    """`type` is an attribute's name or a fixed type; `number` is the attribute with the number of tensors, "" for one
    tensor, or "list" where `type` is an attribute that lists their types."""

    name: str
    type: str
    number: str


class Signature(NamedTuple):
    inputs: List[Argument]
    outputs: List[Argument]


def _arguments(text: str) -> List[Argument]:
    found = []
    for word in text.split():
        name, dtype = word.split(":")
        if dtype.startswith("["):
            found.append(Argument(name, dtype[1:-1], "list"))
        elif "*" in dtype:
            count, dtype = dtype.split("*")
            found.append(Argument(name, dtype, count))
        else:
            found.append(Argument(name, dtype, ""))
    return found


def _parse() -> Dict[str, Signature]:
    table = {}
    for line in _TABLE.strip().splitlines():
        op, rest = line.split(":", 1)
        inputs, outputs = rest.split("->")
        table[op] = Signature(_arguments(inputs), _arguments(outputs))
    return table


SIGNATURES = _parse()
