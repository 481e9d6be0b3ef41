//===- Calls.cpp - Calls of kernels to llvm.nvvm --------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Has a function for each line of codegen/Emulate/Intrinsics.def except the
// intrinsics of tensor cores. ReplaceIntrinsics.cpp in that folder says how
// types are passed.
//
//===----------------------------------------------------------------------===//

#include "test/Emulator/Block.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace ingot::emulator;

// Registers with the numbers of thread and block.

#define PLACES(axis)                                                           \
  uint32_t ingot_emu_read_ptx_sreg_tid_##axis() {                              \
    return block.running->place.axis;                                          \
  }                                                                            \
  uint32_t ingot_emu_read_ptx_sreg_ntid_##axis() {                             \
    return block.launch->block.axis;                                           \
  }                                                                            \
  uint32_t ingot_emu_read_ptx_sreg_ctaid_##axis() { return block.place.axis; } \
  uint32_t ingot_emu_read_ptx_sreg_nctaid_##axis() {                           \
    return block.launch->grid.axis;                                            \
  }

extern "C" {
PLACES(x)
PLACES(y)
PLACES(z)

uint32_t ingot_emu_read_ptx_sreg_laneid() { return block.running->lane(); }
uint32_t ingot_emu_read_ptx_sreg_warpid() { return block.running->warp(); }
uint32_t ingot_emu_read_ptx_sreg_warpsize() { return warpSize; }

// Barriers.

void ingot_emu_barrier0() { synchronize(0, 0, true); }
void ingot_emu_barrier_cta_sync_all(uint32_t id) { synchronize(id, 0, true); }
void ingot_emu_barrier_cta_sync_aligned_all(uint32_t id) {
  synchronize(id, 0, true);
}
void ingot_emu_barrier_cta_sync_count(uint32_t id, uint32_t count) {
  synchronize(id, count, true);
}
void ingot_emu_barrier_cta_sync_aligned_count(uint32_t id, uint32_t count) {
  synchronize(id, count, true);
}
void ingot_emu_barrier_cta_arrive_count(uint32_t id, uint32_t count) {
  synchronize(id, count, false);
}
void ingot_emu_barrier_cta_arrive_aligned_count(uint32_t id, uint32_t count) {
  synchronize(id, count, false);
}
} // extern "C"

/// Returns the number of threads of the block that pass true. Two barriers in
/// turn use the two counts: threads may arrive at the next barrier before
/// others have read this one's count.
static uint32_t countTrue(uint32_t id, bool value) {
  static uint32_t counts[16][2];
  synchronize(id, 0, true);
  uint64_t turn = block.barriers[id].generation;
  uint32_t &count = counts[id][(turn / 2) & 1];
  count += value;
  synchronize(id, 0, true);
  counts[id][(turn / 2 + 1) & 1] = 0;
  return count;
}

extern "C" {
int32_t ingot_emu_barrier_cta_red_and_aligned_all(uint32_t id, int32_t value) {
  return countTrue(id, value != 0) == block.threads.size();
}
int32_t ingot_emu_barrier_cta_red_or_aligned_all(uint32_t id, int32_t value) {
  return countTrue(id, value != 0) != 0;
}
int32_t ingot_emu_barrier_cta_red_popc_aligned_all(uint32_t id, int32_t value) {
  return countTrue(id, value != 0);
}

// Operations among the lanes of a warp.

void ingot_emu_bar_warp_sync(uint32_t mask) {
  meet(mask, nullptr, 0, "bar.warp.sync");
}
} // extern "C"

namespace {
enum class Way { butterfly, down, up, index };
template <typename T> struct Shuffled {
  T value;
  bool isInside;
};
} // namespace

/// shfl.sync as the PTX ISA describes it: `control` has the lanes of a part in
/// bits 8 to 12 and the last lane to read from in bits 0 to 4.
template <typename T>
static Shuffled<T> shuffle(Way way, uint32_t mask, T value, uint32_t other,
                           uint32_t control) {
  const LaneValue *values = meet(mask, &value, sizeof(T), "shfl.sync");
  uint32_t lane = block.running->lane();
  uint32_t part = control >> 8 & 31, clamp = control & 31;
  uint32_t first = lane & part, last = first | (clamp & ~part);
  uint32_t from = lane;
  bool isInside = true;
  other &= 31;
  switch (way) {
  case Way::butterfly:
    from = lane ^ other;
    isInside = from <= last;
    break;
  case Way::down:
    from = lane + other;
    isInside = from <= last;
    break;
  case Way::up:
    from = lane - other;
    isInside = static_cast<int32_t>(from) >= static_cast<int32_t>(last);
    break;
  case Way::index:
    from = first | (other & ~part);
    isInside = from <= last;
    break;
  }
  if (!isInside)
    return {value, false};
  if (!(mask >> from & 1) ||
      block.running->warp() * warpSize + from >= block.threads.size())
    fail("shfl.sync reads lane " + std::to_string(from) +
         ", which does not take part");
  T found;
  std::copy_n(values[from].bytes.data(), sizeof(T),
              reinterpret_cast<uint8_t *>(&found));
  return {found, true};
}

#define SHUFFLE(name, way, suffix, T)                                          \
  T ingot_emu_shfl_sync_##name##_##suffix(uint32_t mask, T value,              \
                                          uint32_t other, uint32_t control) {  \
    return shuffle(way, mask, value, other, control).value;                    \
  }                                                                            \
  void ingot_emu_shfl_sync_##name##_##suffix##p(                               \
      Shuffled<T> *result, uint32_t mask, T value, uint32_t other,             \
      uint32_t control) {                                                      \
    *result = shuffle(way, mask, value, other, control);                       \
  }

static uint32_t ballot(uint32_t mask, bool value, const char *name) {
  uint8_t byte = value;
  const LaneValue *values = meet(mask, &byte, 1, name);
  uint32_t first = block.running->warp() * warpSize, bits = 0;
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    if ((mask >> lane & 1) && first + lane < block.threads.size())
      bits |= uint32_t(values[lane].bytes[0]) << lane;
  return bits;
}

/// The lanes of `mask` that exist in this warp.
static uint32_t present(uint32_t mask) {
  uint32_t lanes = block.threads.size() - block.running->warp() * warpSize;
  return lanes >= warpSize ? mask : mask & ((1u << lanes) - 1);
}

template <typename T, typename Combine>
static T reduce(T value, uint32_t mask, Combine combine) {
  const LaneValue *values = meet(mask, &value, sizeof(T), "redux.sync");
  bool isFirst = true;
  T result{};
  for (uint32_t lane = 0; lane < warpSize; ++lane) {
    if (!(present(mask) >> lane & 1))
      continue;
    T other;
    std::copy_n(values[lane].bytes.data(), sizeof(T),
                reinterpret_cast<uint8_t *>(&other));
    result = isFirst ? other : combine(result, other);
    isFirst = false;
  }
  return result;
}

extern "C" {
SHUFFLE(bfly, Way::butterfly, i32, int32_t)
SHUFFLE(bfly, Way::butterfly, f32, float)
SHUFFLE(down, Way::down, i32, int32_t)
SHUFFLE(down, Way::down, f32, float)
SHUFFLE(up, Way::up, i32, int32_t)
SHUFFLE(up, Way::up, f32, float)
SHUFFLE(idx, Way::index, i32, int32_t)
SHUFFLE(idx, Way::index, f32, float)

int32_t ingot_emu_vote_all_sync(uint32_t mask, int32_t value) {
  return ballot(mask, value != 0, "vote.sync") == present(mask);
}
int32_t ingot_emu_vote_any_sync(uint32_t mask, int32_t value) {
  return ballot(mask, value != 0, "vote.sync") != 0;
}
int32_t ingot_emu_vote_uni_sync(uint32_t mask, int32_t value) {
  uint32_t bits = ballot(mask, value != 0, "vote.sync");
  return bits == 0 || bits == present(mask);
}
uint32_t ingot_emu_vote_ballot_sync(uint32_t mask, int32_t value) {
  return ballot(mask, value != 0, "vote.sync");
}

#define REDUCE(name, T, expression)                                            \
  T ingot_emu_redux_sync_##name(T value, uint32_t mask) {                      \
    return reduce(value, mask, [](T a, T b) -> T { return expression; });      \
  }
REDUCE(add, uint32_t, a + b)
REDUCE(min, int32_t, std::min(a, b))
REDUCE(max, int32_t, std::max(a, b))
REDUCE(umin, uint32_t, std::min(a, b))
REDUCE(umax, uint32_t, std::max(a, b))
REDUCE(and, uint32_t, a &b)
REDUCE(or, uint32_t, a | b)
REDUCE(xor, uint32_t, a ^ b)

// Fences: threads run one at a time, so that these have nothing to do.

void ingot_emu_membar_cta() {}
void ingot_emu_membar_gl() {}
void ingot_emu_membar_sys() {}

// Here every kernel runs after the one before it has ended. Accesses.cpp checks
// that threads wait nevertheless.
void ingot_emu_griddepcontrol_launch_dependents() {}
void ingot_emu_griddepcontrol_wait() { block.running->hasWaited = true; }
} // extern "C"

// Asynchronous copies are done as late as possible, so that a thread that does
// not wait reads the old bytes.

static void copyLater(void *to, const void *from, uint32_t size,
                      uint32_t read) {
  auto &groups = block.running->copies;
  if (groups.empty())
    groups.emplace_back();
  groups.back().push_back({static_cast<uint8_t *>(to),
                           static_cast<const uint8_t *>(from), size,
                           std::min(size, read)});
}

#define COPY(level, size)                                                      \
  void ingot_emu_cp_async_##level##_shared_global_##size(void *to,             \
                                                         const void *from) {   \
    copyLater(to, from, size, size);                                           \
  }                                                                            \
  void ingot_emu_cp_async_##level##_shared_global_##size##_s(                  \
      void *to, const void *from, uint32_t read) {                             \
    copyLater(to, from, size, read);                                           \
  }

extern "C" {
COPY(ca, 4)
COPY(ca, 8)
COPY(ca, 16)
COPY(cg, 16)

void ingot_emu_cp_async_commit_group() {
  auto &groups = block.running->copies;
  if (groups.empty())
    groups.emplace_back();
  groups.emplace_back();
}
void ingot_emu_cp_async_wait_group(uint32_t left) {
  finishCopies(size_t(left) + 1);
}
void ingot_emu_cp_async_wait_all() { finishCopies(0); }

// Arithmetic, rounded once, to nearest.

float ingot_emu_add_rn_f(float a, float b) { return a + b; }
float ingot_emu_mul_rn_f(float a, float b) { return a * b; }
float ingot_emu_div_rn_f(float a, float b) { return a / b; }
float ingot_emu_rcp_rn_f(float a) { return 1 / a; }
float ingot_emu_sqrt_rn_f(float a) { return std::sqrt(a); }
float ingot_emu_fma_rn_f(float a, float b, float c) {
  return std::fma(a, b, c);
}
double ingot_emu_add_rn_d(double a, double b) { return a + b; }
double ingot_emu_mul_rn_d(double a, double b) { return a * b; }
double ingot_emu_div_rn_d(double a, double b) { return a / b; }
double ingot_emu_rcp_rn_d(double a) { return 1 / a; }
double ingot_emu_sqrt_rn_d(double a) { return std::sqrt(a); }
double ingot_emu_fma_rn_d(double a, double b, double c) {
  return std::fma(a, b, c);
}
float ingot_emu_fmin_f(float a, float b) { return std::fmin(a, b); }
float ingot_emu_fmax_f(float a, float b) { return std::fmax(a, b); }
double ingot_emu_fmin_d(double a, double b) { return std::fmin(a, b); }
double ingot_emu_fmax_d(double a, double b) { return std::fmax(a, b); }
} // extern "C"
