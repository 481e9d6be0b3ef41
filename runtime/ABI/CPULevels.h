/*===- CPULevels.h - Which CPU levels a machine has -------------*- C++ -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels are compiled for several levels. A trainer runs those of the       */
/* highest level that its machine has.                                        */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_CPULEVELS_H
#define INGOT_RUNTIME_ABI_CPULEVELS_H

#include <cpuid.h>
#include <string_view>

namespace ingot {

/// Whether this machine is an AMD CPU whose units are 256 bits wide, such as
/// Zen 4, so that an instruction on 512 bits takes one of them for two cycles
/// (CPUID Fn8000_001A_EAX: FP256 and FP512).
inline bool halves512BitVectors() {
  constexpr unsigned leaf = 0x8000001A, fp256 = 1U << 2, fp512 = 1U << 3;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __builtin_cpu_is("amd") &&
         __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) != 0 &&
         (eax & (fp256 | fp512)) == fp256;
}

/// Whether this machine has the CPU level `level`, such as "x86-64-v3": those
/// of the x86-64 psABI; x86-64-v4-bf16, which is v4 with AVX512_BF16; and
/// x86-64-v4-fp256, which has the same instructions, for units of 256 bits.
inline bool hasCPULevel(std::string_view level) {
  if (level == "x86-64")
    return true;
  if (level == "x86-64-v2")
    return __builtin_cpu_supports("x86-64-v2");
  if (level == "x86-64-v3")
    return __builtin_cpu_supports("x86-64-v3");
  bool isV4 = __builtin_cpu_supports("x86-64-v4");
  if (level == "x86-64-v4")
    return isV4;
  bool hasBF16 = isV4 && __builtin_cpu_supports("avx512bf16");
  if (level == "x86-64-v4-bf16")
    return hasBF16;
  return level == "x86-64-v4-fp256" && hasBF16 && halves512BitVectors();
}

} // namespace ingot

#endif /* INGOT_RUNTIME_ABI_CPULEVELS_H */
