//===- ingot/graph.h - Training programs, written in C++ --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds a training program without TensorFlow: variables, input, layers,
// losses, optimizers. The result is the same as that of importing a graph, so
// it can be compiled, trained, saved, resumed and exported in the same way:
//
//   using namespace ingot::graph;
//
//   Graph g;
//   Iterator input = g.iterator(
//       Dataset::csv({"train.csv"}, {{"x0"}, {"x1"}, {"y", DType::Int64}})
//           .shuffle(1000, /*seed=*/7).repeat().batch(32));
//   {
//     Entry step(g, "step", Role::Step);
//     Element batch = input.next();
//     Tensor x = stack({batch["x0"], batch["x1"]}, /*axis=*/1);
//     Tensor hidden = layers::dense(x, 16, {.activation = relu});
//     Tensor logits = layers::dense(hidden, 3);
//     Tensor loss = mean(sparseSoftmaxCrossEntropy(logits, batch["y"]));
//     Optimizer::adam(0.001).minimize(g, loss);
//     step.loss("loss", loss);
//   }
//   if (!g.finish())                       // entries to start, save, restore
//     fputs(g.errors().c_str(), stderr);   // everything that was wrong
//   compile(g, "trainer");                 // ./trainer --model-dir run
//
// No function throws, and no result has to be checked before finish(). A
// function that is called with invalid arguments records an error, with the
// name of the op or variable, and returns an invalid Tensor. Functions that
// receive an invalid Tensor return one, too, without a further error.
//
// A Graph and its handles (Tensor, Variable, Iterator) may be used by one
// thread at a time. Handles are valid as long as their Graph exists.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_GRAPH_H
#define INGOT_GRAPH_H

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ingot::graph {

class GraphImpl; // defined in compiler/Builder/GraphImpl.h
class Variable;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Element types. The values are those of TensorFlow's DataType.
enum class DType : int32_t {
  Float32 = 1,
  Float64 = 2,
  Int32 = 3,
  UInt8 = 4,
  Int16 = 5,
  Int8 = 6,
  String = 7,
  Int64 = 9,
  Bool = 10,
  BFloat16 = 14,
  UInt16 = 17,
  Float16 = 19,
  UInt32 = 22,
  UInt64 = 23,
};

/// The sizes of a tensor's dimensions. `unknown` is a dynamic size.
using Shape = std::vector<int64_t>;
inline constexpr int64_t unknown = -1;

/// A handle to a value that an entry (a function of the program) computes.
class Tensor {
public:
  Tensor() = default; // an invalid tensor
  Tensor(GraphImpl *data, void *value) : graphData(data), value(value) {}
  /// Adds a read of the variable to the end of the open entry (the program
  /// function that is under construction). The conversion is implicit, so that
  /// variables can be operands.
  Tensor(const Variable &variable);

  explicit operator bool() const { return value != nullptr; }
  /// Returns the element type, or Float32 if the tensor is invalid.
  DType dtype() const;
  /// Returns the shape, or std::nullopt if the rank is unknown.
  std::optional<Shape> shape() const;

  GraphImpl *data() const { return graphData; }
  void *opaque() const { return value; }

private:
  GraphImpl *graphData = nullptr;
  void *value = nullptr;
};

/// A tensor in the program's memory, for constants, initial values and
/// examples.
class Array {
public:
  Array() = default;
  /// `values` are the elements in row-major order, of type float, double, bool
  /// or an integer type. If their number does not match `shape`, the graph that
  /// uses the array reports an error.
  template <typename T>
  Array(const std::vector<T> &values, Shape shape) : dims(std::move(shape)) {
    static_assert(std::is_arithmetic_v<T>);
    type = dtypeOf<T>();
    content.reserve(values.size() * sizeof(T));
    for (T value : values)
      content.append(reinterpret_cast<const char *>(&value), sizeof(T));
  }
  template <typename T>
  explicit Array(const std::vector<T> &values)
      : Array(values, {static_cast<int64_t>(values.size())}) {}
  Array(std::vector<std::string> values, Shape shape)
      : type(DType::String), dims(std::move(shape)), texts(std::move(values)) {}
  /// Makes an array from its bytes in memory: little endian, one byte for a
  /// bool.
  static Array fromBytes(DType type, Shape shape, std::string bytes) {
    Array array;
    array.type = type;
    array.dims = std::move(shape);
    array.content = std::move(bytes);
    return array;
  }

  DType dtype() const { return type; }
  const Shape &shape() const { return dims; }
  const std::string &bytes() const { return content; }
  const std::vector<std::string> &strings() const { return texts; }

private:
  template <typename T> static constexpr DType dtypeOf() {
    if constexpr (std::is_same_v<T, bool>)
      return DType::Bool;
    else if constexpr (std::is_floating_point_v<T>)
      return sizeof(T) == 4 ? DType::Float32 : DType::Float64;
    else if constexpr (sizeof(T) == 1)
      return std::is_signed_v<T> ? DType::Int8 : DType::UInt8;
    else if constexpr (sizeof(T) == 2)
      return std::is_signed_v<T> ? DType::Int16 : DType::UInt16;
    else if constexpr (sizeof(T) == 4)
      return std::is_signed_v<T> ? DType::Int32 : DType::UInt32;
    else
      return std::is_signed_v<T> ? DType::Int64 : DType::UInt64;
  }

  DType type = DType::Float32;
  Shape dims;
  std::string content;
  std::vector<std::string> texts;
};

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

class Graph;

/// A function that computes the initial value of a variable. It is called once,
/// with the variable's name, while the entry (program function) that
/// initializes the variable is built.
using Initializer = std::function<Tensor(Graph &graph, const std::string &name,
                                         DType dtype, const Shape &shape)>;

struct VariableOptions {
  bool trainable = true;
  /// A local variable is neither saved nor restored, but initialized in each
  /// session.
  bool local = false;
};

/// A handle to a variable: a tensor that lives from step to step.
class Variable {
public:
  Variable() = default;
  Variable(GraphImpl *data, unsigned index) : graphData(data), index(index) {}

  explicit operator bool() const { return graphData != nullptr; }
  const std::string &name() const;
  DType dtype() const;
  const Shape &shape() const;
  bool isTrainable() const;

  Tensor read() const;
  /// Adds an assignment of `value` to the end of the open entry (the program
  /// function that is under construction). `value` must have the variable's
  /// type.
  void assign(Tensor value) const;

  GraphImpl *data() const { return graphData; }
  unsigned number() const { return index; }

private:
  GraphImpl *graphData = nullptr;
  unsigned index = 0;
};

/// The seed of a random initializer or op. If it is not set, it is derived from
/// the graph's seed (Graph::setSeed) and the op's name, so that different ops
/// draw different numbers.
using Seed = std::optional<int64_t>;

Initializer zeros();
Initializer ones();
Initializer constant(double value);
Initializer values(Array array);
/// Random initial values. They are bit-identical to those of TensorFlow's
/// stateless_random_uniform, stateless_normal and stateless_truncated_normal
/// with seed [seed, 0].
Initializer uniform(double low, double high, Seed seed = {});
Initializer normal(double mean, double stddev, Seed seed = {});
/// Like `normal`, but numbers further than two standard deviations from the
/// mean are drawn again.
Initializer truncatedNormal(double mean, double stddev, Seed seed = {});
/// Random initial values, uniform or truncated normal, as in Keras. Their
/// variance depends on the number of inputs and outputs (Glorot and Bengio,
/// 2010), or of inputs only (LeCun; He et al., 2015, with twice the variance).
Initializer glorotUniform(Seed seed = {});
Initializer glorotNormal(Seed seed = {});
Initializer heUniform(Seed seed = {});
Initializer heNormal(Seed seed = {});
Initializer lecunUniform(Seed seed = {});
Initializer lecunNormal(Seed seed = {});

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

/// An element of a dataset: tensors with names.
class Element {
public:
  Element() = default;
  Element(GraphImpl *data, std::vector<std::string> names,
          std::vector<Tensor> tensors)
      : graphData(data), keys(std::move(names)), parts(std::move(tensors)) {}
  /// Makes an element from named tensors. Functions that are passed to map()
  /// return elements that are made like this.
  Element(std::initializer_list<std::pair<std::string, Tensor>> parts) {
    for (const auto &[name, tensor] : parts)
      set(name, tensor);
  }

  /// Returns the component with this name, or at this index. If the element
  /// lacks it, an error of the graph is recorded and the tensor is invalid.
  Tensor operator[](std::string_view name) const;
  Tensor operator[](size_t index) const;
  bool has(std::string_view name) const;
  void set(std::string name, Tensor tensor);

  const std::vector<std::string> &names() const { return keys; }
  const std::vector<Tensor> &tensors() const { return parts; }
  GraphImpl *data() const { return graphData; }

private:
  GraphImpl *graphData = nullptr;
  std::vector<std::string> keys;
  std::vector<Tensor> parts;
};

/// A component of examples in memory. The first dimension of `values` is the
/// number of examples.
struct Column {
  std::string name;
  Array values;
};

/// A column of CSV files. An empty field is an error unless the column has a
/// default value.
struct CsvColumn {
  CsvColumn(std::string name, DType dtype = DType::Float32)
      : name(std::move(name)), dtype(dtype) {}
  CsvColumn(const char *name, DType dtype = DType::Float32)
      : name(name), dtype(dtype) {}
  /// `whereEmpty` is the value of an empty field. As it is a double, integers
  /// are exact up to 2^53 only.
  CsvColumn(std::string name, DType dtype, double whereEmpty)
      : name(std::move(name)), dtype(dtype), number(whereEmpty) {}
  CsvColumn(std::string name, DType dtype, std::string whereEmpty)
      : name(std::move(name)), dtype(dtype), text(std::move(whereEmpty)) {}

  std::string name;
  DType dtype; // Float32, Float64, Int32, Int64 or String
  std::optional<double> number;
  std::optional<std::string> text;
};

struct CsvOptions {
  /// Whether files begin with a header, which is a line with the names of their
  /// columns. The given columns are then found by name in the header. The
  /// header is read when the program is built, and must be the same in all
  /// files. Without a header, the given columns are all columns of the files,
  /// in order.
  bool header = true;
  /// The names of all columns of files without a header. The given columns are
  /// then found by name, too.
  std::vector<std::string> names = {};
  char delimiter = ',';
  bool quotes = true;
  std::string missing = {}; // text that counts as an empty field
  /// The compression of all files: "", "GZIP" or "ZLIB". Compressed files must
  /// not have a header.
  std::string compression = {};
  /// The folder in which relative file names are resolved while the program is
  /// built. The program keeps the names unchanged, and the trainer resolves
  /// them again (`trainer --data-dir`).
  std::string directory = {};
};

/// Returns the names of a CSV file's columns: those in its header or in the
/// options, or else "0", "1", ... for the fields of its first line. If the file
/// cannot be read, returns std::nullopt, with a message in `error` that names
/// the file.
std::optional<std::vector<std::string>> csvHeader(const std::string &file,
                                                  const CsvOptions &options,
                                                  std::string &error);

/// A feature of serialized tf.Examples. Its type is Float32, Int64 or String.
struct ExampleFeature {
  std::string name;
  DType dtype = DType::Float32;
  Shape shape;
  /// The value for examples that lack the feature. If it is not set, such an
  /// example is an error.
  std::optional<Array> whereAbsent = {};
};

/// The description of an input pipeline. With the same seeds, elements have the
/// same order as in TensorFlow.
class Dataset {
public:
  struct Node;
  explicit Dataset(std::shared_ptr<const Node> node) : node(std::move(node)) {}

  /// Returns a dataset with the slices of arrays along their first dimension.
  static Dataset slices(std::vector<Column> columns);
  static Dataset csv(std::vector<std::string> files,
                     std::vector<CsvColumn> columns, CsvOptions options = {});
  /// Returns a dataset with the records of TFRecord files, in one component
  /// `record`. Reads `cycle` files at a time, one record from each in turn.
  static Dataset records(std::vector<std::string> files,
                         std::string compression = "", int64_t cycle = 1);

  /// Returns a dataset with the features of the serialized tf.Examples in
  /// component `record`.
  Dataset parseExamples(std::vector<ExampleFeature> features) const;
  Dataset map(std::function<Element(const Element &)> function,
              int64_t parallel = 1) const;
  /// Returns a dataset of those elements for which `function` returns true.
  Dataset filter(std::function<Tensor(const Element &)> function) const;
  /// Returns a dataset with the elements shuffled as tf.data does with these
  /// seeds. The default of `graphSeed` is the one that TensorFlow uses if only
  /// the op has a seed.
  Dataset shuffle(int64_t buffer, int64_t seed, int64_t graphSeed = 87654321,
                  bool reshuffleEachIteration = true) const;
  /// Returns the dataset repeated `count` times, or without end if `count` is
  /// -1.
  Dataset repeat(int64_t count = -1) const;
  Dataset batch(int64_t size, bool dropRemainder = false) const;
  /// Returns a dataset with the slices of each element along its first
  /// dimension.
  Dataset unbatch() const;
  Dataset take(int64_t count) const;
  Dataset skip(int64_t count) const;
  Dataset shard(int64_t count, int64_t index) const;
  Dataset cache() const;
  Dataset prefetch(int64_t elements) const;
  Dataset concatenate(const Dataset &other) const;

  std::shared_ptr<const Node> node;
};

/// The name, type and shape of a tensor.
struct TensorSpec {
  std::string name;
  DType dtype;
  Shape shape;
};

/// A handle to an iterator: a dataset and the position in it, which checkpoints
/// contain.
class Iterator {
public:
  Iterator() = default;
  Iterator(GraphImpl *data, unsigned index) : graphData(data), index(index) {}

  explicit operator bool() const { return graphData != nullptr; }
  /// Returns the next element. Each run of the entry advances the iterator as
  /// many times as next() was called while the entry was built.
  Element next() const;
  /// Returns the names, types and shapes of an element's components.
  std::vector<TensorSpec> components() const;
  const std::string &name() const;

private:
  GraphImpl *graphData = nullptr;
  unsigned index = 0;
};

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// An attribute of an op: a bool, a number, a string, a list of integers or a
/// type.
struct Attribute {
  std::string name;
  std::variant<bool, int64_t, int, double, std::string, std::vector<int64_t>,
               DType>
      value;
};

class Graph {
public:
  Graph();
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  /// Returns the variable with this name in the open name scopes, and creates
  /// it in the first call. It is an error to request an existing variable with
  /// another type.
  Variable variable(std::string_view name, Shape shape,
                    DType dtype = DType::Float32,
                    Initializer initializer = nullptr, // null means zeros()
                    VariableOptions options = {});
  /// Returns an existing variable by its full name. It is an error if there is
  /// none.
  Variable findVariable(std::string_view fullName);
  /// Returns the variables whose names begin with `prefix`, in the order of
  /// their creation.
  std::vector<Variable> variables(std::string_view prefix = "",
                                  bool onlyTrainable = false);
  /// Returns the variable `global_step`, in which the trainer counts steps. It
  /// is created in the first call.
  Variable globalStep();

  /// Creates an iterator over a dataset. If `saved`, checkpoints contain its
  /// position.
  Iterator iterator(const Dataset &dataset, std::string name = "IteratorV2",
                    bool saved = true);

  Tensor constant(const Array &array);
  Tensor scalar(double value, DType dtype = DType::Float32);
  Tensor text(std::string value);

  /// Adds an op of the ingot dialect, such as "softplus", to the open entry
  /// (the program function that is under construction). create() returns the
  /// result of the op, createAll() all of its results. docs/ops.md lists the
  /// ops.
  Tensor create(std::string_view op, const std::vector<Tensor> &operands,
                const std::vector<Attribute> &attributes = {});
  std::vector<Tensor> createAll(std::string_view op,
                                const std::vector<Tensor> &operands,
                                const std::vector<Attribute> &attributes = {});

  /// Overrides initializers. `values` is called with the name of each variable.
  /// If it returns an array, this array is the variable's initial value. The
  /// array must have the variable's type and shape.
  void setInitialValues(
      std::function<std::optional<Array>(const std::string &name)> values);
  /// Removes all ops on which no fetch or side effect of the closed entries
  /// (finished program functions) depends, and then the variables and iterators
  /// that no op uses. If `prefixes` is not empty, only variables and iterators
  /// whose names begin with one of them are removed.
  void dropUnused(const std::vector<std::string> &prefixes = {});

  /// Sets the seed from which ops without a seed of their own derive theirs.
  /// The default is 0.
  void setSeed(int64_t seed);

  /// Adds the entries that initialize, save and restore the program, and
  /// verifies the program. Returns false if there were errors. Nothing can be
  /// added afterwards.
  bool finish();
  bool ok() const;
  /// Returns all errors, one per line.
  std::string errors() const;
  /// Records an error of the op or variable that is being built.
  void addError(std::string message);

  /// Returns the program as MLIR text, which `ingotc x.mlir` compiles.
  std::string toMLIR() const;

  GraphImpl &data() { return *graphData; }

private:
  std::unique_ptr<GraphImpl> graphData;
};

/// As long as this object exists, the names of variables and ops begin with
/// `name` and a slash. The numbering of layers starts again in each scope, so a
/// network that is built twice under the same name shares its variables.
class NameScope {
public:
  NameScope(Graph &graph, std::string_view name);
  ~NameScope();
  NameScope(const NameScope &) = delete;
  NameScope &operator=(const NameScope &) = delete;

private:
  GraphImpl &data;
  std::string outer;
};

enum class Role { Step, Evaluate, Predict, Other };

/// A function of the program that the runtime calls, such as the training step.
/// It is open from its construction until close() or its destruction; ops are
/// added to the open entry.
class Entry {
public:
  Entry(Graph &graph, std::string name, Role role);
  ~Entry() { close(); }
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;

  /// Adds a tensor that the caller of the entry provides.
  Tensor feed(std::string name, DType dtype, Shape shape);
  /// Adds a tensor that the entry returns to its caller.
  void fetch(std::string name, Tensor tensor);
  /// Adds a fetch that the trainer reports as the loss.
  void loss(std::string name, Tensor tensor);
  /// Makes the trainer run this entry after each step. Its role must be Other.
  void runAfterStep();
  void close();

private:
  GraphImpl &data;
  void *op = nullptr;
  std::vector<std::string> feeds, fetches;
  std::vector<Tensor> fetched;
};

//===----------------------------------------------------------------------===//
// Ops on tensors
//===----------------------------------------------------------------------===//

// The operands of the following functions are broadcast against each other, as
// in NumPy.
Tensor operator+(Tensor a, Tensor b);
Tensor operator-(Tensor a, Tensor b);
Tensor operator*(Tensor a, Tensor b);
/// Returns a / b, rounded down for integers.
Tensor operator/(Tensor a, Tensor b);
Tensor operator-(Tensor x);
Tensor operator+(Tensor a, double b);
Tensor operator-(Tensor a, double b);
Tensor operator*(Tensor a, double b);
Tensor operator/(Tensor a, double b);
Tensor operator+(double a, Tensor b);
Tensor operator-(double a, Tensor b);
Tensor operator*(double a, Tensor b);
Tensor operator/(double a, Tensor b);
/// Returns the constant `value` as a scalar with the element type of `x`.
Tensor scalarLike(Tensor x, double value);

Tensor maximum(Tensor a, Tensor b);
Tensor minimum(Tensor a, Tensor b);
Tensor squaredDifference(Tensor a, Tensor b);
/// Returns a / b, or 0 where b is 0.
Tensor divNoNan(Tensor a, Tensor b);
Tensor pow(Tensor a, Tensor b);
Tensor equal(Tensor a, Tensor b);
Tensor notEqual(Tensor a, Tensor b);
Tensor less(Tensor a, Tensor b);
Tensor lessEqual(Tensor a, Tensor b);
Tensor greater(Tensor a, Tensor b);
Tensor greaterEqual(Tensor a, Tensor b);
Tensor logicalAnd(Tensor a, Tensor b);
Tensor logicalOr(Tensor a, Tensor b);
Tensor logicalNot(Tensor x);
Tensor select(Tensor condition, Tensor ifTrue, Tensor ifFalse);

Tensor abs(Tensor x);
Tensor sign(Tensor x);
Tensor square(Tensor x);
Tensor sqrt(Tensor x);
Tensor rsqrt(Tensor x);
Tensor exp(Tensor x);
Tensor log(Tensor x);
Tensor log1p(Tensor x);
Tensor floor(Tensor x);
Tensor cos(Tensor x);
Tensor isNan(Tensor x);
Tensor isFinite(Tensor x);
Tensor relu(Tensor x);
Tensor relu6(Tensor x);
Tensor leakyRelu(Tensor x, double alpha = 0.2);
Tensor elu(Tensor x);
Tensor selu(Tensor x);
Tensor tanh(Tensor x);
Tensor sigmoid(Tensor x);
Tensor softplus(Tensor x);
Tensor softmax(Tensor x);
Tensor logSoftmax(Tensor x);
Tensor cast(Tensor x, DType dtype);
/// Returns the numbers formatted as text, in a tensor of strings.
Tensor asString(Tensor x);

/// The axes to reduce over. Negative axes count from the last one. If empty,
/// all axes are reduced.
using Axes = std::vector<int64_t>;
Tensor sum(Tensor x, const Axes &axes = {}, bool keepDims = false);
Tensor mean(Tensor x, const Axes &axes = {}, bool keepDims = false);
Tensor prod(Tensor x, const Axes &axes = {}, bool keepDims = false);
Tensor max(Tensor x, const Axes &axes = {}, bool keepDims = false);
Tensor min(Tensor x, const Axes &axes = {}, bool keepDims = false);
Tensor all(Tensor x, const Axes &axes = {}, bool keepDims = false);
Tensor any(Tensor x, const Axes &axes = {}, bool keepDims = false);
Tensor argMax(Tensor x, int64_t axis, DType dtype = DType::Int64);

Tensor shapeOf(Tensor x, DType dtype = DType::Int32);
/// Returns the number of elements as a scalar.
Tensor sizeOf(Tensor x, DType dtype = DType::Int32);
/// Returns `x` with another shape. One size may be `unknown`: it follows from
/// the number of elements.
Tensor reshape(Tensor x, const Shape &shape);
Tensor reshape(Tensor x, Tensor shape);
Tensor expandDims(Tensor x, int64_t axis);
Tensor squeeze(Tensor x, const Axes &axes = {});
Tensor transpose(Tensor x, const std::vector<int64_t> &permutation);
Tensor concat(const std::vector<Tensor> &parts, int64_t axis);
Tensor stack(const std::vector<Tensor> &parts, int64_t axis = 0);
/// Returns `size` elements from `begin` on along each dimension. A size of -1
/// means all elements that remain.
Tensor slice(Tensor x, const std::vector<int64_t> &begin,
             const std::vector<int64_t> &size);
Tensor broadcastTo(Tensor x, Tensor shape);
Tensor zerosLike(Tensor x);
Tensor onesLike(Tensor x);
Tensor gather(Tensor x, Tensor indices, int64_t axis = 0);
Tensor oneHot(Tensor indices, int64_t depth, DType dtype = DType::Float32);

Tensor matmul(Tensor a, Tensor b, bool transposeA = false,
              bool transposeB = false);
Tensor biasAdd(Tensor x, Tensor bias);

enum class Padding { Same, Valid };
/// Convolution and pooling of images of shape [batch, height, width, channels].
/// A filter has shape [height, width, inputs, outputs].
Tensor conv2d(Tensor x, Tensor filter, int64_t stride = 1,
              Padding padding = Padding::Same);
Tensor maxPool(Tensor x, int64_t window, int64_t stride,
               Padding padding = Padding::Valid);
Tensor avgPool(Tensor x, int64_t window, int64_t stride,
               Padding padding = Padding::Valid);

/// Returns the results of one of two branches, as tf.cond does. Both branches
/// return the same number of tensors with the same types, and may use tensors
/// from outside the branches. A cond has a gradient only if its branches
/// neither read nor assign variables.
std::vector<Tensor> cond(Tensor condition,
                         const std::function<std::vector<Tensor>()> &ifTrue,
                         const std::function<std::vector<Tensor>()> &ifFalse);
/// Runs `body`, which computes the next state of a loop, as long as `test`
/// returns true, as tf.while_loop does. Returns the last state. The loop has no
/// gradient.
std::vector<Tensor>
whileLoop(const std::vector<Tensor> &state,
          const std::function<Tensor(const std::vector<Tensor> &)> &test,
          const std::function<std::vector<Tensor>(const std::vector<Tensor> &)>
              &body);

/// Records a scalar for TensorBoard.
void summary(std::string tag, Tensor value);
/// Ends the run with an error unless the condition is true. The message
/// consists of `text` and the first elements of `values`.
void require(Tensor condition, std::string text,
             const std::vector<Tensor> &values = {});

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// Return the loss of each example: the softmax is over the last dimension.
Tensor sparseSoftmaxCrossEntropy(Tensor logits, Tensor labels);
Tensor softmaxCrossEntropy(Tensor logits, Tensor labels);
/// Return the loss of each element of the operands.
Tensor sigmoidCrossEntropy(Tensor logits, Tensor labels);
Tensor absoluteError(Tensor predictions, Tensor labels);
/// Returns the Huber loss of each element: quadratic for an error of at most
/// `delta`, and linear beyond.
Tensor huberLoss(Tensor predictions, Tensor labels, double delta = 1);

/// How the losses of many elements are combined into one. Sum: the sum of the
/// losses. The other reductions divide this sum by the number of losses
/// (SumOverBatchSize), by the sum of their weights (Mean), or by the number of
/// weights that are not 0 (SumByNonzeroWeights).
enum class Reduction { Sum, SumOverBatchSize, Mean, SumByNonzeroWeights };
/// Multiplies losses by their weights, if there are any, and reduces them to a
/// scalar. If the divisor is 0, the result is 0.
Tensor reduceLoss(Tensor losses, Tensor weights = {},
                  Reduction reduction = Reduction::SumOverBatchSize);

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// Layers of networks. Their variables are named as in TensorFlow:
/// `dense/kernel` in the first layer and `dense_1/kernel` in the next one, or
/// `NAME/kernel` in a layer that is given a name. The numbers of layers begin
/// again in each entry (program function) and name scope. So a network that is
/// built in two entries has the same names in both, and shares its variables.
namespace layers {

using Activation = Tensor (*)(Tensor);

struct DenseOptions {
  Activation activation = nullptr;
  bool bias = true;
  Initializer kernelInitializer = glorotUniform();
  Initializer biasInitializer = zeros();
  std::string name = {};
};
/// Adds a dense layer to `x`, of shape [batch, n].
Tensor dense(Tensor x, int64_t units, DenseOptions options = {});

struct Conv2DOptions {
  Activation activation = nullptr;
  int64_t stride = 1;
  Padding padding = Padding::Same;
  bool bias = true;
  Initializer kernelInitializer = glorotUniform();
  Initializer biasInitializer = zeros();
  std::string name = {};
};
Tensor conv2d(Tensor x, int64_t filters, int64_t window,
              Conv2DOptions options = {});

struct BatchNormOptions {
  double momentum = 0.99;
  double epsilon = 1e-3;
  std::string name = {};
};
/// Normalizes over all dimensions except the last one. In training, the mean
/// and the variance of the batch are used, and added to moving averages.
/// Otherwise, the moving averages are used.
Tensor batchNorm(Tensor x, bool training, BatchNormOptions options = {});

/// Normalizes `x` over the last dimension to mean 0 and variance 1, then
/// multiplies it by a trained variable `gamma` and adds another one, `beta`.
Tensor layerNorm(Tensor x, double epsilon = 1e-3, std::string name = {});

/// In training, sets each element to 0 with probability `rate`, and scales up
/// the others. Which elements are dropped depends on the seed and on `step`, by
/// default the global step at this point, so a resumed run drops the same
/// elements as an uninterrupted one.
Tensor dropout(Tensor x, double rate, bool training, Seed seed = {},
               Tensor step = {});

/// Returns the row of a trained table [vocabulary, size] for each id.
Tensor embedding(Tensor ids, int64_t vocabulary, int64_t size,
                 Initializer initializer = uniform(-0.05, 0.05),
                 std::string name = {});

/// Merges all dimensions of `x` except the first one into a single dimension.
Tensor flatten(Tensor x);

} // namespace layers

//===----------------------------------------------------------------------===//
// Gradients and optimizers
//===----------------------------------------------------------------------===//

/// Returns the derivative of the sum of `loss` with respect to each variable,
/// through all reads of the variable in this entry. The tensor is invalid if
/// the loss does not depend on the variable.
std::vector<Tensor> gradients(Tensor loss,
                              const std::vector<Variable> &variables);
/// Returns the derivative of the sum of `loss` with respect to each of
/// `inputs`.
std::vector<Tensor> gradients(Tensor loss, const std::vector<Tensor> &inputs);

/// The learning rate as a function of the number of steps so far.
struct LearningRateSchedule {
  enum class Kind { Exponential, Cosine, Piecewise };
  Kind kind = Kind::Exponential;
  int64_t steps = 1;      // exponential: steps per decay; cosine: all steps
  double rate = 1;        // exponential: the factor per decay
  bool staircase = false; // exponential: round the number of decays down
  double alpha = 0;       // cosine: the fraction that remains at the end
  std::vector<int64_t> boundaries =
      {};                         // piecewise: the last step with each rate
  std::vector<double> rates = {}; // piecewise: boundaries.size() + 1 rates

  static LearningRateSchedule exponential(int64_t steps, double rate,
                                          bool staircase = false);
  static LearningRateSchedule cosine(int64_t steps, double alpha = 0);
  /// Returns a schedule with constant learning rates: `rates[i]` up to and
  /// including step `boundaries[i]`, and the last rate afterwards. The
  /// optimizer's own learning rate is not used.
  static LearningRateSchedule piecewise(std::vector<int64_t> boundaries,
                                        std::vector<double> rates);

  bool operator==(const LearningRateSchedule &) const = default;
};

/// An optimizer, with TensorFlow's arithmetic and defaults. Slot variables are
/// named `<scope>/<variable>/Adam` as in TensorFlow 1, and are created in the
/// name scope in which the optimizer is applied.
struct Optimizer {
  enum class Kind { Sgd, Momentum, Adam, Adagrad, RmsProp, Ftrl };
  Kind kind = Kind::Sgd;
  double learningRate = 0.01;
  double momentum = 0;               // for Momentum, RmsProp
  bool nesterov = false;             // for Momentum, Adam
  double beta1 = 0.9, beta2 = 0.999; // for Adam
  double epsilon = 1e-8;             // for Adam, RmsProp
  double weightDecay = 0;            // decoupled from the gradient (AdamW)
  double decay = 0.9;                // for RmsProp
  double initialAccumulator = 0.1;   // for Adagrad, Ftrl
  double l1 = 0, l2 = 0;             // for Ftrl
  double learningRatePower = -0.5;   // for Ftrl
  /// The maximum of the gradients' global norm: if it is exceeded, all
  /// gradients are scaled down by the same factor. 0 turns clipping off.
  double clipNorm = 0;
  std::optional<LearningRateSchedule> schedule = {};
  /// Optimizers that have the same nonempty `instance` count as one optimizer,
  /// like an optimizer object of TensorFlow 1 that trains several networks. All
  /// their other members must be equal, too. This makes a difference for Adam
  /// only, as other optimizers have no state that networks could share: the
  /// networks share the powers of beta1 and beta2, which are multiplied in each
  /// update of any of the networks.
  std::string instance = {};

  bool operator==(const Optimizer &) const = default;

  static Optimizer sgd(double learningRate);
  static Optimizer withMomentum(double learningRate, double momentum,
                                bool nesterov = false);
  static Optimizer adam(double learningRate, double beta1 = 0.9,
                        double beta2 = 0.999, double epsilon = 1e-8);
  static Optimizer adamW(double learningRate, double weightDecay);
  static Optimizer adagrad(double learningRate,
                           double initialAccumulator = 0.1);
  static Optimizer rmsProp(double learningRate, double decay = 0.9,
                           double momentum = 0, double epsilon = 1e-10);
  static Optimizer ftrl(double learningRate, double l1 = 0, double l2 = 0);

  /// Updates all variables whose gradient is valid. Learning rate schedules
  /// compute the rate from `step`, by default the global step at this point.
  void apply(Graph &graph, const std::vector<Variable> &variables,
             const std::vector<Tensor> &gradients, Tensor step = {}) const;
  /// Computes the gradients of `loss` and updates `variables`, or all trainable
  /// variables if the list is empty. Then increments the global step.
  void minimize(Graph &graph, Tensor loss,
                std::vector<Variable> variables = {}) const;
};

//===----------------------------------------------------------------------===//
// Compiling and exporting a finished graph

struct CompileOptions {
  /// The CPU levels to compile for, such as "native" or "x86-64-v3" (see
  /// `ingotc --cpu`). If empty, all levels.
  std::vector<std::string> cpus;
  /// The folder of the cache of compiled kernels. If empty, the user's cache
  /// folder.
  std::string cacheFolder = {};
  bool useCache = true;
  /// The trainer's default number of threads. 0 means one per core.
  unsigned threads = 0;
  /// Whether several processes may train together, under MPI, and the number of
  /// slices into which they divide each batch. If this number is 0, it is
  /// chosen by the size of a batch (see `ingotc --parallel`).
  bool isParallel = false;
  unsigned slices = 0;
  /// The folder of the runtime with which trainers are linked. If empty, the
  /// folder ../lib/ingot, relative to the folder of the running program.
  std::string runtimeFolder = {};
};

/// Compiles the program to a trainer at `path`. Returns false on an error,
/// which the compiler prints to standard error as `ingotc` does.
bool compile(Graph &graph, const std::string &path,
             const CompileOptions &options = {});

/// Writes the program to `path` as a GraphDef that TensorFlow can run. Feeds
/// and fetches keep their names. Fetching one of an entry's fetches runs all
/// side effects of the entry; an entry without fetches becomes a node that has
/// the entry's name. Returns false on an error, which is recorded in the graph.
bool exportGraphDef(Graph &graph, const std::string &path);

} // namespace ingot::graph

#endif // INGOT_GRAPH_H
