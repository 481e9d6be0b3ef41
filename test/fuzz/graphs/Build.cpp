//===- Build.cpp - The training program of a recipe -----------------------===//

#include "Kinds.h"

#include <algorithm>

using namespace ingot::graph;

namespace ingot::fuzz {

/// Of labels.
constexpr int64_t numClasses = 5;

static uint64_t hashOf(const std::string &text, uint64_t seed) {
  uint64_t hash = seed ^ 0xcbf29ce484222325; // FNV-1a
  for (char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::vector<float> Build::numbers(const std::string &name, int64_t count,
                                  double scale, double offset) const {
  Random random(hashOf(name, recipe.seed));
  Random other(hashOf(name, noise));
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    double value = offset + scale * (random.uniform() + random.uniform());
    if (noise != 0)
      value *= 1 + 6e-8 * other.uniform();
    values.push_back(static_cast<float>(value));
  }
  return values;
}

std::string Build::nameOf(const std::string &name) const {
  return "n" + std::to_string(number) + "/" + name;
}

Tensor Build::variable(const std::string &name, const Sizes &shape,
                       double scale, double offset, int64_t tie) {
  std::string full = nameOf(name);
  if (tie != 0) {
    full = "tied" + std::to_string(tie);
    for (int64_t size : shape)
      full += "_" + std::to_string(size);
  }
  Array array(numbers(full, elementsOf(shape), scale, offset), shape);
  return graph.variable(full, shape, DType::Float32, values(array)).read();
}

Variable Build::state(const std::string &name, const Sizes &shape, double scale,
                      double offset) {
  std::string full = nameOf(name);
  VariableOptions options;
  options.trainable = false;
  Array array(numbers(full, elementsOf(shape), scale, offset), shape);
  return graph.variable(full, shape, DType::Float32, values(array), options);
}

Tensor Build::draw(Tensor like, int64_t seed) {
  return drawOf(shapeOf(like), graph.globalStep(), seed);
}

Tensor Build::drawOf(Tensor shape, Tensor counter, int64_t seed) {
  Tensor seeds = stack({graph.constant(Array(std::vector<int64_t>{seed}, {})),
                        cast(counter, DType::Int64)});
  std::vector<Tensor> stream =
      graph.createAll("stateless_random_get_key_counter", {seeds});
  if (stream.size() != 2)
    return {};
  return graph.create(
      "stateless_random_uniform",
      {shape, stream[0], stream[1], graph.scalar(1, DType::Int32)},
      {{"dtype", DType::Float32}});
}

namespace {

/// What a pipeline does with its examples, by the bits of `pipeline`.
Dataset prepare(const Recipe &recipe, Dataset data) {
  auto does = [&](int bit) { return (recipe.pipeline >> bit & 1) != 0; };
  if (does(0))
    data = data.map([](const Element &example) {
      Element changed = example;
      if (example.has("x"))
        changed.set("x", example["x"] * 0.75 + 0.125);
      return changed;
    });
  if (does(1) && recipe.examples - 2 >= recipe.batch)
    data = data.skip(1).take(recipe.examples - 2);
  if (does(2))
    data = data.concatenate(data.take(2));
  if (does(3))
    data = data.cache();
  if (recipe.shuffle > 0 && !does(4))
    data = data.shuffle(recipe.shuffle, /*seed=*/7);
  // Only a pass that is batched for itself ends in a short batch.
  bool isEndless = !does(7);
  if (isEndless)
    data = data.repeat();
  if (recipe.shuffle > 0 && does(4))
    data = data.shuffle(recipe.shuffle, /*seed=*/7);
  if (does(5))
    data = data.batch(3).unbatch();
  data = data.batch(recipe.batch, recipe.dropRemainder != 0);
  if (!isEndless)
    data = data.repeat();
  return does(6) ? data.prefetch(2) : data;
}

Dataset makeDataset(const Recipe &recipe, const Build &b, int64_t classes) {
  std::vector<Column> columns;
  auto shaped = [&](Sizes shape) {
    shape.insert(shape.begin(), recipe.examples);
    return shape;
  };
  for (const Node &node : recipe.nodes)
    if (node.kind == "features") {
      Sizes shape = shaped(node.numbers);
      columns.push_back(
          {"x", Array(b.numbers("x", elementsOf(shape), 0.8, 0), shape)});
    } else if (node.kind == "ids") {
      Sizes shape = shaped(node.numbers);
      Random random(hashOf("ids", recipe.seed));
      std::vector<int32_t> ids;
      for (int64_t i = 0; i < elementsOf(shape); ++i)
        ids.push_back(static_cast<int32_t>(random.below(11)));
      columns.push_back({"ids", Array(ids, shape)});
    }
  Random random(hashOf("labels", recipe.seed));
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < recipe.examples; ++i)
    labels.push_back(random.below(classes));
  columns.push_back({"y", Array(labels, {recipe.examples})});
  return prepare(recipe, Dataset::slices(std::move(columns)));
}

Tensor lossOf(Build &b, Tensor last, const Sizes &shape, int64_t classes) {
  int64_t depth = elementsOf(shape);
  Tensor rows = reshape(last, Shape{unknown, depth});
  int64_t units = b.recipe.loss == 0 ? classes : 1;
  Tensor logits =
      matmul(rows, b.variable("head", {depth, units},
                              1 / std::max<double>(1, depth / 4.0)));
  Tensor labels = b.batch["y"];
  Tensor weights;
  if (b.recipe.weights)
    weights = tanh(cast(labels, DType::Float32) * 0.3);
  if (b.recipe.loss == 0)
    return reduceLoss(
        sparseSoftmaxCrossEntropy(
            biasAdd(logits, b.variable("head_bias", {units}, 0.1)), labels),
        weights);
  Tensor predicted = reshape(logits, Shape{unknown});
  Tensor target = cast(labels, DType::Float32);
  switch (b.recipe.loss) {
  case 1:
    return reduceLoss(square(predicted - target), weights);
  case 2:
    return reduceLoss(huberLoss(predicted, target), weights, Reduction::Mean);
  default:
    return reduceLoss(
        sigmoidCrossEntropy(
            predicted,
            cast(greater(target, scalarLike(target, 1)), DType::Float32)),
        weights, Reduction::SumByNonzeroWeights);
  }
}

Optimizer ruleOf(int64_t number) {
  switch (number) {
  case 0:
    return Optimizer::sgd(0.05);
  case 1:
    return Optimizer::withMomentum(0.03, 0.9);
  case 2:
    return Optimizer::withMomentum(0.03, 0.8, /*nesterov=*/true);
  case 3:
  case 8: // with Nesterov's momentum
  case 9: // whose rate falls
    return Optimizer::adam(0.003, 0.9, 0.999, 1e-3);
  case 4:
    return Optimizer::adagrad(0.05);
  case 5:
    return Optimizer::rmsProp(0.003, 0.9, 0.5, 1e-2);
  case 6:
    return Optimizer::ftrl(0.05, 0.001, 0.001);
  case 10:
    return Optimizer::rmsProp(0.003, 0.8, 0, 1e-2);
  case 11:
    return Optimizer::sgd(0.05);
  default:
    return Optimizer::adamW(0.003, 0.01);
  }
}

Optimizer optimizerOf(const Recipe &recipe) {
  Optimizer optimizer = ruleOf(recipe.optimizer);
  if (recipe.optimizer == 7)
    optimizer.epsilon = 1e-3;
  if (recipe.optimizer == 8)
    optimizer.nesterov = true;
  if (recipe.optimizer == 9)
    optimizer.schedule = Schedule::cosine(5, 0.1);
  if (recipe.optimizer == 11)
    optimizer.schedule = Schedule::piecewise({0, 2}, {0.05, 0.01, 0.002});
  if (recipe.clips == 1)
    optimizer.clipNorm = 0.5;
  return optimizer;
}

/// Gradients by which each variable follows: within bounds, or each of a norm.
void clip(const Recipe &recipe, std::vector<Tensor> &gradients) {
  for (Tensor &gradient : gradients) {
    if (!gradient)
      continue;
    if (recipe.clips == 2)
      gradient = maximum(minimum(gradient, scalarLike(gradient, 0.05)),
                         scalarLike(gradient, -0.05));
    if (recipe.clips == 3)
      gradient = gradient * (0.3 / maximum(sqrt(sum(square(gradient)) + 1e-6),
                                           scalarLike(gradient, 0.3)));
  }
}

/// Every other step is one of the optimizer's, along the sum of two gradients.
void accumulate(Graph &graph, const Optimizer &optimizer,
                const std::vector<Variable> &variables,
                const std::vector<Tensor> &gradients) {
  VariableOptions options;
  options.trainable = false;
  std::vector<Variable> sums;
  std::vector<Tensor> totals(gradients.size());
  for (size_t i = 0; i < variables.size(); ++i) {
    sums.push_back(graph.variable("sum" + std::to_string(i),
                                  variables[i].shape(), DType::Float32, zeros(),
                                  options));
    if (gradients[i])
      totals[i] = sums[i].read() + gradients[i];
  }
  Tensor step = graph.globalStep().read();
  Tensor isFull = equal(graph.create("floor_mod", {step, scalarLike(step, 2)}),
                        scalarLike(step, 1));
  auto store = [&](bool empties) {
    for (size_t i = 0; i < sums.size(); ++i)
      if (totals[i])
        sums[i].assign(empties ? zerosLike(totals[i]) : totals[i]);
    return std::vector<Tensor>();
  };
  cond(
      isFull,
      [&] {
        optimizer.apply(graph, variables, totals, step);
        return store(/*empties=*/true);
      },
      [&] { return store(/*empties=*/false); });
}

/// Moving averages of variables, of their values before the update or after.
void average(Graph &graph, const std::vector<Variable> &variables,
             const std::vector<Tensor> &before) {
  for (size_t i = 0; i < variables.size(); ++i) {
    VariableOptions options;
    options.trainable = false;
    Variable mean =
        graph.variable("average" + std::to_string(i), variables[i].shape(),
                       DType::Float32, zeros(), options);
    Tensor value = before.empty() ? variables[i].read() : before[i];
    mean.assign(mean.read() * 0.9 + value * 0.1);
  }
}

/// A number that is read before and after it is counted up.
Tensor count(Graph &graph, Tensor loss) {
  VariableOptions options;
  options.trainable = false;
  Variable total =
      graph.variable("total", {}, DType::Float32, zeros(), options);
  Tensor before = total.read();
  total.assign(before + loss);
  return total.read() - before * 0.5;
}

} // namespace

namespace {

/// A tower's tensors and loss, in the step that is open.
struct Tower {
  const Recipe &recipe;
  const std::vector<Value> &values;
  Iterator input;
  std::string name; // "": the only one
};

Tensor buildTower(Graph &graph, Entry &step, const Tower &tower, Build &b) {
  b.batch = tower.input.next();
  std::vector<Tensor> tensors;
  for (const Node &node : tower.recipe.nodes) {
    b.number = tensors.size();
    std::vector<Tensor> in;
    std::vector<Value> shapes;
    for (int64_t place : node.inputs) {
      in.push_back(tensors[place]);
      shapes.push_back(tower.values[place]);
    }
    tensors.push_back(findKind(node.kind)->build(b, in, shapes, node.numbers));
  }
  b.number = tensors.size();
  if (tower.recipe.observed >= 0)
    step.fetch(tower.name + "observed", tensors[tower.recipe.observed]);
  return lossOf(b, tensors.back(), tower.values.back().shape, numClasses);
}

/// The tower's step of its optimizer, and what else changes variables.
void trainTower(Graph &graph, Entry &step, const Tower &tower, Tensor loss) {
  const Recipe &recipe = tower.recipe;
  std::vector<Variable> variables = graph.variables(tower.name, true);
  std::vector<Tensor> before;
  if (recipe.averages == 2)
    for (const Variable &variable : variables)
      before.push_back(variable.read());
  Tensor penalized = loss;
  if (recipe.regularizes)
    for (const Variable &variable : variables)
      penalized = penalized + sum(square(variable.read())) * 0.002;
  std::vector<Tensor> derivatives = gradients(penalized, variables);
  clip(recipe, derivatives);
  Optimizer optimizer = optimizerOf(recipe);
  if (recipe.accumulates)
    accumulate(graph, optimizer, variables, derivatives);
  else
    optimizer.apply(graph, variables, derivatives);
  if (recipe.averages)
    average(graph, variables, before);
  if (recipe.counts)
    step.fetch(tower.name + "count", count(graph, loss));
}

} // namespace

static std::string nameOfTower(const Towers &towers, size_t number) {
  return towers.size() == 1 ? "" : "t" + std::to_string(number) + "/";
}

std::vector<std::string> fetchesOf(const Towers &towers) {
  std::vector<std::string> names;
  for (size_t i = 0; i < towers.size(); ++i) {
    std::string name = nameOfTower(towers, i);
    if (towers.size() > 1)
      names.push_back(name + "loss");
    if (towers[i].observed >= 0)
      names.push_back(name + "observed");
    if (towers[i].counts)
      names.push_back(name + "count");
  }
  return names;
}

std::optional<std::string> buildProgram(const Towers &towers, uint64_t noise,
                                        std::string &why) {
  Graph graph;
  graph.setSeed(static_cast<int64_t>(towers.front().seed % 1000));
  std::vector<std::vector<Value>> values;
  std::vector<Tower> built;
  for (const Recipe &recipe : towers) {
    std::optional<std::vector<Value>> inferred = infer(recipe);
    if (!inferred) {
      why = "the recipe's shapes do not fit";
      return std::nullopt;
    }
    values.push_back(std::move(*inferred));
  }
  for (size_t i = 0; i < towers.size(); ++i) {
    Build b{graph, towers[i], noise, {}};
    std::string name = "IteratorV2" + (i ? "_" + std::to_string(i) : "");
    built.push_back(
        {towers[i], values[i],
         graph.iterator(makeDataset(towers[i], b, numClasses), name),
         nameOfTower(towers, i)});
  }
  {
    Entry step(graph, "step", Role::Step);
    Tensor total;
    for (const Tower &tower : built) {
      std::optional<NameScope> scope;
      if (!tower.name.empty())
        scope.emplace(graph, tower.name.substr(0, tower.name.size() - 1));
      Build b{graph, tower.recipe, noise, {}};
      Tensor loss = buildTower(graph, step, tower, b);
      trainTower(graph, step, tower, loss);
      if (!tower.name.empty())
        step.fetch(tower.name + "loss", loss);
      total = total ? total + loss : loss;
    }
    Variable global = graph.globalStep();
    global.assign(global.read() + graph.scalar(1, DType::Int64));
    step.loss("loss", total);
  }
  if (!graph.finish()) {
    why = graph.errors();
    return std::nullopt;
  }
  return graph.toMLIR();
}

} // namespace ingot::fuzz
