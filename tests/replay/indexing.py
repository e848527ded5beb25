"""Indexing, reading and writing."""
import numpy as np

from .generator import BEFORE_2, COMPLEX, FLOATS, Index, View, Weak, value_of


def index_array(g, length, shape):
    """Positions in an axis, seldom outside."""
    dtype = g.pick(["i8", "i8", "i4", "i1", "i2", "u1", "u4"] + ([] if BEFORE_2 else ["u8"]))
    if length == 0:
        return View(np.zeros((0,), dtype))
    low = 0 if dtype[0] == "u" else -length
    outside = not BEFORE_2 and g.chance(0.02)  # NumPy 1.24 does not look where the result is empty
    values = lambda s: g.numbers(s, dtype, low, length - 1 + outside, special=False)
    return g.view(shape, values)


def index_for(g, shape, advanced):
    """An index for an array of that shape: with index arrays or masks if `advanced`."""
    parts, axis, ndim = [], 0, len(shape)
    common = g.shape(g.pick([0, 1, 1, 1, 2]), low=0, high=4) if advanced else ()
    upto = ndim if g.chance(0.6) else g.integer(0, ndim)
    ellipsis_at, skipped = g.integer(0, upto) if g.chance(0.3) else None, 0
    while axis < upto:
        if ellipsis_at == axis and ellipsis_at is not None:
            parts.append(Ellipsis)
            ellipsis_at, skipped = None, ndim - upto
        n = shape[axis + skipped]
        kind = g.random.random()
        if g.chance(0.08):
            parts.append(None)
        if advanced and kind < 0.4:
            parts.append(index_array(g, n, tuple(1 if g.chance(0.15) else m for m in common)))
        elif advanced and kind < 0.5:
            axes = g.integer(1, min(2, upto - axis))
            mask = list(shape[axis + skipped:axis + skipped + axes])
            if g.chance(0.02):
                mask[0] += 1
            if 0 in mask:  # fits any length in NumPy
                parts.append(slice(None))
                axis += 1
                continue
            count = int(np.prod(common, dtype="i8"))
            values = g.random.random(mask) < 0.4
            if g.chance(0.7) and values.size:  # as many true elements as the other index arrays have
                values[...] = False
                values.reshape(-1)[g.random.permutation(values.size)[:count]] = True
            parts.append(View(values))
            axis += axes
            continue
        elif advanced and kind < 0.53:
            parts.append(g.chance(0.7))
            continue
        elif kind < 0.7:
            bound = lambda: None if g.chance(0.3) else g.integer(-n - 2, n + 2)
            parts.append(slice(bound(), bound(), g.pick([1, 1, 1, 2, 3, -1, -2])))
        else:
            parts.append(g.integer(-n, n - 1) if n and not g.chance(0.02) else n)
        axis += 1
    if ellipsis_at is not None:
        parts.append(Ellipsis)
    if g.chance(0.02):
        parts += [0] * (ndim + 1 - len(parts))
    return Index(parts)


def indexing(g):
    shape = g.shape(g.pick([0, 1, 2, 3, 3, 4]))
    x = g.array(g.dtype("bifc"), shape)
    index = index_for(g, shape, g.chance(0.6))
    g.case("getitem", [x, index], lambda: x.array[index.numpy()])


def in_order(array, positions, values):
    """`array` with values put at positions one after the other, in row-major order; NumPy goes by strides."""
    flat = array.copy().reshape(-1)
    values = np.asarray(values)
    while values.ndim > positions.ndim:  # an assignment drops leading axes of length 1
        values = values[0]
    flat[positions.reshape(-1)] = np.broadcast_to(values, positions.shape).reshape(-1)
    return flat.reshape(array.shape)


def assignment(g):
    shape = g.shape(g.pick([0, 1, 2, 3, 3, 4]))
    x = g.array(g.dtype("bifc"), shape, special=False)
    index = index_for(g, shape, g.chance(0.6))
    try:
        target = x.array[index.numpy()].shape
    except (IndexError, ValueError):
        target = ()
    kind = x.array.dtype.kind
    to = "b" if kind == "b" else "bi" if kind in "iu" else "bif" if kind == "f" else "bifc"
    positions = None
    try:
        positions = np.arange(x.array.size).reshape(shape)[index.numpy()]
    except (IndexError, ValueError):
        pass
    adds = target != () and g.chance(0.2)  # one element is no array in NumPy: it promotes
    value = Weak(g.integer(0, 9)) if g.chance(0.2) else g.array(g.dtype(to), g.broadcastable(target), special=False)

    def call():
        array, values = x.array.copy(), value_of(value)
        if adds:
            values = array[index.numpy()]
            values += value_of(value)
        array[index.numpy()] = values
        return in_order(x.array, positions, values)

    g.case("setitem_add" if adds else "setitem", [x, index, value], call)


def picking(g):
    name = g.pick(["take", "take_along_axis", "put_along_axis", "put", "add_at", "nonzero", "argwhere", "flatnonzero",
                   "compress", "extract"])
    dtype = g.dtype("bifc")
    shape = g.shape(g.pick([1, 2, 3]))
    x = g.array(dtype, shape)
    array, ndim = x.array, x.array.ndim
    axis = g.axis(ndim)
    length = shape[axis] if -ndim <= axis < ndim else 1
    if name == "take":
        flat, mode = g.chance(0.3), g.pick(["raise", "raise", "wrap", "clip"])
        axis, length = (None, array.size) if flat else (axis, length)
        indices = index_array(g, length, g.shape(g.pick([0, 1, 2])))
        if mode != "raise" and length:
            indices = View(g.numbers(g.shape(g.pick([0, 1, 2])), "i8", -3 * length, 3 * length, special=False))
        g.case(name, [x, indices, axis, mode], lambda: np.take(array, indices.array, axis, mode=mode))
    elif name in ("take_along_axis", "put_along_axis"):
        if not -ndim <= axis < ndim:
            return
        other = [1 if g.chance(0.1) else n for n in shape]
        other[axis] = g.integer(0, 4)
        indices = index_array(g, length, tuple(other))
        if indices.array.ndim != ndim:
            return
        if name == "take_along_axis":
            g.case(name, [x, indices, axis], lambda: np.take_along_axis(array, indices.array, axis))
        else:
            values = g.array(dtype, g.broadcastable(tuple(shape[:axis % ndim]) + (other[axis],) +
                                                    tuple(shape[axis % ndim + 1:])))

            def call():
                np.put_along_axis(array.copy(), indices.array, values.array, axis)
                positions = np.take_along_axis(np.arange(array.size).reshape(shape), indices.array, axis)
                return in_order(array, positions, values.array)

            g.case(name, [x, indices, values, axis], call)
    elif name == "put":
        mode = g.pick(["raise", "wrap", "clip"])
        n = g.integer(0, 6)
        indices = index_array(g, array.size, (n,))
        values = g.array(dtype, (g.integer(1, 7),))

        def call():
            copy = array.copy()
            np.put(copy, indices.array.astype("i8"), values.array, mode)
            return copy

        g.case(name, [x, indices, values, mode], call)
    elif name == "add_at":
        if dtype == "?":
            return
        x = g.array(dtype, shape, special=False, whole=True)
        index = index_for(g, shape, True)
        try:
            target = x.array[index.numpy()].shape
        except (IndexError, ValueError):
            target = ()
        values = g.array(dtype, g.broadcastable(target), special=False, whole=True)

        def call():
            positions = np.arange(x.array.size).reshape(shape)[index.numpy()]
            flat = x.array.copy().reshape(-1)
            np.add.at(flat, positions.reshape(-1), np.broadcast_to(values.array, positions.shape).reshape(-1))
            return flat.reshape(shape)

        g.case(name, [x, index, values], call)
    elif name == "nonzero":
        x = g.array(dtype, shape, low=-1, high=1)
        g.case(name, [x], lambda: list(np.nonzero(x.array)))
    elif name in ("argwhere", "flatnonzero"):
        x = g.array(dtype, shape, low=-1, high=1)
        g.case(name, [x], lambda: getattr(np, name)(x.array))
    elif name == "compress":
        axis, length = (None, array.size) if g.chance(0.3) else (axis, length)
        condition = g.array(g.pick(["?", "?", "i4"]), (max(0, length - g.integer(0, 2)),), low=0, high=1, special=False)
        g.case(name, [condition, x, axis], lambda: np.compress(condition.array, array, axis))
    else:
        condition = g.array("?", shape)
        g.case(name, [condition, x], lambda: np.extract(condition.array, array))


SECTIONS = [(indexing, 10), (assignment, 8), (picking, 8)]
