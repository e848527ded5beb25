// A call of a verb with its arrays on the host, so that it can be made again, on any device, and kept in a file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "elements.hpp"
#include "programs.hpp"
#include "wrap.hpp"

namespace tandem::detail {

/// An array of a call, with the bytes from its first element to its last one in memory. Outputs have none.
struct RecordedArray {
  Role role = Role::in;
  bool has_memory = true;  // or it is an index array
  DType dtype = bool_;
  std::vector<std::int64_t> shape, strides;
  std::int64_t misalignment = 0;  // of the first byte, from TD_ALIGNMENT
  std::vector<std::byte> bytes;

  td_view view(void* data) const {
    return {data, td_dtype(dtype), std::int32_t(shape.size()), shape.data(), strides.data()};
  }
  /// The view of its own bytes; null for what has none.
  td_view host_view() const;
};

/// An argument: arrays, or the bytes of a value.
struct RecordedArgument {
  std::vector<RecordedArray> arrays;
  std::vector<std::byte> value;
};

/// A td_program that owns what it points to.
struct RecordedProgram {
  std::vector<std::uint8_t> input_dtypes, constant_dtypes, outputs;
  std::vector<td_constant> constants;
  std::vector<td_instruction> instructions;
  std::int32_t n_reduced = 0;
  std::vector<std::int64_t> shape;

  RecordedProgram() = default;
  explicit RecordedProgram(const td_program& program);
  td_program view() const;
};

struct RecordedCall {
  Verb verb = Verb::count;
  std::vector<RecordedArgument> arguments;  // those behind the device, without the error
  RecordedProgram program;                  // of run_program

  const RecordedArgument& argument(std::string_view name) const;
  /// A value among the arguments.
  template <class T>
  T value(std::string_view name) const {
    T result{};
    const std::vector<std::byte>& bytes = argument(name).value;
    std::memcpy(&result, bytes.data(), std::min(bytes.size(), sizeof result));
    return result;
  }
};

/// What a call wrote: an array's elements in row-major order, or an integer that it reports as a 0-d array.
struct Written {
  std::string_view name;
  DType dtype;
  Shape shape;
  std::vector<std::byte> elements;

  const std::byte* at(std::int64_t position) const { return elements.data() + position * itemsize(dtype); }
  std::int64_t size() const { return std::int64_t(elements.size()) / itemsize(dtype); }
};

struct Outcome {
  td_status status = TD_OK;
  std::string message;
  std::vector<Written> outputs;

  /// The output of that name, or null if the call left it out.
  const Written* find(std::string_view name) const;
};

/// The elements of a view, in row-major order.
Written packed(std::string_view name, const td_view& view, const HostElements& elements);

/// An array in a device's memory for the time of a call, laid out as it was recorded.
class Placed {
 public:
  Placed(const RecordedArray& array, const Target& target);
  /// Where the element with index 0 lies; null for an index array.
  void* data() const noexcept { return data_; }

 private:
  DeviceBuffer memory_;
  void* data_ = nullptr;
};

/// Makes the call on a device, whose own failure is part of the outcome.
Outcome run(const RecordedCall& call, const Target& target);

/// Who met a recorded call, for its file.
struct RecordedBy {
  std::string first, second;  // the two devices
  std::string report;
};

/// Writes a call to a file; throws Error.
void save(const std::string& file, const RecordedCall& call, const RecordedBy& by);

/// Reads it back; throws Error, whose message starts with "replay: ", for a file that is damaged or none.
RecordedCall load_call(const std::string& file, RecordedBy& by);

// ---- recording ----

/// An array of a device with its memory, but for outputs.
RecordedArray record_array(const Target& target, const td_view& view, Role role);

template <class T>
std::vector<std::byte> bytes_of_values(const T* values, std::int64_t count) {
  const auto* begin = reinterpret_cast<const std::byte*>(values);
  return std::vector<std::byte>(begin, begin + count * std::int64_t(sizeof(T)));
}

/// Records a call before it is made.
template <Verb verb, class... Arguments>
RecordedCall record(Tag<verb>, const Target& target, Arguments... arguments) {
  RecordedCall call;
  call.verb = verb;
  std::int64_t previous = 0;
  int at = 1;
  const auto add = [&](auto argument) {
    const Parameter& parameter = signatures[int(verb)].parameters[std::size_t(at++)];
    using T = decltype(argument);
    if constexpr (std::same_as<T, td_error*>) return;
    RecordedArgument& recorded = call.arguments.emplace_back();
    const std::int64_t count = parameter.counted ? previous : 1;
    if constexpr (std::same_as<T, const td_view*>) {
      for (std::int64_t i = 0; argument && i < count; ++i)
        recorded.arrays.push_back(record_array(target, argument[i], parameter.role));
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      recorded.value = bytes_of_values(&argument, 1);
    } else if constexpr (std::is_pointer_v<T> && std::is_const_v<std::remove_pointer_t<T>>) {
      recorded.value = bytes_of_values(argument, count);
    }
    if constexpr (std::integral<T>) previous = argument;
  };
  (add(arguments), ...);
  return call;
}

/// The parameters of a law are arrays of the device that td_random points to.
RecordedCall record(Tag<Verb::random>, const Target& target, const td_random* random, const td_view* out, td_error*);
RecordedCall record(Tag<Verb::run_program>, const Target& target, const td_program* program, const td_operand* inputs,
                    const td_operand* outputs, td_error*);

/// What a call that was made through the device's own memory wrote there.
template <Verb verb, class... Arguments>
std::vector<Written> read_outputs(Tag<verb>, const Target& target, Arguments... arguments) {
  std::vector<Written> outputs;
  int at = 1;
  const auto add = [&](auto argument) {
    const Parameter& parameter = signatures[int(verb)].parameters[std::size_t(at++)];
    if constexpr (std::same_as<decltype(argument), const td_view*>) {
      if (argument && parameter.role != Role::in)
        outputs.push_back(packed(parameter.name, *argument, HostElements(target, *argument)));
    } else if constexpr (std::same_as<decltype(argument), std::int32_t*>) {
      outputs.push_back({parameter.name, int32, Shape{}, bytes_of_values(argument, 1)});
    }
  };
  (add(arguments), ...);
  return outputs;
}
std::vector<Written> read_outputs(Tag<Verb::run_program>, const Target& target, const td_program* program,
                                 const td_operand* inputs, const td_operand* outputs, td_error*);

}  // namespace tandem::detail
