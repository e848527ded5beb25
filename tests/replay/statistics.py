"""Statistics, reductions without NaN, numerical methods."""
import numpy as np

from .calls import numpy_axes, sum_bound
from .generator import BEFORE_2, COMPLEX, FLOATS, View, Weak, eps, value_of


def cannot_be_rows(array, axes):
    """Whether NumPy fails to make one axis of several, of an array without elements."""
    return array.size == 0 and axes is not None and len(axes) > 1


METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
           "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"]
CHOOSING = {"inverted_cdf", "closest_observation", "lower", "higher", "nearest"}


def largest(x):
    """The largest finite modulus."""
    values = np.abs(x.astype("c16" if x.dtype.kind == "c" else "f8"))
    return float(np.max(values[np.isfinite(values)], initial=0))


def with_nan(g, dtype, shape, low=-9, high=9):
    """Numbers of which some are NaN where there are any."""
    def make(base):
        values = g.numbers(base, dtype, low, high, special=False, whole=g.chance(0.3))
        if np.dtype(dtype).kind in "fc" and g.chance(0.8):
            values[g.random.random(base) < g.pick([0.2, 0.5, 0.9])] = np.nan
        return values
    return g.view(shape, make)


def quantiles(g):
    name = g.pick(["quantile", "percentile", "nanquantile", "nanpercentile"])
    without_nan = name.startswith("nan")
    dtype = g.dtype("if")
    special = g.chance(0.2) and not without_nan
    x = with_nan(g, dtype, g.shape(low=1)) if without_nan else g.array(dtype, low=-9, high=9, special=special,
                                                                       whole=g.chance(0.4))
    array = x.array
    axes, keepdims, method = g.axes(array.ndim), g.chance(0.3), g.pick(METHODS if g.chance(0.6) else ["linear"])
    if array.ndim == 0 and axes is not None or axes == ():
        axes = None
    if cannot_be_rows(array, axes):
        return
    axis = numpy_axes(axes)
    whole = g.integer(1, 8)
    q = [g.integer(0, whole) / whole if g.chance(0.5) else float(g.random.random()) for _ in range(g.integer(1, 3))]
    if g.chance(0.02):
        q[0] = 1.5
    if "percentile" in name:
        q = [100 * v for v in q]
    if g.chance(0.4):
        q = q[0]
    numpy_q = q
    choosing = method in CHOOSING
    result = array.dtype if choosing or array.dtype.kind == "f" else "f8"
    if special and not choosing and not np.all(np.isfinite(array)):
        return
    if array.size and largest(array) > 1e4 and (array.dtype == "f2" or not choosing):
        return

    operand = array if choosing or array.dtype.kind == "f" else array.astype("f8")  # whose differences do not wrap

    def call():
        return np.asarray(getattr(np, name)(operand, numpy_q, axis=axis, keepdims=keepdims, method=method)).astype(result)

    scale = max(largest(array), 1)
    g.case(name, [x, q, axes, keepdims, method], call, None if choosing else lambda r: 64 * eps(r) * scale)


def rows(g):
    name = g.pick(["median", "ptp", "nanmedian"])
    dtype = g.dtype("if" if name == "ptp" else "bif")
    shape = g.shape()
    x = with_nan(g, dtype, shape) if name == "nanmedian" else g.array(dtype, shape, special=g.chance(0.3))
    axes, keepdims = g.axes(len(shape)), g.chance(0.4)
    if name != "ptp" and (axes == () or not shape and axes):
        return
    if name == "ptp" and not shape and axes:
        return
    axis = numpy_axes(axes)
    array = x.array
    if name == "ptp" and dtype == "f2" and BEFORE_2:
        return
    if name == "nanmedian" and dtype == "?":
        return
    if name != "ptp" and (cannot_be_rows(array, axes) or dtype in FLOATS and largest(array) > np.finfo(dtype).max / 2):
        return
    g.case(name, [x, axes, keepdims], lambda: getattr(np, name)(array, axis=axis, keepdims=keepdims),
           None if name == "ptp" else lambda r: 2 * eps(r) * max(largest(array), 1) if r.dtype.kind == "f" else 0)


def average(g):
    dtype, other = g.dtype("bifc"), g.dtype("bif")
    shape = g.shape(low=1)
    x = g.array(dtype, shape, special=False, low=-9, high=9)
    axes, keepdims = g.axes(len(shape)), g.chance(0.3)
    if not shape and axes or axes == ():
        return
    axis = numpy_axes(axes)
    weights = None
    if g.chance(0.8):
        one = axes is not None and len(axes) == 1 and g.chance(0.5)
        inside = one and -len(shape) <= axes[0] < len(shape)
        weights = g.array(other, (shape[axes[0]],) if inside else shape, special=False, low=0 if g.chance(0.1) else 1,
                          high=5)
        if g.chance(0.03):
            weights = g.array(other, shape + (2,), special=False, low=1)
    if weights and (dtype == "f2" or other == "f2"):  # NumPy adds in float16
        return
    scale = largest(x.array) + 1
    if largest(x.array) > 1e5 or weights and largest(weights.array) > 1e5:
        return
    def call():
        with np.errstate(all="raise"):
            return np.average(x.array, axis, weights and weights.array, keepdims=keepdims)
    g.case("average", [x, axes, keepdims, weights], call,
           lambda r: (1e-3 if r.dtype == "f2" else 64 * eps(r) * max(1, x.array.size)) * scale)


def covariance(g):
    name = g.pick(["cov", "corrcoef"])
    dtype = g.dtype("bifc")
    shape = tuple(min(n, 20) for n in g.shape(g.pick([1, 2, 2, 2, 3]), low=1))
    x = g.array(dtype, shape, special=False, low=-9, high=9)
    rowvar = g.chance(0.6)
    array = x.array
    if largest(array) > 1e5:
        return
    scale = (largest(array) + 1) ** 2
    if name == "cov":
        ddof = g.pick([0, 1, 1, 2])
        g.case(name, [x, rowvar, float(ddof)], lambda: np.cov(array, rowvar=rowvar, ddof=ddof),
               lambda r: 64 * eps(r) * scale * array.size)
    else:
        def call():
            result = np.corrcoef(array, rowvar=rowvar)
            c = np.cov(array, rowvar=rowvar)
            d = np.diag(np.atleast_2d(c)).real
            return np.asarray(result), d

        try:
            d = call()[1]
        except ValueError:
            d = np.ones(1)
        if np.all(d > 1e-3):
            g.case(name, [x, rowvar], lambda: call()[0], lambda r: 1e-9)


def histogram(g):
    dtype = g.dtype("bif")
    x = g.array(dtype, low=-5, high=5, special=False, whole=g.chance(0.4))
    array = x.array
    if dtype in ("f2", "f4") or dtype == "?":  # NumPy makes the edges in that dtype
        x = View(array.astype("f8"))
        array = x.array
    if largest(array) > 1e6 or array.ndim == 0:  # whose weights NumPy cannot sort
        return
    span, bins, numpy_bins = None, g.integer(0 if g.chance(0.05) else 1, 12), None
    if g.chance(0.4):
        edges = np.sort(g.numbers((g.integer(1, 8),), g.pick(["f8", "i8"]), -6, 6, special=False))
        if g.chance(0.05):
            edges = edges[::-1].copy()
        bins = View(edges)
    elif g.chance(0.4):
        span = sorted(float(v) for v in g.numbers((2,), "f8", -5, 5, special=False, whole=g.chance(0.5)))
        if g.chance(0.05):
            span = span[::-1]
    weights = None
    if g.chance(0.3):
        weights = g.array(g.dtype("ifc"), array.shape, special=False, whole=True, low=0, high=9)
        if weights.array.dtype == "f2":
            return
    density = g.chance(0.2) and not (weights and weights.array.dtype.kind == "c")
    def call():
        wide = weights and weights.array.astype(np.sum(weights.array[:0]).dtype)
        return list(np.histogram(array, value_of(bins), span, density, wide))
    edges_bound = lambda r: 4 * eps(r) * (6 + largest(array)) if r.dtype.kind == "f" else 0
    if density:
        with np.errstate(all="ignore"):
            try:
                if not np.all(np.isfinite(call()[0])):
                    return
            except ValueError:
                pass
    g.case("histogram", [x, bins, span, weights, density], call,
           [(lambda r: 64 * eps(r) * np.abs(r)) if density else (lambda r: 0), edges_bound])


def counting(g):
    if g.chance(0.5):
        x = g.array(g.dtype("bi") if g.chance(0.95) else "f8", g.shape(1 if g.chance(0.95) else 2), special=False,
                    low=0 if g.chance(0.95) else -1, high=20)
        weights = None
        if g.chance(0.4):
            weights = g.array(g.dtype("bif"), x.array.shape if g.chance(0.97) else (3,), special=False)
        minlength = g.pick([0, 0, 5, 30])
        if x.array.dtype == "u8":  # NumPy refuses the cast to int64
            return
        if weights and x.array.size == 0:  # NumPy does not look at the weights then and gives int64
            return
        g.case("bincount", [x, weights, minlength],
               lambda: np.bincount(x.array, weights and weights.array, minlength))
    else:
        dtype = g.dtype("if")
        x = g.array(dtype, low=-6, high=6)
        bins = np.sort(g.numbers((g.integer(0, 8),), dtype if g.chance(0.7) else "f8", -6, 6, special=False))
        if g.chance(0.4):
            bins = bins[::-1].copy()
        if g.chance(0.03) and len(bins) > 2:
            bins[1] = 100
        right = g.chance(0.4)
        g.case("digitize", [x, View(bins), right], lambda: np.asarray(np.digitize(x.array, bins, right)))


def without_nan(g):
    name = g.pick(["nansum", "nanprod", "nanmax", "nanmin", "nanargmax", "nanargmin", "nanmean", "nanvar", "nanstd",
                   "nancumsum", "nancumprod"])
    dtype = g.dtype("bifc")
    shape = g.shape()
    product = "prod" in name
    x = with_nan(g, dtype, shape, *((-2, 2) if product else (-9, 9)))
    array = x.array
    if dtype == "f2" and (array.size > 100 or name not in ("nanmax", "nanmin", "nanargmax", "nanargmin")):
        return
    if product and array.size > 50 and dtype in FLOATS + COMPLEX:
        return
    axes, keepdims = g.axes(len(shape)), g.chance(0.4)
    if name.startswith("nanarg") or "cum" in name:
        axes = None if g.chance(0.4) else (g.axis(len(shape)),)
    if not shape and axes:
        return
    axis = numpy_axes(axes)
    call = lambda: getattr(np, name)(array, axis=axis, keepdims=keepdims)
    scale = largest(np.nan_to_num(array)) + 1 if array.dtype.kind in "fc" else largest(array) + 1
    if name in ("nanvar", "nanstd", "nanmean") and scale > 1e4:
        return
    precise = lambda r: 64 * eps(r) * max(1, array.size)
    if "cum" in name:
        if axes is None and len(shape) != 1:
            return
        g.case(name, [x, axis], lambda: getattr(np, name)(array, axis=axis),
               (lambda r: 64 * eps(r) * max(1, array.size) * (np.nanmax(np.abs(r), initial=0) + scale))
               if dtype in FLOATS + COMPLEX else None)
    elif name in ("nanvar", "nanstd"):
        correction = g.pick([0, 0, 1, 2])
        if dtype in COMPLEX and np.any(np.isnan(array)) and BEFORE_2:
            return
        g.case(name, [x, axes, keepdims, float(correction)],
               lambda: getattr(np, name)(array, axis=axis, keepdims=keepdims, ddof=correction),
               lambda r: (np.sqrt(precise(r)) if name == "nanstd" else precise(r)) * scale**2)
    elif name in ("nansum", "nanmean"):
        g.case(name, [x, axes, keepdims], call,
               (lambda r: precise(r) * scale) if name == "nanmean" or dtype in FLOATS + COMPLEX else None)
    elif product:
        g.case(name, [x, axes, keepdims], call,
               (lambda r: 8 * max(1, array.size) * eps(r) * np.abs(r) + float(np.finfo(r.dtype).tiny))
               if dtype in FLOATS + COMPLEX else None)
    else:
        g.case(name, [x, axes, keepdims], call)


# ---- numerical methods ----

def folding(g):
    name = g.pick(["convolve", "correlate"])
    dtype, other = g.dtype("bifc"), g.dtype("bifc")
    if g.chance(0.6):
        other = dtype
    whole = {"special": False, "whole": True, "low": -5, "high": 5}
    length = lambda: (g.integer(0 if g.chance(0.03) else 1, 12 if g.chance(0.8) else 60),) if g.chance(0.97) else (2, 2)
    a, v = g.array(dtype, length(), **whole), g.array(other, length(), **whole)
    mode = g.pick(["full", "same", "valid"])
    g.case(name, [a, v, mode], lambda: getattr(np, name)(a.array, v.array, mode))


def interp(g):
    n = g.integer(0 if g.chance(0.03) else 1, 9)
    xp = np.sort(g.numbers((n,), g.pick(["f8", "f4", "i4"]), -9, 9, special=False))
    if len(np.unique(xp)) < n:
        return
    fp = g.array(g.dtype("bifc"), (n,) if g.chance(0.97) else (n + 1,), special=False, low=-9, high=9)
    x = g.array(g.dtype("bif"), low=-12, high=12, special=g.chance(0.3))
    if g.chance(0.3) and n:
        x = View(g.random.choice(xp, g.shape(1)))
    if n == 1 and np.any(np.isnan(x.array.astype("f8"))):
        return
    ends = [None if g.chance(0.7) else g.weak("if", special=False) for _ in range(2)]
    scale = largest(fp.array) + 10
    if largest(fp.array) > 1e5:
        return
    g.case("interp", [x, View(xp), fp] + ends,
           lambda: np.interp(x.array, xp, fp.array, *(e and e.value for e in ends)), lambda r: 16 * eps(r) * scale)


def calculus(g):
    name = g.pick(["trapezoid", "gradient"])
    dtype = g.dtype("ifc")
    shape = g.shape(g.pick([1, 1, 2, 3]), low=1, high=6)
    y = g.array(dtype, shape, special=False, low=-9, high=9)
    axis = g.axis(len(shape))
    length = shape[axis] if -len(shape) <= axis < len(shape) else 1
    places, dx = None, 1.0
    if g.chance(0.5):
        places = View(np.cumsum(g.random.integers(1, 4, length) * 0.5).astype(g.pick(["f8", "f8", "f4"])))
    elif g.chance(0.5):
        dx = 0.25
    if largest(y.array) > 1e4 or dtype == "f2" or y.array.dtype.kind == "u":  # NumPy's wraps
        return
    scale = 10 + largest(y.array)
    if name == "trapezoid":
        numpy = getattr(np, "trapezoid", None) or np.trapz
        g.case(name, [y, places, dx, axis],
               lambda: numpy(y.array, places and places.array, dx, axis), lambda r: 64 * eps(r) * scale * length)
    else:
        edge_order = g.pick([1, 1, 2])
        optional = None if len(shape) == 1 and g.chance(0.5) else axis
        if optional is None:
            length = shape[0]
        if y.array.dtype.itemsize < 4:
            return
        def call():
            return np.gradient(y.array, places.array if places else dx, axis=optional, edge_order=edge_order)
        g.case(name, [y, places, dx, optional, edge_order], call,
               lambda r: 256 * (eps(r) if places is None or places.array.dtype == "f8" else 1e-7) * scale)


def polyval(g):
    dtype = g.dtype("bifc")
    p = g.array(dtype, g.shape(1, high=5)[:1] if g.chance(0.97) else (2, 2), special=False, whole=True, low=-3, high=3)
    if p.array.size > 8 or dtype == "f2":
        return
    x = g.array(dtype if g.chance(0.6) else g.dtype("bifc"), special=False, whole=True, low=-3, high=3)
    if p.array.size == 0 or x.array.dtype == "f2":
        return

    def call():
        if p.array.ndim != 1:
            raise ValueError("coefficients are not 1-d")
        return np.polyval(p.array, x.array)

    g.case("polyval", [p, x], call, lambda r: 0)


def softmax(g):
    name = g.pick(["softmax", "log_softmax", "logsumexp"])
    dtype = g.dtype("bif")
    x = g.array(dtype, low=-20, high=20, special=False)
    array = x.array
    if dtype == "f2" or largest(array) > 1e4:
        return
    axes = g.axes(array.ndim)
    if axes is None and name != "logsumexp":
        axes = (-1,)
    if not array.ndim and axes:
        return
    keepdims = g.chance(0.4)

    def call():
        wide = array.astype("f8")
        axis = axes if axes is not None else None
        top = np.max(wide, axis, keepdims=True, initial=-np.inf)
        top = np.where(np.isfinite(top), top, 0)
        powers = np.exp(wide - top)
        total = np.sum(powers, axis, keepdims=True)
        result = {"softmax": lambda: powers / total, "log_softmax": lambda: wide - top - np.log(total),
                  "logsumexp": lambda: np.log(total) + top}[name]()
        if name == "logsumexp" and not keepdims:
            result = np.squeeze(result, axis if axis is not None else tuple(range(array.ndim)))
        return result.astype(array.dtype if array.dtype.kind == "f" else "f8")

    g.case(name, [x, axes] + ([keepdims] if name == "logsumexp" else []), call,
           lambda r: 64 * eps(r) * (1 + np.where(np.isfinite(r), np.abs(r), 0)) + (
               32 * eps(r) * largest(array) if name != "softmax" else 0))


def closeness(g):
    name = g.pick(["allclose", "isclose_to", "array_equal"])
    dtype = g.dtype("bifc")
    shape = g.shape()
    a = g.array(dtype, shape, low=-2, high=2, whole=True)
    if name == "array_equal":
        b = g.array(dtype, shape if g.chance(0.9) else g.broadcastable(shape), low=-2, high=2, whole=True)
        if g.chance(0.5):
            b = View(a.array.copy())
        equal_nan = g.chance(0.5)
        g.case(name, [a, b, equal_nan], lambda: np.asarray(np.array_equal(a.array, b.array, equal_nan=equal_nan)))
        return
    b = g.array(dtype, g.broadcastable(shape), low=-2, high=2, whole=True)
    rtol, atol, equal_nan = g.pick([0.0, 1e-5, 0.6]), g.pick([0.0, 1e-8, 0.6]), g.chance(0.5)
    if BEFORE_2:
        return
    numpy = np.allclose if name == "allclose" else np.isclose
    g.case(name, [a, b, rtol, atol, equal_nan],
           lambda: np.asarray(numpy(a.array, b.array, rtol=rtol, atol=atol, equal_nan=equal_nan)))


SECTIONS = [(quantiles, 5), (rows, 4), (average, 2), (covariance, 2), (histogram, 3), (counting, 3), (without_nan, 6),
            (folding, 3), (interp, 2), (calculus, 3), (polyval, 1), (softmax, 3), (closeness, 3)]
