// A lesson's diagram of a run's source text. The first byte says which kind of diagram: one an execution, so that five
// times as many inputs are tried. Then comes the directive, up to the first NUL, and the source.
#include "common/view/diagram/diagram.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ({
  constexpr const char* kKinds[] = {"threads", "walk", "banks", "pipeline", "softmax"};
  if (text.empty()) return 0;
  const std::string info = std::string("diagram ") + kKinds[static_cast<unsigned char>(text[0]) % 5];
  const size_t middle = std::min(text.find('\0'), text.size());
  const std::string source = middle < text.size() ? text.substr(middle + 1) : "";
  (void)ridge::diagram::build(info, text.substr(1, middle - 1), source,
                              {{"m", 64}, {"n", 64}, {"k", 64}, {"dtype_bytes", 4}});
})
