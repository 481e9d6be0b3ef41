//===- IngotAttributes.td - The dialect's attributes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of entries and savers.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_ATTRIBUTES_TD
#define INGOT_DIALECTS_INGOT_ATTRIBUTES_TD

include "dialects/Ingot/IngotBase.td"

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

def Ingot_RoleAttr : I32EnumAttr<"Role", "The role of an entry", [
    I32EnumAttrCase<"init", 1>, I32EnumAttrCase<"local_init", 2>,
    I32EnumAttrCase<"ready", 3>, I32EnumAttrCase<"ready_for_local_init", 4>,
    I32EnumAttrCase<"step", 5>, I32EnumAttrCase<"save", 6>,
    I32EnumAttrCase<"restore", 7>, I32EnumAttrCase<"summary", 8>,
    I32EnumAttrCase<"evaluate", 9>, I32EnumAttrCase<"predict", 10>,
    I32EnumAttrCase<"other", 11>]> {
  let cppNamespace = "::mlir::ingot";
}

#endif // INGOT_DIALECTS_INGOT_ATTRIBUTES_TD
