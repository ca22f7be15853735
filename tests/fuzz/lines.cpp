// A transcript's lines, into a run alone.
#include <sstream>

#include "common/record/run.h"
#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ({
  ridge::Run run;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) run.apply_line(line);
  run.worker_lost("fuzz");
})
