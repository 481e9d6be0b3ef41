//===- CTCLoss.cpp - CTC loss and decoding --------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Connectionist temporal classification (CTC; Graves et al., 2006). Blanks are
// inserted between labels and around them; the loss is the negative logarithm
// of the total probability of all alignments of this sequence with the input's
// time steps. The forward-backward algorithm computes it, on logarithms of
// probabilities.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Ops/Sparse.h"

#include <cmath>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

namespace {
/// The input of one example: the logits of all classes for each time step.
template <typename T> struct TimeStepLogits {
  const T *first;
  size_t count, stride, classes;

  std::span<const T> at(size_t t) const {
    return {first + t * stride, classes};
  }
};

/// The numbers of examples and classes, and the attributes of the op.
struct CTCAttributes {
  int64_t batch, classes;
  bool collapses; // merge equal neighbouring labels first
  bool merges;    // merge equal outputs of successive steps
  bool ignores;   // allow more labels than time steps
};
} // namespace

template <typename T>
static constexpr T impossible = -std::numeric_limits<T>::infinity();

/// Returns log(e^a + e^b) without overflow.
template <typename T> static T sumOf(T a, T b) {
  if (a == impossible<T>)
    return b;
  if (b == impossible<T>)
    return a;
  return a > b ? a + std::log1p(std::exp(b - a))
               : b + std::log1p(std::exp(a - b));
}

static std::string listed(std::span<const int32_t> numbers) {
  std::string text;
  for (int32_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

/// Returns an example's labels with a blank (the last class) before, between
/// and after them.
static Expected<std::vector<size_t>>
withBlanks(OpKernelContext &op, const CTCAttributes &rules, int64_t example,
           int64_t steps, std::span<const int32_t> given) {
  std::string where = ", batch: " + std::to_string(example);
  if (given.empty())
    return op.invalid("Labels length is zero in batch " +
                      std::to_string(example));
  int64_t blank = rules.classes - 1;
  std::vector<int32_t> labels;
  bool hasEnded = false;
  for (size_t i = 0; i < given.size(); ++i) {
    if (i > 0 && rules.collapses && given[i] == given[i - 1])
      continue;
    if (given[i] >= blank)
      hasEnded = true;
    else if (hasEnded)
      return op.invalid("Saw a non-null label (index >= num_classes - 1) "
                        "following a null label" +
                        where +
                        " num_classes: " + std::to_string(rules.classes) +
                        " labels: " + listed(given) +
                        " labels seen so far: " + listed(labels));
    else
      labels.push_back(given[i]);
  }
  std::vector<size_t> path = {static_cast<size_t>(blank)};
  for (int32_t label : labels) {
    if (label < 0)
      return op.invalid("All labels must be nonnegative integers" + where +
                        " labels: " + listed(labels));
    path.insert(path.end(),
                {static_cast<size_t>(label), static_cast<size_t>(blank)});
  }
  if (auto needed = static_cast<int64_t>(given.size());
      !rules.ignores && needed > steps)
    return op.invalid(
        "Not enough time for target transition sequence (required: " +
        std::to_string(needed) + ", available: " + std::to_string(steps) + ")" +
        where +
        ". You can turn this error into a warning by using the flag "
        "ignore_longer_outputs_than_inputs");
  return path;
}

namespace {
/// The forward-backward algorithm over all alignments of one example's labels
/// with the time steps.
template <typename T> class CTCForwardBackward {
public:
  CTCForwardBackward(const TimeStepLogits<T> &steps,
                     const std::vector<size_t> &path, bool merges);

  /// Returns the loss of the example, and writes the loss's gradient with
  /// respect to the logits: the row of time step t begins at gradient[t *
  /// stride].
  T loss(T *gradient, size_t stride);

private:
  /// Returns true if an alignment may go from position u - 2 of the path (the
  /// labels with blanks) directly to position `u`, skipping the blank between
  /// these two labels.
  bool skipsBlank(size_t u) const {
    return path[u] != blank && !(merges && path[u] == path[u - 2]);
  }
  bool repeats(size_t u) const { return merges || path[u] == blank; }
  /// begin() and end() return the range of positions in the path at which an
  /// alignment can be at step `t`. An alignment starts at the path's start,
  /// advances by at most two positions per step, and must still reach the
  /// path's end in the remaining steps.
  size_t begin(size_t t) const {
    size_t left = 2 * (steps.count - t), size = path.size();
    return size > left ? size - left : 0;
  }
  size_t end(size_t t) const { return std::min(path.size(), 2 * (t + 1)); }
  T &forward(size_t u, size_t t) { return ahead[t * path.size() + u]; }
  T &backward(size_t u, size_t t) { return back[t * path.size() + u]; }
  T logOf(size_t u, size_t t) const {
    return std::log(shares[t * steps.classes + path[u]]);
  }
  void goForward();
  void goBackward();

  const TimeStepLogits<T> steps;
  const std::vector<size_t> &path;
  const size_t blank;
  const bool merges;
  std::vector<T> shares, ahead, back;
};
} // namespace

template <typename T>
CTCForwardBackward<T>::CTCForwardBackward(const TimeStepLogits<T> &steps,
                                          const std::vector<size_t> &path,
                                          bool merges)
    : steps(steps), path(path), blank(steps.classes - 1), merges(merges),
      shares(steps.count * steps.classes),
      ahead(steps.count * path.size(), impossible<T>), back(ahead) {
  for (size_t t = 0; t < steps.count; ++t) {
    auto numbers = steps.at(t);
    T *share = &shares[t * steps.classes];
    T largest = *std::ranges::max_element(numbers), sum = 0;
    for (size_t i = 0; i < numbers.size(); ++i)
      sum += share[i] = std::exp(numbers[i] - largest);
    for (size_t i = 0; i < numbers.size(); ++i)
      share[i] /= sum;
  }
}

template <typename T> void CTCForwardBackward<T>::goForward() {
  for (size_t u = 0; u < std::min<size_t>(2, path.size()); ++u)
    forward(u, 0) = logOf(u, 0);
  for (size_t t = 1; t < steps.count; ++t)
    for (size_t u = begin(t); u < end(t); ++u) {
      T sum = repeats(u) ? forward(u, t - 1) : impossible<T>;
      if (u > 0)
        sum = sumOf(sum, forward(u - 1, t - 1));
      if (u > 1 && skipsBlank(u))
        sum = sumOf(sum, forward(u - 2, t - 1));
      forward(u, t) = logOf(u, t) + sum;
    }
}

template <typename T> void CTCForwardBackward<T>::goBackward() {
  size_t last = steps.count - 1, size = path.size();
  for (size_t u = size < 2 ? 0 : size - 2; u < size; ++u)
    backward(u, last) = 0;
  for (size_t t = last; t-- > 0;)
    for (size_t u = begin(t); u < end(t); ++u) {
      auto next = [&](size_t to) {
        return backward(to, t + 1) + logOf(to, t + 1);
      };
      T sum = repeats(u) ? next(u) : impossible<T>;
      if (u + 1 < size)
        sum = sumOf(sum, next(u + 1));
      if (u + 2 < size && skipsBlank(u + 2))
        sum = sumOf(sum, next(u + 2));
      backward(u, t) = sum;
    }
}

template <typename T>
T CTCForwardBackward<T>::loss(T *gradient, size_t stride) {
  goForward();
  goBackward();
  T total = impossible<T>;
  for (size_t u = 0; u < path.size(); ++u)
    total = sumOf(total, forward(u, 0) + backward(u, 0));
  std::vector<T> sums(steps.classes);
  for (size_t t = 0; t < steps.count; ++t) {
    std::ranges::fill(sums, impossible<T>);
    for (size_t u = 0; u < path.size(); ++u)
      sums[path[u]] = sumOf(sums[path[u]], forward(u, t) + backward(u, t));
    for (size_t i = 0; i < sums.size(); ++i) {
      T share = shares[t * steps.classes + i];
      // The gradient is the softmax (`share`) minus a fraction: the part of the
      // total probability that belongs to alignments with class i at step t. If
      // no alignment exists, it is the softmax alone.
      gradient[t * stride + i] =
          total == impossible<T> ? share : share - std::exp(sums[i] - total);
    }
  }
  return -total;
}

/// Checks the shapes of the inputs as TensorFlow's kernel does. The compiler
/// cannot check the shapes, because they are known at run time only.
static Status checkShapes(OpKernelContext &op, const OpInput &inputs,
                          const OpInput &lengths) {
  if (inputs.rank() != 3)
    return op.invalid("inputs is not a 3-Tensor, but has shape " +
                      dimsText(inputs.dims()));
  if (lengths.rank() != 1)
    return op.invalid("sequence_length is not a vector, but has shape " +
                      dimsText(lengths.dims()));
  if (inputs.dim(2) < 1)
    return op.invalid("num_classes must be positive: inputs has shape " +
                      dimsText(inputs.dims()));
  if (lengths.dim(0) != inputs.dim(1))
    return op.invalid("len(sequence_length) != batch_size.  "
                      "len(sequence_length):  " +
                      std::to_string(lengths.dim(0)) +
                      " batch_size: " + std::to_string(inputs.dim(1)));
  for (size_t i = 0; i < static_cast<size_t>(lengths.dim(0)); ++i)
    if (lengths.integer(i) > inputs.dim(0))
      return op.invalid("sequence_length(" + std::to_string(i) +
                        ") <= " + std::to_string(inputs.dim(0)) +
                        " is required, but it is " +
                        std::to_string(lengths.integer(i)));
  return Status::ok();
}

/// Returns, for each example of the batch, the index of its first label in
/// `labels_values`; the last element of the result is the number of all labels.
static Expected<std::vector<size_t>> findLabels(OpKernelContext &op,
                                                const CTCAttributes &rules) {
  OpInput indices = op.input(1), values = op.input(2);
  if (indices.rank() != 2)
    return op.invalid("labels_indices is not a matrix, but has shape " +
                      dimsText(indices.dims()));
  if (values.rank() != 1)
    return op.invalid("labels_values is not a vector, but has shape " +
                      dimsText(values.dims()));
  if (indices.dim(0) != values.dim(0))
    return op.invalid("labels_indices and labels_values must contain the same "
                      "number of rows, but saw shapes: " +
                      dimsText(indices.dims()) + " vs. " +
                      dimsText(values.dims()));
  if (rules.batch == 0)
    return op.invalid("batch_size must not be 0");
  if (op.input(0).dim(0) == 0)
    return op.invalid("Max time or first dimension of input cannot be 0.");
  if (indices.dim(1) != 2)
    return op.invalid("Order length must be SparseTensor rank. labels_indices "
                      "must have 2 columns, but has " +
                      std::to_string(indices.dim(1)));
  auto places = indices.as<int64_t>();
  auto count = static_cast<size_t>(indices.dim(0));
  int64_t width = 0;
  for (size_t i = 0; i < count; ++i)
    // `width` is the largest column plus 1. Limit the column, because INT64_MAX
    // + 1 overflows; such a column is not valid anyway.
    width = std::max(width, std::min(places[2 * i + 1],
                                     std::numeric_limits<int64_t>::max() - 1) +
                                1);
  std::vector<size_t> begins(static_cast<size_t>(rules.batch) + 1);
  for (size_t i = 0; i < count; ++i) {
    Dims place = places.subspan(2 * i, 2);
    auto refuse = [&](const std::string &why) {
      return op.invalid("label SparseTensor is not valid: indices[" +
                        std::to_string(i) + "] = " + dimsText(place) + why);
    };
    int64_t shape[] = {rules.batch, width};
    if (place[0] < 0 || place[0] >= rules.batch || place[1] < 0 ||
        place[1] >= width)
      return refuse(" is out of bounds: need 0 <= index < " + dimsText(shape));
    if (i > 0) {
      Dims last = places.subspan(2 * i - 2, 2);
      if (std::ranges::equal(place, last))
        return refuse(" is repeated");
      if (std::ranges::lexicographical_compare(place, last))
        return refuse(" is out of order. Many sparse ops require sorted "
                      "indices.");
    }
    begins[static_cast<size_t>(place[0]) + 1] = i + 1;
  }
  for (size_t i = 1; i < begins.size(); ++i)
    begins[i] = std::max(begins[i], begins[i - 1]);
  return begins;
}

template <typename T> static Status ctcLoss(OpKernelContext &op) {
  OpInput inputs = op.input(0), lengths = op.input(3);
  INGOT_RETURN_IF_ERROR(checkShapes(op, inputs, lengths));
  CTCAttributes rules = {inputs.dim(1), inputs.dim(2),
                         op.flag("preprocess_collapse_repeated"),
                         op.flag("ctc_merge_repeated", true),
                         op.flag("ignore_longer_outputs_than_inputs")};
  INGOT_ASSIGN_OR_RETURN(auto begins, findLabels(op, rules));
  INGOT_ASSIGN_OR_RETURN(auto losses, op.output<T>(0, {rules.batch}));
  INGOT_ASSIGN_OR_RETURN(auto gradients, op.output<T>(1, inputs.dims()));
  std::ranges::fill(gradients, T(0));
  std::ranges::fill(losses, T(0));
  auto classes = static_cast<size_t>(rules.classes);
  size_t stride = losses.size() * classes;
  std::vector<std::vector<size_t>> paths;
  for (size_t i = 0; i < losses.size(); ++i)
    if (lengths.integer(i) < 0)
      return op.invalid("seq_len(" + std::to_string(i) + ") < 0: it is " +
                        std::to_string(lengths.integer(i)));
  for (size_t i = 0; i < losses.size(); ++i) {
    auto labels =
        op.input(2).as<int32_t>().subspan(begins[i], begins[i + 1] - begins[i]);
    INGOT_ASSIGN_OR_RETURN(auto path,
                           withBlanks(op, rules, static_cast<int64_t>(i),
                                      lengths.integer(i), labels));
    paths.push_back(std::move(path));
  }
  for (size_t i = 0; i < losses.size(); ++i) {
    auto steps = static_cast<size_t>(lengths.integer(i));
    if (steps == 0 || (rules.ignores && begins[i + 1] - begins[i] > steps))
      continue;
    TimeStepLogits<T> example = {inputs.as<T>().data() + i * classes, steps,
                                 stride, classes};
    losses[i] = CTCForwardBackward<T>(example, paths[i], rules.merges)
                    .loss(gradients.data() + i * classes, stride);
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(ctc_loss) {
  return op.input(0).dtype() == INGOT_DOUBLE ? ctcLoss<double>(op)
                                             : ctcLoss<float>(op);
}

/// Decodes a batch greedily: takes the likeliest class of each step.
template <typename T> static Status decode(OpKernelContext &op) {
  OpInput inputs = op.input(0), lengths = op.input(1);
  INGOT_RETURN_IF_ERROR(checkShapes(op, inputs, lengths));
  int64_t batch = inputs.dim(1), classes = inputs.dim(2);
  int64_t blank = op.integer("blank_index", -1);
  if (blank < -classes || blank >= classes)
    return op.invalid("blank_index expected to be between " +
                      std::to_string(-classes) + " and " +
                      std::to_string(classes - 1) + " but was " +
                      std::to_string(blank));
  blank += blank < 0 ? classes : 0;
  INGOT_ASSIGN_OR_RETURN(auto logs, op.output<T>(3, {batch, 1}));
  std::vector<int64_t> places, found;
  int64_t longest = 0;
  for (int64_t i = 0; i < batch; ++i) {
    T log = 0;
    int64_t last = -1, length = 0;
    for (int64_t t = 0; t < lengths.integer(static_cast<size_t>(i)); ++t) {
      auto numbers =
          inputs.as<T>().subspan(static_cast<size_t>((t * batch + i) * classes),
                                 static_cast<size_t>(classes));
      auto largest = std::ranges::max_element(numbers);
      int64_t best = largest - numbers.begin();
      log -= *largest;
      if (best != blank && !(op.flag("merge_repeated") && best == last)) {
        places.insert(places.end(), {i, length++});
        found.push_back(best);
      }
      last = best;
    }
    logs[static_cast<size_t>(i)] = log;
    longest = std::max(longest, length);
  }
  auto count = static_cast<int64_t>(found.size());
  INGOT_ASSIGN_OR_RETURN(auto indices, op.output<int64_t>(0, {count, 2}));
  INGOT_ASSIGN_OR_RETURN(auto values, op.output<int64_t>(1, {count}));
  INGOT_ASSIGN_OR_RETURN(auto shape, op.output<int64_t>(2, {2}));
  std::ranges::copy(places, indices.begin());
  std::ranges::copy(found, values.begin());
  shape[0] = batch;
  shape[1] = longest;
  return Status::ok();
}

INGOT_RUNTIME_OP(ctc_greedy_decoder) {
  return op.input(0).dtype() == INGOT_DOUBLE ? decode<double>(op)
                                             : decode<float>(op);
}
