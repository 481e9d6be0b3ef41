//===- TranslateControl.cpp - Calls, loops and branches -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Calls are inlined. Regions of loops and branches become functions of the
// graph; the values around them that they use become arguments.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

static Tensors call(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  return t.call(op, t.text(op, "callee"), x);
}

// A composite op stands for a function that computes the same.
static Tensors composite(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  return t.call(op, t.text(op, "decomposition"), x);
}

static Tensors customCall(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  StringRef target = t.text(op, "call_target_name");
  bool isAnnotation = target == "Sharding" || target == "SPMDFullToShardShape";
  if (isAnnotation && x.size() == 1 && op.results.size() == 1 &&
      t.text(op, "mhlo.sharding").contains("replicated"))
    return {x[0]};
  if (target.starts_with("lapack_"))
    if (Tensors made = callOfLapack(t, op, x); !made.empty())
      return made;
  return t.refuse("code outside of the module is not supported");
}

static std::vector<TensorType> typesOf(ArrayRef<Tensor> tensors) {
  std::vector<TensorType> types;
  for (const Tensor &one : tensors)
    types.push_back({one->type, one->shape, ""});
  return types;
}

static proto::AttrValue shapesOf(ArrayRef<TensorType> types) {
  proto::AttrValue attribute;
  attribute.mutable_list();
  for (const TensorType &type : types)
    *attribute.mutable_list()->add_shape() = exporter::toShape(type.shape);
  return attribute;
}

// The values around an op that its regions use.
static std::optional<Tensors> captured(Translation &t, const Op &op,
                                       ArrayRef<unsigned> names) {
  Tensors found;
  for (unsigned name : names) {
    auto value = t.values().find(name);
    if (value == t.values().end())
      return std::nullopt;
    found.push_back(value->second);
  }
  return found;
}

// The values within a region, whose function has been given `arguments` for
// the block's arguments and for the captured values.
static Translation::Values valuesOf(const Block &block,
                                    ArrayRef<unsigned> names,
                                    ArrayRef<Tensor> arguments) {
  Translation::Values values;
  for (auto [index, tensor] : enumerate(arguments)) {
    size_t own = block.arguments.size();
    values[index < own ? block.arguments[index] : names[index - own]] = tensor;
  }
  return values;
}

static Tensors whileLoop(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  std::vector<unsigned> names = t.freeValues(op);
  auto around = captured(t, op, names);
  if (op.regions.size() != 2 || !around)
    return {};
  const Block &test = *op.regions[0], &body = *op.regions[1];
  auto takes = [&](const Block &block) {
    return block.arguments.size() == x.size() &&
           all_of(zip(block.arguments, x), [&](auto pair) {
             const TensorType &type = t.typeOf(std::get<0>(pair));
             return type.element == std::get<1>(pair)->type &&
                    type.shape == std::get<1>(pair)->shape;
           });
  };
  if (!takes(test) || !takes(body) || test.returned.size() != 1 ||
      body.returned.size() != x.size() ||
      !(t.typeOf(test.returned[0]) ==
        TensorType{proto::DT_BOOL, {}, "tensor<i1>"}))
    return {};
  for (auto [value, tensor] : zip(body.returned, x))
    if (t.typeOf(value).element != tensor->type ||
        t.typeOf(value).shape != tensor->shape)
      return {};
  Tensors state(x);
  append_range(state, *around);
  std::string condition =
      t.addFunction("while_cond", state, [&](ArrayRef<Tensor> given) {
        Translation::Values values = valuesOf(test, names, given);
        return t.region(test, values);
      });
  std::string step =
      t.addFunction("while_body", state, [&](ArrayRef<Tensor> given) {
        Translation::Values values = valuesOf(body, names, given);
        Tensors next = t.region(body, values);
        append_range(next, given.drop_front(x.size()));
        return next;
      });
  std::vector<TensorType> types = typesOf(state);
  Tensors made = b.add("StatelessWhile", state, types,
                       {{"cond", exporter::function(condition)},
                        {"body", exporter::function(step)},
                        {"output_shapes", shapesOf(types)},
                        {"parallel_iterations", exporter::integer(10)}});
  made.truncate(x.size());
  return made;
}

// One of several regions without arguments.
static Tensors branches(Translation &t, const Op &op, const Tensor &which) {
  GraphBuilder &b = t.builder();
  std::vector<unsigned> names = t.freeValues(op);
  auto inputs = captured(t, op, names);
  if (!inputs || op.regions.empty() || op.results.empty())
    return {};
  std::vector<TensorType> types;
  for (unsigned result : op.results)
    types.push_back(t.typeOf(result));
  std::vector<std::string> functions;
  for (const auto &region : op.regions) {
    if (!region->arguments.empty() || region->returned.size() != types.size())
      return {};
    for (auto [value, type] : zip(region->returned, types))
      if (t.typeOf(value).element != type.element ||
          t.typeOf(value).shape != type.shape)
        return {};
    functions.push_back(
        t.addFunction("branch", *inputs, [&](ArrayRef<Tensor> given) {
          Translation::Values values = valuesOf(*region, names, given);
          return t.region(*region, values);
        }));
  }
  AttributeMap attributes = {{"output_shapes", shapesOf(types)}};
  SmallVector<Tensor> operands = {which};
  append_range(operands, *inputs);
  if (which->type == proto::DT_BOOL) {
    attributes["then_branch"] = exporter::function(functions[0]);
    attributes["else_branch"] = exporter::function(functions[1]);
    return b.add("StatelessIf", operands, types, std::move(attributes));
  }
  for (const std::string &name : functions)
    attributes["branches"].mutable_list()->add_func()->set_name(name);
  return b.add("StatelessCase", operands, types, std::move(attributes));
}

static Tensors ifElse(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  if (x[0]->type != proto::DT_BOOL || x[0]->rank() || op.regions.size() != 2)
    return {};
  return branches(t, op, x[0]);
}

// An index out of bounds takes the last branch.
static Tensors switchCase(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  if (x[0]->type != proto::DT_INT32 || x[0]->rank() || op.regions.empty())
    return {};
  int64_t last = static_cast<int64_t>(op.regions.size()) - 1;
  if (last == 0) {
    // The only branch is always taken.
    Translation::Values values = t.values();
    return t.region(*op.regions[0], values);
  }
  Tensor isLow = b.compare("Less", x[0], b.like(0, x[0]));
  Tensor most = b.like(static_cast<double>(last), x[0]);
  return branches(t, op,
                  b.select(isLow, most, b.pointwise("Minimum", {x[0], most})));
}

void addControlOps(OpTable &table) {
  table["func.call"] = {call, -1, -1};
  table["stablehlo.composite"] = {composite, -1, -1};
  table["stablehlo.custom_call"] = {customCall, -1, -1};
  table["stablehlo.while"] = {whileLoop, -1, -1};
  table["stablehlo.if"] = {ifElse, 1, -1};
  table["stablehlo.case"] = {switchCase, 1, -1};
}

} // namespace ingot::stablehlo
