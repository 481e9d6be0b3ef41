//===- HostAttributes.td - Attributes of entries -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes that describe entries and functions of datasets.
// ingot-lower-entries adds them; the artifact's tables are made from them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_ATTRIBUTES_TD
#define INGOT_DIALECTS_HOST_ATTRIBUTES_TD

include "dialects/Host/HostBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

// The roles of entries. The values are those of ingot_role in
// runtime/ABI/Program.h.
def Host_Role
    : I32EnumAttr<"Role", "The role of an entry",
                  [I32EnumAttrCase<"init", 1>, I32EnumAttrCase<"local_init", 2>,
                   I32EnumAttrCase<"ready", 3>,
                   I32EnumAttrCase<"ready_for_local_init", 4>,
                   I32EnumAttrCase<"step", 5>, I32EnumAttrCase<"save", 6>,
                   I32EnumAttrCase<"restore", 7>, I32EnumAttrCase<"summary", 8>,
                   I32EnumAttrCase<"evaluate", 9>,
                   I32EnumAttrCase<"predict", 10>, I32EnumAttrCase<"other", 11>,
                   I32EnumAttrCase<"after_step", 12>]> {
  let cppNamespace = "::mlir::host";
  let genSpecializedAttr = 0;
}

def Host_EntryAttr : AttrDef<Host_Dialect, "Entry"> {
  let mnemonic = "entry";
  let summary = "An entry in the artifact's descriptor";
  let description = [{
    The attribute `host.entry` of the entry's function. `feeds` and `fetches`
    are the names in the user's graph, `feed_types` and `fetch_types` the types
    there. `assigned` has the indices of the variables that have a value once
    the entry has run.

    Constraints:
    - (host_entry_c1) feeds and fetches are strings, with a type for each.
    - (host_entry_c2) the types of feeds and fetches are ranked tensors.
    - (host_entry_c3) `assigned` has indices of variables, each once.
    - (host_entry_c4) an argument of the function is one variable, feed or
      fetch, and no other argument is the same one.
    - (host_entry_c5) the indices of feeds and fetches in the function's
      arguments are less than their numbers here.

    ```mlir
    #host.entry<name = "step", role = step, feeds = ["x:0"], feed_types = [tensor<4xf32>],
        fetches = [], fetch_types = [], assigned = [0]>
    ```
  }];
  let parameters = (ins StringRefParameter<"as the user's graph has it">:$name,
      EnumParameter<Host_Role>:$role, "ArrayAttr":$feeds,
      "ArrayAttr":$feed_types, "ArrayAttr":$fetches, "ArrayAttr":$fetch_types,
      "DenseI32ArrayAttr":$assigned);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Host_FunctionAttr : AttrDef<Host_Dialect, "Function"> {
  let mnemonic = "function";
  let summary = "A dataset's function in the artifact's descriptor";
  let description = [{
    The attribute `host.function` of a function that a dataset maps over its
    elements. Feeds that are not components of an element come last:

    - the positions of the function's random ops in their sequences
      (`positions` is their number); the next positions are the last fetches;
    - the seeds of random ops (`seeds` is their number);
    - the values of variables (`variables` has their indices).

    `parsed` is set if only the parsing of an Example can fail in the function.
    It has the index of the parsed feature that each fetch is, or -1.

    Constraints:
    - (host_function_c1) feeds and fetches are ranked tensors.
    - (host_function_c2) positions, seeds and variables are among the feeds,
      positions among the fetches.
    - (host_function_c3) `parsed` has a feature or -1 for each fetch.

    ```mlir
    #host.function<feed_types = [tensor<!ingot.string>], fetch_types = [tensor<4xf32>],
        positions = 0, seeds = 0, parsed = [0]>
    ```
  }];
  let parameters = (ins "ArrayAttr":$feed_types, "ArrayAttr":$fetch_types,
      "unsigned":$positions, "unsigned":$seeds,
      OptionalParameter<"DenseI32ArrayAttr">:$variables,
      OptionalParameter<"DenseI32ArrayAttr">:$parsed);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

// The values of the argument kinds in runtime/ABI/Launch.h.
def Host_ArgumentKind : I32EnumAttr<"ArgumentKind", "Where an argument's value comes from", [
    I32EnumAttrCase<"arena", 0>, I32EnumAttrCase<"variable", 1>,
    I32EnumAttrCase<"constant", 3>]> {
  let cppNamespace = "::mlir::host";
  let genSpecializedAttr = 0;
}

def Host_ArgumentAttr : AttrDef<Host_Dialect, "Argument"> {
  let mnemonic = "argument";
  let summary = "Initial contents of a slot in an argument table";
  let description = [{
    `slot` is the slot's distance from the start of the arena in units of 8
    bytes. `number` is an offset in the arena in bytes (`arena`) or the index of
    a variable (`variable`). `symbol` is the name of a constant (`constant`).

    ```mlir
    #host.argument<8, arena, 4096>
    #host.argument<9, constant, 0, @weights>
    ```
  }];
  let parameters = (ins "int64_t":$slot, EnumParameter<Host_ArgumentKind>:$kind, "int64_t":$number,
                        OptionalParameter<"::mlir::FlatSymbolRefAttr">:$symbol);
  let assemblyFormat = "`<` $slot `,` $kind `,` $number (`,` $symbol^)? `>`";
}

#endif // INGOT_DIALECTS_HOST_ATTRIBUTES_TD
