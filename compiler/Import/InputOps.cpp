//===- InputOps.cpp - Iterators, parsing of Examples ----------------------===//

#include "compiler/Import/DatasetImport.h"
#include "compiler/Import/Program.h"
#include "compiler/Import/Types.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static constexpr StringRef iteratorOps[] = {"IteratorV2", "Iterator",
                                            "OneShotIterator"};

// The iterator whose handle an input is; null where there is a problem.
static IteratorOp iteratorOf(NodeImport &node, size_t input) {
  Handle handle = node.handle(input);
  // Of an iterator made otherwise, that op is the problem.
  if (!findOp(handle.op())) {
    node.body.problems.unsupported(handle.op(), handle.name());
    node.fail();
    return {};
  }
  if (!llvm::is_contained(iteratorOps, handle.op())) {
    node.malformed("input " + llvm::Twine(input) + ", '" + handle.name() +
                   "' (" + handle.op() + "), is not an iterator");
    return {};
  }
  IteratorOp iterator = node.body.program.iterator(handle, node.body.problems);
  if (!iterator)
    node.fail();
  return iterator;
}

static void importHandle(NodeImport &) {}

static void importGetNext(NodeImport &node) {
  SmallVector<Type> declared;
  if (!node.expectInputs(1) ||
      !declaredComponents(node, "output_types", declared))
    return;
  IteratorOp iterator = iteratorOf(node, 0);
  if (!iterator)
    return;
  ArrayAttr components = iterator.getComponents();
  if (components.size() != declared.size())
    return node.malformed("takes " + llvm::Twine(declared.size()) +
                          " tensors from an iterator that gives " +
                          llvm::Twine(components.size()));
  for (auto [type, component] : llvm::zip(declared, components)) {
    auto given = cast<TensorType>(cast<TypeAttr>(component).getValue());
    auto taken = cast<TensorType>(type);
    if (given.getElementType() != taken.getElementType() ||
        failed(verifyCompatibleShape(given, taken)))
      return node.malformed("takes " + describeType(taken) +
                            " from an iterator that gives " +
                            describeType(given));
    type = refineType(taken, given);
  }
  auto op = IteratorNextOp::create(node.body.builder, node.loc, declared,
                                   iterator.getSymName());
  for (auto [port, result] : llvm::enumerate(op.getResults()))
    node.setOutput(port, result);
}

static void importMakeIterator(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  if (IteratorOp iterator = iteratorOf(node, 1))
    IteratorMakeOp::create(node.body.builder, node.loc, iterator.getSymName());
}

static void importParseExample(NodeImport &node) {
  std::vector<proto::DataType> types = node.attributes.getTypes("Tdense");
  const proto::AttrValue::ListValue *shapes =
      node.attributes.getList("dense_shapes");
  if (node.attributes.getInt("num_sparse", 0) != 0 ||
      !node.attributes.getTypes("ragged_value_types").empty())
    return node.unsupported("sparse or ragged features");
  if (!node.expectInputs(5 + types.size()))
    return;
  if (!shapes || shapes->shape_size() != static_cast<int>(types.size()))
    return node.malformed("not as many dense shapes as types");
  std::optional<std::vector<std::string>> keys =
      node.body.graph.constantStrings(node.node.inputs[3]);
  if (!keys)
    return node.unsupported("its keys are not constant");
  if (keys->size() != types.size())
    return node.malformed("has " + llvm::Twine(keys->size()) + " keys for " +
                          llvm::Twine(types.size()) + " features");
  SmallVector<Value> operands = {node.tensor(0)};
  llvm::append_range(operands, node.tensors(5, node.numInputs()));
  if (node.hasFailed())
    return;

  auto serialized = cast<TensorType>(operands[0].getType());
  SmallVector<Type> results;
  SmallVector<Attribute> denseShapes, keyAttrs;
  Builder builder(node.context());
  for (auto [index, dtype] : llvm::enumerate(types)) {
    std::string error;
    TensorType type =
        convertTensorType(dtype, &shapes->shape(index), node.context(), error);
    if (!type)
      return node.unsupported(error);
    if (!type.hasStaticShape())
      return node.unsupported("a feature of variable length");
    denseShapes.push_back(builder.getDenseI64ArrayAttr(type.getShape()));
    keyAttrs.push_back(builder.getStringAttr((*keys)[index]));
    if (!serialized.hasRank()) {
      results.push_back(UnrankedTensorType::get(type.getElementType()));
      continue;
    }
    SmallVector<int64_t> shape(serialized.getShape());
    llvm::append_range(shape, type.getShape());
    results.push_back(RankedTensorType::get(shape, type.getElementType()));
  }
  Operation *op = node.verified(ParseExampleOp::create(
      node.body.builder, node.loc, results, operands[0],
      ArrayRef(operands).drop_front(), builder.getArrayAttr(keyAttrs),
      builder.getArrayAttr(denseShapes)));
  if (!op)
    return;
  for (auto [port, result] : llvm::enumerate(op->getResults()))
    node.setOutput(port, result);
}

void addInputOps(OpTable &table) {
  auto add = [&](StringRef op, Effect effect, void (*import)(NodeImport &)) {
    table[op] = {effect, import};
  };
  for (StringRef op : iteratorOps)
    add(op, Effect::Pure, importHandle);
  add("IteratorGetNext", Effect::Consumes, importGetNext);
  add("MakeIterator", Effect::Writes, importMakeIterator);
  add("ParseExampleV2", Effect::Pure, importParseExample);
  addDatasetOps(table);
}

} // namespace ingot::importer
