//===- IngotTensorFlow.td - TensorFlow ops of each op ------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Classes that state which TensorFlow ops an op of the dialect corresponds to,
// and with which attributes. From these classes, op_tables.py generates the
// tables of the importer and the exporter.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_TENSORFLOW_TD
#define INGOT_DIALECTS_INGOT_TENSORFLOW_TD

// How an attribute of a TensorFlow op is translated (AttributeSpec in
// compiler/Import/Ops/OneToOneOpSpec.h).
class TF_Attribute<string tensorFlowName, string attributeKind, string oursName = "", string absentType = ""> {
  string name = tensorFlowName;
  string kind = attributeKind;
  string ours = oursName;
  // The element type that the importer assumes if a node lacks the attribute;
  // "" if the attribute is required.
  string typeByDefault = absentType;
}

// An attribute that the ingot op does not have, because the types of the op's
// operands imply it.
class TF_Implied<string name> : TF_Attribute<name, "Implied">;
class TF_Bool<string name, string ours = name> : TF_Attribute<name, "Bool", ours>;
class TF_Int<string name, string ours = name> : TF_Attribute<name, "Int", ours>;
class TF_Ints<string name, string ours = name> : TF_Attribute<name, "Ints", ours>;
class TF_Float<string name, string ours = name> : TF_Attribute<name, "Float", ours>;
class TF_String<string name, string ours = name> : TF_Attribute<name, "String", ours>;
class TF_Type<string name, string ours = name, string byDefault = "">
    : TF_Attribute<name, "ElementType", ours, byDefault>;

// The value of `inputs` for an op with any number of inputs, including none.
defvar anyNumberOfInputs = -2;

// A TensorFlow op. `itsAttributes` lists its attributes except `T`, which
// nearly all ops have. `itsOutputs` lists the names of its outputs if there are
// several: function bodies refer to outputs by name. `itsInputs` is the number
// of its inputs; -1 means as many as the ingot op has operands, or at least 1
// if one of these is variadic.
class TF_Op<string tensorFlowName, list<TF_Attribute> itsAttributes = [],
            list<string> itsOutputs = [], int itsInputs = -1> {
  string name = tensorFlowName;
  list<TF_Attribute> attributes = itsAttributes;
  list<string> outputs = itsOutputs;
  int inputs = itsInputs;
}

// The names of several TensorFlow ops as text for descriptions: "`Round` and
// `Rint`".
class TF_Names<list<TF_Op> ops> {
  string text = !foldl("", ops, names, op,
                       names # !if(!empty(names), "", " and ") # "`" # op.name # "`");
}

#endif // INGOT_DIALECTS_INGOT_TENSORFLOW_TD
