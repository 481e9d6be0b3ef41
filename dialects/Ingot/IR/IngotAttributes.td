//===- IngotAttributes.td - The dialect's attributes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of programs, entries and savers.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_ATTRIBUTES_TD
#define INGOT_DIALECTS_INGOT_ATTRIBUTES_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_ProgramAttr : AttrDef<Ingot_Dialect, "Program"> {
  let mnemonic = "program";
  let summary = "What a module says of itself: its loss, global step, origin";
  let description = [{
    The value of the module's attribute `ingot.program`; ProgramAttrFields.h reads
    and changes it.

    - `loss`: the fetch of the step that training minimizes
    - `global_step`: the variable that counts steps
    - `prediction`: the entry that the command `predict` runs by default
    - `slices`: into how many slices several processes divide each batch;
      0 for a program of one process
    - `least_sharded_bytes`: processes divide slots of optimizers of at least
      this size among them; 0: none
    - `source`, `tensorflow_version`: the graph's file, and what wrote it

    ```mlir
    module attributes {ingot.program = #ingot.program<
        loss = "loss:0", global_step = @global_step>} {
    ```
  }];
  let parameters = (ins OptionalParameter<"::mlir::StringAttr">:$loss,
      OptionalParameter<"::mlir::FlatSymbolRefAttr">:$global_step,
      OptionalParameter<"::mlir::FlatSymbolRefAttr">:$prediction,
      DefaultValuedParameter<"unsigned", "0">:$slices,
      DefaultValuedParameter<"uint64_t", "0">:$least_sharded_bytes,
      OptionalParameter<"::mlir::StringAttr">:$source,
      OptionalParameter<"::mlir::StringAttr">:$tensorflow_version);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Ingot_SavedItemAttr : AttrDef<Ingot_Dialect, "SavedItem"> {
  let mnemonic = "saved";
  let summary = "One tensor of a checkpoint: its key, variable, slice and shard";
  let description = [{
    `target` is a variable or an iterator; `slice` is empty or TensorFlow's
    text for a part of a partitioned tensor ("10 4 0,4:-").

    ```mlir
    #ingot.saved<"hidden1/kernel", @"hidden1/kernel", "", 0>
    ```
  }];
  let parameters = (ins StringRefParameter<"key in the checkpoint">:$key,
                        "FlatSymbolRefAttr":$target,
                        StringRefParameter<"slice of a partitioned tensor">:$slice,
                        "unsigned":$shard);
  let assemblyFormat = "`<` $key `,` $target `,` $slice `,` $shard `>`";
}

def Ingot_RoleAttr : AttrDef<Ingot_Dialect, "Role"> {
  let mnemonic = "role";
  let summary = "The role of an entry, one of runtime/ABI/EntryRoles.def";
  let description = [{
    Tells what an entry is for, such as a step or an evaluation. Compiler and
    runtime find an entry by its role, never by its name.

    ```mlir
    #ingot.role<evaluate>
    ```
  }];
  let parameters = (ins "::mlir::host::Role":$value);
  let assemblyFormat = "`<` $value `>`";
  // In C++, accessors and builders of ops use the enumerator instead of this
  // attribute.
  let returnType = "::mlir::ingot::Role";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::mlir::ingot::RoleAttr::get($_builder.getContext(), $0)";
}

#endif // INGOT_DIALECTS_INGOT_ATTRIBUTES_TD
