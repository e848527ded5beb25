// The verb fft. Along each axis in turn, rows are transformed side by side, a vector's lanes of them at a time, which
// needs no memory but the caches; rows too few or too long for that one after the other (fft_rows.hpp).
#include <algorithm>
#include <atomic>
#include <optional>

#include "fft_rows.hpp"
#include "places.hpp"
#include "verbs.hpp"

namespace tandem::cpu {
namespace {

constexpr int most_lanes = largest_vector_bytes / 4;
constexpr int64_t worth_a_thread = 1 << 14;     // numbers
constexpr int64_t cache_bytes = 512 << 10;      // that rows side by side may take
constexpr int64_t column_bytes = 16 << 20;      // the same for columns, which would be read in single numbers else

/// A view without one axis: where rows begin.
class Beginnings {
 public:
  Beginnings(const td_view& view, int32_t axis) : places_(without(view, axis), 0) {}
  int64_t count() const noexcept { return places_.count(); }
  void offsets(int64_t first, int64_t n, int64_t* offsets) const noexcept { places_.offsets(first, n, offsets); }

 private:
  td_view without(const td_view& view, int32_t axis) noexcept {
    int32_t ndim = 0;
    for (int32_t i = 0; i < view.ndim; ++i) {
      if (i == axis) continue;
      shape_[ndim] = view.shape[i];
      strides_[ndim++] = view.strides[i];
    }
    return {view.data, view.dtype, ndim, shape_, strides_};
  }

  int64_t shape_[TD_MAX_NDIM], strides_[TD_MAX_NDIM];
  Places places_;
};

/// Transforms along one axis of x into out, which may be x where the shapes are equal.
template <class T>
class AxisTransform {
 public:
  AxisTransform(const td_view& x, td_transform transform, int32_t axis, double scale, const td_view& out)
      : x_(x, axis), out_(out, axis), transform_(transform), scale_(T(scale)), x_data_(static_cast<T*>(x.data)),
        out_data_(static_cast<T*>(out.data)), x_step_(x.strides[axis]), out_step_(out.strides[axis]),
        x_length_(x.shape[axis]), out_length_(out.shape[axis]),
        n_(transform == TD_FFT_REAL ? x_length_ : out_length_) {
    for (int32_t i = axis + 1; i < out.ndim; ++i) inner_ *= out.shape[i];
  }

  bool run() const {
    const FftKernels<T>& kernels = fft_kernels<T>();
    const bool even_real = is_half() && n_ % 2 == 0;
    const int64_t length = even_real ? n_ / 2 : n_;
    const int64_t bytes = 4 * length * kernels.lanes * int64_t{sizeof(T)};
    const bool columns = inner_ >= kernels.lanes;
    const bool filled = columns || 2 * x_.count() >= kernels.lanes;
    if ((filled && bytes <= (columns ? column_bytes : cache_bytes)) || length <= longest_lane) return run_tiles(length);
    const int64_t rows = x_.count();
    if (rows < thread_count()) return run_rows(0, rows);
    std::atomic<bool> failed = false;
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      try {
        if (!run_rows(begin, end)) failed = true;
      } catch (const std::bad_alloc&) {  // from plans
        failed = true;
      }
    });
    return !failed;
  }

 private:
  static constexpr int64_t longest_lane = 64;  // of rows that leave lanes empty

  bool is_half() const noexcept { return transform_ == TD_FFT_REAL || transform_ == TD_FFT_HERMITIAN; }
  FftForm form() const noexcept {
    if (transform_ == TD_FFT_REAL) return n_ % 2 ? FftForm::real_odd : FftForm::real_even;
    if (transform_ == TD_FFT_HERMITIAN) return n_ % 2 ? FftForm::hermitian_odd : FftForm::hermitian_even;
    return FftForm::complex;
  }
  int x_parts() const noexcept { return transform_ == TD_FFT_REAL ? 1 : 2; }
  int out_parts() const noexcept { return transform_ == TD_FFT_HERMITIAN ? 1 : 2; }

  bool run_tiles(int64_t length) const {
    const auto plan = fft_length_plan<T>(length, form() == FftForm::real_even || form() == FftForm::hermitian_even);
    const FftKernels<T>& kernels = fft_kernels<T>();
    const int64_t lanes = kernels.lanes;
    // Tiles of columns end where the columns do, unless they are so few that most tiles would be.
    const int64_t group = inner_ >= 2 * lanes ? inner_ : x_.count();
    const int64_t in_group = (group + lanes - 1) / lanes, tiles = x_.count() / group * in_group;
    std::atomic<bool> failed = false;
    parallel_for(tiles, std::max<int64_t>(1, worth_a_thread / (n_ * lanes)), [&](int64_t begin, int64_t end) {
      Scratch work(plan->length.work() * 2 * largest_vector_bytes);
      if (!work) {
        failed = true;
        return;
      }
      int64_t from[most_lanes], to[most_lanes];
      const bool backward = transform_ == TD_FFT_BACKWARD;
      FftTile<T> tile{&plan->length, form(), 0, backward, backward, scale_,
                      {x_data_, from, x_step_}, {out_data_, to, out_step_}};
      for (int64_t i = begin; i < end; ++i) {
        const int64_t within = i % in_group * lanes, first = i / in_group * group + within;
        tile.count = int(std::min(lanes, group - within));
        x_.offsets(first, tile.count, from);
        out_.offsets(first, tile.count, to);
        kernels.transform(tile, work.template as<void>());
      }
    });
    return !failed;
  }

  /// Rows by all threads, or by this one where there are rows for all.
  bool run_rows(int64_t begin, int64_t end) const {
    std::optional<Scratch> x_row, out_row;
    if (x_step_ != 1) x_row.emplace(x_length_ * x_parts() * int64_t{sizeof(T)});
    if (out_step_ != 1) out_row.emplace(out_length_ * out_parts() * int64_t{sizeof(T)});
    if ((x_row && !*x_row) || (out_row && !*out_row)) return false;
    for (int64_t row = begin; row < end; ++row) {
      int64_t from, to;
      x_.offsets(row, 1, &from);
      out_.offsets(row, 1, &to);
      const T* x = x_data_ + from * x_parts();
      T* const out = out_data_ + to * out_parts();
      if (x_row) {
        copy_row(x, x_step_ * x_parts(), x_row->as<T>(), x_parts(), x_parts(), x_length_);
        x = x_row->as<T>();
      }
      T* const result = out_row ? out_row->as<T>() : out;
      if (!transform_one(x, result)) return false;
      if (out_row) copy_row(result, out_parts(), out, out_step_ * out_parts(), out_parts(), out_length_);
    }
    return true;
  }

  bool transform_one(const T* x, T* out) const {
    switch (transform_) {
      case TD_FFT_REAL: return transform_real_row(n_, x, out, scale_);
      case TD_FFT_HERMITIAN: return transform_hermitian_row(n_, x, out, scale_);
      default: break;
    }
    const bool backward = transform_ == TD_FFT_BACKWARD;
    return transform_row(*fft_row_plan<T>(n_), x, out, {backward, backward, scale_});
  }

  static void copy_row(const T* from, int64_t from_step, T* to, int64_t to_step, int parts, int64_t n) noexcept {
    for (int64_t i = 0; i < n; ++i)
      for (int part = 0; part < parts; ++part) to[i * to_step + part] = from[i * from_step + part];
  }

  const Beginnings x_, out_;
  const td_transform transform_;
  const T scale_;
  T *const x_data_, *const out_data_;
  const int64_t x_step_, out_step_, x_length_, out_length_, n_;
  int64_t inner_ = 1;  // of the axes behind
};

template <class T>
bool transform_axis(const td_view& x, td_transform transform, int32_t axis, double scale, const td_view& out) {
  return AxisTransform<T>(x, transform, axis, scale, out).run();
}

template <class T>
bool transform_axes(const td_view& x, td_transform transform, int32_t n_axes, const int32_t* axes, double scale,
                    const td_view& out) {
  const int32_t last = axes[n_axes - 1];
  if (transform != TD_FFT_HERMITIAN || n_axes == 1) {
    bool done = transform_axis<T>(x, transform, last, n_axes == 1 ? scale : 1, out);
    const td_transform other = transform == TD_FFT_REAL ? TD_FFT_FORWARD : transform;
    for (int32_t i = n_axes - 2; i >= 0 && done; --i)
      done = transform_axis<T>(out, other, axes[i], i == 0 ? scale : 1, out);
    return done;
  }
  int64_t strides[TD_MAX_NDIM], size = 1;
  for (int32_t i = x.ndim - 1; i >= 0; --i) {
    strides[i] = size;
    size *= x.shape[i];
  }
  Scratch memory(size * 2 * int64_t{sizeof(T)});
  if (!memory) return false;
  const td_view between{memory.as<void>(), x.dtype, x.ndim, x.shape, strides};
  bool done = transform_axis<T>(x, TD_FFT_BACKWARD, axes[0], 1, between);
  for (int32_t i = 1; i < n_axes - 1 && done; ++i)
    done = transform_axis<T>(between, TD_FFT_BACKWARD, axes[i], 1, between);
  return done && transform_axis<T>(between, transform, last, scale, out);
}

}  // namespace

td_status fft(td_device*, const td_view* x, td_transform transform, int32_t n_axes, const int32_t* axes, double scale,
              const td_view* out, td_error* error) {
  bool done;
  switch (x->dtype) {
    case TD_FLOAT32:
    case TD_COMPLEX64: done = transform_axes<float>(*x, transform, n_axes, axes, scale, *out); break;
    case TD_FLOAT64:
    case TD_COMPLEX128: done = transform_axes<double>(*x, transform, n_axes, axes, scale, *out); break;
    default: return fail(error, TD_NOT_SUPPORTED, "no transform of dtype %d", x->dtype);
  }
  return done ? TD_OK : fail(error, TD_OUT_OF_MEMORY, "no memory for what a transform works in");
}

}  // namespace tandem::cpu
