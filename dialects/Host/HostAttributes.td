//===- HostAttributes.td - Attributes of entries -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Attributes that describe entries and functions of datasets.
// ingot-lower-entries-to-functions adds them. The tables by which the runtime
// finds entries and functions are generated from them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_ATTRIBUTES_TD
#define INGOT_DIALECTS_HOST_ATTRIBUTES_TD

include "dialects/Host/HostBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Host_EntryAttr : AttrDef<Host_Dialect, "Entry"> {
  let mnemonic = "entry";
  let summary = "An entry in the artifact's descriptor";
  let description = [{
    The attribute `host.entry` of the function that an entry is compiled to.
    `feeds` and `fetches` are the names of the tensors in the user's graph, and
    `feed_types` and `fetch_types` their types. `assigned` has the indices of
    the variables that are certainly initialized after the entry has run.
    `changed_tables` has the indices of the lookup tables that the entry may
    change.

    Constraints:
    - (host_entry_c1) `feeds` and `fetches` are strings; `feed_types` and
      `fetch_types` have one type for each.
    - (host_entry_c2) the types of feeds and fetches are ranked tensors.
    - (host_entry_c3) `assigned` has indices of variables, without duplicates.
    - (host_entry_c4) each argument of the function is the storage of one
      variable, feed or fetch, and no two arguments are the storage of the same
      one.
    - (host_entry_c5) an argument that is a feed or fetch has an index in
      `feeds` or `fetches`.
    - (host_entry_c6) `of` (the function of the entry that this one belongs to),
      `member` and `place` exist if and only if the role requires them
      (runtime/ABI/EntryRoles.def). If the module contains the function `of`,
      that entry has the role that this entry's role requires of its owner.
    - (host_entry_c7) `changed_tables` has indices of lookup tables, without
      duplicates.

    ```mlir
    #host.entry<name = "step", role = step, feeds = ["x:0"], feed_types = [tensor<4xf32>],
        fetches = [], fetch_types = [], assigned = [0]>
    ```
  }];
  let parameters = (ins StringRefParameter<"as the user's graph has it">:$name,
      "::mlir::host::Role":$role, "ArrayAttr":$feeds, "ArrayAttr":$feed_types,
      "ArrayAttr":$fetches, "ArrayAttr":$fetch_types,
      "DenseI32ArrayAttr":$assigned,
      OptionalParameter<"::mlir::DenseI32ArrayAttr">:$changed_tables,
      OptionalParameter<"::mlir::FlatSymbolRefAttr">:$of,
      OptionalParameter<"::mlir::StringAttr">:$member,
      OptionalParameter<"::mlir::DenseI32ArrayAttr">:$place);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Host_FunctionAttr : AttrDef<Host_Dialect, "Function"> {
  let mnemonic = "function";
  let summary = "A dataset's function in the artifact's descriptor";
  let description = [{
    The attribute `host.function` of a function that a dataset maps over its
    elements. After the feeds for the components of an element, it has feeds
    for, in this order:

    - the positions of the function's random ops in their sequences of random
      numbers (`positions` is their number). The last fetches are the positions
      for the next call;
    - the seeds of random ops (`seeds` is their number);
    - the values of variables (`variables` has their indices).

    `parsed` is set if nothing in the function can fail except the parsing of a
    tf.train.Example. For each fetch, it has the index of the parsed feature
    that the fetch returns, or -1 if it returns something else.

    Constraints:
    - (host_function_c1) feeds and fetches are ranked tensors.
    - (host_function_c2) there are at least as many feeds as positions, seeds
      and variables together, and at least as many fetches as positions.
    - (host_function_c3) `parsed` has the index of a feature, or -1, for each
      fetch.

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

// The numbers equal those of the INGOT_ARGUMENT_ constants in
// runtime/ABI/Launch.h. INGOT_ARGUMENT_FETCH (2) is missing, because no slot of
// an argument table is filled with the address of a fetch before the first run.
def Host_ArgumentKind
    : I32EnumAttr<"ArgumentKind", "Where an argument's value comes from",
                  [I32EnumAttrCase<"arena", 0>, I32EnumAttrCase<"variable", 1>,
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
  let parameters = (ins "int64_t":$slot, EnumParameter<Host_ArgumentKind>:$kind,
      "int64_t":$number,
      OptionalParameter<"::mlir::FlatSymbolRefAttr">:$symbol);
  let assemblyFormat = "`<` $slot `,` $kind `,` $number (`,` $symbol^)? `>`";
}

#endif // INGOT_DIALECTS_HOST_ATTRIBUTES_TD
