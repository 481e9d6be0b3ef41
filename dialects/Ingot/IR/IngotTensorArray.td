//===- IngotTensorArray.td - TF1's arrays and stacks of tensors -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorArrays and stacks, which TF1's loops and their gradients use. These are
// objects that ops change, in program order. The type of a handle states what
// is known of the types of the object's items, as the type of a list does
// (IngotList.td). These ops run in the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_TENSORARRAY_TD
#define INGOT_DIALECTS_INGOT_TENSORARRAY_TD

include "dialects/Ingot/IR/IngotBase.td"

class Ingot_TensorArrayOp<string mnemonic> : Ingot_InferredOp<mnemonic, [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]>;

def Ingot_TensorArrayOp : Ingot_TensorArrayOp<"tensor_array"> {
  let summary = "An array of tensors that is written in place";
  let description = [{
    TensorFlow's `TensorArrayV3`. With `has_shape`, elements have the shape
    `element_shape`, with -1 for dynamic dimensions. The result's type contains what
    is known of the elements' types. With `identical_element_shapes`, all elements
    must have the shape of the first one that is written. With `clear_after_read`,
    each element may be read only once.

    Constraints:
    - (tensor_array_c1) the size is a scalar.

    ```mlir
    %h = ingot.tensor_array %n {element_type = f32, element_shape = array<i64: 3>, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins TensorOf<[I32]>:$size, TypeAttr:$element_type, DenseI64ArrayAttr:$element_shape, BoolAttr:$has_shape, DefaultValuedAttr<BoolAttr, "false">:$dynamic_size, DefaultValuedAttr<BoolAttr, "false">:$identical_element_shapes, DefaultValuedAttr<BoolAttr, "true">:$clear_after_read);
  let results = (outs Ingot_VariantTensor:$handle);
  let assemblyFormat = "$size attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorArrayGradOp : Ingot_TensorArrayOp<"tensor_array_grad"> {
  let summary = "The array of gradients of an array's elements";
  let description = [{
    TensorFlow's `TensorArrayGradV3`: there is one array of gradients for each
    `source`, created on first use. Several writes of an element are added up; each
    element may be read only once.

    Constraints:
    - (tensor_array_grad_c1) the handle is a scalar.

    ```mlir
    %g = ingot.tensor_array_grad %h {source = "gradients"} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$array, StrAttr:$source);
  let results = (outs Ingot_VariantTensor:$handle);
  let assemblyFormat = "$array attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorArrayWriteOp : Ingot_TensorArrayOp<"tensor_array_write"> {
  let summary = "Writes an element of an array";
  let description = [{
    TensorFlow's `TensorArrayWriteV3`.

    Constraints:
    - (tensor_array_write_c1) the handle is a scalar.
    - (tensor_array_write_c2) the index is a scalar.

    ```mlir
    ingot.tensor_array_write %h, %i, %x : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>, tensor<3xf32>) -> ()
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$handle, TensorOf<[I32]>:$index, Ingot_Tensor:$value);
  let assemblyFormat = "$handle `,` $index `,` $value attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorArrayReadOp : Ingot_TensorArrayOp<"tensor_array_read"> {
  let summary = "Reads an element of an array";
  let description = [{
    TensorFlow's `TensorArrayReadV3`. An element that was never written is zeros.

    Constraints:
    - (tensor_array_read_c1) the handle is a scalar.
    - (tensor_array_read_c2) the index is a scalar.

    ```mlir
    %x = ingot.tensor_array_read %h, %i {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>) -> tensor<3xf32>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$handle, TensorOf<[I32]>:$index, TypeAttr:$element_type);
  let results = (outs Ingot_Tensor:$value);
  let assemblyFormat = "$handle `,` $index attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorArrayGatherOp : Ingot_TensorArrayOp<"tensor_array_gather"> {
  let summary = "Gathers elements of an array as rows of a tensor";
  let description = [{
    TensorFlow's `TensorArrayGatherV3`.

    Constraints:
    - (tensor_array_gather_c1) the handle is a scalar.
    - (tensor_array_gather_c2) the indices are a vector.

    ```mlir
    %x = ingot.tensor_array_gather %h, %i {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<5xi32>) -> tensor<5x3xf32>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$handle, TensorOf<[I32]>:$indices, TypeAttr:$element_type);
  let results = (outs Ingot_Tensor:$value);
  let assemblyFormat = "$handle `,` $indices attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorArrayScatterOp : Ingot_TensorArrayOp<"tensor_array_scatter"> {
  let summary = "Scatters a tensor's rows to an array";
  let description = [{
    TensorFlow's `TensorArrayScatterV3`.

    Constraints:
    - (tensor_array_scatter_c1) the handle is a scalar.
    - (tensor_array_scatter_c2) the indices are a vector.
    - (tensor_array_scatter_c3) the tensor has at least rank 1, so that it has rows.

    ```mlir
    ingot.tensor_array_scatter %h, %i, %x : (tensor<!ingot.variant, tensor<3xf32>>, tensor<5xi32>, tensor<5x3xf32>) -> ()
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$handle, TensorOf<[I32]>:$indices, Ingot_Tensor:$value);
  let assemblyFormat = "$handle `,` $indices `,` $value attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorArrayConcatOp : Ingot_TensorArrayOp<"tensor_array_concat"> {
  let summary = "Concatenates all elements of an array";
  let description = [{
    TensorFlow's `TensorArrayConcatV3`: the elements, concatenated along the first
    dimension, and the length of each.

    Constraints:
    - (tensor_array_concat_c1) the handle is a scalar.

    ```mlir
    %x, %n = ingot.tensor_array_concat %h {element_type = f32} : (tensor<!ingot.variant, tensor<?x3xf32>>) -> (tensor<?x3xf32>, tensor<?xi64>)
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$handle, TypeAttr:$element_type);
  let results = (outs Ingot_Tensor:$value, TensorOf<[I64]>:$lengths);
  let assemblyFormat = "$handle attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorArraySplitOp : Ingot_TensorArrayOp<"tensor_array_split"> {
  let summary = "Splits a tensor into elements of an array";
  let description = [{
    TensorFlow's `TensorArraySplitV3`: element i has `lengths`[i] rows of the tensor.

    Constraints:
    - (tensor_array_split_c1) the handle is a scalar.
    - (tensor_array_split_c2) the tensor has at least rank 1, so that it has rows.
    - (tensor_array_split_c3) the lengths are a vector.

    ```mlir
    ingot.tensor_array_split %h, %x, %n : (tensor<!ingot.variant, tensor<?x3xf32>>, tensor<5x3xf32>, tensor<2xi64>) -> ()
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$handle, Ingot_Tensor:$value, TensorOf<[I64]>:$lengths);
  let assemblyFormat = "$handle `,` $value `,` $lengths attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorArraySizeOp : Ingot_TensorArrayOp<"tensor_array_size"> {
  let summary = "Number of an array's elements";
  let description = [{
    TensorFlow's `TensorArraySizeV3`.

    Constraints:
    - (tensor_array_size_c1) the handle is a scalar.

    ```mlir
    %n = ingot.tensor_array_size %h : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<i32>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$handle);
  let results = (outs TensorOf<[I32]>:$size);
  let assemblyFormat = "$handle attr-dict `:` functional-type(operands, results)";
}

def Ingot_StackOp : Ingot_TensorArrayOp<"stack"> {
  let summary = "A stack of tensors";
  let description = [{
    TensorFlow's `StackV2`, on which the gradients of TF1's loops keep values of
    iterations. The result's type has the type of its items.

    ```mlir
    %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins TypeAttr:$element_type);
  let results = (outs Ingot_VariantTensor:$handle);
  let assemblyFormat = "attr-dict `:` functional-type(operands, results)";
}

def Ingot_StackPushOp : Ingot_TensorArrayOp<"stack_push"> {
  let summary = "Pushes a tensor on a stack";
  let description = [{
    TensorFlow's `StackPushV2`.

    Constraints:
    - (stack_push_c1) the handle is a scalar.

    ```mlir
    ingot.stack_push %s, %x : (tensor<!ingot.variant, tensor<3xf32>>, tensor<3xf32>) -> ()
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$handle, Ingot_Tensor:$value);
  let assemblyFormat = "$handle `,` $value attr-dict `:` functional-type(operands, results)";
}

def Ingot_StackPopOp : Ingot_TensorArrayOp<"stack_pop"> {
  let summary = "Pops a tensor off a stack";
  let description = [{
    TensorFlow's `StackPopV2`: the tensor that was pushed last.

    Constraints:
    - (stack_pop_c1) the handle is a scalar.

    ```mlir
    %x = ingot.stack_pop %s {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<3xf32>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$handle, TypeAttr:$element_type);
  let results = (outs Ingot_Tensor:$value);
  let assemblyFormat = "$handle attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_TENSORARRAY_TD
