//===- Costs.cpp - Requests of warps from accesses of lanes ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A lane's access joins the first open request of its site and loop iterations
// that the lane is not in yet. A request is counted once all lanes are in it,
// or where the warp's lanes have met: what they do later is no part of it. So
// lanes that take another branch are just missing.
//
//===----------------------------------------------------------------------===//

#include "test/Emulator/Costs.h"

#include "test/Emulator/Block.h"

#include <algorithm>
#include <bit>

namespace ingot::emulator {

static std::map<std::string, KernelCosts> &costs() {
  static std::map<std::string, KernelCosts> all;
  return all;
}

const std::map<std::string, KernelCosts> &allCosts() { return costs(); }

void forgetCosts() { costs().clear(); }

static KernelCosts *current = nullptr; // of the launch, if it is counted
static std::unordered_map<const Site *, SiteCosts> sites;

template <typename Count> static void addTo(Count &sum, const Count &one) {
  sum.ideal += one.ideal;
  sum.bytes += one.bytes;
}

static double ratio(uint64_t part, uint64_t whole, double otherwise) {
  return whole == 0 ? otherwise : double(part) / double(whole);
}

void GlobalCosts::add(const SectorCount &one, uint64_t times) {
  requests += times;
  count.sectors += one.sectors;
  addTo(count, one);
}

double GlobalCosts::sectorsPerRequest() const {
  return ratio(count.sectors, requests, 0);
}

double GlobalCosts::efficiency() const {
  return ratio(count.ideal, count.sectors, 1);
}

void SharedCosts::add(const WavefrontCount &one, uint64_t times) {
  requests += times;
  count.wavefronts += one.wavefronts;
  addTo(count, one);
}

double SharedCosts::wavefrontsPerRequest() const {
  return ratio(count.wavefronts, requests, 0);
}

double SharedCosts::conflicts() const {
  return ratio(count.wavefronts, count.ideal, 1);
}

void beginCosts(const Launch &launch) {
  current = nullptr;
  if (!launch.resources)
    return;
  current = &costs()[launch.name];
  ++current->launches;
  current->blocks += launch.grid.count();
  current->threads = std::max<uint32_t>(current->threads, launch.block.count());
  current->dynamicBytes =
      std::max<uint32_t>(current->dynamicBytes, launch.dynamicBytes);
  current->resources = *launch.resources;
}

void endCosts() {
  for (const auto &[site, one] : sites) {
    SiteCosts &sum = current->sites[site->text];
    sum.global.add(one.global.count, one.global.requests);
    sum.shared.add(one.shared.count, one.shared.requests);
  }
  sites.clear();
  current = nullptr;
}

static void count(const Site *site, MemoryRequest &request) {
  request.isAtomic = site->kind == static_cast<uint32_t>(Access::atomic);
  const Launch &launch = *block.launch;
  unsigned lane = std::countr_zero(request.lanes);
  if (request.addresses[lane] - reinterpret_cast<uintptr_t>(launch.shared) <
      launch.sharedBytes) {
    WavefrontCount one = countWavefronts(request);
    current->shared[site->kind].add(one);
    sites[site].shared.add(one);
  } else if (SectorCount one = countSectors(request); one.bytes != 0) {
    current->global[site->kind].add(one);
    sites[site].global.add(one);
  }
}

void countRequests(Warp &warp) {
  if (!current)
    return;
  for (auto &[place, requests] : warp.requests)
    for (MemoryRequest &request : requests)
      count(place.site, request);
  warp.requests.clear();
}

void countBarrier() {
  if (current)
    ++current->barriers;
}

void countBulkCopy(const void *from, size_t bytes, bool isFirst) {
  if (!current)
    return;
  current->bulkCopies += isFirst;
  if (bytes == 0)
    return;
  MemoryRequest row;
  row.add(0, reinterpret_cast<uintptr_t>(from), bytes);
  SectorCount one = countSectors(row);
  current->bulk.sectors += one.sectors;
  addTo(current->bulk, one);
}

static void join(const Site *site, uint64_t address, uint32_t size,
                 uint64_t iterations) {
  const Thread &thread = *block.running;
  if (!current || thread.lane() >= site->lanes)
    return;
  Warp &warp = block.warps[thread.warp()];
  auto place = warp.requests.try_emplace({site, iterations}).first;
  std::vector<MemoryRequest> &requests = place->second;
  auto open =
      std::find_if(requests.begin(), requests.end(), [&](const auto &request) {
        return !request.has(thread.lane());
      });
  if (open == requests.end())
    open = requests.emplace(open);
  open->add(thread.lane(), address, size);
  uint32_t lanes = std::min<uint32_t>(
      site->lanes, block.threads.size() - thread.warp() * warpSize);
  if (open->lanes != ~0u >> (warpSize - lanes))
    return;
  count(site, *open);
  requests.erase(open);
  if (requests.empty())
    warp.requests.erase(place);
}

} // namespace ingot::emulator

extern "C" void ingot_emu_cost(const ingot::emulator::Site *site,
                               const void *address, uint64_t size,
                               uint64_t iterations) {
  ingot::emulator::join(site, reinterpret_cast<uintptr_t>(address), size,
                        iterations);
}
