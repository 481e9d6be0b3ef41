//===- Model.h - Contents of an AdaNet directory ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Iterations, members and ensembles as `ingot-adanet show` tells of them, read
// from checkpoint, architecture files, markers and, where there is one, graph.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANETTOOL_MODEL_H
#define INGOT_RUNTIME_ADANETTOOL_MODEL_H

#include "runtime/AdaNet/Architecture.h"
#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/Session/Reporter.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ingot::adanet {

/// A scope with variables of its own: a layer.
struct Layer {
  std::string name; // "dense_1"
  struct Variable {
    std::string name; // "kernel"
    Shape shape;
  };
  std::vector<Variable> variables;
};

/// A subnetwork.
struct Member {
  std::string name; // "t1_linear"
  int64_t iteration = 0;
  std::optional<int64_t> steps;
  std::string marker; // why it is done; "" where no marker says so
  std::vector<Layer> layers;
  int64_t parameters = 0;
};

/// A member's part in an ensemble.
struct Weight {
  /// "t0_linear"; "" where nothing says whose it is.
  std::string member;
  std::string head; // "" or, of further heads, "1"
  Shape shape;
  double norm = 0;  // the sum of the absolute values
  double share = 0; // of all norms; 0 where these are 0
  /// (λ r + β), and its part of the loss; if a graph gives them.
  std::optional<double> factor, complexity, penalty;
};

/// An ensemble: one that won its iteration, or a candidate.
struct Ensemble {
  std::string name; // "t1_linear_grow_complexity_regularized"
  int64_t iteration = 0;
  std::optional<int64_t> steps;
  std::string marker;
  std::optional<double> loss;       // the moving average of the AdaNet loss,
  std::optional<double> lossSteps;  // and how many steps went into it
  std::vector<std::string> members; // where they are known
  std::vector<Weight> weights;
  std::optional<Shape> bias;
  std::optional<double> lambda, beta, penalty;
  bool isBest = false; // of the candidates
};

/// A loss over the steps at which summaries were written: of an ensemble the
/// average of its AdaNet loss, of a member its own.
struct Curve {
  std::string name;
  bool isEnsemble = false;
  std::vector<std::pair<int64_t, double>> points; // step and loss, finite
};

struct IterationView {
  int64_t number = 0;
  std::optional<Architecture> architecture;
  std::vector<Member> members;
  std::vector<Ensemble> ensembles;
  std::vector<Curve> curves; // of event files (readCurves)
};

struct Model {
  std::string directory, checkpoint, graph; // graph: "" if there is none
  int64_t globalStep = 0, current = 0;
  std::vector<IterationView> iterations;
  /// How many steps an iteration lasts, as earlier ones have it; -1: unknown.
  int64_t stepsOfIteration = -1;
  /// Unfinished work, one sentence each.
  std::vector<std::string> unfinished;
};

/// Reads the directory, from `checkpoint` or, where that is "", its newest.
/// NotFound and DataLoss name the file.
Expected<Model> readModel(FileSystem &fileSystem, const std::string &directory,
                          const std::string &checkpoint, Reporter &reporter);

/// Adds the ensembles' objectives from a graph: λ, β and the members'
/// complexities. Searches for the graph of the model's iteration beside its
/// checkpoints; a damaged one is a warning.
void readObjectives(FileSystem &fileSystem, Model &model, Reporter &reporter);

/// Reads the event files of candidates and members (AN-211). Unreadable ones
/// give warnings.
void readCurves(FileSystem &fileSystem, Model &model, Reporter &reporter);

std::string textReport(const Model &model);
std::string jsonReport(const Model &model);
/// One file that needs nothing else.
std::string htmlReport(const Model &model);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANETTOOL_MODEL_H
