; SPDX-License-Identifier: Apache-2.0
; ModuleID = 'kernels.c'
source_filename = "kernels.c"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"



@row_sum_parts = internal unnamed_addr addrspace(3) global [32 x float] zeroinitializer, align 4
@row_sum_no_barrier_parts = internal unnamed_addr addrspace(3) global [32 x float] zeroinitializer, align 4
@row_sum_unwritten_parts = internal unnamed_addr addrspace(3) global [32 x float] zeroinitializer, align 4
@transpose_tile = internal unnamed_addr addrspace(3) global [1024 x float] zeroinitializer, align 4
@transpose_wrong_swizzle_tile = internal unnamed_addr addrspace(3) global [1024 x float] zeroinitializer, align 4
@rotate_row = internal unnamed_addr addrspace(3) global [256 x float] zeroinitializer, align 4
@rotate_race_row = internal unnamed_addr addrspace(3) global [256 x float] zeroinitializer, align 4
@is_last = internal unnamed_addr addrspace(3) global i32 0, align 4
@async_reverse_row = internal addrspace(3) global [128 x float] zeroinitializer, align 4
@async_reverse_no_wait_row = internal addrspace(3) global [128 x float] zeroinitializer, align 4

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @saxpy(ptr noundef readonly captures(none) %0, ptr noundef captures(none) %1, i64 noundef %2, float noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = zext nneg i32 %5 to i64
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %8 = zext nneg i32 %7 to i64
  %9 = mul nuw nsw i64 %6, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = zext nneg i32 %10 to i64
  %12 = add nuw nsw i64 %9, %11
  %13 = icmp slt i64 %12, %2
  br i1 %13, label %14, label %20

14:                                               ; preds = %4
  %15 = getelementptr inbounds nuw float, ptr %0, i64 %12
  %16 = load float, ptr %15, align 4, !tbaa !7
  %17 = getelementptr inbounds nuw float, ptr %1, i64 %12
  %18 = load float, ptr %17, align 4, !tbaa !7
  %19 = tail call float @llvm.fmuladd.f32(float %3, float %16, float %18)
  store float %19, ptr %17, align 4, !tbaa !7
  br label %20

20:                                               ; preds = %14, %4
  ret void
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #2

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #3

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @saxpy_one_more(ptr noundef readonly captures(none) %0, ptr noundef captures(none) %1, i64 noundef %2, float noundef %3) local_unnamed_addr #0 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = zext nneg i32 %5 to i64
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %8 = zext nneg i32 %7 to i64
  %9 = mul nuw nsw i64 %6, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = zext nneg i32 %10 to i64
  %12 = add nuw nsw i64 %9, %11
  %13 = icmp sgt i64 %12, %2
  br i1 %13, label %20, label %14

14:                                               ; preds = %4
  %15 = getelementptr inbounds nuw float, ptr %0, i64 %12
  %16 = load float, ptr %15, align 4, !tbaa !7
  %17 = getelementptr inbounds nuw float, ptr %1, i64 %12
  %18 = load float, ptr %17, align 4, !tbaa !7
  %19 = tail call float @llvm.fmuladd.f32(float %3, float %16, float %18)
  store float %19, ptr %17, align 4, !tbaa !7
  br label %20

20:                                               ; preds = %14, %4
  ret void
}

; Function Attrs: convergent nounwind
define dso_local ptx_kernel void @row_sum(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i64 noundef %2) local_unnamed_addr #4 {
  tail call void @llvm.nvvm.griddepcontrol.wait() #12
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = zext nneg i32 %4 to i64
  %6 = icmp sgt i64 %2, %5
  br i1 %6, label %9, label %7

7:                                                ; preds = %26, %3
  %8 = phi float [ 0.000000e+00, %3 ], [ %31, %26 ]
  br label %16

9:                                                ; preds = %3
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %11 = zext nneg i32 %10 to i64
  %12 = mul nsw i64 %2, %11
  %13 = getelementptr float, ptr %0, i64 %12
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %15 = zext nneg i32 %14 to i64
  br label %26

16:                                               ; preds = %7, %16
  %17 = phi i32 [ %21, %16 ], [ 16, %7 ]
  %18 = phi float [ %20, %16 ], [ %8, %7 ]
  %19 = tail call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %18, i32 %17, i32 31)
  %20 = fadd float %18, %19
  %21 = lshr i32 %17, 1
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %23, label %16, !llvm.loop !9

23:                                               ; preds = %16
  %24 = and i32 %4, 31
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %34, label %38

26:                                               ; preds = %9, %26
  %27 = phi i64 [ %5, %9 ], [ %32, %26 ]
  %28 = phi float [ 0.000000e+00, %9 ], [ %31, %26 ]
  %29 = getelementptr float, ptr %13, i64 %27
  %30 = load float, ptr %29, align 4, !tbaa !7
  %31 = fadd float %28, %30
  %32 = add nuw nsw i64 %27, %15
  %33 = icmp slt i64 %32, %2
  br i1 %33, label %26, label %7, !llvm.loop !12

34:                                               ; preds = %23
  %35 = lshr exact i32 %4, 5
  %36 = zext nneg i32 %35 to i64
  %37 = getelementptr inbounds nuw float, ptr addrspace(3) @row_sum_parts, i64 %36
  store float %20, ptr addrspace(3) %37, align 4, !tbaa !7
  br label %38

38:                                               ; preds = %34, %23
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %39 = icmp samesign ult i32 %4, 32
  br i1 %39, label %40, label %62

40:                                               ; preds = %38
  %41 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %42 = lshr i32 %41, 5
  %43 = icmp samesign ult i32 %4, %42
  br i1 %43, label %44, label %47

44:                                               ; preds = %40
  %45 = getelementptr inbounds nuw float, ptr addrspace(3) @row_sum_parts, i64 %5
  %46 = load float, ptr addrspace(3) %45, align 4, !tbaa !7
  br label %47

47:                                               ; preds = %40, %44
  %48 = phi float [ %46, %44 ], [ 0.000000e+00, %40 ]
  br label %49

49:                                               ; preds = %47, %49
  %50 = phi i32 [ %54, %49 ], [ 16, %47 ]
  %51 = phi float [ %53, %49 ], [ %48, %47 ]
  %52 = tail call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %51, i32 %50, i32 31)
  %53 = fadd float %51, %52
  %54 = lshr i32 %50, 1
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %56, label %49, !llvm.loop !9

56:                                               ; preds = %49
  %57 = icmp eq i32 %4, 0
  br i1 %57, label %58, label %62

58:                                               ; preds = %56
  %59 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %60 = zext nneg i32 %59 to i64
  %61 = getelementptr inbounds nuw float, ptr %1, i64 %60
  store float %53, ptr %61, align 4, !tbaa !7
  br label %62

62:                                               ; preds = %56, %58, %38
  ret void
}

; Function Attrs: nounwind
declare void @llvm.nvvm.griddepcontrol.wait() #5

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #6

; Function Attrs: convergent nounwind
define dso_local ptx_kernel void @row_sum_no_barrier(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i64 noundef %2) local_unnamed_addr #4 {
  tail call void @llvm.nvvm.griddepcontrol.wait() #12
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = zext nneg i32 %4 to i64
  %6 = icmp sgt i64 %2, %5
  br i1 %6, label %9, label %7

7:                                                ; preds = %26, %3
  %8 = phi float [ 0.000000e+00, %3 ], [ %31, %26 ]
  br label %16

9:                                                ; preds = %3
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %11 = zext nneg i32 %10 to i64
  %12 = mul nsw i64 %2, %11
  %13 = getelementptr float, ptr %0, i64 %12
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %15 = zext nneg i32 %14 to i64
  br label %26

16:                                               ; preds = %7, %16
  %17 = phi i32 [ %21, %16 ], [ 16, %7 ]
  %18 = phi float [ %20, %16 ], [ %8, %7 ]
  %19 = tail call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %18, i32 %17, i32 31)
  %20 = fadd float %18, %19
  %21 = lshr i32 %17, 1
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %23, label %16, !llvm.loop !9

23:                                               ; preds = %16
  %24 = and i32 %4, 31
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %34, label %38

26:                                               ; preds = %9, %26
  %27 = phi i64 [ %5, %9 ], [ %32, %26 ]
  %28 = phi float [ 0.000000e+00, %9 ], [ %31, %26 ]
  %29 = getelementptr float, ptr %13, i64 %27
  %30 = load float, ptr %29, align 4, !tbaa !7
  %31 = fadd float %28, %30
  %32 = add nuw nsw i64 %27, %15
  %33 = icmp slt i64 %32, %2
  br i1 %33, label %26, label %7, !llvm.loop !13

34:                                               ; preds = %23
  %35 = lshr exact i32 %4, 5
  %36 = zext nneg i32 %35 to i64
  %37 = getelementptr inbounds nuw float, ptr addrspace(3) @row_sum_no_barrier_parts, i64 %36
  store float %20, ptr addrspace(3) %37, align 4, !tbaa !7
  br label %38

38:                                               ; preds = %34, %23
  %39 = icmp samesign ult i32 %4, 32
  br i1 %39, label %40, label %62

40:                                               ; preds = %38
  %41 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %42 = lshr i32 %41, 5
  %43 = icmp samesign ult i32 %4, %42
  br i1 %43, label %44, label %47

44:                                               ; preds = %40
  %45 = getelementptr inbounds nuw float, ptr addrspace(3) @row_sum_no_barrier_parts, i64 %5
  %46 = load float, ptr addrspace(3) %45, align 4, !tbaa !7
  br label %47

47:                                               ; preds = %40, %44
  %48 = phi float [ %46, %44 ], [ 0.000000e+00, %40 ]
  br label %49

49:                                               ; preds = %47, %49
  %50 = phi i32 [ %54, %49 ], [ 16, %47 ]
  %51 = phi float [ %53, %49 ], [ %48, %47 ]
  %52 = tail call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %51, i32 %50, i32 31)
  %53 = fadd float %51, %52
  %54 = lshr i32 %50, 1
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %56, label %49, !llvm.loop !9

56:                                               ; preds = %49
  %57 = icmp eq i32 %4, 0
  br i1 %57, label %58, label %62

58:                                               ; preds = %56
  %59 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %60 = zext nneg i32 %59 to i64
  %61 = getelementptr inbounds nuw float, ptr %1, i64 %60
  store float %53, ptr %61, align 4, !tbaa !7
  br label %62

62:                                               ; preds = %56, %58, %38
  ret void
}

; Function Attrs: convergent nounwind
define dso_local ptx_kernel void @row_sum_unwritten(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i64 noundef %2) local_unnamed_addr #4 {
  tail call void @llvm.nvvm.griddepcontrol.wait() #12
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %5 = zext nneg i32 %4 to i64
  %6 = icmp sgt i64 %2, %5
  br i1 %6, label %9, label %7

7:                                                ; preds = %26, %3
  %8 = phi float [ 0.000000e+00, %3 ], [ %31, %26 ]
  br label %16

9:                                                ; preds = %3
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %11 = zext nneg i32 %10 to i64
  %12 = mul nsw i64 %2, %11
  %13 = getelementptr float, ptr %0, i64 %12
  %14 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %15 = zext nneg i32 %14 to i64
  br label %26

16:                                               ; preds = %7, %16
  %17 = phi i32 [ %21, %16 ], [ 16, %7 ]
  %18 = phi float [ %20, %16 ], [ %8, %7 ]
  %19 = tail call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %18, i32 %17, i32 31)
  %20 = fadd float %18, %19
  %21 = lshr i32 %17, 1
  %22 = icmp eq i32 %21, 0
  br i1 %22, label %23, label %16, !llvm.loop !9

23:                                               ; preds = %16
  %24 = and i32 %4, 31
  %25 = icmp eq i32 %24, 0
  br i1 %25, label %34, label %38

26:                                               ; preds = %9, %26
  %27 = phi i64 [ %5, %9 ], [ %32, %26 ]
  %28 = phi float [ 0.000000e+00, %9 ], [ %31, %26 ]
  %29 = getelementptr float, ptr %13, i64 %27
  %30 = load float, ptr %29, align 4, !tbaa !7
  %31 = fadd float %28, %30
  %32 = add nuw nsw i64 %27, %15
  %33 = icmp slt i64 %32, %2
  br i1 %33, label %26, label %7, !llvm.loop !14

34:                                               ; preds = %23
  %35 = lshr exact i32 %4, 5
  %36 = zext nneg i32 %35 to i64
  %37 = getelementptr inbounds nuw float, ptr addrspace(3) @row_sum_unwritten_parts, i64 %36
  store float %20, ptr addrspace(3) %37, align 4, !tbaa !7
  br label %38

38:                                               ; preds = %34, %23
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %39 = icmp samesign ult i32 %4, 32
  br i1 %39, label %40, label %62

40:                                               ; preds = %38
  %41 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %42 = lshr i32 %41, 5
  %43 = icmp samesign ugt i32 %4, %42
  br i1 %43, label %47, label %44

44:                                               ; preds = %40
  %45 = getelementptr inbounds nuw float, ptr addrspace(3) @row_sum_unwritten_parts, i64 %5
  %46 = load float, ptr addrspace(3) %45, align 4, !tbaa !7
  br label %47

47:                                               ; preds = %40, %44
  %48 = phi float [ %46, %44 ], [ 0.000000e+00, %40 ]
  br label %49

49:                                               ; preds = %47, %49
  %50 = phi i32 [ %54, %49 ], [ 16, %47 ]
  %51 = phi float [ %53, %49 ], [ %48, %47 ]
  %52 = tail call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %51, i32 %50, i32 31)
  %53 = fadd float %51, %52
  %54 = lshr i32 %50, 1
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %56, label %49, !llvm.loop !9

56:                                               ; preds = %49
  %57 = icmp eq i32 %4, 0
  br i1 %57, label %58, label %62

58:                                               ; preds = %56
  %59 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %60 = zext nneg i32 %59 to i64
  %61 = getelementptr inbounds nuw float, ptr %1, i64 %60
  store float %53, ptr %61, align 4, !tbaa !7
  br label %62

62:                                               ; preds = %56, %58, %38
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @half_a_barrier(ptr noundef writeonly captures(none) %0) local_unnamed_addr #7 {
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %4 = lshr i32 %3, 1
  %5 = icmp samesign ult i32 %2, %4
  br i1 %5, label %6, label %7

6:                                                ; preds = %1
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %7

7:                                                ; preds = %6, %1
  %8 = zext nneg i32 %2 to i64
  %9 = getelementptr inbounds nuw float, ptr %0, i64 %8
  store float 1.000000e+00, ptr %9, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent norecurse nounwind memory(argmem: write, inaccessiblemem: readwrite)
define dso_local ptx_kernel void @half_a_shuffle(ptr noundef writeonly captures(none) %0) local_unnamed_addr #8 {
  %2 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = uitofp nneg i32 %2 to float
  %4 = and i32 %2, 1
  %5 = icmp eq i32 %4, 0
  br i1 %5, label %8, label %6

6:                                                ; preds = %1
  %7 = tail call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %3, i32 1, i32 31)
  br label %8

8:                                                ; preds = %6, %1
  %9 = phi float [ %7, %6 ], [ %3, %1 ]
  %10 = zext nneg i32 %2 to i64
  %11 = getelementptr inbounds nuw float, ptr %0, i64 %10
  store float %9, ptr %11, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32) #9

; Function Attrs: convergent nounwind
define dso_local ptx_kernel void @transpose(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #4 {
  tail call void @llvm.nvvm.griddepcontrol.wait() #12
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = and i32 %3, 31
  %5 = lshr i32 %3, 5
  br label %8

6:                                                ; preds = %8
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %7 = shl nuw nsw i32 %4, 5
  br label %22

8:                                                ; preds = %2, %8
  %9 = phi i32 [ %19, %8 ], [ %5, %2 ]
  %10 = shl nuw nsw i32 %9, 5
  %11 = or disjoint i32 %10, %4
  %12 = zext nneg i32 %11 to i64
  %13 = getelementptr inbounds nuw float, ptr %0, i64 %12
  %14 = load float, ptr %13, align 4, !tbaa !7
  %15 = xor i32 %9, %4
  %16 = or disjoint i32 %10, %15
  %17 = zext nneg i32 %16 to i64
  %18 = getelementptr inbounds nuw float, ptr addrspace(3) @transpose_tile, i64 %17
  store float %14, ptr addrspace(3) %18, align 4, !tbaa !7
  %19 = add nuw nsw i32 %9, 8
  %20 = icmp samesign ult i32 %9, 24
  br i1 %20, label %8, label %6, !llvm.loop !15

21:                                               ; preds = %22
  ret void

22:                                               ; preds = %6, %22
  %23 = phi i32 [ %5, %6 ], [ %33, %22 ]
  %24 = xor i32 %23, %4
  %25 = add nuw nsw i32 %24, %7
  %26 = zext nneg i32 %25 to i64
  %27 = getelementptr inbounds nuw float, ptr addrspace(3) @transpose_tile, i64 %26
  %28 = load float, ptr addrspace(3) %27, align 4, !tbaa !7
  %29 = shl nuw nsw i32 %23, 5
  %30 = or disjoint i32 %29, %4
  %31 = zext nneg i32 %30 to i64
  %32 = getelementptr inbounds nuw float, ptr %1, i64 %31
  store float %28, ptr %32, align 4, !tbaa !7
  %33 = add nuw nsw i32 %23, 8
  %34 = icmp samesign ult i32 %23, 24
  br i1 %34, label %22, label %21, !llvm.loop !16
}

; Function Attrs: convergent nounwind
define dso_local ptx_kernel void @transpose_wrong_swizzle(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #4 {
  tail call void @llvm.nvvm.griddepcontrol.wait() #12
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = and i32 %3, 31
  %5 = lshr i32 %3, 5
  br label %9

6:                                                ; preds = %9
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %7 = shl nuw nsw i32 %4, 5
  %8 = lshr i32 %4, 1
  br label %23

9:                                                ; preds = %2, %9
  %10 = phi i32 [ %20, %9 ], [ %5, %2 ]
  %11 = shl nuw nsw i32 %10, 5
  %12 = or disjoint i32 %11, %4
  %13 = zext nneg i32 %12 to i64
  %14 = getelementptr inbounds nuw float, ptr %0, i64 %13
  %15 = load float, ptr %14, align 4, !tbaa !7
  %16 = xor i32 %10, %4
  %17 = or disjoint i32 %11, %16
  %18 = zext nneg i32 %17 to i64
  %19 = getelementptr inbounds nuw float, ptr addrspace(3) @transpose_wrong_swizzle_tile, i64 %18
  store float %15, ptr addrspace(3) %19, align 4, !tbaa !7
  %20 = add nuw nsw i32 %10, 8
  %21 = icmp samesign ult i32 %10, 24
  br i1 %21, label %9, label %6, !llvm.loop !17

22:                                               ; preds = %23
  ret void

23:                                               ; preds = %6, %23
  %24 = phi i32 [ %5, %6 ], [ %34, %23 ]
  %25 = xor i32 %24, %8
  %26 = add nuw nsw i32 %25, %7
  %27 = zext nneg i32 %26 to i64
  %28 = getelementptr inbounds nuw float, ptr addrspace(3) @transpose_wrong_swizzle_tile, i64 %27
  %29 = load float, ptr addrspace(3) %28, align 4, !tbaa !7
  %30 = shl nuw nsw i32 %24, 5
  %31 = or disjoint i32 %30, %4
  %32 = zext nneg i32 %31 to i64
  %33 = getelementptr inbounds nuw float, ptr %1, i64 %32
  store float %29, ptr %33, align 4, !tbaa !7
  %34 = add nuw nsw i32 %24, 8
  %35 = icmp samesign ult i32 %24, 24
  br i1 %35, label %23, label %22, !llvm.loop !18
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @rotate(ptr noundef captures(none) %0, i32 noundef %1) local_unnamed_addr #7 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = zext nneg i32 %3 to i64
  %5 = getelementptr inbounds nuw float, ptr %0, i64 %4
  %6 = load float, ptr %5, align 4, !tbaa !7
  %7 = getelementptr inbounds nuw float, ptr addrspace(3) @rotate_row, i64 %4
  store float %6, ptr addrspace(3) %7, align 4, !tbaa !7
  %8 = icmp sgt i32 %1, 0
  br i1 %8, label %9, label %12

9:                                                ; preds = %2
  %10 = add nuw nsw i32 %3, 1
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %14

12:                                               ; preds = %14, %2
  %13 = load float, ptr addrspace(3) %7, align 4, !tbaa !7
  store float %13, ptr %5, align 4, !tbaa !7
  ret void

14:                                               ; preds = %9, %14
  %15 = phi i32 [ 0, %9 ], [ %20, %14 ]
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %16 = urem i32 %10, %11
  %17 = zext nneg i32 %16 to i64
  %18 = getelementptr inbounds nuw float, ptr addrspace(3) @rotate_row, i64 %17
  %19 = load float, ptr addrspace(3) %18, align 4, !tbaa !7
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float %19, ptr addrspace(3) %7, align 4, !tbaa !7
  %20 = add nuw nsw i32 %15, 1
  %21 = icmp eq i32 %20, %1
  br i1 %21, label %12, label %14, !llvm.loop !19
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @rotate_race(ptr noundef captures(none) %0, i32 noundef %1) local_unnamed_addr #7 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = zext nneg i32 %3 to i64
  %5 = getelementptr inbounds nuw float, ptr %0, i64 %4
  %6 = load float, ptr %5, align 4, !tbaa !7
  %7 = getelementptr inbounds nuw float, ptr addrspace(3) @rotate_race_row, i64 %4
  store float %6, ptr addrspace(3) %7, align 4, !tbaa !7
  %8 = icmp sgt i32 %1, 0
  br i1 %8, label %9, label %12

9:                                                ; preds = %2
  %10 = add nuw nsw i32 %3, 1
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %14

12:                                               ; preds = %14, %2
  %13 = load float, ptr addrspace(3) %7, align 4, !tbaa !7
  store float %13, ptr %5, align 4, !tbaa !7
  ret void

14:                                               ; preds = %9, %14
  %15 = phi i32 [ 0, %9 ], [ %20, %14 ]
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %16 = urem i32 %10, %11
  %17 = zext nneg i32 %16 to i64
  %18 = getelementptr inbounds nuw float, ptr addrspace(3) @rotate_race_row, i64 %17
  %19 = load float, ptr addrspace(3) %18, align 4, !tbaa !7
  store float %19, ptr addrspace(3) %7, align 4, !tbaa !7
  %20 = add nuw nsw i32 %15, 1
  %21 = icmp eq i32 %20, %1
  br i1 %21, label %12, label %14, !llvm.loop !20
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @last_block_sum(ptr noundef readonly captures(none) %0, ptr noundef captures(none) %1, ptr noundef captures(none) %2, ptr noundef writeonly captures(none) %3) local_unnamed_addr #7 {
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %6 = shl nsw i32 %5, 5
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %8 = add nuw nsw i32 %6, %7
  %9 = zext nneg i32 %8 to i64
  %10 = getelementptr inbounds nuw float, ptr %0, i64 %9
  %11 = load float, ptr %10, align 4, !tbaa !7
  br label %12

12:                                               ; preds = %12, %4
  %13 = phi i32 [ 16, %4 ], [ %17, %12 ]
  %14 = phi float [ %11, %4 ], [ %16, %12 ]
  %15 = tail call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %14, i32 %13, i32 31)
  %16 = fadd float %14, %15
  %17 = lshr i32 %13, 1
  %18 = icmp eq i32 %17, 0
  br i1 %18, label %19, label %12, !llvm.loop !9

19:                                               ; preds = %12
  %20 = icmp eq i32 %7, 0
  br i1 %20, label %21, label %29

21:                                               ; preds = %19
  %22 = zext nneg i32 %5 to i64
  %23 = getelementptr inbounds nuw float, ptr %1, i64 %22
  store float %16, ptr %23, align 4, !tbaa !7
  tail call void @llvm.nvvm.membar.gl()
  %24 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %25 = atomicrmw add ptr %2, i32 1 seq_cst, align 4
  %26 = add nsw i32 %24, -1
  %27 = icmp eq i32 %25, %26
  %28 = zext i1 %27 to i32
  store i32 %28, ptr addrspace(3) @is_last, align 4, !tbaa !3
  br label %29

29:                                               ; preds = %21, %19
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %30 = load i32, ptr addrspace(3) @is_last, align 4, !tbaa !3
  %31 = icmp ne i32 %30, 0
  %32 = and i1 %20, %31
  br i1 %32, label %33, label %45

33:                                               ; preds = %29
  %34 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  br label %36

35:                                               ; preds = %36
  store float %42, ptr %3, align 4, !tbaa !7
  store i32 0, ptr %2, align 4, !tbaa !3
  br label %45

36:                                               ; preds = %33, %36
  %37 = phi i32 [ 0, %33 ], [ %43, %36 ]
  %38 = phi float [ 0.000000e+00, %33 ], [ %42, %36 ]
  %39 = zext nneg i32 %37 to i64
  %40 = getelementptr inbounds nuw float, ptr %1, i64 %39
  %41 = load float, ptr %40, align 4, !tbaa !7
  %42 = fadd float %38, %41
  %43 = add nuw nsw i32 %37, 1
  %44 = icmp eq i32 %43, %34
  br i1 %44, label %35, label %36, !llvm.loop !21

45:                                               ; preds = %35, %29
  ret void
}

; Function Attrs: nocallback nounwind
declare void @llvm.nvvm.membar.gl() #10

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #2

; Function Attrs: convergent nounwind
define dso_local ptx_kernel void @async_reverse(ptr noundef %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #4 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = zext nneg i32 %3 to i64
  %5 = getelementptr inbounds nuw float, ptr addrspace(3) @async_reverse_row, i64 %4
  store float -1.000000e+00, ptr addrspace(3) %5, align 4, !tbaa !7
  %6 = getelementptr inbounds nuw float, ptr %0, i64 %4
  %7 = addrspacecast ptr %6 to ptr addrspace(1)
  tail call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %5, ptr addrspace(1) %7)
  tail call void @llvm.nvvm.cp.async.commit.group()
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0)
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %9 = xor i32 %3, -1
  %10 = add nsw i32 %8, %9
  %11 = sext i32 %10 to i64
  %12 = getelementptr inbounds float, ptr addrspace(3) @async_reverse_row, i64 %11
  %13 = load float, ptr addrspace(3) %12, align 4, !tbaa !7
  %14 = getelementptr inbounds nuw float, ptr %1, i64 %4
  store float %13, ptr %14, align 4, !tbaa !7
  ret void
}

; Function Attrs: nocallback nounwind memory(argmem: readwrite)
declare void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) noalias writeonly, ptr addrspace(1) noalias readonly) #11

; Function Attrs: nounwind
declare void @llvm.nvvm.cp.async.commit.group() #5

; Function Attrs: nounwind
declare void @llvm.nvvm.cp.async.wait.group(i32 immarg) #5

; Function Attrs: convergent nounwind
define dso_local ptx_kernel void @async_reverse_no_wait(ptr noundef %0, ptr noundef writeonly captures(none) %1) local_unnamed_addr #4 {
  %3 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = zext nneg i32 %3 to i64
  %5 = getelementptr inbounds nuw float, ptr addrspace(3) @async_reverse_no_wait_row, i64 %4
  store float -1.000000e+00, ptr addrspace(3) %5, align 4, !tbaa !7
  %6 = getelementptr inbounds nuw float, ptr %0, i64 %4
  %7 = addrspacecast ptr %6 to ptr addrspace(1)
  tail call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %5, ptr addrspace(1) %7)
  tail call void @llvm.nvvm.cp.async.commit.group()
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %9 = xor i32 %3, -1
  %10 = add nsw i32 %8, %9
  %11 = sext i32 %10 to i64
  %12 = getelementptr inbounds float, ptr addrspace(3) @async_reverse_no_wait_row, i64 %11
  %13 = load float, ptr addrspace(3) %12, align 4, !tbaa !7
  %14 = getelementptr inbounds nuw float, ptr %1, i64 %4
  store float %13, ptr %14, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent nounwind
define dso_local ptx_kernel void @multiply_bf16(ptr noundef readonly captures(none) %0, ptr noundef readonly captures(none) %1, ptr noundef writeonly captures(none) %2) local_unnamed_addr #4 {
  %4 = alloca [4 x i32], align 4
  %5 = alloca [2 x i32], align 4
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %7 = lshr i32 %6, 2
  %8 = and i32 %6, 3
  call void @llvm.lifetime.start.p0(ptr nonnull %4) #5
  call void @llvm.lifetime.start.p0(ptr nonnull %5) #5
  br label %12

9:                                                ; preds = %12
  %10 = shl nuw nsw i32 %7, 3
  %11 = or disjoint i32 %10, %8
  br label %54

12:                                               ; preds = %3, %12
  %13 = phi i32 [ 0, %3 ], [ %27, %12 ]
  %14 = shl nuw nsw i32 %13, 3
  %15 = and i32 %14, 8
  %16 = add nuw nsw i32 %15, %7
  %17 = shl nuw nsw i32 %16, 3
  %18 = shl nuw nsw i32 %13, 1
  %19 = and i32 %18, 4
  %20 = or disjoint i32 %17, %19
  %21 = or disjoint i32 %20, %8
  %22 = zext nneg i32 %21 to i64
  %23 = getelementptr inbounds nuw i32, ptr %0, i64 %22
  %24 = load i32, ptr %23, align 4, !tbaa !3
  %25 = zext nneg i32 %13 to i64
  %26 = getelementptr inbounds nuw i32, ptr %4, i64 %25
  store i32 %24, ptr %26, align 4, !tbaa !3
  %27 = add nuw nsw i32 %13, 1
  %28 = icmp eq i32 %27, 4
  br i1 %28, label %9, label %12, !llvm.loop !22

29:                                               ; preds = %54
  %30 = load i32, ptr %4, align 4, !tbaa !3
  %31 = getelementptr inbounds nuw i8, ptr %4, i64 4
  %32 = load i32, ptr %31, align 4, !tbaa !3
  %33 = getelementptr inbounds nuw i8, ptr %4, i64 8
  %34 = load i32, ptr %33, align 4, !tbaa !3
  %35 = getelementptr inbounds nuw i8, ptr %4, i64 12
  %36 = load i32, ptr %35, align 4, !tbaa !3
  %37 = load i32, ptr %5, align 4, !tbaa !3
  %38 = getelementptr inbounds nuw i8, ptr %5, i64 4
  %39 = load i32, ptr %38, align 4, !tbaa !3
  %40 = tail call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 noundef %30, i32 noundef %32, i32 noundef %34, i32 noundef %36, i32 noundef %37, i32 noundef %39, float noundef 0.000000e+00, float noundef 0.000000e+00, float noundef 0.000000e+00, float noundef 0.000000e+00) #13
  %41 = extractvalue { float, float, float, float } %40, 0
  %42 = extractvalue { float, float, float, float } %40, 1
  %43 = extractvalue { float, float, float, float } %40, 2
  %44 = extractvalue { float, float, float, float } %40, 3
  %45 = shl nuw nsw i32 %7, 3
  %46 = zext nneg i32 %45 to i64
  %47 = getelementptr inbounds nuw float, ptr %2, i64 %46
  %48 = shl nuw nsw i32 %8, 1
  %49 = zext nneg i32 %48 to i64
  %50 = getelementptr inbounds nuw float, ptr %47, i64 %49
  store float %41, ptr %50, align 4, !tbaa !7
  %51 = getelementptr inbounds nuw i8, ptr %50, i64 4
  store float %42, ptr %51, align 4, !tbaa !7
  %52 = getelementptr inbounds nuw i8, ptr %50, i64 256
  store float %43, ptr %52, align 4, !tbaa !7
  %53 = getelementptr inbounds nuw i8, ptr %50, i64 260
  store float %44, ptr %53, align 4, !tbaa !7
  call void @llvm.lifetime.end.p0(ptr nonnull %5) #5
  call void @llvm.lifetime.end.p0(ptr nonnull %4) #5
  ret void

54:                                               ; preds = %9, %54
  %55 = phi i32 [ 0, %9 ], [ %63, %54 ]
  %56 = shl nuw nsw i32 %55, 2
  %57 = add nuw nsw i32 %56, %11
  %58 = zext nneg i32 %57 to i64
  %59 = getelementptr inbounds nuw i32, ptr %1, i64 %58
  %60 = load i32, ptr %59, align 4, !tbaa !3
  %61 = zext nneg i32 %55 to i64
  %62 = getelementptr inbounds nuw i32, ptr %5, i64 %61
  store i32 %60, ptr %62, align 4, !tbaa !3
  %63 = add nuw nsw i32 %55, 1
  %64 = icmp eq i32 %55, 0
  br i1 %64, label %54, label %29, !llvm.loop !23
}

declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32, i32, i32, i32, i32, i32, float, float, float, float)

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @neighbours_grid(ptr noundef captures(none) %0, ptr noundef captures(none) %1, ptr noundef captures(none) %2) local_unnamed_addr #7 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %4, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = zext nneg i32 %9 to i64
  %11 = getelementptr inbounds nuw float, ptr %0, i64 %10
  %12 = load float, ptr %11, align 4, !tbaa !7
  %13 = fadd float %12, 1.000000e+00
  store float %13, ptr %11, align 4, !tbaa !7
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %14 = icmp eq i32 %8, 0
  br i1 %14, label %15, label %20

15:                                               ; preds = %3
  fence acq_rel
  %16 = atomicrmw add ptr %2, i32 1 monotonic, align 4
  br label %17

17:                                               ; preds = %17, %15
  %18 = load atomic i32, ptr %2 acquire, align 4
  %19 = icmp ult i32 %18, %5
  br i1 %19, label %17, label %20, !llvm.loop !24

20:                                               ; preds = %17, %3
  %21 = add nuw nsw i32 %4, 1
  %22 = urem i32 %21, %5
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %23 = add nuw nsw i32 %22, 1
  %24 = mul i32 %23, %6
  %25 = xor i32 %8, -1
  %26 = add i32 %24, %25
  %27 = zext i32 %26 to i64
  %28 = getelementptr inbounds nuw float, ptr %0, i64 %27
  %29 = load float, ptr %28, align 4, !tbaa !7
  %30 = getelementptr inbounds nuw float, ptr %1, i64 %10
  %31 = load float, ptr %30, align 4, !tbaa !7
  %32 = fadd float %29, %31
  store float %32, ptr %30, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @neighbours_cluster(ptr noundef captures(none) %0, ptr noundef captures(none) %1, ptr noundef readnone captures(none) %2) local_unnamed_addr #7 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = add nuw nsw i32 %4, 1
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %7 = urem i32 %5, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %9 = mul nuw nsw i32 %4, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = add nuw nsw i32 %9, %10
  %12 = zext nneg i32 %11 to i64
  %13 = getelementptr inbounds nuw float, ptr %0, i64 %12
  %14 = load float, ptr %13, align 4, !tbaa !7
  %15 = fadd float %14, 1.000000e+00
  store float %15, ptr %13, align 4, !tbaa !7
  tail call void @llvm.nvvm.barrier.cluster.arrive() #12
  tail call void @llvm.nvvm.barrier.cluster.wait() #12
  %16 = add nuw nsw i32 %7, 1
  %17 = mul i32 %16, %8
  %18 = xor i32 %10, -1
  %19 = add i32 %17, %18
  %20 = zext i32 %19 to i64
  %21 = getelementptr inbounds nuw float, ptr %0, i64 %20
  %22 = load float, ptr %21, align 4, !tbaa !7
  %23 = getelementptr inbounds nuw float, ptr %1, i64 %12
  %24 = load float, ptr %23, align 4, !tbaa !7
  %25 = fadd float %22, %24
  store float %25, ptr %23, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cluster.arrive() #6

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cluster.wait() #6

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local ptx_kernel void @neighbours_alone(ptr noundef captures(none) %0, ptr noundef captures(none) %1, ptr noundef readnone captures(none) %2) local_unnamed_addr #0 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = add nuw nsw i32 %4, 1
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %7 = urem i32 %5, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %9 = mul nuw nsw i32 %4, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = add nuw nsw i32 %9, %10
  %12 = zext nneg i32 %11 to i64
  %13 = getelementptr inbounds nuw float, ptr %0, i64 %12
  %14 = load float, ptr %13, align 4, !tbaa !7
  %15 = fadd float %14, 1.000000e+00
  store float %15, ptr %13, align 4, !tbaa !7
  %16 = add nuw nsw i32 %7, 1
  %17 = mul i32 %16, %8
  %18 = xor i32 %10, -1
  %19 = add i32 %17, %18
  %20 = zext i32 %19 to i64
  %21 = getelementptr inbounds nuw float, ptr %0, i64 %20
  %22 = load float, ptr %21, align 4, !tbaa !7
  %23 = getelementptr inbounds nuw float, ptr %1, i64 %12
  %24 = load float, ptr %23, align 4, !tbaa !7
  %25 = fadd float %22, %24
  store float %25, ptr %23, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @neighbours_no_barrier_before(ptr noundef captures(none) %0, ptr noundef captures(none) %1, ptr noundef captures(none) %2) local_unnamed_addr #7 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %4, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = zext nneg i32 %9 to i64
  %11 = getelementptr inbounds nuw float, ptr %0, i64 %10
  %12 = load float, ptr %11, align 4, !tbaa !7
  %13 = fadd float %12, 1.000000e+00
  store float %13, ptr %11, align 4, !tbaa !7
  %14 = icmp eq i32 %8, 0
  br i1 %14, label %15, label %20

15:                                               ; preds = %3
  fence acq_rel
  %16 = atomicrmw add ptr %2, i32 1 monotonic, align 4
  br label %17

17:                                               ; preds = %17, %15
  %18 = load atomic i32, ptr %2 acquire, align 4
  %19 = icmp ult i32 %18, %5
  br i1 %19, label %17, label %20, !llvm.loop !25

20:                                               ; preds = %17, %3
  %21 = add nuw nsw i32 %4, 1
  %22 = urem i32 %21, %5
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %23 = add nuw nsw i32 %22, 1
  %24 = mul i32 %23, %6
  %25 = xor i32 %8, -1
  %26 = add i32 %24, %25
  %27 = zext i32 %26 to i64
  %28 = getelementptr inbounds nuw float, ptr %0, i64 %27
  %29 = load float, ptr %28, align 4, !tbaa !7
  %30 = getelementptr inbounds nuw float, ptr %1, i64 %10
  %31 = load float, ptr %30, align 4, !tbaa !7
  %32 = fadd float %29, %31
  store float %32, ptr %30, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @neighbours_no_fence(ptr noundef captures(none) %0, ptr noundef captures(none) %1, ptr noundef captures(none) %2) local_unnamed_addr #7 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %4, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = zext nneg i32 %9 to i64
  %11 = getelementptr inbounds nuw float, ptr %0, i64 %10
  %12 = load float, ptr %11, align 4, !tbaa !7
  %13 = fadd float %12, 1.000000e+00
  store float %13, ptr %11, align 4, !tbaa !7
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %14 = icmp eq i32 %8, 0
  br i1 %14, label %15, label %20

15:                                               ; preds = %3
  %16 = atomicrmw add ptr %2, i32 1 monotonic, align 4
  br label %17

17:                                               ; preds = %17, %15
  %18 = load atomic i32, ptr %2 acquire, align 4
  %19 = icmp ult i32 %18, %5
  br i1 %19, label %17, label %20, !llvm.loop !26

20:                                               ; preds = %17, %3
  %21 = add nuw nsw i32 %4, 1
  %22 = urem i32 %21, %5
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %23 = add nuw nsw i32 %22, 1
  %24 = mul i32 %23, %6
  %25 = xor i32 %8, -1
  %26 = add i32 %24, %25
  %27 = zext i32 %26 to i64
  %28 = getelementptr inbounds nuw float, ptr %0, i64 %27
  %29 = load float, ptr %28, align 4, !tbaa !7
  %30 = getelementptr inbounds nuw float, ptr %1, i64 %10
  %31 = load float, ptr %30, align 4, !tbaa !7
  %32 = fadd float %29, %31
  store float %32, ptr %30, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @neighbours_no_acquire(ptr noundef captures(none) %0, ptr noundef captures(none) %1, ptr noundef captures(none) %2) local_unnamed_addr #7 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %4, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = zext nneg i32 %9 to i64
  %11 = getelementptr inbounds nuw float, ptr %0, i64 %10
  %12 = load float, ptr %11, align 4, !tbaa !7
  %13 = fadd float %12, 1.000000e+00
  store float %13, ptr %11, align 4, !tbaa !7
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %14 = icmp eq i32 %8, 0
  br i1 %14, label %15, label %20

15:                                               ; preds = %3
  fence acq_rel
  %16 = atomicrmw add ptr %2, i32 1 monotonic, align 4
  br label %17

17:                                               ; preds = %17, %15
  %18 = load atomic i32, ptr %2 monotonic, align 4
  %19 = icmp ult i32 %18, %5
  br i1 %19, label %17, label %20, !llvm.loop !27

20:                                               ; preds = %17, %3
  %21 = add nuw nsw i32 %4, 1
  %22 = urem i32 %21, %5
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %23 = add nuw nsw i32 %22, 1
  %24 = mul i32 %23, %6
  %25 = xor i32 %8, -1
  %26 = add i32 %24, %25
  %27 = zext i32 %26 to i64
  %28 = getelementptr inbounds nuw float, ptr %0, i64 %27
  %29 = load float, ptr %28, align 4, !tbaa !7
  %30 = getelementptr inbounds nuw float, ptr %1, i64 %10
  %31 = load float, ptr %30, align 4, !tbaa !7
  %32 = fadd float %29, %31
  store float %32, ptr %30, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @neighbours_no_barrier_behind(ptr noundef captures(none) %0, ptr noundef captures(none) %1, ptr noundef captures(none) %2) local_unnamed_addr #7 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %4, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = zext nneg i32 %9 to i64
  %11 = getelementptr inbounds nuw float, ptr %0, i64 %10
  %12 = load float, ptr %11, align 4, !tbaa !7
  %13 = fadd float %12, 1.000000e+00
  store float %13, ptr %11, align 4, !tbaa !7
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %14 = icmp eq i32 %8, 0
  br i1 %14, label %15, label %20

15:                                               ; preds = %3
  fence acq_rel
  %16 = atomicrmw add ptr %2, i32 1 monotonic, align 4
  br label %17

17:                                               ; preds = %17, %15
  %18 = load atomic i32, ptr %2 acquire, align 4
  %19 = icmp ult i32 %18, %5
  br i1 %19, label %17, label %20, !llvm.loop !28

20:                                               ; preds = %17, %3
  %21 = add nuw nsw i32 %4, 1
  %22 = urem i32 %21, %5
  %23 = add nuw nsw i32 %22, 1
  %24 = mul i32 %23, %6
  %25 = xor i32 %8, -1
  %26 = add i32 %24, %25
  %27 = zext i32 %26 to i64
  %28 = getelementptr inbounds nuw float, ptr %0, i64 %27
  %29 = load float, ptr %28, align 4, !tbaa !7
  %30 = getelementptr inbounds nuw float, ptr %1, i64 %10
  %31 = load float, ptr %30, align 4, !tbaa !7
  %32 = fadd float %29, %31
  store float %32, ptr %30, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @neighbours_one_missing(ptr noundef captures(none) %0, ptr noundef captures(none) %1, ptr noundef captures(none) %2) local_unnamed_addr #7 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %7 = mul nuw nsw i32 %4, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %9 = add nuw nsw i32 %7, %8
  %10 = zext nneg i32 %9 to i64
  %11 = getelementptr inbounds nuw float, ptr %0, i64 %10
  %12 = load float, ptr %11, align 4, !tbaa !7
  %13 = fadd float %12, 1.000000e+00
  store float %13, ptr %11, align 4, !tbaa !7
  %14 = icmp eq i32 %4, 1
  br i1 %14, label %23, label %15

15:                                               ; preds = %3
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %16 = icmp eq i32 %8, 0
  br i1 %16, label %17, label %22

17:                                               ; preds = %15
  fence acq_rel
  %18 = atomicrmw add ptr %2, i32 1 monotonic, align 4
  br label %19

19:                                               ; preds = %19, %17
  %20 = load atomic i32, ptr %2 acquire, align 4
  %21 = icmp ult i32 %20, %5
  br i1 %21, label %19, label %22, !llvm.loop !29

22:                                               ; preds = %19, %15
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %23

23:                                               ; preds = %22, %3
  %24 = add nuw nsw i32 %4, 1
  %25 = urem i32 %24, %5
  %26 = add nuw nsw i32 %25, 1
  %27 = mul i32 %26, %6
  %28 = xor i32 %8, -1
  %29 = add i32 %27, %28
  %30 = zext i32 %29 to i64
  %31 = getelementptr inbounds nuw float, ptr %0, i64 %30
  %32 = load float, ptr %31, align 4, !tbaa !7
  %33 = getelementptr inbounds nuw float, ptr %1, i64 %10
  %34 = load float, ptr %33, align 4, !tbaa !7
  %35 = fadd float %32, %34
  store float %35, ptr %33, align 4, !tbaa !7
  ret void
}

; Function Attrs: convergent norecurse nounwind
define dso_local ptx_kernel void @neighbours_no_cluster_wait(ptr noundef captures(none) %0, ptr noundef captures(none) %1, ptr noundef readnone captures(none) %2) local_unnamed_addr #7 {
  %4 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %5 = add nuw nsw i32 %4, 1
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %7 = urem i32 %5, %6
  %8 = tail call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %9 = mul nuw nsw i32 %4, %8
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %11 = add nuw nsw i32 %9, %10
  %12 = zext nneg i32 %11 to i64
  %13 = getelementptr inbounds nuw float, ptr %0, i64 %12
  %14 = load float, ptr %13, align 4, !tbaa !7
  %15 = fadd float %14, 1.000000e+00
  store float %15, ptr %13, align 4, !tbaa !7
  tail call void @llvm.nvvm.barrier.cluster.arrive() #12
  %16 = add nuw nsw i32 %7, 1
  %17 = mul i32 %16, %8
  %18 = xor i32 %10, -1
  %19 = add i32 %17, %18
  %20 = zext i32 %19 to i64
  %21 = getelementptr inbounds nuw float, ptr %0, i64 %20
  %22 = load float, ptr %21, align 4, !tbaa !7
  %23 = getelementptr inbounds nuw float, ptr %1, i64 %12
  %24 = load float, ptr %23, align 4, !tbaa !7
  %25 = fadd float %22, %24
  store float %25, ptr %23, align 4, !tbaa !7
  ret void
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx70,+ptx88,+sm_80" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx70,+ptx88,+sm_80" }
attributes #5 = { nounwind }
attributes #6 = { convergent nocallback nounwind }
attributes #7 = { convergent norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx70,+ptx88,+sm_80" }
attributes #8 = { convergent norecurse nounwind memory(argmem: write, inaccessiblemem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx70,+ptx88,+sm_80" }
attributes #9 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #10 = { nocallback nounwind }
attributes #11 = { nocallback nounwind memory(argmem: readwrite) }
attributes #12 = { convergent }
attributes #13 = { convergent nounwind }

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
!14 = distinct !{!14, !10, !11}
!15 = distinct !{!15, !10, !11}
!16 = distinct !{!16, !10, !11}
!17 = distinct !{!17, !10, !11}
!18 = distinct !{!18, !10, !11}
!19 = distinct !{!19, !10, !11}
!20 = distinct !{!20, !10, !11}
!21 = distinct !{!21, !10, !11}
!22 = distinct !{!22, !10, !11}
!23 = distinct !{!23, !10, !11}
!24 = distinct !{!24, !10, !11}
!25 = distinct !{!25, !10, !11}
!26 = distinct !{!26, !10, !11}
!27 = distinct !{!27, !10, !11}
!28 = distinct !{!28, !10, !11}
!29 = distinct !{!29, !10, !11}
