"""Linear algebra and sums of products. Matrices have a small condition number, where it matters."""
import numpy as np

from .generator import BEFORE_2, COMPLEX, View, eps

WHOLE = {"special": False, "whole": True, "low": -4, "high": 4}


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def working(array):
    """In the dtype that factorizations compute in."""
    return array.astype("f8") if array.dtype.kind in "biu" else array


def dtype_for(g):
    return g.pick(["f4", "f8", "f8", "c8", "c16", "i4", "i8", "?", "u1"])


def stack_shape(g):
    return tuple(g.integer(0, 3) if g.chance(0.1) else g.integer(1, 3) for _ in range(g.pick([0, 0, 0, 1, 1, 2])))


def length(g):
    return g.integer(0 if g.chance(0.05) else 1, 6) if g.chance(0.9) else g.integer(7, 40)


def square(g, dtype=None, good=True):
    """Square matrices that are far from singular, if they are to be good."""
    dtype, n, stack = dtype or dtype_for(g), length(g), stack_shape(g)

    def make(shape):
        return g.numbers(shape, dtype, -4, 4, special=False)

    x = g.view(stack + (n, n), make)
    if g.chance(0.03):
        return g.array(dtype, stack + (n, n + 1), special=False)
    if good and x.array.size and dtype != "?":
        array = x.array.copy()
        # A dominant diagonal bounds the condition.
        array[..., range(n), range(n)] = np.minimum(5 * n, 100) if array.dtype.kind != "u" else min(5 * n, 250)
        if np.max(np.abs(array[..., ~np.eye(n, dtype=bool)]), initial=0) > 6:
            return square(g, dtype, good)
        x = View(array)
    elif good and x.array.size:
        x = View(np.broadcast_to(np.eye(n, dtype=bool), x.array.shape).copy())
    x.pending = g.chance(g.pending)
    return x


def error(x, factor=64):
    """Of a backward stable computation with matrices of small condition."""
    array = working(x)
    n = max(array.shape[-2:], default=1) if array.ndim > 1 else array.size
    size = float(np.max(np.abs(array), initial=1)) * max(n, 1)
    return lambda r: factor * max(n, 1) * float(np.finfo(array.dtype).eps) * size


def relative(x, factor=256):
    array = working(x)
    n = max(array.shape[-2:], default=1) if array.ndim > 1 else 1
    return lambda r: factor * max(n, 1) * float(np.finfo(array.dtype).eps) * (
        np.max(np.abs(r), initial=0) if r.size else 0)


def identity_error(x):
    array = working(x)
    n = max(array.shape[-2:], default=1) if array.ndim > 1 else 1
    return lambda r: 64 * max(n, 1) * float(np.finfo(array.dtype).eps)


# ---- products ----

def einsum(g):
    letters = "ijkl"
    lengths = {c: g.integer(1, 4) for c in letters}
    count = g.pick([1, 2, 2, 3])
    dtype = g.dtype("bifc")
    dots = g.chance(0.2)
    hidden = (g.integer(1, 3),) * g.integer(0, 2)
    terms, operands = [], []
    for _ in range(count):
        term = "".join(g.pick(letters) for _ in range(g.integer(0, 3)))
        shape = tuple(1 if g.chance(0.03) else lengths[c] for c in term)
        if dots and g.chance(0.8):
            at = g.integer(0, len(term))
            mine = hidden[g.integer(0, len(hidden)):]
            term, shape = term[:at] + "..." + term[at:], shape[:at] + mine + shape[at:]
        terms.append(term)
        operands.append(g.array(dtype if g.chance(0.8) else g.dtype("bifc"), shape, **WHOLE))
    subscripts = ",".join(terms)
    if g.chance(0.7):
        used = sorted(set("".join(terms)) - {"."})
        out = [c for c in used if g.chance(0.5)]
        out = "".join(out[i] for i in g.random.permutation(len(out)))
        if "..." in subscripts:
            at = g.integer(0, len(out))
            out = out[:at] + "..." + out[at:]
        if g.chance(0.03):
            out += g.pick(["z", "i", "i"])
        subscripts += "->" + out
    if any(len(set(t)) != len(t) and 1 in o.array.shape for t, o in zip(terms, operands)):
        return  # a diagonal of lengths 1 and n
    g.case("einsum", [subscripts, operands], lambda: np.asarray(np.einsum(subscripts, *(o.array for o in operands))))


def products(g):
    name = g.pick(["inner", "vdot", "kron", "vecdot", "cross", "matrix_power", "multi_dot", "matrix_diagonal", "trace",
                   "matvec", "vecmat"])
    dtype = g.dtype("bifc")
    other = dtype if g.chance(0.7) else g.dtype("bifc")
    shape = tuple(min(n, 8) for n in g.shape(g.pick([0, 1, 2, 2, 3])))
    if name == "inner":
        second = g.shape(g.pick([0, 1]))[:1] + shape[-1:] if g.chance(0.9) else shape[:-1] + (7,)
        second = () if g.chance(0.1) else tuple(min(n, 8) for n in second)
        a, b = g.array(dtype, shape, **WHOLE), g.array(other, second, **WHOLE)
        g.case(name, [a, b], lambda: np.asarray(np.inner(a.array, b.array)))
    elif name == "vdot":
        second = (int(np.prod(shape, dtype="i8")),) if g.chance(0.5) else shape if g.chance(0.9) else shape + (2,)
        a, b = g.array(dtype, shape, **WHOLE), g.array(other, second, **WHOLE)
        g.case(name, [a, b], lambda: np.asarray(np.vdot(a.array, b.array)))
    elif name == "kron":
        a = g.array(dtype, tuple(min(n, 4) for n in shape), **WHOLE)
        b = g.array(other, tuple(min(n, 4) for n in g.shape(g.pick([0, 1, 2, 2, 3]))), **WHOLE)
        g.case(name, [a, b], lambda: np.asarray(np.kron(a.array, b.array)))
    elif name == "vecdot":
        axis = g.axis(max(len(shape), 1))
        a, b = g.array(dtype, shape, **WHOLE), g.array(other, shape, **WHOLE)
        if hasattr(np, "vecdot") and shape:
            g.case(name, [a, b, axis], lambda: np.asarray(np.vecdot(a.array, b.array, axis=axis)))
    elif name in ("matvec", "vecmat"):
        stack = stack_shape(g)
        matrix = stack + (g.integer(0 if g.chance(0.1) else 1, 6), g.integer(0 if g.chance(0.1) else 1, 6))
        vector = g.broadcastable(stack) + matrix[-1:] if name == "matvec" else g.broadcastable(stack) + matrix[-2:-1]
        if g.chance(0.05):
            vector = vector[:-1] + (vector[-1] + 1,)
        operands = [g.array(dtype, matrix, **WHOLE), g.array(other, vector, **WHOLE)]
        if name == "vecmat":
            operands.reverse()
        if hasattr(np, name):
            g.case(name, operands, lambda: np.asarray(getattr(np, name)(*(x.array for x in operands))))
    elif name == "cross":
        axis = g.integer(0, len(shape))
        shape = shape[:axis] + (3 if g.chance(0.95) else 4,) + shape[axis:]
        second = g.broadcastable(shape) if g.chance(0.3) else shape
        if len(second) != len(shape) or second[axis] != shape[axis] or dtype == "?" or other == "?":
            return
        a, b = g.array(dtype, shape, **WHOLE), g.array(other, second, **WHOLE)
        g.case(name, [a, b, axis], lambda: np.linalg.cross(a.array, b.array, axis=axis)
               if hasattr(np.linalg, "cross") else np.cross(a.array, b.array, axis=axis))
    elif name == "matrix_power":
        x = square(g, g.pick(["f4", "f8", "c16", "i4", "i8", "u1"]))
        n = g.integer(-3, 6)
        if x.array.ndim < 2 or x.array.shape[-1] > 6:
            return
        g.case(name, [x, n], lambda: np.linalg.matrix_power(x.array, n) if n >= 0 or x.array.dtype.kind not in "iu"
               else np.linalg.matrix_power(x.array.astype("f8"), n), relative(x.array, 1024))
    elif name == "multi_dot":
        lengths = [g.integer(1, 6) for _ in range(g.integer(2, 6))]
        shapes = [(a, b) for a, b in zip(lengths, lengths[1:])]
        if g.chance(0.3):
            shapes[0] = shapes[0][1:]
        if g.chance(0.3) and len(shapes) > 1:
            shapes[-1] = shapes[-1][:1]
        if g.chance(0.05):
            shapes[-1] = tuple(n + 1 for n in shapes[-1])
        arrays = [g.array(g.pick(["f8", "i8", "c16"]), s, special=False, whole=True, low=-2, high=2) for s in shapes]
        g.case(name, [arrays], lambda: np.asarray(np.linalg.multi_dot([a.array for a in arrays])))
    elif name == "matrix_diagonal":
        x, offset = g.array(dtype, shape), g.integer(-4, 4)
        g.case(name, [x, offset], lambda: np.diagonal(x.array, offset, -2, -1))
    else:
        x, offset, forced = g.array(dtype, shape, **WHOLE), g.integer(-4, 4), g.pick([None, None, "int64", "float64"])
        if forced and x.array.dtype.kind not in "biu" or dtype == "f2":
            forced = None
        def call():
            return np.asarray(np.sum(np.diagonal(x.array, offset, -2, -1), -1, forced))
        g.case(name, [x, offset, forced], call)


# ---- norms ----

def norms(g):
    name = g.pick(["norm", "norm", "vector_norm", "matrix_norm", "cond"])
    dtype = g.dtype("ifc")
    if dtype == "f2":
        return
    numbers = [None, 2.0, 1.0, 0.0, np.inf, -np.inf, 3.0, -1.0, 0.5]
    matrices = [None, "fro", "nuc", 2.0, -2.0, 1.0, -1.0, np.inf, -np.inf, 3.0, 0.0]
    keepdims = g.chance(0.3)
    tolerance = lambda array: lambda r: 256 * max(array.size, 1) ** 0.5 * eps(r) * (np.abs(r) + np.max(
        np.abs(working(array)), initial=0))
    if name == "cond":
        x, order = square(g), g.pick([None, 2.0, -2.0, "fro", 1.0, -1.0, np.inf, -np.inf])
        if order in (None, 2.0, -2.0) and g.chance(0.5):
            x = g.array(g.pick(["f8", "f4"]), stack_shape(g) + (g.integer(1, 5), g.integer(6, 9)), special=False)
        if x.array.size and np.all(np.linalg.cond(working(x.array)) < 1e4):
            g.case(name, [x, order], lambda: np.asarray(np.linalg.cond(working(x.array), order)),
                   lambda r: 1e-3 * np.abs(r) if r.dtype == "f4" else 1e-8 * np.abs(r))
        return
    ndim = g.pick([1, 1, 2, 2, 3, 3])
    shape = tuple(min(n, 30) for n in g.shape(ndim))
    x = g.array(dtype, shape, special=False, low=-9, high=9)
    array = working(x.array)
    if array.size and np.max(np.abs(array)) > 1e6:
        return
    if name == "matrix_norm":
        order = g.pick(matrices[1:])
        if ndim < 2:
            order = "fro"
        call = lambda: np.asarray(np.linalg.matrix_norm(array, ord=order, keepdims=keepdims))
        if not BEFORE_2:
            g.case(name, [x, order, keepdims], call, tolerance(array))
    elif name == "vector_norm":
        axes, order = g.axes(ndim), g.pick(numbers[1:])
        if axes == ():
            return
        if not BEFORE_2 and not (order < 0 and np.any(array == 0)) and array.size:
            g.case(name, [x, axes, order, keepdims],
                   lambda: np.asarray(np.linalg.vector_norm(array, axis=axes, ord=order, keepdims=keepdims)),
                   tolerance(array))
    else:
        axes = None if g.chance(0.4) else (g.axis(ndim),)
        if g.chance(0.4) and ndim > 1:
            axes = (g.axis(ndim), g.axis(ndim))
        n = len(axes) if axes is not None else ndim
        order = None if g.chance(0.2) else g.pick(numbers if n == 1 else matrices)
        if order is not None and not isinstance(order, str) and order <= 0 and np.any(array == 0) and n == 1:
            return
        if array.size == 0 and not (order is None):  # some are errors of LAPACK
            return
        g.case(name, [x, axes, order, keepdims],
               lambda: np.asarray(np.linalg.norm(array, order, axes[0] if axes and len(axes) == 1 else axes, keepdims)),
               tolerance(array))


# ---- systems ----

def systems(g):
    name = g.pick(["solve", "solve", "solve_triangular", "inv", "det", "slogdet", "pinv", "matrix_rank", "lstsq",
                   "tensorsolve", "tensorinv"])
    singular = g.chance(0.05) and name in ("solve", "inv", "det", "slogdet")
    a = square(g)
    if singular and a.array.ndim > 1:
        a = View(np.zeros_like(a.array))
    x = a.array
    small = identity_error(x)
    near = lambda r: 16 * small(r) * (1 + np.abs(r))
    if x.ndim < 2:
        return
    if name in ("solve", "solve_triangular"):
        n = x.shape[-1]
        dtype = g.pick(["f4", "f8", "c8", "c16", "i4"]) if g.chance(0.3) else x.dtype.str[1:]
        shape = (n,) if g.chance(0.4) else (x.shape[:-2] if g.chance(0.6) else g.broadcastable(x.shape[:-2])) + (
            n, g.integer(0 if g.chance(0.1) else 1, 4))
        if g.chance(0.03):
            shape = (n + 1,)
        b = g.array(dtype, shape, special=False, low=-4, high=4)
        if b.array.size and np.max(np.abs(working(b.array))) > 100 or BEFORE_2 and len(shape) == 1:
            return
        low = float(np.finfo(working(b.array).real.dtype).eps)
        bound = lambda r: 1024 * max(n, 1) * max(low, eps(working(x))) * (1 + np.abs(r))
        if name == "solve":
            if singular and b.array.size == 0:
                return
            g.case(name, [a, b], lambda: np.linalg.solve(x, b.array), bound)
            return
        lower, unit = g.chance(0.5), g.chance(0.3)

        def call():
            matrix = (np.tril if lower else np.triu)(working(x))
            if unit:
                if matrix.shape[-1] != matrix.shape[-2]:
                    raise ValueError("not square")
                matrix = matrix.copy()
                matrix[..., range(n), range(n)] = 1
            return np.linalg.solve(matrix, b.array)

        if not unit or n < 4:  # with a small diagonal solutions grow
            scale = 1e4 if unit else 1
            g.case(name, [a, b, lower, unit], call, lambda r: scale * bound(r))
    elif name == "inv":
        g.case(name, [a], lambda: np.linalg.inv(x), near)
    elif name == "det":
        with np.errstate(all="ignore"):
            if x.shape[-1] == x.shape[-2] and not np.all(np.isfinite(np.linalg.det(x))):
                return
        g.case(name, [a], lambda: np.asarray(np.linalg.det(x)), relative(x, 64) if x.ndim > 2 else
               lambda r: 64 * max(x.shape) * eps(working(x)) * np.abs(r))
    elif name in ("tensorsolve", "tensorinv"):
        rows, columns = ((2, 3), (6,)) if g.chance(0.5) else ((2, 2), (4,))
        if g.chance(0.5):
            rows, columns = columns, rows
        if g.chance(0.05):
            columns = columns + (2,)
        matrix = g.numbers(rows + columns, g.pick(["f4", "f8", "c8", "c16", "i4"]), -4, 4, special=False, whole=True)
        n = int(np.prod(rows))
        if matrix.size == n * n:
            matrix = (matrix.reshape(n, n) + 20 * np.eye(n, dtype=matrix.dtype)).reshape(matrix.shape)
        if name == "tensorinv":
            g.case(name, [View(matrix), len(rows)], lambda: np.linalg.tensorinv(matrix, len(rows)),
                   lambda r: 1024 * eps(r))
        else:
            b = g.array(g.pick(["f4", "f8"]), rows, special=False, low=-4, high=4)
            low = eps(working(b.array))
            g.case(name, [View(matrix), b], lambda: np.linalg.tensorsolve(matrix, b.array),
                   lambda r: 1024 * max(low, eps(working(matrix))))
    elif name == "slogdet":
        g.case(name, [a], lambda: [np.asarray(v) for v in np.linalg.slogdet(x)], near)
    else:
        m, n = g.integer(1, 7), g.integer(1, 7)
        shape = stack_shape(g) + (m, n)
        full = g.numbers(shape, g.pick(["f4", "f8", "c8", "c16", "i4"]), -4, 4, special=False, whole=True)
        if full.dtype.kind == "c":
            full = full + np.eye(m, n).astype(full.dtype) * 20
        else:
            full = full + np.eye(m, n, dtype=full.dtype) * 20
        if g.chance(0.2) and n > 1 and name == "matrix_rank":
            full[..., -1] = full[..., 0]
        hermitian = name in ("pinv", "matrix_rank") and m == n and g.chance(0.4)
        if hermitian:
            full = full + adjoint(full)
        a = View(full)
        x = a.array
        small = identity_error(x)
        rtol = None
        if g.chance(0.3) and not BEFORE_2:
            rtol = View(np.full(shape[:-2], 1e-3, working(x).real.dtype))
        options = {"rtol": rtol.array} if rtol else {}
        options["hermitian"] = hermitian
        if name == "pinv":
            g.case(name, [a, rtol, hermitian], lambda: np.linalg.pinv(x, **options), lambda r: 64 * small(r))
        elif name == "matrix_rank":
            g.case(name, [a, rtol, hermitian], lambda: np.asarray(np.linalg.matrix_rank(x, **options)))
        elif x.ndim == 2:
            b = g.array(x.dtype.str[1:], (m,) if g.chance(0.4) else (m, g.integer(1, 3)), special=False, low=-4, high=4)
            if largest(b.array) > 1e3:
                return

            def call():
                solution, residuals, rank, s = np.linalg.lstsq(x, b.array, None)
                return [solution, residuals, np.asarray(rank, "i8"), s]

            scale = 1 + largest(b.array)
            g.case(name, [a, b], call, [lambda r: 64 * small(r) * scale, lambda r: 256 * small(r) * scale**2,
                                         None, lambda r: 256 * small(r) * 30])


def largest(x):
    return float(np.max(np.abs(x.astype("c16")), initial=0))


# ---- factorizations ----

def gram_matrices(g):
    a = square(g, g.pick(["f4", "f8", "c8", "c16", "i4"]))
    if a.array.ndim < 2 or a.array.shape[-1] != a.array.shape[-2]:
        return a
    x = a.array
    y = x + adjoint(x)
    if y.dtype.kind == "c":
        y[..., range(y.shape[-1]), range(y.shape[-1])] = y[..., range(y.shape[-1]), range(y.shape[-1])].real
    return View(y)


def factorizations(g):
    name = g.pick(["cholesky", "qr", "svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals"])
    if name in ("cholesky", "eigh", "eigvalsh"):
        a, upper = gram_matrices(g), g.chance(0.4)
        if name == "cholesky" and g.chance(0.05):
            a = View(-a.array)
        x = a.array
        if x.ndim < 2:
            return
        n = x.shape[-1]
        if name == "cholesky":
            def call():
                if x.shape[-2:] == (n, n):
                    lower = np.linalg.cholesky(x if not upper else adjoint(np.triu(x)))
                    return adjoint(lower) if upper else lower
                return np.linalg.cholesky(x)
            g.case(name, [a, upper], call, error(x))
        elif name == "eigvalsh":
            g.case(name, [a, upper], lambda: np.linalg.eigvalsh(x, "U" if upper else "L"), error(x))
        else:
            def call():
                w, v = np.linalg.eigh(x, "U" if upper else "L")
                return [w, working(x), np.broadcast_to(np.eye(n, dtype=v.dtype), v.shape)]
            g.case(name, [a, upper], call, [error(x), error(x), identity_error(x)])
        return
    if name in ("eig", "eigvals"):
        a = square(g, good=g.chance(0.5))
        x = a.array
        if x.size and np.max(np.abs(working(x))) > 1e3 or x.ndim < 2:
            return
        work = working(x)
        complex_ = np.result_type(work.dtype, "c8") if work.dtype.itemsize == 4 or work.dtype == "c8" else np.dtype("c16")

        def sums():
            w = np.linalg.eigvals(work).astype(complex_)
            return np.stack([np.sum(w, -1), np.sum(w * w, -1), np.sum(w**3, -1)])

        norm = float(np.max(np.abs(work), initial=1)) * max(x.shape[-1], 1)
        powers = np.array([norm, norm**2, norm**3]).reshape((3,) + (1,) * (x.ndim - 2))
        power_error = lambda r: 256 * max(x.shape[-1], 1) ** 2 * eps(r) * powers
        if name == "eigvals":
            g.case(name, [a], sums, power_error)
        else:
            g.case(name, [a], lambda: [sums(), np.zeros(x.shape, complex_),
                                       np.ones(x.shape[:-2] + x.shape[-1:], complex_(0).real.dtype
                                               if callable(complex_) else complex_.type(0).real.dtype)],
                   [power_error, error(x, 256), identity_error(x)])
        return
    shape = stack_shape(g) + (length(g), length(g))
    if g.chance(0.03):
        shape = shape[-1:]
    a = g.array(dtype_for(g), shape, special=False, low=-4, high=4)
    x = a.array
    work = working(x)
    if x.size and np.max(np.abs(work)) > 1e6:
        return
    eye = lambda n, like: np.broadcast_to(np.eye(n, dtype=work.dtype), x.shape[:-2] + (n, n))
    m, n = shape[-2:] if len(shape) > 1 else (1, 1)
    k = min(m, n)
    if name == "qr":
        mode = g.pick(["reduced", "complete"])
        columns = m if mode == "complete" else k

        def call():
            np.linalg.qr(work, mode)
            return [work, eye(columns, x), np.zeros(x.shape[:-2] + (columns, n), work.dtype)]

        g.case(name, [a, mode], call, [error(x), identity_error(x), None])
    elif name == "svdvals":
        g.case(name, [a], lambda: np.linalg.svd(x, compute_uv=False), error(x))
    else:
        full = g.chance(0.5)

        def call():
            u, s, vh = np.linalg.svd(x, full_matrices=full)
            return [s, work, eye(u.shape[-1], x), eye(vh.shape[-2], x)]

        g.case(name, [a, full], call, [error(x), error(x), identity_error(x), identity_error(x)])


SECTIONS = [(einsum, 4), (products, 5), (norms, 4), (systems, 6), (factorizations, 6)]
