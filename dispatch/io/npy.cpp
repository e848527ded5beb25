#include "npy.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <tandem/elementwise.hpp>
#include <tandem/reductions.hpp>

#include "../functions/common.hpp"

namespace tandem {
namespace detail {
namespace {

// Elements on their way to and from a device without the host's memory.
constexpr std::size_t piece_bytes = 16 << 20;

template <std::size_t width> void reverse_bytes(std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += width) std::reverse(data + i, data + i + width);
}

/// Brings elements as they are in a file into the host's form: byte order, bools of 0 and 1.
void to_host_form(const NpyHeader& header, std::byte* data, std::size_t bytes) {
  if (header.dtype == bool_)
    for (std::size_t i = 0; i < bytes; ++i) data[i] = std::byte{data[i] != std::byte{0}};
  if (!header.swapped) return;
  switch (itemsize(real_dtype(header.dtype))) {
    case 2: return reverse_bytes<2>(data, bytes);
    case 4: return reverse_bytes<4>(data, bytes);
    default: return reverse_bytes<8>(data, bytes);
  }
}

std::string describe(const NpyHeader& header) {
  return to_string(header.shape) + " of " + std::string(name(header.dtype));
}

Shape memory_order(const NpyHeader& header) {
  Shape shape = header.shape;
  if (header.column_major) std::reverse(shape.begin(), shape.end());
  return shape;
}

/// Elements of an input that does not tell its length: they are there before memory is taken for the array.
NodePtr read_blindly(Reader& in, const NpyHeader& header, DeviceState& device) {
  std::vector<std::byte> elements;
  while (elements.size() < header.bytes) {
    const std::size_t done = elements.size();
    const std::size_t more = std::min<std::uint64_t>(header.bytes - done, std::max(done, piece_bytes));
    elements.resize(done + more);
    if (const std::size_t got = in.read(elements.data() + done, more); got < more)
      in.place().fail("ends after " + std::to_string(done + got) + " of the " + std::to_string(header.bytes) +
                      " bytes of elements of " + describe(header));
  }
  to_host_form(header, elements.data(), elements.size());
  return host_array(in.place().function, device, header.dtype, memory_order(header), elements.data()).node();
}

NodePtr read_elements(Reader& in, const NpyHeader& header, DeviceState& device) {
  const auto left = in.left();
  if (!left) return read_blindly(in, header, device);
  if (*left < header.bytes)
    in.place().fail("has " + std::to_string(*left) + " of the " + std::to_string(header.bytes) +
                    " bytes of elements of " + describe(header));
  const char* const function = in.place().function;
  NodePtr node = allocate_node(function, device, header.dtype, memory_order(header));
  const auto read = [&](void* target, std::size_t count) {
    in.read_all_of(target, count, "a part of the elements");
    to_host_form(header, static_cast<std::byte*>(target), count);
  };
  if (device.shares_host_memory) {
    call(function, device.table->synchronize, device.handle);
    for (std::size_t done = 0; done < header.bytes; done += piece_bytes)  // converted while in cache
      read(static_cast<std::byte*>(node->data) + done, std::min<std::size_t>(piece_bytes, header.bytes - done));
    return node;
  }
  std::vector<std::byte> piece(std::min<std::size_t>(piece_bytes, header.bytes));
  for (std::size_t done = 0; done < header.bytes; done += piece.size()) {
    const std::size_t count = std::min<std::size_t>(piece.size(), header.bytes - done);
    read(piece.data(), count);
    call(function, device.table->copy, device.handle, TD_HOST_TO_DEVICE,
         static_cast<void*>(static_cast<std::byte*>(node->data) + done), static_cast<const void*>(piece.data()),
         static_cast<std::int64_t>(count));
  }
  return node;
}

Array in_order(const NpyHeader& header, const Array& elements) {
  return header.column_major ? elements.transpose() : elements;
}

/// The elements where they lie in the file; null if they must be read.
std::optional<Array> map_elements(const Input& input, std::uint64_t offset, const NpyHeader& header, DeviceState& device) {
  const auto width = static_cast<std::uint64_t>(itemsize(real_dtype(header.dtype)));
  if (!device.shares_host_memory || header.swapped || header.bytes == 0 || offset % width != 0) return {};
  std::shared_ptr<std::byte> memory = input.map(offset, offset + header.bytes);
  if (!memory) return {};
  const Shape shape = memory_order(header);
  std::byte* const data = memory.get();
  return adopt_elements(data, header.dtype, shape, contiguous_strides(shape), std::move(memory), Device(&device));
}

}  // namespace

Array read_npy(Reader& in, const LoadOptions& options) {
  const NpyHeader header = read_npy_header(in);
  return in_order(header, Array(read_elements(in, header, device_of(options.device))));
}

Array read_npy(const Input& input, const Place& place, std::uint64_t begin, std::uint64_t end, const LoadOptions& options) {
  InputReader in(input, place, begin, end);
  const NpyHeader header = read_npy_header(in);
  DeviceState& device = device_of(options.device);
  if (*in.left() > header.bytes)
    place.fail("has " + std::to_string(*in.left()) + " bytes of elements where " + describe(header) + " takes " +
               std::to_string(header.bytes));
  if (options.memory_map && *in.left() == header.bytes)
    if (const auto mapped = map_elements(input, in.position(), header, device)) return in_order(header, *mapped);
  return in_order(header, Array(read_elements(in, header, device)));
}

NpyContent::NpyContent(const char* function, const Array& array) : function_(function), array_(array) {
  ready(function, array_);
  const Array reversed = array_.transpose();
  const bool column_major = !array_.is_contiguous() && reversed.is_contiguous();
  header_ = npy_header(array_.dtype(), array_.shape(), column_major);
  array_ = column_major ? reversed : array_.contiguous();
}

void NpyContent::write_to(Writer& out) const {
  out.write(header_.data(), header_.size());
  const auto bytes = static_cast<std::size_t>(array_.nbytes());
  const auto* const data = static_cast<const std::byte*>(array_.data());
  DeviceState& device = *array_.node()->device;
  if (device.shares_host_memory) {
    call(function_, device.table->synchronize, device.handle);
    return out.write(data, bytes);
  }
  std::vector<std::byte> piece(std::min(piece_bytes, bytes));
  for (std::size_t done = 0; done < bytes; done += piece.size()) {
    const std::size_t count = std::min(piece.size(), bytes - done);
    call(function_, device.table->copy, device.handle, TD_DEVICE_TO_HOST, static_cast<void*>(piece.data()),
         static_cast<const void*>(data + done), static_cast<std::int64_t>(count));
    out.write(piece.data(), count);
  }
}

}  // namespace detail

Array load(const std::string& path, const LoadOptions& options) {
  const detail::FunctionName function("load");
  const detail::Input input({function, path});
  if (input.size()) return detail::read_npy(input, input.place(), 0, *input.size(), options);
  detail::InputReader in(input);
  return detail::read_npy(in, options);
}

Array load(std::istream& in, const LoadOptions& options) {
  const detail::FunctionName function("load");
  detail::StreamReader reader({function, "the stream"}, in);
  return detail::read_npy(reader, options);
}

void save(const std::string& path, const Array& array) {
  const detail::FunctionName function("save");
  const detail::NpyContent content(function, array);
  detail::FileOutput out({function, path});
  content.write_to(out);
  out.finish();
}

void save(std::ostream& out, const Array& array) {
  const detail::FunctionName function("save");
  const detail::NpyContent content(function, array);
  detail::StreamOutput stream({function, "the stream"}, out);
  content.write_to(stream);
  stream.finish();
}

}  // namespace tandem
