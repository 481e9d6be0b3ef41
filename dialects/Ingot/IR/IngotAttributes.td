//===- IngotAttributes.td - The dialect's attributes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of entries and savers.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_ATTRIBUTES_TD
#define INGOT_DIALECTS_INGOT_ATTRIBUTES_TD

include "dialects/Ingot/IR/IngotBase.td"

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
  // Accessors and builders of ops have the enumerator as their type, not this
  // attribute.
  let returnType = "::mlir::ingot::Role";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::mlir::ingot::RoleAttr::get($_builder.getContext(), $0)";
}

#endif // INGOT_DIALECTS_INGOT_ATTRIBUTES_TD
