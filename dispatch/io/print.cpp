// Printing: what of an array is fetched to the host, and the options. text.cpp writes.
#include <tandem/array.hpp>
#include <tandem/creation.hpp>

#include <algorithm>
#include <mutex>
#include <ostream>

#include "../errors.hpp"
#include "text.hpp"

namespace tandem {
namespace {

struct Options {
  std::mutex mutex;
  PrintOptions value;
};

Options& global_options() {
  static Options& options = *new Options;
  return options;
}

void require_at_least(const char* field, int value, int lowest) {
  if (value < lowest) {
    detail::fail("set_print_options", std::string(field) + " must be at least " + std::to_string(lowest) + ", not " +
                                          std::to_string(value));
  }
}

// The first and last `edge` items along each axis that has more than twice as many.
Array edges(Array x, std::int64_t edge) {
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (x.shape(axis) <= 2 * edge) continue;
    const Array front = x.moveaxis(axis, 0);
    x = concat({front(slice(0, edge)), front(slice(-edge, none))}).moveaxis(0, axis);
  }
  return x;
}

detail::Cells fetch(const Array& x) {
  const DType dtype = x.dtype();
  if (is_bool(dtype)) return x.to_vector<bool>();
  if (is_signed_integer(dtype)) return x.to_vector<std::int64_t>();
  if (is_unsigned_integer(dtype)) return x.to_vector<std::uint64_t>();
  if (is_complex(dtype)) return x.to_vector<std::complex<double>>();
  return x.to_vector<double>();
}

}  // namespace

void set_print_options(const PrintOptions& options) {
  require_at_least("precision", options.precision, 0);
  require_at_least("threshold", options.threshold, 0);
  require_at_least("edgeitems", options.edgeitems, 1);
  require_at_least("linewidth", options.linewidth, 1);
  Options& global = global_options();
  const std::lock_guard lock(global.mutex);
  global.value = options;
  global.value.precision = std::min(options.precision, 1074);  // no double has more digits after the point
}

PrintOptions print_options() {
  Options& global = global_options();
  const std::lock_guard lock(global.mutex);
  return global.value;
}

std::string to_string(const Array& array) {
  const detail::FunctionName function("to_string");
  if (array.ndim() == 0) return detail::scalar_text(fetch(array), array.dtype());
  if (array.size() == 0) return "[]";
  const PrintOptions options = print_options();
  array.eval();
  const bool summarized = array.size() > options.threshold;
  const detail::Cells cells = fetch(summarized ? edges(array, options.edgeitems) : array);
  return detail::array_text(cells, array.dtype(), array.shape(), summarized, options);
}

std::ostream& operator<<(std::ostream& out, const Array& array) {
  return out << to_string(array);
}

}  // namespace tandem
