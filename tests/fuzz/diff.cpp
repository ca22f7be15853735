// Two texts beside each other, parted by the first NUL.
#include "app/query/diff.h"

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ({
  const size_t middle = std::min(text.find('\0'), text.size());
  (void)ridge::app::diff_code(text.substr(0, middle), text.substr(middle));
})
