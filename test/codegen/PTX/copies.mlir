// SPDX-License-Identifier: Apache-2.0
// A GEMM of 8192 by 8192 by 8192 with bf16 operands, loaded by bulk tensor copies:
// accumulators stay in registers, or in tensor memory.

// REQUIRES: ptxas
// DEFINE: %{cores} =
// DEFINE: %{arch} =
// DEFINE: %{ptx} =
// DEFINE: %{lower} = ingot-opt %s --ingot-bufferize-kernels --canonicalize --cse --canonicalize --ingot-ptx-tile-gemms=tensor-cores=%{cores} --canonicalize --ingot-estimate-kernel-costs --ingot-ptx-map-grid-to-blocks --ingot-ptx-assign-memory-spaces --ingot-ptx-code-pipeline | mlir-translate --mlir-to-llvmir | sed "s/^target .*//" | opt -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=%{arch} | llc -O3 -mtriple=nvptx64-nvidia-cuda -mcpu=%{arch} -mattr=+ptx%{ptx} -o %t.%{arch}.ptx
// DEFINE: %{assemble} = %ptxas -v -arch=%{arch} %t.%{arch}.ptx -o %t.cubin

// REDEFINE: %{cores} = warpgroup
// REDEFINE: %{arch} = sm_90a
// REDEFINE: %{ptx} = 80
// RUN: %{lower}
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=USES
// RUN: FileCheck %s --check-prefixes=PTX,GROUP < %t.sm_90a.ptx

// REDEFINE: %{cores} = tensor-memory
// REDEFINE: %{arch} = sm_100a
// REDEFINE: %{ptx} = 86
// RUN: %{lower}
// RUN: %{assemble} 2>&1 | FileCheck %s --check-prefix=USES
// RUN: FileCheck %s --check-prefixes=PTX,MEMORY < %t.sm_100a.ptx

// USES-NOT: {{serialized|ignored|[1-9][0-9]* bytes spill}}
// USES: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// USES-NEXT: Used {{[0-9][0-9]|1[0-6][0-9]}} registers

// PTX: .extern .shared .align 1024 .b8 ingot_kernel_dynamic[];
// PTX: .visible .entry ingot_kernel(
// PTX: .param .align 64 .b8 ingot_kernel_param_3[128],
// PTX-NEXT: .param .align 64 .b8 ingot_kernel_param_4[128]
// PTX-DAG: cvta.param.u64
// PTX-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// GROUP-DAG: setmaxnreg.inc.sync.aligned.u32 232;
// GROUP-DAG: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16
// MEMORY-DAG: tcgen05.mma.cta_group::1.kind::f16
// MEMORY-DAG: tcgen05.ld.sync.aligned.32x32b.x32.b32
func.func private @ingot_kernel(%a: tensor<8192x8192xbf16>, %b: tensor<8192x8192xbf16>, %o: tensor<8192x8192xf32>) -> tensor<8192x8192xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<8192x8192xf32>) -> tensor<8192x8192xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<8192x8192xbf16>, tensor<8192x8192xbf16>) outs(%start : tensor<8192x8192xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %wx = arith.extf %x : bf16 to f32
    %wy = arith.extf %y : bf16 to f32
    %0 = arith.mulf %wx, %wy : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8192x8192xf32>
  return %p : tensor<8192x8192xf32>
}
