#include "common/record/in_turns.h"

namespace ridge {

bool is_in_turns(const Run& run, const SeriesFacts& series) {
  const Request* request = run.request(series.request);
  return request && request->type == RequestType::compare;
}

}  // namespace ridge
