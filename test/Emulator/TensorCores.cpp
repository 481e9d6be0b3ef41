//===- TensorCores.cpp - ldmatrix and mma.sync ----------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The PTX ISA says which lane holds which element ("Warp Level Matrix
// Multiply-Accumulate Instructions"). Sums are computed in double precision and
// rounded once, as the order in which the hardware adds is not documented.
//
//===----------------------------------------------------------------------===//

#include "test/Emulator/SharedMatrix.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace ingot::emulator;

// ldmatrix: lane 8 m + i has the address of row i of matrix m.
static void loadMatrices(uint32_t *result, const void *row, unsigned count,
                         bool isTransposed) {
  const LaneValue *rows = meet(~0u, &row, sizeof(row), "ldmatrix");
  auto rowOf = [&](unsigned matrix, unsigned number) {
    const uint8_t *address;
    std::memcpy(&address, rows[8 * matrix + number].bytes.data(),
                sizeof(address));
    return address;
  };
  unsigned lane = block.running->lane();
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    uint16_t pair[2];
    for (unsigned i = 0; i < 2; ++i) {
      unsigned row = lane / 4, column = lane % 4 * 2 + i;
      if (isTransposed)
        std::swap(row, column);
      const uint8_t *address = rowOf(matrix, row);
      if (reinterpret_cast<uintptr_t>(address) % 16 != 0)
        fail("ldmatrix of a row that is not aligned to 16 bytes");
      checkOwn(address + 2 * column, 2, Access::read);
      std::memcpy(&pair[i], address + 2 * column, 2);
    }
    result[matrix] = pair[0] | uint32_t(pair[1]) << 16;
  }
}

#define LOAD(count)                                                            \
  void ingot_emu_ldmatrix_sync_aligned_m8n8_x##count##_b16(uint32_t *result,   \
                                                           const void *row) {  \
    loadMatrices(result, row, count, false);                                   \
  }                                                                            \
  void ingot_emu_ldmatrix_sync_aligned_m8n8_x##count##_trans_b16(              \
      uint32_t *result, const void *row) {                                     \
    loadMatrices(result, row, count, true);                                    \
  }

extern "C" {
// For one matrix, the intrinsic returns a value, not a struct.
uint32_t ingot_emu_ldmatrix_sync_aligned_m8n8_x1_b16(const void *row) {
  uint32_t result;
  loadMatrices(&result, row, 1, false);
  return result;
}
uint32_t ingot_emu_ldmatrix_sync_aligned_m8n8_x1_trans_b16(const void *row) {
  uint32_t result;
  loadMatrices(&result, row, 1, true);
  return result;
}
LOAD(2)
LOAD(4)
}

namespace {

/// The registers that one lane passes: up to four of A, two of B, and those of
/// C.
struct Fragments {
  uint32_t a[4], b[2];
  float c[4];
};

} // namespace

static float fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = exponent == 31 ? (fraction ? NAN : INFINITY)
                : exponent == 0
                    ? std::ldexp(float(fraction), -24)
                    : std::ldexp(float(fraction + 1024), exponent - 25);
  return bits >> 15 ? -value : value;
}

float ingot::emulator::element(Type type, const uint32_t *registers,
                               unsigned i) {
  if (type == Type::tf32)
    return std::bit_cast<float>(registers[i] & ~0x1fffu);
  uint16_t bits = registers[i / 2] >> (16 * (i % 2));
  return type == Type::bf16 ? std::bit_cast<float>(uint32_t(bits) << 16)
                            : fromHalf(bits);
}

/// mma.sync.m16n8k`depth`: computes which lane holds each element of the
/// operands, and in which register.
static void multiply(float *result, Type type, unsigned depth,
                     const Fragments &own) {
  const LaneValue *values = meet(~0u, &own, sizeof(own), "mma.sync");
  // The number of elements in a register.
  unsigned pack = type == Type::tf32 ? 1 : 2;
  auto fragments = [&](unsigned lane) -> const Fragments & {
    return *reinterpret_cast<const Fragments *>(values[lane].bytes.data());
  };
  auto a = [&](unsigned row, unsigned k) {
    unsigned lane = row % 8 * 4 + k / pack % 4;
    unsigned place = row / 8 + 2 * (k / (4 * pack));
    return element(type, fragments(lane).a, place * pack + k % pack);
  };
  auto b = [&](unsigned k, unsigned column) {
    unsigned lane = column * 4 + k / pack % 4;
    return element(type, fragments(lane).b, k / (4 * pack) * pack + k % pack);
  };
  unsigned lane = block.running->lane();
  for (unsigned i = 0; i < 4; ++i) {
    unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    double sum = own.c[i];
    for (unsigned k = 0; k < depth; ++k)
      sum += double(a(row, k)) * b(k, column);
    result[i] = static_cast<float>(sum);
  }
}

extern "C" {
// The instructions with two registers of A and one of B.
#define MULTIPLY_SHORT(name, type, depth)                                      \
  void ingot_emu_mma_##name(float *result, uint32_t a0, uint32_t a1,           \
                            uint32_t b0, float c0, float c1, float c2,         \
                            float c3) {                                        \
    multiply(result, type, depth,                                              \
             Fragments{{a0, a1, 0, 0}, {b0, 0}, {c0, c1, c2, c3}});            \
  }
// The instructions with four registers of A and two of B.
#define MULTIPLY(name, type, depth)                                            \
  void ingot_emu_mma_##name(                                                   \
      float *result, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,       \
      uint32_t b0, uint32_t b1, float c0, float c1, float c2, float c3) {      \
    multiply(result, type, depth,                                              \
             Fragments{{a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}});         \
  }
MULTIPLY_SHORT(m16n8k4_row_col_tf32, Type::tf32, 4)
MULTIPLY(m16n8k8_row_col_tf32, Type::tf32, 8)
MULTIPLY_SHORT(m16n8k8_row_col_bf16, Type::bf16, 8)
MULTIPLY(m16n8k16_row_col_bf16, Type::bf16, 16)
MULTIPLY_SHORT(m16n8k8_row_col_f32_f32, Type::f16, 8)
MULTIPLY(m16n8k16_row_col_f32_f32, Type::f16, 16)
}

// wgmma: PTX ISA, "Asynchronous warpgroup level matrix instructions". Each of
// the four warps reads its operands at once; the group keeps their ranges until
// a wait, so that a write before it is found.

namespace {

/// Both factors of wgmma as floats, with the bytes of shared memory they were
/// read from.
struct Decoded {
  unsigned users = 0; // the number of lanes that have used them
  std::vector<float> rows, columns;
};

} // namespace

/// The first lane of a warp decodes both descriptors, for all lanes.
static const Decoded &decode(const SharedMatrix &a, const SharedMatrix &b,
                             unsigned columns) {
  static std::map<unsigned, Decoded> decoded;
  Warp &warp = block.warps[block.running->warp()];
  Decoded &here = decoded[block.running->warp()];
  if (here.users == 0) {
    std::vector<SharedRange> ranges;
    Actor actor = runningActor();
    here.rows = a.read(block.running->warp() % 4 * 16, 16, actor, ranges);
    here.columns = b.read(0, columns, actor, ranges);
    if (warp.reads.empty())
      warp.reads.emplace_back();
    beginReads(ranges);
    warp.reads.back().insert(warp.reads.back().end(), ranges.begin(),
                             ranges.end());
  }
  here.users = (here.users + 1) % warpSize;
  return here;
}

extern "C" {
void ingot_emu_wgmma(float *sums, uint64_t a, uint64_t b, uint32_t columns,
                     uint32_t number, uint32_t isMNMajorA,
                     uint32_t isMNMajorB) {
  meet(~0u, &columns, sizeof(columns), "wgmma.mma_async");
  auto type = static_cast<Type>(number);
  const Decoded &factors =
      decode(SharedMatrix::forWarpgroup(a, type, isMNMajorA != 0),
             SharedMatrix::forWarpgroup(b, type, isMNMajorB != 0), columns);
  unsigned depth = type == Type::tf32 ? 8 : 16;
  unsigned lane = block.running->lane();
  for (unsigned half = 0; half < 2; ++half) {
    const float *row = &factors.rows[(lane / 4 + half * 8) * depth];
    for (unsigned column = lane % 4 * 2; column < columns; column += 8)
      for (unsigned i = 0; i < 2; ++i) {
        float &sum = sums[column / 8 * 4 + half * 2 + i];
        const float *other = &factors.columns[(column + i) * depth];
        double exact = sum;
        for (unsigned k = 0; k < depth; ++k)
          exact += double(row[k]) * other[k];
        sum = static_cast<float>(exact);
      }
  }
}
void ingot_emu_fence_proxy_async() { ++block.running->proxyFences; }
void ingot_emu_wgmma_fence() {}

/// Commits the operands read so far as a group: they count as being read until
/// a wait for the group.
void ingot_emu_wgmma_commit_group() {
  meet(~0u, "", 1, "wgmma.commit_group");
  auto &groups = block.warps[block.running->warp()].reads;
  if (block.running->lane() == 0)
    groups.emplace_back();
}
void ingot_emu_wgmma_wait(uint32_t left) {
  meet(~0u, nullptr, 0, "wgmma.wait_group");
  auto &groups = block.warps[block.running->warp()].reads;
  // The last group, which is open until the next commit, is not waited for.
  while (block.running->lane() == 0 && groups.size() > size_t(left) + 1) {
    endReads(groups.front());
    groups.erase(groups.begin());
  }
  meet(~0u, nullptr, 0, "wgmma.wait_group");
}
}

// Rounding conversions: PTX ISA, "cvt".

static uint32_t toBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return 0x7fff;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint32_t toHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 31 << 15;
  float size = std::fabs(value);
  if (std::isnan(value))
    return 0x7fff;
  if (size >= 65520)
    return sign | 0x7c00;
  if (size < 0x1p-14f) // subnormal: rounded in steps of the smallest number
    return sign | static_cast<uint32_t>(std::nearbyint(size * 0x1p24f));
  bits &= 0x7fffffff;
  return sign | ((bits + 0xfff + (bits >> 13 & 1)) >> 13) - (112 << 10);
}

extern "C" {
/// cvt.rna rounds ties away from zero.
uint32_t ingot_emu_cvt_rna_tf32_f32(float value) {
  if (std::isnan(value))
    return 0x7fffffff;
  return (std::bit_cast<uint32_t>(value) + 0x1000) & ~0x1fffu;
}
uint32_t ingot_emu_cvt_rn_bf16x2_f32(float high, float low) {
  return toBfloat(high) << 16 | toBfloat(low);
}
uint32_t ingot_emu_cvt_rn_f16x2_f32(float high, float low) {
  return toHalf(high) << 16 | toHalf(low);
}
}
