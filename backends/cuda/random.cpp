// The verb random: parameters of a distribution, and the kernel that fills.
#include <math.h>

#include <tandem/scalar.h>

#include <tandem/random_formulas.h>

#include "random_kernels.hpp"
#include "verbs.hpp"

namespace tandem::cuda {
namespace {

using namespace scalar;

struct Fill {
  const td_random& random;
  void* out;
  std::int64_t count;
  cudaStream_t stream;

  RandomPlace place() const { return {random.seed, random.stream, random.offset}; }

  template <class T, class Rule>
  cudaError_t with(Rule rule) const {
    return fill_random(stream, place(), rule, static_cast<T*>(out), count);
  }

  template <class T, RandomLaw which>
  cudaError_t law() const {
    return fill_law<T, which>(stream, place(), {random.low, random.high, random.lows, random.highs},
                              static_cast<T*>(out), count);
  }

  template <class T>
  cudaError_t bits() const {
    return with<T>(RandomBits{});
  }

  template <class T>
  cudaError_t uniform() const {
    using F = compute_t<T>;
    const F low = cast<F>(cast<T>(random.low)), high = cast<F>(cast<T>(random.high));
    if (low == 0 && high == 1) return with<T>(RandomUnit{});
    return with<T>(RandomUniform<F>{low, high - low, uniform_bound(low, high)});
  }

  template <class T>
  cudaError_t normal() const {
    using F = compute_t<T>;
    return with<T>(RandomNormal<F>{F(random.low), F(random.high)});
  }

  template <class T>
  cudaError_t exponential() const {
    using F = compute_t<T>;
    return with<T>(RandomExponential<F>{F(random.low)});
  }

  template <class T>
  cudaError_t integers() const {
    return with<T>(RandomIntegers{std::uint64_t(random.low_int), random.span});
  }
};

using Filling = cudaError_t (Fill::*)() const;

/// choose(T()) for the type of a float dtype.
template <class Choose>
Filling of_float(td_dtype dtype, Choose choose) {
  switch (dtype) {
    case TD_FLOAT16: return choose(f16{});
    case TD_BFLOAT16: return choose(bf16{});
    case TD_FLOAT32: return choose(f32{});
    case TD_FLOAT64: return choose(f64{});
    default: return nullptr;
  }
}

template <RandomLaw law>
Filling find_counts(td_dtype dtype) {
  return dtype == TD_INT32 ? &Fill::law<i32, law> : dtype == TD_INT64 ? &Fill::law<i64, law> : nullptr;
}

/// How a dtype is filled; null if the distribution has no such numbers.
Filling find_filling(td_distribution distribution, td_dtype dtype) {
  switch (distribution) {
    case TD_RANDOM_BITS: return dtype == TD_UINT32 ? &Fill::bits<u32> : dtype == TD_UINT64 ? &Fill::bits<u64> : nullptr;
    case TD_RANDOM_UNIFORM:
      return of_float(dtype, [](auto zero) -> Filling { return &Fill::uniform<decltype(zero)>; });
    case TD_RANDOM_NORMAL:
      return of_float(dtype, [](auto zero) -> Filling { return &Fill::normal<decltype(zero)>; });
    case TD_RANDOM_INTEGERS:
      switch (dtype) {
        case TD_INT8: case TD_UINT8: return &Fill::integers<u8>;
        case TD_INT16: case TD_UINT16: return &Fill::integers<u16>;
        case TD_INT32: case TD_UINT32: return &Fill::integers<u32>;
        case TD_INT64: case TD_UINT64: return &Fill::integers<u64>;
        default: return nullptr;
      }
    case TD_RANDOM_EXPONENTIAL:
      return of_float(dtype, [](auto zero) -> Filling { return &Fill::exponential<decltype(zero)>; });
    case TD_RANDOM_GAMMA:
      return of_float(dtype, [](auto zero) -> Filling { return &Fill::law<decltype(zero), RandomLaw::gamma>; });
    case TD_RANDOM_POISSON: return find_counts<RandomLaw::poisson>(dtype);
    case TD_RANDOM_BINOMIAL: return find_counts<RandomLaw::binomial>(dtype);
  }
  return nullptr;
}

}  // namespace

td_status random(td_device* handle, const td_random* random, const td_view* out, td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  Fill fill{*random, out->data, 1, device.stream};
  for (int axis = 0; axis < out->ndim; ++axis) fill.count *= out->shape[axis];
  if (fill.count == 0) return TD_OK;
  const Filling filling = find_filling(random->distribution, out->dtype);
  if (filling != nullptr) return check((fill.*filling)(), "launch of random numbers", error);
  return fail(error, TD_NOT_SUPPORTED, "distribution %d does not exist for dtype %d", random->distribution, out->dtype);
}

}  // namespace tandem::cuda
