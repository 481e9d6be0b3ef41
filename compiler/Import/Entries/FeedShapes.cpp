//===- FeedShapes.cpp - Shapes of feeds that declare none -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Entries/FeedShapes.h"

#include "compiler/Import/Entries/EntryFeeds.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static TensorType ofRank(Type element, int64_t rank) {
  return RankedTensorType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                               element);
}

static std::string describeShape(ArrayRef<int64_t> dims) {
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(dims))
    text += (i ? "," : "") + (dim < 0 ? "?" : std::to_string(dim));
  return text + "]";
}

FeedShapes::FeedShapes(Program &program,
                       ArrayRef<ImportOptions::FeedShape> stated,
                       ImportErrors &problems)
    : program(program) {
  for (const ImportOptions::FeedShape &shape : stated) {
    std::string flag =
        "--shape " + shape.tensor + "=" + describeShape(shape.dims);
    auto found = program.graph.findTensor(shape.tensor);
    if (!found) {
      problems.unknownName(flag + ": the graph has no tensor '" + shape.tensor +
                           "'");
      continue;
    }
    Output tensor(found->first, std::max(found->second, 0));
    std::string error;
    TensorType declared = typeOfFeed(program, {"", tensor, {}}, error);
    if (!declared) {
      problems.unknownName(flag + ": cannot feed a tensor of " + error);
      continue;
    }
    SmallVector<int64_t> dims(shape.dims.begin(), shape.dims.end());
    llvm::replace(dims, int64_t(-1), ShapedType::kDynamic);
    auto type = RankedTensorType::get(dims, declared.getElementType());
    if (failed(verifyCompatibleShape(type, declared)))
      problems.unknownName(flag + ": the graph declares " +
                           describeType(declared) +
                           ", which this shape contradicts");
    else {
      known[tensor] = type;
      unused[tensor] = flag;
    }
  }
}

// Returns whether all users of `tensor` are Reshape nodes, which depend only on
// its elements and their order.
static bool isOnlyReshaped(const Graph &graph, Output tensor) {
  for (int node = 0; node < graph.size(); ++node)
    if (llvm::is_contained(graph[node].inputs, tensor) &&
        (graph[node].op() != "Reshape" || graph[node].inputs[0] != tensor))
      return false;
  return true;
}

// Returns the ranks to try for a feed, the most usual ones first. A tensor of
// strings is usually a batch of serialized examples (rank 1). A tensor that is
// only reshaped is usually a batch of rows (rank 2). Any other feed is usually
// a scalar (rank 0), such as a learning rate or a dropout probability, which
// broadcasts against tensors of any rank.
static ArrayRef<int64_t> usualRanks(const Graph &graph, Output tensor,
                                    Type element) {
  static constexpr int64_t numbers[] = {0, 2, 1, 3, 4, 5};
  static constexpr int64_t rows[] = {2, 1, 3, 4, 5, 0};
  static constexpr int64_t strings[] = {1, 0, 2};
  if (isa<mlir::ingot::StringType>(element))
    return strings;
  return isOnlyReshaped(graph, tensor) ? ArrayRef(rows) : ArrayRef(numbers);
}

// If `tensor` is the output of a PlaceholderWithDefault whose default is a
// constant, returns the rank of this constant; otherwise returns -1.
static int64_t rankOfDefault(const Graph &graph, Output tensor) {
  const Graph::Node &node = graph[tensor.first];
  if (node.op() != "PlaceholderWithDefault" || node.inputs.size() != 1)
    return -1;
  const proto::NodeDef &value =
      *graph[graph.skipIdentities(node.inputs[0]).first].def;
  auto it = value.attr().find("value");
  if (value.op() != "Const" || it == value.attr().end() ||
      !it->second.has_tensor() ||
      it->second.tensor().tensor_shape().unknown_rank())
    return -1;
  return it->second.tensor().tensor_shape().dim_size();
}

// Returns whether `value` is probably the labels of a loss: an op combines it
// with a tensor of the same rank by a subtraction, by a comparison, or by a
// product with a logarithm. Always false for scalars.
static bool isComparedWithItsLike(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return false;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isa<CastOp>(user))
      return isComparedWithItsLike(user->getResult(0));
    if (!isa<SubOp, SquaredDifferenceOp, EqualOp, NotEqualOp, MulOp>(user))
      return false;
    Value other = user->getOperand(user->getOperand(0) == value ? 1 : 0);
    auto otherType = dyn_cast<RankedTensorType>(other.getType());
    return otherType && otherType.getRank() == type.getRank() &&
           (!isa<MulOp>(user) ||
            isa_and_nonnull<LogOp, Log1pOp>(other.getDefiningOp()));
  });
}

SmallVector<int64_t> FeedShapes::findRanks(EntrySpec &spec, size_t feed) {
  TensorType unranked = spec.feeds[feed].type;
  SmallVector<int64_t> best;
  size_t fewest = SIZE_MAX;
  for (int64_t rank : usualRanks(program.graph, spec.feeds[feed].tensor,
                                 unranked.getElementType())) {
    spec.feeds[feed].type = ofRank(unranked.getElementType(), rank);
    bool isLabel = false;
    size_t problems = tryImport(program, spec, [&](Block &block) {
      isLabel = isComparedWithItsLike(block.getArgument(feed));
    });
    if (problems > fewest)
      continue;
    if (problems < fewest)
      best.clear();
    fewest = problems;
    best.insert(isLabel ? best.begin() : best.end(), rank);
  }
  spec.feeds[feed].type = unranked;
  return best;
}

bool FeedShapes::settle(EntrySpec &spec, SmallVectorImpl<size_t> &unknown) {
  size_t before = unknown.size();
  llvm::erase_if(unknown, [&](size_t feed) {
    SmallVector<int64_t> ranks = findRanks(spec, feed);
    if (ranks.size() != 1)
      return false;
    TensorType &type = spec.feeds[feed].type;
    type = ofRank(type.getElementType(), ranks.front());
    known[spec.feeds[feed].tensor] = type;
    return true;
  });
  return unknown.size() != before;
}

void FeedShapes::complete(EntrySpec &spec) {
  // A saver's entries are fed with file names only, so no shapes are unknown.
  if (spec.saver)
    return;
  SmallVector<size_t> unknown;
  for (auto [i, feed] : llvm::enumerate(spec.feeds)) {
    if (feed.tensor.first < 0)
      continue;
    unused.erase(feed.tensor);
    std::string error;
    TensorType type = typeOfFeed(program, feed, error);
    // The signature may declare a more precise type for the feed than the type
    // that --shape states or that was chosen in an earlier entry.
    if (type)
      type = refineType(type, known.lookup(feed.tensor));
    feed.type = type;
    if (!type || type.hasRank())
      continue;
    if (int64_t rank = rankOfDefault(program.graph, feed.tensor); rank >= 0)
      feed.type = ofRank(type.getElementType(), rank);
    else
      unknown.push_back(i);
  }
  // Once the rank of one feed is set, another feed may have only one possible
  // rank left, so repeat `settle`. If no feed has a single possible rank,
  // choose the most likely rank of one feed, and warn.
  while (!unknown.empty()) {
    if (settle(spec, unknown))
      continue;
    EntrySpec::FeedSpec &feed = spec.feeds[unknown.front()];
    int64_t rank = findRanks(spec, unknown.front()).front();
    feed.type = ofRank(feed.type.getElementType(), rank);
    known[feed.tensor] = feed.type;
    emitWarning(program.module.getLoc())
        << "'" << feed.name << "' declares no shape and is compiled as "
        << describeType(feed.type) << " (choose another with --shape)";
    unknown.erase(unknown.begin());
  }
}

void FeedShapes::reportUnused(ImportErrors &problems) const {
  for (const auto &[tensor, flag] : unused)
    problems.unknownName(flag + ": no entry is fed with '" +
                         program.graph.nameOf(tensor) + "'");
}

} // namespace ingot::importer
