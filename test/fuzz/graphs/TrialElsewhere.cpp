//===- TrialElsewhere.cpp - A trial's graph on ranks and on a device ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Slices of a batch and kernels for a GPU add up in other orders than the
// reference, so results may differ as far as rounding explains. Any number of
// ranks has the same bytes.
//
//===----------------------------------------------------------------------===//

#include "TrialWays.h"

#include "codegen/PTX/PTXBackend.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

namespace ingot::fuzz {

static std::string crash(int code, const std::string &log) {
  return "exit code " + std::to_string(code) + ": " + trials::readFile(log);
}

namespace {
/// Environment variables of the processes that are started while this lives.
class Environment {
public:
  explicit Environment(std::vector<std::pair<std::string, std::string>> set)
      : variables(std::move(set)) {
    for (auto &[name, value] : variables) {
      const char *old = getenv(name.c_str());
      std::string before = old ? old : "";
      setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
      value = before;
      isSet.push_back(old != nullptr);
    }
  }
  ~Environment() {
    for (size_t i = 0; i < variables.size(); ++i) {
      const auto &[name, before] = variables[i];
      if (isSet[i])
        setenv(name.c_str(), before.c_str(), /*overwrite=*/1);
      else
        unsetenv(name.c_str());
    }
  }
  Environment(const Environment &) = delete;

private:
  std::vector<std::pair<std::string, std::string>> variables;
  std::vector<bool> isSet;
};
} // namespace

Verdict Trial::compareSlices(const Outcome &plain) {
  const Recipe &recipe = towers.front();
  unsigned slices = std::min<uint64_t>(2 + recipe.seed % 3, recipe.batch);
  if (slices < 2)
    return {};
  std::string what = std::to_string(slices) + " slices";
  int code = compile(program, "sliced", options.cpu, OptionalPassSet::all(),
                     [&](driver::CompileOptions &compiling) {
                       compiling.isParallel = true;
                       compiling.slices = slices;
                     });
  if (code != 0)
    return {Verdict::Crash,
            what + ": compiler, " + crash(code, path("sliced.log"))};
  Outcome sliced = train("sliced", "sliced.run", 1, steps);
  Verdict verdict = compare(sliced, plain, what, /*exactly=*/false);
  if (verdict.isFault() || options.launcher.empty())
    return verdict;
  // Open MPI refuses to start processes for root, and copies between processes
  // in a way that containers do not permit, unless it is told otherwise.
  Environment mpi({{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                   {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                   {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}});
  verdict = compare(train("sliced", "ranks.run", 1, steps, launcherOf(slices),
                          flagsOfRanks()),
                    sliced, what + " on ranks", /*exactly=*/true);
  return verdict.isFault() ? verdict : compareSharded(sliced, slices);
}

/// Returns the launcher of two ranks or, for some recipes, of as many ranks as
/// there are slices.
std::vector<std::string> Trial::launcherOf(unsigned slices) const {
  std::vector<std::string> launcher = options.launcher;
  if (towers.front().seed / 3 % 2 == 1)
    launcher.back() = std::to_string(slices);
  return launcher;
}

/// Returns the flags that choose how ranks exchange: by shared memory or
/// messages, beside the backward pass or after it.
std::vector<std::string> Trial::flagsOfRanks() const {
  uint64_t choice = towers.front().seed / 6;
  return {"--shared-memory", choice % 2 == 0 ? "yes" : "no",
          "--overlap-exchanges", choice / 2 % 2 == 0 ? "no" : "yes"};
}

/// Compares ranks that divide all slots of optimizers with a program that does
/// not.
Verdict Trial::compareSharded(const Outcome &whole, unsigned slices) {
  std::string what = std::to_string(slices) + " slices, divided slots";
  int code = compile(program, "sharded", options.cpu, OptionalPassSet::all(),
                     [&](driver::CompileOptions &compiling) {
                       compiling.isParallel = true;
                       compiling.slices = slices;
                       compiling.leastShardedBytes = 1;
                     });
  if (code != 0)
    return {Verdict::Crash,
            what + ": compiler, " + crash(code, path("sharded.log"))};
  return compare(train("sharded", "sharded.run", 1, steps, launcherOf(slices),
                       flagsOfRanks()),
                 whole, what + " on ranks", /*exactly=*/true);
}

/// Compiles the program's kernels for the emulated device, which finds them in
/// the trial's folder. Returns an error message, or "".
std::string Trial::emulateKernels() {
  std::string image = path("kernels.ptx"), ir = path("kernels.ll");
  for (auto [output, form] : {std::pair(image, ptx::KernelCodeFormat::PTX),
                              std::pair(ir, ptx::KernelCodeFormat::IR)}) {
    auto adjust = [&, &output = output,
                   form = form](driver::CompileOptions &compiling) {
      compiling.emit = driver::OutputKind::Kernels;
      compiling.output = output;
      compiling.backends.clear();
      compiling.backends.push_back(ptx::createBackend("sm_80", form));
    };
    if (int code = compile(program, "kernels", options.cpu,
                           OptionalPassSet::all(), adjust))
      return crash(code, path("kernels.log"));
  }
  std::string log = path("emulate.log");
  int code = trials::isolate(log, 120, [&] {
    execl(options.emulator.c_str(), options.emulator.c_str(), ir.c_str(),
          "--image", image.c_str(), "-o", options.work.c_str(), "--check",
          nullptr);
    return 127;
  });
  return code == 0 ? "" : crash(code, log);
}

Verdict Trial::compareDevice(const Outcome &plain) {
  int code = compile(program, "device", options.cpu, OptionalPassSet::all(),
                     [&](driver::CompileOptions &compiling) {
                       if (options.memory)
                         compiling.maxStepMemory = 0;
                       compiling.devices.push_back(ptx::createBackend("sm_80"));
                       compiling.isDeviceDefault = true;
                     });
  if (code != 0)
    return {Verdict::Crash,
            "device: compiler, " + crash(code, path("device.log"))};
  if (std::string error = emulateKernels(); !error.empty())
    return {Verdict::Crash, "device: kernels, " + error};
  Environment driver({{"LD_LIBRARY_PATH", options.cuda},
                      {"INGOT_EMULATED_KERNELS", options.work}});
  Outcome found = train("device", "device.run", 1, steps);
  // Emulated threads may take longer than a trial may.
  if (found.code == 128 + SIGXCPU || found.code == 128 + SIGKILL ||
      found.code == 128 + SIGALRM)
    return {};
  return compare(found, plain, "on a device", /*exactly=*/false);
}

} // namespace ingot::fuzz
