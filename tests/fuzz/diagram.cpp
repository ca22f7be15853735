// A lesson's diagram of a run's source text: the directive is what comes before the first NUL.
#include "common/view/diagram/diagram.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ({
  const size_t middle = std::min(text.find('\0'), text.size());
  const std::string source = middle < text.size() ? text.substr(middle + 1) : "";
  for (const char* kind : {"threads", "walk", "banks", "pipeline", "softmax"}) {
    const std::string info = std::string("diagram ") + kind;
    (void)ridge::diagram::build(info, text.substr(0, middle), source,
                                {{"m", 64}, {"n", 64}, {"k", 64}, {"dtype_bytes", 4}});
  }
})
