//===- IngotBase.td - The dialect, its types and constraints -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The base of all families of ops: the dialect itself, its types, and classes
// of ops.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_BASE_TD
#define INGOT_DIALECTS_INGOT_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/Ingot/IR/IngotTensorFlow.td"

def Ingot_Dialect : Dialect {
  let name = "ingot";
  let cppNamespace = "::mlir::ingot";
  let summary = "Training graphs: programs with state, input and checkpoints";
  let description = [{
    A module is one program: variables, iterators, savers and entries. Tensors
    are builtin tensors, whose dimensions may be unknown; elements of strings
    are `!ingot.string`. Every op carries its node's name as its location.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  // Implemented as verifyOperationAttribute() in SymbolIndices.cpp.
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Registers the ops of one family, that is, all ops that one .td file
    /// defines (OpFamilies.h).
    template <typename... OpTys> void addFamily() { addOperations<OpTys...>(); }
  }];
}

class Ingot_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Ingot_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Ingot_StringType : Ingot_Type<"String", "string"> {
  let summary = "A string of bytes, the element of a string tensor";
  let description = [{
    Any sequence of bytes, zero bytes included; not necessarily UTF-8.

    ```mlir
    %name = ingot.constant dense<"data/train.tfrecord"> : tensor<1x!ingot.string>
    ```
  }];
}

def Ingot_VariantType : Ingot_Type<"Variant", "variant"> {
  let summary = "An object of the runtime, the element of a variant tensor";
  let description = [{
    A list of tensors or another object that ops pass on without looking
    inside. Values are immutable: an op that changes one makes another.

    ```mlir
    %list = ingot.tensor_list_reserve %shape, %n : (tensor<0xi32>, tensor<i32>) -> tensor<!ingot.variant>
    ```
  }];
}

def Ingot_DatasetType : Ingot_Type<"Dataset", "dataset"> {
  let summary = "A source of elements, each a tuple of tensors";
  let description = [{
    `components` are the types of one element's tensors.

    ```mlir
    !ingot.dataset<tensor<64xf32>, tensor<i64>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"Type">:$components);
  let assemblyFormat = "`<` $components `>`";
}

// Any tensor. Constraints on element types and ranks are left to the ops'
// verifiers, whose messages refer to the user's nodes. After
// ingot-lower-to-storage-types, strings are 128-bit integers (address and
// size), variants are 64-bit integers, unsigned integers are signless, and
// complex numbers are integers of as many bits, with the real part in the low
// half.
def Ingot_Tensor : TensorOf<[AnyFloat, AnySignlessInteger, UI8, UI16, UI32, UI64, Complex<F32>, Complex<F64>, Ingot_StringType, Ingot_VariantType]>;
def Ingot_NumericTensor : TensorOf<[AnyFloat, AnySignlessInteger, UI8, UI16, UI32, UI64]>;
def Ingot_FloatTensor : TensorOf<[AnyFloat]>;
def Ingot_ComplexTensor : TensorOf<[Complex<F32>, Complex<F64>, I64, I<128>]>;
// Operands and results of the matrix ops that the runtime computes, with real or complex elements.
def Ingot_MatrixTensor : TensorOf<[F32, F64, Complex<F32>, Complex<F64>, I64, I<128>]>;
// Operands of arithmetic ops that are also defined for complex numbers. The pass
// ingot-decompose-complex-arithmetic replaces such ops by ops on real numbers.
def Ingot_NumericOrComplexTensor : TensorOf<[AnyFloat, AnySignlessInteger, UI8, UI16, UI32, UI64, Complex<F32>, Complex<F64>]>;
def Ingot_FloatOrComplexTensor : TensorOf<[AnyFloat, Complex<F32>, Complex<F64>]>;
def Ingot_IntTensor : TensorOf<[I32, I64]>;
def Ingot_BoolTensor : TensorOf<[I1]>;
def Ingot_StringTensor : TensorOf<[Ingot_StringType, I<128>]>;
def Ingot_VariantTensor : TensorOf<[Ingot_VariantType, I64]>;
def Ingot_Dataset : Type<CPred<"::llvm::isa<::mlir::ingot::DatasetType>($_self)">, "dataset", "::mlir::ingot::DatasetType">;

// Traits that tell passes how to treat an op (Traits.h).
class Ingot_Trait<string name> : NativeOpTrait<name> {
  let cppNamespace = "::mlir::ingot::trait";
}
def Ingot_Elementwise : Ingot_Trait<"Elementwise">;
def Ingot_MayReuseOperandMemory : Ingot_Trait<"MayReuseOperandMemory">;
def Ingot_ComputedByRuntime : Ingot_Trait<"ComputedByRuntime">;
def Ingot_YieldsUnchangedInputElements : Ingot_Trait<"YieldsUnchangedInputElements">;
def Ingot_NeverEndsBeforeInput : Ingot_Trait<"NeverEndsBeforeInput">;
def Ingot_ReadsElementsOnce : Ingot_Trait<"ReadsElementsOnce">;

class Ingot_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ingot_Dialect, mnemonic, traits> {
  // The TensorFlow ops that correspond to this op, with the same operands and
  // results. The exporter writes the first of them that has as many inputs as
  // the op has operands.
  list<TF_Op> tensorFlowOps = [];

  // Whether the op has create() functions, by which passes create it. Most ops
  // are only created by name, from a graph's nodes or from MLIR text; their
  // create() functions would be half of the dialect's code to compile.
  bit hasBuilders = 0;
  let skipDefaultBuilders = !not(hasBuilders);
  let builders = !if(hasBuilders, []<OpBuilder>, [
    OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$operands,
                   "::llvm::ArrayRef<::mlir::NamedAttribute>":$attributes), [{
      $_state.addTypes(types);
      $_state.addOperands(operands);
      $_state.addAttributes(attributes);
    }]>]);
}

// An op whose result types follow from its operands and attributes. Its
// inferReturnTypes is the shape function, which also checks the op's
// constraints, as part of the verifier. A result type may be more or less
// precise than the inferred one, but must not contradict it.
class Ingot_InferredOp<string mnemonic, list<Trait> traits = []>
    : Ingot_Op<mnemonic, !listconcat(traits, [InferTypeOpAdaptorBase<[{
        static bool isCompatibleReturnTypes(::mlir::TypeRange l, ::mlir::TypeRange r) {
          return ::mlir::ingot::areCompatibleTypeLists(l, r);
        }
      }]>])> {
  // The verifier of InferTypeOpInterface would add "failed to infer returned
  // types" to the shape function's message. This verifier runs before that of
  // the interface, and reports only the shape function's message.
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::mlir::ingot::verifyConstraints(getOperation());
    }
  }];
}

// An op with inferred result types and without side effects.
class Ingot_PureOp<string mnemonic, list<Trait> traits = []>
    : Ingot_InferredOp<mnemonic, !listconcat(traits, [Pure])>;

// A dataset op. Its operands are in TensorFlow's order: datasets, then tensors.
// The dataset that it makes may have state (a shuffle's seeds, a cache's
// elements), so the op counts as an allocation and is never merged with an
// equal one.
class Ingot_SomeDatasetOp<string mnemonic, string tensorFlow, list<Trait> traits = []>
    : Ingot_Op<mnemonic, traits> {
  // TensorFlow's name of the op, which the runtime's messages contain, and
  // other names of the same op.
  string tensorFlowName = tensorFlow;
  list<string> otherNames = [];
  // For a dataset op with TensorFlow's operands and attributes, how the
  // importer determines the types of the dataset's elements: "Input" (those of
  // the input), "Record" (a string scalar) or "Declared" (those in the node's
  // attributes). "" for ops that have functions of their own in compiler/Import
  // and compiler/Export.
  string elements = "";
  let results = (outs Res<Ingot_Dataset, "", [MemAlloc]>:$dataset);
  let hasVerifier = 1;
}

#endif // INGOT_DIALECTS_INGOT_BASE_TD
