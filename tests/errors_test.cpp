// What functions say when they refuse: whose message it is, and the shapes, dtypes and values that it names.
#include <tandem/dlpack.hpp>

#include "files.hpp"
#include "rows.hpp"

namespace td = tandem;
using namespace tandem::test;
using tandem::Array;
using tandem::Shape;

namespace {

/// A call that is wrong.
struct Refusal {
  const char* function;                 // what the message starts with
  std::vector<std::string_view> parts;  // what it holds
  std::function<void()> call;
};

Array f(const Shape& shape) { return td::ones(shape); }
Array i(const Shape& shape) { return td::ones(shape, {.dtype = td::int64}); }
Array z(const Shape& shape) { return td::ones(shape, {.dtype = td::complex128}); }
Array h(const Shape& shape) { return td::ones(shape, {.dtype = td::float16}); }

constexpr std::int64_t half = std::int64_t{1} << 32;  // as many times as many bytes cannot be counted
/// An element that is shown so often that no memory holds a copy.
Array huge() { return td::broadcast_to(f({1}), {half, half / 4}); }

template <class E = td::Error>
void expect_all(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals)
    EXPECT_TRUE(throws<E>(refusal.call, std::string(refusal.function) + ": ", refusal.parts)) << refusal.function;
}

#define TELLS(name, call, ...) Refusal{name, {__VA_ARGS__}, [] { (void)(call); }}

TEST(Errors, OfAxesOutside) {
#define AXIS(name, call) \
  Refusal{name, {"axis 5 is out of bounds for array of dimension 2"}, [] { const Array x = f({3, 3}); (void)(call); }}
  expect_all<td::IndexError>({
      AXIS("sum", td::sum(x, {.axis = 5})), AXIS("prod", td::prod(x, {.axis = 5})),
      AXIS("max", td::max(x, {.axis = 5})), AXIS("min", td::min(x, {.axis = 5})), AXIS("any", td::any(x, {.axis = 5})),
      AXIS("all", td::all(x, {.axis = 5})),
      AXIS("argmax", td::argmax(x, {.axis = 5})), AXIS("argmin", td::argmin(x, {.axis = 5})),
      AXIS("count_nonzero", td::count_nonzero(x, {.axis = 5})), AXIS("mean", td::mean(x, {.axis = 5})),
      AXIS("var", td::var(x, {.axis = 5})), AXIS("std", td::std(x, {.axis = 5})),
      AXIS("nansum", td::nansum(x, {.axis = 5})), AXIS("nanprod", td::nanprod(x, {.axis = 5})),
      AXIS("nanmax", td::nanmax(x, {.axis = 5})), AXIS("nanmin", td::nanmin(x, {.axis = 5})),
      AXIS("nanargmax", td::nanargmax(x, {.axis = 5})), AXIS("nanargmin", td::nanargmin(x, {.axis = 5})),
      AXIS("nanmean", td::nanmean(x, {.axis = 5})), AXIS("nanvar", td::nanvar(x, {.axis = 5})),
      AXIS("nanstd", td::nanstd(x, {.axis = 5})), AXIS("nanmedian", td::nanmedian(x, {.axis = 5})),
      AXIS("nanquantile", td::nanquantile(x, 0.5, {.axis = 5})),
      AXIS("nanpercentile", td::nanpercentile(x, 50, {.axis = 5})),
      AXIS("nancumsum", td::nancumsum(x, {.axis = 5})), AXIS("nancumprod", td::nancumprod(x, {.axis = 5})),
      AXIS("median", td::median(x, {.axis = 5})), AXIS("ptp", td::ptp(x, {.axis = 5})),
      AXIS("quantile", td::quantile(x, 0.5, {.axis = 5})), AXIS("percentile", td::percentile(x, 50, {.axis = 5})),
      AXIS("average", td::average(x, {.axis = 5})), AXIS("average", td::average(x, {.axis = 5, .weights = x})),
      AXIS("cumulative_sum", td::cumulative_sum(x, {.axis = 5})),
      AXIS("cumulative_prod", td::cumulative_prod(x, {.axis = 5})),
      AXIS("cumulative_max", td::cumulative_max(x, {.axis = 5})),
      AXIS("cumulative_min", td::cumulative_min(x, {.axis = 5})), AXIS("diff", td::diff(x, {.axis = 5})),
      AXIS("sort", td::sort(x, {.axis = 5})), AXIS("argsort", td::argsort(x, {.axis = 5})),
      AXIS("partition", td::partition(x, 0, {.axis = 5})), AXIS("argpartition", td::argpartition(x, 0, {.axis = 5})),
      AXIS("topk", td::topk(x, 1, {.axis = 5})), AXIS("take", td::take(x, i({1}), {.axis = 5})),
      AXIS("take_along_axis", td::take_along_axis(x, i({3, 3}), 5)),
      AXIS("compress", td::compress(i({3}), x, {.axis = 5})), AXIS("squeeze", td::squeeze(x, 5)),
      AXIS("flip", td::flip(x, {.axis = 5})), AXIS("moveaxis", td::moveaxis(x, 5, 0)),
      AXIS("moveaxis", td::moveaxis(x, {0, 1}, {5, 0})), AXIS("swapaxes", td::swapaxes(x, 0, 5)),
      AXIS("rot90", td::rot90(x, 1, {.axes = {0, 5}})), AXIS("diagonal", td::diagonal(x, {.axis2 = 5})),
      AXIS("append", td::append(x, x, {.axis = 5})), AXIS("insert", td::insert(x, 0, x, {.axis = 5})),
      AXIS("delete_", td::delete_(x, 0, {.axis = 5})), AXIS("delete_", td::delete_(x, i({1}), {.axis = 5})),
      AXIS("split", td::split(x, 3, {.axis = 5})), AXIS("split", td::split(x, {1}, {.axis = 5})),
      AXIS("array_split", td::array_split(x, 3, {.axis = 5})),
      AXIS("array_split", td::array_split(x, std::vector<std::int64_t>{1}, {.axis = 5})),
      AXIS("unstack", td::unstack(x, 5)), AXIS("repeat", td::repeat(x, 2, {.axis = 5})),
      AXIS("repeat", td::repeat(x, i({3}), {.axis = 5})), AXIS("roll", td::roll(x, 1, 5)),
      AXIS("concat", td::concat({x, x}, 5)), AXIS("trapezoid", td::trapezoid(x, {.axis = 5})),
      AXIS("gradient", td::gradient(x, {.axis = 5})), AXIS("softmax", td::softmax(x, {.axis = 5})),
      AXIS("log_softmax", td::log_softmax(x, {.axis = 5})), AXIS("logsumexp", td::logsumexp(x, {.axis = 5})),
      AXIS("vecdot", td::vecdot(x, x, 5)), AXIS("tensordot", td::tensordot(x, x, {5}, {0})),
      AXIS("cross", td::linalg::cross(x, x, 5)), AXIS("norm", td::linalg::norm(x, {.axis = 5})),
      AXIS("norm", td::linalg::norm(x, {.axis = {0, 5}})),
      AXIS("vector_norm", td::linalg::vector_norm(x, {.axis = 5})), AXIS("fft", td::fft::fft(x, {.axis = 5})),
      AXIS("ifft", td::fft::ifft(x, {.axis = 5})), AXIS("irfft", td::fft::irfft(x, {.axis = 5})),
      AXIS("rfft", td::fft::rfft(x, {.axis = 5})), AXIS("hfft", td::fft::hfft(x, {.axis = 5})),
      AXIS("ihfft", td::fft::ihfft(x, {.axis = 5})), AXIS("rfftn", td::fft::rfftn(x, {.axes = {0, 5}})),
      AXIS("irfftn", td::fft::irfftn(x, {.axes = {0, 5}})),
      AXIS("fft2", td::fft::fft2(x, {.axes = {0, 5}})), AXIS("ifft2", td::fft::ifft2(x, {.axes = {0, 5}})),
      AXIS("rfft2", td::fft::rfft2(x, {.axes = {0, 5}})), AXIS("irfft2", td::fft::irfft2(x, {.axes = {0, 5}})),
      AXIS("fftn", td::fft::fftn(x, {.axes = {0, 5}})), AXIS("ifftn", td::fft::ifftn(x, {.axes = {0, 5}})),
      AXIS("fftshift", td::fft::fftshift(x, {.axes = 5})),
      AXIS("ifftshift", td::fft::ifftshift(x, {.axes = 5})),
  });
#undef AXIS
  expect_all<td::IndexError>({
      TELLS("stack", td::stack({f({3, 3}), f({3, 3})}, 5), "axis 5", "dimension 3"),
      TELLS("expand_dims", td::expand_dims(f({3, 3}), 5), "axis 5", "dimension 3"),
      TELLS("flipud", td::flipud(f({})), "axis 0", "dimension 0"),
      TELLS("fliplr", td::fliplr(f({3})), "axis 1", "dimension 1"),
      TELLS("softmax", td::softmax(f({0, 2}), {.axis = 2}), "axis 2", "dimension 2"),
      TELLS("log_softmax", td::log_softmax(f({0, 2}), {.axis = 2}), "axis 2", "dimension 2"),
      TELLS("logsumexp", td::logsumexp(f({0, 2}), {.axis = 2}), "axis 2", "dimension 2"),
      TELLS("shape", f({3}).shape(1), "axis 1", "dimension 1"),
  });
}

TEST(Errors, OfEmptyRows) {
#define EMPTY(name, call) Refusal{name, {"(2, 0)"}, [] { const Array x = f({2, 0}); (void)(call); }}
  expect_all({EMPTY("max", td::max(x, {.axis = 1})), EMPTY("min", td::min(x)), EMPTY("argmax", td::argmax(x)),
              EMPTY("argmin", td::argmin(x, {.axis = 1})), EMPTY("nanmax", td::nanmax(x)),
              EMPTY("nanmin", td::nanmin(x, {.axis = 1})), EMPTY("nanargmax", td::nanargmax(x)),
              EMPTY("nanargmin", td::nanargmin(x, {.axis = 1})), EMPTY("ptp", td::ptp(x, {.axis = 1})),
              EMPTY("quantile", td::quantile(x, 0.5, {.axis = 1})), EMPTY("percentile", td::percentile(x, 50.0)),
              EMPTY("gradient", td::gradient(x, {.axis = 1})), EMPTY("fft", td::fft::fft(x)),
              EMPTY("rfft2", td::fft::rfft2(x)), EMPTY("norm", td::linalg::norm(x, {.axis = 1, .ord = -td::inf})),
              EMPTY("vector_norm", td::linalg::vector_norm(x, {.ord = -td::inf})),
              EMPTY("matrix_norm", td::linalg::matrix_norm(x, {.ord = -2})),
              EMPTY("convolve", td::convolve(x, x)), EMPTY("pad", td::pad(x, 1, {.mode = td::PadMode::edge})),
              EMPTY("cond", td::linalg::cond(x))});
#undef EMPTY
  expect_all({TELLS("correlate", td::correlate(f({0}), f({2})), "(0,)"),
              TELLS("interp", td::interp(f({2}), f({0}), f({0})), "(0,)"), TELLS("concat", td::concat({}), "no arrays"),
              TELLS("stack", td::stack({}), "no arrays"), TELLS("hstack", td::hstack({}), "no arrays"),
              TELLS("vstack", td::vstack({}), "no arrays"), TELLS("dstack", td::dstack({}), "no arrays"),
              TELLS("column_stack", td::column_stack({}), "no arrays"), TELLS("block", td::block({}), "no arrays"),
              TELLS("lexsort", td::lexsort({}), "no keys"), TELLS("nonzero", td::nonzero(f({})), "0-d")});
}

TEST(Errors, OfElementwiseFunctions) {
  for (const Row& row : rows) {
    const std::string start = std::string(row.name) + ": ";
    if (row.arity > 1) {
      std::vector<Array> x(4, td::ones({3, 4}, {.dtype = row.types & TD_F ? td::float64 : td::int64}));
      x[1] = x[1](td::all, td::slice(1, td::none));
      EXPECT_TRUE(throws([&] { row.call(x.data()); }, start, {"(3, 4)", "(3, 3)", "do not broadcast"}));
    }
    if (row.types & TD_C || row.op == TD_OP_make_complex) continue;
    const td::DType beyond = row.types & TD_F ? td::complex128 : td::float64;
    const std::vector<Array> x(4, td::ones({3, 4}, {.dtype = beyond}));
    EXPECT_TRUE(throws([&] { row.call(x.data()); }, start, {td::name(beyond), "is not supported"}));
  }
  expect_all({TELLS("make_complex", td::make_complex(z({2}), 0), "complex128")});
}

TEST(Errors, OfShapesThatDoNotFit) {
  expect_all({
      TELLS("add", f({3, 4}) + f({3, 5}), "(3, 4)", "(3, 5)"),
      TELLS("where", td::where(i({3}), f({4}), 0), "(3,)", "(4,)"),
      TELLS("isclose", td::isclose(f({3}), f({4})), "(3,)", "(4,)"),
      TELLS("allclose", td::allclose(f({3}), f({4})), "(3,)", "(4,)"),
      TELLS("matmul", td::matmul(f({3, 4}), f({5, 6})), "(3, 4)", "(5, 6)"),
      TELLS("dot", td::dot(f({3, 4}), f({5, 6})), "(3, 4)", "(5, 6)"),
      TELLS("inner", td::inner(f({3, 4}), f({5, 6})), "(3, 4)", "(5, 6)"),
      TELLS("vdot", td::vdot(f({3, 4}), f({5, 6})), "(3, 4)", "(5, 6)"),
      TELLS("vecdot", td::vecdot(f({3, 4}), f({3, 5})), "(3, 4)", "(3, 5)"),
      TELLS("tensordot", td::tensordot(f({3, 4}), f({5, 6})), "(3, 4)", "(5, 6)"),
      TELLS("einsum", td::einsum("ij,jk", f({3, 4}), f({5, 6})), "ij,jk", "(5, 6)"),
      TELLS("cross", td::linalg::cross(f({3, 4}), f({3, 4})), "(3, 4)"),
      TELLS("cross", td::linalg::cross(f({2, 3}), f({4, 3})), "(2, 3)", "(4, 3)"),
      TELLS("multi_dot", td::linalg::multi_dot({f({3, 4}), f({5, 6})}), "(3, 4)", "(5, 6)"),
      TELLS("multi_dot", td::linalg::multi_dot({f({3, 4}), f({4, 2}), f({5, 6})}), "(4, 2)", "(5, 6)"),
      TELLS("matrix_power", td::linalg::matrix_power(f({3, 4}), 2), "(3, 4)"),
      TELLS("matrix_transpose", td::matrix_transpose(f({3})), "(3,)"),
      TELLS("trace", td::linalg::trace(f({3})), "(3,)"), TELLS("diagonal", td::linalg::diagonal(f({3})), "(3,)"),
      TELLS("solve", td::linalg::solve(f({3, 3}), f({4})), "(3, 3)", "(4,)"),
      TELLS("solve", td::linalg::solve(f({3, 4}), f({3})), "(3, 4)"),
      TELLS("solve_triangular", td::linalg::solve_triangular(f({3, 3}), f({4, 1})), "(3, 3)", "(4, 1)"),
      TELLS("inv", td::linalg::inv(f({3, 4})), "(3, 4)"), TELLS("det", td::linalg::det(f({3, 4})), "(3, 4)"),
      TELLS("slogdet", td::linalg::slogdet(f({3})), "(3,)"), TELLS("pinv", td::linalg::pinv(f({3})), "(3,)"),
      TELLS("pinv", td::linalg::pinv(f({3}), f({})), "(3,)"),
      TELLS("pinv", td::linalg::pinv(f({2, 3, 3}), f({4})), "(2, 3, 3)", "(4,)"),
      TELLS("matrix_rank", td::linalg::matrix_rank(f({2, 3, 3}), f({4})), "(2, 3, 3)", "(4,)"),
      TELLS("lstsq", td::linalg::lstsq(f({3, 2}), f({4})), "(3, 2)", "(4,)"),
      TELLS("lstsq", td::linalg::lstsq(f({3}), f({4})), "(3,)"),
      TELLS("tensorsolve", td::linalg::tensorsolve(f({3, 4}), f({4})), "(3, 4)", "(4,)"),
      TELLS("tensorsolve", td::linalg::tensorsolve(f({3, 4}), f({3})), "(3,)", "(4,)"),
      TELLS("tensorinv", td::linalg::tensorinv(f({3, 4}), 1), "(3,)", "(4,)"),
      TELLS("matvec", td::matvec(f({3, 4}), f({3})), "(3, 4)", "(3,)"),
      TELLS("vecmat", td::vecmat(f({4}), f({3, 4})), "(4,)", "(3, 4)"),
      TELLS("cholesky", td::linalg::cholesky(f({3, 4})), "(3, 4)"), TELLS("qr", td::linalg::qr(f({3})), "(3,)"),
      TELLS("svd", td::linalg::svd(f({3})), "(3,)"), TELLS("svdvals", td::linalg::svdvals(f({})), "()"),
      TELLS("eigh", td::linalg::eigh(f({3, 4})), "(3, 4)"),
      TELLS("eigvalsh", td::linalg::eigvalsh(f({3, 4})), "(3, 4)"),
      TELLS("eig", td::linalg::eig(f({3, 4})), "(3, 4)"), TELLS("eigvals", td::linalg::eigvals(f({3})), "(3,)"),
      TELLS("cond", td::linalg::cond(f({3, 4}), 1), "(3, 4)"), TELLS("cond", td::linalg::cond(f({3})), "(3,)"),
      TELLS("matrix_norm", td::linalg::matrix_norm(f({3})), "(3,)"),
      TELLS("norm", td::linalg::norm(f({2, 2, 2}), {.ord = 2}), "(2, 2, 2)"),
      TELLS("reshape", f({3, 4}).reshape({5}), "(3, 4)", "(5,)"),
      TELLS("reshape", td::reshape(f({3, 4}), {-1, 5}), "(3, 4)", "(-1, 5)"),
      TELLS("broadcast_to", td::broadcast_to(f({3}), {4}), "(3,)", "(4,)"),
      TELLS("broadcast_arrays", td::broadcast_arrays({f({3}), f({4})}), "(3,)", "(4,)"),
      TELLS("broadcast_shapes", td::broadcast_shapes({Shape{3}, Shape{4}}), "(3,)", "(4,)"),
      TELLS("squeeze", td::squeeze(f({3}), 0), "(3,)"),
      TELLS("permute_dims", td::permute_dims(f({3, 4}), {0}), "(3, 4)", "(0,)"),
      TELLS("transpose", td::transpose(f({3, 4}), {0, 0}), "(3, 4)", "(0, 0)"),
      TELLS("concat", td::concat({f({3, 4}), f({4, 4})}, 1), "(3, 4)", "(4, 4)"),
      TELLS("concat", td::concat({f({3, 4}), f({3})}), "(3, 4)", "(3,)"),
      TELLS("stack", td::stack({f({3}), f({4})}), "(3,)", "(4,)"),
      TELLS("hstack", td::hstack({f({3, 4}), f({4, 4})}), "(3, 4)", "(4, 4)"),
      TELLS("vstack", td::vstack({f({3}), f({4})}), "(1, 3)", "(1, 4)"),
      TELLS("column_stack", td::column_stack({f({3}), f({4})}), "(3, 1)", "(4, 1)"),
      TELLS("block", td::block({{f({3, 3}), f({4, 4})}}), "(3, 3)", "(4, 4)"),
      TELLS("append", td::append(f({3, 4}), f({4, 4}), {.axis = 1}), "(3, 4)", "(4, 4)"),
      TELLS("insert", td::insert(f({3, 4}), 0, f({5}), {.axis = 0}), "(5,)", "(4,)"),
      TELLS("delete_", td::delete_(f({3}), td::full({4}, true)), "3", "4"),
      TELLS("split", td::split(f({3, 4}), 3, {.axis = 1}), "(3, 4)", "3"),
      TELLS("repeat", td::repeat(f({3, 4}), i({2}), {.axis = 1}), "(3, 4)", "(2,)"),
      TELLS("pad", td::pad(f({3, 4}), {{0, 1}, {0, 1}, {0, 1}}), "(3, 4)", "3"),
      TELLS("roll", td::roll(f({3, 4}), {1, 2}, {0}), "(1, 2)", "(0,)"),
      TELLS("diagonal", td::diagonal(f({3})), "(3,)"), TELLS("diag", td::diag(f({1, 2, 3})), "(1, 2, 3)"),
      TELLS("tril", td::tril(f({})), "0-d"), TELLS("triu", td::triu(f({})), "0-d"),
      TELLS("ix_", td::ix_({f({2, 2})}), "(2, 2)"),
      TELLS("take_along_axis", td::take_along_axis(f({3, 4}), i({3})), "(3, 4)", "(3,)"),
      TELLS("compress", td::compress(i({2, 2}), f({3})), "(2, 2)"),
      TELLS("compress", td::compress(i({5}), f({3})), "3"), TELLS("extract", td::extract(i({5}), f({3})), "3"),
      TELLS("searchsorted", td::searchsorted(f({2, 2}), f({3})), "(2, 2)"),
      TELLS("searchsorted", td::searchsorted(f({3}), f({3}), {.sorter = i({2})}), "(3,)", "(2,)"),
      TELLS("lexsort", td::lexsort({f({3}), f({4})}), "(3,)", "(4,)"),
      TELLS("average", td::average(f({3, 4}), {.axis = 0, .weights = f({4})}), "(3, 4)", "(4,)"),
      TELLS("cov", td::cov(f({2, 2, 2})), "(2, 2, 2)"), TELLS("corrcoef", td::corrcoef(f({2, 2, 2})), "(2, 2, 2)"),
      TELLS("histogram", td::histogram(f({3}), f({2, 2})), "(2, 2)"),
      TELLS("histogram", td::histogram(f({3}), 3, {.weights = f({4})}), "(3,)", "(4,)"),
      TELLS("bincount", td::bincount(i({2, 2})), "(2, 2)"),
      TELLS("bincount", td::bincount(i({2}), {.weights = f({3})}), "(2,)", "(3,)"),
      TELLS("digitize", td::digitize(f({2}), f({2, 2})), "(2, 2)"),
      TELLS("convolve", td::convolve(f({2, 2}), f({2})), "(2, 2)"),
      TELLS("interp", td::interp(f({2}), f({3}), f({4})), "(3,)", "(4,)"),
      TELLS("trapezoid", td::trapezoid(f({2, 3}), {.x = f({4})}), "(2, 3)", "(4,)"),
      TELLS("gradient", td::gradient(f({2, 3})), "(2, 3)"),
      TELLS("gradient", td::gradient(f({3}), {.x = f({4})}), "(3,)", "(4,)"),
      TELLS("polyval", td::polyval(f({2, 2}), f({2})), "(2, 2)"),
      TELLS("cumulative_sum", td::cumulative_sum(f({2, 3})), "(2, 3)"),
      TELLS("nancumsum", td::nancumsum(f({2, 3})), "(2, 3)"),
      TELLS("nancumprod", td::nancumprod(f({2, 3})), "(2, 3)"),
      TELLS("diff", td::diff(f({2, 3}), {.prepend = f({3, 1})}), "(2, 3)", "(3, 1)"),
      TELLS("fftn", td::fft::fftn(f({2, 3}), {.s = Shape{2}, .axes = {0, 1}}), "(2,)", "(0, 1)"),
      TELLS("irfftn", td::fft::irfftn(f({2, 3}), {.s = Shape{2, 0}}), "(2, 3)", "0"),
      TELLS("rfftn", td::fft::rfftn(f({2, 3}), {.axes = Shape{}}), "(2, 3)"),
  });
}

TEST(Errors, OfDTypes) {
  expect_all({
      TELLS("floor_divide", td::floor_divide(z({2}), 2), "complex128"), TELLS("bitwise_and", f({2}) & 1, "float64"),
      TELLS("arange", td::arange(0, 3, 1, {.dtype = td::complex64}), "complex64"),
      TELLS("one_hot", td::one_hot(f({2}), 3), "float64"), TELLS("take", td::take(f({2}), f({2})), "float64"),
      TELLS("take_along_axis", td::take_along_axis(f({2}), f({2})), "float64"),
      TELLS("delete_", td::delete_(f({2}), f({2})), "float64"), TELLS("ix_", td::ix_({f({2})}), "float64"),
      TELLS("repeat", td::repeat(f({2}), f({2})), "float64"),
      TELLS("quantile", td::quantile(z({2}), 0.5), "complex128"), TELLS("median", td::median(z({2})), "complex128"),
      TELLS("nanmedian", td::nanmedian(z({2})), "complex128"),
      TELLS("nanquantile", td::nanquantile(z({2}), 0.5), "complex128"),
      TELLS("histogram", td::histogram(z({2})), "complex128"), TELLS("bincount", td::bincount(f({2})), "float64"),
      TELLS("interp", td::interp(z({2}), f({2}), f({2})), "complex128"),
      TELLS("softmax", td::softmax(z({2})), "complex128"), TELLS("softmax", td::softmax(z({0})), "complex128"),
      TELLS("log_softmax", td::log_softmax(z({2})), "complex128"),
      TELLS("logsumexp", td::logsumexp(z({2})), "complex128"), TELLS("rfft", td::fft::rfft(z({2})), "complex128"),
      TELLS("ihfft", td::fft::ihfft(z({2})), "complex128"), TELLS("rfftn", td::fft::rfftn(z({2})), "complex128"),
      TELLS("fftfreq", td::fft::fftfreq(4, {.dtype = td::int32}), "int32"),
      TELLS("rfftfreq", td::fft::rfftfreq(4, {.dtype = td::complex64}), "complex64"),
      TELLS("solve", td::linalg::solve(h({2, 2}), f({2})), "float16"),
      TELLS("inv", td::linalg::inv(h({2, 2})), "float16"), TELLS("det", td::linalg::det(h({2, 2})), "float16"),
      TELLS("slogdet", td::linalg::slogdet(h({2, 2})), "float16"),
      TELLS("pinv", td::linalg::pinv(h({2, 2})), "float16"),
      TELLS("matrix_rank", td::linalg::matrix_rank(h({2, 2})), "float16"),
      TELLS("lstsq", td::linalg::lstsq(h({2, 2}), f({2})), "float16"),
      TELLS("cholesky", td::linalg::cholesky(h({2, 2})), "float16"), TELLS("qr", td::linalg::qr(h({2, 2})), "float16"),
      TELLS("svd", td::linalg::svd(h({2, 2})), "float16"), TELLS("svdvals", td::linalg::svdvals(h({2, 2})), "float16"),
      TELLS("eigh", td::linalg::eigh(h({2, 2})), "float16"),
      TELLS("eigvalsh", td::linalg::eigvalsh(h({2, 2})), "float16"),
      TELLS("eig", td::linalg::eig(h({2, 2})), "float16"), TELLS("eigvals", td::linalg::eigvals(h({2, 2})), "float16"),
      TELLS("cond", td::linalg::cond(h({2, 2})), "float16"),
      TELLS("norm", td::linalg::norm(h({2, 2}), {.ord = td::linalg::nuc}), "float16"),
      TELLS("matrix_power", td::linalg::matrix_power(h({2, 2}), -1), "float16"),
      TELLS("finfo", td::finfo(td::int8), "int8"), TELLS("iinfo", td::iinfo(td::float32), "float32"),
      TELLS("astype", z({2}).astype(td::float32), "complex128", "float32"),
      TELLS("put_along_axis", [] { Array x = f({2}); td::put_along_axis(x, f({2}), 0, 0); }(), "float64"),
      TELLS("put", [] { Array x = f({2}); td::put(x, f({2}), 0); }(), "float64"),
      TELLS("add_at", [] { Array x = i({2}); td::add_at(x, i({1}), f({1})); }(), "float64", "int64"),
      TELLS("assign", [] { Array x = f({2}); x(td::all) = z({2}); }(), "complex128", "float64"),
  });
}

TEST(Errors, OfValues) {
  expect_all({
      TELLS("zeros", td::zeros({-1}), "(-1,)"), TELLS("ones", td::ones({2, -1}), "(2, -1)"),
      TELLS("full", td::full({2}, 300, {.dtype = td::uint8}), "300", "uint8"),
      TELLS("full_like", td::full_like(i({2}).astype(td::int8), 300), "300", "int8"),
      TELLS("array", td::array({1, 300}, {.dtype = td::uint8}), "300", "uint8"),
      TELLS("linspace", td::linspace(0, 1, -1), "-1"), TELLS("logspace", td::logspace(0, 1, -1), "-1"),
      TELLS("geomspace", td::geomspace(1, 2, -1), "-1"), TELLS("geomspace", td::geomspace(0, 2, 3), "0"),
      TELLS("arange", td::arange(0, 1, 0), "0"), TELLS("eye", td::eye(-1), "-1"), TELLS("tri", td::tri(-1), "-1"),
      TELLS("identity", td::identity(-1), "-1"), TELLS("one_hot", td::one_hot(i({2}), -1), "-1"),
      TELLS("add", td::ones({2}, {.dtype = td::int8}) + 300, "300", "int8"),
      TELLS("clip", td::clip(td::ones({2}, {.dtype = td::uint8}), {.min = 300}), "300", "uint8"),
      TELLS("pow", td::pow(i({2}), -1), "-1"), TELLS("quantile", td::quantile(f({2}), 1.5), "1.5"),
      TELLS("nanquantile", td::nanquantile(f({2}), {0.5, 1.5}), "1.5"),
      TELLS("nanpercentile", td::nanpercentile(f({2}), -1), "-1"),
      TELLS("percentile", td::percentile(f({2}), -1), "-1"), TELLS("partition", td::partition(f({2}), 2), "2"),
      TELLS("argpartition", td::argpartition(f({2}), -3), "-3"), TELLS("topk", td::topk(f({2}), 3), "3"),
      TELLS("repeat", td::repeat(f({2}), -1), "-1"), TELLS("tile", td::tile(f({2}), {-1}), "-1"),
      TELLS("pad", td::pad(f({2}), -1), "-1"), TELLS("split", td::split(f({2}), 0), "0"),
      TELLS("array_split", td::array_split(f({2}), 0), "0"), TELLS("insert", td::insert(f({2}), 3, 0), "3", "size 2"),
      TELLS("delete_", td::delete_(f({2}), 2), "2", "size 2"),
      TELLS("delete_", td::delete_(f({2}), 2 * i({1})), "2", "size 2"),
      TELLS("take", td::take(f({2}), 2 * i({1})), "2", "size 2"),
      TELLS("put", [] { Array x = f({2}); td::put(x, 2 * i({1}), 0); }(), "2", "size 2"),
      TELLS("add_at", [] { Array x = f({2}); td::add_at(x, td::Index(2 * i({1})), 0.0); }(), "2", "size 2"),
      TELLS("index", f({2})(2), "2", "size 2"), TELLS("diff", td::diff(f({2}), {.n = -1}), "-1"),
      TELLS("histogram", td::histogram(f({2}), 0), "0"),
      TELLS("histogram", td::histogram(f({2}), 3, {.range = std::pair(2.0, 1.0)}), "2", "1"),
      TELLS("bincount", td::bincount(-i({2})), "-1"), TELLS("bincount", td::bincount(i({2}), {.minlength = -1}), "-1"),
      TELLS("digitize", td::digitize(f({2}), td::array({1.0, 3.0, 2.0})), "(3,)"),
      TELLS("average", td::average(f({2}), {.weights = td::zeros({2})}), "(2,)"),
      TELLS("gradient", td::gradient(f({5}), {.edge_order = 3}), "3"),
      TELLS("norm", td::linalg::norm(f({2, 2}), {.ord = 3}), "3"),
      TELLS("vector_norm", td::linalg::vector_norm(f({2}), {.ord = td::linalg::nuc}), "nuc"),
      TELLS("matrix_norm", td::linalg::matrix_norm(f({2, 2}), {.ord = 3}), "3"),
      TELLS("cond", td::linalg::cond(f({2, 2}), 3), "3"),
      TELLS("einsum", td::einsum("i1", f({2, 2})), "i1"), TELLS("einsum", td::einsum("ij->k", f({2, 2})), "ij->k"),
      TELLS("fft", td::fft::fft(f({2}), {.n = 0}), "0", "(2,)"), TELLS("fftfreq", td::fft::fftfreq(0), "0"),
      TELLS("item", f({2}).item<double>(), "(2,)"), TELLS("bool", [] { if (f({2})) return; }(), "(2,)"),
      TELLS("copy_to", [] { std::vector<double> to(3); f({2}).copy_to(std::span(to)); }(), "(2,)", "3"),
      TELLS("Array", Array(std::span<const double>(std::vector<double>(2)), Shape{3}), "2 values", "(3,)"),
      TELLS("adopt", Array::adopt(static_cast<void*>(nullptr), td::int8, {2}, {1}, nullptr), "null", "2 elements"),
      TELLS("to_dlpack_unversioned", [] { const Array x = f({2}); td::to_dlpack_unversioned(x); }(), "copy()"),
      TELLS("asarray", td::asarray(f({2}), {.dtype = td::int8, .copy = false}), "float64", "int8"),
      TELLS("astype", td::astype(z({2}), td::int8), "complex128", "int8"),
      TELLS("result_type", td::result_type({}), "no dtypes"), TELLS("isdtype", td::isdtype(td::int8, "whole"), "whole"),
      TELLS("dtype_from_name", td::dtype_from_name("float8"), "float8"),
      TELLS("meshgrid", td::meshgrid(std::vector<Array>(33, f({2}))), "33 axes"),
      TELLS("tril_indices", td::tril_indices(-1), "-1"), TELLS("triu_indices", td::triu_indices(-1), "-1"),
      TELLS("where", td::where(f({})), "0-d"), TELLS("bits", td::random::bits({-1}), "(-1,)"),
      TELLS("bits", td::random::bits({1}, {.dtype = td::int8}), "int8"),
      TELLS("uniform", td::random::uniform({1}, {.low = 2, .high = 1}), "2", "1"),
      TELLS("uniform", td::random::uniform({1}, {.dtype = td::int8}), "int8"),
      TELLS("normal", td::random::normal({1}, {.std = -1}), "-1"),
      TELLS("exponential", td::random::exponential({1}, {.scale = -1}), "-1"),
      TELLS("gamma", td::random::gamma({1}, -1), "-1"), TELLS("gamma", td::random::gamma(-f({2})), "-1", "(2,)"),
      TELLS("gamma", td::random::gamma(z({2})), "complex128"), TELLS("poisson", td::random::poisson({1}, -1), "-1"),
      TELLS("poisson", td::random::poisson(f({2}), {.dtype = td::float32}), "float32"),
      TELLS("binomial", td::random::binomial({1}, 3, 1.5), "1.5"),
      TELLS("binomial", td::random::binomial(i({2}), f({3})), "(2,)", "(3,)"),
      TELLS("binomial", td::random::binomial(f({2}), f({2})), "float64"),
      TELLS("multivariate_normal", td::random::multivariate_normal(f({2}), f({3, 3}), {}), "(2,)", "(3, 3)"),
      TELLS("permutation", td::random::permutation(-1), "-1"),
      TELLS("permutation", td::random::permutation(f({2}), {.axis = 5}), "axis 5"),
      TELLS("permuted", td::random::permuted(f({2}), {.axis = 5}), "axis 5"),
      TELLS("shuffle", [] { Array x = f({2}); td::random::shuffle(x, {.axis = 5}); }(), "axis 5"),
      TELLS("choice", td::random::choice(3, {4}, {.replace = false}), "4 out of 3"),
      TELLS("choice", td::random::choice(3, {1}, {.p = f({2}) / 2}), "(2,)"),
      TELLS("choice", td::random::choice(f({3}), {1}, {.p = f({3})}), "3"),
      TELLS("permuted", td::random::Generator().permuted(f({2}), {.axis = 5}), "axis 5"),
      TELLS("normal", td::random::Generator().normal({1}, {.seed = 3}), "3"),
      TELLS("integers", td::random::integers({1}, 3, 3), "[3, 3)"),
      TELLS("integers", td::random::integers({1}, 0, 300, {.dtype = td::int8}), "[0, 300)", "int8"),
  });
  expect_all<td::LinAlgError>({
      TELLS("solve", td::linalg::solve(td::zeros({2, 2}), f({2})), "singular"),
      TELLS("inv", td::linalg::inv(td::zeros({3, 2, 2})), "matrix 0"),
      TELLS("solve_triangular", td::linalg::solve_triangular(td::zeros({2, 2}), f({2})), "singular"),
      TELLS("matrix_power", td::linalg::matrix_power(td::zeros({2, 2}), -1), "singular"),
      TELLS("cholesky", td::linalg::cholesky(-f({2, 2})), "positive definite"),
      TELLS("multivariate_normal", td::random::multivariate_normal(f({2}), -f({2, 2}), {}), "positive definite"),
      TELLS("multivariate_normal",
            td::random::multivariate_normal(f({2}), -f({2, 2}), {}, {.root = td::random::Root::eigh}), "-2"),
      TELLS("tensorsolve", td::linalg::tensorsolve(td::zeros({2, 2}), f({2})), "singular"),
      TELLS("tensorinv", td::linalg::tensorinv(td::zeros({2, 2}), 1), "singular"),
      TELLS("svd", td::linalg::svd(td::nan * f({2, 2})), "NaN"),
      TELLS("pinv", td::linalg::pinv(td::nan * f({2, 2})), "NaN"),
      TELLS("matrix_rank", td::linalg::matrix_rank(td::nan * f({2, 2})), "NaN"),
      TELLS("lstsq", td::linalg::lstsq(td::nan * f({2, 2}), f({2})), "NaN"),
      TELLS("eigh", td::linalg::eigh(td::nan * f({2, 2})), "NaN"),
      TELLS("eigvalsh", td::linalg::eigvalsh(td::nan * f({2, 2})), "NaN"),
      TELLS("svdvals", td::linalg::svdvals(td::nan * f({2, 2})), "NaN"),
      TELLS("eigvals", td::linalg::eigvals(td::nan * f({2, 2})), "NaN"),
      TELLS("norm", td::linalg::norm(td::nan * f({2, 2}), {.ord = td::linalg::nuc}), "NaN"),
      TELLS("cond", td::linalg::cond(f({2, 0})), "(2, 0)"), TELLS("eig", td::linalg::eig(td::nan * f({2, 2})), "NaN"),
  });
}

TEST(Errors, OfArraysOnTwoDevices) {
  const std::string here = td::Device().name(), there = here == "reference" ? "cpu" : "reference";
  const auto far = [&](const Array& x) { return x.to(td::Device(there)); };
  std::vector<Refusal> refusals;
  using Call = std::function<void(const Array&, const Array&)>;
  const auto pair = [&](const char* name, const Call& call, const Shape& shape = {2, 2}) {
    refusals.push_back({name, {here, there}, [=] { call(f(shape), far(f(shape))); }});
  };
#define PAIR(name, call) pair(name, [](const Array& a, const Array& b) { (void)(call); })
#define PAIR_1D(name, call) pair(name, [](const Array& a, const Array& b) { (void)(call); }, {3})
  PAIR("add", a + b);
  PAIR("where", td::where(a > 0, a, b));
  PAIR("isclose", td::isclose(a, b));
  PAIR("allclose", td::allclose(a, b));
  PAIR("array_equal", td::array_equal(a, b));
  PAIR("matmul", td::matmul(a, b));
  PAIR("dot", td::dot(a, b));
  PAIR("outer", td::outer(a, b));
  PAIR("inner", td::inner(a, b));
  PAIR("vdot", td::vdot(a, b));
  PAIR("vecdot", td::vecdot(a, b));
  PAIR("kron", td::kron(a, b));
  PAIR("tensordot", td::tensordot(a, b));
  PAIR("einsum", td::einsum("ij,jk", a, b));
  PAIR_1D("cross", td::linalg::cross(a, b));
  PAIR("multi_dot", td::linalg::multi_dot({a, b}));
  PAIR("solve", td::linalg::solve(a, b));
  PAIR("solve_triangular", td::linalg::solve_triangular(a, b));
  PAIR_1D("matvec", td::matvec(a.reshape({1, 3}), b));
  PAIR_1D("vecmat", td::vecmat(a, b.reshape({3, 1})));
  PAIR_1D("tensorsolve", td::linalg::tensorsolve(td::outer(a, a), b));
  PAIR("binomial", td::random::binomial(a.astype(td::int64), b));
  PAIR_1D("multivariate_normal", td::random::multivariate_normal(a, b * td::eye(3, 3, {.device = b.device()}), {}));
  PAIR("lstsq", td::linalg::lstsq(a, b));
  PAIR("pinv", td::linalg::pinv(a, b(0, 0)));
  PAIR("matrix_rank", td::linalg::matrix_rank(a, b(0, 0)));
  PAIR("concat", td::concat({a, b}));
  PAIR("stack", td::stack({a, b}));
  PAIR("hstack", td::hstack({a, b}));
  PAIR("vstack", td::vstack({a, b}));
  PAIR("dstack", td::dstack({a, b}));
  PAIR("column_stack", td::column_stack({a, b}));
  PAIR("block", td::block({{a, b}}));
  PAIR("append", td::append(a, b));
  PAIR("insert", td::insert(a, 0, b, {.axis = 0}));
  PAIR("delete_", td::delete_(a, b.astype(td::int64).ravel()));
  PAIR("take", td::take(a, b.astype(td::int64)));
  PAIR("take_along_axis", td::take_along_axis(a, b.astype(td::int64)));
  PAIR("compress", td::compress(b.ravel(), a));
  PAIR("extract", td::extract(b, a));
  PAIR_1D("repeat", td::repeat(a, b.astype(td::int64)));
  PAIR("index", a(b.astype(td::int64)));
  PAIR("isin", td::isin(a, b));
  PAIR("intersect1d", td::intersect1d(a, b));
  PAIR("union1d", td::union1d(a, b));
  PAIR("setdiff1d", td::setdiff1d(a, b));
  PAIR("setxor1d", td::setxor1d(a, b));
  PAIR_1D("searchsorted", td::searchsorted(a, b));
  PAIR_1D("searchsorted", td::searchsorted(a, a, {.sorter = b.astype(td::int64)}));
  PAIR("lexsort", td::lexsort({a, b}));
  PAIR("average", td::average(a, {.weights = b}));
  PAIR_1D("histogram", td::histogram(a, b));
  PAIR("histogram", td::histogram(a, 3, {.weights = b}));
  PAIR_1D("bincount", td::bincount(a.astype(td::int64), {.weights = b}));
  PAIR_1D("digitize", td::digitize(a, b));
  PAIR_1D("convolve", td::convolve(a, b));
  PAIR_1D("correlate", td::correlate(a, b));
  PAIR_1D("interp", td::interp(a, b, b));
  PAIR_1D("interp", td::interp(a, a, b));
  PAIR("trapezoid", td::trapezoid(a, {.x = b}));
  PAIR_1D("gradient", td::gradient(a, {.x = b}));
  PAIR_1D("polyval", td::polyval(a, b));
  PAIR("diff", td::diff(a, {.append = b}));
  PAIR("assign", [&] { Array x = a; x(td::all) = b; }());
  PAIR("add", [&] { Array x = a; x += b; }());
  PAIR("put", [&] { Array x = a; td::put(x, td::array({0}), b); }());
  PAIR("put_along_axis", [&] { Array x = a; td::put_along_axis(x, td::zeros({2, 2}, {.dtype = td::int64}), b, 0); }());
  PAIR("add_at", [&] { Array x = a; td::add_at(x, td::Index(td::array({0})), b); }());
  expect_all(refusals);
}

TEST(Errors, OfFilesAndDevices) {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing", below = folder / "missing/x";
  const Array x = f({2});
  const auto refuses = [&](const char* function, const std::string& place, const std::function<void()>& call) {
    EXPECT_TRUE(throws(call, std::string(function) + ": " + place)) << function;
  };
  refuses("load", missing, [&] { td::load(missing); });
  refuses("loadz", missing, [&] { td::loadz(missing); });
  refuses("loadtxt", missing, [&] { td::loadtxt(missing); });
  refuses("save", below, [&] { td::save(below, x); });
  refuses("savez", below, [&] { td::savez(below, {{"x", x}}); });
  refuses("savez_compressed", below, [&] { td::savez_compressed(below, {{"x", x}}); });
  refuses("savetxt", below, [&] { td::savetxt(below, x); });
  refuses("savetxt", "the stream", [&] {
    std::ostringstream out;
    td::savetxt(out, f({2, 2, 2}));
  });
  td::savez(missing, {{"x", x}});
  refuses("NpzFile", missing + ": has no array 'y'", [&] { td::loadz(missing)["y"]; });
  refuses("set_print_options", "precision", [] { td::set_print_options({.precision = -1}); });
  refuses("Device", "\"no device\"", [] { td::Device("no device"); });
  refuses("from_dlpack", "the tensor is null", [] { td::from_dlpack(static_cast<DLManagedTensor*>(nullptr)); });
}

TEST(Errors, OfMemory) {
  expect_all<td::OutOfMemory>({
      TELLS("empty", td::empty({half, half / 4}), "float64"), TELLS("empty_like", td::empty_like(huge())),
      TELLS("copy", huge().copy()), TELLS("contiguous", huge().contiguous()),
      TELLS("normal", td::random::normal({half, half / 4})),
      TELLS("matmul", td::matmul(td::broadcast_to(f({1}), {half, 1}), td::broadcast_to(f({1}), {1, half / 4}))),
      TELLS("sort", td::sort(huge())), TELLS("diff", td::diff(huge(), {.prepend = f({})})),
      TELLS("unique", td::unique(huge())), TELLS("unique_values", td::unique_values(huge())),
      TELLS("unique_counts", td::unique_counts(huge())), TELLS("unique_inverse", td::unique_inverse(huge())),
      TELLS("unique_all", td::unique_all(huge())), TELLS("median", td::median(huge())),
      TELLS("partition", td::partition(huge(), 3)),
      TELLS("topk", td::topk(td::broadcast_to(f({1}), {half * (half / 8), 3}), 2)),
      TELLS("isin", td::isin(1, huge())),
  });
  expect_all({TELLS("zeros", td::zeros({half, half}), "(4294967296, 4294967296)"),
              TELLS("add", td::broadcast_to(f({1}), {half, 1}) + td::broadcast_to(f({1}), {1, half}), "(4294967296, 4"),
              TELLS("outer", td::outer(td::broadcast_to(f({1}), {half}), td::broadcast_to(f({1}), {half}))),
              TELLS("diagflat", td::diagflat(huge())), TELLS("tile", td::tile(f({2}), {half, half})),
              TELLS("repeat", td::repeat(f({2}), half * (half / 4)))});
}

// A function's name is said for as long as it runs, whether it returns or throws.
TEST(Errors, NameTheFunctionThatRuns) {
  const Array row = f({3});
  EXPECT_TRUE(throws([&] { td::linalg::trace(row); }, "trace: "));
  EXPECT_TRUE(throws([&] { td::linalg::diagonal(row); }, "diagonal: "));
  EXPECT_EQ(td::linalg::trace(f({3, 3})).item<double>(), 3);
  EXPECT_TRUE(throws([&] { td::linalg::diagonal(row); }, "diagonal: "));
}

/// What a refused call must leave alone: the array and another one that shares its memory.
void expect_untouched(const char* function, const std::function<void(Array&)>& call) {
  const Array before = td::arange(6).reshape({2, 3}).copy();
  for (const bool shared : {false, true}) {
    Array x = before.copy();
    const std::optional<Array> other = shared ? std::optional(x) : std::nullopt;
    EXPECT_TRUE(throws([&] { call(x); }, std::string(function) + ": "));
    EXPECT_TRUE(td::array_equal(x, before)) << function;
    x += 1;
    EXPECT_TRUE(td::array_equal(x, before + 1)) << function;
    EXPECT_TRUE(!shared || td::array_equal(*other, before)) << function;
  }
}

TEST(Errors, LeaveArraysAsTheyWere) {
  expect_untouched("assign", [](Array& x) { x(td::all, td::slice(0, 2)) = f({2, 3}); });
  expect_untouched("assign", [](Array& x) { x(td::array({0, 1})) = f({2, 2}); });
  expect_untouched("assign", [](Array& x) { x(x > 2) = f({5}); });
  expect_untouched("index", [](Array& x) { x(td::array({1, 2})) = 7; });
  expect_untouched("index", [](Array& x) { x(0, 3) = 7; });
  expect_untouched("assign", [](Array& x) { x(0) = z({3}); });
  expect_untouched("add", [](Array& x) { x += f({3}); });
  expect_untouched("add", [](Array& x) { x += i({4}); });
  expect_untouched("multiply", [](Array& x) { x(0) *= 1.5; });
  expect_untouched("pow", [](Array& x) { x = td::pow(x, -1); });
  expect_untouched("put", [](Array& x) { td::put(x, td::array({0, 6}), 7); });
  expect_untouched("put", [](Array& x) { td::put(x, td::array({0}), td::zeros({0}, {.dtype = td::int64})); });
  expect_untouched("put_along_axis", [](Array& x) { td::put_along_axis(x, td::array({{0}, {3}}), 7, 1); });
  expect_untouched("put_along_axis", [](Array& x) { td::put_along_axis(x, td::array({{0}, {1}}), i({2, 2}), 1); });
  expect_untouched("add_at", [](Array& x) { td::add_at(x, td::array({0, 2}), 7); });
  expect_untouched("add_at", [](Array& x) { td::add_at(x, td::array({0, 1}), f({2, 3})); });
  expect_untouched("copy_from", [](Array& x) { x.copy_from(std::span<const double>(std::vector<double>(5))); });
}

}  // namespace
