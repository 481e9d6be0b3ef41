//===- GraphBuilder.h - Adds TensorFlow's nodes to a graph ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Numerics on a graph's tensors: elementwise ops that broadcast, shapes,
// reductions and selections, as the Python package's builder has them.
// Broadcasts are kept back: an elementwise op takes its operands as they were
// before broadcasting, because TensorFlow's ops broadcast by themselves, and
// kernels for biases, normalization and softmax are recognized by that form.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_STABLEHLO_GRAPHBUILDER_H
#define INGOT_COMPILER_STABLEHLO_GRAPHBUILDER_H

#include "compiler/Export/NodeDefWriter.h"
#include "compiler/StableHLO/Module.h"
#include "proto/Graph.pb.h"
#include "llvm/ADT/SmallVector.h"

#include <map>

namespace ingot::stablehlo {

struct TensorNode;
using Tensor = std::shared_ptr<TensorNode>;
using Tensors = llvm::SmallVector<Tensor, 2>;
using exporter::AttributeMap;

/// An array that a counted loop carries, of which it may read or write one row
/// in each iteration.
struct LoopArgument {
  /// The loop's counter, from 0 to `steps` - 1.
  Tensor counter;
  int64_t steps = 0;
  /// The TensorList that holds the rows, once they are known to be read or
  /// written only so.
  Tensor list;
  /// The number of reads of rows; the array after a row was written.
  unsigned reads = 0;
  Tensor written;
};

/// A tensor of a graph or of a function's body.
struct TensorNode {
  proto::DataType type = proto::DT_INVALID;
  Sizes shape;
  /// The output that computes it. For a broadcast that no node needs yet, this
  /// is not set, and `thin` is the tensor before broadcasting, of the same rank
  /// or of rank 0.
  std::optional<exporter::NodeOutput> output;
  Tensor thin;
  /// The value, if it is a constant.
  std::shared_ptr<const Elements> constant;
  /// Whether the elements are 0, 1, 2 .. in order.
  bool isRange = false;
  /// The number of nodes that use it.
  unsigned uses = 0;
  /// For an argument of a counted loop's body: what is known of its uses.
  std::shared_ptr<LoopArgument> loop;
  /// Its values in the iterations of a counted loop, if they follow from the
  /// counter.
  std::shared_ptr<const std::vector<int64_t>> perStep;

  size_t rank() const { return shape.size(); }
  int64_t size() const { return numElements(shape).value_or(0); }
};

inline const Tensor &thinOf(const Tensor &tensor) {
  return tensor->thin ? tensor->thin : tensor;
}

bool isFloat(proto::DataType type);
bool isSigned(proto::DataType type);
bool isUnsigned(proto::DataType type);
inline unsigned bitsOf(proto::DataType type) { return 8 * sizeOf(type); }

/// The bytes of a number as an element of a type.
std::string encode(double value, proto::DataType type);
std::string encode(int64_t value, proto::DataType type);

/// Nodes of the graph or, with a name, of a function. Nodes to come are named
/// below `path` and come from `origin`.
class GraphBuilder {
public:
  GraphBuilder(google::protobuf::RepeatedPtrField<proto::NodeDef> &nodes,
               proto::GraphDebugInfo &debug, llvm::StringRef function = "")
      : writer(nodes, !function.empty()), debug(debug), function(function) {}

  std::string path;
  Origin origin;

  // Nodes.
  Tensors add(llvm::StringRef op, llvm::ArrayRef<Tensor> inputs,
              llvm::ArrayRef<TensorType> outputs, AttributeMap attributes = {},
              llvm::StringRef name = "",
              std::vector<std::string> controls = {});
  Tensor node(llvm::StringRef op, llvm::ArrayRef<Tensor> inputs,
              proto::DataType type, llvm::ArrayRef<int64_t> shape,
              AttributeMap attributes = {}, llvm::StringRef name = "",
              std::vector<std::string> controls = {});
  /// A named argument of the function.
  Tensor argument(llvm::StringRef name, proto::DataType type,
                  llvm::ArrayRef<int64_t> shape);
  /// Returns the text by which a node's input, or a function's result, names
  /// the tensor.
  std::string reference(const Tensor &tensor);

  // Constants.
  Tensor constant(std::shared_ptr<const Elements> value,
                  llvm::StringRef name = "");
  Tensor scalar(int64_t value, proto::DataType type);
  Tensor number(double value, proto::DataType type);
  /// A scalar of the element type of `tensor`.
  Tensor like(double value, const Tensor &tensor);
  Tensor zeros(const TensorType &type);
  Tensor sizes(llvm::ArrayRef<int64_t> values);
  Tensor strings(llvm::ArrayRef<llvm::StringRef> values, bool isScalar,
                 llvm::StringRef name = "");

  // Elementwise ops. The result's type is that of the first operand, unless
  // `type` is given.
  Tensor pointwise(llvm::StringRef op, llvm::ArrayRef<Tensor> inputs,
                   proto::DataType type = proto::DT_INVALID,
                   AttributeMap attributes = {});
  Tensor compare(llvm::StringRef op, const Tensor &x, const Tensor &y) {
    return pointwise(op, {x, y}, proto::DT_BOOL);
  }
  Tensor broadcast(const Tensor &x, llvm::ArrayRef<int64_t> shape);
  Tensor cast(const Tensor &x, proto::DataType type);
  Tensor bitcast(const Tensor &x, proto::DataType type);
  Tensor select(const Tensor &condition, const Tensor &yes, const Tensor &no);
  Tensor add(const Tensor &x, const Tensor &y) {
    return pointwise("AddV2", {x, y});
  }
  Tensor sub(const Tensor &x, const Tensor &y) {
    return pointwise("Sub", {x, y});
  }
  Tensor mul(const Tensor &x, const Tensor &y) {
    return pointwise("Mul", {x, y});
  }

  // Shapes.
  Tensor reshape(const Tensor &x, llvm::ArrayRef<int64_t> shape);
  Tensor transpose(const Tensor &x, llvm::ArrayRef<int64_t> order);
  Tensor slice(const Tensor &x, llvm::ArrayRef<int64_t> begin,
               llvm::ArrayRef<int64_t> end,
               llvm::ArrayRef<int64_t> strides = {});
  Tensor concat(llvm::ArrayRef<Tensor> parts, int64_t axis);
  /// Pads with `low` elements before, `high` after, and `inner` between
  /// elements of each axis. `low` and `high` may be negative, which cuts off.
  Tensor pad(const Tensor &x, const Tensor &value, llvm::ArrayRef<int64_t> low,
             llvm::ArrayRef<int64_t> high, llvm::ArrayRef<int64_t> inner = {});
  /// The index along `axis`, for each element.
  Tensor iota(llvm::ArrayRef<int64_t> shape, int64_t axis,
              proto::DataType type);

  // Reductions and selections.
  Tensor reduce(llvm::StringRef op, const Tensor &x,
                llvm::ArrayRef<int64_t> axes);
  /// GatherV2: `x` at `indices` along `axis`, in each of the first `batch` axes
  /// of both.
  Tensor gather(const Tensor &x, const Tensor &indices, int64_t axis,
                int64_t batch = 0);

private:
  Tensor spread(const Tensor &x, const Tensor &value, size_t axis,
                int64_t count);
  void note(llvm::StringRef node);

  exporter::NodeDefWriter writer;
  proto::GraphDebugInfo &debug;
  std::string function;
  std::map<std::string, Tensor> constants;
};

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_GRAPHBUILDER_H
