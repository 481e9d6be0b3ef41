//===- CostReport.cpp - Costs of kernels as a table or as JSON ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Emulator/CostReport.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

namespace ingot::emulator {

/// The names of accesses in JSON, by Access.
static constexpr const char *accessNames[] = {"load", "store", "atomic"};

__attribute__((format(printf, 1, 2))) static std::string
format(const char *form, ...) {
  std::array<char, 512> text;
  va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(text.data(), text.size(), form, arguments);
  va_end(arguments);
  return text.data();
}

uint32_t registersOf(const KernelCosts &kernel) {
  const KernelResources &resources = kernel.resources;
  if (resources.registers != 0)
    return resources.registers;
  uint32_t most = mostRegisters(kernel.threads);
  return resources.mostRegisters == 0 ? most
                                      : std::min(most, resources.mostRegisters);
}

std::optional<Occupancy> occupancyOf(int capability,
                                     const KernelCosts &kernel) {
  BlockNeeds needs = {kernel.threads, registersOf(kernel),
                      kernel.resources.sharedBytes + kernel.dynamicBytes};
  return occupancyOf(capability, needs);
}

namespace {

using NamedSite = std::pair<const std::string, SiteCosts>;

/// The sites with the most sectors and wavefronts above the ideal; null: no
/// site has any.
struct WorstSites {
  const NamedSite *global = nullptr, *shared = nullptr;

  explicit WorstSites(const KernelCosts &kernel) {
    uint64_t mostSectors = 0, mostWavefronts = 0;
    for (const NamedSite &site : kernel.sites) {
      const SectorCount &sectors = site.second.global.count;
      const WavefrontCount &wavefronts = site.second.shared.count;
      if (sectors.sectors - sectors.ideal > mostSectors) {
        mostSectors = sectors.sectors - sectors.ideal;
        global = &site;
      }
      if (wavefronts.wavefronts - wavefronts.ideal > mostWavefronts) {
        mostWavefronts = wavefronts.wavefronts - wavefronts.ideal;
        shared = &site;
      }
    }
  }
};

} // namespace

/// All requests of shared memory: loads, stores and atomics.
static SharedCosts sharedOf(const KernelCosts &kernel) {
  SharedCosts sum;
  for (const SharedCosts &one : kernel.shared)
    sum.add(one.count, one.requests);
  return sum;
}

/// A percentage of an efficiency, or "-" where nothing was asked for.
static std::string percent(const GlobalCosts &costs) {
  return costs.requests == 0 ? "-" : format("%.0f%%", 100 * costs.efficiency());
}

static std::string rowOf(const std::string &name, const KernelCosts &kernel,
                         int capability) {
  auto occupancy = occupancyOf(capability, kernel);
  const GlobalCosts &loads = kernel.global[0], &stores = kernel.global[1];
  SharedCosts shared = sharedOf(kernel);
  std::string registers = format(
      kernel.resources.registers == 0 ? "<=%u" : "%u", registersOf(kernel));
  std::string share =
      occupancy ? format("%.0f%%", 100 * occupancy->share()) : "-";
  return format("%8llu %7u %9s %7u %9s %6s %6s %8.2f %8.2f %10.2f %9.2f  ",
                static_cast<unsigned long long>(kernel.launches),
                kernel.threads, registers.c_str(),
                kernel.resources.sharedBytes + kernel.dynamicBytes,
                share.c_str(), percent(loads).c_str(), percent(stores).c_str(),
                loads.sectorsPerRequest(), stores.sectorsPerRequest(),
                shared.wavefrontsPerRequest(), shared.conflicts()) +
         name + "\n";
}

std::string costTable(const std::map<std::string, KernelCosts> &costs,
                      int capability) {
  std::string text =
      format("compute capability %d.%d\n", capability / 10, capability % 10) +
      "launches threads registers  shared occupancy   load  store  sectors"
      "  sectors wavefronts wavefronts  kernel\n"
      "                              bytes           effic. effic. per load"
      " per store per request per ideal\n";
  for (const auto &[name, kernel] : costs)
    text += rowOf(name, kernel, capability);
  for (const auto &[name, kernel] : costs) {
    WorstSites worst(kernel);
    if (worst.global)
      text += "uncoalesced, " +
              format("%.2f", worst.global->second.global.sectorsPerRequest()) +
              " sectors a request in " + name + ": " + worst.global->first +
              "\n";
    if (worst.shared)
      text +=
          "bank conflicts, " +
          format("%.2f", worst.shared->second.shared.wavefrontsPerRequest()) +
          " wavefronts a request in " + name + ": " + worst.shared->first +
          "\n";
  }
  return text;
}

/// A string of JSON: names and IR have no control characters.
static std::string quote(const std::string &text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

static std::string number(uint64_t value) { return std::to_string(value); }

static std::string jsonOf(const GlobalCosts &costs) {
  return "{\"requests\": " + number(costs.requests) +
         ", \"sectors\": " + number(costs.count.sectors) +
         ", \"ideal_sectors\": " + number(costs.count.ideal) +
         ", \"bytes\": " + number(costs.count.bytes) +
         format(", \"sectors_per_request\": %.4f, \"efficiency\": %.4f}",
                costs.sectorsPerRequest(), costs.efficiency());
}

static std::string jsonOf(const SharedCosts &costs) {
  return "{\"requests\": " + number(costs.requests) +
         ", \"wavefronts\": " + number(costs.count.wavefronts) +
         ", \"ideal_wavefronts\": " + number(costs.count.ideal) +
         ", \"bytes\": " + number(costs.count.bytes) +
         format(", \"wavefronts_per_request\": %.4f, \"conflicts\": %.4f}",
                costs.wavefrontsPerRequest(), costs.conflicts());
}

static std::string jsonOf(const std::optional<Occupancy> &occupancy) {
  if (!occupancy)
    return "null";
  return "{\"blocks\": " + number(occupancy->blocks) +
         ", \"warps\": " + number(occupancy->warps) +
         format(", \"share\": %.4f", occupancy->share()) +
         ", \"limit\": " + quote(occupancy->limit) + "}";
}

static std::string jsonOf(const std::string &name, const KernelCosts &kernel,
                          int capability) {
  std::string text =
      "{\"kernel\": " + quote(name) +
      ", \"launches\": " + number(kernel.launches) +
      ", \"blocks\": " + number(kernel.blocks) +
      ", \"threads\": " + number(kernel.threads) +
      ", \"registers\": " + number(registersOf(kernel)) +
      ", \"registers_from\": " +
      quote(kernel.resources.registers != 0 ? "ptxas" : "bound") +
      ", \"static_shared_bytes\": " + number(kernel.resources.sharedBytes) +
      ", \"dynamic_shared_bytes\": " + number(kernel.dynamicBytes) +
      ", \"barriers\": " + number(kernel.barriers) +
      ", \"occupancy\": " + jsonOf(occupancyOf(capability, kernel));
  for (unsigned kind = 0; kind < 3; ++kind)
    text += format(", \"global_%s\": ", accessNames[kind]) +
            jsonOf(kernel.global[kind]) +
            format(", \"shared_%s\": ", accessNames[kind]) +
            jsonOf(kernel.shared[kind]);
  text += ", \"bulk\": {\"copies\": " + number(kernel.bulkCopies) +
          ", \"sectors\": " + number(kernel.bulk.sectors) +
          ", \"bytes\": " + number(kernel.bulk.bytes) + "}";
  WorstSites worst(kernel);
  auto site = [](const NamedSite *site, const std::string &costs) {
    return site ? "{\"site\": " + quote(site->first) + ", \"costs\": " + costs +
                      "}"
                : std::string("null");
  };
  text += ", \"worst_global\": " +
          site(worst.global,
               worst.global ? jsonOf(worst.global->second.global) : "");
  text += ", \"worst_shared\": " +
          site(worst.shared,
               worst.shared ? jsonOf(worst.shared->second.shared) : "");
  return text + "}";
}

std::string costJSON(const std::map<std::string, KernelCosts> &costs,
                     int capability) {
  std::string text;
  for (const auto &[name, kernel] : costs)
    text += (text.empty() ? "[\n" : ",\n") + jsonOf(name, kernel, capability);
  return text.empty() ? "[]\n" : text + "\n]\n";
}

} // namespace ingot::emulator
