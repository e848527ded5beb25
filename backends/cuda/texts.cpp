// The texts that every generated kernel starts with, as the build put them into files of one literal each.
#include "generator.hpp"

namespace tandem::cuda {

const char* const device_text =
#include "device_text.inc"
    ;
const char* const scalar_text =
#include "scalar_text.inc"
    ;
const char* const quick_text =
#include "quick_text.inc"
    ;
const char* const prelude_text =
#include "prelude_text.inc"
    ;

}  // namespace tandem::cuda
