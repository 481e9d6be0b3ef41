//===- TranslateControl.cpp - Calls and branches --------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Calls are inlined. Regions of branches become functions of the graph; the
// values around them that they use become arguments.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Regions.h"

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

// One of several regions without arguments.
static Tensors branches(Translation &t, const Op &op, const Tensor &which) {
  GraphBuilder &b = t.builder();
  std::vector<unsigned> names = t.freeValues(op);
  auto inputs = captured(t, names);
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
  table["stablehlo.if"] = {ifElse, 1, -1};
  table["stablehlo.case"] = {switchCase, 1, -1};
}

} // namespace ingot::stablehlo
