// The verb fft, by cuFFT, which is called for contiguous batches of transforms along the last axes alone: other axes
// are brought there by copies.
#include <cufft.h>
#include <cufftXt.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <numeric>
#include <optional>

#include "library.hpp"
#include "packing.hpp"
#include "verbs.hpp"

namespace tandem::cuda {
namespace {

constexpr int most_axes = 3;  // of a plan

struct Cufft {
  decltype(&cufftCreate) create;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftSetAutoAllocation) set_auto_allocation;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftSetWorkArea) set_work_area;
  decltype(&cufftXtMakePlanMany) make_plan;
  decltype(&cufftXtExec) execute;
};

td_status load(Cufft* cufft, td_error* error) {
  Library library;
  td_status status = open_library("cufft", {12, 11}, &library, error);
  const auto find = [&](const char* symbol, auto** function) {
    if (status == TD_OK) status = find_symbol(library, symbol, function, error);
  };
  find("cufftCreate", &cufft->create);
  find("cufftDestroy", &cufft->destroy);
  find("cufftSetAutoAllocation", &cufft->set_auto_allocation);
  find("cufftSetStream", &cufft->set_stream);
  find("cufftSetWorkArea", &cufft->set_work_area);
  find("cufftXtMakePlanMany", &cufft->make_plan);
  find("cufftXtExec", &cufft->execute);
  return status;
}

td_status check_fft(cufftResult result, const char* what, td_error* error) {
  if (result == CUFFT_SUCCESS) return TD_OK;
  // A kernel's failure shows as an error of CUDA's, too, which may be the end of the context.
  if (const td_status cuda = check(cudaGetLastError(), what, error); cuda != TD_OK) return cuda;
  const td_status status = result == CUFFT_ALLOC_FAILED    ? TD_OUT_OF_MEMORY
                           : result == CUFFT_INVALID_SIZE  ? TD_NOT_SUPPORTED
                           : result == CUFFT_NOT_SUPPORTED ? TD_NOT_SUPPORTED
                                                           : TD_INTERNAL;
  return fail(error, status, "cuFFT: %s failed: status %d", what, int(result));
}

/// What a plan is made for.
struct PlanKey {
  int device, rank;
  long long lengths[most_axes], batch;
  cudaDataType input, output;
  bool operator==(const PlanKey&) const = default;
};

/// cuFFT and the plans that were used last. Never destroyed: at the end of the process its state may be gone already.
class Plans {
 public:
  td_status execute(Device& device, const PlanKey& key, void* in, void* out, int direction, td_error* error) {
    std::lock_guard lock(mutex_);
    td_status status = loaded_ ? TD_OK : load(&cufft_, error);
    loaded_ = status == TD_OK;
    if (status == TD_OK) status = find(device, key, error);
    if (status != TD_OK) return status;
    const Plan& plan = plans_.front();
    std::optional<Scratch> work;
    if (plan.work_bytes > 0) {
      if (!work.emplace(device, std::int64_t(plan.work_bytes), error)) return TD_OUT_OF_MEMORY;
      status = check_fft(cufft_.set_work_area(plan.handle, work->as<void>()), "setting the work area", error);
    }
    return status != TD_OK ? status : check_fft(cufft_.execute(plan.handle, in, out, direction), "a transform", error);
  }

 private:
  static constexpr std::size_t most_plans = 64;
  struct Plan {
    PlanKey key;
    cufftHandle handle;
    std::size_t work_bytes;
  };

  /// Brings the plan to the front, making it if there is none.
  td_status find(Device& device, const PlanKey& key, td_error* error) {
    const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const Plan& plan) { return plan.key == key; });
    if (found != plans_.end()) {
      plans_.splice(plans_.begin(), plans_, found);
      return TD_OK;
    }
    Plan plan{key, 0, 0};
    td_status status = make(device, &plan, error);
    if (status == TD_OUT_OF_MEMORY) {
      clear();
      status = trim(reinterpret_cast<td_device*>(&device), error);
      if (status == TD_OK) status = make(device, &plan, error);
    }
    if (status != TD_OK) return status;
    plans_.push_front(plan);
    if (plans_.size() > most_plans) remove_last();
    return TD_OK;
  }

  td_status make(Device& device, Plan* plan, td_error* error) {
    PlanKey key = plan->key;  // cuFFT takes the lengths by a pointer to what is not const
    td_status status = check_fft(cufft_.create(&plan->handle), "starting a plan", error);
    if (status != TD_OK) return status;
    const cudaDataType type = key.input == CUDA_R_32F || key.input == CUDA_C_32F ? CUDA_C_32F : CUDA_C_64F;
    status = check_fft(cufft_.set_auto_allocation(plan->handle, 0), "setting the allocation", error);
    if (status == TD_OK)
      status = check_fft(cufft_.make_plan(plan->handle, key.rank, key.lengths, nullptr, 1, 0, key.input, nullptr, 1, 0,
                                      key.output, key.batch, &plan->work_bytes, type),
                     "planning a transform", error);
    if (status == TD_OK)
      status = check_fft(cufft_.set_stream(plan->handle, device.stream), "setting the stream", error);
    if (status != TD_OK) (void)cufft_.destroy(plan->handle);
    return status;
  }

  void remove_last() {
    (void)cufft_.destroy(plans_.back().handle);
    plans_.pop_back();
  }
  void clear() {
    while (!plans_.empty()) remove_last();
  }

  std::mutex mutex_;
  bool loaded_ = false;
  Cufft cufft_{};
  std::list<Plan> plans_;
};

Plans& plans() {
  static Plans& shared = *new Plans;
  return shared;
}

cudaDataType type_of(td_dtype dtype) {
  switch (dtype) {
    case TD_FLOAT32: return CUDA_R_32F;
    case TD_FLOAT64: return CUDA_R_64F;
    case TD_COMPLEX64: return CUDA_C_32F;
    default: return CUDA_C_64F;
  }
}

bool is_real(td_dtype dtype) { return dtype == TD_FLOAT32 || dtype == TD_FLOAT64; }
td_dtype real_of(td_dtype dtype) { return dtype == TD_FLOAT32 || dtype == TD_COMPLEX64 ? TD_FLOAT32 : TD_FLOAT64; }
td_dtype complex_of(td_dtype dtype) { return real_of(dtype) == TD_FLOAT32 ? TD_COMPLEX64 : TD_COMPLEX128; }

/// An order of axes in which the transformed ones come last, and a view in that order.
struct Order {
  int ndim;
  std::int32_t axes[TD_MAX_NDIM];

  Order(int ndim, const std::int32_t* last, int n_last) : ndim(ndim) {
    int n = 0;
    for (std::int32_t axis = 0; axis < ndim; ++axis)
      if (std::find(last, last + n_last, axis) == last + n_last) axes[n++] = axis;
    std::copy(last, last + n_last, axes + n);
  }
  bool is_natural() const { return std::is_sorted(axes, axes + ndim); }
};

struct OrderedView {
  std::int64_t shape[TD_MAX_NDIM], strides[TD_MAX_NDIM];
  td_view view;

  /// The view with its axes in that order.
  OrderedView(const td_view& x, const Order& order) : view{x.data, x.dtype, x.ndim, shape, strides} {
    for (int i = 0; i < x.ndim; ++i) {
      shape[i] = x.shape[order.axes[i]];
      strides[i] = x.strides[order.axes[i]];
    }
  }
  OrderedView(const OrderedView&) = delete;
};

struct BackView : OrderedView {
  /// Contiguous elements in that order, as a view with the axes of `x`.
  BackView(void* data, const td_view& x, const Order& order) : OrderedView(x, order) {
    std::int64_t stride = 1;
    for (int i = x.ndim - 1; i >= 0; --i) {
      shape[order.axes[i]] = x.shape[order.axes[i]];
      strides[order.axes[i]] = stride;
      stride *= x.shape[order.axes[i]];
    }
    view.data = data;
  }
};

bool is_aligned(const void* data, td_dtype dtype) {
  return reinterpret_cast<std::uintptr_t>(data) % std::uintptr_t(item_bytes(complex_of(dtype))) == 0;
}

/// Clears the imaginary parts of what must be real in the first halves of Hermitian rows of length n.
td_status make_real(Device& device, void* halves, td_dtype dtype, std::int64_t n, std::int64_t rows, td_error* error) {
  const std::size_t item = std::size_t(item_bytes(dtype)), part = item / 2, row = std::size_t(n / 2 + 1) * item;
  for (const std::int64_t k : {std::int64_t{0}, n / 2}) {
    if (k > 0 && n % 2 != 0) continue;
    char* const first = static_cast<char*>(halves) + std::size_t(k) * item + part;
    const td_status status = check(cudaMemset2DAsync(first, row, 0, part, std::size_t(rows), device.stream),
                                   "clearing imaginary parts", error);
    if (status != TD_OK) return status;
  }
  return TD_OK;
}

/// Transforms along at most most_axes axes of x, one for TD_FFT_HERMITIAN, into a contiguous out; complex to complex
/// out may be x.
td_status transform_axes(Device& device, const td_view& x, td_transform transform, const std::int32_t* axes, int n_axes,
                         const td_view& out, td_error* error) {
  const Order order(x.ndim, axes, n_axes);
  const OrderedView ordered(x, order);
  const td_view& whole = is_real(x.dtype) ? x : out;  // the one that has the lengths of the transforms
  PlanKey key{device.ordinal, n_axes, {}, element_count(whole), type_of(x.dtype), type_of(out.dtype)};
  for (int i = 0; i < n_axes; ++i) {
    key.lengths[i] = whole.shape[axes[i]];
    key.batch /= key.lengths[i];
  }

  std::optional<Scratch> packed, result;
  void* from = x.data;
  const bool natural = order.is_natural(), hermitian = transform == TD_FFT_HERMITIAN;
  if (!natural || hermitian || !is_contiguous(x) || !is_aligned(x.data, x.dtype)) {
    if (!packed.emplace(device, element_count(x) * item_bytes(x.dtype), error)) return TD_OUT_OF_MEMORY;
    from = packed->as<void>();
    if (const td_status status = pack(device, ordered.view, from, error); status != TD_OK) return status;
  }
  if (hermitian)
    if (const td_status status = make_real(device, from, x.dtype, key.lengths[0], key.batch, error); status != TD_OK)
      return status;
  void* to = out.data;
  if (!natural) {
    if (x.dtype == out.dtype) {
      to = from;
    } else {
      if (!result.emplace(device, element_count(out) * item_bytes(out.dtype), error)) return TD_OUT_OF_MEMORY;
      to = result->as<void>();
    }
  }
  const int direction = transform == TD_FFT_FORWARD || transform == TD_FFT_REAL ? CUFFT_FORWARD : CUFFT_INVERSE;
  td_status status = plans().execute(device, key, from, to, direction, error);
  if (status == TD_OK && transform == TD_FFT_REAL && n_axes == 1)
    status = make_real(device, to, out.dtype, key.lengths[0], key.batch, error);
  if (status != TD_OK || natural) return status;
  return pack(device, BackView(to, out, order).view, out.data, error);
}

/// Complex to complex along any number of axes.
td_status transform_complex(Device& device, const td_view& x, td_transform transform, const std::int32_t* axes,
                            int n_axes, const td_view& out, td_error* error) {
  std::int32_t sorted[TD_MAX_NDIM];
  std::copy(axes, axes + n_axes, sorted);
  std::sort(sorted, sorted + n_axes);
  for (int end = n_axes; end > 0; end -= most_axes) {
    const int n = std::min(end, most_axes);
    const td_status status =
        transform_axes(device, end == n_axes ? x : out, transform, sorted + end - n, n, out, error);
    if (status != TD_OK) return status;
  }
  return TD_OK;
}

/// Real x along the last of the axes, and with it those of the others that a plan has room for.
td_status transform_real(Device& device, const td_view& x, const std::int32_t* axes, int n_axes, const td_view& out,
                         td_error* error) {
  std::int32_t sorted[TD_MAX_NDIM];
  std::copy(axes, axes + n_axes, sorted);
  std::sort(sorted, sorted + n_axes - 1);
  const int n = std::min(n_axes, most_axes);
  const td_status status = transform_axes(device, x, TD_FFT_REAL, sorted + n_axes - n, n, out, error);
  if (status != TD_OK || n == n_axes) return status;
  return transform_complex(device, out, TD_FFT_FORWARD, sorted, n_axes - n, out, error);
}

td_status transform_hermitian(Device& device, const td_view& x, const std::int32_t* axes, int n_axes,
                              const td_view& out, td_error* error) {
  if (n_axes == 1) return transform_axes(device, x, TD_FFT_HERMITIAN, axes, 1, out, error);
  Scratch memory(device, element_count(x) * item_bytes(x.dtype), error);
  if (!memory) return TD_OUT_OF_MEMORY;
  const Order natural(x.ndim, nullptr, 0);
  const BackView between(memory.as<void>(), x, natural);
  const td_status status =
      transform_complex(device, x, TD_FFT_BACKWARD, axes, n_axes - 1, between.view, error);
  if (status != TD_OK) return status;
  return transform_axes(device, between.view, TD_FFT_HERMITIAN, axes + n_axes - 1, 1, out, error);
}

/// out *= scale, as real numbers.
td_status multiply(Device& device, const td_view& out, double scale, td_error* error) {
  const td_dtype dtype = real_of(out.dtype);
  const std::uint8_t type = std::uint8_t(dtype), output = 2;
  const std::int64_t count = element_count(out) * (is_real(out.dtype) ? 1 : 2), stride = 1;
  td_constant constant{};
  if (dtype == TD_FLOAT32)
    *reinterpret_cast<float*>(constant.bytes) = float(scale);
  else
    *reinterpret_cast<double*>(constant.bytes) = scale;
  const td_instruction product{TD_MAP, TD_OP_multiply, type, type, {0, 1, 0, 0}};
  const td_program program{.n_inputs = 1,
                           .n_constants = 1,
                           .n_instructions = 1,
                           .n_outputs = 1,
                           .input_dtypes = &type,
                           .constant_dtypes = &type,
                           .constants = &constant,
                           .instructions = &product,
                           .outputs = &output,
                           .ndim = 1,
                           .n_reduced = 0,
                           .shape = &count};
  const td_operand operand{out.data, &stride};
  return run_program(reinterpret_cast<td_device*>(&device), &program, &operand, &operand, error);
}

}  // namespace

td_status fft(td_device* handle, const td_view* x, td_transform transform, int32_t n_axes, const int32_t* axes,
              double scale, const td_view* out, td_error* error) {
  Device& device = device_of(handle);
  const Current current(device);
  if (x->dtype < TD_FLOAT32)
    return fail(error, TD_NOT_SUPPORTED, "only for float32, float64, complex64 and complex128");
  td_status status;
  switch (transform) {
    case TD_FFT_REAL: status = transform_real(device, *x, axes, n_axes, *out, error); break;
    case TD_FFT_HERMITIAN: status = transform_hermitian(device, *x, axes, n_axes, *out, error); break;
    default: status = transform_complex(device, *x, transform, axes, n_axes, *out, error);
  }
  return status != TD_OK || scale == 1 ? status : multiply(device, *out, scale, error);
}

}  // namespace tandem::cuda
