#include "work.hpp"

#include <mutex>
#include <unordered_map>

namespace tandem::detail {

const char* work_name(Tag<Verb::run_program>, const td_program* program, const td_operand*, const td_operand*,
                      td_error*) {
  // FNV-1a over what the name is made of.
  std::uint64_t hash = 14695981039346656037u;
  const auto mix = [&](std::uint8_t byte) { hash = (hash ^ byte) * 1099511628211u; };
  for (int i = 0; i < program->n_instructions; ++i) {
    const td_instruction& instruction = program->instructions[i];
    for (const std::uint8_t byte : {instruction.kind, instruction.op, instruction.result}) mix(byte);
  }
  mix(std::uint8_t(value_dtype(*program, program->outputs[0])));
  static std::mutex& mutex = *new std::mutex;
  static auto& names = *new std::unordered_map<std::uint64_t, std::string>;
  std::lock_guard lock(mutex);
  std::string& name = names[hash];
  if (name.empty()) name = program_name(*program);
  return name.c_str();
}

}  // namespace tandem::detail
