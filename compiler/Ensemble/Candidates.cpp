//===- Candidates.cpp - The candidate ensembles of an iteration -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/Candidates.h"

#include <numeric>

using namespace ingot::adanet;

namespace ingot::ensemble {

const std::string &nameOf(const Ensembler &ensembler) {
  return std::visit(
      [](const auto &it) -> const std::string & { return it.name; }, ensembler);
}

std::string Candidate::fullName() const {
  return "t" + std::to_string(iteration) + "_" + name + "_" +
         nameOf(*ensembler);
}

std::string Candidate::scope(const std::string &kind) const {
  return "adanet/iteration_" + std::to_string(iteration) + "/" + kind + "_" +
         fullName();
}

/// Appends to `candidates` the ensembles that `strategy` (all, solo or grow)
/// forms from the members of the previous ensemble and the iteration's new
/// members.
static void addStrategy(const Strategy &strategy, const Ensembler &ensembler,
                        const Lineage &lineage,
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
    // The suffix ".keepN" tells runtime/AdaNet/Selection.cpp that this
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
                                    const Lineage &lineage) {
  std::vector<Candidate> candidates;
  // An iteration without new members has no new ensembles.
  if (lineage.builders.empty())
    return candidates;
  for (const Ensembler &ensembler : search.ensemblers)
    for (const Strategy &strategy : search.strategies)
      addStrategy(strategy, ensembler, lineage, candidates);
  return candidates;
}

static const Ensembler *findEnsembler(const Search &search,
                                      const std::string &name) {
  for (const Ensembler &ensembler : search.ensemblers)
    if (nameOf(ensembler) == name)
      return &ensembler;
  return nullptr;
}

std::vector<Candidate> earlierOf(const Search &search, const Lineage &lineage) {
  std::vector<Candidate> candidates;
  for (const Lineage::Earlier &one : lineage.earlier)
    if (const Ensembler *ensembler =
            findEnsembler(search, one.ensemble.ensembler))
      candidates.push_back({one.ensemble.iteration, one.ensemble.candidate,
                            ensembler, one.members});
  return candidates;
}

std::optional<Candidate>
previousOf(const Search &search, const Lineage &lineage, std::string &error) {
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
