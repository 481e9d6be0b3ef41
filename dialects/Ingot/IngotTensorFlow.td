//===- IngotTensorFlow.td - Names of TensorFlow's -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Which of TensorFlow's ops one of ours stands for, with the attributes that
// each may have. The importer's and the exporter's tables are written from
// this (op_tables.py).
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_TENSORFLOW_TD
#define INGOT_DIALECTS_INGOT_TENSORFLOW_TD

// The translation of one attribute of one of TensorFlow's ops
// (AttributeSpec of compiler/Import/ComputeSpec.h).
class TF_Attribute<string tensorFlowName, string attributeKind, string oursName = "", string absentType = ""> {
  string name = tensorFlowName;
  string kind = attributeKind;
  string ours = oursName;
  // Where an absent attribute has to be written out.
  string typeByDefault = absentType;
}

// Says nothing that the operands' types do not.
class TF_Implied<string name> : TF_Attribute<name, "Implied">;
class TF_Bool<string name, string ours = name> : TF_Attribute<name, "Bool", ours>;
class TF_Int<string name, string ours = name> : TF_Attribute<name, "Int", ours>;
class TF_Ints<string name, string ours = name> : TF_Attribute<name, "Ints", ours>;
class TF_Float<string name, string ours = name> : TF_Attribute<name, "Float", ours>;
class TF_String<string name, string ours = name> : TF_Attribute<name, "String", ours>;
class TF_Type<string name, string ours = name, string byDefault = "">
    : TF_Attribute<name, "ElementType", ours, byDefault>;

// Of an op that need not have an input.
defvar anyNumberOfInputs = -2;

// One of TensorFlow's ops: its attributes besides `T`, which nearly all have;
// the names of its output arguments where there are several, by which bodies
// of functions ask for them; the number of its inputs where our op has a
// variadic operand and this is not `atLeastOne`.
class TF_Op<string tensorFlowName, list<TF_Attribute> itsAttributes = [],
            list<string> itsOutputs = [], int itsInputs = -1> {
  string name = tensorFlowName;
  list<TF_Attribute> attributes = itsAttributes;
  list<string> outputs = itsOutputs;
  int inputs = itsInputs;
}

// "`Round` and `Rint`", for descriptions.
class TF_Names<list<TF_Op> ops> {
  string text = !foldl("", ops, names, op,
                       names # !if(!empty(names), "", " and ") # "`" # op.name # "`");
}

#endif // INGOT_DIALECTS_INGOT_TENSORFLOW_TD
