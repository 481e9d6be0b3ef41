//===- ingot/graph.h - Training programs, written in C++ --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds a training program without TensorFlow: variables, input, layers,
// losses, optimizers. The result is the same as an imported graph's, so it
// compiles, trains, saves, resumes and exports alike:
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
// Nothing throws, and nothing has to be checked on the way: a function that is
// asked for what makes no sense takes note of an error, with the name of what
// was being made, and gives an invalid Tensor, which others hand on in silence.
//
// A Graph and all that is made of it belong to one thread at a time; handles
// live as long as their Graph.
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

class GraphData; // compiler/Builder/GraphData.h
class Variable;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Types of elements, by TensorFlow's numbers.
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

/// Sizes of dimensions; `unknown` for one that a run decides.
using Shape = std::vector<int64_t>;
inline constexpr int64_t unknown = -1;

/// A value that an entry computes.
class Tensor {
public:
  Tensor() = default; // invalid
  Tensor(GraphData *data, void *value) : graphData(data), value(value) {}
  /// The variable's value at this point of the entry.
  Tensor(const Variable &variable);

  explicit operator bool() const { return value != nullptr; }
  /// Float32 of an invalid tensor.
  DType dtype() const;
  /// Nothing where not even the number of dimensions is known.
  std::optional<Shape> shape() const;

  GraphData *data() const { return graphData; }
  void *opaque() const { return value; }

private:
  GraphData *graphData = nullptr;
  void *value = nullptr;
};

/// A tensor in memory: a constant, initial values, examples.
class Array {
public:
  Array() = default;
  /// Elements in row-major order. T: float, double, bool or an integer; as many
  /// elements as the shape says, else the graph that gets it reports an error.
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
  /// Little endian, a byte a bool.
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

/// The initial value of a variable: called once, in the init entry, with the
/// variable's name.
using Initializer = std::function<Tensor(Graph &graph, const std::string &name,
                                         DType dtype, const Shape &shape)>;

struct VariableOptions {
  bool trainable = true;
  /// Neither saved nor restored; initialized in each session.
  bool local = false;
};

/// State of the program; a handle.
class Variable {
public:
  Variable() = default;
  Variable(GraphData *data, unsigned index) : graphData(data), index(index) {}

  explicit operator bool() const { return graphData != nullptr; }
  const std::string &name() const;
  DType dtype() const;
  const Shape &shape() const;
  bool isTrainable() const;

  Tensor read() const;
  /// The value's type is the variable's.
  void assign(Tensor value) const;

  GraphData *data() const { return graphData; }
  unsigned number() const { return index; }

private:
  GraphData *graphData = nullptr;
  unsigned index = 0;
};

/// The seed of random initializers and ops. Without one, it is derived from the
/// graph's seed (Graph::setSeed) and the op's name, so that all ops draw
/// different numbers.
using Seed = std::optional<int64_t>;

Initializer zeros();
Initializer ones();
Initializer constant(double value);
Initializer values(Array array);
/// Bits are those of TensorFlow's stateless_random_uniform, stateless_normal
/// and stateless_truncated_normal for the seed [seed, 0].
Initializer uniform(double low, double high, Seed seed = {});
Initializer normal(double mean, double stddev, Seed seed = {});
/// Nothing further than two standard deviations from the mean.
Initializer truncatedNormal(double mean, double stddev, Seed seed = {});
/// Variance by the number of inputs and outputs (Glorot and Bengio, 2010), of
/// inputs (LeCun; He et al., 2015, with twice the variance); limits and
/// deviations as Keras has them.
Initializer glorotUniform(Seed seed = {});
Initializer glorotNormal(Seed seed = {});
Initializer heUniform(Seed seed = {});
Initializer heNormal(Seed seed = {});
Initializer lecunUniform(Seed seed = {});
Initializer lecunNormal(Seed seed = {});

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

/// One element of a dataset: named tensors.
class Element {
public:
  Element() = default;
  Element(GraphData *data, std::vector<std::string> names,
          std::vector<Tensor> tensors)
      : graphData(data), keys(std::move(names)), parts(std::move(tensors)) {}
  /// For functions of maps.
  Element(std::initializer_list<std::pair<std::string, Tensor>> parts) {
    for (const auto &[name, tensor] : parts)
      set(name, tensor);
  }

  /// An unknown name is an error of the graph.
  Tensor operator[](std::string_view name) const;
  Tensor operator[](size_t index) const;
  bool has(std::string_view name) const;
  void set(std::string name, Tensor tensor);

  const std::vector<std::string> &names() const { return keys; }
  const std::vector<Tensor> &tensors() const { return parts; }
  GraphData *data() const { return graphData; }

private:
  GraphData *graphData = nullptr;
  std::vector<std::string> keys;
  std::vector<Tensor> parts;
};

/// Examples in memory, by name; the first dimension counts them.
struct Column {
  std::string name;
  Array values;
};

/// A column of CSV files. Without a default, a field must not be empty.
struct CsvColumn {
  CsvColumn(std::string name, DType dtype = DType::Float32)
      : name(std::move(name)), dtype(dtype) {}
  CsvColumn(const char *name, DType dtype = DType::Float32)
      : name(name), dtype(dtype) {}
  /// Exact for integers below 2^53.
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
  /// With a header, columns are found by name in each file's first line, which
  /// is read when the program is built, and which must be the same in all
  /// files. Without one, the given columns are all columns, in order.
  bool header = true;
  /// The columns' names where the files have no header; with these they are
  /// found by name, too.
  std::vector<std::string> names = {};
  char delimiter = ',';
  bool quotes = true;
  std::string missing = {}; // text that counts as an empty field
  std::string compression =
      {}; // "", "GZIP" or "ZLIB"; these only without header
  /// The folder of relative file names, while the program is built; the program
  /// keeps the names unchanged (`trainer --data-dir`).
  std::string directory = {};
};

/// The names of a CSV file's columns: its header, the names in the options, or
/// "0", "1", ... for each field of its first line. Nothing, with file and error
/// in `error`, where the file cannot be read.
std::optional<std::vector<std::string>> csvHeader(const std::string &file,
                                                  const CsvOptions &options,
                                                  std::string &error);

/// A feature of serialized tf.Examples: Float32, Int64 or String.
struct ExampleFeature {
  std::string name;
  DType dtype = DType::Float32;
  Shape shape;
  /// The value of an example without the feature; if not set, such an example
  /// is an error.
  std::optional<Array> whereAbsent = {};
};

/// A description of an input pipeline. Orders of elements are TensorFlow's for
/// the same seeds.
class Dataset {
public:
  struct Node;
  explicit Dataset(std::shared_ptr<const Node> node) : node(std::move(node)) {}

  /// The slices of arrays along their first dimension.
  static Dataset slices(std::vector<Column> columns);
  static Dataset csv(std::vector<std::string> files,
                     std::vector<CsvColumn> columns, CsvOptions options = {});
  /// TFRecord files, one component `record`; `cycle` files are interleaved, one
  /// record each.
  static Dataset records(std::vector<std::string> files,
                         std::string compression = "", int64_t cycle = 1);

  /// The features of serialized examples, of component `record`.
  Dataset parseExamples(std::vector<ExampleFeature> features) const;
  Dataset map(std::function<Element(const Element &)> function,
              int64_t parallel = 1) const;
  /// The elements for which the function returns true.
  Dataset filter(std::function<Tensor(const Element &)> function) const;
  /// In tf.data's order for `seed`, and for the graph's seed where that is set.
  Dataset shuffle(int64_t buffer, int64_t seed, int64_t graphSeed = 87654321,
                  bool reshuffleEachIteration = true) const;
  /// Without end where `count` is -1.
  Dataset repeat(int64_t count = -1) const;
  Dataset batch(int64_t size, bool dropRemainder = false) const;
  /// The rows of each element.
  Dataset unbatch() const;
  Dataset take(int64_t count) const;
  Dataset skip(int64_t count) const;
  Dataset shard(int64_t count, int64_t index) const;
  Dataset cache() const;
  Dataset prefetch(int64_t elements) const;
  Dataset concatenate(const Dataset &other) const;

  std::shared_ptr<const Node> node;
};

/// The type and shape of a tensor.
struct TensorSpec {
  std::string name;
  DType dtype;
  Shape shape;
};

/// A dataset and the place in it, which checkpoints hold.
class Iterator {
public:
  Iterator() = default;
  Iterator(GraphData *data, unsigned index) : graphData(data), index(index) {}

  explicit operator bool() const { return graphData != nullptr; }
  /// The next element; each call is one more.
  Element next() const;
  /// The components of an element.
  std::vector<TensorSpec> components() const;
  const std::string &name() const;

private:
  GraphData *graphData = nullptr;
  unsigned index = 0;
};

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// An attribute of an op: a flag, a number, text, a list of numbers, a type.
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

  /// The variable of this name in the open name scopes; asked for again, the
  /// same one. It is an error to ask for another type.
  Variable variable(std::string_view name, Shape shape,
                    DType dtype = DType::Float32,
                    Initializer initializer = nullptr, // zeros
                    VariableOptions options = {});
  /// One that is there, by its full name; an error where it is not.
  Variable findVariable(std::string_view fullName);
  /// All of them, or those whose names begin with `prefix`, as they were made.
  std::vector<Variable> variables(std::string_view prefix = "",
                                  bool onlyTrainable = false);
  /// `global_step`, by which the trainer counts; created on first use.
  Variable globalStep();

  /// An iterator over a dataset; `saved`: checkpoints hold its place.
  Iterator iterator(const Dataset &dataset, std::string name = "IteratorV2",
                    bool saved = true);

  Tensor constant(const Array &array);
  Tensor scalar(double value, DType dtype = DType::Float32);
  Tensor text(std::string value);

  /// An op of the dialect by its name ("softplus"), in the entry that is open;
  /// its result, or all of them. docs/ops.md lists them.
  Tensor create(std::string_view op, const std::vector<Tensor> &operands,
                const std::vector<Attribute> &attributes = {});
  std::vector<Tensor> createAll(std::string_view op,
                                const std::vector<Tensor> &operands,
                                const std::vector<Attribute> &attributes = {});

  /// Overrides initializers: variables for which `values`, called with a name,
  /// returns a tensor of their type and shape start with it.
  void setInitialValues(
      std::function<std::optional<Array>(const std::string &name)> values);
  /// Removes ops, then variables and iterators, that no effect of the closed
  /// entries needs.
  void dropUnused();

  /// The seed from which ops without one derive theirs; 0 where it is not set.
  void setSeed(int64_t seed);

  /// Adds the entries that initialize, save and restore the program, and
  /// verifies it. False if there were errors; nothing can be added afterwards.
  bool finish();
  bool ok() const;
  /// A line for each error.
  std::string errors() const;
  /// Records an error at the current place.
  void addError(std::string message);

  /// The program as text, which `ingotc x.mlir` compiles, with the names of
  /// ops.
  std::string toMLIR() const;

  GraphData &data() { return *graphData; }

private:
  std::unique_ptr<GraphData> graphData;
};

/// While it lives, names of variables and ops begin with `name` and a slash.
/// Layers in it count from the first again: building twice under one name
/// shares the variables.
class NameScope {
public:
  NameScope(Graph &graph, std::string_view name);
  ~NameScope();
  NameScope(const NameScope &) = delete;
  NameScope &operator=(const NameScope &) = delete;

private:
  GraphData &data;
  std::string outer;
};

enum class Role { Step = 5, Evaluate = 9, Predict = 10, Other = 11 };

/// Something that the program can be asked to run. Ops go into the one that is
/// open: from here to the end of this object's life, or close().
class Entry {
public:
  Entry(Graph &graph, std::string name, Role role);
  ~Entry() { close(); }
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;

  /// A tensor that the caller of the entry feeds.
  Tensor feed(std::string name, DType dtype, Shape shape);
  /// A tensor that the entry gives.
  void fetch(std::string name, Tensor tensor);
  /// A fetch that the trainer reports as the loss.
  void loss(std::string name, Tensor tensor);
  /// Runs after each step (only of role Other).
  void runAfterStep();
  void close();

private:
  GraphData &data;
  void *op = nullptr;
  std::vector<std::string> feeds, fetches;
  std::vector<Tensor> fetched;
};

//===----------------------------------------------------------------------===//
// Ops on tensors
//===----------------------------------------------------------------------===//

// Operands are broadcast against each other, as NumPy does it.
Tensor operator+(Tensor a, Tensor b);
Tensor operator-(Tensor a, Tensor b);
Tensor operator*(Tensor a, Tensor b);
/// Rounded down for integers.
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
/// A scalar of x's type.
Tensor scalarLike(Tensor x, double value);

Tensor maximum(Tensor a, Tensor b);
Tensor minimum(Tensor a, Tensor b);
Tensor squaredDifference(Tensor a, Tensor b);
/// 0 where the divisor is.
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
/// Numbers as text.
Tensor asString(Tensor x);

/// Axes count from the end where they are negative; all where none are given.
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
/// The number of elements, in x's type or another.
Tensor sizeOf(Tensor x, DType dtype = DType::Int32);
/// One dimension may be `unknown`.
Tensor reshape(Tensor x, const Shape &shape);
Tensor reshape(Tensor x, Tensor shape);
Tensor expandDims(Tensor x, int64_t axis);
Tensor squeeze(Tensor x, const Axes &axes = {});
Tensor transpose(Tensor x, const std::vector<int64_t> &permutation);
Tensor concat(const std::vector<Tensor> &parts, int64_t axis);
Tensor stack(const std::vector<Tensor> &parts, int64_t axis = 0);
/// `size` elements from `begin` on along each dimension; -1: all that are left.
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
/// Images [batch, height, width, channels], filters [height, width, inputs,
/// outputs].
Tensor conv2d(Tensor x, Tensor filter, int64_t stride = 1,
              Padding padding = Padding::Same);
Tensor maxPool(Tensor x, int64_t window, int64_t stride,
               Padding padding = Padding::Valid);
Tensor avgPool(Tensor x, int64_t window, int64_t stride,
               Padding padding = Padding::Valid);

/// The tensors of one of two branches, by a scalar: tf.cond. Both give as many,
/// of the same types, and may use tensors from outside. Gradients need branches
/// that neither read nor assign variables.
std::vector<Tensor> cond(Tensor condition,
                         const std::function<std::vector<Tensor>()> &ifTrue,
                         const std::function<std::vector<Tensor>()> &ifFalse);
/// Runs `body`, from one state of a loop to the next, as long as `test` gives
/// true: tf.while_loop. It has no gradient.
std::vector<Tensor>
whileLoop(const std::vector<Tensor> &state,
          const std::function<Tensor(const std::vector<Tensor> &)> &test,
          const std::function<std::vector<Tensor>(const std::vector<Tensor> &)>
              &body);

/// A scalar for TensorBoard.
void summary(std::string tag, Tensor value);
/// Ends the run with an error, which says the text and the first values of
/// `values`, unless the condition holds.
void require(Tensor condition, std::string text,
             const std::vector<Tensor> &values = {});

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// Losses of examples, one each; softmax: of the last dimension.
Tensor sparseSoftmaxCrossEntropy(Tensor logits, Tensor labels);
Tensor softmaxCrossEntropy(Tensor logits, Tensor labels);
/// The loss of each element.
Tensor sigmoidCrossEntropy(Tensor logits, Tensor labels);
Tensor absoluteError(Tensor predictions, Tensor labels);
/// Half the square up to `delta`, linear beyond.
Tensor huberLoss(Tensor predictions, Tensor labels, double delta = 1);

/// How losses become one: their sum; divided by their number; by the sum of the
/// weights; by the number of weights that are not 0.
enum class Reduction { Sum, SumOverBatchSize, Mean, SumByNonzeroWeights };
/// The losses times their weights, where there are any, in one number; 0 where
/// that would be divided by nothing.
Tensor reduceLoss(Tensor losses, Tensor weights = {},
                  Reduction reduction = Reduction::SumOverBatchSize);

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// Variables are named as TensorFlow's layers name theirs: `dense/kernel`, the
/// next one's `dense_1/kernel`; or by the given name. Names start over in each
/// entry and name scope, so that a network that is built in two entries shares
/// its variables.
namespace layers {

using Activation = Tensor (*)(Tensor);

struct DenseOptions {
  Activation activation = nullptr;
  bool bias = true;
  Initializer kernelInitializer = glorotUniform();
  Initializer biasInitializer = zeros();
  std::string name = {};
};
/// A dense layer over x of shape [batch, n].
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
/// Over all dimensions but the last. In training by the batch's own mean and
/// variance, which move the averages; else by these.
Tensor batchNorm(Tensor x, bool training, BatchNormOptions options = {});

/// Over the last dimension.
Tensor layerNorm(Tensor x, double epsilon = 1e-3, std::string name = {});

/// In training, a part of the elements becomes 0 and the others are scaled up.
/// The choice depends on the seed and `step`, by default the global step at
/// this point: a resumed run drops the same elements as an uninterrupted one.
Tensor dropout(Tensor x, double rate, bool training, Seed seed = {},
               Tensor step = {});

/// A row of `vocabulary` many for each id.
Tensor embedding(Tensor ids, int64_t vocabulary, int64_t size,
                 Initializer initializer = uniform(-0.05, 0.05),
                 std::string name = {});

/// All dimensions but the first become one.
Tensor flatten(Tensor x);

} // namespace layers

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

/// For each variable the derivative of the sum of `loss`, through all reads of
/// it in this entry; an invalid tensor where the loss does not depend on it.
std::vector<Tensor> gradients(Tensor loss,
                              const std::vector<Variable> &variables);
/// Derivatives by other tensors.
std::vector<Tensor> gradients(Tensor loss, const std::vector<Tensor> &inputs);

/// The learning rate by the number of steps so far.
struct Schedule {
  enum class Kind { Exponential, Cosine, Piecewise };
  Kind kind = Kind::Exponential;
  int64_t steps = 1;      // of one decay; cosine: until it ends
  double rate = 1;        // exponential: the factor of one decay
  bool staircase = false; // exponential: only whole decays count
  double alpha = 0;       // cosine: the fraction that is left at the end
  std::vector<int64_t> boundaries =
      {};                         // piecewise: the last step of each piece
  std::vector<double> rates = {}; // one more than boundaries

  static Schedule exponential(int64_t steps, double rate,
                              bool staircase = false);
  static Schedule cosine(int64_t steps, double alpha = 0);
  /// Rates in place of the learning rate.
  static Schedule piecewise(std::vector<int64_t> boundaries,
                            std::vector<double> rates);
};

/// A rule by which variables follow their gradients, with TensorFlow's
/// arithmetic and its defaults; a value. Slots are variables
/// `<scope>/<variable>/Adam`, named as TensorFlow 1 names them, in the name
/// scope that is open where it is applied.
struct Optimizer {
  enum class Kind { Sgd, Momentum, Adam, Adagrad, RmsProp, Ftrl };
  Kind kind = Kind::Sgd;
  double learningRate = 0.01;
  double momentum = 0;               // Momentum, RmsProp
  bool nesterov = false;             // Momentum, Adam
  double beta1 = 0.9, beta2 = 0.999; // Adam
  double epsilon = 1e-8;             // Adam, RmsProp
  double weightDecay = 0;            // apart from the gradient (AdamW)
  double decay = 0.9;                // RmsProp
  double initialAccumulator = 0.1;   // Adagrad, Ftrl
  double l1 = 0, l2 = 0;             // Ftrl
  double learningRatePower = -0.5;   // Ftrl
  /// Gradients are scaled down together to this norm; 0: they are not.
  double clipNorm = 0;
  std::optional<Schedule> schedule = {};

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

  /// One step of all variables that have a gradient. `step` is the step of
  /// schedules, by default the global step at this point.
  void apply(Graph &graph, const std::vector<Variable> &variables,
             const std::vector<Tensor> &gradients, Tensor step = {}) const;
  /// The same with the gradients of `loss`, of all trainable variables where
  /// none are given, and the global step counted up.
  void minimize(Graph &graph, Tensor loss,
                std::vector<Variable> variables = {}) const;
};

//===----------------------------------------------------------------------===//
// Outputs of a finished graph
//===----------------------------------------------------------------------===//

struct CompileOptions {
  /// Levels of CPU: "native", "x86-64-v3", ..., as `ingotc --cpu` takes them;
  /// none: all of them.
  std::vector<std::string> cpus;
  /// The folder of compiled kernels; empty: the user's cache folder.
  std::string cacheFolder = {};
  bool useCache = true;
  /// The trainer's threads without --threads; 0: one per core.
  unsigned threads = 0;
  /// The folder of the runtime that trainers are linked with; empty:
  /// ../lib/ingot beside the running program.
  std::string runtimeFolder = {};
};

/// Compiles the program into a trainer at `path`. False after an error, which
/// the compiler prints on stderr as `ingotc` does.
bool compile(Graph &graph, const std::string &path,
             const CompileOptions &options = {});

/// Writes the program as a GraphDef that TensorFlow runs: feeds and fetches
/// have their names, and to fetch one runs all that its entry does; entries
/// without fetches are nodes of their names. False after an error of the
/// graph's.
bool exportGraphDef(Graph &graph, const std::string &path);

} // namespace ingot::graph

#endif // INGOT_GRAPH_H
