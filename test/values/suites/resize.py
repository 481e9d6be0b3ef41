"""Images brought to another size or given other colors, and tensors whose rows are changed in place."""
import itertools

from suite import *

WAYS = (("legacy", {}), ("corners", dict(align_corners=True)), ("centers", dict(half_pixel_centers=True)))
SIZES = ((1, 1), (3, 4), (5, 7), (10, 14), (11, 2), (13, 20))


def resize():
    suite = Suite("resize")
    image = (2, 5, 7, 3)
    for (way, attributes), size in itertools.product(WAYS, SIZES):
        name = f"{way}_{text(size)}"
        sizes = np.array(size, I32)
        for dtype in (F32, F64, np.uint8, I32) if size in ((3, 4), (10, 14)) else (F32,):
            draw = values(image, dtype) if dtype is np.uint8 or dtype is I32 else normal(image, dtype)
            suite.case(f"nearest_{name}_{short(dtype)}", lambda x: raw.ResizeNearestNeighbor(images=x, size=sizes, **attributes), draw)
            # The result is of float32 whatever the image is of, and so is its gradient.
            fed = F32 if dtype is F64 else dtype
            suite.case(f"bilinear_{name}_{short(dtype)}", lambda x: raw.ResizeBilinear(images=raw.Cast(x=x, DstT=dtype), size=sizes, **attributes),
                       draw.astype(fed), rtol=1e-6, atol=1e-6)  # fmt: skip
        gradient = (2, *size, 3)
        for dtype in (F32, F64):
            suite.case(f"nearest_grad_{name}_{short(dtype)}", lambda g: raw.ResizeNearestNeighborGrad(grads=g, size=[5, 7], **attributes),
                       normal(gradient, dtype), rtol=1e-6 if dtype is F32 else 1e-14, atol=2e-6 if dtype is F32 else 1e-14)  # fmt: skip
            suite.case(f"bilinear_grad_{name}_{short(dtype)}", lambda g, x: raw.ResizeBilinearGrad(grads=g, original_image=x, **attributes),
                       normal(gradient), normal(image, dtype), rtol=1e-6, atol=4e-6)  # fmt: skip
    for way, attributes in WAYS:  # sizes whose quotients are no floats
        for size in ((29, 31), (7, 6), (3, 100)):
            name = f"{way}_{text(size)}"
            sizes = np.array(size, I32)
            suite.case(f"wide_nearest_{name}", lambda x: raw.ResizeNearestNeighbor(images=x, size=sizes, **attributes), normal((1, 23, 49, 1)))
            suite.case(f"wide_bilinear_{name}", lambda x: raw.ResizeBilinear(images=x, size=sizes, **attributes), normal((1, 23, 49, 1)),
                       rtol=1e-6, atol=4e-6)  # fmt: skip
    suite.write()


def colors():
    suite = Suite("colors")
    contrast = lambda x, f: raw.AdjustContrastv2(images=x, contrast_factor=f)
    for shape in ((5, 7, 3), (2, 4, 6, 1), (2, 2, 3, 5, 4), (2, 32, 32, 3)):
        for factor in (0.0, 0.5, 1.75):
            suite.case(f"contrast_{text(shape)}_{text([factor]).replace('.', '_')}", contrast, normal(shape), F32(factor), rtol=2e-6, atol=1e-6)
    suite.write()


def in_place():
    suite = Suite("in_place")
    rows = np.array([2, 0, 2], I32)
    for op in (raw.InplaceUpdate, raw.InplaceAdd, raw.InplaceSub):
        for dtype in (F32, F64, I32, I64):
            # Of rows that are named twice, the last one stays.
            suite.case(f"{op.__name__}_{short(dtype)}", lambda x, v, op=op: op(x=raw.Identity(input=x) + x, i=rows, v=v),
                       values((4, 3), dtype), values((3, 3), dtype))  # fmt: skip
    suite.case("Empty", lambda x: raw.Empty(shape=[2, 3], dtype=F32, init=True) + x, normal((2, 3)))
    suite.write()


SUITES = [resize, colors, in_place]
