//===- StepEntries.cpp - Further entries of a step, and its saver --------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/StepGraph.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

static proto::TensorInfo infoOf(StringRef name, const Tensor &tensor) {
  proto::TensorInfo info;
  info.set_name((name + ":0").str());
  info.set_dtype(tensor->type);
  *info.mutable_tensor_shape() = exporter::toShape(tensor->shape);
  return info;
}

void StepGraph::addEntry(const EntryRole &role, const Module &from,
                         StringRef fileName) {
  std::string path = "entries." + role.name;
  const Function *function = from.find(role.function);
  std::vector<std::string> names = role.state;
  if (names.empty())
    for (const Variable &variable : variables)
      names.push_back(variable.name);
  if (!function || !function->hasBody) {
    roleProblem(path + ": there is no function '@" + role.function + "'");
    return;
  }
  if (function->body.arguments.size() != names.size() + role.inputs.size() ||
      function->resultTypes.size() != role.outputs.size()) {
    roleProblem(path + ": function '@" + role.function + "' has " +
                Twine(function->body.arguments.size()) + " arguments and " +
                Twine(function->resultTypes.size()) +
                " results, which \"state\", \"inputs\" and \"outputs\" have to "
                "name");
    return;
  }
  Translation other(from, *meta.mutable_graph_def(), builder, fileName);
  Translation &own = &from == &module ? translation : other;
  GraphBuilder &b = builder;
  proto::SignatureDef signature;
  signature.set_method_name("tensorflow/serving/predict");
  Tensors arguments;
  for (auto [index, argument] : enumerate(function->body.arguments)) {
    const TensorType &type = function->types[argument];
    if (index < names.size()) {
      auto variable = find_if(variables, [&](const Variable &one) {
        return one.name == names[index];
      });
      if (variable == variables.end() || !(variable->type == type)) {
        roleProblem(path + ": there is no variable '" + names[index] +
                    "' of type " + type.text);
        return;
      }
      arguments.push_back(b.node("ReadVariableOp", {variable->handle},
                                 type.element, type.shape, {},
                                 role.name + "/" + variable->name + "/read"));
      continue;
    }
    if (!type.isValid()) {
      roleProblem(path + ": type " + type.text + " is not supported");
      return;
    }
    const std::string &input = role.inputs[index - names.size()];
    std::string node = role.name + "/" + input;
    Tensor placeholder = b.node(
        "Placeholder", {}, type.element, type.shape,
        {{"shape", exporter::shape(exporter::toShape(type.shape))}}, node);
    arguments.push_back(placeholder);
    (*signature.mutable_inputs())[input] =
        infoOf(b.reference(placeholder), placeholder);
  }
  Tensors results = own.translate(*function, arguments, role.name);
  for (auto [name, result] : zip(role.outputs, results)) {
    Tensor output = b.node("Identity", {result}, result->type, result->shape,
                           {}, role.name + "/outputs/" + name);
    (*signature.mutable_outputs())[name] = infoOf(b.reference(output), output);
  }
  (*meta.mutable_signature_def())[role.name] = signature;
  if (&own == &other)
    errors.merge(std::move(other.problems()));
}

// Adds the nodes of a tf.train.Saver of all variables.
void StepGraph::finish() {
  errors.merge(std::move(translation.problems()));
  if (!errors.empty())
    return;
  GraphBuilder &b = builder;
  b.origin = {};
  sort(saved, [](const Variable &one, const Variable &other) {
    return one.name < other.name;
  });
  AttributeMap scalar = {{"shape", exporter::shape({})}};
  Tensor prefix = b.strings({"model"}, true, "save/filename/input");
  for (StringRef name : {"save/filename", "save/Const"})
    prefix = b.node("PlaceholderWithDefault", {prefix}, proto::DT_STRING, {},
                    scalar, name);
  SmallVector<StringRef> names, slices(saved.size(), "");
  SmallVector<Tensor> inputs;
  std::vector<TensorType> types;
  for (const Variable &one : saved) {
    names.push_back(one.name);
    types.push_back(one.type);
  }
  Tensor keys = b.strings(names, false, "save/SaveV2/tensor_names");
  Tensor parts = b.strings(slices, false, "save/SaveV2/shape_and_slices");
  inputs = {prefix, keys, parts};
  for (const Variable &one : saved)
    inputs.push_back(read(one, "save"));
  b.add("SaveV2", inputs, {}, {}, "save/SaveV2");
  b.node("Identity", {prefix}, proto::DT_STRING, {}, {},
         "save/control_dependency", {"save/SaveV2"});
  Tensors values =
      b.add("RestoreV2", {prefix, keys, parts}, types, {}, "save/RestoreV2");
  std::vector<std::string> assigns;
  for (auto [one, value] : zip(saved, values)) {
    std::string number = std::to_string(assigns.size());
    Tensor same = b.node("Identity", {value}, value->type, value->shape, {},
                         "save/Identity_" + number);
    assigns.push_back("save/AssignVariableOp_" + number);
    b.add("AssignVariableOp", {one.handle, same}, {}, {}, assigns.back());
  }
  b.add("NoOp", {}, {}, {}, "save/restore_all", assigns);
  proto::SaverDef &saver = *meta.mutable_saver_def();
  saver.set_filename_tensor_name("save/Const:0");
  saver.set_save_tensor_name("save/control_dependency:0");
  saver.set_restore_op_name("save/restore_all");
  saver.set_max_to_keep(static_cast<int32_t>(roles.maxToKeep));
  saver.set_keep_checkpoint_every_n_hours(10000);
  saver.set_version(proto::SaverDef::V2);
  (*meta.mutable_collection_def())["savers"].mutable_bytes_list()->add_value(
      saver.SerializeAsString());
}

} // namespace ingot::stablehlo
