"""Reductions, order, manipulation, products, creation."""
import numpy as np

from .generator import BEFORE_2, COMPLEX, FLOATS, INTEGERS, Index, View, Weak, eps, value_of


def numpy_axes(axes):
    """As an integer if there is one: of arrays without axes NumPy takes no tuple."""
    return axes[0] if axes is not None and len(axes) == 1 else axes


# ---- reductions and scans ----

def sum_bound(x, axis=None, keepdims=False, scale=1):
    """Of the rounding errors of a sum in any order."""
    array = np.abs(x.astype("c16")) if x.dtype.kind == "c" else np.abs(x.astype("f8"))
    precision = "f4" if x.dtype == "f2" else x.dtype.type(0).real.dtype
    n = max(1, array.size)
    bound = np.sum(array, axis=axis, keepdims=keepdims) * n * float(np.finfo(precision).eps) * scale
    return np.where(np.isfinite(bound), bound, np.inf)


def reduction(g):
    name = g.pick(["sum", "sum", "prod", "max", "min", "any", "all", "count_nonzero", "mean", "var", "std"])
    dtype = g.dtype("bifc")
    whole = name in ("sum", "prod") and g.chance(0.5)
    shape = g.shape(low=0)
    low, high = (-2, 2) if name == "prod" else (-10, 10)
    x = g.array(dtype, shape, low=low, high=high, special=not whole and dtype not in COMPLEX, whole=whole)
    axes, keepdims = g.axes(len(shape)), g.chance(0.4)
    axis = numpy_axes(axes)
    if not shape and axes and name in ("mean", "var", "std"):  # NumPy refuses axis 0 of these alone
        return
    of = np.dtype(dtype).kind in "fc"
    array = x.array
    arguments = [x, axes, keepdims]
    if name in ("sum", "prod"):
        forced = g.dtype("ifc") if g.chance(0.2) and array.dtype.kind in "biu" else None
        if forced and np.dtype(forced).kind in "fc" and not whole:
            forced = None
        tolerance = None
        if of and name == "sum" and not whole:
            tolerance = lambda r: sum_bound(array, axis, keepdims)
            if not np.all(np.isfinite(array)) or np.any(np.abs(array.astype("c16")) > 1e30) or dtype == "f2":
                return
        if of and name == "prod":
            if dtype == "f2" or array.size > 100 or not np.all(np.isfinite(array)) or np.any(np.abs(array) > 1e3):
                return
            tolerance = lambda r: 4 * max(1, array.size) * eps(r) * np.abs(r) + float(np.finfo(r.dtype).tiny)
        g.case(name, arguments + [forced and np.dtype(forced).name],
               lambda: getattr(np, name)(array, axis=axis, keepdims=keepdims, dtype=forced), tolerance)
    elif name in ("mean", "var", "std"):
        if of and (not np.all(np.isfinite(array)) or np.any(np.abs(array) > 1e3)):
            return
        precision = 1e-3 if dtype == "f2" else 1e-5 if dtype in ("f4", "c8") else 1e-13
        if name == "mean":
            size = np.max(np.abs(array.astype("f8")), initial=10) if array.dtype.kind in "iu" else 10
            g.case(name, arguments, lambda: np.mean(array, axis=axis, keepdims=keepdims),
                   lambda r: 4 * size * precision)
        else:
            large = array.dtype.kind in "iu" and array.size and np.max(np.abs(array.astype("f8"))) > 1e3
            if large or dtype == "f2" and array.size > 100:  # of float16 NumPy adds the squares in float16
                return
            correction = g.pick([0, 0, 1, 2])
            g.case(name, [x, axes, keepdims, float(correction)],
                   lambda: getattr(np, name)(array, axis=axis, keepdims=keepdims, ddof=correction),
                   lambda r: (1 if name == "var" else 10) * 1000 * precision)
    elif name == "count_nonzero":
        g.case(name, arguments, lambda: np.asarray(np.count_nonzero(array, axis=axis, keepdims=keepdims)))
    else:
        g.case(name, arguments, lambda: getattr(np, name)(array, axis=axis, keepdims=keepdims))


def position(g):
    name = g.pick(["argmax", "argmin"])
    x = g.array(g.dtype("bifc"), low=-3, high=3)
    axis, keepdims = (None if g.chance(0.4) else (g.axis(x.array.ndim),)), g.chance(0.4)
    g.case(name, [x, axis, keepdims],
           lambda: getattr(np, name)(x.array, axis=axis and axis[0], keepdims=keepdims))


def scan(g):
    name, numpy = g.pick([("cumulative_sum", np.cumsum), ("cumulative_prod", np.cumprod)])
    dtype = g.dtype("bifc")
    shape = g.shape(g.pick([1, 1, 2, 3]))
    low, high = (-10, 10) if name == "cumulative_sum" else (-2, 2)
    x = g.array(dtype, shape, low=low, high=high, special=dtype not in FLOATS + COMPLEX, whole=True)
    axis = g.axis(len(shape))
    if name == "cumulative_prod" and dtype in FLOATS + COMPLEX and len(x.array) > 20:
        return
    if dtype == "f2" and x.array.size > 100:  # NumPy adds in float16
        return
    initial = g.chance(0.3)

    def call():
        result = numpy(x.array, axis=axis)
        if initial:
            one = [1 if i == axis % result.ndim else n for i, n in enumerate(result.shape)]
            first = np.full(one, 0 if numpy is np.cumsum else 1, result.dtype)
            result = np.concatenate([first, result], axis)
        return result

    g.case(name, [x, axis, initial], call)


def extreme_scan(g):
    name, numpy = g.pick([("cumulative_max", np.maximum), ("cumulative_min", np.minimum)])
    x = g.array(g.dtype("bifc"), g.shape(g.pick([1, 2, 3])))
    axis = g.axis(x.array.ndim)
    g.case(name, [x, axis], lambda: numpy.accumulate(x.array, axis=axis))


def diff(g):
    x = g.array(g.dtype("bifc"), g.shape(g.pick([1, 2, 3])), special=False, whole=True)
    axis, n = g.axis(x.array.ndim), g.pick([0, 1, 1, 2, 3])
    if n == 0 and axis not in range(-x.array.ndim, x.array.ndim):  # NumPy does not look at it then
        return
    ends = []
    for _ in range(2):
        ends.append(None)
        if g.chance(0.3) and -x.array.ndim <= axis < x.array.ndim:
            shape = list(x.array.shape)
            shape[axis] = g.integer(1, 2)
            ends[-1] = g.array(x.array.dtype.str[1:], tuple(shape), special=False, whole=True)
    numpy_ends = {key: end.array for key, end in zip(("prepend", "append"), ends) if end}
    g.case("diff", [x, axis, n] + ends, lambda: np.diff(x.array, n=n, axis=axis, **numpy_ends))


# ---- order ----

def sort(g):
    name = g.pick(["sort", "argsort"])
    x = g.array(g.dtype("bifc"), low=-3, high=3)
    axis = g.axis(x.array.ndim)
    g.case(name, [x, axis], lambda: getattr(np, name)(x.array, axis=axis, kind="stable"))


def searchsorted(g):
    dtype = g.dtype("bifc")
    x = np.sort(g.numbers((g.integer(0, 40),), dtype, low=-5, high=5))
    values = g.array(dtype if g.chance(0.6) else g.dtype("bif"), low=-6, high=6)
    side = g.pick(["left", "right"])
    if {np.dtype(dtype).kind, values.array.dtype.kind} == {"i", "u"}:  # NumPy compares them as float64
        return
    sorter = None
    if g.chance(0.3):
        order = g.random.permutation(len(x))
        sorter = View(np.argsort(order, kind="stable").astype("i8"))
        x = x[order]
    g.case("searchsorted", [View(x), values, side, sorter],
           lambda: np.searchsorted(x, values.array, side, sorter and sorter.array))


# ---- manipulation ----

def factors(g, size):
    shape = []
    while size > 1 and len(shape) < 4:
        divisors = [d for d in range(1, size + 1) if size % d == 0]
        shape.append(g.pick(divisors))
        size //= shape[-1]
    return tuple(shape + ([size] if size != 1 or g.chance(0.3) else []))


def manipulation(g):
    dtype = g.dtype("bifc")
    shape = g.shape()
    x = g.array(dtype, shape)
    array, ndim = x.array, x.array.ndim
    name = g.pick(["reshape", "transpose", "permute", "squeeze", "expand_dims", "broadcast_to", "flip", "moveaxis",
                   "roll", "repeat", "repeat_each", "tile", "concat", "stack", "unstack", "ravel", "matrix_transpose",
                   "copy"])
    if name == "reshape":
        target = list(factors(g, array.size)) if array.size else list(shape)
        if target and g.chance(0.4):
            target[g.integer(0, len(target) - 1)] = -1
        if g.chance(0.05):
            target.append(g.integer(2, 3))
        g.case(name, [x, tuple(target)], lambda: array.reshape(target))
    elif name == "transpose":
        g.case(name, [x], lambda: array.T)
    elif name == "permute":
        axes = tuple(int(a) - (ndim if g.chance(0.3) else 0) for a in g.random.permutation(ndim))
        g.case(name, [x, axes], lambda: array.transpose(axes))
    elif name == "squeeze":
        ones = [i for i in range(ndim) if shape[i] == 1]
        axes = None if g.chance(0.4) else tuple(ones[:g.integer(0, len(ones))]) if g.chance(0.8) else (g.axis(ndim),)
        g.case(name, [x, axes], lambda: np.squeeze(array, axes))
    elif name == "expand_dims":
        axes = tuple(set(g.integer(-ndim - 1, ndim) for _ in range(g.integer(1, 2))))
        g.case(name, [x, axes], lambda: np.expand_dims(array, axes))
    elif name == "broadcast_to":
        target = tuple(g.integer(1, 3) for _ in range(g.integer(0, 2))) + tuple(
            g.integer(2, 4) if n == 1 and g.chance(0.6) else n for n in shape)
        if g.chance(0.05):
            target = target[1:]
        g.case(name, [x, target], lambda: np.broadcast_to(array, target))
    elif name == "flip":
        axes = g.axes(ndim)
        g.case(name, [x, axes], lambda: np.flip(array, axes))
    elif name == "moveaxis":
        axes = g.axis(ndim), g.axis(ndim)
        g.case(name, [x, *axes], lambda: np.moveaxis(array, *axes))
    elif name == "roll":
        if g.chance(0.5):
            shift, axis = g.integer(-7, 7), None if g.chance(0.5) else g.axis(ndim)
            g.case(name, [x, shift, axis], lambda: np.roll(array, shift, axis))
        else:
            n = g.integer(1, 3)
            shift, axis = tuple(g.integer(-7, 7) for _ in range(n)), tuple(g.axis(ndim) for _ in range(n))
            g.case(name, [x, shift, axis], lambda: np.roll(array, shift, axis))
    elif name == "repeat":
        n, axis = g.integer(-1 if g.chance(0.05) and array.size else 0, 3), None if g.chance(0.4) else g.axis(ndim)
        g.case(name, [x, n, axis], lambda: np.repeat(array, n, axis))
    elif name == "repeat_each":
        axis = None if g.chance(0.4) else g.axis(ndim)
        length = array.size if axis is None else shape[axis] if -ndim <= axis < ndim else 1
        n = View(g.numbers((1 if g.chance(0.1) else length,), "i8", 0, 3, special=False))
        g.case("repeat", [x, n, axis], lambda: np.repeat(array, n.array, axis))
    elif name == "tile":
        n = tuple(g.integer(0 if g.chance(0.2) else 1, 3) for _ in range(g.integer(0, 4)))
        g.case(name, [x, n], lambda: np.tile(array, n))
    elif name == "concat":
        axis = g.axis(ndim)
        arrays = [x]
        for _ in range(g.integer(0, 3)):
            other = list(shape)
            if -ndim <= axis < ndim:
                other[axis] = g.integer(0, 3)
            if other and g.chance(0.03):
                other[g.integer(0, ndim - 1)] += 1
            arrays.append(g.array(dtype if g.chance(0.5) else g.dtype("bifc"), tuple(other)))
        g.case(name, [arrays, axis], lambda: np.concatenate([a.array for a in arrays], axis))
    elif name == "stack":
        arrays = [x] + [g.array(dtype if g.chance(0.5) else g.dtype("bifc"), shape) for _ in range(g.integer(0, 3))]
        axis = g.axis(ndim + 1)
        g.case(name, [arrays, axis], lambda: np.stack([a.array for a in arrays], axis))
    elif name == "unstack":
        axis = g.axis(ndim)
        g.case(name, [x, axis], lambda: [np.take(array, i, axis) for i in range(array.shape[axis])])
    elif name == "ravel":
        g.case("reshape", [x, (-1,)], lambda: array.reshape(-1))
    elif name == "matrix_transpose":
        g.case(name, [x], lambda: np.swapaxes(array, -1, -2))
    else:
        g.case(name, [x], lambda: array)


# ---- products ----

def products(g):
    name = g.pick(["matmul", "matmul", "dot", "outer", "tensordot"])
    dtype = g.dtype("bifc")
    other = dtype if g.chance(0.7) else g.dtype("bifc")
    whole = {"special": dtype == other and dtype in INTEGERS, "whole": True, "low": -5, "high": 5}
    m, n, k = (g.integer(0 if g.chance(0.1) else 1, 9 if g.chance(0.9) else 70) for _ in range(3))
    if name == "outer":
        a, b = g.array(dtype, g.shape(), **whole), g.array(other, g.shape(), **whole)
        if a.array.size * b.array.size > 5000:
            return
        g.case(name, [a, b], lambda: np.outer(a.array, b.array))
    elif name == "tensordot":
        first, second = g.shape(g.pick([1, 2, 3]), high=4), []
        first = tuple(min(v, 5) for v in first)
        if g.chance(0.5):
            axes = g.integer(0, len(first))
            second = first[len(first) - axes:] + g.shape(g.pick([0, 1, 2]), high=4)
            numpy_axes, argument = axes, [axes]
        else:
            count = g.integer(0, len(first))
            chosen = [int(a) for a in g.random.permutation(len(first))[:count]]
            second = tuple(first[a] for a in chosen) + g.shape(g.pick([0, 1]), high=4)
            where = list(range(count))
            numpy_axes, argument = (chosen, where), [tuple(chosen), tuple(where)]
        second = tuple(min(v, 5) if i >= (numpy_axes if isinstance(numpy_axes, int) else len(numpy_axes[0])) else v
                       for i, v in enumerate(second))
        a, b = g.array(dtype, first, **whole), g.array(other, second, **whole)
        g.case(name, [a, b] + argument, lambda: np.tensordot(a.array, b.array, numpy_axes))
    else:
        batch = g.shape(g.pick([0, 0, 1, 2]), high=3) if name == "matmul" else ()
        batch = tuple(min(v, 4) for v in batch)
        first = (k,) if g.chance(0.2) else batch + (m, k)
        second = (k,) if g.chance(0.2) else (g.broadcastable(batch) if g.chance(0.7) else ()) + (k, n)
        if name == "dot" and g.chance(0.3):
            second = (g.integer(1, 3),) + second
        if g.chance(0.05):
            second = second[:-1] + (second[-1] + 1,) if len(second) == 1 else second[:-2] + (k + 1, n)
        a, b = g.array(dtype, first, **whole), g.array(other, second, **whole)
        g.case(name, [a, b], lambda: getattr(np, name)(a.array, b.array))


# ---- creation ----

def creation(g):
    name = g.pick(["arange", "arange", "linspace", "eye", "full"])
    if name == "arange":
        if g.chance(0.5):
            numbers = [g.integer(-9, 9), g.integer(-9, 30), g.pick([1, 2, 3, -1, -4])]
        else:
            numbers = [float(v) for v in (g.integer(-9, 9), g.integer(-9, 30) + 0.5, g.pick([0.5, 0.1, 1.3, -0.7]))]
        dtype = g.pick([None, None, "float32", "float64", "int64", "int32"])
        if dtype and "int" in dtype and isinstance(numbers[0], float):
            dtype = None
        # Element 1 is start + step in NumPy, and all others are start + i * ((start + step) - start).
        g.case(name, [Weak(v) for v in numbers] + [dtype], lambda: np.arange(*numbers, dtype=dtype),
               None if dtype is None or "int" in dtype else lambda r: 2 * eps(r) * np.max(np.abs(r), initial=0))
    elif name == "linspace":
        start, stop = (float(v) for v in g.numbers((2,), "f8", special=False))
        num, endpoint = g.integer(-1 if g.chance(0.1) else 0, 40), g.chance(0.7)
        dtype = g.pick([None, None, "float32", "int64"])
        g.case(name, [Weak(start), Weak(stop), num, endpoint, dtype],
               lambda: np.linspace(start, stop, num, endpoint, dtype=dtype))
    elif name == "eye":
        n, m, k, dtype = g.integer(0, 6), g.pick([None, 0, 3, 7]), g.integer(-7, 7), np.dtype(g.dtype("bifc")).name
        g.case(name, [n, m, k, dtype], lambda: np.eye(n, m, k, dtype))
    elif name == "full":
        shape, value = g.shape(), g.weak("bifc")
        g.case(name, [shape, value], lambda: np.full(shape, value.value))


# Each with how often it is drawn.
SECTIONS = [(reduction, 9), (position, 3), (scan, 4), (extreme_scan, 2), (diff, 2), (sort, 4), (searchsorted, 3),
            (manipulation, 12), (products, 7), (creation, 2)]
