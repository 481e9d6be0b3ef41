//===- IngotRearrange.td - Ops that move elements ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that only move elements: each element of the result is an element of the
// operand, or padding.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_REARRANGE_TD
#define INGOT_DIALECTS_INGOT_REARRANGE_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_PadOp : Ingot_PureOp<"pad"> {
  let tensorFlowOps = [TF_Op<"PadV2", [TF_Implied<"Tpaddings">]>];
  let summary = "Pads a tensor with one value";
  let description = [{
    TensorFlow's `PadV2`, and `Pad` with zeros. Row i of `paddings` says how
    many elements go before and after dimension i.

    Constraints:
    - (pad_c1) `paddings` has a row of two numbers for each dimension.
    - (pad_c2) constant paddings are not negative.
    - (pad_c3) the value is a scalar of the input's element type.

    ```mlir
    %0 = ingot.pad %x, %p, %v : (tensor<3xf32>, tensor<1x2xi32>, tensor<f32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$paddings, Ingot_Tensor:$value);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $paddings `,` $value attr-dict `:` functional-type(operands, results)";
}

def Ingot_MirrorPadOp : Ingot_PureOp<"mirror_pad"> {
  let tensorFlowOps = [TF_Op<"MirrorPad", [TF_Implied<"Tpaddings">, TF_String<"mode">]>];
  let summary = "Pads a tensor with its mirror image";
  let description = [{
    TensorFlow's `MirrorPad`: with `mode` REFLECT, the tensor is mirrored at its last
    element, which is not repeated; with SYMMETRIC, it is mirrored after its last
    element, which is repeated.

    Constraints:
    - (mirror_pad_c1) `paddings` has a row of two numbers for each dimension.
    - (mirror_pad_c2) constant paddings are not negative, and the input has as
      many elements as are mirrored.
    - (mirror_pad_c3) `mode` is REFLECT or SYMMETRIC.

    ```mlir
    %0 = ingot.mirror_pad %x, %p {mode = "REFLECT"} : (tensor<3xf32>, tensor<1x2xi32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$paddings, StrAttr:$mode);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $paddings attr-dict `:` functional-type(operands, results)";
}

def Ingot_MirrorPadGradOp : Ingot_PureOp<"mirror_pad_grad"> {
  let tensorFlowOps = [TF_Op<"MirrorPadGrad", [TF_Implied<"Tpaddings">, TF_String<"mode">]>];
  let summary = "The gradient of mirror_pad";
  let description = [{
    TensorFlow's `MirrorPadGrad`: each element of the border is added to the element
    that it mirrors.

    Constraints:
    - (mirror_pad_grad_c1) `paddings` has a row of two numbers for each
      dimension.
    - (mirror_pad_grad_c2) constant paddings are not negative, and the gradient
      without the padding has as many elements as are mirrored.
    - (mirror_pad_grad_c3) `mode` is REFLECT or SYMMETRIC.

    ```mlir
    %0 = ingot.mirror_pad_grad %x, %p {mode = "REFLECT"} : (tensor<7xf32>, tensor<1x2xi32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$input, Ingot_IntTensor:$paddings, StrAttr:$mode);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "$input `,` $paddings attr-dict `:` functional-type(operands, results)";
}

def Ingot_ReverseOp : Ingot_PureOp<"reverse"> {
  let hasBuilders = 1;
  let tensorFlowOps = [TF_Op<"ReverseV2", [TF_Implied<"Tidx">]>];
  let summary = "Reverses dimensions";
  let description = [{
    TensorFlow's `ReverseV2`, and `Reverse`, whose list of booleans becomes a
    list of axes.

    Constraints:
    - (reverse_c1) `axes` is a vector.
    - (reverse_c2) constant axes lie within the input's rank, each once.

    ```mlir
    %0 = ingot.reverse %x, %axes : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$axes);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $axes attr-dict `:` functional-type(operands, results)";
}

def Ingot_ReverseSequenceOp : Ingot_PureOp<"reverse_sequence"> {
  let tensorFlowOps = [
    TF_Op<"ReverseSequence", [TF_Implied<"Tlen">, TF_Int<"seq_dim">, TF_Int<"batch_dim">]>];
  let summary = "Reverses prefixes of sequences";
  let description = [{
    TensorFlow's `ReverseSequence`: reverses the first `lengths[b]` elements
    along `seq_dim` in entry b of the batch.

    Constraints:
    - (reverse_sequence_c1) `seq_dim` and `batch_dim` are two different
      dimensions of the input.
    - (reverse_sequence_c2) `lengths` is a vector with an element for each entry
      of the batch.

    ```mlir
    %0 = ingot.reverse_sequence %x, %n {seq_dim = 1 : i64} : (tensor<2x5xf32>, tensor<2xi32>) -> tensor<2x5xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$lengths, I64Attr:$seq_dim,
    DefaultValuedAttr<I64Attr, "0">:$batch_dim);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $lengths attr-dict `:` functional-type(operands, results)";
}

def Ingot_RollOp : Ingot_PureOp<"roll"> {
  let tensorFlowOps = [TF_Op<"Roll", [TF_Implied<"Tshift">, TF_Implied<"Taxis">]>];
  let summary = "Rolls elements along axes";
  let description = [{
    TensorFlow's `Roll`: elements shifted past the end of a dimension come in at
    its beginning. Shifts along the same axis add up.

    Constraints:
    - (roll_c1) `shift` and `axes` are scalars, or vectors of one length.
    - (roll_c2) constant axes lie within the input's rank.

    ```mlir
    %0 = ingot.roll %x, %s, %a : (tensor<5xf32>, tensor<i32>, tensor<i32>) -> tensor<5xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$shift, Ingot_IntTensor:$axes);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $shift `,` $axes attr-dict `:` functional-type(operands, results)";
}

def Ingot_LinSpaceOp : Ingot_PureOp<"lin_space"> {
  let tensorFlowOps = [TF_Op<"LinSpace", [TF_Implied<"Tidx">]>];
  let summary = "Evenly spaced numbers";
  let description = [{
    TensorFlow's `LinSpace`: `count` numbers from `start` to `stop`, including both;
    only `start` if `count` is 1.

    Constraints:
    - (lin_space_c1) operands are scalars; `start` and `stop` have one element
      type.
    - (lin_space_c2) a constant count is positive.

    ```mlir
    %0 = ingot.lin_space %a, %b, %n : (tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Ingot_FloatTensor:$start, Ingot_FloatTensor:$stop, Ingot_IntTensor:$count);
  let results = (outs Ingot_FloatTensor:$output);
  let assemblyFormat = "$start `,` $stop `,` $count attr-dict `:` functional-type(operands, results)";
}

def Ingot_SpaceToBatchOp : Ingot_PureOp<"space_to_batch"> {
  let tensorFlowOps = [TF_Op<"SpaceToBatchND", [TF_Implied<"Tblock_shape">, TF_Implied<"Tpaddings">]>];
  let summary = "Moves blocks of space into the batch";
  let description = [{
    TensorFlow's `SpaceToBatchND`, and `SpaceToBatch`: dimensions 1 on are
    padded with zeros and cut into blocks; elements at the same position of their
    blocks form an entry of the batch.

    Constraints:
    - (space_to_batch_c1) `block` is a vector of m positive numbers, `paddings`
      has m rows of two numbers; the input has more than m dimensions.
    - (space_to_batch_c2) a block divides its padded dimension.

    ```mlir
    %0 = ingot.space_to_batch %x, %b, %p : (tensor<1x4x4x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?x?x1xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$block, Ingot_IntTensor:$paddings);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $block `,` $paddings attr-dict `:` functional-type(operands, results)";
}

def Ingot_BatchToSpaceOp : Ingot_PureOp<"batch_to_space"> {
  let tensorFlowOps = [TF_Op<"BatchToSpaceND", [TF_Implied<"Tblock_shape">, TF_Implied<"Tcrops">]>];
  let summary = "Moves batch entries into blocks of space";
  let description = [{
    TensorFlow's `BatchToSpaceND`, and `BatchToSpace`: the inverse of
    `space_to_batch`, with `crops` in place of paddings.

    Constraints:
    - (batch_to_space_c1) `block` is a vector of m positive numbers, `crops`
      has m rows of two numbers; the input has more than m dimensions.
    - (batch_to_space_c2) the blocks' product divides the batch, and crops
      leave something.

    ```mlir
    %0 = ingot.batch_to_space %x, %b, %c : (tensor<4x2x2x1xf32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?x?x1xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Ingot_IntTensor:$block, Ingot_IntTensor:$crops);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input `,` $block `,` $crops attr-dict `:` functional-type(operands, results)";
}

def Ingot_SpaceToDepthOp : Ingot_PureOp<"space_to_depth"> {
  let tensorFlowOps = [TF_Op<"SpaceToDepth", [TF_Int<"block_size", "block">, TF_String<"data_format">]>];
  let summary = "Moves blocks of images into channels";
  let description = [{
    TensorFlow's `SpaceToDepth`, for NHWC and NCHW.

    Constraints:
    - (space_to_depth_c1) the input has four dimensions, and the format is
      NHWC or NCHW.
    - (space_to_depth_c2) the block is at least 2 and divides height and width.

    ```mlir
    %0 = ingot.space_to_depth %x {block = 2 : i64} : (tensor<1x4x4x3xf32>) -> tensor<1x2x2x12xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, I64Attr:$block, DefaultValuedAttr<StrAttr, "\"NHWC\"">:$data_format);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_DepthToSpaceOp : Ingot_PureOp<"depth_to_space"> {
  let tensorFlowOps = [TF_Op<"DepthToSpace", [TF_Int<"block_size", "block">, TF_String<"data_format">]>];
  let summary = "Moves channels of images into blocks";
  let description = [{
    TensorFlow's `DepthToSpace`, for NHWC and NCHW.

    Constraints:
    - (depth_to_space_c1) the input has four dimensions, and the format is
      NHWC or NCHW.
    - (depth_to_space_c2) the block is at least 2, and its square divides the
      channels.

    ```mlir
    %0 = ingot.depth_to_space %x {block = 2 : i64} : (tensor<1x2x2x12xf32>) -> tensor<1x4x4x3xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, I64Attr:$block, DefaultValuedAttr<StrAttr, "\"NHWC\"">:$data_format);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_ProjectImagesOp : Ingot_PureOp<"project_images", [Ingot_ComputedByRuntime]> {
  let tensorFlowOps = [
    TF_Op<"ImageProjectiveTransformV3", [TF_Implied<"dtype">, TF_String<"interpolation">, TF_String<"fill_mode">]>];
  let summary = "Projective transforms of images";
  let description = [{
    TensorFlow's `ImageProjectiveTransformV3`: with the numbers `a0` to `a7` of
    an image's transform, or of the only one, the pixel (x, y) of the result is
    the pixel at ((a0 x + a1 y + a2) / k, (a3 x + a4 y + a5) / k) of the image, where
    k = a6 x + a7 y + 1. If these are not integers, `interpolation` selects the
    nearest pixel (`NEAREST`) or interpolates between the four around (`BILINEAR`).
    `fill_mode` determines the pixels outside the image: `CONSTANT` gives
    `fill_value`, `NEAREST` the pixel at the border, `REFLECT` the image again,
    mirrored, `WRAP` the image again.

    Constraints:
    - (project_images_c1) images have four dimensions.
    - (project_images_c2) each transform is a row of eight numbers; there is one
      row, or one for each image.
    - (project_images_c3) the result's height and width are a vector of two
      elements, and the fill value is a scalar.
    - (project_images_c4) `interpolation` and `fill_mode` are among the values
      above.

    ```mlir
    %y = ingot.project_images %x, %t, %size, %zero {interpolation = "BILINEAR", fill_mode = "REFLECT"} : (tensor<?x8x8x3xf32>, tensor<?x8xf32>, tensor<2xi32>, tensor<f32>) -> tensor<?x?x?x3xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$images, TensorOf<[F32]>:$transforms, TensorOf<[I32]>:$size, TensorOf<[F32]>:$fill_value,
                   StrAttr:$interpolation, DefaultValuedAttr<StrAttr, "\"CONSTANT\"">:$fill_mode);
  let results = (outs Ingot_NumericTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_REARRANGE_TD
