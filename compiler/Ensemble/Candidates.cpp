//===- Candidates.cpp - The candidate ensembles of an iteration -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/Candidates.h"

#include "compiler/Ensemble/SearchFile.h"

#include <numeric>
#include <set>

using namespace ingot::adanet;

namespace ingot::ensemble {

std::string nameOf(const Ensembler &ensembler) {
  if (const auto *own =
          std::get_if<std::shared_ptr<const UserEnsembler>>(&ensembler))
    return (*own)->name();
  if (const auto *mean = std::get_if<MeanEnsembler>(&ensembler))
    return mean->name;
  return std::get<ComplexityRegularizedEnsembler>(ensembler).name;
}

std::optional<graph::Optimizer> optimizerOf(const Ensembler &ensembler) {
  if (const auto *own =
          std::get_if<std::shared_ptr<const UserEnsembler>>(&ensembler))
    return (*own)->optimizer();
  const auto *kind = std::get_if<ComplexityRegularizedEnsembler>(&ensembler);
  return kind ? kind->optimizer : std::nullopt;
}

std::string Candidate::fullName() const {
  return "t" + std::to_string(iteration) + "_" + name + "_" +
         nameOf(*ensembler);
}

std::string Candidate::scope(const std::string &kind) const {
  return "adanet/iteration_" + std::to_string(iteration) + "/" + kind + "_" +
         fullName();
}

/// Calls `strategy`, a function in the user's C++ code that chooses which
/// members form an ensemble, and appends the candidates that it returns to
/// `candidates`. Sets `error` if one of them is invalid.
static void addOwn(const UserStrategy &strategy, const Ensembler &ensembler,
                   const EnsembleLineage &lineage,
                   std::vector<Candidate> &candidates, std::string &error) {
  size_t old = lineage.members.size();
  for (const UserCandidate &own : strategy.candidates(
           {lineage.iteration, lineage.members, lineage.builders})) {
    Candidate one = {lineage.iteration, own.name, &ensembler, own.previous,
                     /*isOwn=*/true};
    bool isKnown = true;
    for (size_t index : own.previous)
      isKnown &= index < old;
    for (size_t index : own.builders) {
      isKnown &= index < lineage.builders.size();
      one.members.push_back(old + index);
    }
    std::set<size_t> distinct(one.members.begin(), one.members.end());
    std::string of = "candidate '" + own.name + "' of iteration " +
                     std::to_string(lineage.iteration);
    if (!isPlainName(own.name))
      error = of + ": expected a name of at most 128 letters, digits, '_', '.' "
                   "and '-'";
    else if (own.builders.empty())
      error = of + " has no new member: list at least one builder";
    else if (!isKnown)
      error = of + " has a member index that is out of range: there are " +
              std::to_string(old) + " previous members and " +
              std::to_string(lineage.builders.size()) +
              " builders, counted from 0";
    else if (distinct.size() != one.members.size())
      error = of + " lists a member twice: list each member once";
    candidates.push_back(std::move(one));
  }
}

/// Appends to `candidates` the ensembles that `strategy` (all, solo or grow)
/// forms from the members of the previous ensemble and the iteration's new
/// members.
static void addStrategy(const Strategy &strategy, const Ensembler &ensembler,
                        const EnsembleLineage &lineage,
                        std::vector<Candidate> &candidates) {
  size_t old = lineage.members.size(), added = lineage.builders.size();
  std::vector<size_t> earlier(old);
  std::iota(earlier.begin(), earlier.end(), 0);
  if (strategy.kind == Strategy::All) {
    Candidate all = {lineage.iteration, "all", &ensembler, earlier};
    for (size_t i = 0; i < added; ++i)
      all.members.push_back(old + i);
    candidates.push_back(std::move(all));
    return;
  }
  bool grows = strategy.kind == Strategy::Grow;
  std::string suffix = grows ? "_grow" : "_solo";
  if (grows && strategy.keep) { // drop all but the newest members (AN-173)
    auto kept = static_cast<size_t>(std::max<int64_t>(*strategy.keep, 0));
    earlier.erase(earlier.begin(),
                  earlier.end() - static_cast<ptrdiff_t>(std::min(kept, old)));
    // The suffix ".keepN" tells runtime/AdaNet/EnsembleSelection.cpp that this
    // candidate has only the newest N of the previous ensemble's members.
    suffix += ".keep" + std::to_string(kept);
  }
  for (size_t i = 0; i < added; ++i) {
    Candidate one = {lineage.iteration, lineage.builders[i]->name() + suffix,
                     &ensembler, grows ? earlier : std::vector<size_t>()};
    one.members.push_back(old + i);
    candidates.push_back(std::move(one));
  }
}

std::vector<Candidate> candidatesOf(const Search &search,
                                    const EnsembleLineage &lineage,
                                    std::string &error) {
  std::vector<Candidate> candidates;
  // An iteration that adds no members has only those of the previous ensemble,
  // so there are no new ensembles to form.
  if (lineage.builders.empty())
    return candidates;
  for (const Ensembler &ensembler : search.ensemblers)
    for (const Strategy &strategy : search.strategies)
      if (strategy.own)
        addOwn(*strategy.own, ensembler, lineage, candidates, error);
      else
        addStrategy(strategy, ensembler, lineage, candidates);
  std::set<std::string> names;
  for (const Candidate &candidate : candidates)
    if (!names.insert(candidate.fullName()).second)
      error = "two candidates have the name '" + candidate.fullName() +
              "': give their strategies or ensemblers different names";
  return candidates;
}

static const Ensembler *findEnsembler(const Search &search,
                                      const std::string &name) {
  for (const Ensembler &ensembler : search.ensemblers)
    if (nameOf(ensembler) == name)
      return &ensembler;
  return nullptr;
}

std::vector<Candidate> earlierOf(const Search &search,
                                 const EnsembleLineage &lineage) {
  std::vector<Candidate> candidates;
  for (const EnsembleLineage::EarlierEnsemble &one : lineage.earlier)
    if (const Ensembler *ensembler =
            findEnsembler(search, one.ensemble.ensembler))
      candidates.push_back({one.ensemble.iteration, one.ensemble.candidate,
                            ensembler, one.members});
  return candidates;
}

std::optional<Candidate>
candidateOf(const Search &search,
            const EnsembleLineage::EnsembleName &ensemble) {
  const Ensembler *ensembler = findEnsembler(search, ensemble.ensembler);
  if (!ensembler)
    return std::nullopt;
  return Candidate{ensemble.iteration, ensemble.candidate, ensembler, {}};
}

std::optional<Candidate> previousOf(const Search &search,
                                    const EnsembleLineage &lineage,
                                    std::string &error) {
  if (!lineage.previous)
    return std::nullopt;
  Candidate previous = {lineage.previous->iteration,
                        lineage.previous->candidate, nullptr,
                        std::vector<size_t>(lineage.members.size())};
  std::iota(previous.members.begin(), previous.members.end(), 0);
  previous.ensembler = findEnsembler(search, lineage.previous->ensembler);
  std::string known;
  for (const Ensembler &ensembler : search.ensemblers)
    known += (known.empty() ? "'" : ", '") + nameOf(ensembler) + "'";
  if (previous.ensembler)
    return previous;
  error = "the previous ensemble comes from ensembler '" +
          lineage.previous->ensembler + "'; the search has " + known;
  return std::nullopt;
}

} // namespace ingot::ensemble
