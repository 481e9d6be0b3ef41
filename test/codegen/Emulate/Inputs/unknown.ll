; SPDX-License-Identifier: Apache-2.0
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
declare float @__nv_expf(float)
define ptx_kernel void @k(ptr %x) {
  %a = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
  %b = call float @__nv_expf(float 1.0)
  call void asm sideeffect "griddepcontrol.wait;", ""()
  ret void
}
