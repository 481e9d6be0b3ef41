//===- StepGraph.cpp - The MetaGraphDef of a StableHLO step ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/StepGraph.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;

namespace ingot::stablehlo {

/// The name of the variable that counts steps.
static constexpr StringLiteral globalStepName = "global_step";

StepGraph::StepGraph(const Module &module, const Roles &roles,
                     const RoleFiles &files, StringRef moduleName,
                     proto::MetaGraphDef &meta)
    : module(module), roles(roles), files(files), moduleName(moduleName),
      meta(meta), builder(*meta.mutable_graph_def()->mutable_node(),
                          *meta.mutable_graph_def()->mutable_debug_info()),
      translation(module, *meta.mutable_graph_def(), builder, moduleName) {
  // The version of TensorFlow 2.10; the ops used here have not changed since.
  meta.mutable_graph_def()->mutable_versions()->set_producer(1087);
  meta.mutable_graph_def()->mutable_versions()->set_min_consumer(12);
}

void StepGraph::roleProblem(const Twine &message) {
  errors.unknownName(message);
}

void StepGraph::collect(StringRef collection, StringRef node) {
  (*meta.mutable_collection_def())[collection.str()]
      .mutable_node_list()
      ->add_value(node.str());
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

Tensor StepGraph::addVariable(StringRef name, const Tensor &value,
                              bool isTrainable) {
  GraphBuilder &b = builder;
  std::string own = name.str();
  Tensor handle =
      b.node("VarHandleOp", {}, proto::DT_RESOURCE, {},
             {{"dtype", exporter::type(value->type)},
              {"shape", exporter::shape(exporter::toShape(value->shape))},
              {"shared_name", exporter::text(name)}},
             name);
  b.add("AssignVariableOp", {handle, value}, {}, {}, own + "/Assign");
  Tensor read = b.node("ReadVariableOp", {handle}, value->type, value->shape,
                       {}, own + "/Read");
  proto::VariableDef def;
  def.set_variable_name(own + ":0");
  def.set_initializer_name(own + "/Assign");
  def.set_snapshot_name(b.reference(read) + ":0");
  def.set_is_resource(true);
  def.set_initial_value_name(b.reference(value) + ":0");
  def.set_trainable(isTrainable);
  auto add = [&](StringRef collection) {
    (*meta.mutable_collection_def())[collection.str()]
        .mutable_bytes_list()
        ->add_value(def.SerializeAsString());
  };
  add("variables");
  if (isTrainable)
    add("trainable_variables");
  if (name == globalStepName)
    add("global_step");
  saved.push_back({own, {value->type, value->shape, ""}, handle});
  return handle;
}

void StepGraph::addState(const Function &step) {
  GraphBuilder &b = builder;
  if (std::string error = initial.open(files, roles.initial); !error.empty())
    roleProblem("initial: " + error);
  bool countsItself = any_of(roles.state, [](const StateRole &one) {
    return one.name == globalStepName;
  });
  if (!countsItself)
    addVariable(globalStepName, b.scalar(0, proto::DT_INT64), false);
  for (auto [role, argument] : zip(roles.state, step.body.arguments)) {
    const TensorType &type = step.types[argument];
    std::string error;
    std::shared_ptr<const Elements> value;
    bool isCounter = role.name == globalStepName;
    if (isCounter && (!type.shape.empty() || (type.element != proto::DT_INT64 &&
                                              type.element != proto::DT_INT32)))
      roleProblem("state: 'global_step', which counts steps, has to be an i32 "
                  "or i64 scalar");
    bool fits = !role.initial || isFloat(type.element) ||
                (std::abs(*role.initial) < std::ldexp(1.0, 53) &&
                 std::trunc(*role.initial) == *role.initial);
    if (!fits) {
      error = "its initial value is no integer that its type has";
    } else if (role.initial) {
      auto one = std::make_shared<Elements>();
      one->type = type;
      one->isSplat = !type.shape.empty();
      one->bytes = encode(*role.initial, type.element);
      value = one;
    } else if (roles.initial.empty()) {
      error = "it has no initial value: give the variable an \"initial\", or "
              "the file an \"initial\" with the values of all";
    } else {
      value = initial.find(role.name, type, error);
    }
    if (!error.empty())
      roleProblem("state '" + role.name + "': " + error);
    Tensor first =
        value ? b.constant(value, role.name + "/Initializer") : b.zeros(type);
    variables.push_back(
        {role.name, type,
         addVariable(role.name, first,
                     role.isTrainable && isFloat(type.element))});
  }
}

Tensor StepGraph::read(const Variable &variable, StringRef scope,
                       std::string *node) {
  GraphBuilder &b = builder;
  Tensor made = b.node("ReadVariableOp", {variable.handle},
                       variable.type.element, variable.type.shape, {},
                       (scope + "/" + variable.name + "/read").str());
  if (node)
    *node = b.reference(made);
  return made;
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

int64_t StepGraph::resultOf(size_t state) const {
  int64_t given = roles.state[state].result;
  return given >= 0 ? given : static_cast<int64_t>(state);
}

const Function *StepGraph::stepFunction() {
  const Function *step = module.find(roles.function);
  if (step && step->hasBody)
    return step;
  std::vector<std::string> names;
  for (const auto &entry : module.functions)
    names.push_back("'@" + entry.getKey().str() + "'");
  sort(names);
  roleProblem("function: there is no function '@" + roles.function +
              "' in the module; there are " + join(names, ", "));
  return nullptr;
}

// Compares the function with its roles: numbers of arguments and results, and
// the types of the state before and after.
bool StepGraph::checkStep(const Function &step) {
  size_t states = roles.state.size(), arguments = step.body.arguments.size();
  if (states + roles.batch.size() != arguments) {
    roleProblem("function '@" + step.name + "' has " + Twine(arguments) +
                " arguments, but there are " + Twine(states) +
                " names in \"state\" and " + Twine(roles.batch.size()) +
                " in \"batch\"; jax.jit drops arguments that are not used "
                "unless keep_unused=True");
    return false;
  }
  bool isOk = true;
  for (auto [index, argument] : enumerate(step.body.arguments))
    if (const TensorType &type = step.types[argument]; !type.isValid()) {
      roleProblem("argument " + Twine(index) + " of function '@" + step.name +
                  "' has type " + type.text + ", which is not supported");
      isOk = false;
    }
  size_t results = step.resultTypes.size();
  SmallVector<bool> isState(results, false);
  for (size_t i = 0; i < states; ++i) {
    int64_t result = resultOf(i);
    if (result >= static_cast<int64_t>(results) || isState[result]) {
      roleProblem("state '" + roles.state[i].name + "': result " +
                  Twine(result) + " of function '@" + step.name +
                  "' is another variable's, or does not exist: it has " +
                  Twine(results));
      return false;
    }
    isState[result] = true;
    const TensorType &before = step.types[step.body.arguments[i]];
    const TensorType &after = step.resultTypes[result];
    if (!(before == after)) {
      roleProblem("state '" + roles.state[i].name + "' is " + before.text +
                  " before the step, and result " + Twine(result) + " is " +
                  after.text);
      isOk = false;
    }
  }
  size_t outputs = results - states;
  if (roles.outputs.size() != outputs || !outputs) {
    roleProblem("function '@" + step.name + "' has " + Twine(outputs) +
                " results besides the state, and \"outputs\" has " +
                Twine(roles.outputs.size()) +
                " names; a step needs a loss at least");
    return false;
  }
  return isOk;
}

void StepGraph::addStep() {
  const Function *step = stepFunction();
  if (!step || !checkStep(*step))
    return;
  addState(*step);
  Tensors arguments;
  std::vector<std::string> reads;
  for (const Variable &variable : variables)
    arguments.push_back(read(variable, "step", &reads.emplace_back()));
  append_range(arguments, addBatch(*step));
  if (arguments.size() != step->body.arguments.size())
    return;
  Tensors results = translation.translate(*step, arguments, "");
  GraphBuilder &b = builder;
  std::vector<std::string> assigns;
  for (auto [index, variable] : enumerate(variables)) {
    const Tensor &value = results[resultOf(index)];
    if (value == arguments[index])
      continue; // The step does not change this variable.
    assigns.push_back("step/" + variable.name + "/assign");
    b.add("AssignVariableOp", {variable.handle, value}, {}, {}, assigns.back(),
          {reads[index]});
  }
  Tensors outputs;
  SmallVector<bool> isState(results.size(), false);
  for (size_t i = 0; i < roles.state.size(); ++i)
    isState[resultOf(i)] = true;
  for (auto [index, result] : enumerate(results))
    if (!isState[index])
      outputs.push_back(result);
  endStep(outputs, std::move(assigns));
}

// Adds what a step returns, by name, of which the loss is minimized, and the
// node that runs a step.
void StepGraph::endStep(ArrayRef<Tensor> results,
                        std::vector<std::string> assigns) {
  GraphBuilder &b = builder;
  std::string loss = !roles.loss.empty() ? roles.loss
                     : is_contained(roles.outputs, "loss")
                         ? "loss"
                         : roles.outputs.front();
  if (!is_contained(roles.outputs, loss)) {
    roleProblem("loss: there is no output '" + loss + "'; there are " +
                join(roles.outputs, ", "));
    return;
  }
  for (auto [name, result] : zip(roles.outputs, results)) {
    Tensor value = result;
    bool isLoss = name == loss;
    if (isLoss) {
      Sizes axes;
      for (size_t axis = 0; axis < value->rank(); ++axis)
        axes.push_back(static_cast<int64_t>(axis));
      value = b.reduce("Mean", b.cast(value, proto::DT_FLOAT), axes);
    }
    std::string node = isLoss ? "loss" : "step/" + exporter::toNodeName(name);
    b.node("Identity", {value}, value->type, value->shape, {}, node);
    if (!isLoss) {
      metrics.push_back(node + ":0");
      continue;
    }
    collect("loss", node + ":0");
    collect("losses", node + ":0");
  }
  b.add("NoOp", {}, {}, {}, "step/done", std::move(assigns));
  if (saved.front().name == globalStepName && saved.size() > variables.size()) {
    b.add("AssignAddVariableOp",
          {saved.front().handle, b.scalar(1, proto::DT_INT64)}, {}, {},
          "train_op", {"step/done", "loss"});
  } else {
    b.add("NoOp", {}, {}, {}, "train_op", {"step/done", "loss"});
  }
  collect("train_op", "train_op");
  if (!stepsPerEpoch)
    return;
  b.node("Identity", {b.scalar(stepsPerEpoch, proto::DT_INT64)},
         proto::DT_INT64, {}, {}, "steps_per_epoch");
  proto::SignatureDef &epoch = (*meta.mutable_signature_def())["epoch"];
  epoch.set_method_name("ingot/epoch");
  (*epoch.mutable_outputs())["steps"].set_name("steps_per_epoch:0");
  (*epoch.mutable_outputs())["steps"].set_dtype(proto::DT_INT64);
}

} // namespace ingot::stablehlo
