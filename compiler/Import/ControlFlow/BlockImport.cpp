//===- BlockImport.cpp - Imports nodes as ops of a block ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/ControlFlow/BlockImport.h"

#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Ops/ShapeChecks.h"
#include "compiler/Import/Ops/ValueChecks.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/InferredOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Alignment.h"

using namespace mlir;

namespace ingot::importer {

BlockImport::BlockImport(Program &program, const Graph &graph, Block &block,
                         ImportErrors &problems)
    : program(program), graph(graph), builder(program.context()),
      problems(problems) {
  builder.setInsertionPointToEnd(&block);
}

void BlockImport::feed(Output output, const ImportedNodeOutput &argument) {
  feeds.insert(output);
  if (argument.value)
    values[output] = argument.value;
  else
    handles[output] = argument.handle;
  if (argument.reference)
    references[output] = *argument.reference;
}

ResourceHandle BlockImport::handle(Output output) const {
  // Follow Identity nodes back to the node that creates the handle. The loop is
  // bounded by the number of nodes, since a malformed graph may have a cycle of
  // Identity nodes.
  for (int i = 0; i < graph.size(); ++i) {
    if (auto it = handles.find(output); it != handles.end())
      return it->second;
    const Graph::Node &node = graph[output.first];
    if (!isIdentity(node.op()) || !node.error.empty() ||
        static_cast<size_t>(output.second) >= node.inputs.size())
      break;
    output = node.inputs[output.second];
  }
  return {&graph, output.first};
}

std::optional<ResourceHandle> BlockImport::reference(Output output) const {
  for (int i = 0; i < graph.size(); ++i) {
    const Graph::Node &node = graph[output.first];
    // RefSwitch and RefEnter do not read a reference variable, but pass it on
    // into a branch or a loop, so continue with the variable that they pass on.
    if ((node.op() == "RefSwitch" || node.op() == "RefEnter") &&
        node.error.empty() && !node.inputs.empty()) {
      output = node.inputs.front();
      continue;
    }
    if (feeds.contains(output)) {
      auto it = references.find(output);
      return it == references.end() ? std::nullopt : std::optional(it->second);
    }
    if (!node.error.empty())
      break;
    if (isIdentity(node.op()) &&
        static_cast<size_t>(output.second) < node.inputs.size()) {
      output = node.inputs[output.second];
      continue;
    }
    if (output.second != 0)
      break;
    if (isReferenceVariable(node.op()))
      return ResourceHandle{&graph, output.first};
    const OpTableRow *info = findOp(node.op());
    if (!info || !info->givesReference || node.inputs.empty())
      break;
    output = node.inputs.front();
  }
  return std::nullopt;
}

Value BlockImport::current(Output output, Location loc) {
  std::optional<ResourceHandle> known = reference(output);
  if (!known)
    return value(output);
  mlir::ingot::VariableOp variable = program.variable(*known, problems);
  if (!variable)
    return {};
  return mlir::ingot::ReadOp::create(builder, loc, variable.getType(),
                                     variable.getSymName());
}

ImportedNodeOutput BlockImport::currentArgument(Output output, Location loc) {
  if (!value(output))
    return handle(output);
  ImportedNodeOutput argument = current(output, loc);
  argument.reference = reference(output);
  return argument;
}

ImportedNodeOutput BlockImport::argument(Output output) const {
  if (Value known = value(output))
    return known;
  return handle(output);
}

void BlockImport::import(ArrayRef<int> targets) {
  auto writes = [&](int node) {
    return program.effectOf(graph, node) == Effect::Writes;
  };
  std::vector<int> order = schedule(graph, targets, feeds, writes, problems);
  needed.insert(order.begin(), order.end());
  for (int node : order)
    for (Output input : graph[node].inputs)
      read.insert(input.first);
  for (int index : order) {
    if (!imported.insert(index).second)
      continue;
    const Graph::Node &node = graph[index];
    const OpTableRow *info = findOp(node.op());
    // A node whose op is the name of a library function calls this function,
    // like a PartitionedCall.
    if (!info && program.hasFunction(node.op()))
      info = findOp("PartitionedCall");
    if (!info) {
      problems.unsupported(node.op(), graph.qualifiedName(index));
      failed.insert(index);
      continue;
    }
    // If the import of an input has failed, mark this node as failed without a
    // message, since the problem was recorded at the input.
    bool canImport = node.error.empty();
    for (Output input : node.inputs)
      canImport &= feeds.contains(input) || !failed.contains(input.first);
    if (!canImport) {
      failed.insert(index);
      continue;
    }
    Block &block = *builder.getBlock();
    Operation *last = block.empty() ? nullptr : &block.back();
    NodeImport nodeImport(*this, index, *info);
    checkValues(nodeImport);
    checkShapes(nodeImport);
    info->import(nodeImport);
    if (!nodeImport.attributes.error().empty())
      nodeImport.malformed(nodeImport.attributes.error());
    if (onImport)
      for (Operation &op : llvm::make_range(
               last ? std::next(last->getIterator()) : block.begin(),
               block.end()))
        onImport(index, op);
  }
}

void BlockImport::eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

NodeImport::NodeImport(BlockImport &body, int index, const OpTableRow &info)
    : body(body), index(index), node(body.graph[index]), info(info),
      attributes(*node.def),
      loc(NameLoc::get(StringAttr::get(body.builder.getContext(),
                                       body.graph.qualifiedName(index)))) {}

bool NodeImport::expectInputs(size_t count) {
  if (numInputs() == count)
    return true;
  malformed("has " + Twine(numInputs()) + " inputs, expected " + Twine(count));
  return false;
}

bool NodeImport::expectAtLeastInputs(size_t count) {
  if (numInputs() >= count)
    return true;
  malformed("has " + Twine(numInputs()) + " inputs, expected at least " +
            Twine(count));
  return false;
}

Value NodeImport::value(size_t input) {
  return body.current(node.inputs[input], loc);
}

Value NodeImport::tensor(size_t input) {
  Value value = this->value(input);
  if (value && isa<TensorType>(value.getType()))
    return value;
  malformed(
      "input " + Twine(input) + ", '" + body.graph.nameOf(node.inputs[input]) +
      "' (" + body.graph[node.inputs[input].first].op() +
      (value ? "), is a dataset, not a tensor" : "), has no such output"));
  return {};
}

SmallVector<Value> NodeImport::tensors(size_t first, size_t end) {
  SmallVector<Value> values;
  for (size_t input = first; input < end; ++input) {
    Value value = tensor(input);
    if (!value)
      return values;
    values.push_back(value);
  }
  return values;
}

std::optional<std::vector<std::string>>
NodeImport::constantStrings(size_t input) const {
  Value value = body.value(node.inputs[input]);
  auto constant =
      value ? value.getDefiningOp<mlir::ingot::ConstantOp>() : nullptr;
  auto strings =
      constant ? dyn_cast<DenseStringElementsAttr>(constant.getValueAttr())
               : nullptr;
  if (!strings)
    return std::nullopt;
  std::vector<std::string> result;
  for (StringRef text : strings.getValues<StringRef>())
    result.push_back(text.str());
  return result;
}

Value NodeImport::dataset(size_t input) {
  Value value = body.value(node.inputs[input]);
  if (value && isa<mlir::ingot::DatasetType>(value.getType()))
    return value;
  malformed("input " + Twine(input) + ", '" +
            body.graph.nameOf(node.inputs[input]) + "', is not a dataset");
  return {};
}

ResourceHandle NodeImport::handle(size_t input) const {
  return body.handle(node.inputs[input]);
}

mlir::ingot::VariableOp NodeImport::variable(size_t input) {
  ResourceHandle resource = handle(input);
  if (std::optional<ResourceHandle> reference =
          body.reference(node.inputs[input]))
    resource = *reference;
  if (!isVariable(resource.op())) {
    malformed("input " + llvm::Twine(input) + ", '" + resource.name() + "' (" +
              resource.op() + "), is not a variable");
    return {};
  }
  auto variable = body.program.variable(resource, body.problems);
  if (!variable)
    fail();
  return variable;
}

/// If all operands of the op that computes the integer tensor `value` are
/// constants, folds the op and returns the result as a constant; otherwise
/// returns `value`. Old graphs compute axes and shapes by such ops, but shape
/// inference needs constants.
static Value foldedIntegers(OpBuilder &builder, Value value) {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!op || op->getNumResults() != 1 ||
      op->hasTrait<OpTrait::ConstantLike>() || !type ||
      !type.getElementType().isInteger() || !isMemoryEffectFree(op) ||
      !llvm::all_of(op->getOperands(), [](Value operand) {
        return matchPattern(operand, m_Constant());
      }))
    return value;
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(folded)) || folded.size() != 1)
    return value;
  auto constant = dyn_cast_if_present<Attribute>(folded.front());
  auto elements = dyn_cast_if_present<ElementsAttr>(constant);
  return elements && elements.getType() == type
             ? mlir::ingot::createConstant(builder, op->getLoc(), elements)
             : value;
}

void NodeImport::setOutput(int port, Value value) {
  // `try_emplace` does not replace an existing value: an output that is fed
  // keeps the value of its feed.
  auto [it, isNew] = body.values.try_emplace({index, port}, value);
  if (isNew)
    it->second = foldedIntegers(body.builder, value);
}

void NodeImport::setOutput(int port, const ImportedNodeOutput &argument) {
  if (argument.value)
    setOutput(port, argument.value);
  else
    body.handles.try_emplace({index, port}, argument.handle);
}

void NodeImport::unsupported(const Twine &reason) {
  // If an attribute has an unexpected type, its getter returns a default value
  // and sets `attributes.error()`. The node may seem unsupported only because
  // of this default value, so report the attribute's wrong type (`malformed`)
  // instead.
  if (!attributes.error().empty())
    return malformed(reason);
  body.failed.insert(index);
  body.problems.unsupported(node.op(), body.graph.qualifiedName(index), reason);
}

void NodeImport::malformed(const Twine &message) {
  // Record only the first problem of a node, since further ones usually follow
  // from it.
  if (!body.failed.insert(index).second)
    return;
  std::string cause = attributes.error();
  body.problems.malformed("node '" + body.graph.qualifiedName(index) + "' (" +
                          node.op() +
                          "): " + (cause.empty() ? message.str() : cause));
}

std::string NodeImport::describeInputs() const {
  static constexpr size_t maxInputs = 6;
  SmallVector<std::string> parts;
  for (Output input : ArrayRef(node.inputs).take_front(maxInputs))
    if (Value value = body.value(input);
        value && isa<TensorType>(value.getType()))
      parts.push_back("'" + body.graph.nameOf(input) + "' is " +
                      describeType(value.getType()));
  return llvm::join(parts, ", ");
}

NamedAttribute NodeImport::named(StringRef name, Attribute value) {
  return NamedAttribute(StringAttr::get(context(), name), value);
}

namespace {
/// As long as this object lives, captures the diagnostics of an op that
/// NodeImport creates, so that they can be reported as errors of the TensorFlow
/// node.
class ScopedDiagnosticCapture {
public:
  explicit ScopedDiagnosticCapture(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (text.empty() &&
              diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text = diagnostic.str();
          return success();
        }) {}

  /// Returns the text of the first captured error without the name of the ingot
  /// op, which users do not know.
  StringRef message() const {
    StringRef message = text;
    if (message.consume_front("'ingot."))
      message = message.split("op ").second;
    return message.empty() ? "incompatible inputs" : message;
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

/// Returns `inputs`, the description of a node's inputs, in parentheses, to be
/// appended to a message; "" if the node has no inputs.
std::string said(const std::string &inputs) {
  return inputs.empty() ? "" : " (" + inputs + ")";
}

} // namespace

Operation *NodeImport::verified(Operation *op) {
  auto causes = [&] { return said(describeInputs()); };
  ScopedDiagnosticCapture errors(context());
  if (succeeded(verify(op, /*verifyRecursively=*/false)))
    return op;
  malformed(errors.message() + causes());
  op->erase();
  return nullptr;
}

Operation *NodeImport::create(StringRef opName, ValueRange operands,
                              ArrayRef<NamedAttribute> attributes) {
  auto causes = [&] { return said(describeInputs()); };
  Operation *op = nullptr;
  {
    ScopedDiagnosticCapture errors(context());
    op = mlir::ingot::createInferred(body.builder, loc, opName, operands,
                                     attributes);
    if (!op) {
      malformed(errors.message() + causes());
      return nullptr;
    }
  }
  return verified(op);
}

} // namespace ingot::importer
