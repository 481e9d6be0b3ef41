//===- IngotList.td - Lists of tensors -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops on lists of tensors (TensorLists), in which loops keep tensors, and on
// optional values, by which branches pass values to their gradients. Lists and
// optionals do not change: an op that would change a list returns a new one.
// All ops run in the runtime, except for ingot.rows_* at the end of this file.
//
// A list's type contains what is known of the types of its elements: the type
// that all of them have, `none` for an empty list, or a tuple with one type per
// element type if these differ.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_LIST_TD
#define INGOT_DIALECTS_INGOT_LIST_TD

include "dialects/Ingot/IR/IngotBase.td"

class Ingot_ListOp<string mnemonic> : Ingot_PureOp<mnemonic, [Ingot_ComputedByRuntime]>;

def Ingot_TensorListEmptyOp : Ingot_ListOp<"tensor_list_empty"> {
  let summary = "An empty list";
  let description = [{
    TensorFlow's `EmptyTensorList`. An element shape with -1 has dynamic dimensions,
    the scalar -1 an unknown rank. A nonnegative `max_num_elements` limits the number of
    elements.

    Constraints:
    - (tensor_list_empty_c1) the element shape is a scalar or a vector.

    ```mlir
    %l = ingot.tensor_list_empty %shape, %max {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
    ```
  }];
  let arguments = (ins Ingot_IntTensor:$element_shape, TensorOf<[I32]>:$max_num_elements, TypeAttr:$element_type);
  let results = (outs Ingot_VariantTensor:$list);
  let assemblyFormat = "$element_shape `,` $max_num_elements attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListReserveOp : Ingot_ListOp<"tensor_list_reserve"> {
  let summary = "A list of uninitialized elements";
  let description = [{
    TensorFlow's `TensorListReserve`. Uninitialized elements read as zeros.

    Constraints:
    - (tensor_list_reserve_c1) the element shape is a scalar or a vector.
    - (tensor_list_reserve_c2) the number of elements is a scalar.

    ```mlir
    %l = ingot.tensor_list_reserve %shape, %n {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
    ```
  }];
  let arguments = (ins Ingot_IntTensor:$element_shape, TensorOf<[I32]>:$num_elements, TypeAttr:$element_type);
  let results = (outs Ingot_VariantTensor:$list);
  let assemblyFormat = "$element_shape `,` $num_elements attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListPushBackOp : Ingot_ListOp<"tensor_list_push_back"> {
  let summary = "Appends an element to a list";
  let description = [{
    TensorFlow's `TensorListPushBack`.

    Constraints:
    - (tensor_list_push_back_c1) the list is a scalar.

    ```mlir
    %m = ingot.tensor_list_push_back %l, %x : (tensor<!ingot.variant, none>, tensor<3xf32>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input, Ingot_Tensor:$tensor);
  let results = (outs Ingot_VariantTensor:$list);
  let assemblyFormat = "$input `,` $tensor attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListPopBackOp : Ingot_ListOp<"tensor_list_pop_back"> {
  let summary = "Pops the last element of a list";
  let description = [{
    TensorFlow's `TensorListPopBack`.

    Constraints:
    - (tensor_list_pop_back_c1) the list is a scalar.
    - (tensor_list_pop_back_c2) the element shape is a scalar or a vector.

    ```mlir
    %m, %x = ingot.tensor_list_pop_back %l, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<1xi32>) -> (tensor<!ingot.variant, tensor<3xf32>>, tensor<3xf32>)
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input, Ingot_IntTensor:$element_shape, TypeAttr:$element_type);
  let results = (outs Ingot_VariantTensor:$list, Ingot_Tensor:$tensor);
  let assemblyFormat = "$input `,` $element_shape attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListGetItemOp : Ingot_ListOp<"tensor_list_get_item"> {
  let summary = "An element of a list";
  let description = [{
    TensorFlow's `TensorListGetItem`.

    Constraints:
    - (tensor_list_get_item_c1) the list is a scalar.
    - (tensor_list_get_item_c2) the element shape is a scalar or a vector.
    - (tensor_list_get_item_c3) the index is a scalar.

    ```mlir
    %x = ingot.tensor_list_get_item %l, %i, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>, tensor<1xi32>) -> tensor<3xf32>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input, TensorOf<[I32]>:$index, Ingot_IntTensor:$element_shape, TypeAttr:$element_type);
  let results = (outs Ingot_Tensor:$item);
  let assemblyFormat = "$input `,` $index `,` $element_shape attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListSetItemOp : Ingot_ListOp<"tensor_list_set_item"> {
  let summary = "A list with an element replaced";
  let description = [{
    TensorFlow's `TensorListSetItem`. With `resize`, a list that is too short is
    extended by uninitialized elements up to the index.

    Constraints:
    - (tensor_list_set_item_c1) the list is a scalar.
    - (tensor_list_set_item_c2) the index is a scalar.

    ```mlir
    %m = ingot.tensor_list_set_item %l, %i, %x : (tensor<!ingot.variant, none>, tensor<i32>, tensor<3xf32>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input, TensorOf<[I32]>:$index, Ingot_Tensor:$item, DefaultValuedAttr<BoolAttr, "false">:$resize);
  let results = (outs Ingot_VariantTensor:$list);
  let assemblyFormat = "$input `,` $index `,` $item attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListStackOp : Ingot_ListOp<"tensor_list_stack"> {
  let summary = "Stacks all elements of a list";
  let description = [{
    TensorFlow's `TensorListStack`. A nonnegative `num_elements` is the length that
    the list must have.

    Constraints:
    - (tensor_list_stack_c1) the list is a scalar.
    - (tensor_list_stack_c2) the element shape is a scalar or a vector.

    ```mlir
    %x = ingot.tensor_list_stack %l, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<1xi32>) -> tensor<?x3xf32>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input, TensorOf<[I32]>:$element_shape, TypeAttr:$element_type, DefaultValuedAttr<I64Attr, "-1">:$num_elements);
  let results = (outs Ingot_Tensor:$tensor);
  let assemblyFormat = "$input `,` $element_shape attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListFromTensorOp : Ingot_ListOp<"tensor_list_from_tensor"> {
  let summary = "A list of the rows of a tensor";
  let description = [{
    TensorFlow's `TensorListFromTensor`.

    Constraints:
    - (tensor_list_from_tensor_c1) the tensor has at least rank 1, so that it has rows.
    - (tensor_list_from_tensor_c2) the element shape is a scalar or a vector.

    ```mlir
    %l = ingot.tensor_list_from_tensor %x, %shape : (tensor<5x3xf32>, tensor<1xi32>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$tensor, Ingot_IntTensor:$element_shape);
  let results = (outs Ingot_VariantTensor:$list);
  let assemblyFormat = "$tensor `,` $element_shape attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListLengthOp : Ingot_ListOp<"tensor_list_length"> {
  let summary = "Number of a list's elements";
  let description = [{
    TensorFlow's `TensorListLength`.

    Constraints:
    - (tensor_list_length_c1) the list is a scalar.

    ```mlir
    %n = ingot.tensor_list_length %l : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<i32>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input);
  let results = (outs TensorOf<[I32]>:$length);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListElementShapeOp : Ingot_ListOp<"tensor_list_element_shape"> {
  let summary = "The known shape of a list's elements";
  let description = [{
    TensorFlow's `TensorListElementShape`: -1 for dynamic dimensions. If the rank
    is unknown, the result is a vector of -2, which ops on lists interpret so;
    TensorFlow's result is a scalar -1.

    Constraints:
    - (tensor_list_element_shape_c1) the list is a scalar.
    - (tensor_list_element_shape_c2) `shape_type` is i32 or i64.

    ```mlir
    %s = ingot.tensor_list_element_shape %l {shape_type = i32} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<?xi32>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input, TypeAttr:$shape_type);
  let results = (outs Ingot_IntTensor:$shape);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListResizeOp : Ingot_ListOp<"tensor_list_resize"> {
  let summary = "Resizes a list, with uninitialized elements at its end";
  let description = [{
    TensorFlow's `TensorListResize`.

    Constraints:
    - (tensor_list_resize_c1) the list is a scalar.
    - (tensor_list_resize_c2) the size is a scalar.

    ```mlir
    %m = ingot.tensor_list_resize %l, %n : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input, TensorOf<[I32]>:$size);
  let results = (outs Ingot_VariantTensor:$list);
  let assemblyFormat = "$input `,` $size attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListGatherOp : Ingot_ListOp<"tensor_list_gather"> {
  let summary = "Gathers elements of a list as rows of a tensor";
  let description = [{
    TensorFlow's `TensorListGather`.

    Constraints:
    - (tensor_list_gather_c1) the list is a scalar.
    - (tensor_list_gather_c2) the element shape is a scalar or a vector.
    - (tensor_list_gather_c3) the indices are a vector.

    ```mlir
    %x = ingot.tensor_list_gather %l, %i, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<2xi32>, tensor<1xi32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input, TensorOf<[I32]>:$indices, TensorOf<[I32]>:$element_shape, TypeAttr:$element_type);
  let results = (outs Ingot_Tensor:$values);
  let assemblyFormat = "$input `,` $indices `,` $element_shape attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListScatterOp : Ingot_ListOp<"tensor_list_scatter"> {
  let summary = "Scatters a tensor's rows to a new list by index";
  let description = [{
    TensorFlow's `TensorListScatter` and `TensorListScatterV2`: row `i` becomes element
    `indices[i]` of a list of `num_elements`; if that is negative, the largest index
    determines the number.

    Constraints:
    - (tensor_list_scatter_c1) the tensor has at least rank 1, so that it has rows.
    - (tensor_list_scatter_c2) the indices are a vector.
    - (tensor_list_scatter_c3) the element shape is a scalar or a vector.

    ```mlir
    %l = ingot.tensor_list_scatter %x, %i, %shape, %n : (tensor<2x3xf32>, tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$tensor, TensorOf<[I32]>:$indices, Ingot_IntTensor:$element_shape, TensorOf<[I32]>:$num_elements);
  let results = (outs Ingot_VariantTensor:$list);
  let assemblyFormat = "$tensor `,` $indices `,` $element_shape `,` $num_elements attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListScatterIntoOp : Ingot_ListOp<"tensor_list_scatter_into"> {
  let summary = "Scatters a tensor's rows into a list by index";
  let description = [{
    TensorFlow's `TensorListScatterIntoExistingList`.

    Constraints:
    - (tensor_list_scatter_into_c1) the list is a scalar.
    - (tensor_list_scatter_into_c2) the tensor has at least rank 1, so that it has rows.
    - (tensor_list_scatter_into_c3) the indices are a vector.

    ```mlir
    %m = ingot.tensor_list_scatter_into %l, %x, %i : (tensor<!ingot.variant, tensor<3xf32>>, tensor<2x3xf32>, tensor<2xi32>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input, Ingot_Tensor:$tensor, TensorOf<[I32]>:$indices);
  let results = (outs Ingot_VariantTensor:$list);
  let assemblyFormat = "$input `,` $tensor `,` $indices attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListSplitOp : Ingot_ListOp<"tensor_list_split"> {
  let summary = "Splits a tensor into the elements of a list";
  let description = [{
    TensorFlow's `TensorListSplit`: element `i` has `lengths[i]` rows.

    Constraints:
    - (tensor_list_split_c1) the tensor has at least rank 1, so that it has rows.
    - (tensor_list_split_c2) the element shape is a scalar or a vector.
    - (tensor_list_split_c3) the lengths are a vector.

    ```mlir
    %l = ingot.tensor_list_split %x, %shape, %n : (tensor<5x3xf32>, tensor<2xi32>, tensor<2xi64>) -> tensor<!ingot.variant, tensor<?x3xf32>>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$tensor, Ingot_IntTensor:$element_shape, TensorOf<[I64]>:$lengths);
  let results = (outs Ingot_VariantTensor:$list);
  let assemblyFormat = "$tensor `,` $element_shape `,` $lengths attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListConcatOp : Ingot_ListOp<"tensor_list_concat"> {
  let summary = "Concatenates all elements of a list";
  let description = [{
    TensorFlow's `TensorListConcat` and `TensorListConcatV2`: the elements along their
    first dimension, and the length of each. Uninitialized elements have the length
    in `leading_dims`.

    Constraints:
    - (tensor_list_concat_c1) the list is a scalar.
    - (tensor_list_concat_c2) the element shape is a scalar or a vector.

    ```mlir
    %x, %n = ingot.tensor_list_concat %l, %shape, %dims {element_type = f32} : (tensor<!ingot.variant, tensor<?x3xf32>>, tensor<2xi32>, tensor<0xi64>) -> (tensor<?x3xf32>, tensor<?xi64>)
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input, Ingot_IntTensor:$element_shape, TensorOf<[I64]>:$leading_dims, TypeAttr:$element_type);
  let results = (outs Ingot_Tensor:$tensor, TensorOf<[I64]>:$lengths);
  let assemblyFormat = "$input `,` $element_shape `,` $leading_dims attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListPushBackBatchOp : Ingot_ListOp<"tensor_list_push_back_batch"> {
  let summary = "Appends an element to each of several lists";
  let description = [{
    TensorFlow's `TensorListPushBackBatch`: row `i` goes to the end of list `i`.

    Constraints:
    - (tensor_list_push_back_batch_c1) there is a row for each list.

    ```mlir
    %m = ingot.tensor_list_push_back_batch %l, %x : (tensor<2x!ingot.variant>, tensor<2x3xf32>) -> tensor<2x!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input, Ingot_Tensor:$tensor);
  let results = (outs Ingot_VariantTensor:$lists);
  let assemblyFormat = "$input `,` $tensor attr-dict `:` functional-type(operands, results)";
}

def Ingot_TensorListConcatListsOp : Ingot_ListOp<"tensor_list_concat_lists"> {
  let summary = "Concatenates two lists";
  let description = [{
    TensorFlow's `TensorListConcatLists`, for each of the lists of two tensors.

    Constraints:
    - (tensor_list_concat_lists_c1) there are as many lists on both sides.

    ```mlir
    %m = ingot.tensor_list_concat_lists %a, %b {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<!ingot.variant, tensor<3xf32>>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$first, Ingot_VariantTensor:$second, TypeAttr:$element_type);
  let results = (outs Ingot_VariantTensor:$lists);
  let assemblyFormat = "$first `,` $second attr-dict `:` functional-type(operands, results)";
}

def Ingot_VariantAddOp : Ingot_ListOp<"variant_add"> {
  let summary = "Adds lists elementwise";
  let description = [{
    TensorFlow's `AddN` of variants: adds lists element by element. If an element is
    initialized in only one list, the result is this element.

    Constraints:
    - (variant_add_c1) there is at least one input, and all inputs are scalars.

    ```mlir
    %s = ingot.variant_add %l, %m : (tensor<!ingot.variant, tensor<3xf32>>, tensor<!ingot.variant, tensor<3xf32>>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Variadic<Ingot_VariantTensor>:$inputs);
  let results = (outs Ingot_VariantTensor:$output);
  let assemblyFormat = "$inputs attr-dict `:` functional-type(operands, results)";
}

def Ingot_VariantZerosOp : Ingot_ListOp<"variant_zeros"> {
  let summary = "A list of zeros like another list";
  let description = [{
    TensorFlow's `ZerosLike` of variants.

    Constraints:
    - (variant_zeros_c1) the input is a scalar.

    ```mlir
    %z = ingot.variant_zeros %l : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$input);
  let results = (outs Ingot_VariantTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Ingot_OptionalFromValueOp : Ingot_ListOp<"optional_from_value"> {
  let summary = "Tensors as an optional value";
  let description = [{
    TensorFlow's `OptionalFromValue`. Branches pass values to their gradients as
    optionals; a branch that was not taken passes `ingot.optional_none`.

    Constraints:
    - (optional_from_value_c1) there is at least one component.

    ```mlir
    %o = ingot.optional_from_value %x : (tensor<3xf32>) -> tensor<!ingot.variant, tensor<3xf32>>
    ```
  }];
  let arguments = (ins Variadic<Ingot_Tensor>:$components);
  let results = (outs Ingot_VariantTensor:$optional);
  let assemblyFormat = "$components attr-dict `:` functional-type(operands, results)";
}

def Ingot_OptionalNoneOp : Ingot_ListOp<"optional_none"> {
  let summary = "The absence of a value";
  let description = [{
    TensorFlow's `OptionalNone`.

    ```mlir
    %o = ingot.optional_none : () -> tensor<!ingot.variant, none>
    ```
  }];
  let results = (outs Ingot_VariantTensor:$optional);
  let assemblyFormat = "attr-dict `:` functional-type(operands, results)";
}

def Ingot_OptionalHasValueOp : Ingot_ListOp<"optional_has_value"> {
  let summary = "Whether there is a value";
  let description = [{
    TensorFlow's `OptionalHasValue`.

    Constraints:
    - (optional_has_value_c1) the optional is a scalar.

    ```mlir
    %b = ingot.optional_has_value %o : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<i1>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$optional);
  let results = (outs TensorOf<[I1]>:$has_value);
  let assemblyFormat = "$optional attr-dict `:` functional-type(operands, results)";
}

def Ingot_OptionalGetValueOp : Ingot_ListOp<"optional_get_value"> {
  let summary = "A tensor of an optional value";
  let description = [{
    TensorFlow's `OptionalGetValue`: one of its results, component `index`. It fails if there is no value.
    If the value has several components, `component_types` are their element types, in order.

    Constraints:
    - (optional_get_value_c1) the optional is a scalar.
    - (optional_get_value_c2) `index` is that of a component; without `component_types` there is one.

    ```mlir
    %x = ingot.optional_get_value %o {index = 0 : i64, element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>) -> tensor<3xf32>
    ```
  }];
  let arguments = (ins Ingot_VariantTensor:$optional, I64Attr:$index, TypeAttr:$element_type,
    OptionalAttr<TypeArrayAttr>:$component_types);
  let results = (outs Ingot_Tensor:$component);
  let assemblyFormat = "$optional attr-dict `:` functional-type(operands, results)";
}

// Ops on rows of a tensor. `ingot-stack-tensor-lists` replaces a list with a
// constant number of elements by one tensor. Loops write and read its rows one
// by one, in memory and without calls of the runtime.
class Ingot_RowsOp<string mnemonic> : Ingot_PureOp<mnemonic> {
  let hasBuilders = 1;
}

def Ingot_RowsEmptyOp : Ingot_Op<"rows_empty", [Pure]> {
  let summary = "A tensor of uninitialized rows";
  let description = [{
    A loop writes all of its rows. A row must not be read before it is written.

    ```mlir
    %r = ingot.rows_empty : tensor<5x3xf32>
    ```
  }];
  let hasBuilders = 1;
  let results = (outs Ingot_NumericTensor:$rows);
  let assemblyFormat = "attr-dict `:` type($rows)";
}

def Ingot_RowsGetOp : Ingot_RowsOp<"rows_get"> {
  let summary = "The row of a tensor at a counter";
  let description = [{
    Row `index` of the tensor, or, with `from_end`, that many rows before its last
    one. The index is not checked: it is a loop's counter, which is known to stay
    below the number of rows.

    Constraints:
    - (rows_get_c1) the tensor has at least rank 1, so that it has rows.
    - (rows_get_c2) the index is a scalar.

    ```mlir
    %x = ingot.rows_get %r, %i {from_end} : (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$rows, TensorOf<[I32]>:$index, UnitAttr:$from_end);
  let results = (outs Ingot_NumericTensor:$row);
  let assemblyFormat = "$rows `,` $index attr-dict `:` functional-type(operands, results)";
}

def Ingot_RowsSetOp : Ingot_RowsOp<"rows_set"> {
  let summary = "A tensor with the row at a counter replaced";
  let description = [{
    `index` and `from_end` are as in `ingot.rows_get`. A loop whose state is the
    tensor writes the row in place.

    Constraints:
    - (rows_set_c1) the tensor has at least rank 1, so that it has rows.
    - (rows_set_c2) the index is a scalar.
    - (rows_set_c3) the row has the shape and element type of the tensor's rows.

    ```mlir
    %s = ingot.rows_set %r, %i, %x : (tensor<5x3xf32>, tensor<i32>, tensor<3xf32>) -> tensor<5x3xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$rows, TensorOf<[I32]>:$index, Ingot_NumericTensor:$row, UnitAttr:$from_end);
  let results = (outs Ingot_NumericTensor:$changed);
  let assemblyFormat = "$rows `,` $index `,` $row attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_LIST_TD
