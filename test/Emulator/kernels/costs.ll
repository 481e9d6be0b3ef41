; SPDX-License-Identifier: Apache-2.0
; ModuleID = 'costs.c'
source_filename = "costs.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"



@tile = internal unnamed_addr addrspace(3) global [1056 x float] zeroinitializer, align 4
@counter = internal addrspace(3) global i32 0, align 4
@groups = internal addrspace(3) global [256 x <4 x float>] zeroinitializer, align 16

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @strided(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %6 = mul nsw i32 %2, %5
  %7 = add nsw i32 %6, %3
  %8 = sext i32 %7 to i64
  %9 = getelementptr inbounds float, ptr %0, i64 %8
  %10 = load float, ptr %9, align 4, !tbaa !7
  %11 = zext nneg i32 %5 to i64
  %12 = getelementptr inbounds nuw float, ptr %1, i64 %11
  store float %10, ptr %12, align 4, !tbaa !7
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite, inaccessiblemem: write)
define dso_local ptx_kernel void @four(ptr noalias noundef readonly captures(none) %0, ptr noalias noundef writeonly captures(none) %1) local_unnamed_addr #2 {
  call void @llvm.assume(i1 true) [ "align"(ptr %0, i64 16) ]
  call void @llvm.assume(i1 true) [ "align"(ptr %1, i64 16) ]
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = shl nuw nsw i32 %3, 2
  %5 = zext nneg i32 %4 to i64
  %6 = getelementptr inbounds nuw float, ptr %0, i64 %5
  %7 = load float, ptr %6, align 16, !tbaa !7
  %8 = or disjoint i32 %4, 1
  %9 = zext nneg i32 %8 to i64
  %10 = getelementptr inbounds nuw float, ptr %0, i64 %9
  %11 = load float, ptr %10, align 4, !tbaa !7
  %12 = or disjoint i32 %4, 2
  %13 = zext nneg i32 %12 to i64
  %14 = getelementptr inbounds nuw float, ptr %0, i64 %13
  %15 = load float, ptr %14, align 8, !tbaa !7
  %16 = or disjoint i32 %4, 3
  %17 = zext nneg i32 %16 to i64
  %18 = getelementptr inbounds nuw float, ptr %0, i64 %17
  %19 = load float, ptr %18, align 4, !tbaa !7
  %20 = getelementptr inbounds nuw float, ptr %1, i64 %5
  store float %7, ptr %20, align 16, !tbaa !7
  %21 = getelementptr inbounds nuw float, ptr %1, i64 %9
  store float %11, ptr %21, align 4, !tbaa !7
  %22 = getelementptr inbounds nuw float, ptr %1, i64 %13
  store float %15, ptr %22, align 8, !tbaa !7
  %23 = getelementptr inbounds nuw float, ptr %1, i64 %17
  store float %19, ptr %23, align 4, !tbaa !7
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
declare void @llvm.assume(i1 noundef) #3

; Function Attrs: nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local ptx_kernel void @uneven(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #4 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = and i32 %3, 3
  br label %5

5:                                                ; preds = %2, %14
  %6 = phi i32 [ 0, %2 ], [ %15, %14 ]
  %7 = phi float [ 0.000000e+00, %2 ], [ %25, %14 ]
  %8 = shl nuw nsw i32 %6, 7
  %9 = add nuw nsw i32 %8, %3
  br label %17

10:                                               ; preds = %14
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %12 = zext nneg i32 %11 to i64
  %13 = getelementptr inbounds nuw float, ptr %1, i64 %12
  store float %25, ptr %13, align 4, !tbaa !7
  ret void

14:                                               ; preds = %17
  %15 = add nuw nsw i32 %6, 1
  %16 = icmp eq i32 %6, 0
  br i1 %16, label %5, label %10, !llvm.loop !9

17:                                               ; preds = %5, %17
  %18 = phi i32 [ 0, %5 ], [ %26, %17 ]
  %19 = phi float [ %7, %5 ], [ %25, %17 ]
  %20 = shl i32 %18, 5
  %21 = add nuw nsw i32 %9, %20
  %22 = zext nneg i32 %21 to i64
  %23 = getelementptr inbounds nuw float, ptr %0, i64 %22
  %24 = load float, ptr %23, align 4, !tbaa !7
  %25 = fadd float %19, %24
  %26 = add nuw nsw i32 %18, 1
  %27 = icmp eq i32 %18, %4
  br i1 %27, label %14, label %17, !llvm.loop !12
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @half(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #0 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = and i32 %3, 1
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %6, label %12

6:                                                ; preds = %2
  %7 = lshr exact i32 %3, 1
  %8 = zext nneg i32 %7 to i64
  %9 = getelementptr inbounds nuw float, ptr %0, i64 %8
  %10 = load float, ptr %9, align 4, !tbaa !7
  %11 = getelementptr inbounds nuw float, ptr %1, i64 %8
  store float %10, ptr %11, align 4, !tbaa !7
  br label %12

12:                                               ; preds = %6, %2
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @columns(ptr noundef writeonly captures(none) %0, i32 noundef %1) local_unnamed_addr #5 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %12

4:                                                ; preds = %12
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %6 = mul nsw i32 %1, %5
  %7 = sext i32 %6 to i64
  %8 = getelementptr inbounds float, ptr addrspace(3) @tile, i64 %7
  %9 = load float, ptr addrspace(3) %8, align 4, !tbaa !7
  %10 = zext nneg i32 %5 to i64
  %11 = getelementptr inbounds nuw float, ptr %0, i64 %10
  store float %9, ptr %11, align 4, !tbaa !7
  ret void

12:                                               ; preds = %2, %12
  %13 = phi i32 [ 0, %2 ], [ %19, %12 ]
  %14 = uitofp nneg i32 %13 to float
  %15 = mul nsw i32 %13, %1
  %16 = add nsw i32 %15, %3
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds float, ptr addrspace(3) @tile, i64 %17
  store float %14, ptr addrspace(3) %18, align 4, !tbaa !7
  %19 = add nuw nsw i32 %13, 1
  %20 = icmp eq i32 %19, 32
  br i1 %20, label %4, label %12, !llvm.loop !13
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #6

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @one_word(ptr noundef captures(none) %0) local_unnamed_addr #5 {
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %4, label %5

4:                                                ; preds = %1
  store i32 0, ptr addrspace(3) @counter, align 4, !tbaa !3
  br label %5

5:                                                ; preds = %4, %1
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %6 = load i32, ptr addrspace(3) @counter, align 4, !tbaa !3
  %7 = atomicrmw add ptr addrspace(3) @counter, i32 %6 monotonic, align 4
  %8 = atomicrmw add ptr %0, i32 1 monotonic, align 4
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @rows_of_groups(ptr noundef writeonly captures(none) %0, i32 noundef %1) local_unnamed_addr #5 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = mul nsw i32 %1, %3
  %5 = sext i32 %4 to i64
  %6 = getelementptr inbounds <4 x float>, ptr addrspace(3) @groups, i64 %5
  store <4 x float> <float 1.000000e+00, float 2.000000e+00, float 3.000000e+00, float 4.000000e+00>, ptr addrspace(3) %6, align 16, !tbaa !14
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %7 = load float, ptr addrspace(3) %6, align 16, !tbaa !14
  %8 = zext nneg i32 %3 to i64
  %9 = getelementptr inbounds nuw float, ptr %0, i64 %8
  store float %7, ptr %9, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent nounwind
define dso_local ptx_kernel void @matrices(ptr noundef writeonly captures(none) %0, i32 noundef %1) local_unnamed_addr #7 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = shl nuw nsw i32 %3, 3
  br label %20

5:                                                ; preds = %20
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = mul nsw i32 %1, %6
  %8 = sext i32 %7 to i64
  %9 = getelementptr inbounds <4 x float>, ptr addrspace(3) @groups, i64 %8
  %10 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) noundef %9) #10
  %11 = extractvalue { i32, i32, i32, i32 } %10, 0
  %12 = extractvalue { i32, i32, i32, i32 } %10, 1
  %13 = extractvalue { i32, i32, i32, i32 } %10, 2
  %14 = extractvalue { i32, i32, i32, i32 } %10, 3
  %15 = add nsw i32 %11, %12
  %16 = add nsw i32 %15, %13
  %17 = add nsw i32 %16, %14
  %18 = zext nneg i32 %6 to i64
  %19 = getelementptr inbounds nuw i32, ptr %0, i64 %18
  store i32 %17, ptr %19, align 4, !tbaa !3
  ret void

20:                                               ; preds = %2, %20
  %21 = phi i32 [ 0, %2 ], [ %25, %20 ]
  %22 = add nuw nsw i32 %21, %4
  %23 = zext nneg i32 %22 to i64
  %24 = getelementptr inbounds nuw <4 x float>, ptr addrspace(3) @groups, i64 %23
  store <4 x float> <float 1.000000e+00, float 2.000000e+00, float 3.000000e+00, float 4.000000e+00>, ptr addrspace(3) %24, align 16, !tbaa !14
  %25 = add nuw nsw i32 %21, 1
  %26 = icmp eq i32 %25, 8
  br i1 %26, label %5, label %20, !llvm.loop !15
}

declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))

; Function Attrs: convergent nounwind
define dso_local ptx_kernel void @copies(ptr noundef %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #7 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = zext nneg i32 %3 to i64
  %5 = getelementptr inbounds nuw <4 x float>, ptr addrspace(3) @groups, i64 %4
  %6 = getelementptr inbounds nuw <4 x float>, ptr %0, i64 %4
  %7 = addrspacecast ptr %6 to ptr addrspace(1)
  %8 = icmp eq i32 %3, 31
  %9 = select i1 %8, i32 0, i32 16
  tail call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %5, ptr addrspace(1) %7, i32 %9)
  tail call void @llvm.nvvm.cp.async.wait.all()
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %10 = sub nsw i32 31, %3
  %11 = sext i32 %10 to i64
  %12 = getelementptr inbounds <4 x float>, ptr addrspace(3) @groups, i64 %11
  %13 = load float, ptr addrspace(3) %12, align 16, !tbaa !14
  %14 = getelementptr inbounds nuw float, ptr %1, i64 %4
  store float %13, ptr %14, align 4, !tbaa !7
  ret void
}

; Function Attrs: nocallback nounwind memory(argmem: readwrite)
declare void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) noalias writeonly, ptr addrspace(1) noalias readonly, i32) #8

; Function Attrs: nounwind
declare void @llvm.nvvm.cp.async.wait.all() #9

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx70,+ptx88,+sm_80" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite, inaccessiblemem: write) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx70,+ptx88,+sm_80" }
attributes #3 = { mustprogress nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
attributes #4 = { nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx70,+ptx88,+sm_80" }
attributes #5 = { convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx70,+ptx88,+sm_80" }
attributes #6 = { convergent nocallback nounwind }
attributes #7 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx70,+ptx88,+sm_80" }
attributes #8 = { nocallback nounwind memory(argmem: readwrite) }
attributes #9 = { nounwind }
attributes #10 = { convergent nounwind }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{!8, !8, i64 0}
!8 = !{!"float", !5, i64 0}
!9 = distinct !{!9, !10, !11}
!10 = !{!"llvm.loop.mustprogress"}
!11 = !{!"llvm.loop.unroll.disable"}
!12 = distinct !{!12, !10, !11}
!13 = distinct !{!13, !10, !11}
!14 = !{!5, !5, i64 0}
!15 = distinct !{!15, !10, !11}
