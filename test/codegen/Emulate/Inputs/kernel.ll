; SPDX-License-Identifier: Apache-2.0
target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [32 x float] undef
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare { i32, i1 } @llvm.nvvm.shfl.sync.bfly.i32p(i32, i32, i32, i32)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare <2 x float> @llvm.fma.v2f32(<2 x float>, <2 x float>, <2 x float>)
define ptx_kernel void @k(ptr addrspace(1) %x, i64 %n) "target-cpu"="sm_80" {
  %own = alloca i32
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %thread, ptr %own
  %pair = call { i32, i1 } @llvm.nvvm.shfl.sync.bfly.i32p(i32 -1, i32 %thread, i32 1, i32 31)
  %inside = extractvalue { i32, i1 } %pair, 1
  %all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %inside)
  %pack = call i32 asm "cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f"(float 1.0, float 2.0)
  store i32 %pack, ptr %own
  %place = getelementptr float, ptr addrspace(3) @tile, i32 %thread
  store float 1.0, ptr addrspace(3) %place
  %value = select i1 %all, i32 1, i32 2
  store i32 %value, ptr addrspace(1) %x
  ret void
}
