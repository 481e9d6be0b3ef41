//===- NonMaxSuppression.cpp - Non-maximum suppression of boxes -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/OpKernelContext.h"

#include <array>
#include <cmath>
#include <queue>

using namespace ingot;
using namespace ingot::ops;

namespace {
struct BoxCandidate {
  float score;
  int32_t box;
  size_t compared; // number of selected boxes compared with `box` so far

  /// The order of the priority queue of candidates: the highest score is at the
  /// top; of equal scores, the box with the lower index.
  bool operator<(const BoxCandidate &other) const {
    return score < other.score || (score == other.score && box > other.box);
  }
};

struct NonMaxSuppressionOptions {
  size_t count;
  float overlap, score, sigma;

  /// Returns the factor by which the score of a box is multiplied if it
  /// overlaps a selected box by `shared`. With soft-NMS (sigma > 0) it is a
  /// Gaussian of `shared`; otherwise it is 1, or 0 to suppress the box.
  float weight(float shared) const {
    if (sigma > 0)
      return std::exp(-0.5f / sigma * shared * shared);
    return shared <= overlap ? 1 : 0; // 0 if `shared` is NaN
  }
};
} // namespace

/// Returns the overlap of two boxes, the area of the intersection divided by
/// that of the union. Any two opposite corners describe a box.
static float sharedPart(const float *a, const float *b) {
  auto sides = [](const float *box) {
    return std::array{std::min(box[0], box[2]), std::min(box[1], box[3]),
                      std::max(box[0], box[2]), std::max(box[1], box[3])};
  };
  auto area = [](const std::array<float, 4> &box) {
    return (box[2] - box[0]) * (box[3] - box[1]);
  };
  auto first = sides(a), second = sides(b);
  if (area(first) <= 0 || area(second) <= 0)
    return 0;
  std::array<float, 4> common;
  for (size_t i : {0, 1}) {
    common[i] = std::max(first[i], second[i]);
    common[i + 2] = std::max(std::min(first[i + 2], second[i + 2]), common[i]);
  }
  float shared = area(common);
  return shared / (area(first) + area(second) - shared);
}

/// Returns the selected boxes, by descending score.
static std::vector<BoxCandidate>
takeBest(std::span<const float> boxes, std::span<const float> scores,
         const NonMaxSuppressionOptions &limits) {
  std::priority_queue<BoxCandidate> queue;
  for (size_t i = 0; i < scores.size(); ++i)
    if (scores[i] > limits.score)
      queue.push({scores[i], static_cast<int32_t>(i), 0});
  std::vector<BoxCandidate> taken;
  while (taken.size() < limits.count && !queue.empty()) {
    BoxCandidate next = queue.top();
    queue.pop();
    float before = next.score;
    bool isCovered = false;
    for (size_t j = taken.size(); j-- > next.compared && !isCovered;) {
      float shared = sharedPart(&boxes[4 * static_cast<size_t>(next.box)],
                                &boxes[4 * static_cast<size_t>(taken[j].box)]);
      next.score *= limits.weight(shared);
      isCovered = limits.sigma == 0 && shared > limits.overlap;
      if (next.score <= limits.score)
        break;
    }
    next.compared = taken.size();
    if (isCovered)
      continue;
    if (next.score == before)
      taken.push_back(next);
    else if (next.score > limits.score)
      queue.push(next);
  }
  return taken;
}

/// Checks the shapes of the inputs. The messages are those of TensorFlow's
/// kernels, even where they repeat themselves.
static Status checkShapes(OpKernelContext &op) {
  OpInput boxes = op.input(0), scores = op.input(1);
  auto equal = [](int64_t a, int64_t b) {
    return " (Dimensions must be equal, but are " + std::to_string(a) +
           " and " + std::to_string(b) + ")";
  };
  if (boxes.rank() != 2)
    return op.invalid("boxes must be 2-D" + dimsText(boxes.dims()) +
                      " (Shape must be rank 2 but is rank " +
                      std::to_string(boxes.rank()) + ")");
  if (boxes.dim(1) != 4)
    return op.invalid("boxes must have 4 columns (Dimension must be 4 but is " +
                      std::to_string(boxes.dim(1)) + ")");
  if (scores.rank() != 1)
    return op.invalid("scores must be 1-D" + dimsText(scores.dims()) +
                      " (Shape must be rank 1 but is rank " +
                      std::to_string(scores.rank()) + ")");
  if (scores.dim(0) != boxes.dim(0))
    return op.invalid("scores has incompatible shape" +
                      equal(boxes.dim(0), scores.dim(0)));
  const char *names[] = {"max_output_size", "iou_threshold", "score_threshold",
                         "soft_nms_sigma"};
  for (size_t i = 2; i < 6; ++i)
    if (op.input(i).rank() != 0)
      return op.invalid(std::string(names[i - 2]) + " must be 0-D, got shape " +
                        dimsText(op.input(i).dims()));
  return Status::ok();
}

// Implements NonMaxSuppression and its versions up to V5. Inputs: boxes,
// scores, the largest number of boxes, the thresholds of overlap and score, and
// the sigma of soft-NMS. Outputs: the indices and scores of the selected boxes,
// and their number.
INGOT_RUNTIME_OP(non_max_suppression) {
  INGOT_RETURN_IF_ERROR(checkShapes(op));
  auto number = [&](size_t i) { return op.input(i).as<float>()[0]; };
  int64_t most = op.input(2).integer(0);
  OpInput boxes = op.input(0), scores = op.input(1);
  NonMaxSuppressionOptions limits = {
      static_cast<size_t>(std::min(std::max<int64_t>(most, 0), scores.dim(0))),
      number(3), number(4), number(5)};
  if (!(limits.sigma >= 0))
    return op.invalid("soft_nms_sigma_val must be >= 0, but is " +
                      std::to_string(limits.sigma));
  if (!(limits.overlap >= 0 && limits.overlap <= 1))
    return op.invalid("iou_threshold must be in [0, 1], but is " +
                      std::to_string(limits.overlap));
  if (most < 0)
    return op.invalid("output size must be non-negative, but is " +
                      std::to_string(most));
  std::vector<BoxCandidate> taken =
      takeBest(boxes.as<float>(), scores.as<float>(), limits);
  int64_t size = op.flag("pad_to_max_output_size")
                     ? most
                     : static_cast<int64_t>(taken.size());
  INGOT_ASSIGN_OR_RETURN(auto indices, op.output<int32_t>(0, {size}));
  INGOT_ASSIGN_OR_RETURN(auto kept, op.output<float>(1, {size}));
  INGOT_ASSIGN_OR_RETURN(auto count, op.output<int32_t>(2, {}));
  for (size_t i = 0; i < indices.size(); ++i) {
    bool isTaken = i < taken.size();
    indices[i] = isTaken ? taken[i].box : 0;
    kept[i] = isTaken ? taken[i].score : 0;
  }
  count[0] = static_cast<int32_t>(taken.size());
  return Status::ok();
}
