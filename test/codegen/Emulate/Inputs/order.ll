; SPDX-License-Identifier: Apache-2.0
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %x, ptr addrspace(1) %y) {
  fence syncscope("device") acq_rel
  %before = atomicrmw add ptr addrspace(1) %x, i32 1 syncscope("device") monotonic
  br label %look
look:
  %now = load atomic i32, ptr addrspace(1) %x syncscope("device") acquire, align 4
  %done = icmp sgt i32 %now, %before
  br i1 %done, label %end, label %look
end:
  %plain = load i32, ptr addrspace(1) %y
  store i32 %plain, ptr addrspace(1) %x
  ret void
}
