// Fourier transforms.
#include "calls.hpp"

namespace td = tandem;

namespace tandem::test::replay {
namespace {

td::fft::Norm norm(const Arguments& a, std::size_t i) {
  return a.choice<td::fft::Norm>(i, {"backward", "ortho", "forward"});
}
std::optional<Shape> lengths(const Arguments& a) { return a.has(1) ? std::optional(a.shape(1)) : std::nullopt; }

}  // namespace

void add_transforms(Functions& f) {
#define ALONG_AN_AXIS(name)                                                                             \
  f[#name].call = GIVES(td::fft::name(a.array(0), {.n = a.optional_integer(1), .axis = a.axis(2), .norm = norm(a, 3)}))
  ALONG_AN_AXIS(fft);
  ALONG_AN_AXIS(ifft);
  ALONG_AN_AXIS(rfft);
  ALONG_AN_AXIS(irfft);
  ALONG_AN_AXIS(hfft);
  ALONG_AN_AXIS(ihfft);
#define ALONG_AXES(name) \
  f[#name].call = GIVES(td::fft::name(a.array(0), {.s = lengths(a), .axes = a.axes(2), .norm = norm(a, 3)}))
  ALONG_AXES(fftn);
  ALONG_AXES(ifftn);
  ALONG_AXES(rfftn);
  ALONG_AXES(irfftn);
#define ALONG_TWO_AXES(name) \
  f[#name].call = GIVES(td::fft::name(a.array(0), {.s = lengths(a), .axes = a.shape(2), .norm = norm(a, 3)}))
  ALONG_TWO_AXES(fft2);
  ALONG_TWO_AXES(ifft2);
  ALONG_TWO_AXES(rfft2);
  ALONG_TWO_AXES(irfft2);
  f["fftfreq"].call = GIVES(td::fft::fftfreq(a.integer(0), {.d = a.real(1)}));
  f["rfftfreq"].call = GIVES(td::fft::rfftfreq(a.integer(0), {.d = a.real(1)}));
  f["fftshift"].call = GIVES(td::fft::fftshift(a.array(0), {.axes = a.axes(1)}));
  f["ifftshift"].call = GIVES(td::fft::ifftshift(a.array(0), {.axes = a.axes(1)}));
}

}  // namespace tandem::test::replay
