"""Creation, manipulation, sets, partial orders, text."""
import io

import numpy as np

from .generator import BEFORE_2, COMPLEX, FLOATS, INTEGERS, Index, View, Weak, eps, value_of
from .indexing import index_array

ALL = "bifc"


def dtype_or_none(g):
    return np.dtype(g.dtype(ALL)).name if g.chance(0.5) else None


# ---- creation ----

def creation(g):
    name = g.pick(["tri", "identity", "tril", "triu", "diag", "diagflat", "logspace", "geomspace", "meshgrid",
                   "one_hot", "zeros_like", "ones_like", "full_like", "ix_", "tril_indices", "triu_indices",
                   "result_type", "can_cast"])
    if name == "tri":
        n, m, k, dtype = g.integer(-1 if g.chance(0.05) else 0, 6), g.pick([None, 0, 3, 7]), g.integer(-9, 9), \
            dtype_or_none(g)
        if n >= 0:  # NumPy's is empty then
            g.case(name, [n, m, k, dtype], lambda: np.tri(n, m, k, dtype or "f8"))
    elif name == "identity":
        n, dtype = g.integer(-1 if g.chance(0.05) else 0, 6), dtype_or_none(g)
        g.case(name, [n, dtype], lambda: np.identity(n, dtype or "f8"))
    elif name in ("tril", "triu"):
        x, k = g.array(g.dtype(ALL)), g.integer(-7, 7)
        if x.array.ndim != 1 or x.array.size < 200:
            g.case(name, [x, k], lambda: getattr(np, name)(x.array, k))
    elif name in ("diag", "diagflat"):
        x, k = g.array(g.dtype(ALL), g.shape(high=7)), g.integer(-7, 7)
        if x.array.size < 100:
            g.case(name, [x, k], lambda: getattr(np, name)(x.array, k))
    elif name in ("logspace", "geomspace"):
        num, endpoint, dtype = g.integer(-1 if g.chance(0.05) else 0, 20), g.chance(0.7), g.pick([None, "float32"])
        if name == "logspace":
            ends, base = [float(v) for v in g.numbers((2,), "f8", -5, 5, special=False)], g.pick([10.0, 2.0, 2.718])
            g.case(name, ends + [num, endpoint, base, dtype],
                   lambda: np.logspace(*ends, num, endpoint, base, dtype=dtype), lambda r: 16 * eps(r) * np.abs(r))
        else:
            ends = [float(v) for v in g.numbers((2,), "f8", 0, 9, special=False)]
            if g.chance(0.4):
                ends = [-v for v in ends]
            g.case(name, ends + [num, endpoint, dtype], lambda: np.geomspace(*ends, num, endpoint, dtype=dtype),
                   lambda r: 32 * eps(r) * np.abs(r))
    elif name == "meshgrid":
        arrays = [g.array(g.dtype(ALL), (g.integer(0, 4),) if g.chance(0.8) else ()) for _ in range(g.integer(0, 4))]
        indexing, sparse = g.pick(["xy", "ij"]), g.chance(0.4)
        g.case(name, [arrays, indexing, sparse],
               lambda: list(np.meshgrid(*(a.array for a in arrays), indexing=indexing, sparse=sparse)))
    elif name == "one_hot":
        x, n, dtype = g.array(g.dtype("i"), low=-2, high=6), g.integer(0, 6), np.dtype(g.dtype(ALL))

        def rows():
            return (x.array[..., None] == np.arange(n)).astype(dtype)

        g.case(name, [x, n, dtype.name], rows)
    elif name in ("zeros_like", "ones_like", "full_like"):
        x, dtype = g.array(g.dtype(ALL)), dtype_or_none(g)
        if name == "full_like":
            kind = np.dtype(dtype or x.array.dtype).kind
            value = g.weak("bi" if kind in "iub" else "bif" if kind == "f" else ALL, special=False)
            g.case(name, [x, dtype, value], lambda: np.full_like(x.array, value.value, dtype=dtype))
        else:
            g.case(name, [x, dtype], lambda: getattr(np, name)(x.array, dtype=dtype))
    elif name == "ix_":
        arrays = [g.array(g.pick(["?", "i4", "i8", "u1"]), (g.integer(0, 4),) if g.chance(0.95) else (2, 2))
                  for _ in range(g.integer(1, 4))]
        if any(a.array.size == 0 for a in arrays):  # NumPy turns these into int64
            return
        g.case(name, [arrays], lambda: list(np.ix_(*(a.array for a in arrays))))
    elif name in ("tril_indices", "triu_indices"):
        n, k, m = g.integer(0, 6), g.integer(-7, 7), g.pick([None, 0, 3, 8])
        g.case(name, [n, k, m], lambda: list(getattr(np, name)(n, k, m)))
    elif name == "result_type":
        operands = [g.weak(ALL, special=False) if g.chance(0.3) else g.array(g.dtype(ALL), (1,))
                    for _ in range(g.integer(2, 3))]
        if BEFORE_2 or all(isinstance(x, Weak) for x in operands):
            return
        g.case(name, operands, lambda: np.zeros((0,), np.result_type(*(value_of(x) for x in operands))))
    else:
        source, target = np.dtype(g.dtype(ALL)), np.dtype(g.dtype(ALL))
        casting = g.pick(["safe", "same_kind", "unsafe"])
        g.case(name, [source.name, target.name, casting], lambda: np.asarray(np.can_cast(source, target, casting)))


# ---- manipulation ----

def along(g, ndim):
    return None if g.chance(0.3) else g.axis(ndim)


def views(g):
    x = g.array(g.dtype(ALL))
    array, ndim = x.array, x.array.ndim
    name = g.pick(["fliplr", "flipud", "atleast_1d", "atleast_2d", "atleast_3d", "permute_dims", "swapaxes",
                   "moveaxes", "rot90", "diagonal", "broadcast_arrays", "broadcast_shapes", "split", "array_split"])
    if name in ("fliplr", "flipud", "atleast_1d", "atleast_2d", "atleast_3d"):
        g.case(name, [x], lambda: getattr(np, name)(array))
    elif name == "permute_dims":
        axes = tuple(int(a) - (ndim if g.chance(0.3) else 0) for a in g.random.permutation(ndim))
        if g.chance(0.05) and axes:
            axes = g.pick([axes[1:], axes + (0,), axes[:-1] + (ndim,)])
        if axes or not ndim:  # () reverses the axes in NumPy
            g.case(name, [x, axes], lambda: np.transpose(array, axes))
    elif name == "swapaxes":
        axes = g.axis(ndim), g.axis(ndim)
        g.case(name, [x, *axes], lambda: np.swapaxes(array, *axes))
    elif name == "moveaxes":
        n = g.integer(0, ndim)
        chosen = [tuple(int(a) - (ndim if g.chance(0.3) else 0) for a in g.random.permutation(ndim)[:n])
                  for _ in range(2)]
        if g.chance(0.05):
            chosen[0] = chosen[0] + (0,)
        g.case(name, [x, *chosen], lambda: np.moveaxis(array, *chosen))
    elif name == "rot90":
        k, axes = g.integer(-5, 5), (0, 1) if g.chance(0.5) else (g.axis(ndim), g.axis(ndim))
        g.case(name, [x, k, axes], lambda: np.rot90(array, k, axes))
    elif name == "diagonal":
        offset, axes = g.integer(-4, 4), (0, 1) if g.chance(0.5) else (g.axis(ndim), g.axis(ndim))
        g.case(name, [x, offset, *axes], lambda: np.diagonal(array, offset, *axes))
    elif name == "broadcast_arrays":
        arrays = [x] + [g.array(g.dtype(ALL), g.broadcastable(array.shape)) for _ in range(g.integer(0, 2))]
        g.case(name, [arrays], lambda: list(np.broadcast_arrays(*(a.array for a in arrays))))
    elif name == "broadcast_shapes":
        shapes = [array.shape] + [g.broadcastable(array.shape) for _ in range(g.integer(0, 3))]
        g.case(name, shapes, lambda: np.array(np.broadcast_shapes(*shapes), "i8"))
    else:
        axis = g.axis(ndim)
        length = array.shape[axis] if -ndim <= axis < ndim else 1
        sections = g.integer(0 if g.chance(0.05) else 1, 5)
        if g.chance(0.5):
            sections = tuple(g.integer(-length - 1, length + 2) for _ in range(g.integer(0, 3)))
        numpy_sections = list(sections) if isinstance(sections, tuple) else sections
        g.case(name, [x, sections, axis], lambda: getattr(np, name)(array, numpy_sections, axis))


def joining(g):
    name = g.pick(["hstack", "vstack", "dstack", "column_stack", "concat_flat", "block", "append"])
    shape = g.shape(g.pick([0, 1, 1, 2, 2, 3]), high=4)
    shape = tuple(min(n, 20) for n in shape)
    draw = lambda s: g.array(g.dtype(ALL), s)
    near = lambda: tuple(max(0, n + g.pick([0, 0, 0, 1, -1])) if g.chance(0.15) else n for n in shape)
    if name == "append":
        axis = along(g, len(shape))
        x, y = draw(shape), draw(near() if g.chance(0.9) else shape[:-1])
        g.case(name, [x, y, axis], lambda: np.append(x.array, y.array, axis))
        return
    count = g.pick([1, 2, 2, 4]) if name == "block" else g.integer(0 if g.chance(0.05) else 1, 3)
    if name == "block":
        shape = shape or (2,)
    arrays = [draw(near()) for _ in range(count)]
    numpy_arrays = [a.array for a in arrays]
    if name == "concat_flat":
        g.case(name, [arrays], lambda: np.concatenate(numpy_arrays, None))
    elif name == "block":
        beside = g.chance(0.5)

        def call():
            a = [np.array(x, ndmin=2) for x in numpy_arrays]  # rows are one below the other, also of 1-d arrays
            return np.block([a] if count == 1 or count == 2 and beside else [[v] for v in a] if count == 2
                            else [a[:2], a[2:]])

        g.case(name, [arrays, beside], call)
    else:
        g.case(name, [arrays], lambda: getattr(np, name)(numpy_arrays))


def editing(g):
    name = g.pick(["insert", "delete_", "roll_axes", "pad"])
    dtype = g.dtype(ALL)
    x = g.array(dtype, tuple(min(n, 30) for n in g.shape()))
    array, ndim = x.array, x.array.ndim
    if name in ("insert", "delete_"):
        if ndim == 0:
            return
        axis = along(g, ndim)
        length = array.size if axis is None else array.shape[axis] if -ndim <= axis < ndim else 1
        index = g.integer(-length - g.chance(0.1), max(length - (name == "delete_" and g.chance(0.9)), -length))
        if name == "insert":
            target = () if axis is None else tuple(n for i, n in enumerate(array.shape) if i != axis % max(ndim, 1))
            values = Weak(g.integer(0, 9)) if g.chance(0.3) else g.array(dtype, g.broadcastable(target))
            if g.chance(0.5) and not isinstance(values, Weak) and len(target) > 1:
                return
            g.case(name, [x, index, values, axis], lambda: np.insert(array, index, value_of(values), axis))
        else:
            if g.chance(0.6):
                index = g.array("?", (length,)) if g.chance(0.3) else index_array(g, length, (g.integer(0, 4),))
                if length == 0 or axis is not None and not -ndim <= axis < ndim:
                    return
            g.case(name, [x, index, axis], lambda: np.delete(array, value_of(index), axis))
    elif name == "roll_axes":
        shift, axes = g.integer(-9, 9), g.axes(ndim)
        g.case(name, [x, shift, axes], lambda: np.roll(array, shift, axes))
    else:
        mode = g.pick(["constant", "edge", "reflect", "symmetric", "wrap"])
        width = lambda: g.integer(0, 9) if g.chance(0.95) else -1
        kind = g.random.random()
        if kind < 0.3:
            widths = numpy_widths = width()
        elif kind < 0.5:
            widths = (width(), width())
            numpy_widths = [widths]
        else:
            widths = tuple(width() for _ in range(2 * ndim))
            numpy_widths = np.array(widths, "i8").reshape(-1, 2)
        if ndim == 0 or BEFORE_2 and mode == "wrap":
            return
        small = array if array.size < 400 else None
        value = g.weak("i" if array.dtype.kind in "iu" else "bi" if array.dtype.kind == "b" else "if", special=False)
        if small is None or array.dtype.kind == "b" and not isinstance(value.value, bool):
            return
        options = {"constant_values": value.value} if mode == "constant" else {}
        g.case(name, [x, widths, mode, value], lambda: np.pad(array, numpy_widths, mode, **options))


def overlap(g):
    """x(index) = f(x(other index)), which meet in memory."""
    shape = tuple(g.integer(3, 7) for _ in range(g.integer(1, 3)))
    whole = {"special": False, "whole": True, "low": 0, "high": 9}
    x = g.array(g.dtype("if"), shape, **whole)

    def part(lengths):
        parts = []
        for n, m in zip(shape, lengths):
            step = g.pick([1, 1, 1, 2, -1, -2])
            if (m - 1) * abs(step) >= n:
                step = step // abs(step)
            span = (m - 1) * abs(step)
            first = g.integer(0, n - 1 - span)
            if step < 0:
                first += span
            stop = first + m * step
            parts.append(slice(first, None if stop < 0 else stop, step))
        return Index(parts)

    lengths = [g.integer(1, n) for n in shape]
    target, source = part(lengths), part(lengths)
    how = g.pick(["move", "negative", "flip", "add", "sort", "scan"])
    dtype = x.array.dtype
    if how == "negative" and dtype.kind == "u":
        return

    def call():
        array = x.array.copy()
        value = array[source.numpy()].copy()
        if how == "add":
            array[target.numpy()] = array[target.numpy()] + value
        else:
            array[target.numpy()] = {"move": lambda v: v, "negative": np.negative, "flip": np.flip, "sort": np.sort,
                                     "scan": lambda v: np.cumsum(v, -1, dtype)}[how](value)
        return [array, value]

    g.case("overlap", [x, target, source, how], call)


# ---- sets ----

def sets(g):
    name = g.pick(["unique_values", "unique_counts", "unique_inverse", "unique_all", "isin", "isin", "intersect1d",
                   "union1d", "setdiff1d", "setxor1d"])
    dtype = g.dtype(ALL)
    x = g.array(dtype, low=-4, high=4, whole=g.chance(0.7))
    if name.startswith("unique"):
        equal_nan = g.chance(0.5)
        kinds = {"unique_values": {}, "unique_counts": {"return_counts": True},
                 "unique_inverse": {"return_inverse": True},
                 "unique_all": {"return_index": True, "return_inverse": True, "return_counts": True}}[name]

        def call():
            results = np.unique(x.array, equal_nan=equal_nan, **kinds)
            if not kinds:
                return results
            results = list(results)
            if "return_inverse" in kinds:
                results[2 if "return_index" in kinds else 1].shape = x.array.shape
            return results

        if "return_inverse" in kinds and not equal_nan and np.any(np.isnan(x.array)):  # which NaN is which is open
            return
        if dtype not in COMPLEX:  # whose NaNs NumPy puts in an order of their own
            g.case(name, [x, equal_nan], call)
        return
    other = dtype if g.chance(0.6) else g.dtype(ALL)
    if {np.dtype(dtype).kind, np.dtype(other).kind} == {"i", "u"}:  # NumPy may compare them as float64
        return
    y = g.array(other, low=-4, high=4, whole=g.chance(0.7))
    if name == "isin":
        operands = [x, y]
        if g.chance(0.2):
            operands[g.integer(0, 1)] = g.weak("if" if dtype != "?" else "b")
        invert = g.chance(0.4)
        values = [value_of(v) for v in operands]
        # Numbers that one dtype can tell apart and the promoted one cannot are equal for some of NumPy's ways only.
        if {np.result_type(v).kind for v in map(np.asarray, values)} & set("iu") and any(
                np.asarray(v).dtype.kind in "fc" for v in values):
            if any(np.asarray(v).dtype.kind in "iu" and np.asarray(v).size and
                   np.max(np.abs(np.asarray(v).astype("f8"))) > 2**20 for v in values):
                return
        if {np.asarray(v).dtype.kind for v in values} == {"i", "u"}:
            return
        g.case(name, operands + [invert], lambda: np.asarray(np.isin(*values, invert=invert)))
    else:
        if dtype in COMPLEX or other in COMPLEX:
            x, y = (g.array(v.array.dtype.str[1:], v.array.shape, low=-2, high=2, whole=True, special=False)
                    for v in (x, y))
        g.case(name, [x, y], lambda: getattr(np, name)(x.array, y.array))


# ---- orders ----

def descending(array, axis):
    """Positions of a stable sort from the largest number to the smallest, NaN last."""
    if array.dtype.kind in "fc":
        return np.argsort(-array, axis=axis, kind="stable")
    return np.argsort(~array, axis=axis, kind="stable")


def orders(g):
    name = g.pick(["sort_down", "argsort_down", "partition", "argpartition", "topk", "lexsort"])
    dtype = g.dtype(ALL)
    shape = g.shape(g.pick([0, 1, 1, 2, 3]))
    x = g.array(dtype, shape, low=-3, high=3, special=dtype not in COMPLEX)
    array, axis = x.array, g.axis(len(shape))
    inside = -len(shape) <= axis < len(shape)
    if name in ("sort_down", "argsort_down"):
        if not shape:
            return
        call = lambda: descending(array, axis)
        g.case(name, [x, axis], call if name == "argsort_down" else lambda: np.take_along_axis(array, call(), axis))
    elif name in ("partition", "argpartition"):
        if not shape:
            return
        n = shape[axis] if inside else 1
        kth = g.integer(-n, n - 1) if n and g.chance(0.95) else n

        def call():
            getattr(np, name)(array, kth, axis)
            rows = np.sort(array, axis)
            return [np.take(rows, [kth], axis), rows]

        looked_at = 0 not in shape or kth < n  # of arrays without elements NumPy takes any kth
        if not inside or n and looked_at:
            g.case(name, [x, kth, axis], call)
    elif name == "topk":
        if not shape:
            return
        k, largest = g.integer(0, (shape[axis] if inside else 1) + g.chance(0.05)), g.chance(0.7)

        def call():
            order = descending(array, axis) if largest else np.argsort(array, axis, kind="stable")
            if k > order.shape[axis]:
                raise ValueError("k")
            order = np.take(order, range(k), axis)
            return [np.take_along_axis(array, order, axis), order]

        g.case(name, [x, k, axis, largest], call)
    else:
        keys = [x] + [g.array(g.dtype("bif"), shape if g.chance(0.97) else shape + (2,), low=-1, high=1)
                      for _ in range(g.integer(0, 2))]
        if shape and dtype not in COMPLEX:
            g.case(name, [keys], lambda: np.lexsort([k.array for k in keys]))


# ---- text ----

def as_bytes(text):
    return np.frombuffer(text if isinstance(text, bytes) else text.encode(), "u1")


def text(g):
    name = g.pick(["print", "print", "save", "savetxt", "loadtxt"])
    dtype = g.dtype(ALL)
    if name == "print":
        x = g.array(dtype, tuple(min(n, 30) for n in g.shape()))
        g.case(name, [x], lambda: as_bytes(str(x.array)))
    elif name == "save":
        x = g.array(dtype, pending=False)

        def call():
            out = io.BytesIO()
            np.save(out, x.array)
            return as_bytes(out.getvalue())

        g.case(name, [x], call)
    elif name == "savetxt":
        x = g.array(g.dtype("bif"), tuple(min(n, 30) for n in g.shape(g.pick([0, 1, 1, 2, 2, 3]))))
        fmt, delimiter = g.pick(["%.18e", "%g", "%.3f", "%10.5g", "%d", "%i", "%8.2e"]), g.pick([" ", ",", "\t"])

        def call():
            out = io.BytesIO()
            np.savetxt(out, x.array, fmt=fmt, delimiter=delimiter)
            return as_bytes(out.getvalue())

        if x.array.ndim == 0 or fmt in ("%d", "%i") and not np.all(np.abs(x.array.astype("f8")) < 1e18):
            return
        g.case(name, [x, fmt, delimiter], call)
    else:
        dtype = np.dtype(g.pick(["f8", "f4", "i8", "i4", "u1", "c16"]))
        rows, columns = g.integer(1, 5), g.integer(1, 4)
        values = g.numbers((rows, columns), dtype, low=0, high=9)
        delimiter = g.pick(["", ",", ";"])
        number = {"f": lambda v: repr(float(v)), "i": str, "u": str, "c": lambda v: repr(complex(v))}[dtype.kind]
        lines = [(delimiter or " ").join(number(v) for v in row) for row in values]
        if g.chance(0.3):
            lines.insert(g.integer(0, rows), g.pick(["", "# a comment", "   "]))
        if g.chance(0.05):
            lines[-1] += (delimiter or " ") + g.pick(["7", "seven", ""])
        skiprows, max_rows, ndmin = g.pick([0, 0, 1]), g.pick([None, None, 2]), g.integer(0, 2)
        usecols = tuple(g.integer(-columns, columns - 1 + g.chance(0.03)) for _ in range(g.pick([0, 0, 1, 2])))

        def call():
            # Lines of blanks are none to Tandem, with a delimiter, too; but skiprows counts them.
            rest = [line for i, line in enumerate(lines) if i < skiprows or line.strip()]
            return np.loadtxt(io.StringIO("\n".join(rest)), dtype, delimiter=delimiter or None, skiprows=skiprows,
                              usecols=usecols or None, max_rows=max_rows, ndmin=ndmin)

        g.case(name, ["\n".join(lines), delimiter, skiprows, dtype.name, usecols, max_rows, ndmin], call)


SECTIONS = [(creation, 5), (views, 5), (joining, 4), (editing, 5), (overlap, 3), (sets, 5), (orders, 4), (text, 4)]
