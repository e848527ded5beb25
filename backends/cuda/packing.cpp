#include "packing.hpp"

#include "verbs.hpp"

namespace tandem::cuda {
namespace {

/// A view's axes as programs want them: none of length 1 unless it is the only one, neighbours merged.
struct Axes {
  int ndim = 0;
  std::int64_t shape[TD_MAX_NDIM], from[TD_MAX_NDIM], to[TD_MAX_NDIM];

  explicit Axes(const td_view& view) {
    for (int axis = 0; axis < view.ndim; ++axis) add(view.shape[axis], view.strides[axis]);
    if (ndim == 0) shape[0] = 1, from[0] = 1, ndim = 1;
    std::int64_t stride = 1;
    for (int axis = ndim - 1; axis >= 0; stride *= shape[axis--]) to[axis] = stride;
  }

 private:
  void add(std::int64_t length, std::int64_t stride) {
    if (length == 1) return;
    if (ndim > 0 && from[ndim - 1] == stride * length) {
      shape[ndim - 1] *= length;
      from[ndim - 1] = stride;
    } else {
      shape[ndim] = length;
      from[ndim++] = stride;
    }
  }
};

}  // namespace

std::int64_t item_bytes(td_dtype dtype) {
  constexpr std::int64_t sizes[] = {
#define X(NAME, type, text, bytes) bytes,
      TD_DTYPES(X)
#undef X
  };
  return sizes[dtype];
}

std::int64_t element_count(const td_view& view) {
  std::int64_t count = 1;
  for (int axis = 0; axis < view.ndim; ++axis) count *= view.shape[axis];
  return count;
}

bool is_contiguous(const td_view& view) {
  const Axes axes(view);
  return axes.ndim == 1 && (axes.shape[0] == 1 || axes.from[0] == 1);
}

td_status pack(Device& device, const td_view& view, void* to, td_error* error) {
  const Axes axes(view);
  const std::uint8_t dtype = std::uint8_t(view.dtype), output = 0;
  const td_program copy{.n_inputs = 1,
                        .n_constants = 0,
                        .n_instructions = 0,
                        .n_outputs = 1,
                        .input_dtypes = &dtype,
                        .constant_dtypes = nullptr,
                        .constants = nullptr,
                        .instructions = nullptr,
                        .outputs = &output,
                        .ndim = axes.ndim,
                        .n_reduced = 0,
                        .shape = axes.shape};
  const td_operand from{view.data, axes.from}, target{to, axes.to};
  return run_program(reinterpret_cast<td_device*>(&device), &copy, &from, &target, error);
}

}  // namespace tandem::cuda
