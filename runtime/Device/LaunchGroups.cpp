//===- LaunchGroups.cpp - Small launches side by side ---------------------===//

#include "runtime/Device/LaunchGroups.h"

#include "runtime/Device/Parallel.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace ingot {

namespace {

/// So many rows are compared with each other.
constexpr size_t windowRows = 64;

/// Arithmetic that a launch takes at the least, and that of a byte.
constexpr int64_t launchCost = 2000, byteCost = 2;

/// What is larger runs by itself; sums of a window's launches stay numbers.
constexpr int64_t maxCost = int64_t(1) << 48;

/// Memory that a launch reads or writes.
struct Range {
  uintptr_t begin, end;
  bool isWritten;
};

struct Launch {
  uint32_t row;
  int64_t flops, bytes; // of all iterations
  int64_t iterations;
  /// Nothing may run beside it: sizes of its grid or of its tensors are
  /// dynamic, or it has several threads for itself.
  bool isAlone;
  std::vector<Range> ranges;
  std::vector<uint32_t> before; // launches of the window that it waits for
  /// Even stages are shared by threads; odd ones hold what runs by itself.
  uint32_t stage = 0;
  uint32_t chain = 0;  // of its stage
  uint32_t thread = 0; // that runs its chain

  int64_t cost() const {
    return launchCost + std::max(flops, byteCost * bytes);
  }
};

/// Launches of a stage that depend on each other: one thread runs them.
struct Chain {
  std::vector<uint32_t> launches;
  int64_t cost = 0;
};

bool conflict(const Launch &a, const Launch &b) {
  if (a.isAlone || b.isAlone)
    return true;
  for (const Range &x : a.ranges)
    for (const Range &y : b.ranges)
      if ((x.isWritten || y.isWritten) && x.begin < y.end && y.begin < x.end)
        return true;
  return false;
}

/// What both touch.
int64_t commonBytes(const Launch &a, const Launch &b) {
  int64_t bytes = 0;
  for (const Range &x : a.ranges)
    for (const Range &y : b.ranges)
      if (x.begin < y.end && y.begin < x.end)
        bytes += std::min(x.end, y.end) - std::max(x.begin, y.begin);
  return bytes;
}

/// Rows that are looked at together. Chains of launches that share no memory
/// run side by side until a launch needs what several of them computed.
class Window {
public:
  Window(std::vector<Launch> launches, unsigned threads)
      : launches(std::move(launches)), threads(threads) {}

  /// Adds the stages of the window; whether any has several threads.
  bool schedule(std::vector<LaunchStage> &stages);

private:
  void order();
  void place(uint32_t index);
  void follow();
  std::vector<Chain> chainsOf(uint32_t stage) const;
  unsigned nearestThread(const Chain &chain,
                         const std::vector<uint32_t> &assigned) const;
  int64_t assign(const std::vector<Chain> &chains);

  std::vector<Launch> launches;
  unsigned threads;
  uint32_t numStages = 0;
};

} // namespace

/// Finds the stage and the chain of a launch: behind all that it waits for, in
/// the chain of that where it is one.
void Window::place(uint32_t index) {
  Launch &launch = launches[index];
  launch.chain = index;
  for (uint32_t j : launch.before)
    launch.stage = std::max(launch.stage, launches[j].stage);
  bool isShared = launch.stage % 2 == 0;
  if (launch.isAlone || !isShared) {
    launch.stage += launch.isAlone == isShared;
    return;
  }
  std::optional<uint32_t> chain;
  for (uint32_t j : launch.before) {
    if (launches[j].stage != launch.stage)
      continue;
    if (chain && *chain != launches[j].chain) {
      launch.stage += 2;
      return;
    }
    chain = launches[j].chain;
  }
  if (chain)
    launch.chain = *chain;
}

void Window::order() {
  for (uint32_t i = 0; i < launches.size(); ++i) {
    for (uint32_t j = 0; j < i; ++j)
      if (conflict(launches[i], launches[j]))
        launches[i].before.push_back(j);
    place(i);
    numStages = std::max(numStages, launches[i].stage + 1);
  }
}

/// What only one chain waits for, of several that come next, goes along with
/// it: its data stay in one core's caches.
void Window::follow() {
  std::vector<std::set<uint32_t>> chains(numStages);
  for (const Launch &launch : launches)
    chains[launch.stage].insert(launch.chain);
  std::vector<std::optional<uint32_t>> next(launches.size());
  std::vector<bool> isOneChain(launches.size(), true);
  for (uint32_t i = launches.size(); i-- > 0;) {
    Launch &launch = launches[i];
    if (next[i] && isOneChain[i] && !launch.isAlone &&
        launches[*next[i]].stage % 2 == 0 &&
        chains[launches[*next[i]].stage].size() > 1) {
      launch.stage = launches[*next[i]].stage;
      launch.chain = launches[*next[i]].chain;
    }
    for (uint32_t j : launch.before)
      if (!next[j] || launch.stage < launches[*next[j]].stage) {
        next[j] = i;
        isOneChain[j] = true;
      } else if (launch.stage == launches[*next[j]].stage) {
        isOneChain[j] =
            isOneChain[j] && launch.chain == launches[*next[j]].chain;
      }
  }
}

std::vector<Chain> Window::chainsOf(uint32_t stage) const {
  std::vector<Chain> chains;
  std::unordered_map<uint32_t, size_t> known;
  for (uint32_t i = 0; i < launches.size(); ++i) {
    const Launch &launch = launches[i];
    if (launch.stage != stage)
      continue;
    auto [found, isNew] = known.try_emplace(launch.chain, chains.size());
    if (isNew)
      chains.emplace_back();
    chains[found->second].launches.push_back(i);
    chains[found->second].cost += launch.cost();
  }
  // The longest first: what is left is divided more evenly.
  std::stable_sort(
      chains.begin(), chains.end(),
      [](const Chain &a, const Chain &b) { return a.cost > b.cost; });
  return chains;
}

/// The thread of those that work on most of the same memory.
unsigned Window::nearestThread(const Chain &chain,
                               const std::vector<uint32_t> &assigned) const {
  std::vector<int64_t> common(threads);
  for (uint32_t i : chain.launches)
    for (uint32_t j : assigned)
      common[launches[j].thread] += commonBytes(launches[i], launches[j]);
  return std::max_element(common.begin(), common.end()) - common.begin();
}

/// Gives each chain a thread; how long the longest share is.
int64_t Window::assign(const std::vector<Chain> &chains) {
  std::vector<int64_t> load(threads);
  std::vector<uint32_t> assigned;
  int64_t total = 0;
  for (const Chain &chain : chains)
    total += chain.cost;
  for (const Chain &chain : chains) {
    // An eighth more to do is less than what comes from another core's caches.
    unsigned thread = nearestThread(chain, assigned);
    if (load[thread] + chain.cost > total / threads / 8 * 9)
      thread = std::min_element(load.begin(), load.end()) - load.begin();
    load[thread] += chain.cost;
    for (uint32_t i : chain.launches)
      launches[i].thread = thread;
    assigned.insert(assigned.end(), chain.launches.begin(),
                    chain.launches.end());
  }
  return *std::max_element(load.begin(), load.end());
}

bool Window::schedule(std::vector<LaunchStage> &stages) {
  order();
  follow();
  bool isShared = false;
  for (uint32_t number = 0; number < numStages; ++number) {
    std::vector<Chain> chains = chainsOf(number);
    int64_t gain = 0;
    if (number % 2 == 0) {
      for (const Chain &chain : chains)
        gain += chain.cost;
      gain -= assign(chains);
    }
    bool isWorth = gain > 0 && isWorthThreads(2, gain / 2, 0);
    LaunchStage stage;
    if (isWorth)
      stage.shares.resize(threads);
    for (const Launch &launch : launches) {
      if (launch.stage != number)
        continue;
      if (isWorth)
        stage.shares[launch.thread].push_back(
            {launch.row, 0, launch.iterations});
      else
        stages.push_back({launch.row, {}});
    }
    if (isWorth)
      stages.push_back(std::move(stage));
    isShared |= isWorth;
  }
  return isShared;
}

namespace {

/// Describes the rows of an entry.
class Describer {
public:
  Describer(const ingot_program &program, uint32_t target,
            std::span<const KernelPlan> kernels, void *const *slots,
            std::span<const ingot_argument> fixed)
      : program(program), target(target), kernels(kernels), slots(slots) {
    for (const ingot_argument &argument : fixed)
      fixedSlots.insert(argument.slot);
  }

  Launch describe(const ingot_launch &row, uint32_t index);
  std::vector<uint32_t> takeOpenSlots() { return std::move(openSlots); }

private:
  /// Whether the launch can be told apart from others by what it touches.
  bool touch(Launch &launch, uint32_t slot, int64_t size, bool isWritten);

  const ingot_program &program;
  uint32_t target;
  std::span<const KernelPlan> kernels;
  void *const *slots;
  std::unordered_set<uint32_t> fixedSlots;
  std::vector<uint32_t> openSlots;
};

} // namespace

bool Describer::touch(Launch &launch, uint32_t slot, int64_t size,
                      bool isWritten) {
  if (!fixedSlots.contains(slot)) {
    openSlots.push_back(slot);
    return !isWritten;
  }
  auto begin = reinterpret_cast<uintptr_t>(slots[slot]);
  launch.ranges.push_back({begin, begin + size, isWritten});
  return size > 0;
}

/// What the row's kernel reads and writes.
Launch Describer::describe(const ingot_launch &row, uint32_t index) {
  const ingot_kernel_info &info = program.kernels[row.kernel];
  const ingot_kernel_code &code = info.code[target];
  const KernelPlan &plan = kernels[row.kernel];
  Launch launch = {.row = index,
                   .flops = 0,
                   .bytes = 0,
                   .iterations = plan.iterations,
                   .isAlone = plan.isParallel || plan.iterations < 1,
                   .ranges = {},
                   .before = {}};
  launch.isAlone |=
      launch.isAlone ||
      __builtin_mul_overflow(code.flops, plan.iterations, &launch.flops) ||
      __builtin_mul_overflow(code.bytes, plan.iterations, &launch.bytes) ||
      launch.flops > maxCost || launch.bytes > maxCost;
  for (uint32_t i = 0; i < info.num_arguments && !launch.isAlone; ++i) {
    const ingot_tensor_spec &spec = info.arguments[i];
    int64_t size = static_cast<int64_t>(dtypeSize(spec.dtype));
    for (uint32_t dim = 0; dim < spec.rank; ++dim)
      launch.isAlone |= spec.dims[dim] < 0 ||
                        __builtin_mul_overflow(size, spec.dims[dim], &size);
    launch.isAlone |= launch.isAlone || !touch(launch, row.arguments + i, size,
                                               i >= info.num_inputs);
  }
  if (code.scratch_size > 0 && !launch.isAlone)
    launch.isAlone = !touch(launch, row.arguments + info.num_arguments,
                            code.scratch_size, /*isWritten=*/true);
  return launch;
}

LaunchSchedule scheduleLaunches(const ingot_program &program, uint32_t target,
                                std::span<const KernelPlan> kernels,
                                unsigned threads, void *const *slots,
                                std::span<const ingot_argument> fixed,
                                std::span<const ingot_launch> rows) {
  LaunchSchedule schedule;
  Describer describer(program, target, kernels, slots, fixed);
  bool isShared = false;
  for (size_t first = 0; first < rows.size(); first += windowRows) {
    std::vector<Launch> launches;
    size_t end = std::min(rows.size(), first + windowRows);
    for (size_t row = first; row < end; ++row)
      launches.push_back(describer.describe(rows[row], row));
    isShared |= Window(std::move(launches), threads).schedule(schedule.stages);
  }
  if (!isShared)
    return {};
  schedule.openSlots = describer.takeOpenSlots();
  return schedule;
}

namespace {
/// What each thread is given of a stage.
struct StageRun {
  const LaunchStage &stage;
  std::span<const KernelPlan> kernels;
  void *const *slots;
  const ingot_launch *rows;
};
} // namespace

/// A kernel in form: its grid are the threads' shares.
static void runShares(void *const *arguments, int64_t begin, int64_t end) {
  const StageRun &run = *static_cast<const StageRun *>(arguments[0]);
  for (int64_t share = begin; share < end; ++share)
    for (const LaunchPart &part : run.stage.shares[share]) {
      const ingot_launch &row = run.rows[part.row];
      run.kernels[row.kernel].run(run.slots + row.arguments, part.begin,
                                  part.end);
    }
}

void runStage(const LaunchStage &stage, std::span<const KernelPlan> kernels,
              unsigned threads, void *const *slots, const ingot_launch *rows) {
  StageRun run = {stage, kernels, slots, rows};
  void *arguments[] = {&run};
  parallelFor(threads, runShares, static_cast<int64_t>(stage.shares.size()),
              arguments);
}

} // namespace ingot
