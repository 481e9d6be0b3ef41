//===- IngotTable.td - Lookup tables -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops on lookup tables, which run in the runtime. Tables are named, live as
// long as the program runs, and map keys of one type to values of another.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_TABLE_TD
#define INGOT_DIALECTS_INGOT_TABLE_TD

include "dialects/Ingot/IngotBase.td"

class Ingot_TableOp<string mnemonic> : Ingot_InferredOp<mnemonic, [Ingot_RunsInRuntime, MemoryEffects<[MemRead, MemWrite]>]>;

def Ingot_TableFindOp : Ingot_TableOp<"table_find"> {
  let summary = "Looks up keys in a table";
  let description = [{
    TensorFlow's `LookupTableFindV2`: the default value for keys that the table
    does not have. With `initialized_once` the table must have been filled.

    Constraints:
    - (table_find_c1) the default value is a scalar.

    ```mlir
    %v = ingot.table_find %keys, %default {table = "vocabulary"} : (tensor<4x!ingot.string>, tensor<i64>) -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$keys, Ingot_Tensor:$default_value, StrAttr:$table, DefaultValuedAttr<BoolAttr, "false">:$initialized_once);
  let results = (outs Ingot_Tensor:$values);
  let assemblyFormat = "$keys `,` $default_value attr-dict `:` functional-type(operands, results)";
}

def Ingot_TableInsertOp : Ingot_TableOp<"table_insert"> {
  let summary = "Puts keys and values into a table";
  let description = [{
    TensorFlow's `LookupTableInsertV2` (`mode` is `insert`), `LookupTableImportV2`
    (`assign`) and `InitializeTableV2` (`initialize`, which happens once).

    Constraints:
    - (table_insert_c1) keys and values have the same shape.
    - (table_insert_c2) `mode` is one of the three.

    ```mlir
    ingot.table_insert %keys, %values {table = "vocabulary", mode = "initialize"} : (tensor<4x!ingot.string>, tensor<4xi64>) -> ()
    ```
  }];
  let arguments = (ins Ingot_Tensor:$keys, Ingot_Tensor:$values, StrAttr:$table, StrAttr:$mode);
  let assemblyFormat = "$keys `,` $values attr-dict `:` functional-type(operands, results)";
}

def Ingot_TableInsertFileOp : Ingot_TableOp<"table_insert_file"> {
  let summary = "Fills a table from the lines of a text file";
  let description = [{
    TensorFlow's `InitializeTableFromTextFileV2`: keys and values are whole lines
    (index -2), line numbers (-1) or columns. Line numbers start at `offset`. If
    `vocab_size` is not negative, only this many lines are read.

    Constraints:
    - (table_insert_file_c1) the file's name is a scalar.
    - (table_insert_file_c2) indices are at least -2; line numbers are of type
      i64.

    ```mlir
    ingot.table_insert_file %name {table = "vocabulary", key_index = -2 : i64, value_index = -1 : i64, key_type = !ingot.string, value_type = i64} : (tensor<!ingot.string>) -> ()
    ```
  }];
  let arguments = (ins Ingot_StringTensor:$filename, StrAttr:$table, I64Attr:$key_index, I64Attr:$value_index, TypeAttr:$key_type, TypeAttr:$value_type,
                   DefaultValuedAttr<I64Attr, "-1">:$vocab_size, DefaultValuedAttr<I64Attr, "0">:$offset, DefaultValuedAttr<StrAttr, "\"\\t\"">:$delimiter);
  let assemblyFormat = "$filename attr-dict `:` functional-type(operands, results)";
}

def Ingot_TableSizeOp : Ingot_TableOp<"table_size"> {
  let summary = "Number of a table's keys";
  let description = [{
    TensorFlow's `LookupTableSizeV2`.

    ```mlir
    %n = ingot.table_size {table = "vocabulary"} : () -> tensor<i64>
    ```
  }];
  let arguments = (ins StrAttr:$table);
  let results = (outs TensorOf<[I64]>:$size);
  let assemblyFormat = "attr-dict `:` functional-type(operands, results)";
}

def Ingot_TableExportOp : Ingot_TableOp<"table_export"> {
  let summary = "All keys and values of a table";
  let description = [{
    TensorFlow's `LookupTableExportV2`, in the order in which the keys were inserted.

    ```mlir
    %k, %v = ingot.table_export {table = "counts", key_type = i64, value_type = f32} : () -> (tensor<?xi64>, tensor<?xf32>)
    ```
  }];
  let arguments = (ins StrAttr:$table, TypeAttr:$key_type, TypeAttr:$value_type);
  let results = (outs Ingot_Tensor:$keys, Ingot_Tensor:$values);
  let assemblyFormat = "attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_TABLE_TD
