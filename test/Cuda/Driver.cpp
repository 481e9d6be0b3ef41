//===- Driver.cpp - State of the tests' CUDA driver -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Cuda/Driver.h"

#include "test/Emulator/CostReport.h"

#include <cstdio>
#include <cstdlib>
#include <sched.h>

static const char *setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

Driver &Driver::get() {
  static Driver driver;
  return driver;
}

Driver::Driver() {
  // Costs outlive the driver, which writes them last.
  ingot::emulator::allCosts();
  kernelFolder = setting("INGOT_EMULATED_KERNELS");
  isReversed = *setting("INGOT_CUDA_REVERSED") != 0;
  if (*setting("INGOT_CUDA_DEVICES"))
    deviceCount = std::atoi(setting("INGOT_CUDA_DEVICES"));
  if (*setting("INGOT_CUDA_VERSION"))
    version = std::atoi(setting("INGOT_CUDA_VERSION"));
  if (*setting("INGOT_CUDA_CAPABILITY"))
    capability = std::atoi(setting("INGOT_CUDA_CAPABILITY"));
  if (*setting("INGOT_CUDA_TOGETHER"))
    together = std::atoi(setting("INGOT_CUDA_TOGETHER"));
  if (*setting("INGOT_CUDA_CLUSTER"))
    cluster = std::atoi(setting("INGOT_CUDA_CLUSTER"));
  if (*setting("INGOT_CUDA_MEMORY"))
    memory = std::strtoull(setting("INGOT_CUDA_MEMORY"), nullptr, 10);
  std::string fail = setting("INGOT_CUDA_FAIL");
  if (size_t first = fail.find(':'); first != std::string::npos) {
    size_t second = fail.find(':', first + 1);
    this->fail(fail.substr(0, first),
               std::strtoull(fail.c_str() + first + 1, nullptr, 10),
               std::atoi(fail.c_str() + second + 1));
  }
}

Driver::~Driver() {
  writeLog();
  writeCosts();
}

void Driver::writeCosts() {
  std::string path = setting("INGOT_CUDA_COSTS");
  FILE *file = path.empty() ? nullptr : std::fopen(path.c_str(), "w");
  if (!file)
    return;
  const auto &costs = ingot::emulator::allCosts();
  std::fputs((path.ends_with(".json")
                  ? ingot::emulator::costJSON(costs, capability)
                  : ingot::emulator::costTable(costs, capability))
                 .c_str(),
             file);
  std::fclose(file);
}

void Driver::writeLog() {
  const char *path = setting("INGOT_CUDA_LOG");
  FILE *file = *path ? std::fopen(path, "w") : nullptr;
  if (!file)
    return;
  for (const auto &[function, count] : calls)
    std::fprintf(file, "called %s %llu\n", function.c_str(),
                 static_cast<unsigned long long>(count));
  for (const auto &[what, count] : counts)
    std::fprintf(file, "counted %s %llu\n", what.c_str(),
                 static_cast<unsigned long long>(count));
  for (const auto &[kind, objects] : live)
    if (!objects.empty())
      std::fprintf(file, "leaked %s %zu\n", kind.c_str(), objects.size());
  std::fclose(file);
}

void Driver::fail(const std::string &function, uint64_t number,
                  CUresult error) {
  failing = function;
  failingCall = number;
  failure = error;
  lost = CUDA_SUCCESS;
  calls.clear();
  counts.clear();
  allCalls = 0;
}

CUresult Driver::remember(CUresult error) {
  switch (error) {
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_UNKNOWN:
    if (!lost)
      lost = error;
    break;
  default:
    break;
  }
  return error;
}

CUresult Driver::begin(const char *function) {
  ++allCalls;
  uint64_t number = ++calls[function];
  if (failing == "*")
    number = allCalls;
  else if (failing != function)
    number = 0;
  return failure && number == failingCall ? remember(failure) : lost;
}

void Driver::checkNothingIsLeft() {
  for (const auto &[kind, objects] : live)
    if (!objects.empty()) {
      std::fprintf(stderr, "the context is destroyed before %zu of kind '%s'\n",
                   objects.size(), kind.c_str());
      std::abort();
    }
}

bool Driver::covers(const char *kind, const void *data, size_t size) {
  const auto &objects = live[kind];
  auto next = objects.upper_bound(data);
  if (next == objects.begin())
    return false;
  auto [begin, bytes] = *std::prev(next);
  size_t offset =
      static_cast<const char *>(data) - static_cast<const char *>(begin);
  return offset <= bytes && size <= bytes - offset;
}

CUresult Driver::work(CUstream stream, const bool *isDone, bool waits) {
  while (!stream->work.empty() && !(isDone && *isDone)) {
    auto next = std::move(stream->work.front());
    stream->work.pop_front();
    CUresult error = next();
    if (error == CUDA_ERROR_NOT_READY) {
      stream->work.push_front(std::move(next));
      if (!waits)
        return error;
      ::sched_yield();
      continue;
    }
    if (error) {
      stream->work.clear();
      return remember(error);
    }
  }
  return CUDA_SUCCESS;
}

CUresult Driver::workAll() {
  for (const auto &[stream, size] : live["stream"])
    if (CUresult error =
            work(static_cast<CUstream>(const_cast<void *>(stream))))
      return error;
  return CUDA_SUCCESS;
}

CUresult checkWork(CUstream stream, CUdeviceptr address, size_t size) {
  Driver &driver = Driver::get();
  if (!driver.has("stream", stream))
    return CUDA_ERROR_INVALID_HANDLE;
  return driver.covers("memory", reinterpret_cast<const void *>(address), size)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

CUresult checkLaunch(const ingot::emulator::Shape &grid,
                     const ingot::emulator::Shape &block, CUfunction function,
                     unsigned dynamicBytes) {
  if (dynamicBytes > static_cast<unsigned>(function->mostDynamic))
    return CUDA_ERROR_INVALID_VALUE;
  bool fits = grid.count() > 0 && grid.x <= 0x7fffffff && grid.y <= 65535 &&
              grid.z <= 65535 && block.count() > 0 && block.count() <= 1024;
  return fits ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Functions that tests call when they have loaded this driver.

/// Makes the `number`-th call of `function` from now on fail ("*": the
/// `number`-th call of any function). The device is not lost any more, and
/// calls are counted from 0 again.
extern "C" void ingot_test_cuda_fail(const char *function, uint64_t number,
                                     CUresult error) {
  Driver::get().fail(function, number, error);
}

extern "C" uint64_t ingot_test_cuda_calls(const char *function) {
  return Driver::get().callsOf(function);
}

extern "C" uint64_t ingot_test_cuda_counted(const char *what) {
  return Driver::get().countOf(what);
}

/// From now on the GPU has compute capability `capability`, and the driver has
/// version `version`.
extern "C" void ingot_test_cuda_be(int capability, int version) {
  Driver::get().capability = capability;
  Driver::get().version = version;
}

/// Returns the number of objects that the program has not freed.
extern "C" uint64_t ingot_test_cuda_live() {
  uint64_t count = 0;
  for (const auto &[kind, objects] : Driver::get().live)
    count += objects.size();
  return count;
}
