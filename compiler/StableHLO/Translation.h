//===- Translation.h - StableHLO's ops as TensorFlow's nodes ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Translates the ops of functions to nodes of a graph. Calls are inlined;
// regions of loops and branches become functions of the graph. What cannot be
// translated is collected.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_STABLEHLO_TRANSLATION_H
#define INGOT_COMPILER_STABLEHLO_TRANSLATION_H

#include "compiler/Import/ImportErrors.h"
#include "compiler/StableHLO/GraphBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ingot::stablehlo {

class Translation {
public:
  /// Adds nodes by `main`, the builder of `graph`. `fileName` is the name of
  /// the module's file.
  Translation(const Module &module, proto::GraphDef &graph, GraphBuilder &main,
              llvm::StringRef fileName)
      : module(module), graph(graph), fileName(fileName), current(&main) {}

  /// Adds the ops of `function` that its results need, with `arguments` for its
  /// arguments, whose types must fit. Returns its results; those that `wanted`,
  /// if given, excludes are zeros. Nodes are named below `scope`.
  Tensors translate(const Function &function, llvm::ArrayRef<Tensor> arguments,
                    llvm::StringRef scope,
                    const std::vector<bool> *wanted = nullptr);

  /// Everything that cannot be translated. Nodes of these errors are names of
  /// ops, such as "main/%3", and places are lines.
  importer::ImportErrors &problems() { return errors; }
  GraphBuilder &builder() { return *current; }

  // What the translations of ops use.

  /// Records that the op that is being translated cannot be, and returns no
  /// tensors.
  Tensors refuse(const llvm::Twine &reason);
  const TensorType &typeOf(unsigned value) const {
    return function->types[value];
  }
  const TensorType &resultOf(const Op &op, unsigned index = 0) const {
    return function->types[op.results[index]];
  }
  /// Returns the integers of an attribute: of a list, or of dense elements.
  /// Returns std::nullopt if there is no such attribute, or if it is something
  /// else.
  std::optional<Sizes> integers(const Op &op, llvm::StringRef name) const;
  std::optional<int64_t> integer(const Op &op, llvm::StringRef name) const;
  llvm::StringRef text(const Op &op, llvm::StringRef name) const;
  /// Inlines `callee`, of which the op's results are the results.
  Tensors call(const Op &op, llvm::StringRef callee,
               llvm::ArrayRef<Tensor> arguments);
  bool isTrivialMesh(llvm::StringRef sharding) const;

  using Values = llvm::DenseMap<unsigned, Tensor>;
  /// Adds the ops of a region that are live, and returns what it returns.
  Tensors region(const Block &block, Values &values,
                 const std::vector<bool> *wanted = nullptr);
  /// Returns the values that regions use and do not define, in order.
  std::vector<unsigned> freeValues(const Op &op) const;
  /// Applies a region of scalars to tensors of one shape, element by element.
  Tensors mapRegion(const Block &block, llvm::ArrayRef<Tensor> arguments);
  /// The shape of a value of type `type` here: within mapRegion, scalars have
  /// the shape of its arguments.
  const Sizes &shapeOf(const TensorType &type) const {
    return mapped && type.shape.empty() ? *mapped : type.shape;
  }
  /// Adds a function of the graph, whose arguments have the types of `inputs`.
  /// `body` gets them, adds the function's nodes, and returns its results.
  std::string
  addFunction(llvm::StringRef name, llvm::ArrayRef<Tensor> inputs,
              llvm::function_ref<Tensors(llvm::ArrayRef<Tensor>)> body);
  /// How many functions of the graph are being added, one in another.
  unsigned functionDepth() const { return functions; }
  /// Removes the functions that were added since there were `count`.
  int countFunctions() const { return graph.library().function_size(); }
  void dropFunctions(int count) {
    while (countFunctions() > count)
      graph.mutable_library()->mutable_function()->RemoveLast();
  }
  /// The values of the function that is being translated.
  Values &values() { return *environment; }

private:
  void translateOp(const Op &op, std::vector<bool> isLive);
  Tensors results(const Op &op, llvm::ArrayRef<Tensor> inputs);
  bool check(const Op &op);
  Tensors dummies(const Op &op);

  const Module &module;
  proto::GraphDef &graph;
  std::string fileName;
  importer::ImportErrors errors;
  GraphBuilder *current;
  const Function *function = nullptr;
  const Op *op = nullptr;
  Values *environment = nullptr;
  /// Within mapRegion, the shape of its arguments.
  const Sizes *mapped = nullptr;
  std::string scope;
  /// Which results of the op that is being translated are needed.
  std::vector<bool> live;
  unsigned depth = 0, functions = 0;
  uint64_t translated = 0;
  bool isRefused = false;
};

/// The translation of one op, which returns its results, or none if it has
/// refused the op. The operands are as many as the op's row says, and have
/// valid types.
using Rule = Tensors (*)(Translation &, const Op &, llvm::ArrayRef<Tensor>);

/// A row of the table of ops: the numbers of operands and results, -1 for any.
struct OpRow {
  Rule rule = nullptr;
  int operands = -1, results = 1;
  /// Whether operands and result have one shape, or are scalars.
  bool isElementwise = false;
};

/// Returns the row of an op, or null.
const OpRow *findOp(llvm::StringRef name);

using OpTable = llvm::StringMap<OpRow>;
void addElementwiseOps(OpTable &table);
void addIntegerOps(OpTable &table);
void addSpecialOps(OpTable &table);
void addShapeOps(OpTable &table);
void addProductOps(OpTable &table);
void addConvolutionOps(OpTable &table);
void addReductionOps(OpTable &table);
void addWindowOps(OpTable &table);
void addGatherOps(OpTable &table);
void addScatterOps(OpTable &table);
void addControlOps(OpTable &table);
void addLoopOps(OpTable &table);
void addSortOps(OpTable &table);
void addNormalizationOps(OpTable &table);
void addMatrixOps(OpTable &table);

/// Translates a custom_call of LAPACK; returns no tensors if it is something
/// else.
Tensors callOfLapack(Translation &t, const Op &op, llvm::ArrayRef<Tensor> x);

/// Returns whether `axes` are different axes of a tensor of rank `rank`.
bool areAxes(llvm::ArrayRef<int64_t> axes, size_t rank);

/// If a region combines two elements by one op, returns the op's name without
/// its dialect: "add", "maximum" and so on; "second" if it returns the second
/// element. Otherwise returns "".
llvm::StringRef combinerOf(const Block &block);

/// The larger of two, or the smaller; NaN if one is NaN.
Tensor extreme(GraphBuilder &b, const Tensor &x, const Tensor &y,
               bool isLarger);
/// The least number of a type, or the greatest.
Tensor limit(GraphBuilder &b, proto::DataType type, bool isLeast);
/// Clips indices to 0 .. most.
Tensor clip(GraphBuilder &b, const Tensor &index, int64_t most);
/// Integers in the total order of floats: -NaN, -inf .. -0, 0 .. inf, NaN.
Tensor orderedBits(GraphBuilder &b, Tensor x);
/// Integers in the order that sorts have: zeros are equal, NaNs come last.
Tensor sortKeys(GraphBuilder &b, const Tensor &x);

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_TRANSLATION_H
