// A recorded call as a file: a head of 32 bytes (the magic, a version, and the length and a hash of what follows), then
// texts, numbers and arrays one after another, each behind its length. All numbers are little-endian.
#include <algorithm>
#include <bit>
#include <limits>

#include "../io/bytes.hpp"
#include "../program/ops.hpp"
#include "recorded_call.hpp"

namespace tandem::detail {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view magic = "tandem call\n";
constexpr std::uint32_t version = 1;

struct Head {
  char magic[12];
  std::uint32_t version;
  std::uint64_t bytes, hash;
};
static_assert(sizeof(Head) == 32 && magic.size() == sizeof Head::magic);

/// FNV-1a, over any number of pieces.
struct Hash {
  std::uint64_t value = 14695981039346656037u;
  void add(const void* data, std::size_t count) {
    for (const auto *at = static_cast<const unsigned char*>(data), *end = at + count; at != end; ++at)
      value = (value ^ *at) * 1099511628211u;
  }
};

/// A view's elements can be reached: no offset overflows.
bool is_addressable(const td_view& view) {
  constexpr std::int64_t most = std::int64_t{1} << 60;
  std::int64_t reach = itemsize(DType(view.dtype)), elements = 1;
  for (int axis = 0; axis < view.ndim; ++axis) {
    const std::int64_t length = view.shape[axis];
    if (length < 0 || __builtin_mul_overflow(elements, length, &elements) || elements > most) return false;
    std::int64_t step = view.strides[axis];
    if (step == std::numeric_limits<std::int64_t>::min()) return false;
    step = step < 0 ? -step : step;
    if (__builtin_mul_overflow(step, length, &step) || __builtin_mul_overflow(step, 16, &step)) return false;
    if (__builtin_add_overflow(reach, step, &reach) || reach > most) return false;
  }
  return true;
}

// ---- writing ----

struct CallWriter {
  Output& out;
  Hash hash;

  void put(const void* data, std::size_t count) {
    out.write(data, count);
    hash.add(data, count);
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    put(&value, sizeof value);
  }
  template <class Sequence>
  void put_all(const Sequence& values) {
    put(std::uint64_t(values.size()));
    put(values.data(), values.size() * sizeof *values.data());
  }

  void put_array(const RecordedArray& array) {
    put(array.role);
    put(std::uint8_t(array.has_memory));
    put(array.dtype);
    put_all(array.shape);
    put_all(array.strides);
    put(array.misalignment);
    put_all(array.bytes);
  }

  void put_program(const RecordedProgram& program) {
    put_all(program.input_dtypes);
    put_all(program.constant_dtypes);
    put_all(program.outputs);
    put_all(program.constants);
    put_all(program.instructions);
    put(program.n_reduced);
    put_all(program.shape);
  }
};

// ---- reading ----

/// Takes a call out of bytes that nobody has promised anything about.
class CallReader {
 public:
  CallReader(Place place, std::string_view bytes) : place_(std::move(place)), rest_(bytes) {}

  template <class T>
  T take() {
    T value;
    if (rest_.size() < sizeof value) damaged("it ends early");
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  template <class Sequence>
  Sequence take_all() {
    using T = typename Sequence::value_type;
    const auto count = take<std::uint64_t>();
    if (count > rest_.size() / sizeof(T)) damaged("it ends early");
    Sequence values(std::size_t(count), T{});
    if (count > 0) std::memcpy(values.data(), rest_.data(), std::size_t(count) * sizeof(T));
    rest_.remove_prefix(std::size_t(count) * sizeof(T));
    return values;
  }

  RecordedCall take_call() {
    RecordedCall call;
    const auto verb = take_all<std::string>();
    int number = 0;
    while (number < int(Verb::count) && verb != name(Verb(number))) ++number;
    if (number == int(Verb::count)) place_.fail("there is no verb " + quoted(verb));
    call.verb = Verb(number);
    const auto count = take<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i) {
      RecordedArgument& argument = call.arguments.emplace_back();
      argument.value = take_all<std::vector<std::byte>>();
      const auto arrays = take<std::uint64_t>();
      for (std::uint64_t k = 0; k < arrays; ++k) argument.arrays.push_back(take_array());
    }
    if (call.verb == Verb::run_program) call.program = take_program();
    if (!rest_.empty()) damaged("it goes on after its end");
    check_arguments(call);
    if (call.verb == Verb::run_program) check_program(call);
    return call;
  }

 private:
  [[noreturn]] void damaged(const std::string& how) const { place_.fail("is damaged: " + how); }

  DType checked_dtype(std::uint8_t number) const {
    if (number >= dtype_count) damaged("there is no dtype " + std::to_string(number));
    return DType(number);
  }

  RecordedArray take_array() {
    RecordedArray array;
    array.role = take<Role>();
    if (array.role > Role::inout) damaged("an array is neither read nor written");
    array.has_memory = take<std::uint8_t>() != 0;
    array.dtype = checked_dtype(take<std::uint8_t>());
    array.shape = take_all<std::vector<std::int64_t>>();
    array.strides = take_all<std::vector<std::int64_t>>();
    array.misalignment = take<std::int64_t>();
    array.bytes = take_all<std::vector<std::byte>>();
    if (array.shape.size() > TD_MAX_NDIM || array.strides.size() != array.shape.size() || array.misalignment < 0 ||
        array.misalignment >= TD_ALIGNMENT || !is_addressable(array.view(nullptr)))
      damaged("an array has no possible shape");
    const Extent extent = extent_of(array.view(nullptr));
    const bool has_bytes = array.has_memory && array.role != Role::out;
    if (std::int64_t(array.bytes.size()) != (has_bytes ? extent.end - extent.begin : 0))
      damaged("an array has " + std::to_string(array.bytes.size()) + " bytes");
    return array;
  }

  RecordedProgram take_program() {
    RecordedProgram program;
    program.input_dtypes = take_all<std::vector<std::uint8_t>>();
    program.constant_dtypes = take_all<std::vector<std::uint8_t>>();
    program.outputs = take_all<std::vector<std::uint8_t>>();
    program.constants = take_all<std::vector<td_constant>>();
    program.instructions = take_all<std::vector<td_instruction>>();
    program.n_reduced = take<std::int32_t>();
    program.shape = take_all<std::vector<std::int64_t>>();
    return program;
  }

  /// As many arguments as the verb has, as many arrays in them as they say, each read or written as there, and axes
  /// that the first array has.
  void check_arguments(const RecordedCall& call) const {
    const Signature& signature = signatures[int(call.verb)];
    const std::string verb = name(call.verb);
    if (int(call.arguments.size()) != signature.size - 2) damaged("the verb " + verb + " has other arguments");
    if (call.verb == Verb::run_program) return;  // check_program() has more to say
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Parameter& parameter = signature.parameters[i + 1];
      const RecordedArgument& argument = call.arguments[i];
      const std::string name(parameter.name);
      if (parameter.counted) {
        const auto count = number(call.arguments[i - 1], 0);
        const std::size_t found = std::max(argument.arrays.size(), argument.value.size() / sizeof(std::int32_t));
        if (count < 1 || found != std::size_t(count)) damaged("the number of its " + name + " is wrong");
      } else if (argument.arrays.size() > 2) {
        damaged("it has too many " + name);
      }
      for (const RecordedArray& array : argument.arrays)
        if (array.role != parameter.role) damaged("the array " + name + " has another role");
      if (name != "axis" && name != "axes") continue;
      if (call.arguments[0].arrays.size() != 1) damaged("it has no array " + std::string(signature.parameters[1].name));
      const auto ndim = std::int64_t(call.arguments[0].arrays[0].shape.size());
      const bool gathers = i + 2 < call.arguments.size() && signature.parameters[i + 3].name == "indices";
      const std::int64_t further = gathers ? std::int64_t(call.arguments[i + 2].arrays.size()) - 1 : 0;
      for (std::size_t k = 0; k < std::max<std::size_t>(1, argument.value.size() / sizeof(std::int32_t)); ++k)
        if (const std::int64_t axis = number(argument, k); axis < 0 || axis + further >= ndim)
          damaged("there is no axis " + std::to_string(axis));
    }
  }

  /// One of the int32 that an argument holds.
  std::int64_t number(const RecordedArgument& argument, std::size_t at) const {
    std::int32_t value;
    if (argument.value.size() < (at + 1) * sizeof value) damaged("a number is missing");
    std::memcpy(&value, argument.value.data() + at * sizeof value, sizeof value);
    return value;
  }

  void check_program(const RecordedCall& call) const {
    const RecordedProgram& p = call.program;
    const td_program program = p.view();
    bool good = program.n_inputs <= TD_MAX_INPUTS && program.n_constants <= TD_MAX_CONSTANTS &&
                program.n_instructions <= TD_MAX_INSTRUCTIONS && program.n_outputs <= TD_MAX_OUTPUTS &&
                program.n_outputs > 0 && p.constant_dtypes.size() == p.constants.size() && program.ndim >= 1 &&
                program.ndim <= TD_MAX_NDIM && program.n_reduced >= 0 && program.n_reduced <= program.ndim &&
                call.arguments[1].arrays.size() == p.input_dtypes.size() &&
                call.arguments[2].arrays.size() == p.outputs.size();
    if (!good) damaged("its program has no possible size");
    for (const std::uint8_t dtype : p.input_dtypes) checked_dtype(dtype);
    for (const std::uint8_t dtype : p.constant_dtypes) checked_dtype(dtype);
    for (const std::int64_t length : p.shape) good = good && length > 0;
    for (int i = 0; i < program.n_instructions && good; ++i) {
      const td_instruction& instruction = program.instructions[i];
      checked_dtype(instruction.dtype), checked_dtype(instruction.result);
      good = instruction.kind <= TD_REDUCE && (instruction.kind != TD_MAP || instruction.op < TD_OP_COUNT) &&
             (instruction.kind != TD_REDUCE || instruction.op < TD_REDUCTION_COUNT);
      for (int k = 0; good && k < source_count(instruction); ++k)
        good = instruction.sources[k] < program.n_inputs + program.n_constants + i;
    }
    for (const std::uint8_t output : p.outputs) good = good && output < value_count(program);
    for (const std::size_t k : {1, 2})
      for (const RecordedArray& array : call.arguments[k].arrays) {
        good = good && array.shape.size() == p.shape.size() && array.role == (k == 1 ? Role::in : Role::out);
        for (std::size_t axis = 0; good && axis < p.shape.size(); ++axis)
          good = array.shape[axis] == p.shape[axis] || (k == 2 && array.shape[axis] == 1);
      }
    for (std::size_t i = 0; good && i < p.input_dtypes.size(); ++i)
      good = call.arguments[1].arrays[i].dtype == DType(p.input_dtypes[i]);
    for (std::size_t i = 0; good && i < p.outputs.size(); ++i)
      good = call.arguments[2].arrays[i].dtype == value_dtype(program, p.outputs[i]) &&
             call.arguments[2].arrays[i].has_memory;
    if (!good) damaged("its program makes no sense");
  }

  Place place_;
  std::string_view rest_;
};

}  // namespace

void save(const std::string& file, const RecordedCall& call, const RecordedBy& by) {
  FileOutput out({"parity", file});
  Head head{{}, version, 0, 0};
  std::memcpy(head.magic, magic.data(), magic.size());
  out.write(&head, sizeof head);
  CallWriter writer{out, {}};
  for (const std::string& text : {by.first, by.second, by.report, std::string(name(call.verb))}) writer.put_all(text);
  writer.put(std::uint64_t(call.arguments.size()));
  for (const RecordedArgument& argument : call.arguments) {
    writer.put_all(argument.value);
    writer.put(std::uint64_t(argument.arrays.size()));
    for (const RecordedArray& array : argument.arrays) writer.put_array(array);
  }
  if (call.verb == Verb::run_program) writer.put_program(call.program);
  head.bytes = out.position() - sizeof head;
  head.hash = writer.hash.value;
  out.patch(0, &head, sizeof head);
  out.finish();
}

RecordedCall load_call(const std::string& file, RecordedBy& by) {
  const Place place{"replay", file};
  const Input input(place);
  InputReader in(input);
  const std::string bytes = read_rest(in);
  Head head;
  if (bytes.size() < sizeof head || !bytes.starts_with(magic)) place.fail("is no recorded call");
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.version != version)
    place.fail("has version " + std::to_string(head.version) + ", and this Tandem reads " + std::to_string(version));
  const std::string_view content = std::string_view(bytes).substr(sizeof head);
  if (content.size() != head.bytes)
    place.fail("is damaged: " + std::to_string(content.size()) + " of " + std::to_string(head.bytes) + " bytes");
  Hash hash;
  hash.add(content.data(), content.size());
  if (hash.value != head.hash) place.fail("is damaged: its bytes are not those that were written");
  CallReader reader(place, content);
  by.first = reader.take_all<std::string>();
  by.second = reader.take_all<std::string>();
  by.report = reader.take_all<std::string>();
  return reader.take_call();
}

}  // namespace tandem::detail
