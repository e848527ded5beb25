#include "fft_rows.hpp"

#include <algorithm>
#include <atomic>

#include "verbs.hpp"

namespace tandem::cpu {
namespace {

constexpr int most_lanes = largest_vector_bytes / 4;
constexpr int64_t worth_a_thread = 1 << 14;  // numbers

/// Calls body(tile, work) for tiles of neighbouring rows: the numbers of their first rows in `rows`, from 0 on, and
/// how many they are.
template <class T, class Body>
bool for_tiles(const FftLength<T>& length, int64_t rows, Body body) {
  const int64_t lanes = fft_kernels<T>().lanes, tiles = (rows + lanes - 1) / lanes;
  const int64_t grain = std::max<int64_t>(1, worth_a_thread / (length.n * lanes));
  std::atomic<bool> failed = false;
  parallel_for(tiles, grain, [&](int64_t begin, int64_t end) {
    Scratch work(length.work() * 2 * largest_vector_bytes);
    if (!work) {
      failed = true;
      return;
    }
    for (int64_t tile = begin; tile < end; ++tile)
      body(tile * lanes, int(std::min(lanes, rows - tile * lanes)), work.template as<void>());
  });
  return !failed;
}

/// Columns, twiddle factors, rows: the result of row k is every so-manieth number from k on.
template <class T>
bool transform_split(const FftRowPlan<T>& plan, const T* x, T* out, FftOptions<T> options) {
  constexpr int64_t gap = 8;  // so that neighbouring rows do not compete for the same places of a cache
  const FftKernels<T>& kernels = fft_kernels<T>();
  const FftLength<T>&column = plan.column->length, &row = plan.row->length;
  const int64_t rows = column.n, columns = row.n, step = columns + gap;
  Scratch between(rows * step * 2 * int64_t{sizeof(T)});
  if (!between) return false;
  T* const matrix = between.as<T>();
  const auto tile_of = [](const FftLength<T>& length, int count) {
    return FftTile<T>{&length, FftForm::complex, count, false, false, T(1), {}, {}};
  };
  const bool done = for_tiles(column, columns, [&](int64_t first, int count, void* work) {
    int64_t at[most_lanes];
    for (int l = 0; l < count; ++l) at[l] = first + l;
    FftTile<T> tile = tile_of(column, count);
    tile.exchange_in = options.exchange_in;
    tile.x = {const_cast<T*>(x), at, columns};
    tile.out = {matrix, at, step};
    kernels.transform_columns(tile, plan.twiddles, first, work);
  });
  return done && for_tiles(row, rows, [&](int64_t first, int count, void* work) {
           int64_t from[most_lanes], to[most_lanes];
           for (int l = 0; l < count; ++l) {
             from[l] = (first + l) * step;
             to[l] = first + l;
           }
           FftTile<T> tile = tile_of(row, count);
           tile.exchange_out = options.exchange_out;
           tile.scale = options.scale;
           tile.x = {matrix, from, 1};
           tile.out = {out, to, rows};
           kernels.transform(tile, work);
         });
}

template <class T>
bool transform_convolved(const FftRowPlan<T>& plan, const T* x, T* out, FftOptions<T> options) {
  const int64_t n = plan.n, m = plan.convolution->n;
  const T *chirp = plan.tables.data(), *spectrum = chirp + 2 * n;
  Scratch memory(2 * m * int64_t{sizeof(T)});
  if (!memory) return false;
  T* const y = memory.as<T>();
  const auto multiply = [&](T* to, const T* a, const T* b, int64_t count, FftOptions<T> how) {
    parallel_for(count, worth_a_thread, [&](int64_t begin, int64_t end) {
      fft_kernels<T>().multiply(to + 2 * begin, a + 2 * begin, b + 2 * begin, end - begin, how.exchange_in,
                                how.exchange_out, how.scale);
    });
  };
  multiply(y, x, chirp, n, {.exchange_in = options.exchange_in});
  std::fill(y + 2 * n, y + 2 * m, T(0));
  if (!transform_row(*plan.convolution, y, y, {})) return false;
  multiply(y, y, spectrum, m, {.exchange_out = true});
  if (!transform_row(*plan.convolution, y, y, {})) return false;
  multiply(out, y, chirp, n, {true, options.exchange_out, options.scale});
  return true;
}

template <class T>
bool transform_in_lane(const FftLength<T>& length, const T* x, T* out, FftOptions<T> options) {
  Scratch work(length.work() * 2 * largest_vector_bytes);
  if (!work) return false;
  const int64_t row = 0;
  fft_kernels<T>().transform({&length, FftForm::complex, 1, options.exchange_in, options.exchange_out, options.scale,
                              {const_cast<T*>(x), &row, 1}, {out, &row, 1}},
                             work.as<void>());
  return true;
}

}  // namespace

template <class T>
bool transform_row(const FftRowPlan<T>& plan, const T* x, T* out, FftOptions<T> options) {
  switch (plan.kind) {
    case FftRowPlan<T>::Kind::split: return transform_split(plan, x, out, options);
    case FftRowPlan<T>::Kind::convolved: return transform_convolved(plan, x, out, options);
    default: return transform_in_lane(plan.column->length, x, out, options);
  }
}

template <class T>
bool transform_real_row(int64_t n, const T* x, T* out, T scale) {
  if (n % 2 == 0) {
    const int64_t h = n / 2;
    if (!transform_row(*fft_row_plan<T>(h), x, out, {.scale = scale})) return false;
    const auto real = fft_real_plan<T>(n);
    parallel_for(h / 2 + 1, worth_a_thread, [&](int64_t begin, int64_t end) {
      fft_kernels<T>().untangle(out, h, real->roots, begin, end);
    });
    return true;
  }
  Scratch memory(2 * n * int64_t{sizeof(T)});
  if (!memory) return false;
  T* const y = memory.as<T>();
  for (int64_t i = 0; i < n; ++i) {
    y[2 * i] = x[i];
    y[2 * i + 1] = 0;
  }
  if (!transform_row(*fft_row_plan<T>(n), y, y, {.scale = scale})) return false;
  std::copy(y, y + 2 * (n / 2 + 1), out);
  out[1] = 0;
  return true;
}

template <class T>
bool transform_hermitian_row(int64_t n, const T* x, T* out, T scale) {
  if (n % 2 == 0) {
    const int64_t h = n / 2;
    Scratch memory(2 * h * int64_t{sizeof(T)});
    if (!memory) return false;
    const auto real = fft_real_plan<T>(n);
    parallel_for(h / 2 + 1, worth_a_thread, [&](int64_t begin, int64_t end) {
      fft_kernels<T>().tangle(memory.as<T>(), x, h, real->roots, begin, end);
    });
    return transform_row(*fft_row_plan<T>(h), memory.as<T>(), out, {false, true, scale});
  }
  Scratch memory(2 * n * int64_t{sizeof(T)});
  if (!memory) return false;
  T* const y = memory.as<T>();
  y[0] = x[0];
  y[1] = 0;
  for (int64_t i = 1; i <= n / 2; ++i) {
    y[2 * i] = y[2 * (n - i)] = x[2 * i];
    y[2 * i + 1] = x[2 * i + 1];
    y[2 * (n - i) + 1] = -x[2 * i + 1];
  }
  if (!transform_row(*fft_row_plan<T>(n), y, y, {true, true, scale})) return false;
  for (int64_t i = 0; i < n; ++i) out[i] = y[2 * i];
  return true;
}

template bool transform_row(const FftRowPlan<float>&, const float*, float*, FftOptions<float>);
template bool transform_row(const FftRowPlan<double>&, const double*, double*, FftOptions<double>);
template bool transform_real_row(int64_t, const float*, float*, float);
template bool transform_real_row(int64_t, const double*, double*, double);
template bool transform_hermitian_row(int64_t, const float*, float*, float);
template bool transform_hermitian_row(int64_t, const double*, double*, double);

}  // namespace tandem::cpu
