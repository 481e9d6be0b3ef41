//===- IngotVariable.td - Variables and savers -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A program's variables, and the savers that tell which of them are saved under
// which names.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_VARIABLE_TD
#define INGOT_DIALECTS_INGOT_VARIABLE_TD

include "dialects/Ingot/IR/IngotAttributes.td"

def Ingot_VariableOp : Ingot_Op<"variable", [Symbol]> {
  let hasBuilders = 1;
  let summary = "A variable of the program";
  let description = [{
    State that lives as long as a session and is saved in checkpoints under
    the symbol's name. Its shape is static.

    Constraints:
    - (variable_c1) `type` is a ranked tensor type with a static shape.

    ```mlir
    ingot.variable @"hidden1/kernel" : tensor<64x64xf32> {trainable}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyTensor>:$type,
                       UnitAttr:$trainable, UnitAttr:$local,
                       DefaultValuedStrAttr<StrAttr, "">:$device);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

def Ingot_SaverOp : Ingot_Op<"saver", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasBuilders = 1;
  let summary = "The saved variables, their names, and the number of checkpoints kept";
  let description = [{
    A Saver of the graph. `filename` is the default prefix. With `ingot.reshape`,
    tensors of another shape are restored if they have as many elements;
    `ingot.constants` are texts that are saved beside the variables, by key, and
    `ingot.tables` are lookup tables, each with the keys of its keys and of its
    values in the checkpoint.

    Constraints:
    - (saver_c1) every item's target is a variable or an iterator of the program.
    - (saver_c2) every item's shard is less than `num_shards`.
    - (saver_c3) no two items have the same key and slice.
    - (saver_c4) the attribute `ingot.reshape`, if present, is a unit.
    - (saver_c5) the attribute `ingot.constants`, if present, is a dictionary of texts.
    - (saver_c6) the attribute `ingot.tables`, if present, is an array of
      dictionaries with `table`, `keys`, `values` and a `shard` of the saver.
    - (saver_c7) every saved table is a table of the program that may change.

    ```mlir
    ingot.saver @save [#ingot.saved<"w", @w, "", 0>]
        {filename = "model", num_shards = 1 : i32, sharded, max_to_keep = 5 : i32,
         keep_checkpoint_every_n_hours = 10000.0 : f32}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypedArrayAttrBase<Ingot_SavedItemAttr, "saved tensors">:$items,
                       StrAttr:$filename, I32Attr:$num_shards, UnitAttr:$sharded,
                       I32Attr:$max_to_keep, F32Attr:$keep_checkpoint_every_n_hours);
  let assemblyFormat = "$sym_name $items attr-dict";
  let hasVerifier = 1;
}

#endif // INGOT_DIALECTS_INGOT_VARIABLE_TD
