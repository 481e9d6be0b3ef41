//===- HostAttributes.td - Facts of entries and kernels ---------*- tablegen -*-===//
#ifndef INGOT_DIALECTS_HOST_ATTRIBUTES_TD
#define INGOT_DIALECTS_HOST_ATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Host_Dialect : Dialect {
  let name = "host";
  let cppNamespace = "::mlir::host";
  let summary = "Calls of the runtime and launches of kernels";
  let description = [{
    The border between computing and everything else. Lowered to the calls of
    `runtime/ABI/Calls.h`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::bufferization::BufferizationDialect"];
}

// As runtime/ABI/Launch.h numbers them.
def Host_ArgumentKind : I32EnumAttr<"ArgumentKind", "Where an argument's value comes from", [
    I32EnumAttrCase<"arena", 0>, I32EnumAttrCase<"variable", 1>,
    I32EnumAttrCase<"number", 2>, I32EnumAttrCase<"constant", 3>]> {
  let cppNamespace = "::mlir::host";
  let genSpecializedAttr = 0;
}

def Host_ArgumentAttr : AttrDef<Host_Dialect, "Argument"> {
  let mnemonic = "argument";
  let summary = "What a slot of an argument table holds from the start";
  let description = [{
    `slot` counts 8 bytes from the start of the arena. `number` is an offset in
    the arena, the number of a variable, or the value itself; of a constant,
    `symbol` is its name.

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
