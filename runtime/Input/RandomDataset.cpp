//===- RandomDataset.cpp - Random numbers as elements ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// RandomDataset and RandomDatasetV2: random scalars from 0 to 2^32 - 1. All
// passes yield the same numbers, unless rerandomize_each_iteration is true.
//===----------------------------------------------------------------------===//
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/Random.h"

#include <sys/random.h>

namespace ingot::input {

namespace {

class RandomIterator final : public DatasetIterator {
public:
  RandomIterator(TensorMemoryPool &pool, uint64_t seed, uint64_t seed2,
                 bool rerandomize, bool randomSeeds)
      : pool(pool), seed(seed), seed2(seed2), rerandomize(rerandomize),
        randomSeeds(randomSeeds), seeds(seed, seed2, rerandomize),
        samples(seed, seed2) {}

  Status start() override {
    passSeeds = seeds.next();
    drawn = 0;
    samples = RandomSampleStream(passSeeds[0], passSeeds[1]);
    return Status::ok();
  }

  Status next(Element &element, bool &end) override {
    end = false;
    ++drawn;
    element.resize(1);
    element[0] = Tensor::allocate(pool, INGOT_INT64, {});
    *static_cast<int64_t *>(element[0].mutableData()) = samples.next();
    return Status::ok();
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    drawn += count;
    samples = RandomSampleStream(passSeeds[0], passSeeds[1], drawn);
    skipped = count;
    return Status::ok();
  }

  void save(NodeState &state) const override {
    state.set_seeds_drawn(seeds.drawn());
    state.set_seed(passSeeds[0]);
    state.set_seed2(passSeeds[1]);
    state.set_drawn(drawn);
    if (randomSeeds) {
      state.set_source_seed(seed);
      state.set_source_seed2(seed2);
    }
  }

  Status restore(const NodeState &state) override {
    if (randomSeeds) {
      seed = state.source_seed();
      seed2 = state.source_seed2();
      seeds = SeedGenerator(seed, seed2, rerandomize);
    }
    seeds.seek(rerandomize ? state.seeds_drawn() : 0);
    passSeeds = {state.seed(), state.seed2()};
    drawn = state.drawn();
    samples = RandomSampleStream(passSeeds[0], passSeeds[1], drawn);
    return Status::ok();
  }

private:
  TensorMemoryPool &pool;
  uint64_t seed, seed2;
  bool rerandomize;
  bool randomSeeds; // the graph has no seeds
  SeedGenerator seeds;
  std::array<uint64_t, 2> passSeeds{};
  RandomSampleStream samples;
  uint64_t drawn = 0;
};

} // namespace

static Expected<std::unique_ptr<DatasetIterator>>
makeRandomDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(int64_t seed, context.integer(0));
  INGOT_ASSIGN_OR_RETURN(int64_t seed2, context.integer(1));
  uint64_t seeds[2] = {static_cast<uint64_t>(seed),
                       static_cast<uint64_t>(seed2)};
  bool randomSeeds = seed == 0 && seed2 == 0;
  if (randomSeeds && getentropy(seeds, sizeof(seeds)))
    return Status(StatusCode::Unavailable,
                  context.name() + ": cannot read random numbers from the "
                                   "system: give the dataset a seed");
  return {std::make_unique<RandomIterator>(
      context.env().pool, seeds[0], seeds[1],
      context.attribute("rerandomize_each_iteration", 0) != 0, randomSeeds)};
}

static constexpr DatasetOperandConstraint randomOperands[] = {
    {"seed", INGOT_INT64}, {"seed2", INGOT_INT64}};
static constexpr const char *randomAttributes[] = {
    "rerandomize_each_iteration"};
INGOT_DATASET(random_dataset) = {.make = makeRandomDataset,
                                 .numInputs = 0,
                                 .operands = randomOperands,
                                 .attributes = randomAttributes};

} // namespace ingot::input
