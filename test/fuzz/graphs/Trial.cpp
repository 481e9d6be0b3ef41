//===- Trial.cpp - One recipe, compiled and run in several ways -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// If the bytes of two results differ, the difference must be explained by
// rounding: it is compared with how far the reference's own results move if
// initial values and data change by relative noise of 6e-8, about a rounding
// error. This measures how sensitive the graph is to the order of its sums.
//
//===----------------------------------------------------------------------===//

#include "TrialWays.h"

#include "codegen/CPU/CPUBackend.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ingot::fuzz {

const char *nameOf(Verdict::Kind kind) {
  constexpr const char *names[] = {"equal",   "close",     "refused",
                                   "stopped", "different", "crash"};
  return names[kind];
}

using trials::TrainingOutcome;

/// The exit code with which the compiler rejects a graph that it does not
/// support.
static constexpr int uncompilable = 3;

/// Returns the caches that a program's kernels are planned for: this machine's,
/// or small ones, which give small GEMMs the packing and the blocks of large
/// ones. All levels and ranks have the same.
static std::optional<cpu::CacheHierarchy> cachesFor(const std::string &text) {
  if (llvm::xxh3_64bits(text) % 2 == 0)
    return std::nullopt;
  return llvm::cantFail(cpu::parseCaches("4K,8K,16K"));
}

int Trial::compile(const std::string &text, const std::string &name,
                   const std::string &cpu, const OptionalPassSet &rewrites,
                   Adjust adjust) {
  return trials::isolate(path(name + ".log"), 120, [&] {
    driver::CompileOptions compiling;
    compiling.input = "graph.mlir";
    compiling.program = text;
    compiling.output = path(name);
    compiling.strip = true;
    compiling.sdk = options.runtime;
    // LLVM's optimizations keep all results, so do few of them: none for the
    // reference, which has the most kernels.
    compiling.optimization = rewrites.areAll() ? 1 : 0;
    compiling.backends.push_back(cpu::createBackend(
        cpu, /*sanitizesAddresses=*/false, rewrites, cachesFor(text)));
    adjust(compiling);
    if (!options.cache.empty()) {
      if (auto cache = driver::KernelCache::open(options.cache))
        compiling.cache = *cache;
      else
        llvm::consumeError(cache.takeError());
    }
    return driver::compile(compiling);
  });
}

TrainingOutcome Trial::train(const std::string &name, const std::string &folder,
                             unsigned threads, int64_t steps,
                             const std::vector<std::string> &launcher,
                             const std::vector<std::string> &more) {
  std::vector<std::string> flags = {"--threads", std::to_string(threads)};
  flags.insert(flags.end(), more.begin(), more.end());
  for (const std::string &fetch : fetchesOf(towers))
    flags.insert(flags.end(), {"--fetch", fetch});
  return trials::train(path(name), path(folder), steps, flags, launcher);
}

TrainingOutcome Trial::compileAndTrain(uint64_t noise, const std::string &name,
                                       const OptionalPassSet &rewrites) {
  std::string why;
  std::optional<std::string> text =
      noise == 0 ? program : buildProgram(towers, noise, why);
  if (!text || compile(*text, name, options.cpu, rewrites) != 0)
    return {1, why, "", "", {}};
  return train(name, name + ".run", 1, steps);
}

/// The number of runs with noise that show how far rounding moves a result.
static constexpr unsigned maxNoisyRuns = 3;

/// Returns whether training has made values too large to square, or infinite
/// with no finite value left.
static bool overflows(const std::vector<double> &values) {
  return trials::largest(values) > 1e18 ||
         (llvm::none_of(values, [](double x) { return std::isfinite(x); }) &&
          llvm::any_of(values, [](double x) { return std::isinf(x); }));
}

/// Returns the largest difference between two elements at the same index. After
/// an overflow, rounding decides between infinity and NaN, so these count as
/// equal.
static double distanceOf(std::vector<double> a, std::vector<double> b) {
  if (overflows(a))
    for (std::vector<double> *values : {&a, &b})
      for (double &value : *values)
        if (!std::isfinite(value))
          value = NAN;
  return trials::distance(a, b);
}

/// Returns whether two results differ only in signs of NaNs. x86 takes a NaN
/// from one operand, and compilers order operands as they like, so the sign is
/// no part of a result.
static bool differOnlyInSignsOfNaNs(const TrainingOutcome &a,
                                    const TrainingOutcome &b) {
  if (a.losses != b.losses || a.data.size() != b.data.size())
    return false;
  for (size_t i = 0; i < a.data.size(); ++i) {
    auto byte = [&](size_t at) { return static_cast<uint8_t>(a.data[at]); };
    if (a.data[i] == b.data[i])
      continue;
    // The two highest bytes of a quiet NaN, of f32, f64 or bf16: the sign, an
    // exponent of ones, and the first bit of the mantissa.
    bool isNaN =
        i > 0 && (byte(i) & 0x7f) == 0x7f && (byte(i - 1) & 0xc0) == 0xc0;
    if (!isNaN || (byte(i) ^ static_cast<uint8_t>(b.data[i])) != 0x80)
      return false;
  }
  return true;
}

void Trial::widenSpread(const TrainingOutcome &expected) {
  TrainingOutcome moved =
      compileAndTrain(++noisyRuns, "noisy", OptionalPassSet::none());
  // A run that failed has no tensors, and would explain any difference.
  if (moved.code != 0)
    return;
  for (const auto &[name, values] : expected.tensors)
    spread[name] =
        std::max(spread[name], distanceOf(values, moved.tensors[name]));
  llvm::sys::fs::remove_directories(path("noisy.run"));
}

/// Returns whether a tensor, a fetch or a variable, depends on a tower.
static bool dependsOn(llvm::StringRef tensor, const Towers &towers,
                      size_t tower) {
  tensor.consume_front("fetch ");
  return tensor == "loss" || tensor.starts_with(nameOfTower(towers, tower));
}

/// Returns how far rounding may move a tensor whose largest element is
/// `largest`, besides what noise shows.
double Trial::roundingOf(const std::string &tensor, double largest) const {
  double relative = 4e-6, absolute = 1e-9;
  for (size_t tower = 0; tower < towers.size(); ++tower) {
    if (!dependsOn(tensor, towers, tower))
      continue;
    // A step of FTRL adds `(sqrt(n + g * g) - sqrt(n)) / rate * w` to the slot
    // z. If g * g is rounded up instead of down, n changes by an ulp and z by
    // 2.4e-7 * w for n = 0.1 and the rate 0.05. That happens to one of many
    // thousand elements, so few runs with noise do not show it.
    if (towers[tower].optimizer == Recipe::ftrl)
      absolute = 1e-6;
    // A batch norm subtracts a mean that may be a hundred times as large as the
    // result, and its rounding error changes all elements alike. Noise changes
    // each element by itself, and so the mean by much less.
    if (llvm::any_of(towers[tower].nodes, [](const Node &node) {
          return node.kind == "batch_norm";
        }))
      relative = 4e-5;
  }
  return relative * largest + absolute;
}

std::string Trial::findUnexplained(const TrainingOutcome &found,
                                   const TrainingOutcome &expected) {
  for (const auto &[name, values] : expected.tensors) {
    auto other = found.tensors.find(name);
    double apart = other == found.tensors.end()
                       ? HUGE_VAL
                       : distanceOf(values, other->second);
    // Allow a difference of twelve times the effect of noise, plus rounding.
    double bound =
        12 * spread[name] + roundingOf(name, trials::largest(values));
    if (apart > bound) {
      std::ostringstream text;
      text << name << " is off by " << apart << ", noise moves " << spread[name]
           << ", largest " << trials::largest(values);
      return text.str();
    }
  }
  return "";
}

Verdict Trial::compare(const TrainingOutcome &found,
                       const TrainingOutcome &expected, const std::string &what,
                       bool exactly) {
  // A run may fail, but then both runs must fail with the same exit code. Codes
  // from 128 on mean that a signal ended the run.
  if (found.code >= 128 || expected.code >= 128)
    return {Verdict::Crash,
            what + ": run ended by signal " +
                std::to_string(std::max(found.code, expected.code) - 128)};
  if (found.code != expected.code)
    return {Verdict::Different, what + ": exit code " +
                                    std::to_string(found.code) + ", not " +
                                    std::to_string(expected.code) + ": " +
                                    found.message + expected.message};
  if (found.code != 0)
    return {Verdict::Stopped, found.message};
  if (found.data.empty() || expected.data.empty() || expected.losses.empty())
    return {Verdict::Crash, what + ": a run left no losses or no checkpoint"};
  if (found.losses == expected.losses && found.data == expected.data)
    return {Verdict::Equal, ""};
  if (exactly)
    return {Verdict::Different, what + ": results or checkpoints differ"};
  // Noise only widens the bound, so add runs with noise only while a
  // difference is beyond it: each costs a compilation.
  for (std::string apart = findUnexplained(found, expected); !apart.empty();
       apart = findUnexplained(found, expected)) {
    if (noisyRuns == maxNoisyRuns)
      return {Verdict::Different, what + ": " + apart};
    widenSpread(expected);
  }
  return {Verdict::Close, what};
}

/// Trains the optimized program again: with three threads, and with a stop and
/// a restart in the middle, as the options say. Both runs must have bitwise the
/// same results as `usual`.
Verdict Trial::compareRuns(const TrainingOutcome &usual) {
  if (options.threads) {
    TrainingOutcome three = train("default", "threads", 3, steps);
    Verdict verdict = compare(three, usual, "3 threads", /*exactly=*/true);
    if (verdict.isFault())
      return verdict;
  }
  if (options.resumes && steps > 2) {
    train("default", "resumed", 1, steps / 2);
    TrainingOutcome resumed = train("default", "resumed", 1, steps);
    // Do not compare the losses: the resumed run has written only those of the
    // second half.
    resumed.losses = usual.losses;
    Verdict verdict = compare(resumed, usual, "resumed", /*exactly=*/true);
    if (verdict.isFault())
      return verdict;
  }
  return {};
}

/// Compiles for two more levels of processors. The newer one has the same bytes
/// as `usual`, but for signs of NaNs, the older one lacks fused multiply-add.
Verdict Trial::compareLevels(const TrainingOutcome &usual,
                             const TrainingOutcome &plain) {
  if (int code = compile(program, "level", "x86-64-v3", OptionalPassSet::all()))
    return {Verdict::Crash, "x86-64-v3: exit code " + std::to_string(code)};
  TrainingOutcome newer = train("level", "level.run", 1, steps);
  if (differOnlyInSignsOfNaNs(newer, usual))
    newer.data = usual.data;
  Verdict level = compare(newer, usual, "x86-64-v3", /*exactly=*/true);
  if (level.isFault())
    return level;
  if (int code = compile(program, "level", "x86-64-v2", OptionalPassSet::all()))
    return {Verdict::Crash, "x86-64-v2: exit code " + std::to_string(code)};
  return compare(train("level", "level2.run", 1, steps), plain, "x86-64-v2",
                 /*exactly=*/false);
}

/// Compiles so that a step needs the least memory. It recomputes values by the
/// same kernels, so that runs with one thread and with three have the same
/// bytes as `usual`.
Verdict Trial::compareLeastMemory(const TrainingOutcome &usual) {
  int code = compile(
      program, "least", options.cpu, OptionalPassSet::all(),
      [](driver::CompileOptions &compiling) { compiling.maxStepMemory = 0; });
  if (code != 0)
    return {Verdict::Crash, "least memory: exit code " + std::to_string(code) +
                                ": " + trials::readFile(path("least.log"))};
  Verdict verdict = compare(train("least", "least.run", 1, steps), usual,
                            "least memory", /*exactly=*/true);
  return verdict.isFault()
             ? verdict
             : compare(train("least", "least3.run", 3, steps), usual,
                       "least memory, 3 threads", /*exactly=*/true);
}

Verdict Trial::run() {
  llvm::sys::fs::remove_directories(options.work);
  llvm::sys::fs::create_directories(options.work);
  std::string why;
  std::optional<std::string> text = buildProgram(towers, 0, why);
  if (!text)
    return {Verdict::Refused, "builder: " + why};
  program = *text;
  int usualCode =
      compile(program, "default", options.cpu, OptionalPassSet::all());
  int plainCode =
      compile(program, "reference", options.cpu, OptionalPassSet::none());
  for (auto [code, name] :
       {std::pair(usualCode, "default"), std::pair(plainCode, "reference")})
    if (code != 0 && code != uncompilable)
      return {Verdict::Crash,
              std::string(name) + " compiler, exit code " +
                  std::to_string(code) + ": " +
                  trials::readFile(path(std::string(name) + ".log"))};
  if (usualCode != plainCode)
    return {Verdict::Different,
            "only one is refused: " + trials::readFile(path("default.log")) +
                trials::readFile(path("reference.log"))};
  if (usualCode != 0)
    return {Verdict::Refused, trials::readFile(path("default.log"))};
  // A rewrite set that does not reach the compiler, or its caches, would
  // compare a program with itself.
  if (trials::readFile(path("default")) == trials::readFile(path("reference")))
    return {Verdict::Crash, "default and reference are one program"};
  TrainingOutcome usual = train("default", "usual", 1, steps);
  TrainingOutcome plain = train("reference", "plain", 1, steps);
  Verdict verdict =
      compare(usual, plain, "default against reference", /*exactly=*/false);
  if (verdict.isFault() || verdict.kind == Verdict::Stopped)
    return verdict;
  Verdict runs = compareRuns(usual);
  if (runs.isFault())
    return runs;
  if (options.levels)
    if (Verdict levels = compareLevels(usual, plain); levels.isFault())
      return levels;
  if (options.memory)
    if (Verdict least = compareLeastMemory(usual); least.isFault())
      return least;
  if (options.slices && towers.size() == 1)
    if (Verdict slices = compareSlices(plain); slices.isFault())
      return slices;
  if (options.device && towers.size() == 1)
    if (Verdict device = compareDevice(plain); device.isFault())
      return device;
  return verdict;
}

Verdict tryTowers(const Towers &towers, const TrialOptions &options) {
  Verdict verdict = Trial(towers, options).run();
  if (towers.size() == 1 || verdict.isFault() ||
      !(options.slices || options.device))
    return verdict;
  Towers first = {towers.front()};
  TrialOptions rest = options;
  rest.threads = rest.levels = rest.resumes = false;
  Verdict alone = Trial(first, rest).run();
  return alone.isFault() ? alone : verdict;
}

} // namespace ingot::fuzz
