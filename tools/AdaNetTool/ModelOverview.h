//===- ModelOverview.h - Contents of an AdaNet directory --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Iterations, members and ensembles as `ingot-adanet show` prints them, read
// from a checkpoint, architecture files, markers and, if there is one, the
// graph.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TOOLS_ADANETTOOL_MODELOVERVIEW_H
#define INGOT_TOOLS_ADANETTOOL_MODELOVERVIEW_H

#include "runtime/AdaNet/EnsembleArchitecture.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/Session/SessionLogger.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ingot::adanet {

/// The variables of one scope inside a member's scope, such as those of a dense
/// layer.
struct MemberLayerOverview {
  std::string name; // "dense_1"
  /// A variable of the layer.
  struct Variable {
    std::string name; // "kernel"
    Shape shape;
  };
  std::vector<Variable> variables;
};

/// The metrics of a member or an ensemble in an evaluation of the checkpoint of
/// global step `step`, by name. Empty if there was no such evaluation.
struct EvaluatedMetrics {
  int64_t step = 0;
  std::map<std::string, double> values;
};

/// A subnetwork that was trained in some iteration.
struct Member {
  std::string name; // "t1_linear"
  int64_t iteration = 0;
  std::optional<int64_t> steps;
  /// Why the member is no longer trained, from its file in train_manager
  /// (TrainingDoneMarkers.h); "" if there is no such file.
  std::string marker;
  std::vector<MemberLayerOverview> layers;
  int64_t parameters = 0;
  EvaluatedMetrics evaluated; // set by readEvaluations()
};

/// The mixture weight of a member in an ensemble. With several heads, a member
/// has one weight for each head.
struct MixtureWeight {
  /// The member's name, such as "t0_linear"; "" if it is unknown.
  std::string member;
  std::string head; // "" for the first head, then "1", "2", ...
  Shape shape;
  double norm = 0;  // sum of the elements' absolute values
  double share = 0; // norm divided by the sum of all norms; 0 if that is 0
  /// The member's part in the ensemble's penalty: the factor λ r + β, the
  /// member's complexity r, and the penalty itself, factor times norm. Read
  /// from the graph; std::nullopt if there is no graph.
  std::optional<double> factor, complexity, penalty;
};

/// An ensemble: one that an earlier iteration selected, or a candidate.
struct Ensemble {
  std::string name; // "t1_linear_grow_complexity_regularized"
  int64_t iteration = 0;
  std::optional<int64_t> steps;
  std::string marker;
  std::optional<double> loss;       // moving average of the AdaNet loss
  std::optional<double> lossSteps;  // steps that the average covers
  std::vector<std::string> members; // empty if unknown
  std::vector<MixtureWeight> weights;
  std::optional<Shape> bias;
  std::optional<double> lambda, beta, penalty;
  bool isBest = false;        // whether the checkpoint predicts with it
  EvaluatedMetrics evaluated; // set by readEvaluations()
};

/// A training curve from the summaries. The curve of an ensemble is the moving
/// average of its AdaNet loss, and the curve of a member is the member's own
/// loss.
struct LossCurve {
  std::string name;
  bool isEnsemble = false;
  std::vector<std::pair<int64_t, double>> points; // step, finite loss
};

/// One iteration as `ingot-adanet show` prints it: its members, ensembles and
/// files.
struct IterationOverview {
  int64_t number = 0;
  std::optional<EnsembleArchitecture> architecture;
  std::vector<Member> members;
  std::vector<Ensemble> ensembles;
  /// The names of members and candidates in the order in which the iteration's
  /// program numbers them; empty if this order is unknown. `members` and
  /// `ensembles` are in the order of the checkpoint.
  std::vector<std::string> memberOrder, candidateOrder;
  /// The candidates that user-defined strategies have made. Each lists its
  /// members, since they do not follow from a name that the user chose.
  std::vector<MemberOrEnsemble> ownCandidates;
  std::vector<LossCurve> curves; // from event files, by readCurves()
};

/// The contents of a model directory at one checkpoint.
struct ModelOverview {
  std::string directory, checkpoint, graph; // graph: "" if there is none
  int64_t globalStep = 0, current = 0;
  std::vector<IterationOverview> iterations;
  /// The number of steps that each iteration takes, derived from the members of
  /// earlier iterations; -1 if it is unknown.
  int64_t stepsOfIteration = -1;
  /// The unfinished work in the directory, one sentence per item.
  std::vector<std::string> unfinished;
};

/// Reads a model directory's state at `checkpoint`, or at its newest checkpoint
/// if `checkpoint` is "". Returns NotFound or DataLoss, naming the file.
Expected<ModelOverview> readModel(FileSystem &fileSystem,
                                  const std::string &directory,
                                  const std::string &checkpoint,
                                  SessionLogger &reporter);

/// Reads λ, β and the members' complexities of all ensembles from a graph that
/// contains the model's iteration. Searches for this graph among the .meta
/// files of the model directory. Warns if a graph is damaged.
void readObjectives(FileSystem &fileSystem, ModelOverview &model,
                    SessionLogger &reporter);

/// Reads the metrics of candidates and members that were written by evaluations
/// of the model's checkpoint, or else of the last checkpoint before it. Warns
/// about unreadable files.
void readEvaluations(FileSystem &fileSystem, ModelOverview &model,
                     SessionLogger &reporter);

/// Reads the event files of candidates and members (AN-211). Warns about
/// unreadable ones.
void readCurves(FileSystem &fileSystem, ModelOverview &model,
                SessionLogger &reporter);

std::string textReport(const ModelOverview &model);
std::string jsonReport(const ModelOverview &model);
/// Returns a self-contained HTML page: it loads no other file.
std::string htmlReport(const ModelOverview &model);

} // namespace ingot::adanet

#endif // INGOT_TOOLS_ADANETTOOL_MODELOVERVIEW_H
