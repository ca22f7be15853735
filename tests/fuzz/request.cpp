// What a worker is asked: a line of the app.
#include "common/record/request.h"

#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz.h"

RIDGE_FUZZ({
  const auto line = ridge::parse_json(text, "fuzz");
  const auto request = line ? ridge::work_request_from(*line) : line.error();
  if (request) (void)ridge::dump_json(ridge::to_line(*request));
})
